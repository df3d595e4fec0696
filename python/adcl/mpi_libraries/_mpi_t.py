"""Read an MPI library's control variables through its tools interface, MPI_T, with a small C program."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.jobs import Job, Placement, run_with
from adcl.mpi_libraries._catalog import Catalog, Variable, VariableKind
from adcl.mpi_libraries._native import ask, companion, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adcl.jobs import Launcher

    MakeVariable = Callable[[dict[str, Any]], Variable]

__all__ = ["MakeVariable", "parse_listing", "plain_variable", "read_catalog", "variables_in_use"]

_SOURCE = "control_variables.c"
_FIXED = ("constant",)
_IN_USE_S = 30.0
_FIRST_LINE = re.compile(r"\s*Version:?\s*")


def plain_variable(row: dict[str, Any]) -> Variable:
    """Convert a row of MPI_T to a variable."""
    words: dict[str, int | None] = dict(row.get("items", {}))
    kind: VariableKind = "text" if row["type"] in ("text", "double", "other") else "number"
    if set(words) == {"true", "false"} or row["type"] == "bool":
        kind = "switch"
    elif words:
        kind = "choice"
    default = str(row.get("value", ""))
    if kind == "choice":
        default = {str(number): word for word, number in words.items()}.get(default, "")
    return Variable(
        row["name"],
        kind,
        default=default,
        description=row["description"],
        choices=words if kind == "choice" else {},
        minimum=0 if str(row["type"]).startswith("unsigned") else None,
        settable=row["scope"] not in _FIXED and not row["bound"],
    )


def parse_listing(text: str, source: str, make: MakeVariable = plain_variable) -> Catalog:
    """Parse the C program's output and convert each row with `make`. Raises `AdclError`."""
    try:
        head, *rows = (json.loads(line) for line in text.splitlines())
        library = " ".join(_FIRST_LINE.sub(" ", str(head["library"]).splitlines()[0]).split(",")[0].split())
        variables = {row["name"]: make(row) for row in rows}
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise AdclError(f"{source} did not print a list of control variables: {error!r}") from error
    return Catalog(library, source, variables)


def read_catalog(
    launcher: Launcher, compilers: Sequence[str], environment: dict[str, str], make: MakeVariable = plain_variable
) -> Catalog:
    """Compile the program that reads MPI_T with the compiler next to the launcher, and run one process of it.

    `make` converts MPI_T's description of a variable. Raises `AdclError`.
    """
    compiler = companion(launcher, compilers)
    if compiler is None:
        raise AdclError(
            f"cannot read the variables of this MPI library: there is no {' or '.join(compilers)} next to "
            f"{launcher.path}; install its development package"
        )
    program = compiled(_SOURCE, compiler, environment)
    return parse_listing(ask([program], environment), f"MPI_T of {compiler}", make)


def variables_in_use(
    launcher: Launcher, compilers: Sequence[str], environment: dict[str, str], unset: Sequence[str] = ()
) -> frozenset[str] | None:
    """Run the program on two ranks of this machine; return the variables that exist after MPI_Init.

    MPI libraries close unused components in MPI_Init, and their variables disappear. `unset` lists environment
    variables that would influence the selection. Returns None if there is no compiler or no rank can be started here.
    """
    compiler = companion(launcher, compilers)
    if compiler is None:
        return None
    try:
        program = compiled(_SOURCE, compiler, environment)
        job = Job(
            str(program),
            ("used",),
            ranks=2,
            environment=dict.fromkeys(unset),
            timeout_s=_IN_USE_S,
            placement=Placement(oversubscribe=True),
        )
        done = run_with(job, launcher)
    except AdclError:
        return None
    names = frozenset(line.strip() for line in done.stdout.splitlines() if re.fullmatch(r"\w+", line.strip()))
    return names if done.ok and names else None
