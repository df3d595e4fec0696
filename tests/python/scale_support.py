"""Measurements of functions with known growth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adcl.scale import Measurement, Series, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

POWERS = tuple(2.0**n for n in range(1, 9))


def series(
    formula: str,
    points: Iterable[float] = POWERS,
    *,
    noise: float = 0.0,
    seed: int = 0,
    function: str = "f",
    name: str = "p",
) -> Series:
    """Return a series of one parameter that follows a formula, with relative noise."""
    settings = tuple(points)
    values = parse(formula).evaluate({name: np.array(settings)})
    values = values * (1 + noise * np.random.default_rng(seed).standard_normal(len(settings)))
    return Series(function, "time_s", (name,), tuple((x,) for x in settings), tuple(float(y) for y in values))


def measurements(
    function: str,
    formula: str,
    points: Iterable[float] = POWERS,
    *,
    metric: str = "time_s",
    name: str = "p",
    **fixed: float,
) -> list[Measurement]:
    """Return exact measurements of a formula with four equal repetitions each."""
    settings = tuple(points)
    values = parse(formula).evaluate({name: np.array(settings)})
    return [
        Measurement(function, metric, {name: x, **fixed}, (float(y),) * 4)
        for x, y in zip(settings, values, strict=True)
    ]
