"""Contents of the page of a study, as records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scale_support import measurements, series

from adcl import pages
from adcl.cli import main
from adcl.scale import (
    Expected,
    Measurement,
    Store,
    compare,
    entries_of,
    evaluate,
    judge_series,
    make_page,
    parse,
    read_study,
    runs_of,
)
from adcl.scale.output._curves import curves, verdict_figure

if TYPE_CHECKING:
    from pathlib import Path

STUDY = '[[expect]]\nfunction = ["Bcast", "Reduce"]\ngrowth = "log p"\n[[rule]]\nrule = "Bcast <= Reduce"\n'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a study with two runs; in the second run Bcast is linear."""
    path = tmp_path / "s.toml"
    path.write_text(STUDY, encoding="utf-8")
    store = Store(tmp_path / "s.jsonl")
    for at, formula in enumerate(("2 + 2 log p", "2 + p")):
        rows = [*measurements("Bcast", formula), *measurements("Reduce", "3 + 2 log p")]
        store.append(f"v{at + 1}", "job", float(at), rows)
    return path


def test_curves_have_measurements_model_expectation_and_limits() -> None:
    verdict = judge_series(series("5 + 2 p", noise=0.02, seed=1), Expected(parse("log p"), None))
    found = {one.name.split(" ")[0]: one for one in curves(verdict)}
    assert set(found) == {"measured", "model", "expected", "lower", "upper"}
    assert list(found["measured"].y) == list(verdict.series.values)
    assert max(found["model"].x) == 8 * 256
    assert found["model"].low is not None
    assert found["model"].y[-1] == pytest.approx(5 + 2 * 8 * 256, rel=0.1)
    # The model leaves the limits, and the figure shows it.
    last = found["model"].y[-1], found["upper"].y[-1]
    assert last[0] is not None
    assert last[1] is not None
    assert last[0] > last[1]


@pytest.mark.parametrize("points", [(2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 100.0), (2.0, 10.0, 50.0, 100.0, 140.0, 200.0)])
def test_exponential_is_drawn_up_to_overflow(points: tuple[float, ...]) -> None:
    """The measurements follow a power of p, so the figure extends to eight times the largest p: 2^800 and 2^1600."""
    verdict = judge_series(series("5 + 2 p", points, noise=0.02, seed=1), Expected(parse("2^p"), None))
    drawn = verdict_figure(verdict)
    assert isinstance(drawn.plot, pages.XyPlot)
    found = {one.name.split(" ")[0]: one for one in drawn.plot.series}
    assert max(found["model"].x) == pytest.approx(8 * points[-1])
    last, value = found["expected"].x[-1], found["expected"].y[-1]
    assert isinstance(last, float)
    assert value is not None
    assert last == pytest.approx(800) if points[-1] == 100 else 800 < last < 1024
    assert value > 1e200
    spread = verdict.model.predict(p=1.5 * points[-1])
    assert spread.low < spread.value < spread.high


def test_prediction_interval_is_proportional_at_large_scales() -> None:
    verdict = judge_series(
        series("5 + 2^p", (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0), noise=0.02, seed=1), Expected(parse("2^p"))
    )
    near, far = (verdict.model.predict(p=p) for p in (50.0, 900.0))
    assert far.high / far.value == pytest.approx(near.high / near.value, rel=1e-6)


def test_page_shows_broken_rows_and_compares_runs(study: Path) -> None:
    one = read_study(study)
    entries = entries_of(one)
    results = evaluate(one, entries, "v2")
    page = make_page(results, compare(one, entries, runs_of(entries)))
    head, table, legend, rules = page.summary[:4]
    assert isinstance(head, pages.Headline)
    assert head.tone == "bad"
    assert "Bcast" in head.detail
    assert isinstance(table, pages.Table)
    assert table.marked == (0,)
    assert [row[6] for row in table.rows] == ["✗ ▲", "✓"]
    assert isinstance(legend, pages.Text)
    explained = "✓ as expected, ✗ faster growth than the limits allow, ▲ breaks a rule between functions."
    assert legend.paragraphs[0].startswith(f"Match: {explained} Divergence: ")
    assert isinstance(rules, pages.Table)
    assert [section.title for section in page.sections] == ["Between runs", "Bcast, time_s", "Reduce, time_s"]
    growths, changes = page.sections[0].blocks[:2]
    assert isinstance(growths, pages.Table)
    assert [column.title for column in growths.heads] == ["function", "v1", "v2"]
    assert [row[0] for row in growths.rows] == ["Bcast (time_s)", "Reduce (time_s)"]
    assert [str(cell)[-1] for cell in growths.rows[0][1:]] == ["✓", "✗"]
    assert isinstance(changes, pages.Table)
    assert [row[-1] for row in changes.rows] == ["worse", ""]
    figures = [block for section in page.sections for block in section.blocks if isinstance(block, pages.Figure)]
    assert len(figures) == 4
    assert all(isinstance(figure.plot, pages.XyPlot) and figure.plot.x_log for figure in figures)


def test_page_of_a_run_without_findings(study: Path) -> None:
    one = read_study(study)
    page = make_page(evaluate(one, entries_of(one), "v1"))
    head = page.summary[0]
    assert isinstance(head, pages.Headline)
    assert head.tone == "good"


def test_the_command_writes_it(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["scale", "report", str(study)])
    assert ended.value.code == 0
    target = study.with_suffix(".html")
    assert capsys.readouterr().out == f"{target}\n"
    text = target.read_text(encoding="utf-8")
    assert "Bcast grows faster than expected." in text
    assert "<svg" in text
    assert "<script" not in text


def _two_parameters(folder: Path) -> list[Measurement]:
    rows = []
    for p in (2.0, 4.0, 8.0, 16.0, 32.0):
        for n in (10.0, 20.0, 40.0, 80.0, 160.0):
            value = 3 + 0.5 * n * p if (p, n) != (8.0, 40.0) else 200.0
            rows.append(Measurement("f", "time_s", {"p": p, "n": n}, (value,)))
    Store(folder / "s.jsonl").append("v1", "job", 0.0, rows)
    return rows


def test_a_model_of_two_parameters_is_a_surface_with_slices(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[[expect]]\nfunction = "f"\ngrowth = "n p"\n', encoding="utf-8")
    _two_parameters(tmp_path)
    one = read_study(tmp_path / "s.toml")
    (section,) = make_page(evaluate(one, entries_of(one), "v1")).sections
    surface, slices, off = (block.plot for block in section.blocks if isinstance(block, pages.Figure))
    assert isinstance(surface, pages.HeatMap)
    assert surface.x_names == ("2", "4", "8", "16", "32", "64", "128"), "two doublings beyond"
    assert isinstance(slices, pages.XyPlot)
    assert {one.name for one in slices.series if one.kind == "points"} == {f"n = {10 * 2**n}" for n in range(5)}
    assert isinstance(off, pages.HeatMap)
    found = {(x, y): off.values[at][place] for at, y in enumerate(off.y_names) for place, x in enumerate(off.x_names)}
    assert max(found, key=lambda at: found[at] or 0.0) == ("8", "40")


def test_a_page_of_many_functions_is_small(tmp_path: Path) -> None:
    names = [f"f{at}" for at in range(40)]
    (tmp_path / "s.toml").write_text(f'[[expect]]\nfunction = {names}\ngrowth = "log p"\n', encoding="utf-8")
    rows = [one for name in names for one in measurements(name, "2 + p" if name == "f37" else "2 + log p")]
    Store(tmp_path / "s.jsonl").append("v1", "job", 0.0, rows)
    one = read_study(tmp_path / "s.toml")
    page = make_page(evaluate(one, entries_of(one), "v1"))
    titles = [section.title for section in page.sections]
    assert len(titles) == 21
    assert "f37, time_s" in titles, "what is broken is among those with figures"
    assert len(pages.render(page)) < 1_000_000
