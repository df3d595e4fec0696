"""Items of publications, and the study that reproduces each: ``publication.toml`` and ``redoes.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Publication", "Row", "missing_rows", "read_publication", "rows_of"]


@dataclass(frozen=True)
class Row:
    """A table, figure, or listing of a publication."""

    name: str
    """Name in the publication, such as ``Figure 4.3``; also the name of the page's section."""

    shows: str
    section: str
    same: str = "statement"
    """Unit of comparison: statement, verdict, or number."""

    why: str = ""
    """Reason for disagreements."""

    nothing: str = ""
    """Reason why there is nothing to compare."""

    reason: str = ""
    """Reason why no study reproduces the table, figure or listing."""

    heading: str = ""
    """Heading of the page's section, if the heading does not contain the row's name."""


@dataclass(frozen=True)
class Publication:
    """Contents of a ``publication.toml``."""

    key: str
    short: str
    """Name in a sentence: ``the thesis``."""

    title: str
    """Authors, title, place and time of publication."""

    pages: Mapping[str, str]
    """Page on which each section begins, if known."""

    missing: tuple[Row, ...]
    """Items that no study reproduces."""

    def page(self, section: str) -> str:
        """Return the page on which a section begins, or a dash."""
        while section:
            if section in self.pages:
                return self.pages[section]
            section = section.rpartition(".")[0]
        return "–"


def rows_of(document: Mapping[str, dict[str, Any]], path: Path) -> tuple[Row, ...]:
    """Return the rows of a ``redoes.toml``. Raises `ValueError` for an incomplete row."""
    try:
        return tuple(Row(name, **table) for name, table in document.items())
    except TypeError as error:
        raise ValueError(f"{path}: {error}") from error


def missing_rows(document: Mapping[str, dict[str, Any]], path: Path) -> tuple[Row, ...]:
    """Return the rows that no study reproduces. Raises `ValueError` if a row has no reason."""
    rows = rows_of(document, path)
    for row in rows:
        if not row.reason:
            raise ValueError(f"{path}: {row.name} has no reason why no study reproduces it")
    return rows


def read_publication(folder: Path) -> Publication:
    """Read the ``publication.toml`` of a folder. Raises `ValueError` if it is incomplete."""
    path = folder / "publication.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return Publication(
            folder.name,
            table["short"],
            table["title"],
            table.get("pages", {}),
            missing_rows(table.get("missing", {}), path),
        )
    except KeyError as error:
        raise ValueError(f"{path}: the key {error} is missing") from error
