"""Energy of this machine's processors, from the kernel (RAPL through /sys/class/powercap)."""

from __future__ import annotations

from pathlib import Path

from adcl.errors import UsageError

__all__ = ["EnergyMeter"]

_POWERCAP = Path("/sys/class/powercap")
_MICRO = 1e-6


def _read(file: Path) -> int:
    return int(file.read_text(encoding="ascii"))


def _name(zone: Path) -> str:
    try:
        return (zone / "name").read_text(encoding="ascii").strip()
    except OSError:
        return ""


class EnergyMeter:
    """Measures energy from its construction on. Raises `UsageError` if no counter is readable.

    Counts packages, not their parts. A counter may wrap around once.
    """

    def __init__(self, powercap: Path = _POWERCAP) -> None:
        zones = sorted(powercap.glob("intel-rapl:?")) + sorted(powercap.glob("intel-rapl:??"))
        # The separate zone psys would count the packages twice.
        self._packages = [zone for zone in zones if _name(zone).startswith("package")]
        try:
            self._ranges = [_read(package / "max_energy_range_uj") for package in self._packages]
            self._begin = self._now()
        except (OSError, ValueError) as error:
            raise UsageError(
                f"cannot read the energy counters: {error}; on most machines, only root can read them"
            ) from error
        if not self._packages:
            raise UsageError(
                f"this machine does not report energy: {powercap} has no RAPL counter; use another objective"
            )

    def _now(self) -> list[int]:
        return [_read(package / "energy_uj") for package in self._packages]

    def joules(self) -> float:
        """Return the energy since the construction, in joules."""
        used = 0
        for begin, end, full in zip(self._begin, self._now(), self._ranges, strict=True):
            used += end - begin if end >= begin else end + full - begin
        return used * _MICRO
