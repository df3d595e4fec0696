"""Comparing growth between runs: changes, their reference, and their first run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scale_support import measurements

from adcl.scale import Comparison, Match, StoreEntry, compare, read_study

if TYPE_CHECKING:
    from pathlib import Path

STUDY = '[[expect]]\nfunction = "f"\ngrowth = "p"\n'
POINTS = tuple(2.0**n for n in range(1, 13))


def _compared(folder: Path, *formulas: str, study: str = STUDY) -> Comparison:
    """Compare runs in order, run1 first."""
    path = folder / "study.toml"
    path.write_text(study, encoding="utf-8")
    entries = [
        StoreEntry(one, run=f"run{at}", job=f"job{at}", time_s=float(at))
        for at, formula in enumerate(formulas, 1)
        for one in measurements("f", formula, POINTS)
    ]
    return compare(read_study(path), entries, [f"run{at}" for at in range(1, len(formulas) + 1)])


def test_growth_within_the_limits_is_neither_worse_nor_better(tmp_path: Path) -> None:
    (faster,) = _compared(tmp_path, "5 + p", "5 + p^1.25").changes
    (slower,) = _compared(tmp_path, "5 + p^1.25", "5 + p").changes

    for one in (faster, slower):
        assert one.after is not None
        assert (one.after.match, one.worse, one.better) == (Match.APPROXIMATE, False, False)
    assert (faster.ratio or 0) > 1 > (slower.ratio or 2)


def test_growth_beyond_the_limits_is_worse_or_better(tmp_path: Path) -> None:
    worse = _compared(tmp_path, "5 + p", "5 + p^2")
    better = _compared(tmp_path, "5 + p^2", "5 + log p", study=STUDY.replace('"p"', '"p^2"'))

    assert [(one.worse, one.better) for one in worse.changes] == [(True, False)]
    assert [one.after_run for one in worse.regressions] == ["run2"]
    assert [(one.worse, one.better) for one in better.changes] == [(False, True)]
    assert better.regressions == ()


def test_a_slow_drift_over_three_runs_is_found(tmp_path: Path) -> None:
    """Each step is within the limits of the previous step; together the steps exceed the limits."""
    formulas = ("5 + p", "5 + p^1.25", "5 + p^1.75")
    assert all(not one.worse for one in _compared(tmp_path, *formulas[:2]).changes)
    assert all(not one.worse for one in _compared(tmp_path, *formulas[1:]).changes)

    found = _compared(tmp_path, *formulas)

    assert [(one.before_run, one.after_run, one.worse) for one in found.changes] == [
        ("run1", "run2", False),
        ("run2", "run3", True),
    ]
    (culprit,) = found.regressions
    assert culprit.growths[0] == "O(p)", "it is held against the first run"


def test_after_a_change_later_runs_are_compared_with_the_new_growth(tmp_path: Path) -> None:
    found = _compared(tmp_path, "5 + p", "5 + p^2", "6 + p^2", "5 + log p")

    assert [(one.worse, one.better) for one in found.changes] == [(True, False), (False, False), (False, True)]
    assert [one.after_run for one in found.regressions] == ["run2"]


@pytest.mark.parametrize(("after", "ratio"), [("10 + 2 p", 2.0), ("2.5 + 0.5 p", 0.5)])
def test_ratio_uses_the_costs_at_the_largest_common_scale(tmp_path: Path, after: str, ratio: float) -> None:
    (change,) = _compared(tmp_path, "5 + p", after).changes

    assert change.ratio == pytest.approx(ratio)
    assert change.at == (POINTS[-1],)
    assert (change.worse, change.better) == (False, False), "twice the cost is no other growth"
