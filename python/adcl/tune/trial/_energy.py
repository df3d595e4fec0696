"""The energy that this machine's processors use, where the kernel tells (RAPL through /sys/class/powercap)."""

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
    """Counts from when it is made. Raises `UsageError` where no counter can be read.

    Packages are counted, and not their parts. A counter that begins again from 0 is understood if it does so once.
    """

    def __init__(self, powercap: Path = _POWERCAP) -> None:
        zones = sorted(powercap.glob("intel-rapl:?")) + sorted(powercap.glob("intel-rapl:??"))
        # A zone beside them, psys, counts the packages again.
        self._packages = [zone for zone in zones if _name(zone).startswith("package")]
        try:
            self._ranges = [_read(package / "max_energy_range_uj") for package in self._packages]
            self._begin = self._now()
        except (OSError, ValueError) as error:
            raise UsageError(
                f"the energy counters cannot be read: {error}; root can read them on most machines"
            ) from error
        if not self._packages:
            raise UsageError(f"this machine does not report energy: there is no RAPL counter in {powercap}")

    def _now(self) -> list[int]:
        return [_read(package / "energy_uj") for package in self._packages]

    def joules(self) -> float:
        """Energy used since the meter was made."""
        used = 0
        for begin, end, full in zip(self._begin, self._now(), self._ranges, strict=True):
            used += end - begin if end >= begin else end + full - begin
        return used * _MICRO
