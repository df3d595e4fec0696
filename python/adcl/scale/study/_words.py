"""Parameters whose values are words: each word gives a function a separate name and hence a separate model.

If a study uses a function's plain name, the statement applies to each setting of the words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from adcl.scale.model import Measurement
    from adcl.scale.study._study import Efficiency, Expectation, Limit, Rule, ScaleStudy

    About = TypeVar("About", Expectation, Limit, Efficiency)

__all__ = ["for_each_word", "with_words", "without_words"]

_WORDS = re.compile(r"(.*) \[([^\[\]]*=[^\[\]]*)\]")


def with_words(function: str, words: Mapping[str, str]) -> str:
    """Return the function's name extended by the words of these parameters; unchanged without words."""
    suffix = ", ".join(f"{name}={word}" for name, word in words.items())
    return f"{function} [{suffix}]" if suffix else function


def without_words(function: str) -> str:
    """Return the function's name in the program."""
    found = _WORDS.fullmatch(function)
    return found[1] if found else function


class _Names:
    """Names under which functions were measured."""

    def __init__(self, measurements: Iterable[Measurement]) -> None:
        self._measured: set[str] = set()
        self._words: dict[str, set[str]] = defaultdict(set)
        for name in {one.function for one in measurements}:
            self._measured.add(name)
            plain = without_words(name)
            self._words[plain].add(name[len(plain) :])

    def suffixes(self, functions: Iterable[str]) -> list[str]:
        """Return the word suffixes with which all these functions were measured.

        Functions that were measured under the plain name need no suffix; the result is [""] if nothing must be added.
        """
        open_ones = [name for name in functions if name not in self._measured and name in self._words]
        return sorted(set.intersection(*(self._words[name] for name in open_ones))) if open_ones else [""]

    def with_suffix(self, function: str, ending: str) -> str:
        """Return the name with these words, if the plain name was not measured."""
        return function if function in self._measured else function + ending

    def expand(self, about: Sequence[About]) -> Iterator[About]:
        for one in about:
            for ending in self.suffixes([one.function]):
                yield replace(one, function=self.with_suffix(one.function, ending))

    def rules(self, rules: Sequence[Rule]) -> Iterator[Rule]:
        for rule in rules:
            # Without common words the rule is unchanged; the lookup reports what is missing.
            for ending in self.suffixes([rule.left, *(name for _, name in rule.right)]) or [""]:
                right = tuple((factor, self.with_suffix(name, ending)) for factor, name in rule.right)
                yield replace(rule, left=self.with_suffix(rule.left, ending), right=right)


def for_each_word(study: ScaleStudy, measurements: Sequence[Measurement]) -> ScaleStudy:
    """Return the study with each statement expanded to every setting of the words."""
    names = _Names(measurements)
    return replace(
        study,
        expectations=tuple(names.expand(study.expectations)),
        rules=tuple(names.rules(study.rules)),
        limits=tuple(names.expand(study.limits)),
        efficiencies=tuple(names.expand(study.efficiencies)),
    )
