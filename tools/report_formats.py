"""Update the table of report formats of `adcl scale check` in docs/scale.md: ``report_formats.py [ROOT]``."""

from __future__ import annotations

import sys
from pathlib import Path

from _page_table import markdown_table, replace_tables

__all__ = ["main", "table"]


def table() -> str:
    """Return the table of the report formats that the imported package lists."""
    from adcl.scale.output import REPORT_FORMATS

    rows = [(f"`--{one.name}{'' if one.printed else ' FILE'}`", one.about) for one in REPORT_FORMATS]
    return markdown_table(("option of `adcl scale check`", "output"), rows)


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(root / "python"))
    return replace_tables(root / "docs/scale.md", table())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
