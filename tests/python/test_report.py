"""Pages: texts are escaped, nothing is fetched, numbers are readable."""

from __future__ import annotations

import html
import itertools
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from adcl.errors import AdclError
from adcl.pages import (
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
    """Elements of a page with their attributes and texts; rejects unbalanced tags."""

    VOID = frozenset({"meta", "br", "link", "img"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.broken = False
        """Whether the next text continues a word with an optional break."""

        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "wbr":
            self.broken = True
        elif tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.broken:
            where, before = self.texts.pop()
            self.texts.append((where, before + data))
            self.broken = False
            return
        self.texts.append((self.open[-1] if self.open else "", data))

    def inside(self, tag: str) -> list[str]:
        return [text for where, text in self.texts if where == tag and text.strip()]


def page_of(*blocks: object, title: str = "A page") -> Page:
    return Page(title, (Headline("Keep the defaults.", "neutral", NASTY),), (Section(NASTY, blocks),), tool="adcl test")  # type: ignore[arg-type]


def test_long_names_break_only_at_separators() -> None:
    names = ("btl_vader_eager_limit", "EagerLimitDependency", "confidence of it", "short_name")
    text = render(page_of(Table(("name",), tuple((name,) for name in names))))
    for shown in (
        "btl_<wbr>vader_<wbr>eager_<wbr>limit",
        "Eager<wbr>Limit<wbr>Dependency",
        "confidence of it",
        "short_name",
    ):
        assert f"<td>{shown}</td>" in text
    assert "overflow-wrap: anywhere" not in text.split("td {")[-1]
    assert Elements(text).inside("td") == list(names)


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


def test_figures_are_embedded_in_the_page() -> None:
    figure = xy_figure(
        [PlotSeries(NASTY, [1, 2, 3], [3.0, None, 4.0], "points", [2, 2, 3], [4, 4, 5], [NASTY, "gap", "third"])],
        x_title="x",
        y_title=NASTY,
    )
    bars = bar_figure(["first", "second"], [Bars("one", [1.0, 20.0]), Bars("other", [3.0, 4.0])], value_title="gain")
    text = render(page_of(figure, heatmap(["a", "b"], ["c"], [[1.0, None]]), bars))

    elements = Elements(text)

    assert sum(tag == "svg" for tag, _ in elements.found) == 3
    assert not any(tag == "script" for tag, _ in elements.found)
    assert not any("src" in attributes or "href" in attributes for _, attributes in elements.found)
    references = [attributes.get("xlink:href") for tag, attributes in elements.found if tag == "use"]
    known = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert all(one is not None and one.startswith("#") and one[1:] in known for one in references)
    assert len(known) == len(set(known)), "no two elements of a page have the same name"
    titles = elements.inside("title")[1:]
    assert sum(map(len, titles)) == len("".join(titles))
    assert NASTY in "".join(titles)
    assert "third" in titles
    assert "gap" not in titles, "what has no value is not drawn"
    assert [one for one in titles if ": " in one] == ["first: 1", "second: 20", "first: 3", "second: 4"]
    assert len(text) < 100_000


def test_every_point_of_a_large_figure_has_its_label_and_the_page_is_small() -> None:
    count = 400
    labels = [f"eager={number}/{number}: {number} ms" for number in range(count)]
    points = PlotSeries("trial", list(range(count)), [1.0 + number for number in range(count)], "points", labels=labels)
    figures = [xy_figure([points, PlotSeries("best", [0, 400], [1, 1])], x_title="x", y_title="y", y_log=True)] * 4

    text = render(page_of(*figures))

    assert len(text) < 600_000
    assert Elements(text).inside("title")[1:] == labels * 4


def test_pictures_are_the_same_every_time() -> None:
    figure = heatmap(["a", "b"], ["c"], [[1.0, 2.0]], diverging=True, value_title="loss")
    assert render(page_of(figure)) == render(page_of(figure))


def test_a_page_without_figures_is_small() -> None:
    assert len(render(page_of(Text(("Nothing to draw.",))))) < 10_000


def test_bands_intervals_steps_and_names_are_drawn() -> None:
    line = PlotSeries("model", [1, 2, 4], [1.0, 2.0, 3.0], low=[0, 1, 2], high=[2, 3, 5])
    points = PlotSeries("measured", [1, 2], [5.0, 6.0], "points", low=[4, 5], high=[7, 9])
    steps = PlotSeries("best so far", [1, 2, 4], [3.0, None, 1.0], "steps", dashed=True)
    named = [PlotSeries("value", ["64", "32", "unset"], [3.0, 2.0, 1.0], "line+points")]
    figures = (
        xy_figure([line, points, steps], x_title="processes", y_title="seconds", x_log=True),
        xy_figure(named, x_title="limit", y_title="ratio"),
        bar_figure(["a", "b"], [Bars("gain", [1.0, 2.0], [0.5, 1.5], [2.0, 3.0])], value_title="gain", log=True),
    )

    texts = Elements(render(page_of(*figures))).inside("text")

    assert not any("$" in text for text in texts), "no formulas"
    for word in ("processes", "seconds", "model", "measured", "best so far", "limit", "64", "unset", "gain", "a", "b"):
        assert word in [text.strip() for text in texts], word
    assert [text for text in texts if text in ("64", "32", "unset")] == ["64", "32", "unset"], "in their own order"


def _labels(svg: str, axis: str) -> list[tuple[float, float, str]]:
    """Return the labels of an axis: positions in pixels and texts."""
    _, *ticks = re.split(rf'<g id="f\d+-{axis}tick_\d+">', svg)
    found = []
    for tick in ticks:
        match = re.search(r'<text [^>]*x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</text>', tick)
        if match:
            found.append((float(match[1]), float(match[2]), match[3]))
    return found


@pytest.mark.parametrize("decades", [0.2, 0.5, 0.9, 1.5, 3.0, 5.0, 8.0, 13.0])
@pytest.mark.parametrize(
    "places",
    [(1, 2, 4, 8, 16), (512, 1000, 1024), (2, 3, 4, 5, 6, 7, 8, 12, 16), tuple(range(1, 200)), (1, 100000, 10000000)],
)
def test_labels_of_logarithmic_axes_do_not_overlap(decades: float, places: tuple[int, ...]) -> None:
    values = [1e-6 * 10 ** (decades * number / (len(places) - 1)) for number in range(len(places))]
    figure = xy_figure([PlotSeries("a", places, values, "points")], x_title="x", y_title="y", x_log=True, y_log=True)
    svg = render(page_of(figure))
    across, upwards = _labels(svg, "x"), _labels(svg, "y")
    assert len(across) >= 2
    assert len(upwards) >= 2
    letter, line = 6.5, 12.0
    for (left, _, one), (right, _, other) in itertools.pairwise(sorted(across)):
        assert right - left >= letter * (len(one) + len(other)) / 2, (one, other)
    heights = sorted(y for _, y, _ in upwards)
    assert all(lower - upper >= line for upper, lower in itertools.pairwise(heights)), upwards
    assert len(across) <= 640 / (2 * letter), "no more than fit on the picture's width"


def test_wide_content_scrolls_with_a_hint() -> None:
    narrow = Table(("name", "value"), (("a", 1),))
    wide = Table(tuple(f"column{number}" for number in range(12)), (tuple(range(12)),))
    figure = xy_figure([PlotSeries("a", [1, 2], [1.0, 2.0])], x_title="x", y_title="y")

    def hints(*blocks: object) -> list[str]:
        elements = Elements(render(page_of(*blocks)))
        return [words for _, words in elements.texts if words.startswith("Scroll sideways")]

    assert hints(narrow) == []
    assert hints(wide) == ["Scroll sideways for all columns →"]
    assert hints(figure) == ["Scroll sideways for the whole picture →"]
    classes = [attributes.get("class") for _, attributes in Elements(render(page_of(wide, figure))).found]
    assert {"wide", "plot"} <= set(classes)
    style = re.search(r"<style>(.*?)</style>", render(page_of(wide)), re.DOTALL)
    assert style is not None
    assert re.search(r"\.wide, \.plot \{[^}]*overflow-x: auto", style[1])


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_in_a_browser_only_scrolling_containers_exceed_a_phone(tmp_path: Path) -> None:
    wide = Table(tuple(f"column{number}" for number in range(12)), (tuple(range(12)),))
    figure = xy_figure([PlotSeries("a", [1, 2], [1.0, 2.0])], x_title="x", y_title="y")
    write(page_of(wide, figure), tmp_path / "page.html")
    frame = """<iframe src="page.html" style="width:420px;height:900px;border:0" onload="
      const inner = this.contentDocument, root = inner.documentElement;
      const shown = [...inner.querySelectorAll('.hint')].map(one => getComputedStyle(one).display);
      const wider = [...inner.querySelectorAll('.wide, .plot')].map(one => one.scrollWidth > one.clientWidth);
      document.title = JSON.stringify([root.scrollWidth, shown, wider]);"></iframe>"""
    (tmp_path / "frame.html").write_text(frame, encoding="utf-8")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    command += ["--disable-background-networking", "--allow-file-access-from-files", "--virtual-time-budget=5000"]
    command += [f"--user-data-dir={tmp_path / 'data'}", "--dump-dom", (tmp_path / "frame.html").as_uri()]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    title = re.search(r"<title>(.*?)</title>", ended.stdout)
    assert title is not None, ended.stdout
    assert json.loads(html.unescape(title[1])) == [420, ["block", "block"], [True, True]]


@pytest.mark.parametrize(
    ("values", "ticks"), [([3.9e-6, 4.7e-6], ["4e-06", "4.2e-06"]), ([1.0, 900.0], ["1", "2", "500"]), ([2.0], ["2"])]
)
def test_short_logarithmic_axes_have_plain_numbers(values: list[float], ticks: list[str]) -> None:
    places = [2**number for number in range(len(values))]
    figure = xy_figure([PlotSeries("a", places, values, "points")], x_title="x", y_title="y", x_log=True, y_log=True)
    texts = [text.strip() for text in Elements(render(page_of(figure))).inside("text")]
    assert all(tick in texts for tick in ticks), texts
    assert not any("$" in text for text in texts)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_non_finite_numbers_are_rejected(number: float) -> None:
    with pytest.raises(ValueError, match="cannot be drawn"):
        xy_figure([PlotSeries("a", [1], [number])], x_title="x", y_title="y")
    with pytest.raises(ValueError, match="cannot be drawn"):
        bar_figure(["a"], [Bars("b", [number])], value_title="v")
    with pytest.raises(ValueError, match="cannot be drawn"):
        heatmap(["a"], ["b"], [[number]])


def test_rows_must_match_their_table() -> None:
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


def test_pages_are_written_atomically(tmp_path: Path) -> None:
    path = tmp_path / "page.html"

    write(page_of(Text(("one",))), path)
    write(page_of(Text(("two",))), path)

    assert "two" in path.read_text(encoding="utf-8")
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(AdclError, match="cannot write"):
        write(page_of(), tmp_path / "missing" / "page.html")
