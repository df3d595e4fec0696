"""What the eager limit is called in each MPI library, and what comes with it."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["EAGER_LIMITS", "MEMORY_BUFFERS", "EagerLimit", "MemoryBuffer", "find_eager_limit", "find_memory_buffer"]


@dataclass(frozen=True, slots=True)
class EagerLimit:
    """Settings of one MPI library up to which messages are sent eagerly."""

    flavour: str
    pattern: re.Pattern[str]
    """Matches whole names, whatever the case of their letters."""

    overhead: int
    """Bytes that count to a message besides its data: a limit of 4096 does not hold a message of 4096 bytes then."""

    largest: int | None = None
    """What the library accepts at most; None where that is no matter of this setting."""

    source: str = ""


@dataclass(frozen=True, slots=True)
class MemoryBuffer:
    """The memory in which eager messages wait for their receiver."""

    flavour: str
    pattern: re.Pattern[str]
    largest: int
    source: str = ""


def _names(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in alternatives), re.IGNORECASE)


EAGER_LIMITS: tuple[EagerLimit, ...] = (
    EagerLimit("ibm", _names(r"(?:MP_)?eager_limit"), 0, 65536, "the paper, section 6"),
    EagerLimit(
        "openmpi",
        _names(r"(?:OMPI_MCA_)?btl_[a-z0-9]+_eager_limit"),
        256,
        None,
        "ompi_info: maximum size (in bytes, including header) of short messages",
    ),
    EagerLimit(
        "intel",
        _names(r"I_MPI_(?:[A-Z0-9]+_)*EAGER_THRESHOLD", r"(?:(?:intra|inter)node_)?eager_threshold"),
        0,
        None,
        "Intel MPI Library reference; the paper, section 6.2",
    ),
    EagerLimit(
        "mpich",
        _names(r"(?:MPIR_CVAR_|MPICH_)?(?:[A-Z0-9]+_)*EAGER_(?:MAX_MSG_SIZE|MAX_SZ|THRESHOLD)"),
        0,
        None,
        "descriptions of MPICH's control variables",
    ),
)
"""One row for each family. A name belongs to the first row that matches all of it."""

MEMORY_BUFFERS: tuple[MemoryBuffer, ...] = (
    MemoryBuffer("ibm", _names(r"(?:MP_)?buffer_mem"), 64 << 20, "the paper, section 6"),
)


def find_eager_limit(name: str) -> EagerLimit | None:
    """Return the row that the setting belongs to, or None when it is no eager limit."""
    return next((row for row in EAGER_LIMITS if row.pattern.fullmatch(name)), None)


def find_memory_buffer(name: str) -> MemoryBuffer | None:
    """Return the row that the setting belongs to, or None when it is no memory for eager messages."""
    return next((row for row in MEMORY_BUFFERS if row.pattern.fullmatch(name)), None)
