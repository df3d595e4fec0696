"""Control variables of an MPI library through its tools interface, MPI_T, by way of a small C program."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.tune.libraries._catalogue import Catalogue, Variable, VariableKind
from adcl.tune.libraries._native import ask, companion, compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.launch import Launcher

__all__ = ["parse_listing", "read_catalogue"]

_SOURCE = "control_variables.c"
_FIXED = ("constant",)
_ALTERNATIVE = re.compile(r"^\s*([A-Za-z][\w-]*)\s+- ", re.MULTILINE)
_JOINED = re.compile(r"([A-Za-z][\w-]*)\s+- (?=[A-Z])")
_JOINTS = (
    "Tree",
    "Allgather",
    "Ring",
    "collectives",
    "primitives",
    "receives",
    "allreduce",
    "reduce",
    "bcast",
    "barrier",
)
_SWITCH = re.compile(r"\b(?:true|false|enabled?|disabled?|nonzero|non-zero)\b", re.IGNORECASE)
_FEWEST = 2
_FIRST_LINE = re.compile(r"\s*Version:?\s*")


def _words(description: str) -> list[str]:
    """The words that a description explains, one in a line: ``auto - Internal algorithm selection``."""
    if "\n" in description:
        return _ALTERNATIVE.findall(description)
    # MPICH 4.0 has lost the ends of the lines: "… nonblocking algorithmsmp  - Force smp algorithmring - Force …".
    found = []
    for match in _JOINED.finditer(description):
        word = match[1]
        if word.startswith("algorithm") and word != "algorithm":
            word = word.removeprefix("algorithm")
            word = word[1:] if word.startswith("ss") else word
        else:
            joint = next((one for one in _JOINTS if word.startswith(one) and word != one), "")
            word = word.removeprefix(joint)
        found.append(word)
    return found


def _kind(row: dict[str, Any], words: dict[str, int | None]) -> VariableKind:
    if set(words) == {"true", "false"} or row["type"] == "bool":
        return "switch"
    if words:
        return "choice"
    # MPICH has no type for switches either.
    plain = row["type"] == "int" and str(row["name"]).startswith("MPIR_CVAR_")
    if plain and str(row.get("value")) in ("0", "1") and _SWITCH.search(row["description"]):
        return "switch"
    return "text" if row["type"] in ("text", "double", "other") else "number"


def _variable(row: dict[str, Any]) -> Variable:
    words: dict[str, int | None] = dict(row.get("items", {}))
    if not words and row["type"] == "int":
        # MPICH has no enumerations: variables that take words are numbers, and their words in the description.
        found = _words(row["description"])
        if len(found) >= _FEWEST:
            words = dict.fromkeys(found)
    kind = _kind(row, words)
    default = str(row.get("value", ""))
    if kind == "choice":
        by_number = {str(number): word for word, number in words.items() if number is not None}
        # Without numbers the default cannot be told, but for MPICH's 0, which is "auto".
        default = by_number.get(default, "auto" if default == "0" and "auto" in words else "")
    return Variable(
        row["name"],
        kind,
        default=default,
        description=row["description"],
        choices=words if kind == "choice" else {},
        minimum=0 if str(row["type"]).startswith("unsigned") else None,
        settable=row["scope"] not in _FIXED and not row["bound"],
    )


def parse_listing(text: str, source: str) -> Catalogue:
    """Read what the C program prints. Raises `AdclError`."""
    try:
        head, *rows = (json.loads(line) for line in text.splitlines())
        library = " ".join(_FIRST_LINE.sub(" ", str(head["library"]).splitlines()[0]).split(",")[0].split())
        variables = {row["name"]: _variable(row) for row in rows}
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise AdclError(f"{source} printed something other than control variables: {error!r}") from error
    return Catalogue(library, source, variables)


def read_catalogue(launcher: Launcher, compilers: Sequence[str], environment: dict[str, str]) -> Catalogue:
    """Compile the program with the compiler that lies beside the launcher, and run it alone. Raises `AdclError`."""
    compiler = companion(launcher, compilers)
    if compiler is None:
        raise AdclError(
            f"cannot read the variables of this MPI library: there is no {' or '.join(compilers)} beside "
            f"{launcher.path}; install its development package"
        )
    program = compiled(_SOURCE, compiler, environment)
    return parse_listing(ask([program], environment), f"MPI_T of {compiler}")
