"""Whether the installed MPI library has what a tuning file says."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.tune.libraries import UNSET, elsewhere, launcher_for, library_of, split
from adcl.tune.space import Choices, Condition, Parameter, Space, conflict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.launch import Launcher
    from adcl.tune.file._tuning_file import TuningFile
    from adcl.tune.libraries import Catalogue, MpiLibrary

__all__ = ["Checked", "as_crowded", "check_file", "refuse_exported", "with_ways_back"]


@dataclass(frozen=True)
class Checked:
    """A tuning file together with the installation that it fits."""

    file: TuningFile
    library: MpiLibrary
    catalogue: Catalogue
    space: Space
    """With the library's defaults, and with the conditions that the library has."""

    notices: tuple[str, ...] = ()


def check_file(
    file: TuningFile, launcher: Launcher | None = None, installation: str | None = None, *, named: str | None = None
) -> Checked:
    """Ask the installed library whether it has what a tuning file says.

    The launcher is that of a job; without one it is the one `named`, or the first of the library that the file names.
    Raises `SourceError`, for names and values that the library does not have too, and `AdclError`.
    """
    launcher = launcher or elsewhere(file.mpi, named)
    library = library_of(file.mpi, launcher)
    home = launcher
    if launcher.flavour not in library.launchers:
        home = launcher_for(library.key, installation)
        library_of(file.mpi, home)
    catalogue = library.catalogue(home)
    names: dict[str, str] = {}
    for parameter in file.space.parameters:
        try:
            parts = split({parameter.name: parameter.values[0] if parameter.values[0] != UNSET else 0})
            if parts.settings:
                full = library.full_name(parameter.name)
                _refuse_another_spelling(parameter.name, full, names)
                names[parameter.name] = full
                catalogue.check(parameter, full)
        except UsageError as error:
            raise file.origin.error(parameter.name, str(error)) from error
    space, notices = _with_conditions(file, library, catalogue, names)
    space = with_ways_back(file, catalogue.with_defaults(space, names))
    _refuse_unsatisfiable(file, space)
    return Checked(file, library, catalogue, space, (*notices, *_set_elsewhere(library, catalogue)))


def with_ways_back(file: TuningFile, space: Space) -> Space:
    """Let every parameter that varies have the library's default among its values.

    Otherwise one that does not matter could not stay as it is. Where the default is not known, that is `unset`.
    """
    if file.only_listed:
        return space
    compared = {name for constraint in space.constraints for name in getattr(constraint, "names", ())}

    def with_way_back(parameter: Parameter) -> Parameter:
        values, default = parameter.values, parameter.default
        if len(values) == 1 or default in values or (default is None and parameter.name in compared):
            return parameter
        if default is None:
            return dataclasses.replace(parameter, domain=Choices((UNSET, *values)), default=UNSET)
        numbers = sorted(value for value in (*values, default) if isinstance(value, int))
        ordered = parameter.ordered and isinstance(default, int)
        return dataclasses.replace(parameter, domain=Choices(tuple(numbers) if ordered else (default, *values)))

    return dataclasses.replace(space, parameters=tuple(with_way_back(parameter) for parameter in space.parameters))


def _refuse_another_spelling(name: str, full: str, names: Mapping[str, str]) -> None:
    for other, known in names.items():
        if known == full:
            raise UsageError(f"{name} and {other} are two spellings of the same variable; keep one of them")


def _refuse_unsatisfiable(file: TuningFile, space: Space) -> None:
    """Refuse constraints that no scenario fulfils together, and name those that contradict each other."""
    texts = [repr(constraint.text) for constraint in conflict(space)]
    if not texts and space.constraints and space.size_is_exact() and space.size() == 0:
        texts = [repr(constraint.text) for constraint in space.constraints]
    if texts:
        what = "the constraint" if len(texts) == 1 else "the constraints"
        raise file.origin.error("", f"no combination of values fulfils {what} {' and '.join(texts)}")


def _set_elsewhere(library: MpiLibrary, catalogue: Catalogue) -> list[str]:
    """Say what the user or the site has set in files that the library reads: it holds in all runs."""
    by_file: dict[str, list[str]] = {}
    for variable in catalogue.variables.values():
        if variable.source and not variable.alias:
            name = variable.source.rpartition(":")[0] or variable.source
            by_file.setdefault(name, []).append(f"{variable.name} = {variable.default}")
    return [
        f"{library.title} reads {path}, and what is set there holds in all runs, those of the defaults too: "
        + ", ".join(sorted(settings))
        for path, settings in by_file.items()
    ]


def refuse_exported(checked: Checked, environment: Mapping[str, str | None]) -> None:
    """What is to be tuned must not be set already: the defaults would not be the library's, nor `unset` unset."""
    for parameter in checked.file.space.parameters:
        parts = split({parameter.name: 0})
        names = [checked.library.variable_name(checked.library.full_name(name)) for name in parts.settings]
        for name in (*names, *parts.variables):
            if environment.get(name) is not None:
                message = (
                    f"{parameter.name} is to be tuned, but {name}={environment[name]} is in the environment and would "
                    f"hold for the defaults too; unset {name}, or take the parameter out"
                )
                raise checked.file.origin.error(parameter.name, message)


def _with_conditions(
    file: TuningFile, library: MpiLibrary, catalogue: Catalogue, names: dict[str, str]
) -> tuple[Space, list[str]]:
    """Add the conditions of the library: settings that mean something only where another one has a certain value."""
    space = file.space
    by_full_name = {full: space.parameter(name) for name, full in names.items()}
    parameters: list[Parameter] = []
    notices: list[str] = []
    for parameter in space.parameters:
        needed = library.needs(names.get(parameter.name, ""))
        if needed is None or parameter.when is not None:
            parameters.append(parameter)
            continue
        governor, variable = by_full_name.get(needed[0]), catalogue.variables.get(needed[0])
        if (
            governor is None
            and variable is not None
            and any(variable.same(variable.default, value) for value in needed[1])
        ):
            # As it is by default, and nobody is going to change it.
            parameters.append(parameter)
            continue
        values = tuple(value for value in governor.values if str(value) in needed[1]) if governor is not None else ()
        if governor is None or not values:
            name, value = needed[0], needed[1][0]
            wanted = file.origin.fixed.format(name=name, value=value)
            message = f"{parameter.name} has no effect unless {name} is {value}; add {wanted}"
            raise file.origin.error(parameter.name, message)
        parameters.append(dataclasses.replace(parameter, when=Condition(governor.name, values)))
        if len(values) < len(governor.values):
            notices.append(f"{parameter.name} is tried only where {governor.name} is {' or '.join(map(str, values))}")
    return dataclasses.replace(space, parameters=tuple(parameters)), notices


def as_crowded(checked: Checked) -> Checked:
    """With the defaults that hold where there are more ranks than cores."""
    library, catalogue = checked.library, checked.catalogue
    others = {
        name: dataclasses.replace(variable, default=library.when_crowded[name])
        for name, variable in catalogue.variables.items()
        if name in library.when_crowded
    }
    catalogue = dataclasses.replace(catalogue, variables={**catalogue.variables, **others})
    names = {parameter.name: library.full_name(parameter.name) for parameter in checked.space.parameters}
    open_ = tuple(
        dataclasses.replace(parameter, default=None) if names[parameter.name] in others else parameter
        for parameter in checked.space.parameters
    )
    space = catalogue.with_defaults(dataclasses.replace(checked.space, parameters=open_), names)
    space = with_ways_back(checked.file, space)
    return dataclasses.replace(checked, catalogue=catalogue, space=space)
