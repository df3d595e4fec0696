# set-up: build root openmpi4
# built first: live_collectives
"""Collectives on emulated Ethernet clusters: ``make bench NAME=collectives_network``, as root.

The bench runs each operation with messages of up to 4 MiB on 8 ranks of the clusters `flat` and `hierarchical`. The
winner of a request with all codelets is compared with Open MPI's own call, and with each forced algorithm of Open MPI's
component `tuned`. If a rank has one block for each other rank, the size is that of a block, at most 512 KiB. All times
are means, because on these networks it depends on the algorithm how often TCP waits 200 ms after a lost packet. The
bench takes some twenty minutes; ``BENCH_FORM=full`` has more sizes and longer searches, and takes hours.

- ``settings_faster_than_native.CLUSTER``: share of settings in which the winner is more than 2 % faster than the native
  call; ``settings_slower_than_native`` likewise.
- ``worst_loss_vs_native_percent``: the largest loss of a winner relative to the native call. A setting whose first
  measurement shows a loss of more than 5 % is measured three times, each with another search, and the median counts. If
  the native call won, the difference is due to chance: ``scatter_where_native_was_kept_percent`` is the largest of
  these losses, ``worst_loss_of_another_percent`` the largest loss of another winner.
- ``worst_loss_of_control_percent``, ``control_slower_than_native``: the same figures for the control, a second native
  call in the same rounds, which show the effect of chance.
- ``settings_faster_than_every_algorithm``: share of settings in which the winner is more than 2 % faster than the
  fastest forced algorithm.
- ``geometric_mean_over_native``, ``geometric_mean_over_best_algorithm``: geometric mean of the winner's time divided by
  the time of the native call, or of the fastest forced algorithm.
- ``mean_over_native_with_search``, ``worst_over_native_with_search``: time of the first starts of a request, with the
  search, divided by the time of the same number of native calls: 2000, or fewer if the native calls would take longer
  than the search.
- ``alltoall_65536_native_over_chosen.hierarchical``, ``alltoall_winners_differ.hierarchical``: the winner at 64 KiB is
  at least twice as fast as the native call, and differs from the winner at 4 KiB.

``--only flat.allreduce`` selects the programs whose names begin with this text. Each operation on each cluster is a
separate program; results in ``--state FOLDER`` from earlier calls are not measured again.
"""

from __future__ import annotations

import contextlib
import functools
import os
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError
from adcl.launch import Placement
from adcl.testbed import on_cluster
from bench._clusters import measure_missing, results_of
from bench._form import FORM, TIE, Figures, command_line, effort, write
from bench._programs import FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FULL", "QUICK", "SHORT", "Form", "Program", "Setting", "figures_of", "main", "programs_of", "settings_of"]

_RANKS = 8
_CLUSTERS = ("flat", "hierarchical")
_WHOLE = ("bcast", "reduce", "allreduce", "scan", "exscan")
"""Operations whose message is not split into blocks per rank."""

_BLOCKS = (
    *("gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"),
    *("reduce_scatter_block", "reduce_scatter"),
)
_SIMILAR = ("exscan", "gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter")
"""Operations with fewer sizes in the quick form, because they use the algorithms of other operations."""

_OVERLAPPED = ("ibcast", "ireduce", "iallreduce", "iallgather", "ialltoall")
_LARGEST_BLOCK = 512 * 1024
_SHOWN = {4096: 8.0, 65536: 60.0}
"""Sizes of the all-to-all on `hierarchical`, and seconds of their search."""


@dataclass(frozen=True)
class Form:
    """Sizes and durations of a form."""

    sizes: tuple[int, ...]
    similar: tuple[int, ...]
    overlapped: tuple[int, ...]
    search_s: float
    turns_s: float
    longest_call_s: float


QUICK = Form((8, 4096, 65536, 4194304), (4096, 65536), (4096,), 1.5, 1.2, 0.35)
_MANY = (8, 512, 4096, 65536, 524288, 4194304)
FULL = Form(_MANY, _MANY, (8, 4096, 65536, 524288), 60.0, 20.0, 2.0)
SHORT = Form((8,), (8,), (8,), 0.1, 0.1, 0.35)


@dataclass(frozen=True)
class Program:
    """One program: all sizes of an operation on a cluster, or only the sizes with a longer search."""

    cluster: str
    operation: str
    sizes: tuple[int, ...]
    search_s: float
    turns_s: float
    longest_call_s: float

    @property
    def name(self) -> str:
        """Name for ``--only``."""
        return f"{self.cluster}.{self.operation}.{self.search_s:g}"


@dataclass(frozen=True)
class Setting:
    """Result of a setting."""

    cluster: str
    name: str
    native_s: float
    chosen_s: float
    control_ratio: float
    """Time of the control divided by the native call's time in the same rounds."""
    codelet: str
    search_s: float
    """Mean time of a start during the search."""
    starts: int
    forced_s: dict[str, float]

    @property
    def ratio(self) -> float:
        """The winner's time divided by the native call's time."""
        return self.chosen_s / self.native_s

    @property
    def over_best_algorithm(self) -> float | None:
        """The winner's time divided by the time of the fastest forced algorithm; None if no algorithm can be forced."""
        return self.chosen_s / min(self.forced_s.values()) if self.forced_s else None


def programs_of(form: Form) -> Iterator[Program]:
    """Yield the programs in the order of their execution."""
    for cluster in _CLUSTERS:
        for operation in ("barrier", *_WHOLE, *_BLOCKS, *_OVERLAPPED):
            sizes = form.similar if operation in _SIMILAR else form.sizes
            if operation == "barrier":
                sizes = (0,)
            elif operation in _OVERLAPPED:
                sizes = form.overlapped
            elif operation not in _WHOLE:
                sizes = tuple(dict.fromkeys(min(size, _LARGEST_BLOCK) for size in sizes))
            longer = _SHOWN if (cluster, operation) == ("hierarchical", "alltoall") else {}
            usual = tuple(size for size in sizes if size not in longer)
            yield Program(cluster, operation, usual, form.search_s, form.turns_s, form.longest_call_s)
            for size, search_s in longer.items():
                yield Program(cluster, operation, (size,), max(search_s, form.search_s), search_s / 2, 2.0)


def _measure(build: Path, folder: Path, program: Program, placement: Placement) -> list[dict[str, Any]]:
    words = [f"{program.search_s:g}", f"{program.turns_s:g}", f"{program.longest_call_s:g}", FILE]
    words += [f"{program.operation}_{size}" for size in program.sizes]
    executable = build / "bin" / "live_collectives"
    return results_of(executable, words, placement, library="openmpi4", ranks=_RANKS, folder=folder, limit_s=3600.0)


def settings_of(cluster: str, results: list[dict[str, Any]]) -> list[Setting]:
    """Return the measured settings."""
    names = ("native_s", "chosen_s", "control_ratio", "codelet", "search_s", "starts", "forced_s")
    return [
        Setting(cluster, one["setting"], **{name: one[name] for name in names})
        for one in results
        if "left_out" not in one
    ]


def _shown(settings: list[Setting]) -> dict[str, float]:
    """Return the special figures of the all-to-all on `hierarchical`."""
    own = {one.name: one for one in settings if one.cluster == "hierarchical"}
    small, large = own.get("alltoall_4096"), own.get("alltoall_65536")
    if small is None or large is None:
        return {}
    return {
        "alltoall_65536_native_over_chosen.hierarchical": 1.0 / large.ratio,
        "alltoall_winners_differ.hierarchical": float(small.codelet != large.codelet),
    }


def figures_of(settings: list[Setting]) -> Figures:
    """Return the figures of all clusters together, and of each cluster."""
    figures: Figures = {}

    def worst(ratios: list[float]) -> float:
        return 100 * (max(ratios, default=1.0) - 1)

    def loss(some: list[Setting]) -> float:
        return worst([one.ratio for one in some])

    def share(truths: list[bool]) -> float:
        return statistics.fmean(truths) if truths else 0.0

    clusters = [*dict.fromkeys(one.cluster for one in settings)]
    for cluster in ["", *clusters]:
        own = [one for one in settings if cluster in {"", one.cluster}]
        against = [ratio for one in own if (ratio := one.over_best_algorithm) is not None]
        end = f".{cluster}" if cluster else ""
        figures[f"settings_faster_than_native{end}"] = share([one.ratio < 1 - TIE for one in own])
        figures[f"settings_slower_than_native{end}"] = share([one.ratio > 1 + TIE for one in own])
        figures[f"worst_loss_vs_native_percent{end}"] = loss(own)
        figures[f"worst_loss_of_another_percent{end}"] = loss([one for one in own if one.codelet != "Native"])
        figures[f"scatter_where_native_was_kept_percent{end}"] = loss([one for one in own if one.codelet == "Native"])
        figures[f"worst_loss_of_control_percent{end}"] = worst([one.control_ratio for one in own])
        figures[f"control_slower_than_native{end}"] = share([one.control_ratio > 1 + TIE for one in own])
        figures[f"settings_faster_than_every_algorithm{end}"] = share([one < 1 - TIE for one in against])
        figures[f"settings_slower_than_best_algorithm{end}"] = share([one > 1 + TIE for one in against])
        figures[f"geometric_mean_over_native{end}"] = statistics.geometric_mean([one.ratio for one in own])
        if against:
            figures[f"geometric_mean_over_best_algorithm{end}"] = statistics.geometric_mean(against)
        searched = [one.search_s / one.native_s for one in own]
        figures[f"mean_over_native_with_search{end}"] = statistics.geometric_mean(searched)
        figures[f"worst_over_native_with_search{end}"] = max(searched)
    figures |= _shown(settings)
    for one in settings:
        figures[f"{one.cluster}.{one.name}_over_native"] = {
            "value": one.ratio,
            "native_ms": 1e3 * one.native_s,
            "codelet": one.codelet,
            "starts": one.starts,
            "control_over_native": one.control_ratio,
        }
    return figures


@contextlib.contextmanager
def _machine(cluster: str) -> Iterator[Placement]:
    with on_cluster(cluster, Placement(), _RANKS) as (placement, _):
        yield placement


def main() -> None:
    """Measure every setting and write the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--only", default="", help="programs whose names begin with this text")
    parser.add_argument("--state", type=Path, help="a folder with results of earlier calls")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="start no program after this number of seconds"
    )
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("collectives_network: emulated clusters require root")
    form = {"full": FULL, "short": SHORT}.get(FORM, QUICK)
    begun = time.monotonic()
    folder = (arguments.state or arguments.output.parent / "collectives_network").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []

    def measure(program: Program, placement: Placement) -> list[dict[str, Any]] | None:
        if time.monotonic() - begun > arguments.seconds:
            return None
        try:
            found = _measure(arguments.build.absolute(), folder, program, placement)
        except AdclError as error:
            failed.append(f"{program.name}: {error}")
            print(f"  {failed[-1]}", flush=True)
            return None
        print(f"  {program.name}: {time.monotonic() - begun:.0f} s", flush=True)
        return found

    results: dict[Program, list[dict[str, Any]]] = {}
    for cluster in effort(_CLUSTERS, _CLUSTERS[:1]):
        own = [one for one in programs_of(form) if one.cluster == cluster][: effort(None, 1)]
        enter = functools.partial(_machine, cluster)
        keep = arguments.state is not None
        results |= measure_missing(own, folder, enter, measure, only=arguments.only, keep=keep)
    settings = [one for program, found in results.items() for one in settings_of(program.cluster, found)]
    if not settings:
        parser.error(f"no program's name begins with {arguments.only!r}")
    left_out = [
        f"{program.cluster}.{one['setting']}: {one['left_out']:.2f} s"
        for program, found in results.items()
        for one in found
        if "left_out" in one
    ]
    context = {
        "ranks": _RANKS,
        "cores": os.cpu_count(),
        "seconds": time.monotonic() - begun,
        "left_out": left_out,
        "failed": failed,
        "results": {program.name: found for program, found in results.items()},
    }
    write(arguments.output, context, figures_of(settings))
    if failed:
        sys.exit(f"{len(failed)} programs failed")


if __name__ == "__main__":
    main()
