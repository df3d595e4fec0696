"""Figure 5.1: measurements of an exchange on a network that drops packets, and the estimate of each method."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from studies._catalog import Place, Rendered
from studies._page import table
from studies._picture import Curve, Panel, panels
from studies._statements import Statement, counted, statement_table
from studies.thesis._evaluated import extent_of, settings_of
from studies.thesis._resampled import METHODS, RecordingExecutor, read_decided, run_recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from adcl.evaluate import SettingResult
    from studies.thesis._resampled import Decided

__all__ = ["measure", "needs", "render"]

_HERE = Path(__file__).resolve().parent
_MACHINE = "hierarchical"
_LATE_US = 150e3
"""Microseconds above which an exchange has waited for a retransmission, which Linux sends after 200 ms."""

_OUTLIER_US = 300e3
"""Microseconds above which the thesis calls a measurement a true outlier."""

_NEARLY = 1.0
"""Upper bound of the overhead of a right choice, in percent."""

_VARIES = 1.5
"""Minimum ratio of two counts that differ greatly."""


def needs(*, quick: bool) -> list[tuple[str, str]]:
    """Return the build targets, with Open MPI 4 for the emulated cluster: euler3d and the tools for replays."""
    return [("openmpi", "euler3d"), ("openmpi", "adcl-describe"), ("openmpi", "adcl-replay")]


class _OnRankZero(RecordingExecutor):
    """Keeps the measurements of rank 0, which the figure shows."""

    def kept(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the times of rank 0."""
        own: NDArray[np.float64] = rows[0]
        return own


def measure(place: Place) -> None:
    """Run all codelets and record searches on the emulated cluster. Raises `StudyError`."""
    file = _HERE / ("quick.toml" if place.quick else f"{_MACHINE}.toml")
    run_recorded(place, file, _MACHINE, on=_MACHINE, executor=_OnRankZero)


def _late(decided: Sequence[Decided], name: str) -> float:
    """Return the share of a codelet's measurements that waited for a retransmission."""
    every = [one for run in decided for one in run.samples[name]]
    return sum(one > _LATE_US for one in every) / len(every)


def _chosen(decided: Sequence[Decided], method: str) -> list[str]:
    """Return a method's choice for each run, from all measurements."""
    return [one.winners[method, max(count for name, count in one.winners if name == method)] for one in decided]


def _loss(setting: SettingResult, name: str) -> float:
    return next(one.loss_percent for one in setting.codelets if one.name == name)


def _statements(setting: SettingResult, decided: Sequence[Decided]) -> list[Statement]:
    names = list(decided[0].samples)
    shares = {name: _late(decided, name) for name in names}
    shown = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    largest = {name: max(one for run in decided for one in run.samples[name]) / 1e3 for name in names}
    losses = {method: statistics.fmean(_loss(setting, one) for one in _chosen(decided, method)) for method in METHODS}
    excluding = {method: loss for method, loss in losses.items() if method != "none"}
    rows = ("Figure 5.1",)
    return [
        Statement(
            "A significant number of each codelet's measurements is near 200 ms.",
            "5.1",
            f"above 150 ms: {shown}",
            all(share > 0.01 for share in shares.values()),
            rows,
        ),
        Statement(
            "The number of measurements near 200 ms varies greatly between codelets.",
            "5.1",
            f"above 150 ms: {shown}",
            max(shares.values()) > _VARIES * min(shares.values()),
            rows,
        ),
        Statement(
            "True outliers are at 300 ms and above.",
            "5.1",
            "largest: " + ", ".join(f"{name} {value:.0f} ms" for name, value in largest.items()),
            all(1e3 * value > _OUTLIER_US for value in largest.values()),
            rows,
        ),
        Statement(
            "Excluding the measurements near 200 ms leads to a wrong decision.",
            "5.1",
            f"overhead of the chosen codelet: mean of all measurements {losses['none']:.1f} %, "
            + ", ".join(f"{method} {loss:.1f} %" for method, loss in excluding.items()),
            losses["none"] < _NEARLY <= max(excluding.values()),
            rows,
        ),
    ]


def _measured(decided: Sequence[Decided]) -> str:
    rows = []
    for run in decided:
        for name, samples in run.samples.items():
            late = sum(one > _LATE_US for one in samples)
            cells = (f"{value(samples) / 1e3:.1f}" for value in (statistics.median, statistics.fmean, max))
            rows.append((str(run.run), name, *cells, f"{late} of {len(samples)}"))
    return table(("run", "codelet", "median [ms]", "mean [ms]", "largest [ms]", "late"), rows)


def _picture(run: Decided) -> str:
    every = []
    for name, samples in run.samples.items():
        points = [(float(number), value / 1e3) for number, value in enumerate(samples, 1)]
        mean = statistics.fmean(samples) / 1e3
        mean_line = [(1.0, mean), (float(len(samples)), mean)]
        curves = [Curve("exchange", points), Curve(f"mean, {mean:.0f} ms", [], line=mean_line)]
        every.append(Panel(f"5.1 {name}: ms", curves, linear=True))
    return panels(every)


def render(place: Place) -> Rendered:
    """Return the tables, the statements, and the picture."""
    decided = read_decided(place, _MACHINE)
    (setting,) = settings_of(place, _MACHINE)
    statements = _statements(setting, decided)
    verified = [(one.name, f"{one.average_s:.2f}", f"{one.loss_percent:.1f}") for one in setting.codelets]
    chosen = [
        (method, ", ".join(names), ", ".join(f"{_loss(setting, name):.1f}" for name in names))
        for method in METHODS
        for names in [_chosen(decided, method)]
    ]
    values = {
        "statements": statement_table(statements),
        "measured": _measured(decided),
        "verified": table(("codelet", "verification runs [s]", "overhead [%]"), verified),
        "decisions": table(("method", "chosen in each run", "overhead [%]"), chosen),
    }
    return Rendered(
        values,
        {"measured.svg": _picture(decided[0])},
        (counted(statements, place.study),),
        tuple(statements),
        extent_of(place, (_MACHINE,)),
    )
