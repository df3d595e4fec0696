"""What MPICH says about a control variable: a sentence or two, and the words that it takes, each explained."""

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
"""What lines end in that a word follows in the next one."""

_WITHIN = re.compile(r"\bthe(?=MPIR-|user-|arguments\b)")
"""What lines end in within sentences."""

_FEWEST = 2


@dataclass(frozen=True)
class MpichDescription:
    """A description, taken apart."""

    about: str
    """What the variable is for, in one line; all of the description where it takes no words."""

    words: dict[str, str]
    """The words that it takes, two or more, with what each of them means; empty where it takes something else."""

    def __str__(self) -> str:
        explained = "; ".join(f"{word}: {meaning}" for word, meaning in self.words.items())
        return f"{self.about.rstrip('.:')}; {explained}" if explained else self.about


def _joint(token: str) -> int:
    """How many letters of a token belong to the line before: "algorithmnb" is "algorithm" and the word "nb"."""
    for ending in _JOINTS:
        rest = token.removeprefix(ending)
        # "algorithmssched" ends in sched, but "algorithmsmp" in smp.
        if rest not in ("", token) and (ending != "algorithms" or rest.startswith("s")):
            return len(ending)
    return 0


def _lines(text: str) -> list[str]:
    """The lines of a description. Version 4.0 has lost their ends: "… algorithmsmp  - Force smp algorithmring - …"."""
    if "\n" in text:
        return text.split("\n")
    text = _WITHIN.sub("the ", text)
    cuts = [match.start() + _joint(match[1]) for match in _JOINED.finditer(text)]
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def read_mpich_description(text: str) -> MpichDescription:
    """Take apart what MPI_T says about a variable that has a number as its type."""
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
    return MpichDescription(_one_line(about), {word: _one_line(said).rstrip(".") for word, said in words.items()})
