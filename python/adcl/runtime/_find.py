"""Finds the file libadcl.so that fits the MPI library of mpi4py."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from adcl.runtime._errors import LibraryError

__all__ = ["DESCRIPTION", "VARIABLE", "BuiltFor", "Running", "find_library", "identity"]

VARIABLE = "ADCL_LIBRARY_PATH"
"""Environment variable with the path of libadcl.so, or of its folder."""

DESCRIPTION = "libadcl.mpi"
"""File beside libadcl.so. Line 1: version of its MPI library. Line 2, if it uses the standard ABI: "standard ABI"."""

_PACKAGE = Path(__file__).resolve().parents[1]
_NAMES = ("libadcl.so", "libadcl.so.1")
_STANDARD = "standard ABI"


@dataclass(frozen=True)
class Running:
    """The MPI library of this process."""

    version: str
    """First line of MPI_Get_library_version."""

    standard_abi: bool
    """Whether mpi4py uses it through the standard ABI of MPI 5.0."""

    path: str
    """Path of the shared library."""

    def __str__(self) -> str:
        through = " through the standard ABI" if self.standard_abi else ""
        return f"{self.version}{through} ({self.path})"


@dataclass(frozen=True)
class BuiltFor:
    """A libadcl and the MPI libraries that it runs with."""

    path: Path
    versions: tuple[str, ...]
    standard_abi: bool

    def fits(self, running: Running) -> bool:
        """Return whether this libadcl runs with the MPI library."""
        if self.standard_abi or running.standard_abi:
            return self.standard_abi == running.standard_abi
        return identity(running.version) in map(identity, self.versions)

    def __str__(self) -> str:
        return f"{self.path} for {'the standard ABI' if self.standard_abi else ' or '.join(self.versions)}"


def identity(version: str) -> str:
    """Return the name and the major version of an MPI library, as libadcl compares them."""
    line = re.sub(r"[ \t]+", " ", version.split("\n", 1)[0])
    found = re.match(r"\D*\d+", line)
    return found[0] if found else line


def _library_in(folder: Path) -> Path | None:
    return next((folder / name for name in _NAMES if (folder / name).is_file()), None)


def _described(folder: Path) -> BuiltFor | None:
    """Return the library in a folder; None if the library or its description is missing."""
    path, description = _library_in(folder), folder / DESCRIPTION
    if path is None or not description.is_file():
        return None
    lines = description.read_text(encoding="utf-8").splitlines()
    return BuiltFor(path, tuple(line for line in lines if line != _STANDARD), _STANDARD in lines)


def _folders(package: Path) -> list[list[Path]]:
    """Return the folders that may contain libraries, in groups by decreasing precedence."""
    groups = [sorted((package / "lib").glob("*"))]
    project = package.parents[1]
    if (project / "include" / "ADCL.h").is_file():
        built = [one for one in project.glob("build/*/lib") if _library_in(one) is not None]
        groups.append(sorted(built, key=lambda one: one.stat().st_mtime_ns, reverse=True))
    prefixes = {sys.prefix: None, **({str(package.parents[3]): None} if len(package.parents) > 3 else {})}  # noqa: PLR2004
    groups.append([Path(prefix) / lib for prefix in prefixes for lib in ("lib", "lib64")])
    return groups


def find_library(running: Running, package: Path = _PACKAGE) -> str:
    """Return the path of libadcl, or its name if only the dynamic loader can find it.

    Searches ``$ADCL_LIBRARY_PATH``, the folders of the installed package (one for each MPI library), the build folders
    of the source tree (newest first), and the prefix of the environment. Raises `LibraryError` if the package has
    libraries, but none for this MPI library; the message names both.
    """
    named = os.environ.get(VARIABLE, "")
    if named:
        return str(_named(named, running))
    seen: list[BuiltFor] = []
    for group in _folders(package):
        described = [one for one in map(_described, group) if one is not None]
        for one in described:
            if one.fits(running):
                return str(one.path)
        seen += described
    if not seen:
        return _NAMES[-1]
    raise LibraryError(
        f"mpi4py uses {running}, but this package has libadcl only for other MPI libraries: "
        f"{'; '.join(map(str, seen))}. Use mpi4py with one of these, or build ADCL for this MPI library and set "
        f"{VARIABLE} to the path of its libadcl.so"
    )


def _named(named: str, running: Running) -> Path:
    """Return the library that the variable names. Raises `LibraryError`."""
    path = Path(named)
    found = _library_in(path) if path.is_dir() else path if path.is_file() else None
    if found is None:
        raise LibraryError(
            f"{VARIABLE}={named} is neither libadcl.so nor a folder that contains it; unset the variable, or give it "
            "the path of libadcl.so"
        )
    described = _described(found.parent)
    if described is not None and not described.fits(running):
        raise LibraryError(
            f"{VARIABLE}={named} was built for "
            f"{'the standard ABI' if described.standard_abi else ' or '.join(described.versions)}, but mpi4py uses "
            f"{running}; unset the variable, or give it the path of a libadcl.so for this MPI library"
        )
    return found
