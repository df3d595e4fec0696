"""Determine the MPI library of a program from its shared libraries."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.mpi_libraries import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.jobs import Family

__all__ = ["Linkage", "abi_library", "linkage"]

_TIMEOUT_S = 10.0

_FAMILIES = tuple(reversed(FAMILIES))
"""Families, derived libraries first, because their programs are also linked with the original library."""

# Libraries of a single family come before libraries identified by version. `libmpi_abi` belongs to any family.
_PATTERNS = (
    *((re.compile(rf"^\s*({one.own_libraries})", re.MULTILINE), one) for one in _FAMILIES),
    *(
        (re.compile(rf"^\s*({one.numbered_library})\b", re.MULTILINE), one)
        for one in _FAMILIES
        if one.numbered_library is not None
    ),
)
_ABI = re.compile(r"^\s*libmpi_abi\.so\S*\s+=>\s+(/\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Linkage:
    """A family, and the library that identifies it."""

    family: Family
    library: str
    path: Path | None
    """Path of the library; None if the program does not find it."""


def _libraries(program: Path, environment: Mapping[str, str] | None) -> str:
    """Return the output of ldd for a program; empty if ldd fails."""
    ldd = shutil.which("ldd")
    if ldd is None:
        return ""
    try:
        return subprocess.run(
            [ldd, program],
            capture_output=True,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=_TIMEOUT_S,
        ).stdout
    except (subprocess.TimeoutExpired, OSError, UnicodeDecodeError):
        return ""


def linkage(program: Path, environment: Mapping[str, str] | None = None) -> Linkage | None:
    """Return the MPI library that `program` is linked with.

    None for a script, a static or a library-independent program.
    """
    listing = _libraries(program, environment)
    for pattern, family in _PATTERNS:
        found = pattern.search(listing)
        if found:
            place = re.match(r"\S*\s+=>\s+(/\S+)", listing[found.start(1) :])
            return Linkage(family, found[1], Path(place[1]) if place else None)
    return None


def abi_library(program: Path, environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the library with the standard ABI of MPI 5 that `program` loads; None if it is not linked with one."""
    found = _ABI.search(_libraries(program, environment))
    return Path(found[1]) if found else None
