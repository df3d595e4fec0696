"""Find the programs of the native library."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from adcl.errors import AdclError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PROGRAM", "VARIABLE", "DescribeNotFoundError", "find_companion", "find_describe"]

PROGRAM = "adcl-describe"
VARIABLE = "ADCL_DESCRIBE"
_PACKAGE = Path(__file__).resolve().parents[1]


class DescribeNotFoundError(AdclError):
    """The native program was not found."""


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _installed(package: Path) -> Iterable[Path]:
    yield Path(sys.prefix) / "bin" / PROGRAM
    # PREFIX/lib/python3.x/site-packages/adcl: the library's prefix may differ from the interpreter's.
    if package.parent.name in ("site-packages", "dist-packages") and len(package.parents) > 3:  # noqa: PLR2004
        yield package.parents[3] / "bin" / PROGRAM


def _built(package: Path) -> Iterable[Path]:
    project = package.parents[1]
    if (project / "include" / "ADCL.h").is_file():
        found = [path for path in project.glob(f"build/*/bin/{PROGRAM}") if _is_program(path)]
        yield from sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def find_describe(environment: Mapping[str, str] = os.environ, package: Path = _PACKAGE) -> Path:
    """Return the path of ``adcl-describe``.

    Searches ``$ADCL_DESCRIBE``, the installed package's prefix, the build folders of the source tree (newest first),
    and PATH. Raises `DescribeNotFoundError`.
    """
    named = environment.get(VARIABLE, "")
    if named:
        if not _is_program(Path(named)):
            raise DescribeNotFoundError(
                f"{VARIABLE}={named} is not a program; unset the variable, or give it the path of {PROGRAM}"
            )
        return Path(named)
    for path in (*_installed(package), *_built(package)):
        if _is_program(path):
            return path
    found = shutil.which(PROGRAM, path=environment.get("PATH"))
    if found:
        return Path(found)
    raise DescribeNotFoundError(
        f"cannot find {PROGRAM}, which describes the native library; build it (cmake --preset openmpi && cmake "
        f"--build --preset openmpi), install it, or set {VARIABLE} to its path"
    )


def find_companion(name: str) -> Path:
    """Return the path of another program in the folder of ``adcl-describe``. Raises `DescribeNotFoundError`."""
    beside = find_describe().with_name(name)
    if not _is_program(beside):
        raise DescribeNotFoundError(f"{name} is not in {beside.parent}; build or install it there")
    return beside
