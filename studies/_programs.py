"""Published listings and the programs that make their calls: ``examples/published/printed.toml``."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies._catalog import ROOT, StudyError
from studies._publications import Row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["PROGRAMS", "Listing", "all_listings", "calls_of", "listing_differences"]

PROGRAMS = ROOT / "examples" / "published"
_FIXED = (".f", ".inc")
_FORTRAN = (*_FIXED, ".F90")


@dataclass(frozen=True)
class Listing:
    """A published listing: its calls in order, and the program in this repository that makes them."""

    publication: str
    row: Row
    program: Path
    calls: tuple[str, ...]
    """Calls as published; for a declaration, the call that it allows."""

    command: str
    """Command that runs the program's tests."""

    declares: tuple[str, ...]
    """Variables of a listing of declarations."""

    differs: Mapping[str, tuple[str, str]]
    """Published calls that differ in the program: the program's call, and the reason."""


def all_listings(folder: Path = PROGRAMS) -> list[Listing]:
    """Return the listings in the order of the file. Raises `StudyError` if a key is missing."""
    path = folder / "printed.toml"
    try:
        return [
            Listing(
                publication=one["publication"],
                row=Row(one["name"], one["shows"], one["section"]),
                program=folder / one["program"],
                calls=tuple(one["calls"]),
                command=one.get("command", f"ctest --preset openmpi -R published_{(folder / one['program']).stem}"),
                declares=tuple(one.get("declares", ())),
                differs={call: (other["here"], other["why"]) for call, other in one.get("differs", {}).items()},
            )
            for one in tomllib.loads(path.read_text(encoding="utf-8"))["listing"]
        ]
    except KeyError as error:
        raise StudyError(f"{path}: the key {error} is missing") from error


def _joined(path: Path) -> str:
    """Return a program without comments, with each statement in one line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in _FIXED:
        code = "\n".join("" if line[:1] in "!cC*" else line.partition("!")[0] for line in text.splitlines())
        return re.sub(r"\n {5}\S", " ", code)
    if path.suffix == ".F90":
        code = "\n".join(line.partition("!")[0].rstrip() for line in text.splitlines())
        return re.sub(r"&\s*\n", " ", code)
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def _compact(call: str, *, fortran: bool) -> str:
    compact = re.sub(r"\s+", "", call)
    return compact.lower() if fortran else compact


def calls_of(path: Path) -> list[str]:
    """Return a program's calls of MPI and ADCL in order, without blanks; Fortran calls in lower case."""
    fortran = path.suffix in _FORTRAN
    text, found = _joined(path), []
    for match in re.finditer(r"\b(?:MPI|ADCL)_\w+\s*\(", text, re.IGNORECASE if fortran else 0):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        found.append(_compact(text[match.start() : at], fortran=fortran))
    return found


def listing_differences(listing: Listing) -> list[str]:
    """Return a line for each published call that the program lacks in this order, and for each missing variable."""
    fortran = listing.program.suffix in _FORTRAN
    there, at, found = calls_of(listing.program), 0, []
    for printed in listing.calls:
        call, _ = listing.differs.get(printed, (printed, ""))
        wanted = _compact(call, fortran=fortran)
        if wanted in there[at:]:
            at = there.index(wanted, at) + 1
        else:
            found.append(f"{listing.program.name}: {listing.row.name}: {call} is not called in the published order")
    text = _joined(listing.program)
    found += [
        f"{listing.program.name}: {listing.row.name}: {name} is not declared there"
        for name in listing.declares
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    ]
    unknown = set(listing.differs) - set(listing.calls)
    return [*found, *(f"{listing.row.name}: {call} is not a published call" for call in sorted(unknown))]
