"""The demonstration: what follows from its records, what it shows, and what it does where something is missing."""

from __future__ import annotations

import importlib
import io
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console
from support import clean_environment

from adcl.errors import AdclError
from adcl.launch import Flavour, Launcher, Result
from adcl.report import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from adcl.launch import Job

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = _ROOT / "apps/demo"


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    """The scripts of the demonstration, as modules."""
    names = ("results", "rendering", "demo")
    sys.path.insert(0, str(_FOLDER))
    try:
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(_FOLDER))
        for name in names:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def results(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["results"]


@pytest.fixture(scope="module")
def rendering(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["rendering"]


@pytest.fixture(scope="module")
def demo(modules: dict[str, ModuleType]) -> ModuleType:
    return modules["demo"]


def _record(times: Mapping[str, Sequence[float]], **more: Any) -> dict[str, Any]:
    """The record of a job whose alternatives took these times, round by round."""
    tuning = [{"winner": "Shm_joined"}, {"winner": "Shm_joined"}, {"winner": "IsIr_aao"}]
    rounds = [dict(zip(times, one, strict=True)) for one in zip(*times.values(), strict=True)]
    size = {"message_bytes": 2048, "points": 40, "fields": 4, "levels": 3, "iterations": 1}
    return {"rounds": rounds, "tuning": tuning, "ranks": 2, "mpi": "Open MPI v4.1.4"} | size | more


def _measured(results: ModuleType, times: Mapping[str, Sequence[float]], machine: str = "node", **more: Any) -> Any:
    return results.Measured(f"{machine}-case", machine, 2, _record(times, **more))


def _flat(seconds: float, count: int = 8) -> list[float]:
    return [seconds] * count


# ---- What follows from records ---------------------------------------------------------------------------------------


def test_ratios_are_of_the_whole_run(results: ModuleType) -> None:
    ratio = results.paired([2.0, 20.0, 4.0], [1.0, 10.0, 2.0])

    assert (ratio.value, ratio.low, ratio.high, ratio.pairs) == (2.0, 2.0, 2.0, 3)


def test_the_first_round_counts_once_in_each_sample(results: ModuleType) -> None:
    """Nine rounds of 1 s against a search of 9 s and eight rounds of 1 s."""
    ratio = results.paired([1.0] * 9, [9.0] + [1.0] * 8)

    assert ratio.low == ratio.high == pytest.approx(9.0 / 17.0)


def test_the_interval_holds_the_true_ratio_as_often_as_it_says(results: ModuleType) -> None:
    """Rounds with a noise of 10 %, 12 of them; the interval of so few misses a little more often than 5 %."""
    chance = random.Random(3)
    held = 0
    for _ in range(100):
        over = [1.5 * chance.gauss(1.0, 0.1) for _ in range(12)]
        under = [chance.gauss(1.0, 0.1) for _ in range(12)]
        ratio = results.paired(over, under)
        held += ratio.low <= 1.5 <= ratio.high

    assert 82 <= held <= 99


def test_five_pairs_prove_nothing_and_six_do(results: ModuleType) -> None:
    assert not results.paired([2.0] * 5, [1.0] * 5).proven
    assert results.paired([2.0] * 6, [1.0] * 6).proven
    assert not results.paired([1.0, 0.5, 1.6, 0.7, 1.5, 0.8], [1.0] * 6).proven


def test_a_row_names_the_best_and_the_worst_exchange(results: ModuleType) -> None:
    row = results.row_of(_measured(results, {"a": _flat(3.0), "b": _flat(2.0), "c": _flat(4.0), "adcl": _flat(1.0)}))

    assert (row.best, row.best_s, row.worst, row.worst_s, row.adcl_s) == ("b", 2.0, "c", 4.0, 1.0)
    assert row.speedup.value == 2.0
    assert row.spread.value == 2.0
    assert row.later == 2.0
    assert row.chosen == ("Shm_joined", "Shm_joined", "IsIr_aao")


def test_the_second_half_is_compared_by_itself(results: ModuleType) -> None:
    row = results.row_of(_measured(results, {"a": _flat(3.0), "adcl": [9.0] * 4 + [1.5] * 4}))

    assert row.later == 2.0
    assert row.speedup.value == pytest.approx(24.0 / 42.0)


def _two_machines(results: ModuleType) -> list[Any]:
    near = _measured(results, {"a": _flat(1.0), "b": _flat(2.0), "adcl": _flat(0.5)})
    far = _measured(results, {"a": _flat(3.0), "b": _flat(1.0), "adcl": _flat(1.25)}, "flat", ranks=8)
    return [results.row_of(near), results.row_of(far)]


def test_the_worst_fixed_choice_is_the_best_of_one_machine_that_loses_most_on_another(results: ModuleType) -> None:
    loss = results.worst_fixed_choice(_two_machines(results))

    assert (loss.exchange, loss.good.measured.machine, loss.bad.measured.machine) == ("a", "node", "flat")
    assert loss.ratio.value == 3.0


def test_alternatives_that_the_screening_left_out_are_not_compared(results: ModuleType) -> None:
    measured = _measured(results, {"a": _flat(1.0), "b": _flat(2.0), "c": _flat(1.5), "adcl": _flat(0.5)})
    for runs in measured.record["rounds"][3:]:
        del runs["c"]

    assert measured.by_hand == ["a", "b"]
    assert results.row_of(measured).worst == "b"


def test_no_loss_is_claimed_within_the_interval(results: ModuleType) -> None:
    near = _measured(results, {"a": _flat(1.0), "b": [1.1, 0.95] * 4, "adcl": _flat(1.0)})
    far = _measured(results, {"a": [1.1, 0.9] * 4, "b": [0.9, 1.05] * 4, "adcl": _flat(1.0)}, "flat")

    assert results.worst_fixed_choice([results.row_of(near), results.row_of(far)]) is None


def test_stored_records_come_back_and_what_was_recorded_elsewhere_is_left_out(
    results: ModuleType, tmp_path: Path
) -> None:
    origin = results.Origin("a machine, 2 cores", "2.0.0", "Open MPI v4.1.4", "2026-01-02")
    mine = _measured(results, {"a": _flat(1.0), "adcl": _flat(1.0)})
    other = results.Measured("x", "flat", 2, mine.record, origin)
    results.store([mine, other], origin, tmp_path / "records.json")

    assert results.load(tmp_path / "records.json") == (origin, [mine])


# ---- What is shown ---------------------------------------------------------------------------------------------------


def _screen(rendering: ModuleType, rows: Sequence[Any], skipped: Sequence[str] = ()) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    rendering.show(rows, skipped, console)
    return str(console.export_text())


def test_sentences_tell_gains_and_losses(results: ModuleType, rendering: ModuleType) -> None:
    fixed, ours = rendering.sentences(_two_machines(results))

    assert "'a' is the fastest on this node (2 KiB)" in fixed
    assert "takes 3.00 times as long as 'b' on the flat cluster (2 KiB)" in fixed
    assert "faster than the best of them in 1 (2.00 times as fast)" in ours
    assert "slower in 1 (1.25 times its time)" in ours


def test_a_difference_within_the_interval_is_the_same(results: ModuleType, rendering: ModuleType) -> None:
    noisy = _measured(results, {"a": _flat(1.0), "b": _flat(2.0), "adcl": [1.0, 0.7, 1.3, 0.8, 1.2, 0.7, 1.3, 1.0]})
    rows = [results.row_of(noisy)]

    assert "as fast as the best of them in 1 of 1 cases" in rendering.sentences(rows)[1]
    assert "same" in _screen(rendering, rows)


def test_few_rounds_show_no_gain(results: ModuleType, rendering: ModuleType) -> None:
    rows = [results.row_of(_measured(results, {"a": _flat(2.0, 5), "b": _flat(3.0, 5), "adcl": _flat(1.0, 5)}))]

    assert "unknown" in _screen(rendering, rows)
    assert "of unknown speed in 1 (too few pairs) of 1 cases" in rendering.sentences(rows)[1]


def test_more_ranks_than_cores_and_recorded_rows_are_marked(results: ModuleType, rendering: ModuleType) -> None:
    origin = results.Origin("some processor, 2 cores", "2.0.0", "Open MPI v4.1.4", "2026-01-02")
    times = {"a": _flat(2.0), "b": _flat(3.0), "adcl": _flat(1.0)}
    far = results.Measured("flat-small", "flat", 2, _record(times, ranks=8), origin)
    text = " ".join(_screen(rendering, [results.row_of(far)], ["Not measured here: flat, because of a test"]).split())

    assert "flat cluster*" in text
    assert "8 ranks, 2 cores" in text
    assert "* recorded on 2026-01-02, not now: some processor, 2 cores, Open MPI v4.1.4, ADCL 2.0.0" in text
    assert "Not measured here: flat, because of a test" in text


def test_a_collective_is_compared_with_that_of_mpi(results: ModuleType, rendering: ModuleType) -> None:
    times = {"mpi": _flat(2.0), "adcl": _flat(1.0)}
    measured = _measured(results, times, bytes=65536, calls=1)

    assert rendering.sentences([results.row_of(measured)]) == [
        "Against MPI_Alltoall of 64 KiB for each pair of ranks, ADCL's is 2.00 times as fast on this node."
    ]


# ---- The stored records and the pages that show them -----------------------------------------------------------------


def test_each_case_has_a_stored_record(demo: ModuleType, results: ModuleType) -> None:
    _, stored = results.load(_FOLDER / "recorded.json")

    assert [one.case for one in stored] == [case.key for case in demo.CASES]


def test_the_readme_shows_the_stored_records(results: ModuleType, rendering: ModuleType) -> None:
    _, stored = results.load(_FOLDER / "recorded.json")
    shown = [line.rstrip() for line in _screen(rendering, [results.row_of(one) for one in stored]).strip().splitlines()]
    readme = (_ROOT / "README.md").read_text(encoding="utf-8")

    assert "\n".join(shown) in readme


def test_the_page_holds_what_the_screen_says(results: ModuleType, rendering: ModuleType) -> None:
    _, stored = results.load(_FOLDER / "recorded.json")
    rows = [results.row_of(one) for one in stored]
    text = render(rendering.page(rows, ["left out"], "a command"))

    for sentence in rendering.sentences(rows):
        assert sentence.replace("'", "&#39;") in text
    assert "<svg" in text
    assert "a command" in text


# ---- Running ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    program = tmp_path / "build/bin/demo"
    program.parent.mkdir(parents=True)
    program.touch()
    return ["--build", str(tmp_path / "build"), "--output", str(tmp_path / "out")]


@pytest.fixture
def jobs(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Replaces the launcher: ADCL takes 1 s, others 2 s. The jobs that it was given."""
    given: list[Job] = []

    def run(job: Job, _launcher: Launcher) -> Result:
        given.append(job)
        options = dict(zip(job.arguments[::2], job.arguments[1::2], strict=True))
        collective = {"bytes": int(options["--alltoall"]), "calls": 1} if "--alltoall" in options else {}
        others = {"mpi": _flat(2.0)} if collective else {"packed": _flat(2.0), "types": _flat(3.0)}
        record = _record(others | {"adcl": _flat(1.0)}, ranks=job.ranks, **collective)
        Path(options["--json"]).write_text(json.dumps(record), encoding="utf-8")
        return Result(("mpirun",), 0, 1.0, "", "")

    monkeypatch.setattr(demo, "run", run)
    monkeypatch.setattr(demo, "usable_cores", lambda: 2)
    monkeypatch.setattr(demo, "detect", lambda *_, **__: Launcher(Flavour.OPEN_MPI_4, Path("/usr/bin/mpirun"), "4.1"))
    return given


def _refuse() -> None:
    raise AdclError("emulated clusters need root")


def test_without_clusters_the_node_is_measured_and_records_stand_for_the_rest(
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
    assert "Not measured here: flat, because emulated clusters need root" in told
    assert "two racks*" in told
    assert "this node*" not in told
    stored = json.loads((tmp_path / "out/records.json").read_text(encoding="utf-8"))
    assert [one["case"] for one in stored["measurements"]] == [case.key for case in on_node]
    assert "two racks*" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


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


def test_a_failed_job_leaves_no_measurement_of_its_machine(
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
            return Result(("mpirun",), 1, 1.0, "", "demo: the runs gave different or wrong answers")
        return succeed(job, launcher)  # type: ignore[no-any-return]

    monkeypatch.setattr(demo, "run", fail_third)
    assert demo.main(arguments) == 1
    assert "the runs gave different or wrong answers" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--build", "/no/such/folder"], "/no/such/folder/bin/demo is missing: build it with `make demo`"),
        (["--only", "bogus"], "--only: no case 'bogus'; there are node-"),
    ],
)
def test_what_is_asked_for_must_exist(
    demo: ModuleType, arguments: list[str], more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main([*arguments, *more]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_three_rounds_screen_and_the_others_compare(results: ModuleType, tmp_path: Path, ranks: int) -> None:
    """The record of the real program; what a row makes of it."""
    build = _ROOT / "build" / "openmpi"
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
    if len(rounds) < 4:
        pytest.skip("this machine is too busy for four rounds in time")
    sums = {name: sum(one[name] for one in rounds[:3]) for name in rounds[0] if name != "adcl"}
    assert set(rounds[3]) == {min(sums, key=sums.__getitem__), max(sums, key=sums.__getitem__), "adcl"}
    row = results.row_of(results.Measured("case", "node", 2, record))
    assert {row.best, row.worst} <= set(rounds[3])
    assert not row.speedup.proven, "four pairs prove nothing"
