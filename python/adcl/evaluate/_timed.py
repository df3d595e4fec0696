"""Which number is a run's time."""

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
    """A program did not tell its time."""


@dataclass(frozen=True, slots=True)
class TimeSource:
    """The whole run's time, unless the program tells one itself."""

    pattern: str | None = None
    """A regular expression whose only group is a number in the output; the last match counts."""

    json: str | None = None
    """A member such as ``seconds.total``: of the JSON document that the program writes to the file in the place of
    ``{json}`` among its arguments, or else of the last line of its output that is a JSON object."""

    factor: float = 1.0
    """What the number is multiplied by to be seconds."""

    @property
    def whole_run(self) -> bool:
        """Whether it is the time of the whole run, start and end of the ranks included."""
        return self.pattern is None and self.json is None

    @classmethod
    def read(cls, table: TomlTable, arguments: tuple[str, ...]) -> TimeSource:
        """Read the table ``[time]``. Raises `StudyError`."""
        pattern, member = table.text("pattern"), table.text("json")
        if pattern is not None and member is not None:
            table.fail("the time is matched by pattern or is a member by json; leave one out", "pattern")
        if pattern is not None:
            try:
                groups = re.compile(pattern, re.MULTILINE).groups
            except re.error as error:
                table.fail(f"{pattern!r} is no regular expression: {error}", "pattern")
            if groups != 1:
                table.fail(f"{pattern!r} needs one group, the number, and has {groups}", "pattern")
        if member is None and any("{json}" in argument for argument in arguments):
            table.fail('{json} is a file that the program writes; say which member of it is the time: json = "seconds"')
        found = cls(pattern, member, table.number("factor", 1.0))
        table.finish()
        return found

    def seconds(self, result: Result, file: Path) -> float:
        """Return the time of a run that ended well; `file` stood for ``{json}``. Raises `NoTimeError`."""
        if self.pattern is not None:
            found = re.findall(self.pattern, result.stdout, re.MULTILINE)
            if not found:
                raise NoTimeError(f"nothing in the output matches {self.pattern!r}")
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
            raise NoTimeError(f"{str(value)[:_SHOWN]!r} was told where a time above 0 was expected")
        return number


def _document(output: str, file: Path) -> Any:  # noqa: ANN401
    if file.exists():
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise NoTimeError(f"what the program wrote to the file of {{json}} is no JSON: {error}") from error
    for line in reversed(output.splitlines()):
        if line.lstrip().startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    raise NoTimeError("the program wrote no JSON: neither to the file in the place of {json} nor as a line")


def _member(document: Any, path: str) -> object:  # noqa: ANN401
    for name in path.split("."):
        if not isinstance(document, dict) or name not in document:
            raise NoTimeError(f"there is no member {path} in the JSON that the program wrote")
        document = document[name]
    return document
