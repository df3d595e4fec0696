"""Strong scaling: efficiencies, and the scale beyond which more processes no longer pay off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from scale_support import measurements, series

from adcl import pages
from adcl.scale import (
    Efficiency,
    Expected,
    Store,
    check_efficiency,
    entries_of,
    evaluate,
    judge_series,
    make_page,
    parse,
    read_study,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

_POINTS = tuple(2.0**n for n in range(8))
_STUDY = '[[expect]]\nfunction = "solve"\ngrowth = "1/p + p"\n[[efficiency]]\nfunction = "solve"\n'


def test_scales_at_which_more_processes_stop_paying_off() -> None:
    """t = 100/p + p/4: the efficiency drops to 1/2, and t is minimal, at p = 20."""
    verdict = judge_series(series("100 / p + 0.25 p", _POINTS), Expected(parse("1/p + p")))
    found = check_efficiency(Efficiency("f", "time_s", up_to=64.0), verdict)
    assert found.measured[0] == 1.0
    assert found.measured[-1] == pytest.approx(100.25 / (100 + 128 * 128 / 4))
    assert found.ends_at == 21.0, "100.25 / (100 + p^2 / 4) < 0.5"
    assert found.fastest_at == 20.0
    # The doubled scale takes 50 / p + p / 2, which exceeds 0.9 of 100 / p + p / 4 from p = 12.06 on.
    assert found.pays_until == 13.0
    assert found.broken


def test_perfect_scaling_has_no_end() -> None:
    verdict = judge_series(series("100 / p", _POINTS), Expected(parse("1/p")))
    found = check_efficiency(Efficiency("f", "time_s", up_to=1e6), verdict)
    assert (found.ends_at, found.pays_until, found.fastest_at, found.broken) == (None, None, None, False)


@pytest.mark.parametrize(("up_to", "code"), [("", 0), ("up_to = 10\n", 0), ("up_to = 64\n", 1)])
def test_study_reports_how_far_more_processes_pay_off(tmp_path: Path, adcl: Adcl, up_to: str, code: int) -> None:
    (tmp_path / "s.toml").write_text(_STUDY + up_to, encoding="utf-8")
    rows = measurements("solve", "100 / p + 0.25 p", _POINTS)
    Store(tmp_path / "s.jsonl").append("v1", "job", 0.0, rows)
    checked = adcl("scale", "check", "s.toml", "--junit", "j.xml", COLUMNS="80")
    assert checked.code == code, checked.err
    assert "2% at 128  50% from p = 21  p = 13      p = 20" in checked.out
    failures = ET.parse(tmp_path / "j.xml").getroot()[0].get("failures")  # noqa: S314 - it is our own
    assert failures == str(code)
    (one,) = json.loads(adcl("scale", "check", "s.toml", "--json").out)["efficiencies"]
    assert (one["ends_at"], one["broken"]) == (21.0, bool(code))

    study = read_study(tmp_path / "s.toml")
    section = make_page(evaluate(study, entries_of(study), "v1")).sections[0]
    assert section.title == "Efficiency of solve"
    plot = next(block.plot for block in section.blocks if isinstance(block, pages.Figure))
    assert isinstance(plot, pages.XyPlot)
    measured, model, wanted = plot.series
    assert measured.y[0] == 1.0
    assert list(wanted.y) == [0.5, 0.5]
    assert max(float(x) for x in model.x) == 256.0


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("at_least = 1.5\n", "1.5 is not an efficiency"),
        ('parameter = "nodes"\n', "the model has no parameter 'nodes'; write parameter = … with one of p"),
        ('metric = "energy_j"\n', "has no matching [[expect]]; add one"),
    ],
)
def test_invalid_efficiencies(tmp_path: Path, adcl: Adcl, lines: str, said: str) -> None:
    (tmp_path / "s.toml").write_text(_STUDY + lines, encoding="utf-8")
    Store(tmp_path / "s.jsonl").append("v1", "job", 0.0, measurements("solve", "100 / p", _POINTS))
    ended = adcl("scale", "check", "s.toml")
    assert (ended.code, said in ended.err) == (2, True), ended.err
