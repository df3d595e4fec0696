"""The demonstration: evaluation of records, and output."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING, Any

import pytest
from demo_records import FOLDER, flat, load_demo, measured, record
from rich.console import Console
from support import PROJECT

from adcl.pages import render

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType


@pytest.fixture(scope="module")
def results() -> ModuleType:
    return load_demo().results


@pytest.fixture(scope="module")
def rendering() -> ModuleType:
    return load_demo().rendering


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    return load_demo().demo


# ---- Evaluation of records
# --------------------------------------------------------------------------------------------


def test_ratios_are_of_the_whole_run(results: ModuleType) -> None:
    ratio = results.paired([2.0, 20.0, 4.0], [1.0, 10.0, 2.0])

    assert (ratio.value, ratio.low, ratio.high, ratio.pairs) == (2.0, 2.0, 2.0, 3)


def test_single_slow_round_is_not_significant(results: ModuleType) -> None:
    """Nine rounds of 1 s compared with one of 9 s and eight of 1 s."""
    ratio = results.paired([1.0] * 9, [9.0] + [1.0] * 8)

    assert ratio.value == pytest.approx(9.0 / 17.0)
    assert ratio.high == 1.0
    assert not ratio.proven


def test_interval_covers_the_true_ratio_as_often_as_stated(results: ModuleType) -> None:
    """Twelve rounds with a noise of 10 %; intervals of such short series miss the true ratio slightly more often than 5
    %."""
    chance = random.Random(3)
    held = 0
    for _ in range(100):
        over = [1.5 * chance.gauss(1.0, 0.1) for _ in range(12)]
        under = [chance.gauss(1.0, 0.1) for _ in range(12)]
        ratio = results.paired(over, under)
        held += ratio.low <= 1.5 <= ratio.high

    assert 82 <= held <= 99


def test_six_pairs_are_required(results: ModuleType) -> None:
    assert not results.paired([2.0] * 5, [1.0] * 5).proven
    assert results.paired([2.0] * 6, [1.0] * 6).proven
    assert not results.paired([1.0, 0.5, 1.6, 0.7, 1.5, 0.8], [1.0] * 6).proven


def test_a_row_names_the_best_and_the_worst_exchange(results: ModuleType) -> None:
    row = results.row_of(measured(results, {"a": flat(3.0), "b": flat(2.0), "c": flat(4.0), "adcl": flat(1.0)}))

    assert (row.best, row.best_s, row.worst, row.worst_s, row.adcl_s) == ("b", 2.0, "c", 4.0, 1.0)
    assert row.speedup.value == 2.0
    assert row.spread.value == 2.0
    assert row.search_cost_s == 2.0  # 5 s for 3 iterations, which take 1 s each afterwards
    assert row.chosen == ("Shm_joined", "Shm_joined", "IsIr_aao")


def test_a_search_that_has_not_ended_is_shown(results: ModuleType, rendering: ModuleType) -> None:
    more: dict[str, Any] = {"search": {"seconds": 5.0, "repetitions": 7, "ended": False}}
    row = results.row_of(measured(results, {"a": flat(3.0), "b": flat(4.0), "adcl": flat(1.0)}, **more))

    assert "no end" in _screen(rendering, [row])
    assert "in 7" in _screen(rendering, [row])


def _two_machines(results: ModuleType) -> list[Any]:
    near = measured(results, {"a": flat(1.0), "b": flat(2.0), "adcl": flat(0.5)})
    far = measured(results, {"a": flat(3.0), "b": flat(1.0), "adcl": flat(1.25)}, "flat", ranks=8)
    return [results.row_of(near), results.row_of(far)]


def test_worst_fixed_choice_is_best_on_one_machine_and_loses_most_on_another(results: ModuleType) -> None:
    loss = results.worst_fixed_choice(_two_machines(results))

    assert (loss.exchange, loss.good.measured.machine, loss.bad.measured.machine) == ("a", "node", "flat")
    assert loss.ratio.value == 3.0


def test_alternatives_excluded_by_screening_are_not_compared(results: ModuleType) -> None:
    one = measured(results, {"a": flat(1.0), "b": flat(2.0), "c": flat(1.5), "adcl": flat(0.5)})
    for runs in one.record["rounds"][3:]:
        del runs["c"]

    assert one.by_hand == ["a", "b"]


def test_lucky_selection_rounds_are_not_counted(results: ModuleType) -> None:
    times = {"a": [0.1] * 3 + [2.0] * 5, "b": [9.0] * 3 + [2.5] * 5, "c": flat(1.0), "adcl": flat(2.0)}
    one = measured(results, times)
    for runs in one.record["rounds"][3:]:
        del runs["c"]

    row = results.row_of(one)

    assert (row.best, row.best_s, row.worst_s, row.speedup.value, row.speedup.pairs) == ("a", 2.0, 2.5, 1.0, 5)
    assert results.row_of(one).worst == "b"


def test_difference_within_the_interval_is_not_a_loss(results: ModuleType) -> None:
    near = measured(results, {"a": flat(1.0), "b": [1.1, 0.95] * 4, "adcl": flat(1.0)})
    far = measured(results, {"a": [1.1, 0.9] * 4, "b": [0.9, 1.05] * 4, "adcl": flat(1.0)}, "flat")

    assert results.worst_fixed_choice([results.row_of(near), results.row_of(far)]) is None


def test_stored_records_are_read_and_foreign_ones_omitted(results: ModuleType, tmp_path: Path) -> None:
    origin = results.Origin("a machine, 2 cores", "2.0.0", "Open MPI v4.1.4", "2026-01-02")
    mine = measured(results, {"a": flat(1.0), "adcl": flat(1.0)})
    other = results.Measured("x", "flat", 2, mine.record, origin)
    results.store([mine, other], origin, tmp_path / "records.json")

    assert results.load(tmp_path / "records.json") == (origin, [mine])


# ---- Output
# -----------------------------------------------------------------------------------------------------------


def _screen(rendering: ModuleType, rows: Sequence[Any], skipped: Sequence[str] = ()) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    rendering.show(rows, skipped, console)
    return str(console.export_text())


def test_sentences_state_gains_and_losses(results: ModuleType, rendering: ModuleType) -> None:
    fixed, ours = rendering.sentences(_two_machines(results))

    assert "'a' is the fastest on this node (2 KiB)" in fixed
    assert "takes 3.00 times as long as 'b' on the flat cluster (2 KiB)" in fixed
    assert "faster than the best of them in 1 (2.00 times as fast)" in ours
    assert "slower in 1 (1.25 times its time)" in ours


def test_a_difference_within_the_interval_is_the_same(results: ModuleType, rendering: ModuleType) -> None:
    noisy = measured(results, {"a": flat(1.0), "b": flat(2.0), "adcl": [1.0, 0.7, 1.3, 0.8, 1.2, 0.7, 1.3, 1.0]})
    rows = [results.row_of(noisy)]

    assert "as fast as the best of them in 1 of 1 cases" in rendering.sentences(rows)[1]
    assert "same" in _screen(rendering, rows)


def test_few_rounds_show_no_gain(results: ModuleType, rendering: ModuleType) -> None:
    rows = [results.row_of(measured(results, {"a": flat(2.0, 5), "b": flat(3.0, 5), "adcl": flat(1.0, 5)}))]

    assert "unknown" in _screen(rendering, rows)
    assert "of unknown speed in 1 (too few pairs) of 1 cases" in rendering.sentences(rows)[1]


def test_oversubscribed_and_recorded_rows_are_marked(results: ModuleType, rendering: ModuleType) -> None:
    origin = results.Origin("some processor, 2 cores", "2.0.0", "Open MPI v4.1.4", "2026-01-02")
    times = {"a": flat(2.0), "b": flat(3.0), "adcl": flat(1.0)}
    far = results.Measured("flat-small", "flat", 2, record(times, ranks=8), origin)
    text = " ".join(_screen(rendering, [results.row_of(far)], ["Not measured here: flat, because of a test"]).split())

    assert "flat cluster*" in text
    assert "8 on 2 cores" in text
    assert "* recorded on 2026-01-02, not now: some processor, 2 cores, Open MPI v4.1.4, ADCL 2.0.0" in text
    assert "Not measured here: flat, because of a test" in text


def test_a_collective_is_compared_with_the_mpi_operation(results: ModuleType, rendering: ModuleType) -> None:
    times = {"mpi": flat(2.0), "adcl": flat(1.0)}
    one = measured(results, times, bytes=65536, calls=1)

    assert rendering.sentences([results.row_of(one)]) == [
        "Against MPI_Alltoall, ADCL's is 2.00 times as fast on this node (64 KiB)."
    ]


# ---- Stored records and pages
# -----------------------------------------------------------------------------------------


def test_each_case_has_a_stored_record(demo: ModuleType, results: ModuleType) -> None:
    _, stored = results.load(FOLDER / "recorded.json")

    assert [one.case for one in stored] == [case.key for case in demo.CASES]


def test_the_pages_show_the_stored_records(results: ModuleType, rendering: ModuleType) -> None:
    _, stored = results.load(FOLDER / "recorded.json")
    shown = [line.rstrip() for line in _screen(rendering, [results.row_of(one) for one in stored]).strip().splitlines()]
    page = (PROJECT / "docs/workloads.md").read_text(encoding="utf-8")
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    excerpt = readme.partition("```console\n")[2].partition("\n```")[0]

    assert "\n".join(shown) in page
    assert len(excerpt.splitlines()) == 5
    assert excerpt in "\n".join(shown)


def test_page_contains_the_screen_output(results: ModuleType, rendering: ModuleType) -> None:
    _, stored = results.load(FOLDER / "recorded.json")
    rows = [results.row_of(one) for one in stored]
    text = render(rendering.page(rows, ["left out"], "a command"))

    for sentence in rendering.sentences(rows):
        assert sentence.replace("'", "&#39;") in text
    assert "<svg" in text
    assert "a command" in text
