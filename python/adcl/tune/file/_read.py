"""Read a tuning file in either form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl._source import Source
from adcl.tune.file._pipo import looks_like_pipo, parse_pipo
from adcl.tune.file._toml_form import parse_toml

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.tune.file._tuning_file import TuningFile

__all__ = ["load", "parse"]


def parse(source: Source) -> TuningFile:
    """Parse a tuning file; text that begins with ``MPI_PIPO`` has the paper's form. Raises `SourceError`."""
    return parse_pipo(source) if looks_like_pipo(source.text) else parse_toml(source)


def load(path: Path) -> TuningFile:
    """Read the file at `path`. Raises `UsageError`, for invalid contents with line and column."""
    return parse(Source.read(path))
