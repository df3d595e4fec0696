"""Constraints between parameters: a small expression language, parsed once and evaluated without Python's `eval`.

    expression  = and { "or" and }
    and         = not { "and" not }
    not         = "not" not | comparison
    comparison  = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
    sum         = product { ("+" | "-") product }
    product     = sign { ("*" | "/" | "%") sign }
    sign        = "-" sign | number | text | name | "(" expression ")"

A number may end in K, M or G (1024 and its powers). Text is enclosed in single or double quotes. A name is a
parameter's name, enclosed in backquotes if it has characters other than letters, digits and underscores.
"""

from __future__ import annotations

import functools
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.space._space import Configuration

    Result: TypeAlias = str | int | float | bool
    Node: TypeAlias = Callable[[Configuration], Result]

__all__ = ["Constraint", "ConstraintError"]

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>\d+(?P<unit>[KMG](?![A-Za-z0-9_]))?(?![A-Za-z0-9_.]))
          |(?P<text>'[^']*'|"[^"]*")
          |(?P<name>[A-Za-z_][A-Za-z0-9_]*|`[^`]+`)
          |(?P<operator>==|!=|<=|>=|[-+*/%<>()])
          |(?P<end>$))""",
    re.VERBOSE,
)
_UNITS = {None: 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_WORDS = ("and", "or", "not")
_ORDER: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
}
_DEEPEST = 50


class ConstraintError(UsageError):
    """The text is not a constraint. `column` is the place, counted from 1 within the text."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True, slots=True)
class _ConstraintToken:
    kind: str
    text: str
    column: int
    value: str | int = ""

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)


def _tokens(text: str) -> list[_ConstraintToken]:
    found = []
    place = 0
    while True:
        match = _TOKEN.match(text, place)
        if match is None:
            rest = text[place:].lstrip()
            column = len(text) - len(rest) + 1
            near = re.match(r"[\w.]+|.", rest)
            raise ConstraintError(
                f"{near[0] if near else rest!r} is neither a number, a name, text in quotes nor an operator", column
            )
        kind = match.lastgroup if match.lastgroup != "unit" else "number"
        word = match[0].strip()
        value: str | int = word
        if match["number"]:
            value = int(word.rstrip("KMG")) * _UNITS[match["unit"]]
        elif match["text"] or word.startswith("`"):
            value = word[1:-1]
        elif word in _WORDS:
            kind = "operator"
        found.append(_ConstraintToken(str(kind), word, match.end() - len(word) + 1, value))
        if kind == "end":
            return found
        place = match.end()


def _number(value: Result, text: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"the constraint {text!r} calculates with {value!r}, which is not a number")
    return value


def _truth(value: Result, text: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"the constraint {text!r} uses {value!r} as a condition; compare it with something")
    return value


def _equal(left: Result, right: Result) -> bool:
    """Return whether two values are equal; lists may contain numbers as text."""
    if isinstance(left, str) != isinstance(right, str):
        return str(left) == str(right)
    return left == right


class _ConstraintParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._place = 0
        self._depth = 0
        self.names: dict[str, int] = {}

    def parse(self) -> Node:
        node = self._any()
        if self._next.kind != "end":
            raise self._unexpected("an operator or the end")
        return node

    @property
    def _next(self) -> _ConstraintToken:
        return self._tokens[self._place]

    def _take(self, *operators: str) -> str | None:
        if self._next.kind == "operator" and self._next.text in operators:
            self._place += 1
            return self._tokens[self._place - 1].text
        return None

    def _unexpected(self, wanted: str) -> ConstraintError:
        hint = "; for 'equal' write ==" if self._next.text == "=" else ""
        return ConstraintError(f"expected {wanted}, found {self._next}{hint}", self._next.column)

    def _deeper(self, inner: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ConstraintError(f"nested more than {_DEEPEST} deep", self._next.column)
        node = inner()
        self._depth -= 1
        return node

    def _any(self) -> Node:
        return self._logical("or", functools.partial(self._logical, "and", self._not))

    def _logical(self, word: str, inner: Callable[[], Node]) -> Node:
        nodes, text = [inner()], self._text
        while self._take(word):
            nodes.append(inner())
        if len(nodes) == 1:
            return nodes[0]
        combine = any if word == "or" else all
        return lambda values: combine(_truth(node(values), text) for node in nodes)

    def _not(self) -> Node:
        if not self._take("not"):
            return self._comparison()
        inner, text = self._deeper(self._not), self._text
        return lambda values: not _truth(inner(values), text)

    def _comparison(self) -> Node:
        left, text = self._sum(), self._text
        sign = self._take("==", "!=", *_ORDER)
        if sign is None:
            return left
        right = self._sum()
        if sign == "==":
            return lambda values: _equal(left(values), right(values))
        if sign == "!=":
            return lambda values: not _equal(left(values), right(values))
        compare = _ORDER[sign]
        return lambda values: compare(_number(left(values), text), _number(right(values), text))

    def _chain(self, signs: tuple[str, ...], inner: Callable[[], Node]) -> Node:
        node = inner()
        while sign := self._take(*signs):
            node = self._calculation(sign, node, inner())
        return node

    def _calculation(self, sign: str, left: Node, right: Node) -> Node:
        calculate, text = _ARITHMETIC[sign], self._text

        def node(values: Configuration) -> Result:
            try:
                return calculate(_number(left(values), text), _number(right(values), text))
            except ZeroDivisionError:
                raise UsageError(f"the constraint {text!r} divides by 0") from None

        return node

    def _sum(self) -> Node:
        return self._chain(("+", "-"), lambda: self._chain(("*", "/", "%"), self._sign))

    def _sign(self) -> Node:
        text = self._text
        if self._take("-"):
            inner = self._deeper(self._sign)
            return lambda values: -_number(inner(values), text)
        if self._take("("):
            inside = self._deeper(self._any)
            if not self._take(")"):
                raise self._unexpected("')'")
            return inside
        token = self._next
        if token.kind not in ("number", "text", "name"):
            raise self._unexpected("a parameter, a number or text in quotes")
        self._place += 1
        value = token.value
        if token.kind == "name":
            name = str(value)
            self.names.setdefault(name, token.column)
            return lambda values: values[name]
        return lambda _: value


@dataclass(frozen=True)
class Constraint:
    """A condition on several parameters, such as ``buffer_mem >= 2 * 64 * eager_limit``.

    It holds for configurations in which one of its parameters is inactive. Raises `ConstraintError` for invalid text.
    """

    text: str

    def __post_init__(self) -> None:
        """Parse the text."""
        _ = self._parsed

    @functools.cached_property
    def _parsed(self) -> tuple[Node, dict[str, int]]:
        parser = _ConstraintParser(self.text)
        return parser.parse(), parser.names

    @property
    def names(self) -> dict[str, int]:
        """The parameters in the constraint, each with the column of its first occurrence."""
        return self._parsed[1]

    def holds(self, configuration: Configuration) -> bool:
        """Return whether the configuration, which has active parameters only, is allowed.

        Raises `UsageError` if values cannot be compared or calculated with.
        """
        node, names = self._parsed
        if any(name not in configuration for name in names):
            return True
        return _truth(node(configuration), self.text)
