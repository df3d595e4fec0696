"""Performance properties of a run, derived from its profile. Pure.

A property has a *severity* (the share of the run that it affects, 0 to 1), a *confidence* (0 to 1), and advice. It
holds if its severity is above its threshold. The eager limit's property is defined in section 4.2 of A. Sikora et al.;
the others are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.tune.profile._read import PAPER_SLOTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.profile._conditions import CurrentLimit
    from adcl.tune.profile._read import Messages, Profile

__all__ = [
    "EAGER_LIMIT_SHARE",
    "PROFILE_METHODS",
    "EagerLimitDependency",
    "EagerRange",
    "ProfileMethod",
    "Property",
    "collectives_dominate",
    "cores_shared",
    "eager_limit_dependency",
    "eager_limit_dependency_as_in_paper",
    "find_properties",
    "load_imbalance",
    "mpi_matters",
    "one_sided_used",
    "unused_collectives",
]

EAGER_LIMIT_SHARE = 0.30
"""Below this value the paper does not tune the eager limit."""

_FEW_MESSAGES = 30.0
_MPI_SHARE = 0.02
_COLLECTIVE_SHARE = 0.5
_IMBALANCE_SHARE = 0.05
_LEAST_COLLECTIVE_SHARE = 0.01
"""Share of the program's time below which tuning a blocking collective operation has no noticeable effect."""
_WAITING_SHARE = 0.1
"""Share of time that ranks wait for a core, above which the time in MPI depends mostly on the machine."""

_NOTABLY_BUSY = 0.05
_STEP = 1024
_MOST_STEPS = 16
_NEIGHBOR_SHARE = 0.5

_OPERATIONS = (
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
)

# Operations that MPI libraries build from others: calling the first uses the settings of the others.
_MADE_OF: Mapping[str, tuple[str, ...]] = {
    "allreduce": ("reduce", "bcast", "reduce_scatter", "reduce_scatter_block", "allgather", "allgatherv"),
    "bcast": ("scatter", "scatterv", "allgather", "allgatherv"),
    "reduce": ("gather", "gatherv", "reduce_scatter", "reduce_scatter_block"),
    "allgather": ("gather", "bcast"),
    "allgatherv": ("gatherv", "bcast"),
    "reduce_scatter": ("reduce", "scatter", "scatterv"),
    "reduce_scatter_block": ("reduce", "scatter", "scatterv"),
    "barrier": ("allreduce",),
    "alltoall": ("alltoallv",),
}


ProfileMethod: TypeAlias = Literal["evidence", "paper"]
"""Method for evaluating a profile."""

PROFILE_METHODS: dict[ProfileMethod, str] = {
    "evidence": "by all known properties",
    "paper": "by EagerLimitDependency alone, as published by A. Sikora et al. (section 4.2)",
}


@dataclass(frozen=True, slots=True)
class Property:
    """A performance property of a run."""

    name: str
    severity: float
    confidence: float
    holds: bool
    text: str
    """One sentence with the figures."""

    advice: str
    """Advice on the settings."""


@dataclass(frozen=True, slots=True)
class EagerRange:
    """Useful range of an eager limit: sizes in bytes, `low` to `high`, and the paper's step."""

    low: int
    high: int
    step: int


@dataclass(frozen=True, slots=True)
class EagerLimitDependency(Property):
    """Whether many messages have sizes near an eager limit.

    The severity is the share of messages of 1 KB to 64 KB in all bytes sent point to point (the metrics of A. Sikora et
    al.) or in the number of messages (their text), whichever is larger. If the current limit is known, only messages
    above it count, because a higher limit does not affect the others.
    """

    share_of_messages: float
    """Share in the number of messages."""

    range: EagerRange | None
    """Range around the most frequent sizes; None if the property does not hold."""

    metrics: Mapping[str, int] = field(default_factory=dict)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _counts_near_limit(messages: Messages, eager_up_to: int) -> list[int]:
    """Return the messages in each slot of A. Sikora et al. that may be larger than `eager_up_to`.

    Only messages of at least 1 KB count in the first slot, since no limit is smaller.
    """
    counts = [
        sum(size.count for size in messages.sizes if low < size.up_to <= high)
        for low, high in zip((0, *PAPER_SLOTS), PAPER_SLOTS, strict=False)
    ]
    counts[0] = max(messages.near_limit_count - sum(counts[1:]), 0)
    return [count if high > eager_up_to else 0 for count, high in zip(counts, PAPER_SLOTS, strict=True)]


def _range(messages: Messages, eager_up_to: int, most_steps: float = _MOST_STEPS) -> EagerRange:
    """Return the slot with most messages, joined with neighbors that have at least half as many."""
    counts = _counts_near_limit(messages, eager_up_to)
    first = last = max(range(len(counts)), key=lambda slot: (counts[slot], slot))
    enough = _NEIGHBOR_SHARE * counts[first]
    while first > 0 and counts[first - 1] >= enough:
        first -= 1
    while last + 1 < len(counts) and counts[last + 1] >= enough:
        last += 1
    low = PAPER_SLOTS[first] // 2
    high = PAPER_SLOTS[last]
    step = _STEP * max(1, math.ceil((high - low) / _STEP / most_steps))
    return EagerRange(low, high, step)


def _near_limit(messages: Messages, eager_up_to: int) -> tuple[int, int]:
    """Return the number and the bytes of the messages from 1 KB to 64 KB that may be larger than `eager_up_to`."""
    eager = [size for size in messages.sizes if PAPER_SLOTS[0] // 2 < size.up_to <= min(eager_up_to, PAPER_SLOTS[-1])]
    count = messages.near_limit_count - sum(size.count for size in eager)
    volume = messages.near_limit_bytes - sum(size.bytes for size in eager)
    return max(count, 0), max(volume, 0)


def _eager_advice(found: EagerRange | None, limit: CurrentLimit | None) -> str:
    if found is None:
        return "leave eager limits at their defaults"
    beside = "" if limit is None else f"; the current value is {limit.value} ({limit.name})"
    return f"try eager limits from {found.low} to {found.high} bytes{beside}"


def eager_limit_dependency(profile: Profile, limit: CurrentLimit | None = None) -> EagerLimitDependency:
    """Evaluate whether tuning the eager limit is worthwhile, and in which range.

    `limit` is the current limit (default: the smallest of the profile's conditions). The severity is the share of
    messages near the limit in the bytes or in the number of messages, whichever is larger: each message has a cost. It
    holds above 30 %. The confidence grows with the number of messages near the limit, n/(n + 30), because few messages
    do not predict the next run.
    """
    if limit is None and profile.conditions is not None:
        limit = profile.conditions.smallest_limit
    eager_up_to = 0 if limit is None else limit.largest_message
    messages = profile.messages
    near, near_bytes = _near_limit(messages, eager_up_to)
    of_bytes = _share(near_bytes, messages.total_bytes)
    share = _share(near, messages.count)
    severity = max(of_bytes, share)
    holds = severity > EAGER_LIMIT_SHARE
    found = _range(messages, eager_up_to) if holds else None
    above = "" if limit is None else f" and above the current eager limit, {limit.name} = {limit.value}"
    return EagerLimitDependency(
        name="EagerLimitDependency",
        severity=severity,
        confidence=near / (near + _FEW_MESSAGES) if near else messages.count / (messages.count + _FEW_MESSAGES),
        holds=holds,
        text=f"{share:.0%} of the {messages.count} messages sent point to point, with {of_bytes:.0%} of the bytes, "
        f"are 1 KB to 64 KB long{above}",
        advice=_eager_advice(found, limit),
        share_of_messages=share,
        range=found,
        metrics=profile.metrics,
    )


def eager_limit_dependency_as_in_paper(profile: Profile) -> EagerLimitDependency:
    """Evaluate the property as in A. Sikora et al. (section 4.2), independent of the current limit.

    The severity is the share of the bytes in messages of 1 KB to 64 KB, PSC_MPI_MSG_P2P_THR over PSC_MPI_MSG_P2P_TOT.
    Tuning is worthwhile if they are more than 30 % of the messages, with steps of 1 KB in the range with the most
    messages. The paper's example has a range of two slots but does not define how slots are joined; here, neighbors
    with at least half as many messages are joined. The property has no confidence.
    """
    messages = profile.messages
    of_bytes = _share(messages.near_limit_bytes, messages.total_bytes)
    share = _share(messages.near_limit_count, messages.count)
    holds = share > EAGER_LIMIT_SHARE
    found = _range(messages, 0, math.inf) if holds else None
    return EagerLimitDependency(
        name="EagerLimitDependency",
        severity=of_bytes,
        confidence=1.0,
        holds=holds,
        text=f"{share:.0%} of the {messages.count} messages sent point to point, with {of_bytes:.0%} of the bytes, "
        "are 1 KB to 64 KB long",
        advice=_eager_advice(found, None),
        share_of_messages=share,
        range=found,
        metrics=profile.metrics,
    )


def cores_shared(profile: Profile) -> Property | None:
    """Evaluate whether ranks waited for cores, which is measured as time in MPI; None if unknown.

    The severity is the minimum share of the time in which a rank waits for a core; it holds above 10 %.
    """
    conditions = profile.conditions
    if conditions is None or conditions.cores is None:
        return None
    severity, causes = conditions.waiting, []
    cores = "1 core" if conditions.cores == 1 else f"{conditions.cores} cores"
    if conditions.ranks > conditions.cores:
        causes.append(f"{conditions.ranks} ranks share {cores}")
    if conditions.busy >= _NOTABLY_BUSY:
        causes.append(f"other processes used {conditions.busy:.1f} of {cores} before the run")
    holds = severity > _WAITING_SHARE
    return Property(
        name="CoresShared",
        severity=severity,
        confidence=1.0,
        holds=holds,
        text=" and ".join(causes) or f"{conditions.ranks} ranks have {cores}",
        advice="profile again with an idle core for each rank: ranks spent much of the time in MPI waiting for a core"
        if holds
        else "none",
    )


def mpi_matters(profile: Profile) -> Property:
    """Evaluate whether the program spends enough time in MPI for settings to matter: 2 % of its time."""
    severity = min(_share(profile.seconds_in_mpi, profile.seconds), 1.0)
    holds = severity > _MPI_SHARE
    shared = cores_shared(profile)
    unclear = shared is not None and shared.holds
    return Property(
        name="MpiMatters",
        severity=severity,
        confidence=1.0 if profile.seconds > 0 else 0.0,
        holds=holds,
        text=f"{severity:.1%} of the time from MPI_Init to MPI_Finalize is spent in MPI, averaged over the ranks",
        advice=(
            "undecided whether tuning pays off, because ranks waited for cores" if unclear else ("tuning may pay off")
        )
        if holds
        else (
            "keep all defaults except for settings that bind ranks to cores: other settings cannot speed up the program"
        ),
    )


def load_imbalance(profile: Profile) -> Property:
    """Evaluate whether ranks wait for a rank with more work, which no setting of the MPI library shortens.

    The other ranks wait for the rank with the shortest time in MPI. The severity is the average excess over that time,
    as a share of the run; it holds above 5 %. The confidence is the excess as a share of the average time in MPI,
    because a rank that communicates as much without waiting also spends time in MPI.
    """
    waiting = profile.seconds_in_mpi - min(profile.in_mpi_of_ranks, default=profile.seconds_in_mpi)
    severity = min(_share(waiting, profile.seconds), 1.0)
    holds = severity > _IMBALANCE_SHARE
    return Property(
        name="LoadImbalance",
        severity=severity,
        confidence=min(_share(waiting, profile.seconds_in_mpi), 1.0),
        holds=holds,
        text=f"ranks wait {severity:.1%} of the time, on average, for the rank with the shortest time in MPI",
        advice="balance the work first: no setting shortens this waiting" if holds else "none",
    )


def _costliest(profile: Profile) -> str:
    """Return the collective function that takes the most time."""
    found = [(call.seconds, name) for name, call in profile.calls.items() if call.kind == "collective"]
    return max(found)[1] if found else "a collective operation"


def collectives_dominate(profile: Profile) -> Property:
    """Evaluate whether collective operations take most of the time in MPI."""
    severity = _share(profile.seconds_in["collective"], profile.seconds_in_mpi)
    return Property(
        name="CollectivesDominate",
        severity=severity,
        confidence=1.0 if profile.seconds_in_mpi > 0 else 0.0,
        holds=severity > _COLLECTIVE_SHARE,
        text=(
            f"collective operations take {severity:.0%} of the time in MPI; this does not include waiting for "
            "non-blocking operations"
        ),
        advice=f"try the algorithms of {_costliest(profile)}, which takes the most time"
        if severity > _COLLECTIVE_SHARE
        else "try algorithms of collective operations last",
    )


def one_sided_used(profile: Profile) -> Property:
    """Evaluate whether one-sided communication is used; its severity is its share of the time in MPI."""
    calls = sum(call.count for call in profile.calls.values() if call.kind == "one_sided")
    severity = _share(profile.seconds_in["one_sided"], profile.seconds_in_mpi)
    return Property(
        name="OneSidedUsed",
        severity=severity,
        confidence=1.0,
        holds=calls > 0,
        text=f"calls of one-sided communication: {calls}",
        advice="settings of one-sided communication may matter"
        if calls > 0
        else "leave settings of one-sided communication at their defaults",
    )


def _spellings(operation: str) -> tuple[str, ...]:
    blocking = operation.capitalize()
    return blocking, f"I{operation}", f"{blocking}_init"


def _takes_time(profile: Profile, operation: str) -> bool:
    """Return whether the operation takes noticeable time. The time of non-blocking operations is unknown."""
    blocking, *others = _spellings(operation)
    if profile.called(*others) > 0:
        return True
    call = profile.calls.get(f"MPI_{blocking}")
    everywhere = profile.seconds * profile.ranks
    return call is not None and (everywhere <= 0 or call.seconds >= _LEAST_COLLECTIVE_SHARE * everywhere)


def unused_collectives(profile: Profile) -> frozenset[str]:
    """Return the collective operations, in lower case, that take no time, directly or within other operations."""
    used = {operation for operation in _OPERATIONS if _takes_time(profile, operation)}
    rest = list(used)
    while rest:
        for part in _MADE_OF.get(rest.pop(), ()):
            if part not in used:
                used.add(part)
                rest.append(part)
    return frozenset(_OPERATIONS) - used


def find_properties(profile: Profile, method: ProfileMethod = "evidence") -> tuple[Property, ...]:
    """Evaluate all properties of the method, including the properties that do not hold."""
    if method == "paper":
        return (eager_limit_dependency_as_in_paper(profile),)
    shared = cores_shared(profile)
    return (
        *(() if shared is None else (shared,)),
        eager_limit_dependency(profile),
        mpi_matters(profile),
        collectives_dominate(profile),
        one_sided_used(profile),
        load_imbalance(profile),
    )
