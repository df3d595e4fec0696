"""Number formats shared by all pages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.pages._model import Cell

__all__ = ["bytes_text", "cell_text", "percent", "ratio", "seconds"]

_MINUTE_S = 60.0
_HOUR_S = 3600.0
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_WHOLE = 1e4


def _short(value: float) -> str:
    """Format three significant digits without an exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = float(f"{value:.3g}")
    return f"{rounded:.{max(0, 2 - math.floor(math.log10(abs(rounded)) + 1e-12))}f}"


def seconds(value: float) -> str:
    """Format a time in a suitable unit: `4.32 s`, `870 ns`, `2 min 5 s`, `1 h 3 min`."""
    size = abs(value)
    if not math.isfinite(value) or size == 0:
        return f"{value:g} s"
    if size >= _HOUR_S:
        minutes = round(size / _MINUTE_S)
        text = f"{minutes // 60} h {minutes % 60} min"
    elif size >= 2 * _MINUTE_S:
        whole = round(size)
        text = f"{whole // 60} min {whole % 60} s"
    else:
        factor, unit = next((unit for unit in _UNITS if size >= unit[0] * 0.9995), _UNITS[-1])
        text = f"{_short(size / factor)} {unit}"
    return f"-{text}" if value < 0 else text


def bytes_text(value: int) -> str:
    """Format a number of bytes: `64 KiB`, `1.5 MiB`, `100 B`."""
    for factor, unit in _BYTES:
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value} B"


def percent(value: float) -> str:
    """Format a share: 0.123 is `12.3 %`."""
    return f"{100 * value:.3g} %"


def ratio(value: float) -> str:
    """Format a ratio: 1.517 becomes 1.52 and a multiplication sign."""
    return f"{_short(value)}×"


def cell_text(value: Cell) -> str:
    """Format a table cell: None as a dash, numbers with up to four significant digits."""
    if value is None:
        return "–"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–"
        return f"{value:.0f}" if _WHOLE <= abs(value) < _WHOLE**2 else f"{value:.4g}"
    return str(value)
