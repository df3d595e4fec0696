"""Statements of the paper on exchanges and searches, decided by records. Pure."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.evaluate import Runs
from studies._statements import Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.evaluate import SettingResult, TunedResult

__all__ = ["DEFAULT", "LIMITS", "SEARCHES", "WRITTEN", "SolverCase", "statements"]

WRITTEN = ("fcfs", "fcfs-pack", "ordered", "overlap")
SEARCHES = ("brute_force", "hypothesis")
LIMITS = ("limit_10", "limit_20", "limit_40")
DEFAULT = "limit_40"
"""Default of the paper's library."""

_ORIGINAL = "fcfs"
_SMALL, _MEDIUM, _LARGE = "small", "medium", "large"
_FIGURES = {_SMALL: "Figure 2", _MEDIUM: "Figure 3", _LARGE: "Figure 4"}
_RUNS = tuple(_FIGURES.values())
_NETWORKS = {"shared": "InfiniBand", "gigabit": "Ethernet"}
_NEARLY = 2.0
"""Difference in percent up to which times count as nearly the same."""
_MOST = 0.5
"""Share from which on a count is a majority."""


@dataclass(frozen=True)
class SolverCase:
    """One size of blocks on one machine."""

    machine: str
    setting: SettingResult

    @property
    def name(self) -> str:
        """Machine, ranks, and points of a process."""
        return f"{self.machine}_{self.setting.ranks}_{self.setting.parameters['size']}"

    @property
    def size(self) -> str:
        """Small, medium, or large: the medium block is twice as long in one dimension, the large block in two."""
        edges = sorted(map(int, self.setting.parameters["size"].split("x")))
        return (_SMALL, _MEDIUM, _LARGE)[sum(edge > edges[0] for edge in edges)]

    @property
    def printed_name(self) -> str:
        """Network of the paper that the machine represents, and size."""
        return f"{_NETWORKS[self.machine]}, {self.size}"

    def written(self, name: str) -> Runs:
        """Return the runs with a hand-written exchange."""
        if name == _ORIGINAL:
            return Runs(self.setting.original)
        return Runs(tuple(t for one in self.setting.tuned if one.combination.timing == name for t in one.times))

    def fastest_written(self) -> str:
        """Return the hand-written exchange with the smallest mean."""
        return min(WRITTEN, key=lambda name: self.written(name).average)

    def slowest_written(self) -> str:
        """Return the hand-written exchange with the largest mean."""
        return max(WRITTEN, key=lambda name: self.written(name).average)

    def best(self) -> set[str]:
        """Return the codelet with the shortest run, and the codelets whose runs overlap with it."""
        return {one.name for one in self.setting.codelets if one.winner}

    def sensitivity(self) -> float:
        """Return the excess of the slowest codelet's time over the fastest codelet's, in percent."""
        return max(one.loss_percent for one in self.setting.codelets)

    def tuned(self, search: str, limit: str) -> TunedResult:
        """Return the runs with a search and an outlier limit."""
        wanted = (search, limit)
        return next(one for one in self.setting.tuned if (one.combination.search, one.combination.timing) == wanted)

    def tuned_runs(self, search: str, limit: str) -> Runs:
        """Return the times of the runs that `tuned` returns."""
        return Runs(self.tuned(search, limit).times)

    def right(self, search: str, limit: str) -> tuple[int, int]:
        """Return the number of runs that chose one of the best codelets, and the number of all runs."""
        chosen = self.tuned(search, limit).chosen
        return sum(name in self.best() for name in chosen), len(chosen)

    def losses(self, search: str, limit: str) -> list[float]:
        """Return each choice's overhead over the best codelet, in percent; without a choice, the slowest codelet's."""
        known = self.tuned(search, limit).losses_percent
        return [self.sensitivity() if loss is None else loss for loss in known]

    def mean_of(self, *words: str) -> float:
        """Return the mean time of codelets with these words in their names; a minus sign excludes a word."""
        every = [
            one.average_s
            for one in self.setting.codelets
            if all((word.lstrip("-") in one.name) != word.startswith("-") for word in words)
        ]
        return statistics.fmean(every)


def _right(cases: Sequence[SolverCase], searches: Sequence[str], limits: Sequence[str]) -> tuple[int, int]:
    found = [case.right(search, limit) for case in cases for search in searches for limit in limits]
    return sum(right for right, _ in found), sum(count for _, count in found)


def _loss(cases: Sequence[SolverCase], search: str, limit: str) -> float:
    return statistics.fmean(loss for case in cases for loss in case.losses(search, limit))


def _by_size(cases: Sequence[SolverCase], size: str) -> list[SolverCase]:
    return [case for case in cases if case.size == size]


def _on_infiniband(cases: Sequence[SolverCase], printed: dict[str, Any]) -> list[Statement]:
    """Return the statements on InfiniBand, decided in shared memory."""
    first = [case for case in cases if case.size != _LARGE]
    fcfs = [case for case in first if case.fastest_written() == _ORIGINAL]
    right, every = _right([case for case in cases if case.size != _MEDIUM], SEARCHES, (DEFAULT,))
    times = [[math.log(case.tuned_runs(search, DEFAULT).average) for case in cases] for search in reversed(SEARCHES)]
    ratio = 100.0 * math.expm1(statistics.fmean(one - other for one, other in zip(*times, strict=True)))
    found = [
        Statement(
            "On InfiniBand, fcfs is the fastest hand-written exchange for both sizes.",
            "I",
            f"in {len(fcfs)} of {len(first)} cases in shared memory",
            len(fcfs) == len(first),
            ("Figure 1",),
        ),
        Statement(
            "On InfiniBand, both searches choose the best codelet in all tests with small and large blocks.",
            "IV",
            f"in {right} of {every} runs in shared memory",
            right == every,
            ("Figure 2", "Figure 4"),
        ),
        Statement(
            "On InfiniBand, the search by hypotheses is not significantly faster than brute force.",
            "IV",
            f"{ratio:+.1f} % in shared memory",
            ratio >= -_NEARLY,
            _RUNS,
        ),
    ]
    found += [
        Statement(
            f"On InfiniBand, {printed['winner'][case.printed_name][1]} is the best codelet for {case.size} blocks.",
            "IV",
            f"best in shared memory: {', '.join(sorted(case.best()))}",
            printed["winner"][case.printed_name][1] in case.best(),
            (_FIGURES[case.size],),
        )
        for case in cases
        if case.printed_name in printed["winner"]
    ]
    return found


def _on_ethernet(cases: Sequence[SolverCase], printed: dict[str, Any]) -> list[Statement]:
    found = []
    for case in cases:
        name = printed["fastest"].get(case.printed_name)
        if name is not None:
            times = ", ".join(f"{one} {case.written(one).average:.2f} s" for one in WRITTEN)
            text = f"On Ethernet, {name} is the fastest hand-written exchange for {case.size} blocks."
            found.append(Statement(text, "I", times, case.fastest_written() == name, ("Figure 1",)))
    right, every = _right(cases, SEARCHES, (DEFAULT,))
    wrong = [
        (loss, case.sensitivity())
        for case in cases
        for search in SEARCHES
        for loss in case.losses(search, DEFAULT)
        if loss > 0
    ]
    avoided = sum(loss <= _MOST * most for loss, most in wrong)
    means = {limit: _loss(cases, "hypothesis", limit) for limit in LIMITS}
    shown = ", ".join(f"{limit.removeprefix('limit_')} %: {value:.1f} %" for limit, value in means.items())
    found += [
        Statement(
            "On Ethernet, in most tests, the searches choose a codelet that is among the best in verification runs.",
            "IV",
            f"in {right} of {every} runs",
            right > _MOST * every,
            _RUNS,
        ),
        Statement(
            "If a search on Ethernet chooses another codelet, it avoids much slower codelets: the loss of its choice "
            "is "
            "less than half of the loss of the slowest codelet.",
            "IV",
            f"in {avoided} of {len(wrong)} runs that did not choose the fastest",
            avoided == len(wrong),
            _RUNS,
        ),
        Statement(
            "On Ethernet, the search by hypotheses chooses best if it accepts 20 % of outliers instead of 10 or 40 %.",
            "IV.A",
            f"mean overhead of the chosen codelet with {shown}",
            means["limit_20"] < min(means["limit_10"], means["limit_40"]),
            ("Figure 6",),
        ),
    ]
    return found


def _on_both(shared: Sequence[SolverCase], ethernet: Sequence[SolverCase]) -> list[Statement]:
    every = [*shared, *ethernet]
    winners = {case.fastest_written() for case in every}
    good = {case.fastest_written() for case in shared}
    turned = [case for case in ethernet if case.slowest_written() in good]
    spread = [statistics.fmean(case.sensitivity() for case in cases) for cases in (shared, ethernet)]
    return [
        Statement(
            "Each of three hand-written exchanges is the fastest in some case.",
            "I",
            f"{len(winners)}: {', '.join(sorted(winners))}",
            len(winners) >= 3,
            ("Figure 1",),
        ),
        Statement(
            "In some case, an exchange that is the fastest on InfiniBand is the slowest on Ethernet.",
            "I",
            f"in {len(turned)} of {len(ethernet)} cases",
            bool(turned),
            ("Figure 1",),
        ),
        Statement(
            "The solver is more sensitive to the codelet on Ethernet than on InfiniBand.",
            "IV",
            f"the slowest codelet takes {spread[1]:.1f} % longer than the fastest on Ethernet, {spread[0]:.1f} % in "
            "shared memory",
            spread[1] > spread[0],
            _RUNS,
        ),
    ]


def _on_any(cases: Sequence[SolverCase]) -> list[Statement]:
    at_once = [case for case in cases if case.mean_of("aao") < case.mean_of("pair")]
    derived = [case for case in cases if case.mean_of("-pack") < case.mean_of("pack")]
    found = [
        Statement(
            "Codelets that start all messages at once are faster than codelets that exchange with one partner at a "
            "time.",
            "IV",
            f"by mean times, in {len(at_once)} of {len(cases)} cases",
            len(at_once) > _MOST * len(cases),
            _RUNS,
        ),
        Statement(
            "Derived datatypes are faster than packing.",
            "IV",
            f"by mean times, in {len(derived)} of {len(cases)} cases",
            len(derived) > _MOST * len(cases),
            _RUNS,
        ),
    ]
    machines = [[case for case in cases if case.machine == machine] for machine in _NETWORKS]
    pairs = [
        (_by_size(own, _SMALL)[0].sensitivity(), _by_size(own, _LARGE)[0].sensitivity())
        for own in machines
        if _by_size(own, _SMALL) and _by_size(own, _LARGE)
    ]
    if pairs:
        found.append(
            Statement(
                "The larger the blocks are, the more sensitive the solver is to the codelet.",
                "IV",
                "excess time of the slowest codelet over the fastest, small and large blocks: "
                + ", ".join(f"{small:.1f} and {large:.1f} %" for small, large in pairs),
                all(large > small for small, large in pairs),
                _RUNS,
            )
        )
    return found


def statements(cases: Sequence[SolverCase], printed: dict[str, Any]) -> list[Statement]:
    """Return the statements that the measured machines decide; a quick run has no Ethernet."""
    shared = [case for case in cases if case.machine == "shared"]
    ethernet = [case for case in cases if case.machine != "shared"]
    return [
        *(_on_infiniband(shared, printed) if shared else ()),
        *(_on_ethernet(ethernet, printed) if ethernet else ()),
        *(_on_both(shared, ethernet) if shared and ethernet else ()),
        *(_on_any(cases) if cases else ()),
    ]
