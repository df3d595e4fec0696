"""Control variables of an MPI library through its tools interface, MPI_T, by way of a small C program."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.jobs import Job, Placement, run_with
from adcl.mpi_libraries._catalogue import Catalogue, Variable, VariableKind
from adcl.mpi_libraries._native import ask, companion, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adcl.jobs import Launcher

    MakeVariable = Callable[[dict[str, Any]], Variable]

__all__ = ["MakeVariable", "parse_listing", "plain_variable", "read_catalogue", "variables_in_use"]

_SOURCE = "control_variables.c"
_FIXED = ("constant",)
_IN_USE_S = 30.0
_FIRST_LINE = re.compile(r"\s*Version:?\s*")


def plain_variable(row: dict[str, Any]) -> Variable:
    """Make the variable of a row as MPI_T describes it."""
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


def parse_listing(text: str, source: str, make: MakeVariable = plain_variable) -> Catalogue:
    """Read what the C program prints, one row for each variable, of which `make` makes it. Raises `AdclError`."""
    try:
        head, *rows = (json.loads(line) for line in text.splitlines())
        library = " ".join(_FIRST_LINE.sub(" ", str(head["library"]).splitlines()[0]).split(",")[0].split())
        variables = {row["name"]: make(row) for row in rows}
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise AdclError(f"{source} printed something other than control variables: {error!r}") from error
    return Catalogue(library, source, variables)


def read_catalogue(
    launcher: Launcher, compilers: Sequence[str], environment: dict[str, str], make: MakeVariable = plain_variable
) -> Catalogue:
    """Compile the program with the compiler that lies beside the launcher, and run it alone.

    `make` makes a variable of what MPI_T says about it. Raises `AdclError`.
    """
    compiler = companion(launcher, compilers)
    if compiler is None:
        raise AdclError(
            f"cannot read the variables of this MPI library: there is no {' or '.join(compilers)} beside "
            f"{launcher.path}; install its development package"
        )
    program = compiled(_SOURCE, compiler, environment)
    return parse_listing(ask([program], environment), f"MPI_T of {compiler}", make)


def variables_in_use(
    launcher: Launcher, compilers: Sequence[str], environment: dict[str, str], unset: Sequence[str] = ()
) -> frozenset[str] | None:
    """Run the program on two ranks of this machine, and return the variables that there are after MPI_Init.

    MPI libraries close the components that they do not use there, and their variables are gone. `unset` are variables
    of the environment that would say what is used. None where that cannot be found out: there is no compiler, or no
    rank can be started here.
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
