"""Small multiples as SVG: measurements as markers, models as lines, on logarithmic or linear axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Curve", "Panel", "panels"]

_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00")
_WIDTH, _HEIGHT = 300, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 26, 30


@dataclass(frozen=True)
class Curve:
    """One function on one machine. Points are pairs of positive numbers."""

    name: str
    points: Sequence[tuple[float, float]]
    line: Sequence[tuple[float, float]] = ()
    dashed: Sequence[tuple[float, float]] = ()
    labels: Sequence[str] = ()
    """Tooltip of each point."""


@dataclass(frozen=True)
class Panel:
    """One picture with several curves."""

    title: str
    curves: Sequence[Curve]
    linear: bool = False
    """True for linear axes instead of logarithmic axes."""


def _decades(low: float, high: float) -> list[float]:
    return [10.0**at for at in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def _steps(low: float, high: float) -> list[float]:
    """Return about five round numbers from `low` to `high`."""
    wide = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(wide))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= wide)
    return [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _short(value: float) -> str:
    """Format a number on an axis; from 100000 on with the prefix for 1024 or 1024²."""
    if value < 1e5:
        return f"{value:g}"
    return f"{value / 2**20:g}M" if value >= 2**20 else f"{value / 2**10:g}K"


def _label(value: float) -> str:
    return f"{value:g}" if value == 0 or 1e-3 <= value < 1e5 else f"1e{round(math.log10(value))}"


class _Axes:
    def __init__(self, panel: Panel, x: float, y: float) -> None:
        pairs = [pair for one in panel.curves for pair in (*one.points, *one.line)]
        xs, ys = zip(*pairs, strict=True)
        self._low, self._high = (min(xs), min(ys) / 1.3), (max(xs) * 1.02, max(ys) * 2.5)
        self._linear = panel.linear
        if panel.linear:
            tall = max(ys) - min(ys) or 1.0
            self._low, self._high = (0.0, min(ys) - 0.1 * tall), (max(xs) * 1.02, max(ys) + 0.6 * tall)
        self.x, self.y = x, y

    def at(self, pair: tuple[float, float]) -> str:
        """Return the position of a point in pixels, with one digit."""
        return f"{self.across(pair[0]):.1f},{self.up(pair[1]):.1f}"

    def across(self, value: float) -> float:
        share = self._share(value, self._low[0], self._high[0])
        return self.x + _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def up(self, value: float) -> float:
        share = self._share(value, self._low[1], self._high[1])
        return self.y + _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    def _share(self, value: float, low: float, high: float) -> float:
        if self._linear:
            return (value - low) / (high - low)
        return math.log(value / low) / math.log(high / low)

    def _ticks(self) -> tuple[list[float], list[float]]:
        """Return the numbers of both axes."""
        (left, low), (right, high) = self._low, self._high
        if self._linear:
            return _steps(left, right), _steps(low, high)
        step = 2 if right / left <= 40 else 4 if right / left <= 4096 else 16
        across, value = [], 2.0 ** math.ceil(math.log2(left))
        while value <= right:
            across.append(value)
            value *= step
        up = [one for one in _decades(low, high) if low <= one <= high]
        if len(up) < 2:
            up = [factor * one for one in _decades(low, high) for factor in (1, 2, 5) if low <= factor * one <= high]
        return across, up

    def grid(self) -> list[str]:
        """Return lines and numbers of both axes."""
        found = []
        left, right = self.x + _LEFT, self.x + _WIDTH - _RIGHT
        top, bottom = self.y + _TOP, self.y + _HEIGHT - _BOTTOM
        across_at, up_at = self._ticks()
        for value in up_at:
            up = self.up(value)
            found.append(f'<path class="g" d="M{left:.1f},{up:.1f}H{right:.1f}"/>')
            found.append(f'<text x="{left - 4:.1f}" y="{up + 4:.1f}" text-anchor="end">{_label(value)}</text>')
        for value in across_at:
            across = self.across(value)
            found.append(f'<path class="g" d="M{across:.1f},{top:.1f}V{bottom:.1f}"/>')
            found.append(f'<text x="{across:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{_short(value)}</text>')
        return found

    def path(self, pairs: Sequence[tuple[float, float]], color: str, *, dashed: bool) -> str:
        """Return a line through the points inside the panel."""
        inside = [pair for pair in pairs if self._low[1] <= pair[1] <= self._high[1]]
        dash = ' stroke-dasharray="4 3" opacity="0.6"' if dashed else ""
        return f'<path class="l" stroke="{color}"{dash} d="M{" L".join(map(self.at, inside))}"/>' if inside else ""


def _marker(at: str, shape: int, color: str) -> str:
    x, y = map(float, at.split(","))
    if shape % 3 == 0:
        return f'<circle cx="{x}" cy="{y}" r="3" fill="{color}"/>'
    if shape % 3 == 1:
        return f'<rect x="{x - 2.7:.1f}" y="{y - 2.7:.1f}" width="5.4" height="5.4" fill="{color}"/>'
    return f'<path fill="{color}" d="M{x:.1f},{y - 3.4:.1f}l3.4,6h-6.8z"/>'


def _panel(panel: Panel, x: float, y: float) -> list[str]:
    axes = _Axes(panel, x, y)
    found = [f'<text class="t" x="{x + _LEFT:.1f}" y="{y + 16:.1f}">{escape(panel.title)}</text>', *axes.grid()]
    for number, one in enumerate(panel.curves):
        color = _COLORS[number % len(_COLORS)]
        found += [axes.path(one.line, color, dashed=False), axes.path(one.dashed, color, dashed=True)]
        markers = [_marker(axes.at(pair), number, color) for pair in one.points]
        if one.labels:
            labeled = zip(markers, one.labels, strict=True)
            markers = [f"<g><title>{escape(label)}</title>{marker}</g>" for marker, label in labeled]
        found += markers
        down = y + _TOP + 10 + 13 * number
        if not one.points:
            found.append(f'<path class="l" stroke="{color}" d="M{x + _LEFT + 4:.1f},{down - 4:.1f}h8"/>')
        else:
            found.append(_marker(f"{x + _LEFT + 8:.1f},{down - 4:.1f}", number, color))
        found.append(f'<text x="{x + _LEFT + 15:.1f}" y="{down:.1f}">{escape(one.name)}</text>')
    return [line for line in found if line]


def panels(every: Sequence[Panel], columns: int = 3) -> str:
    """Return an SVG document of panels, row by row. Dashed lines are the published growths."""
    rows = math.ceil(len(every) / columns)
    width, height = _WIDTH * min(columns, len(every)), _HEIGHT * rows
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}">',
        (
            "<style>text{font:10px sans-serif;fill:#444}.t{font:bold 12px sans-serif;fill:#111}"
            ".g{stroke:#e4e4e4;fill:none}.l{fill:none;stroke-width:1.5}</style>"
        ),
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, panel in enumerate(every):
        lines += _panel(panel, _WIDTH * (number % columns), _HEIGHT * (number // columns))
    return "\n".join([*lines, "</svg>", ""])
