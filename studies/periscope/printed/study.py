"""Recompute the examples of the paper, and compare the printed commands with the output of `adcl tune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.mpi_libraries import LIBRARIES, stand_in
from adcl.tune.file import Source, load, parse
from adcl.tune.profile import EAGER_LIMIT_SHARE, Messages, Profile, SizeClass, restrict
from adcl.tune.space import Parameter, Space, Steps
from studies._catalog import ROOT, Place, Rendered, StudyError
from studies._page import table
from studies._statements import Statement, counted, statement_table
from studies._verdicts import published

if TYPE_CHECKING:
    from adcl.mpi_libraries import MpiLibrary

__all__ = ["example_profile", "measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_KB = 1024
_FILE = ROOT / "tests" / "python" / "tuning_files" / "exhaustive.pipo"


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return no build targets: the study runs no program."""
    return []


def measure(place: Place) -> None:
    """Measure nothing."""


def example_profile(ranks: int) -> Profile:
    """Return a profile like Figure 2: most messages have more than 4 KB and at most 16 KB."""
    counts = {2: 100, 4: 200, 8: 900, 16: 1000, 32: 300, 64: 100}
    sizes = tuple(SizeClass(up_to * _KB, count, up_to * _KB * count) for up_to, count in counts.items())
    sent, number = sum(one.bytes for one in sizes), sum(counts.values())
    messages = Messages(near_limit_bytes=sent, total_bytes=sent, near_limit_count=number, count=number, sizes=sizes)
    return Profile(ranks, "program", "IBM MPI", 1.0, {}, {}, messages)


def _steps_of(parameter: Parameter) -> list[int]:
    """Return the smallest value, the largest value, and the step of a parameter in KB."""
    values = [value for value in parameter.values if isinstance(value, int)]
    return [values[0] // _KB, values[-1] // _KB, (values[1] - values[0]) // _KB]


def _property(document: dict[str, Any], library: MpiLibrary) -> list[Statement]:
    printed = document["property"]
    profile = example_profile(printed["processes"])
    space = Space(
        (
            Parameter("eager_limit", Steps(1024, 65536, add=1024)),
            Parameter("buffer_mem", Steps(1024, 67108864, add=1024)),
        )
    )
    eager, buffer = restrict(space, profile, library, "paper").space.parameters
    metrics = list(profile.metrics)
    found = [
        Statement(
            f"The metrics are {', '.join(printed['metrics'])}.",
            "4.2",
            ", ".join(metrics),
            metrics == printed["metrics"],
            ("Metrics of section 4.2",),
        ),
        Statement(
            f"The eager limit is tuned if more than {printed['worthwhile']:.0%} of the messages are near it.",
            "4.2",
            f"{EAGER_LIMIT_SHARE:.0%}",
            printed["worthwhile"] == EAGER_LIMIT_SHARE,
            ("Metrics of section 4.2",),
        ),
    ]
    for name, ours, theirs, row in (
        ("the eager limit", eager, printed["eager_kb"], "Figure 2"),
        (f"the memory of {printed['processes']} processes", buffer, printed["buffer_kb"], "Expression (1)"),
    ):
        low, high, step = _steps_of(ours)
        found.append(
            Statement(
                f"Most messages have 4 KB to 16 KB: {name} is searched from {theirs[0]} KB to {theirs[1]} KB with a "
                f"step of {theirs[2]} KB.",
                "4.2",
                f"from {low} KB to {high} KB, step {step} KB",
                [low, high, step] == theirs,
                (row,),
            )
        )
    return found


def _numbers(document: dict[str, Any]) -> list[Statement]:
    example = parse(Source(document["example"]["file"], "example")).space
    exhaustive = load(_FILE).space
    rows = (
        ("Five parameters have", "4.1", document["example"]["scenarios"], example, "Example of section 4.1"),
        (
            "The file of the exhaustive search has",
            "6.2",
            document["files"]["exhaustive"],
            exhaustive,
            "Number of scenarios of section 6.2",
        ),
    )
    return [
        Statement(f"{what} {theirs} scenarios.", section, str(space.size()), space.size() == theirs, (row,))
        for what, section, theirs, space, row in rows
    ]


def _commands(document: dict[str, Any], library: MpiLibrary) -> list[Statement]:
    printed, row = document["advice"], ("Commands of section 5.2",)
    advice = library.advice({"eager_limit": printed["eager_limit"]})
    return [
        Statement(f"The advice is `{theirs}`.", "5.2", f"`{ours}`", ours == theirs, row)
        for theirs, ours in ((printed["variable"], advice.environment[0]), (printed["option"], advice.options))
    ]


def _parameters(document: dict[str, Any], library: MpiLibrary) -> list[Statement]:
    launcher = stand_in("ibm")
    if launcher is None:
        raise StudyError("adcl has no list of IBM MPI's parameters")
    catalog, found = library.catalog(launcher), []
    for name, printed in document["parameters"].items():
        variable = catalog.variables[library.full_name(name)]
        limit, memory = library.eager_limit(name), library.memory_buffer(name)
        largest = next((one.largest for one in (limit, memory) if one is not None and one.largest), variable.maximum)
        here = {"default": variable.default, "smallest": variable.minimum, "largest": largest}
        for kind, value in printed.items():
            what = kind if kind == "default" else f"{kind} value"
            text = f"The {what} of `{name}` is {value}."
            found.append(Statement(text, "6", str(here[kind]), here[kind] == value, ("Parameters of section 6",)))
    return found


def render(place: Place) -> Rendered:
    """Return a table of statements for each part of the paper."""
    document, library = published(_HERE / "published.toml"), LIBRARIES["ibm"]
    parts = {
        "numbers": _numbers(document),
        "property": _property(document, library),
        "commands": _commands(document, library),
        "parameters": _parameters(document, library),
    }
    every = [one for statements in parts.values() for one in statements]
    values = {name: statement_table(statements) for name, statements in parts.items()}
    sizes = example_profile(1).messages.sizes
    values["profile"] = table(
        ("messages of up to", "number"), [(f"{one.up_to // _KB} KB", str(one.count)) for one in sizes]
    )
    return Rendered(values, {}, (counted(every, place.study),), tuple(every))
