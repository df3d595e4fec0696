"""Run ``adcl-describe`` and validate its output."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError
from adcl.info._locate import VARIABLE, find_describe
from adcl.info._model import SCHEMA, Description

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DescribeError", "Described", "describe", "parse"]

_TIMEOUT_S = 30.0


class DescribeError(AdclError):
    """The native program failed, or its output is not readable by this version."""


@dataclass(frozen=True, slots=True)
class Described:
    """A description, its JSON document, and the program that printed it."""

    program: Path
    document: dict[str, Any]
    description: Description


def parse(text: str, origin: str) -> tuple[dict[str, Any], Description]:
    """Parse a document. Raises `DescribeError`, which names `origin`."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise DescribeError(f"{origin} did not print a JSON document: {error}") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA or isinstance(schema, bool):
        raise DescribeError(
            f"{origin} uses schema {schema!r}, but this adcl reads schema {SCHEMA}; install the adcl command and the "
            "library from the same version"
        )
    try:
        return document, decode(Description, document)
    except DecodeError as error:
        raise DescribeError(f"{origin} printed a document that violates schema {SCHEMA}: {error}") from error


def _ending(code: int) -> str:
    if code >= 0:
        return f"failed with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def describe(program: Path | None = None) -> Described:
    """Return the library's description. Option values reflect the environment of this process.

    Raises `DescribeNotFoundError` or `DescribeError`.
    """
    program = program or find_describe()
    # Used only by the adcl command; the library rejects unknown names with its prefix.
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    try:
        done = subprocess.run(
            [program], capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        raise DescribeError(
            f"{program} did not end within {_TIMEOUT_S:.0f} s; run it by hand to find the cause"
        ) from error
    except OSError as error:
        raise DescribeError(f"cannot run {program}: {error.strerror}; rebuild it for this machine") from error
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip() or "no error message"
        raise DescribeError(f"{program} {_ending(done.returncode)}: {message[-400:]}")
    document, description = parse(done.stdout.decode(errors="replace"), str(program))
    return Described(program, document, description)
