"""TOML form of tuning files, which supports all features.

mpi = "openmpi5"
search = "gde3"
constraints = ["btl_sm_max_send_size >= btl_sm_eager_limit"]

[parameters]
btl_sm_eager_limit = { from = 1024, to = 65536, factor = 2, default = 4096 }
coll_tuned_use_dynamic_rules = ["true", "false"]
coll_tuned_bcast_algorithm = { values = ["chain", "pipeline"], when = { coll_tuned_use_dynamic_rules = "true" } }

[objective]
measure = "output"
pattern = 'Time in seconds = *([0-9.]+)'
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from adcl._duration import seconds
from adcl._source import SourceError
from adcl._suggest import suggestion
from adcl._toml import KINDS, has_toml_type, read_toml, shown
from adcl.errors import UsageError
from adcl.mpi_libraries import library_names
from adcl.tune.file._objective import MEASURES, TAKES, Objective
from adcl.tune.file._tuning_file import Budget, Case, Origin, Preparation, TuningFile, search_names, search_option_names
from adcl.tune.space import Choices, Condition, Constraint, ConstraintError, Parameter, Space, Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from adcl._source import Source
    from adcl._toml_places import Path
    from adcl.tune.space import Value

__all__ = ["parse_toml"]

T = TypeVar("T")


class _Reader:
    """Converts a parsed document to a `TuningFile`, and reports the places of errors."""

    def __init__(self, source: Source) -> None:
        self._located_document = read_toml(source)
        self._source = source
        self._document = self._located_document.values
        self._places = self._located_document.places

    def _fail(self, path: Path, message: str, *, at_key: bool = False) -> NoReturn:
        raise self._located_document.error(path, message, at_key=at_key)

    def _expected(self, path: Path, expected: str, found: object, known: Iterable[str] = ()) -> NoReturn:
        names = list(known)
        hint = f"; {suggestion(found, names)}" if isinstance(found, str) and names else ""
        self._fail(path, f"{path[-1]}: expected {expected}, found {shown(found)}{hint}")

    def _located(self, path: Path, make: Callable[[], T]) -> T:
        """Call a constructor; add the place to its errors."""
        try:
            return make()
        except SourceError:
            raise
        except UsageError as error:
            self._fail(path, f"{path[-1]}: {error}")

    def _known(self, path: Path, table: Mapping[str, Any], keys: Iterable[str]) -> None:
        known = tuple(keys)
        for key in table:
            if key not in known:
                where = f"in {path[-1]}" if path else "here"
                self._fail(
                    (*path, key),
                    f"expected one of {', '.join(known)} {where}, found {key!r}; {suggestion(key, known)}",
                    at_key=True,
                )

    def _get(self, path: Path, table: Mapping[str, Any], kind: type[T]) -> T | None:
        value = table.get(str(path[-1]))
        if value is not None and not has_toml_type(value, kind):
            self._expected(path, KINDS[kind], value)
        return value

    def _word(self, path: Path, table: Mapping[str, Any], known: tuple[str, ...]) -> str | None:
        word = self._get(path, table, str)
        if word is not None and word not in known:
            self._expected(path, f"one of {', '.join(known)}", word, known)
        return word

    def read(self) -> TuningFile:
        document = self._document
        self._known(
            (),
            document,
            ("mpi", "search", "constraints", "parameters", "objective", "budget", "expect", "trial", "case"),
        )
        mpi = self._word(("mpi",), document, library_names())
        if mpi is None:
            self._source_start(f'expected mpi = "…" with one of {", ".join(library_names())}, found none')
        search, options = self._search()
        space = self._space()
        names = {parameter.name: self._places.key(("parameters", parameter.name)) for parameter in space.parameters}
        return TuningFile(
            mpi,
            space,
            search,
            options,
            self._objectives(),
            self._expect(),
            self._budget(),
            self._preparation(),
            self._cases(),
            origin=Origin(self._source, names, '{name} = ["{value}"]'),
        )

    def _source_start(self, message: str) -> NoReturn:
        raise self._source.error(0, message)

    def _search(self) -> tuple[str | None, dict[str, Any]]:
        given = self._document.get("search")
        if not isinstance(given, dict):
            return self._word(("search",), self._document, search_names()), {}
        method = self._word(("search", "method"), given, search_names())
        self._known(("search",), given, ("method", *search_option_names()))
        for key, value in given.items():
            if not isinstance(value, str | int | float | bool):
                self._expected(("search", key), "text, a number, true or false", value)
        return method, {key: value for key, value in given.items() if key != "method"}

    def _expect(self) -> str | None:
        pattern = self._get(("expect",), self._document, str)
        if pattern is not None:
            try:
                re.compile(pattern)
            except re.error as error:
                self._fail(("expect",), f"expect: expected a regular expression, found {pattern!r}: {error}")
        return pattern

    def _budget(self) -> Budget:
        table = self._get(("budget",), self._document, dict) or {}
        self._known(("budget",), table, ("trials", "time"))
        trials = self._get(("budget", "trials"), table, int)
        if trials is not None and trials < 1:
            self._expected(("budget", "trials"), "at least 1", trials)
        time = self._get(("budget", "time"), table, str)
        return Budget(trials, None if time is None else self._located(("budget", "time"), lambda: seconds(time)))

    def _preparation(self) -> Preparation:
        table = self._get(("trial",), self._document, dict) or {}
        self._known(("trial",), table, ("folder", "files", "setup", "cleanup"))
        files = self._get(("trial", "files"), table, list)
        for number, name in enumerate(files or []):
            path = ("trial", "files", number)
            if not isinstance(name, str):
                self._fail(path, f"files: expected text, found {shown(name)}")
            if name.startswith("/") or ".." in name.split("/"):
                self._fail(path, f"files: expected a name in or below the current folder, found {name!r}")
        folder = self._get(("trial", "folder"), table, bool)
        if folder is False and files:
            self._fail(("trial", "folder"), "folder: expected true because files are listed, found false")
        return Preparation(
            bool(folder) or files is not None,
            tuple(files or ()),
            self._get(("trial", "setup"), table, str),
            self._get(("trial", "cleanup"), table, str),
        )

    def _cases(self) -> tuple[Case, ...]:
        given = self._document.get("case", [])
        if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
            self._expected(("case",), "tables written [[case]]", given)
        made = tuple(self._case(("case", number), table) for number, table in enumerate(given))
        for number, case in enumerate(made):
            if case.name in [before.name for before in made[:number]]:
                self._fail(("case", number, "name"), f"case: duplicate name {case.name!r}; give each case its own name")
        return made

    def _case(self, path: Path, table: Mapping[str, Any]) -> Case:
        self._known(path, table, ("name", "program", "arguments", "ranks", "weight"))
        name = self._get((*path, "name"), table, str)
        if not name:
            self._fail(path, 'case: expected a name = "…", found none')
        arguments = self._get((*path, "arguments"), table, list)
        for number, argument in enumerate(arguments or []):
            if not isinstance(argument, str):
                self._expected((*path, "arguments", number), "text", argument)
        ranks = self._get((*path, "ranks"), table, int)
        if ranks is not None and ranks < 2:  # noqa: PLR2004
            self._expected((*path, "ranks"), "2 or more", ranks)
        weight = table.get("weight", 1)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < math.inf:
            self._expected((*path, "weight"), "a number above 0", weight)
        return Case(
            name,
            self._get((*path, "program"), table, str),
            None if arguments is None else tuple(arguments),
            ranks,
            float(weight),
        )

    def _objectives(self) -> tuple[Objective, ...]:
        given = self._document.get("objective", {})
        if isinstance(given, dict):
            return (self._objective(("objective",), given),)
        if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
            self._expected(("objective",), "one table, or two tables [[objective]]", given)
        if len(given) > 2:  # noqa: PLR2004
            self._fail(("objective", 2), f"objective: expected one or two, found {len(given)}")
        made = tuple(self._objective(("objective", number), table) for number, table in enumerate(given))
        if len({objective.name for objective in made}) < len(made):
            self._fail(("objective", 1), f"objective: expected two different measures, found {made[0].name!r} twice")
        return made

    def _objective(self, path: Path, table: Mapping[str, Any]) -> Objective:
        self._known(path, table, ("measure", "pattern", "take", "better"))
        pattern = self._get((*path, "pattern"), table, str)
        measure = self._word((*path, "measure"), table, MEASURES) or ("wall" if pattern is None else "output")
        take = self._word((*path, "take"), table, TAKES) or "last"
        better = self._word((*path, "better"), table, ("smaller", "larger"))
        return self._located(
            (*path, "pattern" if pattern is not None else "measure"),
            lambda: Objective(measure, pattern, take, better == "larger"),  # type: ignore[arg-type]
        )

    def _space(self) -> Space:
        table = self._get(("parameters",), self._document, dict)
        if table is None:
            self._source_start("expected a table [parameters], found none")
        parameters = tuple(self._parameter(name, given) for name, given in table.items())
        self._check_conditions(parameters)
        constraints = self._constraints({parameter.name for parameter in parameters})
        return self._located(("parameters",), lambda: Space(parameters, constraints))

    def _constraints(self, names: set[str]) -> tuple[Constraint, ...]:
        made = []
        for number, text in enumerate(self._get(("constraints",), self._document, list) or []):
            path = ("constraints", number)
            if not isinstance(text, str):
                self._fail(path, f"constraints: expected text, found {shown(text)}")
            begin = self._places.value(path)
            try:
                constraint = Constraint(text)
            except ConstraintError as error:
                raise self._source.error(begin + error.column, f"constraint: {error}") from error
            for name, column in constraint.names.items():
                if name not in names:
                    hint = f"write text in quotes; {suggestion(name, names)}"
                    raise self._source.error(
                        begin + column, f"constraint: expected a parameter of this file, found {name!r}; {hint}"
                    )
            made.append(constraint)
        return tuple(made)

    def _value(self, path: Path, value: object) -> Value:
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str | int):
            name = next(part for part in reversed(path) if isinstance(part, str))
            self._fail(path, f"{name}: expected text or a whole number, found {shown(value)}")
        return value

    def _values(self, path: Path, given: object) -> tuple[Value, ...]:
        if not isinstance(given, list):
            return (self._value(path, given),)
        return tuple(self._value((*path, number), element) for number, element in enumerate(given))

    def _parameter(self, name: str, given: object) -> Parameter:
        path: Path = ("parameters", name)
        if isinstance(given, list):
            return Parameter(name, self._located(path, lambda: Choices(self._values(path, given))))
        if not isinstance(given, dict):
            self._fail(
                path,
                f"{name}: expected a list of values, or {{ from = …, to = … }}, found {shown(given)}; a fixed "
                f"value is a list of one",
            )
        self._known(path, given, ("values", "from", "to", "step", "factor", "default", "when"))
        default = given.get("default")
        return Parameter(
            name,
            self._located(path, lambda: self._domain(path, given)),
            None if default is None else self._value((*path, "default"), default),
            self._condition((*path, "when"), given),
        )

    def _domain(self, path: Path, given: Mapping[str, Any]) -> Steps | Choices:
        numbers = {key: self._get((*path, key), given, int) for key in ("from", "to", "step", "factor")}
        values = self._get((*path, "values"), given, list)
        if values is not None:
            for key, number in numbers.items():
                if number is not None:
                    self._fail((*path, key), f"{path[-1]}: expected either values or a range, found both", at_key=True)
            return Choices(self._values((*path, "values"), values))
        start, end = numbers["from"], numbers["to"]
        if start is None or end is None:
            missing = "from" if start is None else "to"
            self._fail(path, f"{path[-1]}: expected values = […], or from and to, found no {missing}")
        return Steps(start, end, numbers["step"], numbers["factor"])

    def _condition(self, path: Path, given: Mapping[str, Any]) -> Condition | None:
        table = self._get(path, given, dict)
        if table is None:
            return None
        if len(table) != 1:
            self._fail(path, f"when: expected {{ PARAMETER = VALUE }}, found {len(table)} parameters")
        ((governor, values),) = table.items()
        return Condition(governor, self._values((*path, governor), values))

    def _check_conditions(self, parameters: tuple[Parameter, ...]) -> None:
        known = {parameter.name: parameter for parameter in parameters}
        for parameter in parameters:
            condition = parameter.when
            if condition is None:
                continue
            path: Path = ("parameters", parameter.name, "when", condition.parameter)
            governor = known.get(condition.parameter)
            if governor is None:
                hint = suggestion(condition.parameter, known)
                self._fail(
                    path,
                    f"when: expected a parameter of this file, found {condition.parameter!r}; {hint}",
                    at_key=True,
                )
            for value in condition.values:
                if value not in governor.positions:
                    some = ", ".join(map(str, governor.values[:8])) + (", …" if len(governor.values) > 8 else "")  # noqa: PLR2004
                    self._fail(path, f"when: expected a value of {governor.name} ({some}), found {shown(value)}")


def parse_toml(source: Source) -> TuningFile:
    """Parse a file in this form. Raises `SourceError` with the place, what was expected and what was found."""
    return _Reader(source).read()
