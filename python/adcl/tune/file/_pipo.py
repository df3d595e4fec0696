"""Configuration file of the MPI Parameters plugin.

Source: A. Sikora, E. César, I. Comprés, M. Gerndt, Autotuning of MPI Applications Using PTF, SEM4HPC 2016, §5.1, §6.1.

    file   = "MPI_PIPO" "BEGIN" library { "SEARCH" "=" word ";" | name "=" values ";" } "MPI_PIPO" "END"
    values = start ":" step ":" end | start ":*" factor ":" end | start ":" end | value { "," value }

``MPIPO_BEGIN`` and ``MPIPO_END`` are other spellings. Comments go from ``#`` or ``//`` to the end of the line.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, NoReturn

from adcl._source import Source, SourceError
from adcl._suggest import suggestion
from adcl.errors import UsageError
from adcl.mpi_libraries import library_names
from adcl.tune.file._tuning_file import Origin, TuningFile, paper_options, search_names
from adcl.tune.space import Choices, Parameter, Space, Steps

if TYPE_CHECKING:
    from adcl.tune.space import Value

__all__ = ["DEFAULT_SEARCH", "looks_like_pipo", "parse_pipo", "write_pipo"]

DEFAULT_SEARCH = "exhaustive"

_BLANK = re.compile(r"(?:\s|#[^\n]*|//[^\n]*)*")
_BEGIN = re.compile(r"(?:MPI_PIPO[ \t]+|MPIPO_)BEGIN\b")
_END = re.compile(r"(?:MPI_PIPO[ \t]+|MPIPO_)END\b")
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_FOUND = re.compile(r"[\w.:-]+|\S")
_NUMBER = re.compile(r"-?\d+")
_VALUE = re.compile(r"[^\s,;=#]+")
_RANGE_START = re.compile(r"-?\d+\s*:")


def looks_like_pipo(text: str) -> bool:
    """Return whether the text appears to be in this form."""
    match = _BLANK.match(text)
    rest = text[match.end() if match else 0 :]
    return rest.startswith(("MPI_PIPO", "MPIPO_"))


class _PipoParser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._place = 0
        self._search_result: dict[str, int] = {}

    def _blank(self) -> None:
        match = _BLANK.match(self._text, self._place)
        if match:
            self._place = match.end()

    def _found(self) -> str:
        match = _FOUND.match(self._text, self._place)
        return repr(match[0]) if match else "the end of the file"

    def _fail(self, expected: str, hint: str = "", place: int | None = None) -> NoReturn:
        if place is not None:
            self._place = place
        tail = f"; {hint}" if hint else ""
        raise self._source.error(self._place, f"expected {expected}, found {self._found()}{tail}")

    def _take(self, pattern: re.Pattern[str] | str) -> str | None:
        self._blank()
        match = (re.compile(re.escape(pattern)) if isinstance(pattern, str) else pattern).match(self._text, self._place)
        if match is None:
            return None
        self._place = match.end()
        return match[0]

    def parse(self) -> TuningFile:
        if not self._take(_BEGIN):
            self._fail("MPI_PIPO BEGIN")
        library = self._take(_WORD)
        begin = self._place - len(library or "")
        known = library_names()
        if library is None or library.lower() not in known:
            hint = suggestion(library, known) if library else ""
            self._fail(f"an MPI library ({', '.join(known)})", hint, begin if library else None)
        search = None
        parameters: list[Parameter] = []
        while not self._take(_END):
            name = self._take(_WORD)
            if name is None:
                self._fail("a parameter's name, SEARCH or MPI_PIPO END")
            self._once(name)
            if not self._take("="):
                self._fail(f"'=' after {name}")
            if name == "SEARCH":
                search = self._search()
            else:
                parameters.append(self._parameter(name))
            if not self._take(";"):
                self._fail(f"';' after the {'search' if name == 'SEARCH' else f'values of {name}'}")
        self._blank()
        if self._place < len(self._text):
            self._fail("the end of the file after MPI_PIPO END")
        origin = Origin(self._source, self._search_result, "{name}={value};")
        chosen = search or DEFAULT_SEARCH
        return TuningFile(
            library.lower(),
            Space(tuple(parameters)),
            chosen,
            search_options=paper_options(chosen),
            only_listed=True,
            origin=origin,
        )

    def _once(self, name: str) -> None:
        place = self._place - len(name)
        if name in self._search_result:
            line, column = self._source.position(self._search_result[name])
            raise self._source.error(place, f"duplicate name {name!r}; it is already set at {line}:{column}")
        self._search_result[name] = place

    def _search(self) -> str:
        known = search_names()
        self._blank()
        place = self._place
        name = self._take(_WORD)
        if name is None or name.lower() not in known:
            hint = suggestion(name, known) if name else ""
            self._fail(f"a search ({', '.join(known)})", hint, place)
        return name.lower()

    def _parameter(self, name: str) -> Parameter:
        self._blank()
        place = self._place
        try:
            if _RANGE_START.match(self._text, self._place):
                return Parameter(name, self._range(name))
            return Parameter(name, Choices(tuple(self._list(name))))
        except UsageError as error:
            if isinstance(error, SourceError):
                raise
            raise self._source.error(place, f"{name}: {error}") from error

    def _whole(self, what: str) -> int:
        number = self._take(_NUMBER)
        following = self._text[self._place : self._place + 1]
        if number is None:
            self._fail(f"{what}, a whole number")
        if following.isalnum() or following in ("_", "."):
            self._fail(f"{what}, a whole number without a unit", place=self._place - len(number))
        return int(number)

    def _range(self, name: str) -> Steps:
        start = self._whole(f"the start of {name}")
        self._take(":")
        if self._take("*"):
            factor = self._whole(f"the factor of {name}")
            if not self._take(":"):
                self._fail(f"':' and the end of {name}")
            return Steps(start, self._whole(f"the end of {name}"), multiply=factor)
        second = self._whole(f"the step or the end of {name}")
        if not self._take(":"):
            return Steps(start, second)
        return Steps(start, self._whole(f"the end of {name}"), add=second)

    def _list(self, name: str) -> list[Value]:
        values: list[Value] = []
        while True:
            word = self._take(_VALUE)
            if word is None:
                self._fail(f"a value of {name}")
            values.append(int(word) if _NUMBER.fullmatch(word) else word)
            if not self._take(","):
                return values


def parse_pipo(source: Source) -> TuningFile:
    """Parse a file in this form. Raises `SourceError` with the place, what was expected and what was found."""
    return _PipoParser(source).parse()


def _written(parameter: Parameter) -> str:
    match parameter.domain:
        case Steps(start, end, None, None):
            return f"{start}:{end}"
        case Steps(start, end, add, None):
            return f"{start}:{add}:{end}"
        case Steps(start, end, _, multiply):
            return f"{start}:*{multiply}:{end}"
        case Choices(values):
            return ",".join(map(str, values))


def write_pipo(file: TuningFile) -> str:
    """Write a file in this form. Raises `UsageError` for contents that require TOML."""
    lines = [f"MPI_PIPO BEGIN {file.mpi}"]
    if file.search not in (None, DEFAULT_SEARCH):
        lines.append(f"SEARCH={file.search};")
    lines += [f"{parameter.name}={_written(parameter)};" for parameter in file.space.parameters]
    text = "\n".join([*lines, "MPI_PIPO END"]) + "\n"
    try:
        understood = parse_pipo(Source(text, "PIPO output"))
    except SourceError as error:
        raise UsageError(f"cannot write the file in the paper's form: {error}; write TOML") from error
    if understood != dataclasses.replace(file, search=file.search or DEFAULT_SEARCH):
        raise UsageError(
            "the paper's form does not support conditions, constraints, defaults, objectives, budgets, options of "
            "searches or numbers as text; write TOML"
        )
    return text
