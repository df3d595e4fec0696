"""Trials with a real Slurm, started by the tests: srun, sbatch, and failures."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT, clean_environment, processes_with, wait_until, within

from adcl.errors import AdclError, UsageError
from adcl.launch import Placement, Stop, detect
from adcl.mpi_libraries import LIBRARIES
from adcl.tune.file._objective import Objective
from adcl.tune.trial._slurm import Submission, _ask
from adcl.tune.trial._trial import TrialInterruptedError, Trials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Mpi

pytestmark = pytest.mark.slurm

_LIMIT = {"btl_vader_eager_limit": 8192}


def _testbed() -> Any:
    spec = importlib.util.spec_from_file_location("cluster", PROJECT / "testbed" / "slurm" / "cluster.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Start Slurm, and stop it at the end."""
    testbed = _testbed()
    if (lacking := testbed.missing()) is not None:
        pytest.skip(lacking)
    folder = tmp_path_factory.mktemp("slurm")
    before = os.environ.get("SLURM_CONF")
    script = [sys.executable, str(PROJECT / "testbed" / "slurm" / "cluster.py"), "--cpus", "4"]
    subprocess.run([*script, "start", str(folder)], check=True, stdout=subprocess.DEVNULL, timeout=within(60))
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    yield folder
    subprocess.run([*script, "stop", str(folder)], check=True, timeout=within(60))
    if before is None:
        del os.environ["SLURM_CONF"]
    else:
        os.environ["SLURM_CONF"] = before


def _idle() -> bool:
    """Return whether the steps of the previous test are gone; a new step may fail to launch before that."""
    said = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=True).stdout
    return set(said.split()) == {"idle"}


@pytest.fixture
def make(cluster: Path, openmpi_tuned: Mpi, tmp_path: Path) -> Any:
    """Return trials started by srun, directly or within batch jobs."""
    assert cluster.is_dir()
    assert wait_until(_idle, 30)
    library = LIBRARIES["openmpi4"]

    def trials(*arguments: str, batch: bool = False, at_once: int = 1, **settings: Any) -> Trials:
        return Trials(
            openmpi_tuned.program,
            arguments,
            ranks=3,
            launcher=detect("slurm"),
            library=library,
            catalog=library.catalog(openmpi_tuned.launcher),
            objectives=settings.pop("objectives", (Objective("output", r"Time in seconds = *(\S+)"),)),
            placement=Placement(pmi="pmix"),
            grace_s=1.0,
            submission=Submission(tmp_path, tuple(settings.pop("options", ())), at_once) if batch else None,
            **settings,
        )

    return trials


@pytest.mark.parametrize("batch", [False, True], ids=["srun", "sbatch"])
def test_a_trial(make: Any, batch: bool) -> None:  # noqa: FBT001
    outcome = make(batch=batch).run(_LIMIT, timeout_s=within(60))
    assert (outcome.status, outcome.reason) == ("ok", "")
    assert 0 < outcome.objectives["output"] < outcome.seconds
    assert outcome.tail.splitlines()[-1] == "VERIFICATION SUCCESSFUL"


@pytest.mark.parametrize("batch", [False, True], ids=["srun", "sbatch"])
def test_a_setting_without_an_effect(make: Any, batch: bool) -> None:  # noqa: FBT001
    outcome = make(batch=batch).run({"coll_tuned_bcast_algorithm": "chain"}, timeout_s=within(60))
    assert outcome.status == "ineffective"


@pytest.mark.parametrize("batch", [False, True], ids=["srun", "sbatch"])
def test_a_trial_that_hangs_is_ended(make: Any, tag: str, batch: bool) -> None:  # noqa: FBT001
    outcome = make("hang", batch=batch, environment={"TAG": tag}).run({}, timeout_s=2.5)
    assert outcome.status == "timeout", outcome
    assert wait_until(lambda: processes_with(tag) == [], 10)


def test_a_batch_job_that_crashes(make: Any) -> None:
    outcome = make("crash", batch=True).run({}, timeout_s=within(60))
    assert outcome.status == "crashed"


def test_batch_job_is_canceled(make: Any, tag: str) -> None:
    stop = Stop()
    ends: list[str] = []

    def work() -> None:
        try:
            make("hang", batch=True, environment={"TAG": tag}).run({}, stop=stop)
        except TrialInterruptedError as error:
            ends.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    assert wait_until(lambda: len(processes_with(tag)) >= 3, 30)
    stop.request()
    thread.join(30)
    assert ends == ["interrupted"]
    assert wait_until(lambda: processes_with(tag) == [], 10)
    stop.close()


def test_concurrent_trials_form_one_job_array(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of three jobs runs and two jobs wait, long enough to be queried; each job has different settings."""
    monkeypatch.setattr("adcl.tune.trial._slurm._STATE_EVERY_S", 0.1)
    monkeypatch.setattr("adcl.tune.trial._slurm._LATE_FILE_S", 0.5)
    asked: list[tuple[tuple[str, ...], str]] = []

    def ask(*command: str, environment: Any = None) -> str:
        asked.append((command, said := _ask(*command, environment=environment)))
        return said

    monkeypatch.setattr("adcl.tune.trial._slurm._ask", ask)
    trials = make(batch=True, at_once=3)
    configurations: tuple[Any, ...] = ({}, _LIMIT, {"coll_tuned_bcast_algorithm": "chain"})
    outcomes: dict[int, str] = {}

    def work(number: int) -> None:
        outcomes[number] = trials.run(configurations[number], timeout_s=within(60)).status

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)

    assert outcomes == {0: "ok", 1: "ok", 2: "ineffective"}
    submitted = [command for command, _ in asked if command[0] == "sbatch"]
    assert len(submitted) == 1
    assert "--array=1-3" in submitted[0]
    assert any("PENDING" in said for command, said in asked if command[0] == "squeue")
    assert list(tmp_path.glob("job-*")) == []


def test_time_in_the_queue_is_not_measured(make: Any) -> None:
    with pytest.raises(UsageError, match="outside an allocation, srun waits"):
        make(objectives=(Objective(),))
    outcome = make(batch=True, objectives=(Objective(),)).run({}, timeout_s=within(60))
    assert outcome.objectives == {"wall": outcome.seconds}


def test_rejected_job_is_an_error(make: Any) -> None:
    with pytest.raises(AdclError, match=r"sbatch failed: .*partition"):
        make(batch=True, options=["--partition=nowhere"]).run({}, timeout_s=5)


@pytest.mark.skipif(os.environ.get("LARGE_TESTS") != "ON", reason="takes a minute; LARGE_TESTS=ON runs it")
def test_study_with_concurrent_trials_in_an_allocation(cluster: Path, openmpi_tuned: Mpi, tmp_path: Path) -> None:
    assert cluster.is_dir()
    (tmp_path / "t.toml").write_text(
        'mpi = "openmpi4"\nsearch = "exhaustive"\n[parameters]\nbtl_vader_eager_limit = [1024, 2048, 4096, 16384]\n'
        "[objective]\npattern = 'Time in seconds = (.*)'\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "adcl", "tune", "run", "t.toml", "-n", "2", "--parallel", "2", "--mpi", "slurm"]
    done = subprocess.run(
        ["salloc", "-n", "4", *command, "--pmi", "pmix", "--", openmpi_tuned.program, "usual", "6000", "50"],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=within(200),
    )
    assert done.returncode == 0, done.stderr
    runs = json.loads((tmp_path / "t.study" / "result.json").read_text(encoding="utf-8"))["runs"]
    assert {run["status"] for run in runs} == {"ok"}
    trials = sorted((run["begin_s"], run["end_s"]) for run in runs if run["kind"] == "trial")
    assert len(trials) >= 3
    assert any(second[0] < first[1] for first, second in itertools.pairwise(trials))
