"""Read the time of a run."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError

if TYPE_CHECKING:
    from pathlib import Path

    from adcl._toml_table import TomlTable
    from adcl.launch import Result

__all__ = ["NoTimeError", "TimeSource"]

_SHOWN = 60


class NoTimeError(AdclError):
    """The program did not print or write its time."""


@dataclass(frozen=True, slots=True)
class TimeSource:
    """Source of a run's time: a number that the program prints or writes, otherwise the duration of the whole run."""

    pattern: str | None = None
    """Regular expression with one group, which matches a number in the output. The last match counts."""

    json: str | None = None
    """A member such as ``seconds.total`` of a JSON object: of the file that the program writes, whose path replaces
    ``{json}`` in its arguments, or otherwise of the last line of its output that is a JSON object."""

    factor: float = 1.0
    """Factor that converts the number to seconds."""

    @property
    def whole_run(self) -> bool:
        """Whether the time is the duration of the whole run, including start and end of the ranks."""
        return self.pattern is None and self.json is None

    @classmethod
    def read(cls, table: TomlTable, arguments: tuple[str, ...]) -> TimeSource:
        """Read the table ``[time]``. Raises `StudyError`."""
        pattern, member = table.text("pattern"), table.text("json")
        if pattern is not None and member is not None:
            table.fail("pattern and json exclude each other; remove one", "pattern")
        if pattern is not None:
            try:
                groups = re.compile(pattern, re.MULTILINE).groups
            except re.error as error:
                table.fail(f"{pattern!r} is not a regular expression: {error}", "pattern")
            if groups != 1:
                table.fail(f"{pattern!r} must have one group, the number, but has {groups}", "pattern")
        if member is None and any("{json}" in argument for argument in arguments):
            table.fail('the program writes the file {json}; name the member that contains the time: json = "seconds"')
        found = cls(pattern, member, table.number("factor", 1.0))
        table.finish()
        return found

    def seconds(self, result: Result, file: Path) -> float:
        """Return the time of a successful run; `file` is the path substituted for ``{json}``. Raises `NoTimeError`."""
        if self.pattern is not None:
            found = re.findall(self.pattern, result.stdout, re.MULTILINE)
            if not found:
                raise NoTimeError(f"the output does not match {self.pattern!r}")
            value: object = found[-1]
        elif self.json is not None:
            value = _member(_document(result.stdout, file), self.json)
        else:
            return result.seconds
        try:
            number = float(value) * self.factor  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = math.nan
        if not 0.0 < number < math.inf:
            raise NoTimeError(f"the time is {str(value)[:_SHOWN]!r}, not a number above 0")
        return number


def _document(output: str, file: Path) -> Any:  # noqa: ANN401
    if file.exists():
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise NoTimeError(f"the file {{json}} is not JSON: {error}") from error
    for line in reversed(output.splitlines()):
        if line.lstrip().startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    raise NoTimeError("the program wrote no JSON, neither to the file {json} nor as a line of its output")


def _member(document: Any, path: str) -> object:  # noqa: ANN401
    for name in path.split("."):
        if not isinstance(document, dict) or name not in document:
            raise NoTimeError(f"the JSON of the program has no member {path}")
        document = document[name]
    return document
