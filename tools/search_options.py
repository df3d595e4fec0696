"""Updates the table of search options of `adcl tune` in docs/tune-search.md: ``search_options.py [ROOT]``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["main", "table"]

_TABLE = re.compile(r"^\| option \| search \| default \| meaning \|\n(?:\|.*\n)+", re.MULTILINE)


def table() -> str:
    """Return the table of the options that the imported package declares."""
    from adcl.tune.search import SEARCHES

    lines = ["| option | search | default | meaning |", "|---|---|---|---|"]
    for search in SEARCHES.values():
        for option in search.options:
            default = f"`{option.default}`" if isinstance(option.default, str) else option.default
            lines.append(f"| `{option.name}` | `{search.name}` | {default} | {option.about} |")
    return "".join(f"{line}\n" for line in lines)


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(root / "python"))
    page = root / "docs/tune-search.md"
    text, count = _TABLE.subn(lambda _: table(), page.read_text(encoding="utf-8"))
    if count != 1:
        sys.stderr.write(f"{page}: expected one table of options, found {count}\n")
        return 1
    page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
