"""Status line, progress bar, and folders of earlier runs, for commands that run a program many times."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from adcl.errors import AdclError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.progress import Progress

__all__ = ["StatusLine", "duration", "progress_bar", "set_aside"]


def set_aside(folder: Path) -> Path:
    """Rename a folder, so that a new folder can take its place; return the new name. Raises `AdclError`."""
    number = 1
    while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    try:
        folder.rename(aside)
    except OSError as error:
        raise AdclError(f"cannot rename {folder} to {aside}: {error.strerror}") from error
    return aside


def duration(seconds: float) -> str:
    """Format a duration as minutes and seconds, and from one hour on also with hours: `2:05`, `1:00:00`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class StatusLine:
    """Writes a line per run to standard error. On a terminal, the next line replaces it unless `keep` was called."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()

    def show(self, line: str) -> None:
        """Write the line of a run."""
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def keep(self, *lines: str) -> None:
        """Keep the line, and write further lines below it."""
        sys.stderr.write(("\n" if self._terminal else "") + "".join(f"{line}\n" for line in lines))
        sys.stderr.flush()

    def end(self) -> None:
        """Erase the line."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")


def progress_bar() -> Progress | None:
    """Return a progress bar, or None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
