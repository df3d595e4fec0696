"""Implementation of `adcl scale add`."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from adcl import scale
from adcl.cli._console import counted
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["take"]


def take(study: Path, files: Sequence[Path], name: str) -> None:
    """Add the measurements of all files to the study's store as run `name`; add none of them if one file fails."""
    one = scale.read_study(study)
    own = [file for file in files if file.exists() and one.store.exists() and file.samefile(one.store)]
    if own:
        raise UsageError(
            f'{own[0]} is the study\'s store; rename the file, or name another store in {study}: store = "…"'
        )
    store = scale.Store(one.store)
    known = store.finished(name)
    again = [file for file in files if f"file {file}" in known]
    if again:
        raise UsageError(f"run {name} in {one.store} already has {again[0]}; give the run another name: --run NAME")
    taken: list[tuple[Path, scale.Imported]] = []
    counts = store.append_all(
        name, ((f"file {file}", _require_measurements(file, taken)) for file in files), time.time()
    )
    for file, imported in taken:
        notes = "".join(f"; {note}" for note in imported.notes)
        count = counted(counts[f"file {file}"], "measurement")
        sys.stdout.write(f"{file}: {count} ({imported.kind}){notes}\n")


def _require_measurements(file: Path, taken: list[tuple[Path, scale.Imported]]) -> Iterator[scale.Measurement]:
    imported, empty = scale.open_any(file), True
    taken.append((file, imported))
    for one in imported.rows:
        yield one
        empty = False
    if empty:
        raise UsageError(f"{file} contains no measurements")
