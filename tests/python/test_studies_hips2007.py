"""The study of the equation solver: statements of the paper, decided by made-up runs, and recorded data."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from support import PROJECT

from adcl.evaluate import Chosen, Combination, Done, Header, Recorded, Scouted, analyse

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))

from studies.hips2007.solver import claims
from studies.hips2007.solver.series import Series, SeriesExecutor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.evaluate import EvaluationRun, RecordedSearch
    from adcl.trace import Recording

_CODELETS = {"IsIr_aao": 1.0, "SIr_aao": 1.1, "IsIr_pair": 1.4, "IsIr_aao_pack": 1.3, "S_R_pair_pack": 2.0}
_WRITTEN = {"fcfs": 1.0, "fcfs-pack": 1.2, "ordered": 1.3, "overlap": 1.4}
_PRINTED = {
    "fastest": {"InfiniBand, small": "fcfs", "Ethernet, small": "overlap", "Ethernet, medium": "ordered"},
    "winner": {"InfiniBand, small": ["SendIrecv_aao", "SIr_aao"], "InfiniBand, medium": ["Irecv_aao", "IsIr_aao"]},
}


def _case(
    machine: str,
    size: str,
    codelets: Mapping[str, float] | None = None,
    written: Mapping[str, float] | None = None,
    chosen: Mapping[tuple[str, str], str] | None = None,
) -> claims.SolverCase:
    """Return two runs of each kind; searches choose the fastest codelet unless `chosen` names another codelet."""
    times = {**_CODELETS, **(codelets or {})}
    own = {**_WRITTEN, **(written or {})}
    best = min(times, key=lambda name: times[name])
    runs = []
    for number, noise in enumerate((1.0, 1.002), 1):
        for name, time in times.items():
            key = f"{name} {number}"
            runs.append(Done(key, "s", "verification", number, "ok", time, noise * time, name))
        runs.append(Done(f"o {number}", "s", "original", number, "ok", 1.0, noise * own["fcfs"]))
        for search in claims.SEARCHES:
            for limit in claims.LIMITS:
                how = Combination(search, "heuristic", limit, 30)
                name = (chosen or {}).get((search, limit), best)
                choices = (Chosen(name, {name: times[name]}, 360, None),)
                key = f"{how.name} {number}"
                runs.append(Done(key, "s", "tuned", number, "ok", 1.0, noise * 1.05, None, how, choices))
            for exchange in ("fcfs-pack", "ordered", "overlap"):
                how = Combination(search, "heuristic", exchange, 30)
                key = f"{how.name} {number}"
                runs.append(Done(key, "s", "tuned", number, "ok", 1.0, noise * own[exchange], None, how))
    scouted = Scouted("s", "neighborhood", tuple(times), {}, 2, {"size": size}, "IsIr_aao")
    recorded = Recorded(Header("d", 1, "n", "m"), {"s": scouted}, {run.key: run for run in runs})
    return claims.SolverCase(machine, analyse(recorded).settings[0])


def _held(*cases: claims.SolverCase) -> dict[str, bool]:
    return {one.text: bool(one.holds) for one in claims.statements(cases, _PRINTED)}


def _about(held: Mapping[str, bool], words: str) -> bool:
    (found,) = [holds for text, holds in held.items() if words in text]
    return found


def test_sizes_are_named_by_block_growth() -> None:
    assert [_case("shared", size).size for size in ("8x8x8", "16x8x8", "16x16x8")] == ["small", "medium", "large"]
    assert _case("gigabit", "64x32x32").printed_name == "Ethernet, medium"


def test_handwritten_exchanges_in_both_searches_count() -> None:
    case = _case("shared", "8x8x8", written={"overlap": 0.9})
    assert len(case.written("overlap").times) == 4
    assert len(case.written("fcfs").times) == 2
    assert (case.fastest_written(), case.slowest_written()) == ("overlap", "ordered")


def test_statements_of_written_exchanges_follow_the_times() -> None:
    shared = _case("shared", "8x8x8")
    small = _case("gigabit", "8x8x8", written={"overlap": 0.5, "fcfs": 3.0})
    medium = _case("gigabit", "16x8x8", written={"ordered": 0.5})
    held = _held(shared, small, medium)
    assert _about(held, "fcfs is the fastest hand-written exchange for both sizes")
    assert _about(held, "overlap is the fastest hand-written exchange for small")
    assert _about(held, "ordered is the fastest hand-written exchange for medium")
    assert _about(held, "Each of three hand-written exchanges")
    assert _about(held, "slowest on Ethernet")
    pack = {"fcfs-pack": 3.0}
    other = _held(_case("shared", "8x8x8", written={"overlap": 0.5}), _case("gigabit", "8x8x8", written=pack))
    assert not _about(other, "fcfs is the fastest hand-written exchange for both sizes")
    assert not _about(other, "overlap is the fastest hand-written exchange for small")
    assert not _about(other, "slowest on Ethernet")


def test_statements_of_codelets_follow_the_verification_runs() -> None:
    every = [_case("shared", size, {"SIr_aao": 0.9 if size == "8x8x8" else 1.1}) for size in ("8x8x8", "16x8x8")]
    held = _held(*every)
    assert _about(held, "SIr_aao is the best codelet for small")
    assert _about(held, "IsIr_aao is the best codelet for medium")
    assert _about(held, "all messages at once")
    assert not _about(_held(_case("shared", "8x8x8", {"IsIr_pair": 0.1})), "SIr_aao is the best codelet for small")
    assert not _about(_held(_case("shared", "8x8x8", {"IsIr_aao": 9.0})), "all messages at once")
    packed = _case("shared", "8x8x8", {"IsIr_aao_pack": 0.1, "S_R_pair_pack": 0.2})
    assert _about(held, "Derived datatypes")
    assert not _about(_held(packed), "Derived datatypes")


def test_sensitivity_is_the_slowest_codelet_over_the_fastest() -> None:
    small, large = _case("shared", "8x8x8"), _case("shared", "16x16x8", {"S_R_pair_pack": 5.0})
    assert small.sensitivity() == pytest.approx(100.0)
    assert _about(_held(small, large), "The larger the blocks")
    assert not _about(_held(_case("shared", "8x8x8", {"S_R_pair_pack": 9.0}), large), "The larger the blocks")
    ethernet = _case("gigabit", "8x8x8", {"S_R_pair_pack": 8.0})
    assert _about(_held(small, ethernet), "more sensitive to the codelet on Ethernet")
    assert not _about(_held(large, _case("gigabit", "8x8x8")), "more sensitive to the codelet on Ethernet")


def test_statements_of_searches_follow_their_winners() -> None:
    default = {("brute_force", "limit_40"): "SIr_aao", ("hypothesis", "limit_40"): "S_R_pair_pack"}
    limits = {("hypothesis", "limit_10"): "SIr_aao", ("hypothesis", "limit_40"): "SIr_aao"}
    assert _about(_held(_case("shared", "8x8x8")), "both searches choose the best codelet")
    assert not _about(_held(_case("shared", "8x8x8", chosen=default)), "both searches choose the best codelet")
    right, wrong = _held(_case("gigabit", "8x8x8", chosen=limits)), _held(_case("gigabit", "8x8x8", chosen=default))
    assert _about(right, "20 % of outliers")
    assert not _about(wrong, "in most tests")
    assert _about(right, "much slower")
    assert not _about(wrong, "much slower")
    assert not _about(_held(_case("gigabit", "8x8x8")), "20 % of outliers")
    assert _held() == {}


def _planned(search: str, timing: str, number: int) -> EvaluationRun:
    setting = SimpleNamespace(name="size=8", parameters={"size": "8"})
    how = Combination(search, "heuristic", timing, 30)
    return cast("EvaluationRun", SimpleNamespace(setting=setting, combination=how, number=number))


def test_the_first_search_by_hypotheses_is_recorded() -> None:
    executor = SeriesExecutor.__new__(SeriesExecutor)
    assert executor.recorded(_planned("hypothesis", "limit_40", 1))
    assert not executor.recorded(_planned("hypothesis", "limit_40", 2))
    assert not executor.recorded(_planned("hypothesis", "limit_20", 1))
    assert not executor.recorded(_planned("brute_force", "limit_40", 1))
    assert not executor.recorded(cast("EvaluationRun", SimpleNamespace(combination=None, number=1)))


def test_measurements_of_rank_0_are_kept_in_order() -> None:
    measured = SimpleNamespace(
        codelets=("b", "a"),
        codelet=np.array([0, 1, 0]),
        seconds=np.array([1e-6, 2.5e-6, 3.004e-6]),
        production=np.array([False, False, True]),
    )
    own = SimpleNamespace(search=SimpleNamespace(key="k"))
    whole = SimpleNamespace(of=lambda key: {0: measured, 1: None} if key == "k" else {})
    executor = SeriesExecutor.__new__(SeriesExecutor)
    planned = _planned("hypothesis", "limit_40", 1)
    line = executor.line(planned, cast("RecordedSearch", own), cast("Recording", whole))
    first = {"setting": "size=8", "run": 1, "size": "8", "searched": 2}
    assert line == first | {"codelets": ["b", "a", "b"], "us": [1.0, 2.5, 3.0]}
    series = Series(line["size"], line["codelets"], line["us"], line["searched"])
    assert series.by_codelet() == {"b": [(1.0, 1.0)], "a": [(2.0, 2.5)], "decided: b": [(3.0, 3.0)]}
    assert (series.chosen, series.medians()) == ("b", (1.0, 3.0))
    assert Series("8", ["b"], [1.0], 1).chosen == ""
