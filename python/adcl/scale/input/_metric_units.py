"""Metric names with units, as regression and benchmarking frameworks print them."""

from __future__ import annotations

from adcl.scale.input._format import SECONDS

__all__ = ["TIMES", "in_units"]

TIMES = ("time", "runtime", "walltime", "wall_time", "seconds", "elapsed", "duration")
"""Names of metrics that are times."""


def in_units(name: str, unit: str, value: float) -> tuple[str, float]:
    """Return a metric's name with its unit, and the value; times are converted to seconds."""
    if unit in SECONDS:
        return ("time_s" if name.lower() in TIMES else f"{name}_s"), value * SECONDS[unit]
    return (f"{name} [{unit}]" if unit else name), value
