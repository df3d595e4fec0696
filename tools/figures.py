"""Checks the result file of a bench and shows its figures as a table: ``figures.py FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

__all__ = ["check", "main"]


def check(document: Any) -> list[dict[str, Any]]:
    """The figures of a result document; raises ValueError that says what is wrong with it."""
    if not isinstance(document, dict) or not isinstance(document.get("context"), dict):
        raise ValueError('it has no "context" object')
    figures = document.get("figures")
    if not isinstance(figures, list) or not figures:
        raise ValueError('it has no "figures"')
    for figure in figures:
        missing = [key for key in ("name", "value", "unit", "target") if key not in figure]
        if missing:
            raise ValueError(f"figure {figure.get('name', '?')} has no {', '.join(missing)}")
        if not isinstance(figure["value"], int | float):
            raise ValueError(f"the value of figure {figure['name']} is no number")
    return figures


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " … ".join(_cell(item) for item in value)
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    path = Path(arguments[0])
    try:
        figures = check(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{path} is not a result of a bench: {error}\n")
        return 1
    columns = list(dict.fromkeys(key for figure in figures for key in figure))
    table = Table(title=str(path))
    for column in columns:
        table.add_column(column, justify="left" if column in {"name", "unit"} else "right")
    for figure in figures:
        table.add_row(*(_cell(figure.get(column)) for column in columns))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
