"""What is known about the eager limit of an MPI library, and about the memory that comes with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["EagerLimit", "MemoryBuffer", "named"]


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
class MemoryBuffer:
    """The memory in which eager messages wait for their receiver."""

    pattern: re.Pattern[str]
    """Matches whole names."""

    largest: int
    """Bytes that the library accepts at most."""
