"""The demonstration of solver3d: what it runs, what it makes of the records, and what it says when it cannot."""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from adcl.launch import Flavour, Launcher, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from adcl.launch import Job

_SCRIPT = Path(__file__).resolve().parents[2] / "apps/solver3d/demo.py"
_TWINS = ["fcfs", "fcfs-pack", "ordered", "overlap", "neighbor"]


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("solver3d_demo", _SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _record(total_s: float, winner: str | None = None, answer: str = "a") -> dict[str, Any]:
    tuning = None if winner is None else {"winner": winner, "searching_starts": 100}
    return {
        "seconds": {"total": total_s, "per_exchange": total_s / 1000},
        "tuning": tuning,
        "iterations": 500,
        "exchanges": 1000,
        "checksum": {"solution": answer},
    }


@pytest.fixture
def jobs(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Replaces the launcher; the jobs that it was given. ADCL takes 1 s, the others 2 s."""
    given: list[Job] = []

    def run(job: Job, _launcher: Launcher) -> Result:
        given.append(job)
        arguments = dict(zip(job.arguments[::2], job.arguments[1::2], strict=False))
        adcl = arguments["--exchange"] == "adcl"
        file = Path(job.arguments[job.arguments.index("--json") + 1])
        file.write_text(json.dumps(_record(1.0, "best") if adcl else _record(2.0)), encoding="utf-8")
        return Result(("mpirun",), 0, 1.0, "", "")

    monkeypatch.setattr(demo, "run", run)
    monkeypatch.setattr(demo, "detect", lambda *_, **__: Launcher(Flavour.OPEN_MPI_4, Path("/usr/bin/mpirun"), "4.1"))
    return given


@pytest.fixture
def here(tmp_path: Path) -> list[str]:
    """Options for a build folder with something that passes for solver3d, and for the output."""
    program = tmp_path / "build/bin/solver3d"
    program.parent.mkdir(parents=True)
    program.touch()
    return ["--build", str(tmp_path / "build"), "--output", str(tmp_path / "out")]


def test_gain_is_what_is_saved_in_the_same_round(demo: ModuleType) -> None:
    gain = demo.compare([1.0, 2.0, 3.0], [2.0, 4.0, 3.0])

    assert (gain.median, gain.lower, gain.upper) == (0.5, 0.25, 0.5)


def test_a_loss_is_negative_and_one_round_has_no_spread(demo: ModuleType) -> None:
    gain = demo.compare([3.0], [2.0])

    assert (gain.median, gain.lower, gain.upper) == (-0.5, -0.5, -0.5)


def test_rows_tell_medians_choices_and_search(demo: ModuleType) -> None:
    records = {
        ("4x4x4", "adcl"): [_record(1.0, "x"), _record(5.0, "y"), _record(2.0, "y")],
        ("4x4x4", "fcfs"): [_record(2.0), _record(5.0), _record(1.0)],
    }

    adcl, fcfs = demo.summarise(records, ["4x4x4"], ["adcl", "fcfs"])

    assert adcl.total_s == 2.0
    assert adcl.gain is None
    assert list(adcl.winners.items()) == [("y", 2), ("x", 1)]
    assert adcl.searching_iterations == 50.0
    assert fcfs.gain.median == 0.0
    assert (fcfs.gain.lower, fcfs.gain.upper) == (-0.5, 0.25)
    assert fcfs.winners == {}


@pytest.mark.parametrize(
    ("ours", "theirs", "sentence"),
    [
        ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], "4x4x4: ADCL took 50.0 % less time than fcfs, the fastest of the others."),
        ([3.0, 3.0, 3.0], [2.0, 2.0, 2.0], "4x4x4: ADCL took 50.0 % more time than fcfs, the fastest of the others."),
        (
            [2.0, 2.2, 1.9],
            [2.1, 2.0, 2.0],
            "4x4x4: nothing was to be gained: no difference is seen from fcfs, the fastest of the others.",
        ),
    ],
)
def test_a_sentence_says_what_was_gained(
    demo: ModuleType, ours: list[float], theirs: list[float], sentence: str
) -> None:
    records = {
        ("4x4x4", "adcl"): [_record(total_s, "x") for total_s in ours],
        ("4x4x4", "fcfs"): [_record(total_s) for total_s in theirs],
        ("4x4x4", "ordered"): [_record(9.0) for _ in theirs],
    }
    rows = demo.summarise(records, ["4x4x4"], ["adcl", "fcfs", "ordered"])
    assert demo.conclusions(rows) == [sentence]


@pytest.fixture
def shown(demo: ModuleType) -> Callable[..., str]:
    """The table of a size for which ADCL chose these codelets, one per round, as a console of this width shows it."""

    def show(winners: list[str], *, ranks: int = 2, cores: int = 2, width: int = 80) -> str:
        records = {("64x64x32", "adcl"): [_record(1.0, winner) for winner in winners]}
        records |= {("64x64x32", twin): [_record(200.0) for _ in winners] for twin in _TWINS}
        plan = SimpleNamespace(ranks=ranks, cores=cores)
        console = Console(width=width, record=True, file=io.StringIO())
        rows = demo.summarise(records, ["64x64x32"], ["adcl", *_TWINS])
        console.print(demo.table(rows, plan, len(winners)))
        return str(console.export_text())

    return show


def test_the_table_shows_every_exchange_once(shown: Callable[..., str]) -> None:
    text = shown(["x"])

    assert "solver3d, 2 ranks on 2 cores, 500 iterations, 1 round " in text
    assert "chose x " in text
    assert "searched 50 of 500 iterations" in text
    assert "+99.5 % (+99.5 … +99.5)" in text
    assert text.count("fcfs-pack") == 1


def test_the_table_tells_how_often_rounds_chose_which_codelet(shown: Callable[..., str]) -> None:
    text = shown(["Sr_pair", "", "Joined_pack", "Joined_pack"])

    lines = [line.strip("│ ") for line in text.splitlines()]
    begin = next(i for i, line in enumerate(lines) if "as fast as each other (2 %):" in line)
    assert lines[begin + 1].startswith("2 x Joined_pack, ")
    assert sorted(line.split(",")[0] for line in lines[begin + 2 : begin + 4]) == ["1 x Sr_pair", "1 x none yet"]


@pytest.mark.parametrize(("slower", "told"), [(1.01, "in 3 rounds, "), (1.1, "in 3 rounds: ")])
def test_choices_that_are_as_good_as_each_other(demo: ModuleType, slower: float, told: str) -> None:
    rounds = [_record(1.0, "x"), _record(1.0, "x"), _record(1.0, "y")]
    rounds[2]["seconds"]["per_exchange"] *= slower
    records = {("4x4x4", "adcl"): rounds, ("4x4x4", "fcfs"): [_record(1.0)] * 3}
    console = Console(width=80, record=True, file=io.StringIO())

    console.print(
        demo.table(demo.summarise(records, ["4x4x4"], ["adcl", "fcfs"]), SimpleNamespace(ranks=2, cores=2), 3)
    )

    assert told in console.export_text()


def test_the_table_stays_within_80_columns(shown: Callable[..., str]) -> None:
    text = shown(["Neighbor_alltoallv_pack", "PassivePut_notify", "x" * 63, ""])

    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "1 x Neighbor_alltoallv_pack" in text, "names are not broken where there is room"
    assert "… +99.5)" in text


def test_a_single_rank_is_said_to_have_no_neighbours(shown: Callable[..., str]) -> None:
    assert "1 rank on 2 cores (which has no neighbours), 500 iterations" in shown(["x"], ranks=1)


@pytest.mark.parametrize(("cores", "ranks"), [(1, 1), (2, 2), (3, 3), (4, 4), (64, 4)])
def test_there_are_no_more_ranks_than_cores(
    demo: ModuleType, jobs: list[Job], here: list[str], monkeypatch: pytest.MonkeyPatch, *, cores: int, ranks: int
) -> None:
    monkeypatch.setattr(demo, "usable_cores", lambda: cores)

    assert demo.main([*here, "--quick"]) == 0

    assert {job.ranks for job in jobs} == {ranks}


def test_every_round_runs_everything(
    demo: ModuleType, jobs: list[Job], here: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = demo.main([*here, "--rounds", "2", "--ranks", "3"])

    assert code == 0
    assert len(jobs) == 2 * 3 * 6
    assert {job.ranks for job in jobs} == {3}
    for size in ("32x32x32", "64x32x32", "64x64x32"):
        for exchange in ["adcl", *_TWINS]:
            mine = [job for job in jobs if size in job.arguments and exchange in job.arguments]
            assert len(mine) == 2
            assert "500" in mine[0].arguments
    first = [job.arguments[:4] for job in jobs[:18]]
    assert first != [job.arguments[:4] for job in jobs[18:]], "the order is the same in both rounds"
    assert "+50.0 %" in capsys.readouterr().out


def test_quick_is_three_rounds_of_the_smallest_size(demo: ModuleType, jobs: list[Job], here: list[str]) -> None:
    assert demo.main([*here, "--quick"]) == 0
    assert len(jobs) == 3 * 6


def test_no_round_begins_that_would_end_too_late_but_one_is_run(
    demo: ModuleType, jobs: list[Job], here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(0.0, 100.0)
    monkeypatch.setattr(demo, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    assert demo.main([*here, "--minutes", "1"]) == 0
    assert len(jobs) == 3 * 6
    jobs.clear()
    clock = itertools.count(0.0, 100.0)
    assert demo.main([*here, "--minutes", "5"]) == 0
    assert len(jobs) == 3 * 3 * 6


def test_different_answers_are_an_error(
    demo: ModuleType,
    jobs: list[Job],
    here: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = demo.run

    def wrong(job: Job, launcher: Launcher) -> Result:
        result: Result = good(job, launcher)
        if "ordered" in job.arguments:
            file = Path(job.arguments[job.arguments.index("--json") + 1])
            file.write_text(json.dumps(_record(2.0, answer="b")), encoding="utf-8")
        return result

    monkeypatch.setattr(demo, "run", wrong)

    assert demo.main([*here, "--quick"]) == 1
    assert jobs
    assert "2 different answers for 32x32x32" in capsys.readouterr().err


def test_a_failed_run_is_told(
    demo: ModuleType,
    jobs: list[Job],
    here: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = Result(("mpirun",), 1, 1.0, "", "solver3d: the answer is wrong\n")
    monkeypatch.setattr(demo, "run", lambda *_: failed)

    assert demo.main([*here, "--quick"]) == 1
    assert not jobs
    assert "the answer is wrong" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--build", "/no/such/folder"], "/no/such/folder/bin/solver3d is not there: build it with `make demo`"),
        (["--preset", "nope"], "cmake --preset nope"),
        (["--ranks", "0"], "--ranks must be at least 1, not 0"),
        (["--rounds", "0"], "--rounds must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_run_is_refused(
    demo: ModuleType, arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(arguments) == 2
    assert part in capsys.readouterr().err


@pytest.fixture
def printed(demo: ModuleType, capsys: pytest.CaptureFixture[str]) -> Callable[[list[str]], str]:
    """What argparse prints before it exits."""

    def run(arguments: list[str]) -> str:
        with pytest.raises(SystemExit):
            demo.main(arguments)
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run


def test_help_lists_the_options(printed: Callable[[list[str]], str]) -> None:
    for option in ("--build", "--preset", "--mpi", "--ranks", "--iterations", "--rounds", "--minutes", "--quick"):
        assert option in printed(["--help"])
