"""Tables of ``adcl info``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from adcl._version import __version__
from adcl.info import ListedCodelet, ListedSet, Method, Option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from adcl.info import Capabilities, Described

__all__ = ["build", "methods", "options", "print_named"]

_NOT_APPLICABLE = "–"


_WIDEST = 10_000
_EFFECTS = {
    "decides": "choice of the codelet",
    "timer": "timers",
    "output": "output files",
    "process": "only this process",
}
"""Effect of the options of each role."""

_ORIGINS = {"method": "ADCL_METHOD"}
"""Description of origins whose name is not self-explanatory."""

_PROSE = 18
"""Minimum width of a column with running text."""


def _table(*, show_header: bool = True) -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", show_header=show_header)


def build(described: Described) -> RenderableType:
    """Print versions, compiler and MPI library."""
    description = described.description
    table = _table(show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    rows = (
        ("library", description.version),
        ("adcl command", __version__),
        ("compiler", description.build.compiler),
        ("flags", description.build.flags),
        ("MPI library", description.build.mpi_library),
        ("MPI standard", description.build.mpi_standard),
        ("described by", str(described.program)),
    )
    for name, value in rows:
        # MPI libraries end their version text with padding, some with several lines.
        table.add_row(name, Text(" ".join(value.split())))
    return Group(Text("ADCL", style="bold"), table, "")


def _abilities(capabilities: Capabilities) -> str:
    words = [
        word
        for word, holds in (
            ("non-blocking", capabilities.nonblocking),
            ("fixed buffers", capabilities.fixed_buffers),
            ("fixed buffers of several vectors", capabilities.fixed_several and not capabilities.fixed_buffers),
            ("collective plan", capabilities.collective_plan),
            ("packs", capabilities.touches_data),
        )
        if holds
    ]
    if capabilities.progress_depth is None:
        words.append("no progress")
    elif capabilities.progress_depth:
        words.append(f"progress from depth {capabilities.progress_depth}")
    return ", ".join(words)


def _needs(codelet: ListedCodelet) -> Text:
    text = Text(codelet.requirements)
    if not codelet.available:
        text.append("; " if codelet.requirements else "")
        text.append(f"not available: {codelet.unavailable_because}", style="red")
    return text


def _scaling(codelet: ListedCodelet) -> str:
    return f"O({codelet.expectation})" if codelet.expectation else ""


def _wide(function_set: ListedSet) -> Table:
    """Print one column for each attribute."""
    table = _table()
    table.add_column("codelet", no_wrap=True)
    for attribute in function_set.attributes:
        table.add_column(attribute.name, no_wrap=True)
    for header in ("capabilities", "requires", "source"):
        table.add_column(header, min_width=_PROSE)
    table.add_column("scaling", no_wrap=True)
    for codelet in function_set.codelets:
        values = (codelet.attributes.get(attribute.name) or _NOT_APPLICABLE for attribute in function_set.attributes)
        table.add_row(
            Text(codelet.name, style="" if codelet.available else "dim"),
            *(Text(value) for value in values),
            Text(_abilities(codelet.capabilities)),
            _needs(codelet),
            Text(codelet.source),
            Text(_scaling(codelet)),
        )
    return table


def _narrow(function_set: ListedSet) -> Table:
    """Print a name and a paragraph for each codelet."""
    table = _table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for codelet in function_set.codelets:
        paragraph = Text()
        held = (f"{name} {value}" for name, value in codelet.attributes.items() if value is not None)
        lines = (
            ("", Text(", ".join(held))),
            ("capabilities: ", Text(_abilities(codelet.capabilities))),
            ("requires: ", _needs(codelet)),
            ("source: ", Text(codelet.source)),
            ("scaling: ", Text(_scaling(codelet))),
        )
        for label, content in lines:
            if content:
                paragraph.append("\n" if paragraph else "").append(label, style="dim").append_text(content)
        table.add_row(Text(codelet.name, style="bold" if codelet.available else "dim"), paragraph)
    return table


def _print_function_set(console: Console, function_set: ListedSet) -> None:
    """Print the summary, attributes and codelets in the widest layout that does not break a name."""
    console.print(Text.assemble((function_set.constant, "bold"), f"  {function_set.name}"))
    console.print(Text(function_set.summary))
    if function_set.attributes:
        attributes = _table(show_header=False)
        for attribute in function_set.attributes:
            values = ", ".join(value.name for value in attribute.values)
            attributes.add_row(Text(f"  attribute {attribute.name}"), Text(values))
        console.print(attributes)
    if function_set.codelets:
        wide = _wide(function_set)
        needed = console.measure(wide, options=console.options.update(max_width=_WIDEST)).minimum
        console.print(wide if needed <= console.width else _narrow(function_set))
    console.print()


def methods(title: str, rows: Sequence[Method]) -> RenderableType:
    """Print selection logics or statistical methods."""
    table = _table()
    table.add_column("name", no_wrap=True)
    table.add_column("summary", ratio=3)
    table.add_column("source", ratio=2)
    for row in rows:
        table.add_row(Text(row.name), Text(row.summary), Text(row.source))
    return Group(Text(title, style="bold"), table, "")


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"


def _range(option: Option) -> str:
    match option.type:
        case "choice":
            return ", ".join(option.choices)
        case "switch":
            return "0, 1"
        case "text":
            return "text"
        case "path":
            return ", ".join((*option.choices, "path"))
    return f"{option.type} {_bound(option.minimum)}…{_bound(option.maximum)}"


def options(rows: Sequence[Option]) -> RenderableType:
    """Print every option with its range and help, and its current value with the origin."""
    table = _table()
    table.add_column("option", no_wrap=True)
    table.add_column("value", overflow="fold", min_width=12)
    table.add_column("meaning", ratio=1, overflow="fold")
    for row in rows:
        changed = row.origin != "default"
        value = Text(row.value or '""', style="bold" if changed else "")
        value.append(f"\nfrom {_ORIGINS.get(row.origin, row.origin)}" if changed else "")
        meaning = Text(row.help)
        users = f"; read by {', '.join(row.users)}" if row.users else ""
        meaning.append(f"\n{_range(row)}; default {row.default or chr(34) * 2}{users}", style="dim")
        table.add_row(Text(row.name), value, meaning)
    return Group(Text("Options", style="bold"), table)


def _facts(console: Console, title: str, rows: Sequence[tuple[str, str | Text]]) -> None:
    table = _table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value:
            table.add_row(Text(f"  {name}"), Text(value) if isinstance(value, str) else value)
    console.print(Text(title, style="bold"))
    console.print(table)
    console.print()


def _attribute_rows(codelet: ListedCodelet, within: ListedSet) -> list[tuple[str, str]]:
    rows = []
    for attribute in within.attributes:
        held = codelet.attributes.get(attribute.name)
        value = next((value for value in attribute.values if value.name == held), None)
        kind = f" (class {value.value_class})" if value is not None and value.value_class else ""
        rows.append((attribute.name, _NOT_APPLICABLE if held is None else f"{held}{kind}"))
    return rows


def print_named(
    console: Console, shown: ListedSet | ListedCodelet | Method | Option, within: ListedSet | None = None
) -> None:
    """Print everything about a function set, a codelet, a method or an option."""
    match shown:
        case ListedSet():
            _print_function_set(console, shown)
        case ListedCodelet():
            rows: list[tuple[str, str | Text]] = [("function set", within.name if within else "")]
            rows += _attribute_rows(shown, within) if within else []
            rows += [
                ("capabilities", _abilities(shown.capabilities)),
                ("requires", _needs(shown)),
                ("scaling", _scaling(shown)),
                ("source", shown.source),
                ("select only", f"ADCL_CODELETS={within.name}:{shown.name}" if within else ""),
                ("exclude", f"ADCL_CODELETS={within.name}:^{shown.name}" if within else ""),
            ]
            _facts(console, shown.name, rows)
        case Method():
            _facts(console, shown.name, [("summary", shown.summary), ("source", shown.source)])
        case Option():
            rows = [
                ("meaning", shown.help),
                ("values", _range(shown)),
                ("default", shown.default or '""'),
                ("current value", shown.value or '""'),
                ("origin", shown.origin),
                ("affects", _EFFECTS[shown.role]),
                ("read by", ", ".join(shown.users)),
            ]
            _facts(console, shown.name, rows)
