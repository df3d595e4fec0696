"""What `adcl scale add` does."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from adcl import scale
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["take"]


def take(study: Path, files: Sequence[Path], name: str) -> None:
    """Put the measurements of all files into the store of the study, as those of the run `name`, or none of them."""
    one = scale.read_study(study)
    own = [file for file in files if file.exists() and one.store.exists() and file.samefile(one.store)]
    if own:
        raise UsageError(
            f"{own[0]} is where the study keeps its measurements; rename it, or name another file in {study}: "
            f'store = "…"'
        )
    store = scale.Store(one.store)
    known = store.finished(name)
    again = [file for file in files if f"file {file}" in known]
    if again:
        raise UsageError(f"run {name} in {one.store} has {again[0]} already; give the run another name: --run NAME")
    taken: list[tuple[Path, scale.Imported]] = []
    counts = store.append_all(name, ((f"file {file}", _some(file, taken)) for file in files), time.time())
    for file, imported in taken:
        notes = "".join(f"; {note}" for note in imported.notes)
        sys.stdout.write(f"{file}: {counts[f'file {file}']} measurements ({imported.kind}){notes}\n")


def _some(file: Path, taken: list[tuple[Path, scale.Imported]]) -> Iterator[scale.Measurement]:
    imported, empty = scale.open_any(file), True
    taken.append((file, imported))
    for one in imported.rows:
        yield one
        empty = False
    if empty:
        raise UsageError(f"{file} has no measurements")
