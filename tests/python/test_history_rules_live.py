"""MPI libraries use the rules that ``adcl history export --for`` writes.

Counting the messages between each pair of ranks identifies the algorithm.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from history_support import collective_document, history_of
from support import PROJECT, clean_environment, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended

    Adcl = Callable[..., Ended]

_PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.mpi


def _run(command: list[str], folder: Path, **environment: str) -> None:
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment(**allowed, **environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=within(60),
    )
    assert done.returncode == 0, done.stderr


def _program(compiler: Path | str, folder: Path) -> Path:
    program = folder / "collective_calls"
    subprocess.run([compiler, "-o", program, _PROGRAMS / "collective_calls.c"], check=True, capture_output=True)
    return program


def _compiler_and_launcher(target: str) -> tuple[str, str] | None:
    """Return the system's Open MPI 4, or the Open MPI 5 in an environment; None if there is none."""
    if target == "openmpi":
        found = shutil.which("mpicc.openmpi"), shutil.which("mpirun.openmpi")
        return (found[0], found[1]) if found[0] and found[1] else None
    prefixes = [Path(one) for one in os.environ.get("TEST_MPI_PREFIXES", "").split(os.pathsep) if one]
    for prefix in [*prefixes, PROJECT / f".venvs/{target}"]:
        if prefix.name == target and (prefix / "bin/mpicc").is_file():
            return str(prefix / "bin/mpicc"), str(prefix / "bin/mpirun")
    return None


def _openmpi_messages(launcher: str, program: Path, rules: Path, *arguments: str) -> dict[int, int]:
    """Return how many messages rank 0 sends to each rank, according to Open MPI's monitoring."""
    settings = {
        "pml_monitoring_enable": "2",
        "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": "sent",
        "coll_tuned_use_dynamic_rules": "1",
        "coll_tuned_dynamic_rules_filename": str(rules),
    }
    options = [word for name, value in settings.items() for word in ("--mca", name, value)]
    launch = [launcher, "--oversubscribe", "--bind-to", "none", "-n", "4", *options]
    _run([*launch, str(program), *arguments], program.parent)
    text = (program.parent / "sent.0.prof").read_text(encoding="utf-8")
    return {int(to): int(n) for to, n in re.findall(r"^I\t0\t(\d+)\t\d+ bytes\t(\d+) msgs sent", text, re.MULTILINE)}


@pytest.mark.parametrize(("target", "version"), [("openmpi", "4.1.4"), ("openmpi5", "5.0.11")])
def test_open_mpi_uses_the_rules(adcl: Adcl, tmp_path: Path, target: str, version: str) -> None:
    found = _compiler_and_launcher(target)
    if found is None:
        pytest.skip(f"{target} is not installed")
    compiler, launcher = found
    folder = history_of(
        tmp_path / "history",
        collective_document("allgather", 4, 100, "Ring", version=version),
        collective_document("allgather", 4, 10000, "Bruck", version=version),
        collective_document("allgatherv", 4, 100, "Ring", version=version),
        collective_document("allgatherv", 4, 10000, "Bruck", version=version),
        collective_document("bcast", 4, 100, "Linear", version=version),
    )
    assert adcl("history", "export", "rules", "--for", target, "--folder", str(folder)).code == 0
    program = _program(compiler, tmp_path)

    def sent(*arguments: str) -> dict[int, int]:
        return _openmpi_messages(launcher, program, tmp_path / "rules", *arguments)

    ring, bruck = {1: 3}, {3: 1, 2: 1}
    # On both sides of the geometric mean of the two sizes, 1000 bytes.
    assert sent("allgather", "400") == ring
    assert sent("allgather", "2501") == bruck
    assert sent("allgatherv", "400") == ring
    assert sent("allgatherv", "2501") == bruck
    assert sent("bcast", "100") == {1: 1, 2: 1, 3: 1}
    # Outside the known range the library chooses: a binomial tree.
    assert sent("bcast", "8") != {1: 1, 2: 1, 3: 1}


@pytest.mark.skipif(
    not shutil.which("mpicc.mpich") or not shutil.which("mpichversion"), reason="the system has no MPICH"
)
def test_mpich_uses_the_rules(adcl: Adcl, tmp_path: Path) -> None:
    folder = history_of(
        tmp_path / "history",
        collective_document("allgather", 4, 100, "Ring", family="MPICH"),
        collective_document("bcast", 4, 100, "Scatter_ring", family="MPICH"),
    )
    assert adcl("history", "export", "rules.json", "--for", "mpich", "--folder", str(folder)).code == 0
    program = _program("mpicc.mpich", tmp_path)
    counter = tmp_path / "count_messages.so"
    source = _PROGRAMS / "count_messages.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", counter, source, "-ldl"], check=True, capture_output=True)

    def sent(*arguments: str) -> list[str]:
        environment = {
            "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(tmp_path / "rules.json"),
            "MPIR_CVAR_NOLOCAL": "1",  # route all messages through the layer that counts them
            "COUNTED_TO": str(tmp_path / "sent"),
        }
        preload = ["-genv", "LD_PRELOAD", str(counter)]
        _run(["mpiexec.mpich", *preload, "-n", "4", str(program), *arguments], tmp_path, **environment)
        return (tmp_path / "sent.0").read_text(encoding="utf-8").split()

    ring, doubling = ["3"], ["1", "1"]
    assert sent("allgather", "100") == ring
    # The root scatters along a tree; then three rounds of a ring follow, the first of them to a rank that the tree also
    # has.
    assert sent("bcast", "100") == ["1", "4"]
    # Outside the known range the library chooses; other operations keep their rules.
    assert sent("allgather", "8") == doubling
    assert sent("alltoall", "8") == ["1", "1", "1", "1"]
