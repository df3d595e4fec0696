"""Command ``adcl info``."""

import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from adcl._suggest import nearest
from adcl._version import __version__
from adcl.cli._console import examples, new_app, output, print_json
from adcl.errors import UsageError
from adcl.info import Described, ListedCodelet, ListedSet, Method, Option, describe

__all__ = ["app"]

app = new_app()

_EPILOG = examples(
    "adcl info",
    "adcl info neighborhood",
    "adcl info ADCL_SEARCH Joined_pack",
    "ADCL_SEARCH=brute_force adcl info --options",
    "adcl info --json | jq '.build'",
)


@dataclass(frozen=True)
class _Named:
    """All parts of the document that belong to one name."""

    names: tuple[str, ...]
    """Accepted spellings of the name, the usual form first."""
    shown: ListedSet | ListedCodelet | Method | Option
    within: ListedSet | None = None


def _everything(described: Described) -> list[_Named]:
    description = described.description
    found = [
        _Named((function_set.name, function_set.constant), function_set) for function_set in description.function_sets
    ]
    found += [
        _Named((codelet.name, f"{within.name}:{codelet.name}"), codelet, within)
        for within in description.function_sets
        for codelet in within.codelets
    ]
    found += [_Named((option.name, option.name.removeprefix("ADCL_")), option) for option in description.options]
    found += [_Named((method.name,), method) for method in (*description.searches, *description.estimators)]
    return found


def _chosen(described: Described, names: list[str]) -> list[_Named]:
    everything = _everything(described)
    known = {name.lower(): entry.names[0] for entry in everything for name in entry.names}
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        near = nearest(unknown[0], known)
        hint = f"did you mean {known[near]}?" if near else "'adcl info' lists all names"
        raise UsageError(f"unknown name {unknown[0]!r}; {hint}")
    wanted = {name.lower() for name in names}
    return [entry for entry in everything if wanted & {name.lower() for name in entry.names}]


def _document(described: Described) -> dict[str, Any]:
    python = {
        "adcl": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "describe": str(described.program),
    }
    return {**described.document, "python": python}


@app.command(epilog=_EPILOG)
def info(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME", help="Names of function sets, codelets, options, logics or methods (default: all)."
        ),
    ] = None,
    *,
    codelets: Annotated[bool, typer.Option("--codelets", help="Show only function sets and their codelets.")] = False,
    options: Annotated[bool, typer.Option("--options", help="Show only options and their values.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the description of the library and of Python as JSON.")
    ] = False,
) -> None:
    """Show the build, the codelets and the options of ADCL.

    A codelet is one implementation of a communication pattern; a function set contains all codelets of one pattern. For
    each option, the table shows the value that a program started here would use, and the origin of the value. With
    NAME, show everything about that function set, codelet, option, logic or method.
    """
    described = describe()
    chosen = _chosen(described, names or [])
    if json:
        print_json(_document(described))
        return
    from adcl.cli import _info_tables as tables

    console = output()
    if chosen:
        for entry in chosen:
            tables.print_named(console, entry.shown, entry.within)
        return
    description = described.description
    everything = not (codelets or options)
    if everything:
        console.print(tables.build(described))
    if everything or codelets:
        for function_set in description.function_sets:
            tables.print_named(console, function_set)
    if everything:
        console.print(tables.methods("Selection logics (ADCL_SEARCH)", description.searches))
        console.print(tables.methods("Statistical methods (ADCL_OUTLIERS)", description.estimators))
    if everything or options:
        console.print(tables.options(description.options))
