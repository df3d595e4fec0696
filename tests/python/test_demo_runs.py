"""The demonstration: its jobs, and its behavior if something is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from demo_records import flat, load_demo, record
from support import PROJECT, clean_environment

from adcl.errors import AdclError
from adcl.launch import KINDS, BusyProgram, JobConditions, Launcher, MachineLoad, Result

if TYPE_CHECKING:
    from types import ModuleType

    from adcl.launch import Job


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    return load_demo().demo


@pytest.fixture(scope="module")
def results() -> ModuleType:
    return load_demo().results


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    program = tmp_path / "build/bin/demo"
    program.parent.mkdir(parents=True)
    program.touch()
    return ["--build", str(tmp_path / "build"), "--output", str(tmp_path / "out")]


@pytest.fixture
def jobs(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Replace the launcher: ADCL takes 1 s, others 2 s. Return the started jobs."""
    given: list[Job] = []

    def run(job: Job, _launcher: Launcher) -> Result:
        given.append(job)
        options = dict(zip(job.arguments[::2], job.arguments[1::2], strict=True))
        collective = {"bytes": int(options["--alltoall"]), "calls": 1} if "--alltoall" in options else {}
        others = {"mpi": flat(2.0)} if collective else {"packed": flat(2.0), "types": flat(3.0)}
        document = record(others | {"adcl": flat(1.0)}, ranks=job.ranks, **collective)
        Path(options["--json"]).write_text(json.dumps(document), encoding="utf-8")
        return Result(("mpirun",), 0, 1.0, "", "")

    monkeypatch.setattr(demo, "run", run)
    monkeypatch.setattr(demo, "usable_cores", lambda: 2)
    monkeypatch.setattr(demo, "detect", lambda *_, **__: Launcher(KINDS["openmpi4"], Path("/usr/bin/mpirun"), "4.1"))
    return given


def _refuse() -> None:
    raise AdclError("emulated clusters require root")


def test_without_clusters_only_the_node_is_measured_and_records_are_shown(
    demo: ModuleType,
    jobs: list[Job],
    *,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(demo, "check_possible", _refuse)

    assert demo.main(arguments) == 0
    told = " ".join(capsys.readouterr().out.split())
    on_node = [case for case in demo.CASES if case.machine == "node"]
    assert [job.ranks for job in jobs] == [2] * len(on_node)
    assert "Not measured here: flat, because emulated clusters require root" in told
    assert "two racks*" in told
    assert "this node*" not in told
    stored = json.loads((tmp_path / "out/records.json").read_text(encoding="utf-8"))
    assert [one["case"] for one in stored["measurements"]] == [case.key for case in on_node]
    assert "two racks*" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


def test_busy_machine_is_reported_first(
    demo: ModuleType,
    jobs: list[Job],
    *,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    busy = JobConditions(2, MachineLoad(2, 1.5, 0.0, 0, (BusyProgram("make", (7,), 1.5),)))
    monkeypatch.setattr(demo, "check_possible", _refuse)
    monkeypatch.setattr(demo, "job_conditions", lambda *_: busy)

    assert demo.main(arguments) == 0
    assert jobs
    assert capsys.readouterr().out.startswith("Warning: busy machine: other processes use 1.5 of 2 cores")


def test_with_one_core_nothing_is_measured(
    demo: ModuleType,
    jobs: list[Job],
    *,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(demo, "check_possible", _refuse)
    monkeypatch.setattr(demo, "usable_cores", lambda: 1)

    assert demo.main(arguments) == 0
    assert not jobs
    assert "this node*" in capsys.readouterr().out


def test_failed_job_discards_the_measurements_of_its_machine(
    demo: ModuleType,
    jobs: list[Job],
    *,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(demo, "check_possible", _refuse)
    succeed = demo.run

    def fail_third(job: Job, launcher: Launcher) -> Result:
        if len(jobs) == 2:
            return Result(("mpirun",), 1, 1.0, "", "demo: a wrong answer: round 1, adcl: wrong data")
        return succeed(job, launcher)  # type: ignore[no-any-return]

    monkeypatch.setattr(demo, "run", fail_third)
    assert demo.main(arguments) == 1
    assert "a wrong answer: round 1, adcl: wrong data" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--build", "/no/such/folder"], "/no/such/folder/bin/demo is missing: build it with `make demo`"),
        (["--only", "bogus"], "--only: no case 'bogus'; there are node-"),
    ],
)
def test_requested_cases_must_exist(
    demo: ModuleType, arguments: list[str], more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main([*arguments, *more]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_three_rounds_screen_before_the_comparison(results: ModuleType, tmp_path: Path, ranks: int) -> None:
    """The record of a run of the real program yields a row."""
    build = PROJECT / "build" / "openmpi"
    program, launch = build / "bin" / "demo", build / "launch"
    if not (program.exists() and launch.exists() and shutil.which("mpirun.openmpi")):
        pytest.skip("the preset openmpi with its applications is not built")
    file = tmp_path / "record.json"
    command = [str(launch), str(ranks), str(program), "--points", "30", "--rounds", "4", "--seconds", "3"]
    subprocess.run(
        [*command, "--json", str(file)],
        check=True,
        cwd=tmp_path,
        timeout=100,
        capture_output=True,
        env=clean_environment(),
    )
    record = json.loads(file.read_text(encoding="utf-8"))
    rounds = record["rounds"]
    assert all(set(one) == {"packed", "types", "ordered", "neighbor", "persistent", "adcl"} for one in rounds[:3])
    assert len(record["tuning"]) == record["levels"] + 1
    assert record["search"]["seconds"] > 0.0
    if record["search"]["ended"]:
        # An iteration exchanges a level at most three times; the start of a solve, which is not an iteration, does the
        # same.
        exchanged = max(one["searching_starts"] for one in record["tuning"])
        assert exchanged <= 4 * (record["search"]["repetitions"] + 1)
        assert all(one["winner"] for one in record["tuning"])
    if len(rounds) < 4:
        pytest.skip("this machine is too busy for four rounds in time")
    sums = {name: sum(one[name] for one in rounds[:3]) for name in rounds[0] if name != "adcl"}
    assert set(rounds[3]) == {min(sums, key=sums.__getitem__), max(sums, key=sums.__getitem__), "adcl"}
    row = results.row_of(results.Measured("case", "node", 2, record))
    assert {row.best, row.worst} <= set(rounds[3])
    assert not row.speedup.proven, "four pairs prove nothing"
