"""Subpackages of `adcl scale`: no import cycles, and a new growth, format or panel requires one file and one row."""

from __future__ import annotations

import ast
import graphlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scale_support import measurements
from support import PROJECT

from adcl import pages
from adcl.scale import (
    FACTORS,
    Expected,
    Factor,
    FunctionClass,
    Match,
    Measurement,
    Series,
    Store,
    candidates_of_one,
    entries_of,
    evaluate,
    judge_series,
    make_page,
    open_any,
    parse,
    read_study,
)
from adcl.scale.input._format import Format, InputSource
from adcl.scale.input._formats import FORMATS
from adcl.scale.model import _candidates
from adcl.scale.output._curves import curves
from adcl.scale.output._page import SECTIONS, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from adcl.scale.output._panel import PageContent

_PYTHON = PROJECT / "python"


def _imports() -> dict[str, set[str]]:
    """Return the modules of adcl.scale and their imports, including those for annotations."""
    paths = list((_PYTHON / "adcl/scale").rglob("*.py"))
    names = {
        path: ".".join(path.relative_to(_PYTHON).with_suffix("").parts).removesuffix(".__init__") for path in paths
    }
    known = set(names.values())
    found: dict[str, set[str]] = {}
    for path, name in names.items():
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        pairs = [(node.module, one.name) for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names]
        wanted = {inner if (inner := f"{module}.{one}") in known else module for module, one in pairs if module}
        found[name] = wanted & known
    return found


def test_there_are_no_import_cycles() -> None:
    """`tools/layers.py` checks the order of the subpackages; this test checks their modules."""
    imports = _imports()
    assert {name.split(".")[2] for name in imports if name != "adcl.scale"} == {
        *("model", "judge", "input", "study", "output")
    }
    order = list(graphlib.TopologicalSorter(imports).static_order())  # raises CycleError
    places = [order.index(f"adcl.scale.{room}") for room in ("model", "judge", "study", "output")]
    assert places == sorted(places)
    imports["adcl.scale.model._term"].add("adcl.scale.judge._match")
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(imports).prepare()


def _iterated(values: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    return np.asarray(np.log2(1 + np.log2(values)) ** exponent)


_ITERATED = Factor(
    name="iterated",
    function_class=FunctionClass.LOGARITHMIC,
    evaluate=_iterated,
    write=lambda name, exponent: f"loglog^{exponent} {name}" if exponent else f"loglog {name}",
    functions={"loglog": 1.0},
    simple={"1": 1.0},
    drawn_to=lambda _, high: high * 2,
)


@pytest.fixture
def iterated() -> Iterator[None]:
    _candidates.candidates_of_one.cache_clear()
    FACTORS.append(_ITERATED)
    yield
    FACTORS.remove(_ITERATED)
    _candidates.candidates_of_one.cache_clear()


def _doubly_logarithmic() -> Series:
    points = tuple(2.0**at for at in (0, 1, 2, 4, 8, 12, 16, 24, 32))
    noise = 1 + 0.002 * np.random.default_rng(7).standard_normal(len(points))
    values = (3 + 2 * _iterated(np.array(points), 1.0)) * noise
    return Series("f", "time_s", ("q",), tuple((x,) for x in points), tuple(map(float, values)))


@pytest.mark.usefixtures("iterated")
def test_a_row_of_factors_is_parsed_printed_and_ordered() -> None:
    assert str(parse("3 loglog^2 q + q log q loglog q")) == "3 * loglog^2 q + q log q loglog q"
    slow, fast = (parse(text).terms[0].growth("q") for text in ("loglog^4 q", "log^0.25 q"))
    assert slow < fast
    assert fast < fast.times(slow)
    with pytest.raises(Exception, match="iterated of a parameter"):
        parse("loglog (q^2)")


@pytest.mark.usefixtures("iterated")
def test_a_row_of_factors_is_searched_and_drawn() -> None:
    assert (parse("loglog q").terms[0],) in candidates_of_one("q").hypotheses
    series = _doubly_logarithmic()
    verdict = judge_series(series, Expected(parse("loglog q")))
    assert verdict.model.growth == "O(loglog q)"
    assert verdict.match is Match.TOTAL
    assert judge_series(series).model.growth == "O(loglog q)", "no expectation is stated"
    model = next(one for one in curves(verdict) if one.name.startswith("model"))
    assert model.name == "model O(loglog q)"
    assert model.x[-1] == 2 * 2.0**32
    assert model.y[-1] == pytest.approx(3 + 2 * np.log2(34), rel=0.01)


def test_growth_without_a_row_is_unknown() -> None:
    assert judge_series(_doubly_logarithmic()).model.growth != "O(loglog q)"


def _read_pairs(source: InputSource) -> list[Measurement]:
    rows = [line.split(" took ") for line in source.text.splitlines()]
    return [Measurement("f", "time_s", {"p": float(ranks)}, (float(time),)) for ranks, time in rows]


def test_a_row_of_formats_is_recognized_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_text("2 took 1.5\n4 took 3\n", encoding="utf-8")
    monkeypatch.setattr(
        "adcl.scale.input._open.FORMATS", [Format("pairs", lambda one: " took " in one.text, _read_pairs), *FORMATS]
    )
    found = open_any(path)
    assert found.kind == "pairs"
    assert [(one.parameters, one.repetitions) for one in found.rows] == [({"p": 2.0}, (1.5,)), ({"p": 4.0}, (3.0,))]


def _points(content: PageContent) -> list[pages.Section]:
    rows = tuple((row.verdict.series.function, len(row.verdict.series.points)) for row in content.results.rows)
    return [pages.Section("Points", (pages.Table(("function", "points"), rows),))]


def test_a_row_of_panels_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.toml"
    path.write_text('[[expect]]\nfunction = "f"\ngrowth = "p"\n', encoding="utf-8")
    Store(tmp_path / "s.jsonl").append("v1", "job", 0.0, measurements("f", "2 + p"))
    study = read_study(path)
    monkeypatch.setattr("adcl.scale.output._page.SECTIONS", [*SECTIONS, _points])
    monkeypatch.setattr(
        "adcl.scale.output._page.SUMMARY", [*SUMMARY, lambda content: [pages.Text((content.results.run,))]]
    )
    page = make_page(evaluate(study, entries_of(study), "v1"))
    assert page.sections[-1].title == "Points"
    (table,) = page.sections[-1].blocks
    assert isinstance(table, pages.Table)
    assert table.rows == (("f", 8),)
    assert page.summary[-1] == pages.Text(("v1",))
