"""Which MPI library a program was linked with, as far as its shared libraries tell."""

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
"""Of libraries that are derived from others, the derived ones first: programs are linked with both."""

# Libraries that only one family has, before those whose number tells. `libmpi_abi` is anybody's.
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
    """A family, and the library that gave it away."""

    family: Family
    library: str
    path: Path | None
    """Of the library; None where the program does not find it."""


def _libraries(program: Path, environment: Mapping[str, str] | None) -> str:
    """What ldd says of it; nothing where it cannot say."""
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
    """Tell what `program` is linked with. None for a script, a static program, or one for every MPI library."""
    said = _libraries(program, environment)
    for pattern, family in _PATTERNS:
        found = pattern.search(said)
        if found:
            place = re.match(r"\S*\s+=>\s+(/\S+)", said[found.start(1) :])
            return Linkage(family, found[1], Path(place[1]) if place else None)
    return None


def abi_library(program: Path, environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the library with the standard ABI of MPI 5 that `program` finds; None where it is not linked with one."""
    found = _ABI.search(_libraries(program, environment))
    return Path(found[1]) if found else None
