"""Tables on pages of the documentation that tools generate."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["markdown_table", "replace_tables"]


def markdown_table(heads: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "".join(f"{line}\n" for line in lines)


def replace_tables(page: Path, *tables: str) -> int:
    """Replace the tables of the page that have the same heads; return the exit code.

    Writes nothing unless the page has each table once.
    """
    text = page.read_text(encoding="utf-8")
    for table in tables:
        head = table.partition("\n")[0]
        parts = re.split(rf"^{re.escape(head)}\n(?:\|.*\n)+", text, flags=re.MULTILINE)
        if len(parts) != 2:
            sys.stderr.write(f"{page}: expected one table {head}, found {len(parts) - 1}\n")
            return 1
        text = table.join(parts)
    page.write_text(text, encoding="utf-8")
    return 0
