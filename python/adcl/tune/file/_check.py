"""Check a tuning file against the installed MPI library."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adcl.errors import UsageError
from adcl.launch import launcher_for, launcher_for_settings
from adcl.mpi_libraries import UNSET, CleanEnvironment, library_of, split, with_own
from adcl.tune.space import Choices, Condition, Constraint, Parameter, Space, conflict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.launch import Launcher
    from adcl.mpi_libraries import Catalog, MpiLibrary, OwnSetting, Whose
    from adcl.tune.file._tuning_file import TuningFile

__all__ = [
    "Checked",
    "as_oversubscribed",
    "check_file",
    "reject_given_parameters",
    "settings_notices",
    "with_default_values",
    "with_switches",
]


@dataclass(frozen=True)
class Checked:
    """A tuning file with the installation that it was checked against."""

    file: TuningFile
    library: MpiLibrary
    catalog: Catalog
    """Catalog with the defaults that apply in runs."""

    space: Space
    """Space with the catalog's defaults and the library's conditions."""

    notices: tuple[str, ...] = ()
    whose: Whose = "library"
    """Origin of the defaults."""

    own: tuple[OwnSetting, ...] = ()
    """Settings of the user or the site in the environment or in files."""

    clean_environment: CleanEnvironment = field(default_factory=CleanEnvironment)
    """Settings of the launcher for jobs with the defaults."""

    @property
    def left_out(self) -> tuple[OwnSetting, ...]:
        """Settings of the user or the site that apply to no run."""
        return () if self.whose == "mine" else tuple(one for one in self.own if not one.stays)

    @property
    def in_all_runs(self) -> tuple[OwnSetting, ...]:
        """Settings of the user or the site that apply to all runs."""
        left = self.left_out
        return tuple(one for one in self.own if one not in left)


def check_file(
    file: TuningFile,
    launcher: Launcher | None = None,
    installation: str | None = None,
    *,
    named: str | None = None,
    whose: Whose = "library",
    own: Sequence[OwnSetting] | None = None,
) -> Checked:
    """Check a tuning file against the installed library.

    `launcher` is the launcher of the job; None: use `named`, or the first launcher of the library that the file names.
    `whose` is the origin of the defaults; `own`: settings of the user or the site, determined here if None. Raises
    `SourceError`, also for names and values that the library does not have, and `AdclError`.
    """
    launcher = launcher or launcher_for_settings(file.mpi, named)
    library = library_of(file.mpi, launcher)
    home = launcher
    if launcher.kind not in library.launchers:
        home = launcher_for(library.key, installation)
        library_of(file.mpi, home)
    plain = library.catalog(home)
    own = library.own_settings(home, plain, started_by=launcher) if own is None else own
    catalog = with_own(plain, own, whose)
    names: dict[str, str] = {}
    for parameter in file.space.parameters:
        try:
            parts = split({parameter.name: parameter.values[0] if parameter.values[0] != UNSET else 0})
            if parts.settings:
                full = library.full_name(parameter.name)
                _require_unique_variables(parameter.name, full, names)
                names[parameter.name] = full
                catalog.check(parameter, full)
        except UsageError as error:
            raise file.origin.error(parameter.name, str(error)) from error
    space, notices = _with_conditions(file, library, catalog, names)
    space, limits = _with_limits(file, space, library, catalog, names)
    notices += limits
    space = with_default_values(file, catalog.with_defaults(with_switches(space, library, names), names))
    _require_satisfiable(file, space)
    clean_environment = (
        library.clean_environment(own, home, plain, started_by=launcher) if whose == "library" else CleanEnvironment()
    )
    found_settings = settings_notices(library, own, whose)
    return Checked(file, library, catalog, space, (*notices, *found_settings), whose, tuple(own), clean_environment)


def with_default_values(file: TuningFile, space: Space) -> Space:
    """Add the library's default to the values of every varying parameter.

    Without the default among its values, an irrelevant parameter could not keep the default. If the default is unknown,
    add `unset`.
    """
    if file.only_listed:
        return space
    compared = {name for constraint in space.constraints for name in getattr(constraint, "names", ())}

    def with_default_value(parameter: Parameter) -> Parameter:
        values, default = parameter.values, parameter.default
        if len(values) == 1 or default in values or (default is None and parameter.name in compared):
            return parameter
        if default is None:
            return dataclasses.replace(parameter, domain=Choices((UNSET, *values)), default=UNSET)
        numbers = sorted(value for value in (*values, default) if isinstance(value, int))
        ordered = parameter.ordered and isinstance(default, int)
        return dataclasses.replace(parameter, domain=Choices(tuple(numbers) if ordered else (default, *values)))

    return dataclasses.replace(space, parameters=tuple(with_default_value(parameter) for parameter in space.parameters))


def _require_unique_variables(name: str, full: str, names: Mapping[str, str]) -> None:
    for other, known in names.items():
        if known == full:
            raise UsageError(f"{name} and {other} are two spellings of the same variable; remove one of them")


def _require_satisfiable(file: TuningFile, space: Space) -> None:
    """Raise for constraints that no scenario satisfies, and name the contradicting constraints."""
    texts = [repr(constraint.text) for constraint in conflict(space)]
    if not texts and space.constraints and space.size_is_exact() and space.size() == 0:
        texts = [repr(constraint.text) for constraint in space.constraints]
    if texts:
        what = "the constraint" if len(texts) == 1 else "the constraints"
        raise file.origin.error("", f"no combination of values satisfies {what} {' and '.join(texts)}")


def settings_notices(library: MpiLibrary, own: Sequence[OwnSetting], whose: Whose) -> list[str]:
    """Return notices about settings of the user or the site: origin, and whether they apply to the study."""
    if whose == "mine":
        return [f"the defaults include settings of the user or the site: {_listed(own)}"] if own else []
    left, stays = [one for one in own if not one.stays], [one for one in own if one.stays]
    found_settings = []
    if left:
        found_settings.append(
            f"the defaults are {library.title}'s own; all runs ignore the settings of the user or the site: "
            f"{_listed(left)}; --defaults mine keeps them"
        )
    if stays:
        found_settings.append(f"all runs use these settings of the user or the site: {_listed(stays)}")
    return found_settings


def _listed(own: Sequence[OwnSetting]) -> str:
    return ", ".join(map(str, own))


def reject_given_parameters(checked: Checked, given: Mapping[str, str | None], exported: Mapping[str, str]) -> None:
    """Raise if all runs would get a parameter to tune: then runs of the defaults would not use the defaults.

    `given` are the variables of the command line, `exported` those of the environment, from which only the MPI
    library's own variables can be removed. Raises `SourceError`.
    """
    for parameter in checked.file.space.parameters:
        parts = split({parameter.name: 0})
        own = [checked.library.variable_name(checked.library.full_name(name)) for name in parts.settings]
        for name in (*own, *parts.variables):
            where, value = "on the command line", given.get(name)
            if value is None and name in parts.variables:
                where, value = "in the environment", exported.get(name)
            if value is not None:
                message = (
                    f"{parameter.name} is a parameter to tune, but {name}={value} is {where} and would also apply to "
                    "the defaults; remove it there, or remove the parameter"
                )
                raise checked.file.origin.error(parameter.name, message)


def _with_conditions(
    file: TuningFile, library: MpiLibrary, catalog: Catalog, names: dict[str, str]
) -> tuple[Space, list[str]]:
    """Add the library's conditions: settings that have an effect only for certain values of another setting."""
    space = file.space
    by_full_name = {full: space.parameter(name) for name, full in names.items()}
    parameters: list[Parameter] = []
    notices: list[str] = []
    for parameter in space.parameters:
        needed = library.needs(names.get(parameter.name, ""))
        if needed is None or parameter.when is not None:
            parameters.append(parameter)
            continue
        governor, variable = by_full_name.get(needed[0]), catalog.variables.get(needed[0])
        if (
            governor is None
            and variable is not None
            and any(variable.same(variable.default, value) for value in needed[1])
        ):
            # The default satisfies the condition, and no scenario changes it.
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
            notices.append(f"{parameter.name} is tried only with {governor.name} = {' or '.join(map(str, values))}")
    return dataclasses.replace(space, parameters=tuple(parameters)), notices


def with_switches(space: Space, library: MpiLibrary, names: Mapping[str, str]) -> Space:
    """Mark the parameters that only enable others."""
    parameters = tuple(
        dataclasses.replace(one, switch=library.only_enables_others(names.get(one.name, "")))
        for one in space.parameters
    )
    return dataclasses.replace(space, parameters=parameters)


def _with_limits(
    file: TuningFile, space: Space, library: MpiLibrary, catalog: Catalog, names: Mapping[str, str]
) -> tuple[Space, list[str]]:
    """Remove values with which the library does not start, because they exceed the limit that another setting defines.

    If the limit is also tuned, add a constraint instead.
    """
    by_full_name = {full: name for name, full in names.items()}
    parameters, constraints, notices = [], list(space.constraints), []
    for parameter in space.parameters:
        limit = library.upper_limit(names.get(parameter.name, ""), catalog)
        if limit is not None and all(isinstance(value, int) for value in parameter.values):
            other = by_full_name.get(limit[0])
            kept = tuple(value for value in parameter.values if isinstance(value, int) and value <= limit[1])
            if other is not None:
                constraints.append(Constraint(f"{parameter.name} <= {other}"))
            elif not kept:
                message = f"{parameter.name} must not exceed {limit[0]}, which is {limit[1]}"
                raise file.origin.error(parameter.name, message)
            elif len(kept) < len(parameter.values):
                parameter = dataclasses.replace(parameter, domain=Choices(kept))  # noqa: PLW2901
                notices.append(f"{parameter.name} is tried only up to {kept[-1]}, because {limit[0]} is {limit[1]}")
        parameters.append(parameter)
    return dataclasses.replace(space, parameters=tuple(parameters), constraints=tuple(constraints)), notices


def as_oversubscribed(checked: Checked) -> Checked:
    """Return the catalog with the defaults of oversubscribed nodes."""
    library, catalog = checked.library, checked.catalog
    others = {
        name: dataclasses.replace(variable, default=library.when_oversubscribed[name])
        for name, variable in catalog.variables.items()
        if name in library.when_oversubscribed
    }
    catalog = dataclasses.replace(catalog, variables={**catalog.variables, **others})
    names = {parameter.name: library.full_name(parameter.name) for parameter in checked.space.parameters}
    open_ = tuple(
        dataclasses.replace(parameter, default=None) if names[parameter.name] in others else parameter
        for parameter in checked.space.parameters
    )
    space = catalog.with_defaults(dataclasses.replace(checked.space, parameters=open_), names)
    space = with_default_values(checked.file, space)
    return dataclasses.replace(checked, catalog=catalog, space=space)
