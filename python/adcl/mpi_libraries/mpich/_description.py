"""Parse MPICH's description of a control variable: a sentence or two, and the accepted words with explanations."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MpichDescription", "read_mpich_description"]

_ALTERNATIVE = re.compile(r"\s*([a-z][\w-]*)\s+- (.*)")
_JOINED = re.compile(r"([A-Za-z][\w-]*)\s+- (?=[A-Za-z])")
_JOINTS = (
    *("Tree", "Allgather", "Ring", "collectives", "primitives", "receives", "phase", "error"),
    *("allreduce", "reduce", "bcast", "barrier", "algorithms", "algorithm"),
)
"""Words at the end of a line after which the sentence continues on the next line."""

_WITHIN = re.compile(r"\bthe(?=MPIR-|user-|arguments\b)")
"""Endings of lines within sentences."""

_FEWEST = 2


@dataclass(frozen=True)
class MpichDescription:
    """A parsed description."""

    about: str
    """Purpose of the variable in one line; the whole description if the variable accepts no words."""

    words: dict[str, str]
    """Accepted words (two or more) with their meanings; empty if the variable accepts other values."""

    def __str__(self) -> str:
        explained = "; ".join(f"{word}: {meaning}" for word, meaning in self.words.items())
        return f"{self.about.rstrip('.:')}; {explained}" if explained else self.about


def _joined_letters(token: str) -> int:
    """Return how many letters of a token belong to the line before: "algorithmnb" is "algorithm" and the word "nb"."""
    for ending in _JOINTS:
        rest = token.removeprefix(ending)
        # "algorithmssched" ends in sched, but "algorithmsmp" in smp.
        if rest not in ("", token) and (ending != "algorithms" or rest.startswith("s")):
            return len(ending)
    return 0


def _lines(text: str) -> list[str]:
    """Split a description into lines. Version 4.0 omits line ends: "… algorithmsmp  - Force smp algorithmring - …"."""
    if "\n" in text:
        return text.split("\n")
    text = _WITHIN.sub("the ", text)
    cuts = [match.start() + _joined_letters(match[1]) for match in _JOINED.finditer(text)]
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def read_mpich_description(text: str) -> MpichDescription:
    """Parse MPI_T's description of a variable with an integer type."""
    lines = _lines(text)
    about: list[str] = []
    words: dict[str, list[str]] = {}
    current = about
    for line in lines:
        found = _ALTERNATIVE.fullmatch(line.rstrip())
        if found:
            current = words[found[1]] = [found[2]]
        else:
            current.append(line)
    if len(words) < _FEWEST:
        return MpichDescription(_one_line(lines), {})
    return MpichDescription(
        _one_line(about), {word: _one_line(explanation).rstrip(".") for word, explanation in words.items()}
    )
