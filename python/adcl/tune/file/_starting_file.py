"""Write a starting tuning file: the settings of the installed MPI library with types, ranges and descriptions."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.mpi_libraries import UNSET
from adcl.tune.file._toml_writer import parameter_line, text
from adcl.tune.space import Choices, Condition, Parameter, Steps

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from adcl.mpi_libraries import Catalog, MpiLibrary, Variable

__all__ = ["starting_file", "suggested"]

_WIDTH = 110
_DESCRIPTION = 400
_SIZE = re.compile(r"limit|size|_sz|threshold|buf(?!fers)|length|segment|memory|chunk", re.IGNORECASE)
_COUNT = re.compile(r"_num$|_threshold$|depth|count|fanout", re.IGNORECASE)
_LARGEST = 1 << 30
_SYSTEM_BUFFER = (65536, 4 << 20)
_USUAL_SIZES = (1024, 262144)


def _power_below(number: int) -> int:
    return 1 << (number.bit_length() - 1)


def _is_count(variable: Variable, library: MpiLibrary) -> bool:
    patterns = (_COUNT,) if library.counts is None else (_COUNT, library.counts)
    return any(pattern.search(variable.name) is not None for pattern in patterns)


def _number_domain(variable: Variable, library: MpiLibrary) -> Steps | None:
    default = variable.as_value(variable.default)
    low = 1 if variable.minimum is None else max(1, variable.minimum)
    high = _LARGEST if variable.maximum is None else variable.maximum
    counts = _is_count(variable, library)
    if isinstance(default, int) and default > 0:
        middle = _power_below(default)
        start, end = (middle // 4, middle * 8) if counts or default < 256 else (middle // 8, middle * 16)  # noqa: PLR2004
    elif _SIZE.search(variable.name) and not counts:
        start, end = _SYSTEM_BUFFER if re.search(r"(?:snd|rcv)buf", variable.name) else _USUAL_SIZES
    else:
        return None
    start, end = max(low, start), min(high, end)
    return Steps(start, end, multiply=2) if start < end else None


def _switch_words(default: str) -> tuple[str | int, str | int]:
    pairs: tuple[tuple[str | int, str | int], ...] = (("false", "true"), ("no", "yes"), ("off", "on"), (0, 1))
    return next((pair for pair in pairs if default.lower() in map(str, pair)), pairs[0])


def suggested(variable: Variable, library: MpiLibrary, ranks: int | None = None) -> Steps | Choices | None:
    """Return values to try; None if no sensible values are known."""
    domain = library.usual_values(variable) or _usual(variable, library, ranks)
    default = variable.as_value(variable.default)
    chosen_at_run_time = default is None or str(default).startswith("-")
    if isinstance(domain, Steps) and chosen_at_run_time:
        return Choices((UNSET, *domain.values))
    return domain


def _usual(variable: Variable, library: MpiLibrary, ranks: int | None) -> Steps | Choices | None:
    match variable.kind:
        case "switch":
            return Choices(_switch_words(variable.default))
        case "choice":
            words = [word for word in variable.choices if ranks == 2 or word not in library.for_two_ranks]  # noqa: PLR2004
            return Choices(tuple(words)) if len(words) > 1 else None
        case "number":
            return _number_domain(variable, library)
        case "text" if variable.minimum is not None and variable.maximum is not None:
            return Steps(max(1, variable.minimum), variable.maximum, 1)
    return None


def _about(variable: Variable) -> list[str]:
    described = " ".join(variable.description.split())
    if len(described) > _DESCRIPTION:
        described = described[:_DESCRIPTION].rsplit(" ", 1)[0] + " …"
    bounds = ""
    if variable.minimum is not None and variable.maximum is not None:
        bounds = f" from {variable.minimum} to {variable.maximum}"
    elif variable.minimum is not None:
        bounds = f" of at least {variable.minimum}"
    kinds = {
        "number": f"whole number{bounds}",
        "switch": "yes or no",
        "choice": "one of a list",
        "text": f"text{bounds}",
    }
    facts = f"{kinds[variable.kind]}; default {variable.default or 'not known'}"
    if variable.kind == "choice":
        facts = f"one of {', '.join(variable.choices)}; default {variable.default or 'not known'}"
    paragraphs = [described, facts] if described else [facts]
    return [f"# {line}" for paragraph in paragraphs for line in textwrap.wrap(paragraph, _WIDTH)]


@dataclass(frozen=True)
class _Writer:
    library: MpiLibrary
    catalog: Catalog
    ranks: int | None

    def parameter(self, variable: Variable) -> Parameter | None:
        domain = suggested(variable, self.library, self.ranks)
        limit = self.library.upper_limit(variable.name, self.catalog)
        if isinstance(domain, Steps) and limit is not None:
            domain = dataclasses.replace(domain, end=min(domain.end, limit[1]))
        if domain is None:
            return None
        default = variable.as_value(variable.default)
        if UNSET in domain.values and default not in domain.values:
            default = UNSET
        elif isinstance(domain, Choices):
            default = next(
                (value for value in domain.values if default is not None and variable.same(value, default)), default
            )
        return Parameter(variable.name, domain, default, self._condition(variable))

    def _condition(self, variable: Variable) -> Condition | None:
        needed = self.library.needs(variable.name)
        governor = self.catalog.variables.get(needed[0]) if needed else None
        domain = suggested(governor, self.library, self.ranks) if governor else None
        if needed is None or domain is None:
            return None
        return Condition(needed[0], tuple(value for value in domain.values if str(value) in needed[1]))

    def lines(self, variables: Iterable[Variable], *, mark: str = "") -> list[str]:
        """Return the lines for these variables; with a mark, they are comments."""
        written = []
        for variable in variables:
            parameter = self.parameter(variable)
            if parameter is None and not mark:
                continue
            line = f"{variable.name} = …" if parameter is None else parameter_line(parameter)
            limit = self.library.upper_limit(variable.name, self.catalog)
            further = [] if limit is None else [f"# not above {limit[0]}, which is {limit[1]} by default"]
            written += ["", *_about(variable), *further, f"{mark}{line}"]
        return written

    def governors(self, variables: Iterable[Variable]) -> list[Variable]:
        """Return the variables with their prerequisites before them."""
        wanted = {variable.name: variable for variable in variables}
        needed = [self.library.needs(name) for name in wanted]
        first = {need[0] for need in needed if need is not None and need[0] in self.catalog.variables}
        return [
            *(self.catalog.variables[name] for name in sorted(first)),
            *(v for n, v in wanted.items() if n not in first),
        ]


def starting_file(
    library: MpiLibrary,
    catalog: Catalog,
    *,
    ranks: int | None = None,
    network: bool = False,
    everything: bool = False,
    unused: Collection[str] = (),
) -> str:
    """Write a tuning file.

    The parameters are the variables that are known to affect the speed of programs, with variables of networks only if
    `network` is set. Variables that may affect the speed follow as comments, and with `everything` all variables of the
    library. The file omits read-only variables, variables of kernel modules that this machine lacks, and the variables
    in `unused`.
    """
    from adcl.tune.file._tuning_file import search_names

    writer = _Writer(library, catalog, ranks)
    offered = (variable for name, variable in catalog.variables.items() if everything or name not in unused)
    known = sorted(offered, key=lambda variable: variable.name)
    chosen = [
        variable
        for variable in known
        if library.preselected(variable)
        and (network or not library.is_network_only(variable))
        and not library.cannot_be_used(variable)
    ]
    others = [
        variable
        for variable in known
        if variable not in chosen and (everything or library.relevant(variable) or library.preselected(variable))
    ]
    others = [other for other in others if other.settable and not other.alias]
    if not everything:
        others = [other for other in others if not library.cannot_be_used(other)]
    lines = [
        f"# Settings of {catalog.library}, as {catalog.source} reports them, for: adcl tune run FILE -- PROGRAM",
        "# A parameter is a list of values, or { from = …, to = …, step = … }, or has factor = … instead of step;",
        '# without both, the search chooses the values. "unset" leaves the choice to the library. default = … is the',
        "# value without any setting. when = … restricts a parameter to certain values of another parameter.",
        f"mpi = {text(library.key)}",
        f"# search = …  # one of {', '.join(search_names())}",
        "# expect = 'Verification: successful'  # a regular expression that the output of a successful run matches",
        "# constraints = ['PARAMETER >= 2 * OTHER']",
        "",
        "[parameters]",
        *writer.lines(writer.governors(chosen)),
        "",
        f"# {len(others)} further variables{'' if everything else ' that may affect the speed of programs'} follow;",
        "# remove the # before the names of the variables to try.",
        *writer.lines(others, mark="# "),
        "",
        "[objective]",
        "# wall: the time of the whole job, including the start of the ranks. For a program that runs less than ten",
        "# times as long as its start, use a time that it prints, by a regular expression whose group is the number:",
        "# measure = 'output'",
        "# pattern = 'Time = ([0-9.eE+-]+)'",
        "# mpi: the time in MPI. energy: the energy that this machine's processors consume.",
        'measure = "wall"',
        "",
        "# [trial]",
        "# folder = true  # run each trial in a separate folder, for programs that write files",
        "",
        "# [budget]",
        "# trials = 100",
        '# time = "1h"',
    ]
    return "\n".join(lines) + "\n"
