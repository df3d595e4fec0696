"""Pages: texts are escaped, nothing is fetched, numbers read well."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from adcl.errors import AdclError
from adcl.report import (
    Bars,
    Code,
    Facts,
    Headline,
    Page,
    PlotSeries,
    Section,
    Table,
    Text,
    bar_figure,
    bytes_text,
    heatmap,
    percent,
    ratio,
    render,
    seconds,
    write,
    xy_figure,
)

if TYPE_CHECKING:
    from pathlib import Path

NASTY = '</script><script>alert("x")</script> & <b>'


class Elements(HTMLParser):
    """What a browser would see: elements with their attributes and texts; complains about unbalanced tags."""

    VOID = frozenset({"meta", "br", "link", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def inside(self, tag: str) -> list[str]:
        return [text for where, text in self.texts if where == tag and text.strip()]


def page_of(*blocks: object, title: str = "A page") -> Page:
    return Page(title, (Headline("Keep the defaults.", "neutral", NASTY),), (Section(NASTY, blocks),), tool="adcl test")  # type: ignore[arg-type]


def test_all_texts_are_escaped() -> None:
    page = page_of(
        Text((NASTY,)),
        Facts({NASTY: NASTY}),
        Code(NASTY, NASTY),
        Table((NASTY, "n"), ((NASTY, 1.5), (None, 2)), caption=NASTY, marked=(1,)),
        title=NASTY,
    )

    elements = Elements(render(page))

    for tag in ("title", "h1", "h2", "p", "dt", "dd", "code", "th", "td", "caption"):
        assert "".join(elements.inside(tag)).count('alert("x")') >= 1, tag
    assert not any(tag == "script" for tag, _ in elements.found)
    assert elements.inside("td")[1:] == ["1.5", "–", "2"]
    assert [attributes.get("class") for tag, attributes in elements.found if tag == "tr"] == [None, None, "marked"]


def test_figures_are_data_inside_the_page_and_nothing_is_fetched() -> None:
    figure = xy_figure(
        [PlotSeries(NASTY, [1, 2], [3.0, None], "points", [2, 2], [4, 4], [NASTY, "b"])], x_title="x", y_title=NASTY
    )
    text = render(page_of(figure, heatmap(["a"], ["b"], [[1.0]])))

    elements = Elements(text)

    data = [one for one in elements.inside("script") if one.startswith('{"data"')]
    assert len(data) == 2
    assert json.loads(data[0])["data"][0]["name"] == NASTY
    assert json.loads(data[0])["layout"]["yaxis"]["title"]["text"] == NASTY
    assert not any("src" in attributes or "href" in attributes for _, attributes in elements.found)
    assert "Plotly.newPlot" in text


def test_a_page_without_figures_is_small() -> None:
    assert len(render(page_of(Text(("Nothing to draw.",))))) < 10_000


def test_bands_and_intervals() -> None:
    line = PlotSeries("model", [1, 2, 4], [1.0, 2.0, 3.0], low=[0, 1, 2], high=[2, 3, 5])
    points = PlotSeries("measured", [1, 2], [5.0, 6.0], "points", low=[4, 5], high=[7, 9])

    band, model, measured = xy_figure([line, points], x_title="p", y_title="s", x_log=True).data
    bars = bar_figure(["a", "b"], [Bars("gain", [1.0, 2.0], [0.5, 1.5], [2.0, 3.0])], value_title="gain").data[0]

    assert band["x"] == [1, 2, 4, 4, 2, 1]
    assert band["y"] == [2, 3, 5, 2, 1, 0]
    assert model["mode"] == "lines"
    assert (measured["error_y"]["array"], measured["error_y"]["arrayminus"]) == ([2, 3], [1, 1])
    assert (bars["error_x"]["array"], bars["error_x"]["arrayminus"]) == ([1.0, 1.0], [0.5, 0.5])


def test_numbers_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(ValueError, match=re.compile("not JSON compliant", re.IGNORECASE)):
        render(page_of(xy_figure([PlotSeries("a", [1], [float("nan")])], x_title="x", y_title="y")))


def test_rows_must_fit_their_table() -> None:
    with pytest.raises(ValueError, match="row 1 has 1 cells"):
        Table(("a", "b"), ((1, 2), (3,)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (seconds(4.321), "4.32 s"),
        (seconds(0.0123), "12.3 ms"),
        (seconds(0.00087), "870 µs"),
        (seconds(8.7e-7), "870 ns"),
        (seconds(0.99999), "1.00 s"),
        (seconds(0), "0 s"),
        (seconds(-0.5), "-500 ms"),
        (seconds(26819), "7 h 27 min"),
        (seconds(125.2), "2 min 5 s"),
        (bytes_text(65536), "64 KiB"),
        (bytes_text(100), "100 B"),
        (bytes_text(3 << 19), "1.5 MiB"),
        (percent(0.1234), "12.3 %"),
        (ratio(1.5167), "1.52×"),
    ],
)
def test_numbers_as_texts(text: str, wanted: str) -> None:
    assert text == wanted


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "page.html"

    write(page_of(Text(("one",))), path)
    write(page_of(Text(("two",))), path)

    assert "two" in path.read_text(encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(AdclError, match="cannot write"):
        write(page_of(), tmp_path / "missing" / "page.html")
