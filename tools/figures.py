"""Checks the result file of a bench and shows its figures as a table: ``figures.py FILE``.

The context names the form in which the bench ran, which is that of the environment variable ``BENCH_FORM``. A figure
has a name of its own, a finite value, a unit, and a target, which may be null.

``figures.py FILE NAME=PART ...`` makes FILE of the results of the same bench with several MPI libraries before.
"""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["check", "join", "main"]

_COLUMNS = ("name", "value", "unit", "target", "interval")
_NARROWEST = 120
"""Columns of text below which nobody can read the table."""


def check(document: Any) -> list[dict[str, Any]]:
    """The figures of a result document; raises ValueError that says what is wrong with it."""
    if not isinstance(document, dict) or not isinstance(document.get("context"), dict):
        raise ValueError('it has no "context" object')
    form = document["context"].get("form")
    if "parts" not in document["context"] and form != (expected := os.environ.get("BENCH_FORM") or "usual"):
        raise ValueError(f"the form of its context is {form!r}, not {expected!r}, which BENCH_FORM names")
    figures = document.get("figures")
    if not isinstance(figures, list) or not figures:
        raise ValueError('it has no "figures"')
    names = set()
    for figure in figures:
        missing = [key for key in ("name", "value", "unit", "target") if key not in figure]
        if missing:
            raise ValueError(f"figure {figure.get('name', '?')} has no {', '.join(missing)}")
        if not isinstance(figure["value"], int | float) or not math.isfinite(figure["value"]):
            raise ValueError(f"the value of figure {figure['name']} is {figure['value']!r}, not a finite number")
        if not isinstance(figure["target"], int | float | None):
            raise ValueError(f"the target of figure {figure['name']} is {figure['target']!r}, not a number or null")
        if figure["name"] in names:
            raise ValueError(f"there are two figures {figure['name']}")
        names.add(figure["name"])
    return figures


def join(parts: dict[str, Any]) -> dict[str, Any]:
    """One document of several; the figures' names end with the part's, and each part keeps its context."""
    return {
        "context": {"parts": {name: document["context"] for name, document in parts.items()}},
        "figures": [
            {**figure, "name": f"{figure['name']}.{name}"}
            for name, document in parts.items()
            for figure in check(document)
        ],
    }


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " … ".join(_cell(item) for item in value)
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(title: str, figures: list[dict[str, Any]]) -> Table:
    """The columns that every figure has, and one for what some say besides."""
    table = Table(title=title, box=None, title_justify="left", header_style="bold")
    for column in _COLUMNS:
        table.add_column(column, justify="left" if column in {"name", "unit"} else "right", no_wrap=True)
    table.add_column("with", overflow="fold")
    for figure in figures:
        besides = (f"{key} {_cell(value)}" for key, value in figure.items() if key not in _COLUMNS)
        table.add_row(*(_cell(figure.get(column)) for column in _COLUMNS), ", ".join(besides))
    return table


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    path = Path(arguments[0])
    try:
        if arguments[1:]:
            parts = dict(argument.split("=", 1) for argument in arguments[1:])
            joined = join({name: json.loads(Path(part).read_text(encoding="utf-8")) for name, part in parts.items()})
            path.write_text(json.dumps(joined, indent=1) + "\n", encoding="utf-8")
        figures = check(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{path} is not a result of a bench: {error}\n")
        return 1
    console = Console(highlight=False)
    if console.width < _NARROWEST:
        console = Console(highlight=False, width=_NARROWEST)
    short = " (short form: the values mean nothing)" if os.environ.get("BENCH_FORM") == "short" else ""
    console.print(_table(f"{path}{short}", figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
