"""The form of a bench, its command line, and the document that it writes.

The environment variable ``BENCH_FORM`` names the form: ``usual`` (the default), ``full`` for benches with a longer
form, or ``short``, which the tests use for every bench. The short form takes seconds and writes all kinds of figures;
their values are meaningless.

A bench writes its figures as a dictionary. Each name has a value, or a dictionary with the value and additional entries
for the document. figures.toml declares units and targets, which ``make bench`` adds to the document.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FORM", "ROOT", "TIE", "Figures", "command_line", "effort", "write"]

FORM = os.environ.get("BENCH_FORM") or "usual"
ROOT = Path(__file__).resolve().parents[1]
TIE = 0.02
"""Relative difference up to which times count as equal."""
Figures = dict[str, float | dict[str, Any]]
_T = TypeVar("_T")


def effort(usual: _T, few: _T) -> _T:
    """Return `usual`, or `few` in the short form."""
    return few if FORM == "short" else usual


def command_line(about: str | None) -> argparse.ArgumentParser:
    """Return a command-line parser with the options of all benches."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = ROOT / "build" / "openmpi"
    parser.add_argument("--build", type=Path, default=build, help="folder of a build (default: build/openmpi)")
    parser.add_argument("--output", type=Path, required=True, help="write the document to this file")
    return parser


def write(path: Path, context: dict[str, Any], figures: Mapping[str, float | dict[str, Any]], **more: Any) -> None:
    """Write the document of a bench; `more` are additional entries."""
    rows = [{"name": name, **(one if isinstance(one, dict) else {"value": one})} for name, one in figures.items()]
    machine = platform.processor() or platform.machine()
    document = {"context": {"form": FORM, "machine": machine, **context}, "figures": rows, **more}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
