"""The list of all studies, docs/studies.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies._catalog import ROOT, Place, Study, all_studies
from studies._page import table

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["front_differences", "write_front"]

_PATH = ROOT / "docs" / "studies.md"
_BEGIN = "<!-- python -m studies render writes the lines from here on. -->\n"


def _row(study: Study) -> tuple[str, ...]:
    rendered = study.code().render(Place.of(study, quick=False))
    return (
        f"`{study.key}`",
        "; ".join(study.redoes),
        study.quick,
        study.full,
        study.record.get("date", study.record.get("commit", "")),
        "; ".join(map(str, rendered.agreement)) or "nothing is published",
    )


def _text(written: str) -> str:
    headers = ("study", "redoes", "quick run", "full run", "record", "agreement")
    head = written.partition(_BEGIN)[0]
    return f"{head}{_BEGIN}\n{table(headers, map(_row, all_studies()))}\n"


def write_front(path: Path = _PATH) -> Path:
    """Write the list behind the page's paragraphs; return the page's path."""
    path.write_text(_text(path.read_text(encoding="utf-8")), encoding="utf-8")
    return path


def front_differences(path: Path = _PATH) -> list[str]:
    """Return a line where the stored list is not what the present code writes."""
    written = path.read_text(encoding="utf-8")
    return [] if _text(written) == written else [f"{path.name}: the list differs; run python -m studies render"]
