"""Implementation of ``adcl scale init``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.info import DescribeNotFoundError, find_companion
from adcl.scale import serial_study, starting_study

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write"]


def _bench() -> str:
    """Return the path of the installed library's benchmark; its name if it is not found."""
    try:
        return str(find_companion("adcl-bench"))
    except DescribeNotFoundError:
        return "adcl-bench"


def write(program: str | None, target: Path | None, *, serial: bool = False) -> str:
    """Write the study to a new file and return a message; without a file, return the study."""
    if serial and program is None:
        raise UsageError("--program is missing: name a benchmark that prints records, for example --program ./mine")
    if serial:
        text = serial_study("serial" if target is None else target.stem, program or "")
    else:
        name = "collectives" if target is None else target.stem
        text = starting_study(name, program or _bench(), len(os.sched_getaffinity(0)))
    if target is None:
        return text
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{target} exists; name another file, or remove it") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    return f"{target}: measure with 'adcl scale run {target}', check with 'adcl scale check {target}'\n"
