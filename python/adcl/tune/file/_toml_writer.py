"""Write tuning files as TOML."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from adcl.tune.file._objective import Objective
from adcl.tune.space import Choices, Steps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.file._tuning_file import Case, Preparation, TuningFile
    from adcl.tune.space import Parameter, Value

__all__ = ["parameter_line", "text", "write_toml"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def text(value: object) -> str:
    """Format a TOML value: a string, number, boolean, or a list of these."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list() | tuple():
            return "[" + ", ".join(map(text, value)) + "]"
    # JSON's escapes are valid in TOML, except for one character that TOML requires to be escaped.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else text(name)


def _table(members: Mapping[str, str]) -> str:
    return "{ " + ", ".join(f"{key} = {value}" for key, value in members.items()) + " }"


def _one_or_list(values: tuple[Value, ...]) -> str:
    return text(values[0] if len(values) == 1 else values)


def parameter_line(parameter: Parameter) -> str:
    """Return the line of a parameter."""
    members: dict[str, str] = {}
    match parameter.domain:
        case Choices(values):
            members["values"] = text(values)
        case Steps(start, end, add, multiply):
            numbers = {"from": start, "to": end, "step": add, "factor": multiply}
            members.update((key, text(number)) for key, number in numbers.items() if number is not None)
    if parameter.default is not None:
        members["default"] = text(parameter.default)
    if parameter.when is not None:
        members["when"] = _table({_key(parameter.when.parameter): _one_or_list(parameter.when.values)})
    plain = len(members) == 1 and "values" in members
    return f"{_key(parameter.name)} = {members['values'] if plain else _table(members)}"


def _objective(objective: Objective) -> list[str]:
    members = {"measure": text(objective.measure)}
    if objective.pattern is not None:
        members["pattern"] = text(objective.pattern)
    if objective.take != "last":
        members["take"] = text(objective.take)
    if objective.larger_is_better:
        members["better"] = text("larger")
    return [f"{key} = {value}" for key, value in members.items()]


def _preparation(preparation: Preparation) -> list[str]:
    members: dict[str, str] = {}
    if preparation.files:
        members["files"] = text(preparation.files)
    elif preparation.own_folder:
        members["folder"] = "true"
    for name, command in (("setup", preparation.setup), ("cleanup", preparation.cleanup)):
        if command is not None:
            members[name] = text(command)
    return ["", "[trial]", *(f"{key} = {value}" for key, value in members.items())] if members else []


def _case(case: Case) -> list[str]:
    members = {"name": text(case.name)}
    if case.program is not None:
        members["program"] = text(case.program)
    if case.arguments is not None:
        members["arguments"] = text(case.arguments)
    if case.ranks is not None:
        members["ranks"] = text(case.ranks)
    if case.weight != 1.0:
        members["weight"] = f"{case.weight!r}"
    return ["", "[[case]]", *(f"{key} = {value}" for key, value in members.items())]


def write_toml(file: TuningFile) -> str:
    """Write a tuning file; parsing the result yields a file equal to `file`."""
    lines = [f"mpi = {text(file.mpi)}"]
    if file.search is not None and not file.search_options:
        lines.append(f"search = {text(file.search)}")
    if file.expect is not None:
        lines.append(f"expect = {text(file.expect)}")
    if file.space.constraints:
        lines.append("constraints = [")
        lines += [f"  {text(constraint.text)}," for constraint in file.space.constraints]
        lines.append("]")
    lines += ["", "[parameters]", *map(parameter_line, file.space.parameters)]
    if file.search_options:
        named = {} if file.search is None else {"method": file.search}
        lines += [
            "",
            "[search]",
            *(f"{_key(key)} = {text(value)}" for key, value in (named | dict(file.search_options)).items()),
        ]
    if file.objectives != (Objective(),):
        header = "[objective]" if len(file.objectives) == 1 else "[[objective]]"
        for objective in file.objectives:
            lines += ["", header, *_objective(objective)]
    budget = file.budget
    if budget.trials is not None or budget.seconds is not None:
        lines += ["", "[budget]"]
        lines += [f"trials = {budget.trials}"] if budget.trials is not None else []
        lines += [f'time = "{budget.seconds:.15g}s"'] if budget.seconds is not None else []
    lines += _preparation(file.preparation)
    for case in file.cases:
        lines += _case(case)
    return "\n".join(lines) + "\n"
