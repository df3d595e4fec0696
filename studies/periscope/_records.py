"""Records of the studies: one line for each search of `adcl tune`, and one for each profile of messages.

The times of trials are relative to the mean time with the defaults in the same search.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["Profile", "Records", "Search", "Trial", "has_scenarios", "profile_of", "read", "search_of", "write"]

_SCHEMA = 1


@dataclass(frozen=True)
class Trial:
    """One run of one scenario."""

    time: float
    """Time relative to the time with the defaults."""

    settings: dict[str, str]
    """Settings that differ from the defaults."""


@dataclass(frozen=True)
class Search:
    """One search by `adcl tune`: its trials, results, and confirmation."""

    size: str
    """Corresponding experiment of the paper: 64K, 256K, CG, or IS."""

    program: str
    library: str
    other: bool
    """True for the second MPI library, which is Intel MPI in the paper."""

    platform: str
    ranks: int
    search: str
    method: str
    """`paper` for ``--method paper``, with which gde3 is the paper's search; otherwise `default`."""

    default_s: float
    best_s: float
    """Mean time of the scenario with the smallest mean."""

    compared: tuple[float, float, float] | None
    """Speedup of the best finalist over the defaults in paired runs, and both ends of its interval."""

    scenarios: int
    runs: int
    tuning_s: float
    eager: str
    """Name of the eager limit."""

    eager_default: int | None
    """Default of the eager limit; `None` if unknown."""

    trials: tuple[Trial, ...]

    @property
    def gain(self) -> float:
        """Speedup over the defaults, computed as in the paper: from the smallest time, without paired runs."""
        return self.default_s / self.best_s

    def eager_limit(self, trial: Trial) -> int | None:
        """Return the eager limit of a trial, `None` if unknown."""
        value = trial.settings.get(self.eager)
        return int(value) if value is not None and value.isdigit() else self.eager_default

    def fastest(self) -> Trial:
        """Return the trial with the smallest time."""
        return min(self.trials, key=lambda one: one.time)

    def slowest(self) -> list[Trial]:
        """Return the slowest tenth of the trials, at least one."""
        count = max(1, len(self.trials) // 10)
        return sorted(self.trials, key=lambda one: -one.time)[:count]


@dataclass(frozen=True)
class Profile:
    """Bytes that a program sends point to point, by message size."""

    size: str
    program: str
    ranks: int
    sizes: tuple[tuple[int, int], ...]
    """Pairs of the largest message of a class and the bytes in this class."""

    def shares(self) -> list[tuple[int, float]]:
        """Return the largest message and the share of the bytes of each class."""
        total = sum(count for _, count in self.sizes)
        return [(up_to, count / total) for up_to, count in self.sizes if total]

    def share_up_to(self, limit: int) -> float:
        """Return the share of the bytes in messages up to `limit` bytes; 0 without messages."""
        return sum(share for up_to, share in self.shares() if up_to <= limit)


@dataclass(frozen=True)
class Records:
    """All records of one run of a study."""

    searches: tuple[Search, ...]
    profiles: tuple[Profile, ...]

    def platforms(self, size: str) -> list[str]:
        """Return the platforms with a search of the paper for this size, in the order of the records."""
        found = [one.platform for one in self.searches if one.size == size and not one.other]
        return list(dict.fromkeys(found))

    def search(self, platform: str, size: str, search: str, *, other: bool = False) -> Search | None:
        """Return the matching search, or the last of several matching searches."""
        wanted = (platform, size, search, other)
        found = [one for one in self.searches if (one.platform, one.size, one.search, one.other) == wanted]
        return found[-1] if found else None

    def profile(self, size: str) -> Profile | None:
        """Return the profile of this size."""
        return next((one for one in self.profiles if one.size == size), None)


def has_scenarios(document: Mapping[str, Any]) -> bool:
    """Return True if a trial passed, so that there is something to record."""
    return any(run["kind"] == "trial" and run["status"] == "ok" for run in document["runs"])


def search_of(document: Mapping[str, Any], about: Mapping[str, Any]) -> Search:
    """Create the record of a search from the ``result.json`` of `adcl tune`; `about` contains the other fields.

    The document must have scenarios, see `has_scenarios`.
    """
    objective = document["objectives"][0]
    passed = [run for run in document["runs"] if run["status"] == "ok"]
    default = statistics.geometric_mean(
        run["objectives"][objective] for run in passed if not run["configuration"] and run["kind"] != "warm-up"
    )
    by_scenario: dict[str, list[float]] = {}
    for run in passed:
        if run["configuration"]:
            by_scenario.setdefault(json.dumps(run["configuration"]), []).append(run["objectives"][objective])
    tried = [run for run in document["runs"] if run["kind"] in ("trial", "repetition")]
    conclusion = document["conclusion"]
    interval = conclusion["interval"]
    return Search(
        **about,
        default_s=default,
        best_s=min(statistics.geometric_mean(times) for times in by_scenario.values()),
        compared=None if interval is None else (conclusion["ratio"], interval[0], interval[1]),
        scenarios=len({json.dumps(run["configuration"]) for run in tried}),
        runs=len(document["runs"]),
        tuning_s=document["elapsed_s"],
        trials=tuple(
            Trial(
                run["objectives"][objective] / default, {key: str(value) for key, value in run["configuration"].items()}
            )
            for run in passed
            if run["kind"] == "trial"
        ),
    )


def profile_of(document: Mapping[str, Any], size: str, program: str) -> Profile:
    """Create the record of a profile from the output of ``adcl tune analyse --json``."""
    sizes = tuple((one["up_to"], one["bytes"]) for one in document["messages"]["sizes"])
    return Profile(size, program, document["ranks"], sizes)


def _line(kind: str, one: Search | Profile) -> str:
    fields = asdict(one)
    if isinstance(one, Search):
        fields |= {"default_s": float(f"{one.default_s:.4g}"), "best_s": float(f"{one.best_s:.4g}")}
        fields |= {"tuning_s": round(one.tuning_s, 1)}
        fields["compared"] = one.compared and [round(number, 4) for number in one.compared]
        fields["trials"] = [[round(trial.time, 4), trial.settings] for trial in one.trials]
    return json.dumps({"schema": _SCHEMA, "kind": kind, **fields}, ensure_ascii=False, separators=(",", ":"))


def write(path: Path, records: Records) -> None:
    """Replace the contents of the file with these records."""
    lines = [_line("search", one) for one in records.searches] + [_line("profile", one) for one in records.profiles]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _searches(lines: Iterable[dict[str, Any]]) -> Iterable[Search]:
    for line in lines:
        fields = {name: value for name, value in line.items() if name not in ("schema", "kind", "compared", "trials")}
        compared = None if line["compared"] is None else tuple(line["compared"])
        yield Search(**fields, compared=compared, trials=tuple(Trial(*one) for one in line["trials"]))


def read(path: Path) -> Records:
    """Read the records."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    profiles = [
        Profile(one["size"], one["program"], one["ranks"], tuple((up_to, count) for up_to, count in one["sizes"]))
        for one in lines
        if one["kind"] == "profile"
    ]
    return Records(tuple(_searches(one for one in lines if one["kind"] == "search")), tuple(profiles))
