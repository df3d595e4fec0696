"""``adcl info``."""

import sys
from typing import Annotated, Any

import typer

from adcl._version import __version__
from adcl.cli._console import examples, new_app, output, print_json
from adcl.errors import UsageError
from adcl.info import Described, FunctionSet, describe

__all__ = ["app"]

app = new_app()

_EPILOG = examples(
    "adcl info",
    "adcl info --codelets neighborhood",
    "ADCL_SEARCH=brute_force adcl info --options",
    "adcl info --json | jq '.build'",
)


def _chosen(described: Described, names: list[str]) -> tuple[FunctionSet, ...]:
    sets = described.description.function_sets
    if not names:
        return sets
    known = {key.lower(): one for one in sets for key in (one.name, one.constant)}
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        import difflib

        near = difflib.get_close_matches(unknown[0].lower(), known, 1)
        hint = f"did you mean {known[near[0]].name}?" if near else f"there are {', '.join(one.name for one in sets)}"
        raise UsageError(f"there is no function set {unknown[0]!r}; {hint}")
    wanted = [known[name.lower()] for name in names]
    return tuple(one for one in sets if one in wanted)


def _document(described: Described) -> dict[str, Any]:
    python = {
        "adcl": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "describe": str(described.program),
    }
    return {**described.document, "python": python}


@app.command(epilog=_EPILOG)
def info(
    sets: Annotated[
        list[str] | None, typer.Argument(metavar="SET", help="Function sets to show; all when none is named.")
    ] = None,
    *,
    codelets: Annotated[bool, typer.Option("--codelets", help="Show only function sets and their codelets.")] = False,
    options: Annotated[bool, typer.Option("--options", help="Show only options and their values.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the library's own document, with what Python adds to it.")
    ] = False,
) -> None:
    """Show how ADCL was built, its codelets and its options.

    A codelet is one implementation of a communication pattern, and a function set all those of one pattern. Of an
    option, the value is shown that a program started here would see, and where that value comes from.
    """
    described = describe()
    chosen = _chosen(described, sets or [])
    if json:
        print_json(_document(described))
        return
    from adcl.cli import _info_tables as tables

    console = output()
    everything = not (codelets or options or sets)
    if everything:
        console.print(tables.build(described))
    if everything or codelets or sets:
        for one in chosen:
            tables.print_function_set(console, one)
    if everything:
        console.print(tables.methods("Selection logics (ADCL_SEARCH)", described.description.searches))
        console.print(tables.methods("Statistical methods (ADCL_OUTLIERS)", described.description.estimators))
    if everything or options:
        console.print(tables.options(described.description.options))
