"""Update the tables of searches and of their options in docs/tune-search.md: ``search_options.py [ROOT]``."""

from __future__ import annotations

import sys
from pathlib import Path

from _page_table import markdown_table, replace_tables

__all__ = ["main", "search_table", "table"]


def search_table() -> str:
    """Return the table of the searches that the imported package declares, the default first."""
    from adcl.tune.search import DEFAULT, SEARCHES

    rows = [(f"`{one.name}`", one.about) for one in SEARCHES.values() if one.name != DEFAULT]
    return markdown_table(("name", "method"), [(f"`{DEFAULT}`", f"the default: {SEARCHES[DEFAULT].about}"), *rows])


def table() -> str:
    """Return the table of the options that the imported package declares."""
    from adcl.tune.search import SEARCHES

    rows = [
        (
            f"`{option.name}`",
            f"`{search.name}`",
            f"`{option.default}`" if isinstance(option.default, str) else option.default,
            option.about,
        )
        for search in SEARCHES.values()
        for option in search.options
    ]
    return markdown_table(("option", "search", "default", "meaning"), rows)


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    sys.path.insert(0, str(root / "python"))
    return replace_tables(root / "docs/tune-search.md", search_table(), table())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
