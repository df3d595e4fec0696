"""Constraints between parameters: expressions that are parsed once and evaluated without Python's `eval`.

A number may end in K, M or G (1024 and its powers). Text is enclosed in single or double quotes. A name is a
parameter's name, enclosed in backquotes if it has characters other than letters, digits and underscores.
"""

from __future__ import annotations

import ast
import functools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from adcl._expression import Dialect, ExpressionSyntaxError, ParsedExpression, parse_expression
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.space._space import Configuration

    Result: TypeAlias = str | int | float | bool
    Node: TypeAlias = Callable[[Configuration], Result]

__all__ = ["Constraint", "ConstraintError"]

ConstraintError = ExpressionSyntaxError

_DIALECT = Dialect(
    signs=frozenset(["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "and", "or", "not"]),
    operand="a parameter, a number or text in quotes",
    kinds=frozenset(("number", "unit", "text", "name", "quoted")),
)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}


def _number(value: Result, text: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"the constraint {text!r} calculates with {value!r}, which is not a number")
    return value


def _truth(value: Result, text: str) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"the constraint {text!r} uses {value!r} as a condition; write a comparison, such as NAME > 0")
    return value


def _equal(left: Result, right: Result) -> bool:
    """Return whether two values are equal; lists may contain numbers as text."""
    if isinstance(left, str) != isinstance(right, str):
        return str(left) == str(right)
    return left == right


class _Evaluator:
    """Converts a tree to functions of the configuration."""

    def __init__(self, text: str, parsed: ParsedExpression) -> None:
        self._text = text
        self._parsed = parsed
        self.names: dict[str, int] = {}

    def node(self, tree: ast.expr) -> Node:
        """Return the function of a part of the tree."""
        match tree:
            case ast.BoolOp():
                return self._logical(any if isinstance(tree.op, ast.Or) else all, tree.values)
            case ast.UnaryOp():
                return self._unary(tree.op, self.node(tree.operand))
            case ast.Compare(ops=[sign]):
                return self._comparison(sign, self.node(tree.left), self.node(tree.comparators[0]))
            case ast.Compare():
                word = self._parsed.word(tree.comparators[1])
                raise ConstraintError("a comparison has two sides; join comparisons with 'and'", word.column)
            case ast.BinOp():
                return self._calculation(_ARITHMETIC[type(tree.op)], self.node(tree.left), self.node(tree.right))
            case ast.Set(elts=[inner]):
                return self.node(inner)
            case _:
                return self._operand(tree)

    def _logical(self, combine: Callable[..., bool], trees: list[ast.expr]) -> Node:
        nodes, text = [self.node(tree) for tree in trees], self._text
        return lambda values: combine(_truth(node(values), text) for node in nodes)

    def _unary(self, sign: ast.unaryop, inner: Node) -> Node:
        text = self._text
        if isinstance(sign, ast.Not):
            return lambda values: not _truth(inner(values), text)
        factor = -1 if isinstance(sign, ast.USub) else 1
        return lambda values: factor * _number(inner(values), text)

    def _comparison(self, sign: ast.cmpop, left: Node, right: Node) -> Node:
        text = self._text
        if isinstance(sign, ast.Eq | ast.NotEq):
            same = isinstance(sign, ast.Eq)
            return lambda values: _equal(left(values), right(values)) == same
        compare = _ORDER[type(sign)]
        return lambda values: compare(_number(left(values), text), _number(right(values), text))

    def _calculation(self, calculate: Callable[[float, float], float], left: Node, right: Node) -> Node:
        text = self._text

        def node(values: Configuration) -> Result:
            try:
                return calculate(_number(left(values), text), _number(right(values), text))
            except ZeroDivisionError:
                raise UsageError(f"the constraint {text!r} divides by 0") from None

        return node

    def _operand(self, tree: ast.expr) -> Node:
        word = self._parsed.word(tree)
        if word.kind == "name":
            self.names.setdefault(word.text, word.column)
            return lambda values: values[word.text]
        if word.kind == "text":
            return lambda _: word.text
        if not word.text.isdecimal():
            raise ConstraintError(
                f"{word.text} is not a whole number; multiply both sides of the constraint to remove the fraction",
                word.column,
            )
        value = int(word.text) * _UNITS[word.unit]
        return lambda _: value


@dataclass(frozen=True)
class Constraint:
    """A condition on several parameters, such as ``buffer_mem >= 2 * 64 * eager_limit``.

    It holds for configurations in which one of its parameters is inactive. Raises `ConstraintError` for invalid text.
    """

    text: str

    def __post_init__(self) -> None:
        """Parse the text."""
        _ = self._function

    @functools.cached_property
    def _function(self) -> tuple[Node, dict[str, int]]:
        parsed = parse_expression(self.text, _DIALECT)
        evaluator = _Evaluator(self.text, parsed)
        return evaluator.node(parsed.root), evaluator.names

    @property
    def names(self) -> dict[str, int]:
        """The parameters in the constraint, each with the column of its first occurrence."""
        return self._function[1]

    def holds(self, configuration: Configuration) -> bool:
        """Return whether the configuration, which has active parameters only, is allowed.

        Raises `UsageError` if values cannot be compared or calculated with.
        """
        node, names = self._function
        if any(name not in configuration for name in names):
            return True
        return _truth(node(configuration), self.text)
