"""Groups of markers with ranges as SVG, on a linear axis that may cross zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ranged", "RangedPanel", "ranged_panels", "round_steps"]

_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00")
_LEFT, _RIGHT, _TOP, _BOTTOM, _PLOT = 52, 12, 44, 122, 170
_GROUP, _LEAST = 30, 360
_APART = 8.0
_STEPS = 5


@dataclass(frozen=True)
class Ranged:
    """One series: for each name of the panel a value with the ends of its range, or None."""

    name: str
    values: Sequence[tuple[float, float, float] | None]


@dataclass(frozen=True)
class RangedPanel:
    """One picture: names along the horizontal axis, and several series."""

    title: str
    names: Sequence[str]
    series: Sequence[Ranged]

    @property
    def width(self) -> float:
        """Width in pixels; depends on the number of names and series."""
        each = max(_GROUP, _APART * (len(self.series) + 1))
        return max(_LEAST, _LEFT + _RIGHT + each * len(self.names))


def round_steps(low: float, high: float) -> list[float]:
    """Return about five round numbers that enclose the range; they include zero if it lies inside."""
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / _STEPS))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * _STEPS >= span)
    return [step * at for at in range(math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9) + 1)]


def _panel(panel: RangedPanel, y: float) -> list[str]:
    known = [value for one in panel.series for value in one.values if value is not None]
    ticks = round_steps(min(0.0, *(min(one) for one in known)), max(max(one) for one in known))
    low, high = ticks[0], ticks[-1]
    bottom, right = y + _TOP + _PLOT, panel.width - _RIGHT
    each = (right - _LEFT) / len(panel.names)

    def up(value: float) -> float:
        return bottom - (value - low) / ((high - low) or 1.0) * _PLOT

    found = [f'<text class="t" x="{_LEFT}" y="{y + 16:.1f}">{escape(panel.title)}</text>']
    for value in ticks:
        kind = "z" if abs(value) < 1e-12 else "g"
        found.append(f'<path class="{kind}" d="M{_LEFT},{up(value):.1f}H{right:.1f}"/>')
        found.append(f'<text x="{_LEFT - 5}" y="{up(value) + 4:.1f}" text-anchor="end">{value:.6g}</text>')
    for at, name in enumerate(panel.names):
        x = _LEFT + each * (at + 0.5)
        found.append(
            f'<text x="{x:.1f}" y="{bottom + 12:.1f}" text-anchor="end" '
            f'transform="rotate(-60 {x:.1f} {bottom + 12:.1f})">{escape(name)}</text>'
        )
    for number, one in enumerate(panel.series):
        color = _COLORS[number % len(_COLORS)]
        shift = _APART * (number - (len(panel.series) - 1) / 2)
        for at, triple in enumerate(one.values):
            if triple is not None:
                x = _LEFT + each * (at + 0.5) + shift
                middle, least, most = map(up, triple)
                found.append(f'<path class="r" stroke="{color}" d="M{x:.1f},{least:.1f}V{most:.1f}"/>')
                found.append(f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="3" fill="{color}"/>')
        x = _LEFT + 90 * number
        found.append(f'<circle cx="{x + 4:.1f}" cy="{y + 30:.1f}" r="3" fill="{color}"/>')
        found.append(f'<text x="{x + 11:.1f}" y="{y + 34:.1f}">{escape(one.name)}</text>')
    return found


def ranged_panels(every: Sequence[RangedPanel]) -> str:
    """Return an SVG document of panels, one below the other. Lines extend from the smallest to the largest value."""
    each = _TOP + _PLOT + _BOTTOM
    width = max(max(panel.width, _LEFT + 90 * len(panel.series)) for panel in every)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {each * len(every)}">',
        (
            "<style>text{font:10px sans-serif;fill:#444}.t{font:bold 12px sans-serif;fill:#111}"
            ".g{stroke:#e4e4e4}.z{stroke:#888}.r{stroke-width:1.5}</style>"
        ),
        f'<rect width="{width:.0f}" height="{each * len(every)}" fill="#fff"/>',
    ]
    for number, panel in enumerate(every):
        lines += _panel(panel, each * number)
    return "\n".join([*lines, "</svg>", ""])
