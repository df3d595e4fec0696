"""The grammar of constraints (`adcl tune`) and growth (`adcl scale`): expressions of Python, in two dialects.

`parse_expression` returns a tree of Python's `ast`, never evaluates it, and accepts nothing else:

    expression  = and { "or" and }
    and         = not { "and" not }
    not         = "not" not | sum [ comparison sum ]
    sum         = product { ("+" | "-") product }
    product     = sign { [ "*" | "/" | "%" ] sign }
    sign        = "-" sign | "+" sign | atom [ "^" sign ]
    atom        = number | text | name | "(" expression ")" | "{" expression "}"

A `Dialect` states the operators. Operands are names in the tree: `ParsedExpression.word` returns the word of a name. A
group in parentheses or braces is a set with one element, so that the tree contains all groups. Factors without an
operator between them are a matrix product.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from adcl.errors import UsageError

__all__ = ["Dialect", "ExpressionSyntaxError", "ParsedExpression", "Word", "parse_expression"]

_OPERAND = r"""(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)
    |(?P<text>'[^']*'|"[^"]*")
    |(?P<name>[A-Za-z_]\w*|`[^`]+`)"""
_SIGN = re.compile(r"==|!=|<=|>=|\*\*|[-+*/%<>^(){}]")
_TOKEN = re.compile(_OPERAND, re.VERBOSE)
_UNIT = re.compile(r"[KMG](?!\w)")
_CLOSING = {"(": ")", "{": "}"}
_DEEPEST = 50
_LONGEST = 400
"""Largest number of words; the tree of a longer expression may exceed Python's recursion limit."""


class ExpressionSyntaxError(UsageError):
    """The text is not an expression. `column` is the place, counted from 1 within the text."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class Dialect:
    """The part of the grammar that an expression may use."""

    signs: frozenset[str]
    """Operators, parentheses, and the words `and`, `or` and `not`."""

    operand: str
    """Operands, as error messages name them."""

    kinds: frozenset[str]
    """Kinds of operands: number, text, name, quoted (a name in backquotes), unit (K, M and G after a number)."""

    implicit: bool = False
    """Whether factors side by side are a product."""


@dataclass(frozen=True, slots=True)
class Word:
    """A number, text, a name, an operator or the end. `column` counts from 1."""

    kind: str
    text: str
    column: int
    unit: str = ""

    def __str__(self) -> str:
        return "the end of the expression" if self.kind == "end" else repr(self.text + self.unit)


@dataclass(frozen=True)
class ParsedExpression:
    """The tree of an expression and its words."""

    root: ast.expr
    words: tuple[Word, ...]
    _offsets: tuple[int, ...]

    def word(self, node: ast.expr) -> Word:
        """Return the first word of a node: for an operand, the operand itself."""
        return self.words[self._offsets.index(node.col_offset)]


def _words(text: str, dialect: Dialect) -> list[Word]:
    found, place = [], 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        kind = (match.lastgroup or "") if match else ""
        if match and match[0].startswith("`"):
            kind = "quoted"
        if match is None or (match[0] in ("and", "or", "not") and match[0] in dialect.signs):
            match, kind = match or _SIGN.match(text, place), "sign"
        if match is None or (kind not in dialect.kinds if kind != "sign" else match[0] not in dialect.signs):
            near = re.compile(r"[\w.]+|.").match(text, place)
            raise ExpressionSyntaxError(
                f"unexpected {near[0] if near else text[place]!r}: expected {dialect.operand}, or an operator"
                + ("; write == to test for equality" if text[place] == "=" else ""),
                place + 1,
            )
        word, place, start = match[0], match.end(), place
        unit = _UNIT.match(text, place) if kind == "number" and "unit" in dialect.kinds else None
        if kind in ("text", "quoted"):
            word, kind = word[1:-1], "text" if kind == "text" else "name"
        found.append(Word(kind, word, start + 1, unit[0] if unit else ""))
        place += len(unit[0]) if unit else 0
    return [*found, Word("end", "", len(text) + 1)]


class _Translator:
    """Checks the order of the words and writes them as an expression of Python."""

    def __init__(self, words: list[Word], dialect: Dialect) -> None:
        self._words = words
        self._dialect = dialect
        self._open: list[str] = []
        self._prefixes = 0
        self._complete = False
        self._size = 0
        self.offsets: list[int] = []
        self.parts: list[str] = []

    def python(self) -> str:
        """Return the expression; operand number i is the name w<i>."""
        for index, word in enumerate(self._words):
            if word.kind == "end":
                self._end(word)
            elif word.kind != "sign" or word.text in _CLOSING:
                self._operand(word, index)
            else:
                self._operator(word)
        return "".join(self.parts)

    def _write(self, text: str) -> None:
        self.offsets.append(self._size + 1)
        self.parts.append(f" {text} ")
        self._size += len(text) + 2

    def _operand(self, word: Word, index: int) -> None:
        if self._complete:
            if not self._dialect.implicit:
                raise ExpressionSyntaxError(
                    f"expected an operator or the end of the expression, found {word}", word.column
                )
            self.parts.append("@")
            self._size += 1
        if word.text in _CLOSING and word.kind == "sign":
            self._open.append(word.text)
            self._write("{")
        else:
            self._write(f"w{index}")
        self._complete = word.kind != "sign"
        self._nesting(word, len(self._open))

    def _operator(self, word: Word) -> None:
        closes = word.text in _CLOSING.values()
        if not self._complete and (closes or word.text not in ("+", "-", "not")):
            raise self._missing(word)
        if self._complete and word.text == "not":
            raise ExpressionSyntaxError(f"expected an operator or the end of the expression, found {word}", word.column)
        if closes:
            if not self._open or _CLOSING[self._open[-1]] != word.text:
                raise ExpressionSyntaxError(f"unmatched {word}", word.column)
            self._open.pop()
        self._prefixes = 0 if self._complete else self._prefixes + 1
        self._nesting(word, self._prefixes)
        self._write("}" if closes else word.text.replace("^", "**"))
        self._complete = closes

    def _nesting(self, word: Word, depth: int) -> None:
        if depth > _DEEPEST:
            raise ExpressionSyntaxError(
                f"the expression is nested more than {_DEEPEST} levels deep; reduce the nesting", word.column
            )

    def _missing(self, word: Word) -> ExpressionSyntaxError:
        return ExpressionSyntaxError(f"expected {self._dialect.operand}, found {word}", word.column)

    def _end(self, word: Word) -> None:
        if not self._complete:
            raise self._missing(word)
        if self._open:
            raise ExpressionSyntaxError(f"a {_CLOSING[self._open[-1]]!r} is missing", word.column)
        self._write("")


def parse_expression(text: str, dialect: Dialect) -> ParsedExpression:
    """Parse a text. Raises `ExpressionSyntaxError`."""
    words = _words(text, dialect)
    if len(words) > _LONGEST:
        raise ExpressionSyntaxError(
            f"the expression has more than {_LONGEST} tokens; shorten it", words[_LONGEST].column
        )
    translator = _Translator(words, dialect)
    python = translator.python()
    try:
        # The spaces at the beginning would be an indentation.
        root = ast.parse(f"({python})", mode="eval").body
    except SyntaxError as error:  # "not" after an operator with a higher precedence
        place = sum(offset < (error.offset or 1) - 1 for offset in translator.offsets)
        word = words[min(place, len(words) - 1)]
        raise ExpressionSyntaxError(f"expected {dialect.operand}, found {word}", word.column) from None
    return ParsedExpression(root, tuple(words), tuple(offset + 1 for offset in translator.offsets))
