"""Render docs/figures.md and its diagrams from the declarations and the records."""

from __future__ import annotations

import re
import statistics
import sys
from typing import TYPE_CHECKING, Any

from _declared import ROOT
from _records import FOLDER, machines, records

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from studies._page import table
from studies._picture import Curve, Panel, panels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from _declared import Bench, Figure, Picture
    from _records import Record

__all__ = ["page_of"]

_HEAD = """\
# Figures

<!-- `tools/figures.py render` writes this page from bench/figures.toml and the records in docs/figures. -->
To repeat a figure, run `make bench NAME=x` on an otherwise idle machine. It writes `build/bench/x.json` and prints the
figures. `PRESETS="openmpi openmpi5 mpi-abi"` runs a C++ bench with each of these MPI libraries
([presets](mpi-libraries.md)). `tools/figures.py store x MACHINE` stores the result and renders this page.

Figures are ratios or differences within one run, with interleaved candidates. A cell shows the value and, if known, its
95 % interval in brackets. For several settings it shows the median (minimum … maximum) and the number of settings that
meet the target. ✗ marks a missed target. A column is a record; its link shows all values, commit and conditions.
"""
_BLOCK = re.compile(
    r"(?P<begin><!-- tools/figures.py: (?P<bench>\w+) -->\n).*?(?P<end><!-- end of the table -->)", re.DOTALL
)
_MISSED = " ✗"
_REASON = {True: "misses a target, but `missed` is empty", False: "meets all targets, but `missed` is not empty"}
_UNITS = {"ns", "us", "ms", "s", "%", "percent", "bytes"}
_LIBRARIES = {
    "openmpi": "Open MPI 4",
    "openmpi5": "Open MPI 5",
    "mpi-abi": "MPICH 5",
    "mpich": "MPICH",
    "impi": "Intel MPI",
}


def _number(value: float) -> str:
    """Round to three significant digits, or to an integer from 100 on."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _target(row: Figure) -> str:
    return "" if row.target is None else f"{'≥' if row.at_least else '≤'} {_number(row.target)}"


def _of(row: Figure, bench: Bench, record: Record) -> list[dict[str, Any]]:
    """Return a record's figures that a row declares."""
    return [figure for name, figure in record.values.items() if bench.find(name) is row]


def _values(figures: Sequence[dict[str, Any]]) -> str:
    """Return one value with its interval, or the median of several values with minimum and maximum."""
    values = [float(figure["value"]) for figure in figures]
    ends = [min(values), max(values)] if len(values) > 1 else figures[0].get("interval")
    between = f" ({_number(ends[0])} … {_number(ends[1])})" if ends else ""
    return f"{_number(statistics.median(values))}{between}"


def _name(value: str) -> str:
    return f"{value.replace('_', ' ')}: " if value else ""


def _cell(row: Figure, figures: Sequence[dict[str, Any]]) -> str:
    if not figures:
        return "–"
    met = sum(row.met(float(figure["value"])) for figure in figures)
    groups: dict[str, list[dict[str, Any]]] = {}
    for figure in figures:
        match = row.expression.fullmatch(figure["name"])
        groups.setdefault(match[row.each] if match and row.each else "", []).append(figure)
    text = "; ".join(f"{_name(name)}{_values(some)}" for name, some in groups.items())
    count = f", {met} of {len(figures)}" if row.target is not None and len(figures) > 1 else ""
    return f"{text}{count}{'' if met == len(figures) else _MISSED}"


def _shown(bench: Bench) -> list[Figure]:
    return [row for row in bench.figures if row.about]


def _column(record: Record) -> str:
    library = f" {_LIBRARIES.get(record.variant, record.variant)}" if record.variant else ""
    return f"[{record.machine}{library}](figures/{record.machine}/{record.path.name}) {record.document['date']}"


def _table(bench: Bench, own: Sequence[Record]) -> tuple[str, str]:
    """Return the reason for missed targets, and the table."""
    rows = []
    for row in _shown(bench):
        cells = [_cell(row, _of(row, bench, record)) for record in own]
        unit = f", {row.unit.replace('us', 'µs').replace('percent', '%')}" if row.unit in _UNITS else ""
        rows.append((f"{row.about}{unit}", _target(row), *cells))
    missed = any(_MISSED in cell for row in rows for cell in row)
    if missed != bool(bench.missed):
        raise ValueError(f"bench/figures.toml: {bench.name} {_REASON[missed]}")
    reason = f"\n*Missed*: {bench.missed}" if missed else ""
    return reason, table((f"`make bench NAME={bench.name}`", "target", *map(_column, own)), rows) + "\n"


def _section(bench: Bench, own: Sequence[Record]) -> Iterator[str]:
    reason, rows = _table(bench, own)
    yield f"## `{bench.name}`: {bench.title}\n{bench.about}{reason}\n"
    yield rows
    if bench.picture:
        yield f"![{bench.picture.caption}](figures/{bench.name}.svg)\n"


def _curves(picture: Picture, bench: Bench, record: Record) -> Iterator[Curve]:
    for number, key in enumerate(picture.figures):
        row = next(one for one in bench.figures if one.key == key)
        points: dict[str, dict[float, list[float]]] = {}
        for figure in _of(row, bench, record):
            match = row.expression.fullmatch(figure["name"])
            if match is None:
                continue
            places = match.groupdict()
            at = float(places.pop(picture.x))
            words = " ".join(places.values()) if len(picture.figures) == 1 else _named(picture, number, key)
            points.setdefault(words, {}).setdefault(at, []).append(float(figure["value"]))
        for words, by_x in points.items():
            line = [(at, statistics.geometric_mean(by_x[at])) for at in sorted(by_x)]
            yield Curve(words, line, line)


def _named(picture: Picture, number: int, key: str) -> str:
    if picture.names:
        return picture.names[number]
    places: list[str] = re.findall(r"{(\w+)}", key)
    return next(place for place in places if place != picture.x)


def _drawn(bench: Bench, picture: Picture, own: Sequence[Record]) -> str:
    every = []
    for record in own:
        curves = list(_curves(picture, bench, record))
        if curves:
            library = _LIBRARIES.get(record.variant, record.variant)
            every.append(Panel(f"{record.machine} {library}".strip(), curves))
    return panels(every, columns=4)


def _on_other_pages(benches: dict[str, Bench], stored: Sequence[Record], docs: Path) -> dict[str, str]:
    """Return the text of each page that shows tables of benches between two comments."""

    def replaced(match: re.Match[str]) -> str:
        bench = benches[match["bench"]]
        own = [record for record in stored if record.bench == bench.name]
        if not own:
            return f"{match['begin']}{match['end']}"
        reason, rows = _table(bench, own)
        return f"{match['begin']}\n{rows}{reason}\n{match['end']}"

    pages = {bench.see.partition("#")[0] for bench in benches.values() if bench.see}
    found = {}
    for page in sorted(pages):
        file = docs / page
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if _BLOCK.search(text):
            found[page] = _BLOCK.sub(replaced, text)
    return found


def page_of(benches: dict[str, Bench], folder: Path = FOLDER) -> dict[str, str]:
    """Return the text of the page, of the diagrams, and of other pages with tables, by path relative to docs."""
    stored = sorted(records(folder), key=lambda record: (record.machine, record.variant))
    lines = [_HEAD]
    lines.append(table(("machine", ""), [(name, one["about"]) for name, one in machines(folder).items()]) + "\n")
    files: dict[str, str] = {}
    for bench in benches.values():
        own = [record for record in stored if record.bench == bench.name]
        if bench.see or not own:
            continue
        lines += _section(bench, own)
        if bench.picture:
            files[f"figures/{bench.name}.svg"] = _drawn(bench, bench.picture, own)
    elsewhere = "; ".join(f"`{one.name}`, [{one.title}]({one.see})" for one in benches.values() if one.see)
    lines.append(
        f"Other pages show the figures of further benches: {elsewhere}. "
        "[Design notes](design-notes.md) explain their results.\n"
    )
    return {"figures.md": "\n".join(lines), **files, **_on_other_pages(benches, stored, folder.parent)}
