"""Read the declarations of figures in bench/figures.toml, and check results of benches against them."""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ROOT", "Bench", "Figure", "Picture", "declared"]

ROOT = Path(__file__).resolve().parents[1]
_PLACE = re.compile(r"{(\w+)}")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
_MOST_SENTENCES = 2
"""Maximum number of sentences that give the reason for missed targets."""


@dataclass(frozen=True)
class Figure:
    """One row of the declarations."""

    key: str
    """The name, with placeholders for settings, such as ``time_over_plain.{size}``."""
    unit: str
    target: float | None
    at_least: bool
    about: str
    each: str
    """The placeholder whose values the page shows separately; empty: none."""
    expression: re.Pattern[str]
    """Matches the names that the row declares; its groups are the placeholders."""
    names: tuple[str, ...]
    """All names; empty if a placeholder has no list of values."""

    def met(self, value: float) -> bool:
        """Return whether a value meets the target; True without a target."""
        if self.target is None:
            return True
        return value >= self.target if self.at_least else value <= self.target


@dataclass(frozen=True)
class Picture:
    """The diagram of a bench on the page."""

    x: str
    figures: tuple[str, ...]
    names: tuple[str, ...]
    caption: str


@dataclass(frozen=True)
class Bench:
    """One table of the declarations."""

    name: str
    title: str
    about: str
    missed: str
    see: str
    picture: Picture | None
    figures: tuple[Figure, ...]

    def find(self, name: str) -> Figure | None:
        """Return the row that declares a name."""
        return next((row for row in self.figures if row.expression.fullmatch(name)), None)

    def complete(self, figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the figures with unit and target. Raises ValueError for a figure that differs from its declaration."""
        found: list[dict[str, Any]] = []
        names = set()
        for figure in figures:
            name, value = figure.get("name"), figure.get("value")
            row = self.find(str(name))
            if row is None:
                raise ValueError(f"figure {name} of bench {self.name} is not declared in bench/figures.toml")
            if name in names:
                raise ValueError(f"figure {name} occurs twice")
            if not isinstance(value, int | float) or not math.isfinite(value):
                raise ValueError(f"the value of figure {name} is {value!r}, not a finite number")
            stated = {"unit": row.unit, "target": row.target}
            for key, wanted in stated.items():
                if figure.get(key, wanted) != wanted:
                    raise ValueError(
                        f"the {key} of figure {name} is {figure[key]!r}; bench/figures.toml declares {wanted!r}"
                    )
            names.add(name)
            found.append({"name": name, "value": value} | stated | figure)
        return found

    def missing(self, names: set[str]) -> list[str]:
        """Return the declared names that are missing in `names`; for a row without lists of values, its key."""
        absent: list[str] = []
        for row in self.figures:
            if row.names:
                absent += [name for name in row.names if name not in names]
            elif not any(self.find(name) is row for name in names):
                absent.append(row.key)
        return absent


def _figure(key: str, row: dict[str, Any], sets: dict[str, Any], bench: str) -> Figure:
    places = _PLACE.findall(key)
    if unknown := [place for place in places if place not in sets]:
        raise ValueError(
            f"bench/figures.toml: figure {key} of {bench} has a placeholder {unknown[0]}, which sets lacks"
        )
    if unknown := sorted(row.keys() - {"unit", "at_most", "at_least", "about", "each"}):
        raise ValueError(f"bench/figures.toml: figure {key} of {bench} has an unknown key {unknown[0]!r}")
    lists = [sets[place] for place in places]
    names: tuple[str, ...] = ()
    if all(isinstance(one, list) for one in lists):
        names = tuple(_filled(key, dict(zip(places, values, strict=True))) for values in itertools.product(*lists))
    parts, at = [], 0
    for match in _PLACE.finditer(key):
        values = sets[match[1]]
        inner = "|".join(map(re.escape, values)) if isinstance(values, list) else values
        parts += [re.escape(key[at : match.start()]), f"(?P<{match[1]}>{inner})"]
        at = match.end()
    expression = re.compile("".join([*parts, re.escape(key[at:])]))
    target = row.get("at_most", row.get("at_least"))
    return Figure(
        key, row["unit"], target, "at_least" in row, row.get("about", ""), row.get("each", ""), expression, names
    )


def _filled(key: str, values: dict[str, str]) -> str:
    return _PLACE.sub(lambda match: values[match[1]], key)


def _missed(text: str, bench: str) -> str:
    """Return the reason for missed targets. Raises ValueError if it is too long."""
    sentences = len(_SENTENCE_END.findall(text))
    if sentences > _MOST_SENTENCES:
        raise ValueError(
            f"bench/figures.toml: `missed` of {bench} has {sentences} sentences; write at most {_MOST_SENTENCES}"
        )
    return text


def declared(path: Path = ROOT / "bench" / "figures.toml") -> dict[str, Bench]:
    """Return all benches by name. Raises ValueError for an invalid row or text."""
    found = {}
    for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
        sets = table.get("sets", {})
        drawn = table.get("picture")
        picture = None
        if drawn:
            shown = tuple(drawn["figures"])
            picture = Picture(drawn["x"], shown, tuple(drawn.get("names", ())), drawn["caption"])
        found[name] = Bench(
            name,
            table["title"],
            table.get("about", ""),
            _missed(table.get("missed", ""), name),
            table.get("see", ""),
            picture,
            tuple(_figure(key, row, sets, name) for key, row in table["figures"].items()),
        )
    return found
