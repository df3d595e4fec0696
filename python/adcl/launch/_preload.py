"""Find the libraries that programs preload, and extend the environment to preload them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.launch._linkage import abi_library, linkage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.jobs import Family

__all__ = ["find_library", "preload"]

_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCE_TREE = _PACKAGE.parents[1]
_DESCRIPTION = "libadcl.mpi"
"""File in each folder of the wheel: the versions of the MPI libraries, and a line for the standard ABI."""

_STANDARD_ABI = "standard ABI"


def _places(name: str) -> list[Path]:
    prefix = Path(sys.prefix)
    built = sorted(_SOURCE_TREE.glob(f"build/*/lib/{name}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    paths = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    installed = [prefix / "lib", prefix / "lib64", *(Path(path) for path in paths if path)]
    describe = shutil.which("adcl-describe")
    if describe is not None:
        # The path of the library's own program reveals where the library is installed.
        installed += [Path(describe).parents[1] / folder for folder in ("lib", "lib64")]
    installed.append(Path("/usr/local/lib"))
    # The wheel has a folder for each MPI library.
    packaged = sorted((_PACKAGE / "lib").glob(f"*/{name}"))
    return [*(folder / name for folder in installed), *packaged, *built]


def _major(text: str) -> str:
    """Return the first number of a version or of a line of MPI_Get_library_version."""
    found = re.search(r"\d+", text)
    return found[0] if found else ""


def _is_for(place: Path, version: str | None, *, standard_abi: bool) -> bool:
    """Return whether a library of the wheel fits the version of the MPI library; true for other libraries.

    Its file names only its ABI, which several versions and, for the standard ABI, several MPI libraries share. With
    another version, the interposer would pass all calls through.
    """
    description = place.with_name(_DESCRIPTION)
    if not place.is_relative_to(_PACKAGE / "lib") or not description.is_file():
        return True
    lines = description.read_text(encoding="utf-8").splitlines()
    if standard_abi or _STANDARD_ABI in lines:
        return standard_abi and _STANDARD_ABI in lines
    return version is None or _major(version) in map(_major, lines)


def find_library(
    name: str, family: Family, mpi: Path | None = None, *, version: str | None = None, standard_abi: bool = False
) -> Path | None:
    """Return the library with this file name that was built for programs of a family; None if there is none.

    `mpi` is the MPI library of the program: a library that was built with the same file precedes others. `version` is
    the version of the MPI library, if known. `standard_abi`: the program uses the standard ABI of MPI 5.
    """
    fitting: list[Path] = []
    for place in _places(name):
        if place.is_file() and _is_for(place, version, standard_abi=standard_abi):
            linked = linkage(place)
            # A library built for the standard ABI of MPI 5 misreads the constants of other MPI libraries.
            fits = linked is None or linked.family is family
            if fits and (family.standard_abi or abi_library(place) is None):
                if mpi is None or (linked is not None and linked.path is not None and linked.path.samefile(mpi)):
                    return place
                fitting.append(place)
    return fitting[0] if fitting else None


def preload(environment: Mapping[str, str | None], library: Path) -> dict[str, str | None]:
    """Return the environment of a job that preloads the library before all libraries that it already preloads."""
    already = environment.get("LD_PRELOAD") or os.environ.get("LD_PRELOAD", "")
    return {**environment, "LD_PRELOAD": f"{library}:{already}" if already else str(library)}
