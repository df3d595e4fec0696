"""The form in which a bench runs, and the document that it writes.

The environment variable ``BENCH_FORM`` names the form: ``usual`` (the default), ``full`` where a bench has one that
takes longer, or ``short``, in which tests run every bench. The short form takes seconds and writes all kinds of
figures; their values mean nothing.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FORM", "effort", "write"]

FORM = os.environ.get("BENCH_FORM") or "usual"
_T = TypeVar("_T")


def effort(usual: _T, few: _T) -> _T:
    """Return `usual`, or `few` in the short form."""
    return few if FORM == "short" else usual


def write(path: Path, context: dict[str, Any], figures: list[dict[str, Any]], **more: Any) -> None:
    """Write the document of a bench; `more` are further entries of it."""
    document = {"context": {"form": FORM, **context}, "figures": figures, **more}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
