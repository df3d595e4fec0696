"""Statements of section 5.3.3 of the thesis, decided by records. Pure."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.evaluate import MEASUREMENTS, Runs
from studies._statements import Statement
from studies.thesis._resampled import METHODS, RECORDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.evaluate import SettingResult
    from studies.thesis._resampled import Decided
    from studies.thesis._timings import Case

__all__ = ["CODELETS", "SEPARATE", "EulerCase", "statements"]

CODELETS = (
    *("IsIr_aao", "IsIr_pair", "IsIr_aao_pack", "IsIr_pair_pack", "SIr_aao", "SIr_pair", "SIr_aao_pack"),
    *("SIr_pair_pack", "S_R_pair", "Sr_pair", "S_R_pair_pack", "Sr_pair_pack"),
)
SEPARATE = "noadcl-lr"
"""Program without ADCL, with separate arrays for the states of a direction; the original has one array for both."""

_NEARLY = 2.0
"""Change in overhead, in percentage points, up to which there is hardly any influence."""
_FEW = 20
"""Number of measurements per codelet up to which they count as few."""
_FILTERS = ("iqr", "cluster", "robust")


@dataclass(frozen=True)
class EulerCase:
    """One size on one machine, with its recorded searches."""

    case: Case
    decided: tuple[Decided, ...]

    @property
    def name(self) -> str:
        """System, ranks, and size."""
        return self.case.name

    @property
    def setting(self) -> SettingResult:
        """Results of the verification runs."""
        return self.case.setting

    def loss(self, codelet: str) -> float:
        """Return a codelet's overhead over the winner in the verification runs, in percent."""
        return next(one.loss_percent for one in self.setting.codelets if one.name == codelet)

    def best(self) -> set[str]:
        """Return the winner, and the codelets that overlap with it."""
        return {one.name for one in self.setting.codelets if one.winner}

    def worst(self) -> set[str]:
        """Return the slowest codelet, and the codelets that overlap with it."""
        return {one.name for one in self.setting.codelets if one.loser}

    def losses(self, method: str, count: int) -> list[float]:
        """Return the overheads of the recorded searches' choices with `count` measurements of each codelet."""
        chosen = [one.winners.get((method, count)) for one in self.decided]
        return [self.loss(name) for name in chosen if name]

    def overhead(self, method: str, count: int) -> float:
        """Return the mean of `losses`."""
        return statistics.fmean(self.losses(method, count))

    def over_original(self, times: Sequence[float]) -> float:
        """Return how much longer runs take than the original program, in percent (g_avg of section 5.3.3.2)."""
        return 100.0 * (statistics.fmean(times) / statistics.fmean(self.setting.original) - 1.0)

    def separate(self) -> tuple[float, ...]:
        """Return the times of the original program with separate arrays."""
        return self.case.tuned(SEPARATE).times

    def spread(self) -> float:
        """Return the excess of the longest run over the shortest, mean over the codelets, in percent."""
        return statistics.fmean(100.0 * (max(one.times) / min(one.times) - 1.0) for one in self.setting.codelets)

    def whole_change(self) -> tuple[float, float, float]:
        """Return the change in percent of the total time, search included, from the original program, with extremes."""
        tuned, original = Runs(self.case.tuned(RECORDED).times), Runs(self.setting.original)
        pairs = ((tuned.average, original.average), (tuned.low, original.high), (tuned.high, original.low))
        change, low, high = (100.0 * (ours / theirs - 1.0) for ours, theirs in pairs)
        return change, low, high

    def measured_overheads(self) -> dict[str, tuple[float, float, float]]:
        """Return median and quartiles of the first recording's measurements, in percent above the smallest median."""
        quartiles = {name: statistics.quantiles(values, n=4) for name, values in self.decided[0].samples.items()}
        least = min(median for _, median, _ in quartiles.values())
        return {
            name: (100.0 * (median / least - 1.0), 100.0 * (low / least - 1.0), 100.0 * (high / least - 1.0))
            for name, (low, median, high) in quartiles.items()
        }


def _mean(cases: Sequence[EulerCase], methods: Sequence[str], counts: Sequence[int]) -> float:
    return statistics.fmean(case.overhead(method, count) for case in cases for method in methods for count in counts)


def _influence(cases: Sequence[EulerCase], methods: Sequence[str]) -> float:
    """Return the largest spread of the mean overhead between numbers of measurements, over all methods."""
    spans = []
    for method in methods:
        means = [_mean(cases, [method], [count]) for count in MEASUREMENTS]
        spans.append(max(means) - min(means))
    return max(spans)


def _on_infiniband(cases: Sequence[EulerCase]) -> list[Statement]:
    """Return the statements on InfiniBand, decided in shared memory."""
    most = max(MEASUREMENTS)
    few = [count for count in MEASUREMENTS if count <= _FEW]
    first = [case for case in cases if "IsIr_aao" in case.best()]
    right = [
        all(one.winners.get((method, most)) in case.best() for method in METHODS for one in case.decided)
        for case in cases
    ]
    plain, filtered = _mean(cases, ("none", "heuristic"), few), _mean(cases, _FILTERS, few)
    pairs = [
        (one.winners.get(("none", count)), one.winners.get(("heuristic", count)))
        for case in cases
        for one in case.decided
        for count in MEASUREMENTS
    ]
    same = sum(one == other for one, other in pairs)
    unmoved = _influence(cases, _FILTERS)
    return [
        Statement(
            "On InfiniBand, IsIr_aao is the best choice for all numbers of processes and sizes.",
            "5.3.3.2",
            f"best in {len(first)} of {len(cases)} settings in shared memory",
            len(first) == len(cases),
            ("Table 5.2", "Figure 5.5"),
        ),
        Statement(
            f"On InfiniBand, all methods choose a best codelet with n_m = {most} in nearly all settings (13 of 14).",
            "5.3.3.3",
            f"in {sum(right)} of {len(right)} settings in shared memory",
            10 * sum(right) >= 9 * len(right),
            ("Table 5.3",),
        ),
        Statement(
            "On InfiniBand, no filtering and the heuristic decide worse with few measurements than the other methods.",
            "5.3.3.3",
            f"mean overhead {plain:.1f} and {filtered:.1f} % with n_m up to {_FEW}",
            plain > filtered,
            ("Figure 5.7",),
        ),
        Statement(
            "On InfiniBand, nearly all decisions with the heuristic are the same as without filtering.",
            "5.3.3.3",
            f"{same} of {len(pairs)} decisions are equal",
            10 * same >= 9 * len(pairs),
            ("Figure 5.7",),
        ),
        Statement(
            "On InfiniBand, n_m hardly changes the overhead with IQR, cluster analysis, and robust statistics: by "
            f"{_NEARLY:g} "
            "percentage points at most.",
            "5.3.3.3",
            f"{unmoved:.1f} points",
            unmoved <= _NEARLY,
            ("Figure 5.7",),
        ),
    ]


def _on_ethernet(cases: Sequence[EulerCase]) -> list[Statement]:
    several = statistics.fmean(len(case.best()) for case in cases)
    both = [case for case in cases if case.best() & case.worst()]
    packs = [case for case in cases if any(name.endswith("_pack") for name in case.best())]
    hardly = _influence(cases, METHODS)
    means = {method: _mean(cases, [method], MEASUREMENTS) for method in METHODS}
    apart = max(abs(means[method] - means["none"]) for method in METHODS)
    wrong = [case for case in cases if any(case.overhead(method, max(MEASUREMENTS)) > _NEARLY for method in METHODS)]
    return [
        Statement(
            "On Ethernet, there are several best codelets.",
            "5.3.3.2",
            f"{several:.1f} on average"
            + (f"; in {len(both)} of {len(cases)} settings, one of them is also among the worst" if both else ""),
            several > 1,
            ("Table 5.2", "Figure 5.4"),
        ),
        Statement(
            "On Ethernet, codelets that pack are among the best in most settings (4 of 7).",
            "5.3.3.2",
            f"{len(packs)} of {len(cases)}",
            2 * len(packs) > len(cases),
            ("Table 5.2",),
        ),
        Statement(
            f"On Ethernet, n_m has hardly any influence on the decisions: {_NEARLY:g} percentage points at most.",
            "5.3.3.3",
            f"{hardly:.1f} points",
            hardly <= _NEARLY,
            ("Figure 5.8",),
        ),
        Statement(
            f"On Ethernet, all methods have the same overhead as no filtering, within {_NEARLY:g} percentage points.",
            "5.3.3.3",
            ", ".join(f"{method} {value:.1f} %" for method, value in means.items()),
            apart <= _NEARLY,
            ("Figure 5.8",),
        ),
        Statement(
            "On Ethernet, measurements after a barrier can make all methods choose an unfavorable codelet, even with "
            "n_m = 100.",
            "5.3.3.3",
            f"in {len(wrong)} of {len(cases)} settings",
            bool(wrong),
            ("Figure 5.9",),
        ),
    ]


def _on_both(shared: Sequence[EulerCase], ethernet: Sequence[EulerCase]) -> list[Statement]:
    spreads = [statistics.fmean(map(EulerCase.spread, cases)) for cases in (shared, ethernet)]
    changes = [min(case.whole_change()[0] for case in cases) for cases in (shared, ethernet)]
    return [
        Statement(
            "Verification runs vary more on Ethernet than on InfiniBand.",
            "5.3.3.2",
            f"the longest run takes {spreads[1]:.1f} % longer than the shortest on Ethernet, {spreads[0]:.1f} % in "
            "shared memory",
            spreads[1] > spreads[0],
            ("Figure 5.4",),
        ),
        Statement(
            "With its search, ADCL saves a larger share of the run time on Ethernet (17 %) than on InfiniBand (5 %).",
            "5.3.3.4",
            f"best change of the run time {changes[1]:+.1f} % on Ethernet, {changes[0]:+.1f} % in shared memory",
            changes[1] < changes[0],
            ("Table 5.4",),
        ),
    ]


def _on_any(cases: Sequence[EulerCase], printed: dict[str, Any]) -> list[Statement]:
    best, worst = ({name for case in cases for name in which(case)} for which in (EulerCase.best, EulerCase.worst))
    slow = [case for case in cases if "S_R_pair_pack" in case.worst()]
    changes = {case.name: case.whole_change()[0] for case in cases}
    limit = printed["largest_loss"]
    separate = [case.over_original(case.separate()) for case in cases]
    return [
        Statement(
            "S_R_pair_pack does not perform well across interconnects.",
            "5.3.3.2",
            f"among the worst in {len(slow)} of {len(cases)} settings",
            2 * len(slow) > len(cases),
            ("Table 5.2", "Figure 5.5"),
        ),
        Statement(
            f"Most codelets are best in some setting ({printed['best_somewhere']} of 12), and most are the slowest in "
            f"some setting ({printed['worst_somewhere']} of 12).",
            "5.3.3.2",
            f"{len(best)} are best and {len(worst)} are worst in some setting, of {len(CODELETS)}",
            2 * min(len(best), len(worst)) > len(CODELETS),
            ("Figure 5.5",),
        ),
        Statement(
            f"With its search, ADCL is never slower than the original program by more than {limit:g} %.",
            "5.3.3.4",
            ", ".join(f"{name} {value:+.1f} %" for name, value in changes.items()),
            max(changes.values()) <= limit,
            ("Table 5.4",),
        ),
        Statement(
            "Separate arrays do not turn out favorably for the program without ADCL.",
            "5.3.3.2",
            "noadcl-lr relative to noadcl: " + ", ".join(f"{change:+.1f} %" for change in separate),
            2 * sum(change > 0 for change in separate) > len(cases),
            ("Figure 5.6",),
        ),
    ]


def statements(cases: Sequence[EulerCase], printed: dict[str, Any]) -> list[Statement]:
    """Return the statements that the measured machines decide; a quick run has no Ethernet."""
    shared = [case for case in cases if case.case.machine == "shared"]
    ethernet = [case for case in cases if case.case.machine != "shared"]
    return [
        *(_on_infiniband(shared) if shared else ()),
        *(_on_ethernet(ethernet) if ethernet else ()),
        *(_on_both(shared, ethernet) if shared and ethernet else ()),
        *(_on_any(cases, printed) if cases else ()),
    ]
