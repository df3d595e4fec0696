"""Measuring the load of the cores, and the warnings of commands that time programs. The load is real: busy loops."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, clean_environment

from adcl.launch import (
    ANYWHERE,
    KINDS,
    BusyProgram,
    JobConditions,
    Launcher,
    MachineLoad,
    Placement,
    cores_here,
    job_conditions,
    measure_load,
    usable_cores,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Mpi
    from support import Ended

    Adcl = Callable[..., Ended]

_LOOP = "while :; do :; done"
_SOLVER = PROJECT / "build" / "openmpi" / "bin" / "solver3d"


@contextlib.contextmanager
def _busy(folder: Path, cores: int) -> Iterator[str]:
    """Keep `cores` cores busy with a uniquely named shell that ends by itself after a minute."""
    name = f"spinner-{os.getpid()}"  # unique among the tests; the kernel keeps 15 characters of a name
    shell = shutil.copy("/bin/sh", folder / name)
    processes = [subprocess.Popen(["timeout", "60", shell, "-c", _LOOP]) for _ in range(cores)]
    try:
        yield name
    finally:
        for process in processes:
            process.terminate()
            process.wait()


@contextlib.contextmanager
def _on_one_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores_here()[0])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def test_busy_loops_are_measured_and_named(tmp_path: Path) -> None:
    with _on_one_core(), _busy(tmp_path, 2) as name:
        found = measure_load(2.0, named=1000)

    assert found is not None
    assert found.cores == 1
    assert found.busy > 0.9
    assert found.runnable >= 2
    spinners = next(one for one in found.top if one.name == name)
    assert len(spinners.processes) == 2
    assert 0.0 < spinners.cores < 1.1


def test_this_process_does_not_count_as_load() -> None:
    found = measure_load()
    assert found is not None
    assert all(os.getpid() not in one.processes for one in found.top)
    assert 0.0 <= found.busy <= found.cores == usable_cores()


def _load(cores: int, busy: float, runnable: int = 0, stolen: float = 0.0) -> MachineLoad:
    return MachineLoad(cores, busy, stolen, runnable, (BusyProgram("make", (7, 9), busy),))


@pytest.mark.parametrize(
    ("ranks", "load", "oversubscribed", "taken"),
    [
        (2, _load(2, 0.1), False, 0.05),
        (2, _load(4, 1.9), False, 0.0),
        (4, _load(4, 1.0), False, 0.25),
        (1, _load(2, 2.0), False, 1.0),
        (8, _load(2, 0.0), True, 0.0),
    ],
)
def test_only_the_cores_that_the_ranks_need_count(
    ranks: int, load: MachineLoad, *, oversubscribed: bool, taken: float
) -> None:
    found = JobConditions(ranks, load)
    assert found.oversubscribed is oversubscribed
    assert found.taken == pytest.approx(taken)
    assert len(found.warnings("so")) == oversubscribed + (taken > 0.1)


def test_warnings_state_cause_consequence_and_remedy() -> None:
    oversubscribed, busy = JobConditions(8, _load(2, 1.5, runnable=6, stolen=0.25)).warnings("nobody knows")
    assert oversubscribed == (
        "oversubscribed: 8 ranks share 2 cores, and each waits for a core 75% of the time or more; nobody knows; "
        "use at most 2 ranks here, or more nodes"
    )
    assert busy == (
        "busy machine: other processes use 1.5 of 2 cores (make, 2 processes: 1.5 cores; other virtual machines: "
        "0.2 cores), and 6 threads compete for them, so ranks wait for a core; nobody knows; "
        "wait until the machine is idle, or end these processes"
    )


def test_load_of_this_machine_does_not_affect_remote_ranks(tmp_path: Path) -> None:
    here = Launcher(KINDS["mpich"], tmp_path / "mpiexec", "4.2")
    assert job_conditions(2, Placement(hosts=("a", "b")), here) is None
    assert job_conditions(2, ANYWHERE, Launcher(KINDS["slurm"], tmp_path / "srun", "22")) is None
    assert job_conditions(2, ANYWHERE, Launcher(KINDS["smpi"], tmp_path / "smpirun", "3")) is None
    assert job_conditions(2, ANYWHERE, here) is not None
    # All hosts of an emulated cluster are on this machine.
    assert job_conditions(2, Placement(hosts=("a",), within=("/sbin/ip",)), here) is not None


def _first_warnings(folder: Path, *words: str) -> list[str]:
    """Run a command next to other processes up to its first line without a warning; return the kinds of warnings."""
    with (
        _busy(folder, 2 * usable_cores()),
        subprocess.Popen(
            [sys.executable, "-m", "adcl", *words],
            cwd=folder,
            env=clean_environment(PYTHONUNBUFFERED="1"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        found = []
        for line in process.stdout:
            if not line.startswith("adcl: warning: "):
                found.append(line)
                break
            found.append(line.removeprefix("adcl: warning: ").partition(":")[0])
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.wait()
    return found


@pytest.mark.mpi
def test_scale_run_warns_first(mpi: Mpi, tmp_path: Path) -> None:
    ranks = usable_cores() + 1
    (tmp_path / "s.toml").write_text(
        f'[run]\nprogram = "{mpi.program}"\narguments = ["hello"]\nranks = [1, {ranks}]\n'
        f'mpi = "{mpi.launcher.path}"\noversubscribed = "mark"\n'
        '[[expect]]\nfunction = "Hello"\n',
        encoding="utf-8",
    )
    assert _first_warnings(tmp_path, "scale", "run", "s.toml")[:2] == ["oversubscribed", "busy machine"]


_TUNED = """
mpi = "openmpi"
[parameters]
btl_vader_eager_limit = [4096, 8192]
"""


@pytest.mark.mpi
def test_tune_run_warns_first(openmpi_tuned: Mpi, tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(_TUNED, encoding="utf-8")
    ranks = str(usable_cores() + 1)
    found = _first_warnings(tmp_path, "tune", "run", "t.toml", "-n", ranks, "--", openmpi_tuned.program, "usual")
    assert found[:2] == ["oversubscribed", "busy machine"]


needs_solver = pytest.mark.skipif(not _SOLVER.exists(), reason="the applications are not built")


@needs_solver
def test_evaluate_and_learn_warn_first(tmp_path: Path) -> None:
    ranks = usable_cores() + 1
    words = '"--size", "4x4x4", "--iterations", "20", "--quiet", "--json", "{json}"'
    (tmp_path / "e.toml").write_text(
        f'runs = 1\n[run]\nprogram = "{_SOLVER}"\narguments = ["--exchange", "adcl", {words}]\nranks = [{ranks}]\n'
        '[time]\njson = "seconds.total"\n[verification]\ncodelets = ["IsIr_aao"]\n',
        encoding="utf-8",
    )
    assert _first_warnings(tmp_path, "evaluate", "run", "e.toml")[:2] == ["oversubscribed", "busy machine"]
    assert _first_warnings(tmp_path, "learn", "-f", "known", "-n", "1", "--time", "1s", "bcast:8")[0] == "busy machine"


@needs_solver
def test_analysis_on_shared_cores_does_not_recommend_tuning(adcl: Adcl, tmp_path: Path) -> None:
    ranks = 4 * usable_cores()
    words = ("--exchange", "ordered", "--size", "8x8x8", "--iterations", "100", "--quiet")
    analyze = ("tune", "analyze", "-n", str(ranks), "-o", "kept", "--timeout", "100s", "--", str(_SOLVER), *words)

    ended = adcl(*analyze, timeout_s=150.0)

    assert ended.code == 0, ended.err
    assert ended.err.startswith("adcl: warning: oversubscribed")
    assert "tuning may pay" not in ended.out
    properties = {one["name"]: one for one in json.loads((tmp_path / "kept/analysis.json").read_text())["properties"]}
    assert properties["CoresShared"]["severity"] >= 0.75
    assert properties["CoresShared"]["holds"]
    # All MPI libraries send the program's messages of 8 x 8 doubles eagerly, so a higher limit has no effect.
    assert not properties["EagerLimitDependency"]["holds"]
    # Reading the folder later yields the same message.
    again = adcl("tune", "analyze", "-o", "kept")
    assert f"{ranks} ranks share" in " ".join(again.out.split())
