"""Properties of an MPI library's eager limit and of the memory for eager messages."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

__all__ = ["Cells", "EagerLimit", "MemoryBuffer", "named"]

_LEAST = 64
"""Smallest number of bytes per message in Expression (1)."""


def named(*alternatives: str) -> re.Pattern[str]:
    """Combine regular expressions into one case-insensitive pattern that matches any of them."""
    return re.compile("|".join(f"(?:{alternative})" for alternative in alternatives), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EagerLimit:
    """Settings for the largest size of messages that are sent eagerly."""

    pattern: re.Pattern[str]
    """Matches the full names of the settings."""

    overhead: int = 0
    """Header bytes that count toward the limit; with a header, a limit of 4096 excludes messages of 4096 bytes."""

    largest: int | None = None
    """Largest value that the library accepts; None if unknown."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of a library's memory for eager messages; a message occupies one or more."""

    size: re.Pattern[str] | None
    """Matches the full names of settings for the bytes of a cell; None: a cell is as large as the eager limit."""

    usual: int = 0
    """Default bytes of a cell."""

    header: int = 0
    """Bytes of each cell that do not hold data of the message."""


@dataclass(frozen=True, slots=True)
class MemoryBuffer:
    """Memory in which eager messages wait for their receiver, by Expression (1) of A. Sikora et al.

    2n·max(eager limit, 64) bytes for n processes: room for two of the largest eager messages to or from each process.
    The expression gives the limit in KB, and 8000 KB for 1000 processes and 4 KB; so its 64 must be bytes, IBM MPI's
    minimum.
    """

    pattern: re.Pattern[str]
    """Matches the full names of the settings."""

    largest: int | None = None
    """Largest value that the library accepts; None if unknown."""

    of_each_process: bool = False
    """Whether the setting is per peer process, so that it does not grow with the number of processes."""

    messages: int = 2
    """Number of largest eager messages per process for which there is room."""

    cells: Cells | None = None
    """Cells, if the setting counts cells; None if it counts bytes."""

    def required_size(self, limit: int, ranks: int, cell: int | None = None) -> int:
        """Return the bytes, or cells, that the expression gives for an eager limit in bytes.

        `cell` is the size of a cell in bytes, if a trial changes it.
        """
        messages = self.messages * (1 if self.of_each_process else ranks)
        size = max(limit, _LEAST)
        if self.cells is None:
            return messages * size
        if self.cells.size is None:
            return messages
        room = max((cell or self.cells.usual) - self.cells.header, 1)
        return messages * math.ceil(size / room)

    @property
    def text(self) -> str:
        """The expression as text."""
        count = str(self.messages) if self.of_each_process else f"{self.messages}n"
        unit, processes = "", "" if self.of_each_process else " for n processes"
        if self.cells is not None:
            unit = " in cells" if self.cells.size is not None else " in fragments of that size"
        return f"{count}·max(eager limit, {_LEAST}) bytes{unit}{processes}"
