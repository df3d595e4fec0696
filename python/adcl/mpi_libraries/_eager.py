"""What is known about the eager limit of an MPI library, and about the memory that comes with it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

__all__ = ["Cells", "EagerLimit", "MemoryBuffer", "named"]

_LEAST = 64
"""Bytes that Expression (1) counts for a message at least."""


def named(*alternatives: str) -> re.Pattern[str]:
    """Make a pattern of regular expressions, any of which may match; the case of letters makes no difference."""
    return re.compile("|".join(f"(?:{alternative})" for alternative in alternatives), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EagerLimit:
    """Settings of an MPI library up to which messages are sent eagerly."""

    pattern: re.Pattern[str]
    """Matches whole names."""

    overhead: int = 0
    """Bytes that count to a message besides its data: a limit of 4096 does not hold a message of 4096 bytes then."""

    largest: int | None = None
    """What the library accepts at most; None where nothing is known of a maximum."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The pieces of which a library's memory for eager messages consists; a message takes one of them, or several."""

    size: re.Pattern[str] | None
    """Matches the whole names of settings for the bytes of a cell; None: a cell is as large as the eager limit."""

    usual: int = 0
    """Bytes of a cell where nothing is set."""

    header: int = 0
    """Bytes of each that are not for the message's data."""


@dataclass(frozen=True, slots=True)
class MemoryBuffer:
    """The memory in which eager messages wait for their receiver, by the paper's Expression (1).

    That is 2n·max(eager limit, 64) for n processes: room for two of the largest eager messages to or from each. The
    expression has the limit in KB, and 8000 KB for 1000 processes and 4 KB: its 64 can only be bytes, the least that
    IBM MPI takes.
    """

    pattern: re.Pattern[str]
    """Matches whole names."""

    largest: int | None = None
    """What the library accepts at most; None where nothing is known of a maximum."""

    of_each_process: bool = False
    """Whether the setting is about the share of one other process, so that it does not grow with their number."""

    messages: int = 2
    """For how many of the largest eager messages of a process there is room."""

    cells: Cells | None = None
    """Where the setting counts cells; None where it counts bytes."""

    def wanted(self, limit: int, ranks: int, cell: int | None = None) -> int:
        """Return the bytes, or the cells, that the expression gives for an eager limit in bytes.

        `cell` is the size of a cell in bytes, where another one is tried than the usual.
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
        """The expression in words."""
        count = str(self.messages) if self.of_each_process else f"{self.messages}n"
        unit, processes = "", "" if self.of_each_process else " for n processes"
        if self.cells is not None:
            unit = " in cells" if self.cells.size is not None else " in fragments of that size"
        return f"{count}·max(eager limit, {_LEAST}) bytes{unit}{processes}"
