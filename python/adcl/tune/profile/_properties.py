"""Performance properties of a run, found in its profile. Pure.

A property has a *severity* (how much of the run it concerns, 0 to 1) and a *confidence* (how sure it is, 0 to 1), and
holds when its severity is above its threshold, and says what to do about it. The eager limit's is the paper's,
section 4.2; the others are ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from adcl.tune.profile._read import PAPER_SLOTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adcl.tune.profile._conditions import LimitInForce
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
    "eager_limit_dependency_of_the_paper",
    "find_properties",
    "load_imbalance",
    "mpi_matters",
    "one_sided_used",
    "unused_collectives",
]

EAGER_LIMIT_SHARE = 0.30
"""Below it the paper leaves the eager limit alone."""

_FEW_MESSAGES = 30.0
_MPI_SHARE = 0.02
_COLLECTIVE_SHARE = 0.5
_IMBALANCE_SHARE = 0.05
_LEAST_COLLECTIVE_SHARE = 0.01
"""Of the program's time; a blocking collective operation that takes less cannot be made faster noticeably."""
_WAITING_SHARE = 0.1
"""Above it the time in MPI says more about the machine than about the program."""

_NOTABLY_BUSY = 0.05
_STEP = 1024
_MOST_STEPS = 16
_NEIGHBOUR_SHARE = 0.5

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

# Operations that MPI libraries make of others: whoever calls the first uses the settings of the others.
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
"""How a profile is judged."""

PROFILE_METHODS: dict[ProfileMethod, str] = {
    "evidence": "by all properties that are known",
    "paper": "by EagerLimitDependency alone, as A. Sikora et al. print it (section 4.2)",
}


@dataclass(frozen=True, slots=True)
class Property:
    """One property of a run."""

    name: str
    severity: float
    confidence: float
    holds: bool
    text: str
    """One sentence with the figures."""

    advice: str
    """What follows for the settings."""


@dataclass(frozen=True, slots=True)
class EagerRange:
    """Where an eager limit can make a difference: sizes in bytes, `low` to `high`, and the paper's step."""

    low: int
    high: int
    step: int


@dataclass(frozen=True, slots=True)
class EagerLimitDependency(Property):
    """Whether the messages are of sizes near an eager limit.

    The severity is the share that messages of 1 KB to 64 KB have in all bytes sent point to point, as the paper's
    metrics have it, or in all messages, which its text speaks of: the larger of the two. Where the limit in force is
    known, only messages above it count: a higher limit changes nothing for the others.
    """

    share_of_messages: float
    """The share by the number of messages alone."""

    range: EagerRange | None
    """Around the most frequent sizes; None when the property does not hold."""

    metrics: Mapping[str, int] = field(default_factory=dict)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _counts_near_limit(messages: Messages, eager_up_to: int) -> list[int]:
    """Messages in each of the paper's slots that may be larger than `eager_up_to`.

    Of the first slot only those of at least 1 KB count: no limit lies below.
    """
    counts = [
        sum(size.count for size in messages.sizes if low < size.up_to <= high)
        for low, high in zip((0, *PAPER_SLOTS), PAPER_SLOTS, strict=False)
    ]
    counts[0] = max(messages.near_limit_count - sum(counts[1:]), 0)
    return [count if high > eager_up_to else 0 for count, high in zip(counts, PAPER_SLOTS, strict=True)]


def _range(messages: Messages, eager_up_to: int, most_steps: float = _MOST_STEPS) -> EagerRange:
    """The slot with most messages, and its neighbors as long as they have at least half as many."""
    counts = _counts_near_limit(messages, eager_up_to)
    first = last = max(range(len(counts)), key=lambda slot: (counts[slot], slot))
    enough = _NEIGHBOUR_SHARE * counts[first]
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


def _eager_advice(found: EagerRange | None, limit: LimitInForce | None) -> str:
    if found is None:
        return "leave eager limits at their defaults"
    beside = "" if limit is None else f"; now it is {limit.value} ({limit.name})"
    return f"try eager limits from {found.low} to {found.high} bytes{beside}"


def eager_limit_dependency(profile: Profile, limit: LimitInForce | None = None) -> EagerLimitDependency:
    """Judge whether the eager limit is worth tuning, and where.

    `limit` is the one in force, by default the smallest that the profile's conditions have. The severity is the share
    of the bytes or of the messages that is in messages near the limit, whichever is larger: many messages cost time by
    their number. It holds above 30 %. The confidence grows with the number of messages near the limit, n/(n + 30): the
    severity of a handful of messages says little about the next run.
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
    above = "" if limit is None else f" and above the eager limit in force, {limit.name} = {limit.value}"
    return EagerLimitDependency(
        name="EagerLimitDependency",
        severity=severity,
        confidence=near / (near + _FEW_MESSAGES) if near else messages.count / (messages.count + _FEW_MESSAGES),
        holds=holds,
        text=f"{of_bytes:.0%} of the bytes and {share:.0%} of the {messages.count} messages sent point to point are in "
        f"messages of 1 KB to 64 KB{above}",
        advice=_eager_advice(found, limit),
        share_of_messages=share,
        range=found,
        metrics=profile.metrics,
    )


def eager_limit_dependency_of_the_paper(profile: Profile) -> EagerLimitDependency:
    """Judge as A. Sikora et al. print it (section 4.2), whatever limit is in force.

    The severity is the share of the bytes that is in messages of 1 KB to 64 KB, PSC_MPI_MSG_P2P_THR over
    PSC_MPI_MSG_P2P_TOT. The limit is worth tuning where these are more than 30 % of the messages, with steps of 1 KB in
    the range with most messages. The paper's example has a range of two slots; how it joins slots is not printed:
    neighbors with at least half as many messages belong to it. It has no confidence.
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
        "have 1 KB to 64 KB",
        advice=_eager_advice(found, None),
        share_of_messages=share,
        range=found,
        metrics=profile.metrics,
    )


def cores_shared(profile: Profile) -> Property | None:
    """Judge whether ranks waited for cores, which is measured as time in MPI; None where that is not known.

    The severity is the least share of the time in which a rank waits for a core; it holds above 10 %.
    """
    conditions = profile.conditions
    if conditions is None or conditions.cores is None:
        return None
    severity, said = conditions.waiting, []
    cores = "1 core" if conditions.cores == 1 else f"{conditions.cores} cores"
    if conditions.ranks > conditions.cores:
        said.append(f"{conditions.ranks} ranks share {cores}")
    if conditions.busy >= _NOTABLY_BUSY:
        said.append(f"other processes kept {conditions.busy:.1f} of {cores} busy before the run")
    holds = severity > _WAITING_SHARE
    return Property(
        name="CoresShared",
        severity=severity,
        confidence=1.0,
        holds=holds,
        text=" and ".join(said) or f"{conditions.ranks} ranks have {cores}",
        advice="profile again with an idle core for each rank: much of the time in MPI is waiting for a core"
        if holds
        else "none",
    )


def mpi_matters(profile: Profile) -> Property:
    """Judge whether the program is in MPI long enough for any setting to matter: 2 % of its time."""
    severity = min(_share(profile.seconds_in_mpi, profile.seconds), 1.0)
    holds = severity > _MPI_SHARE
    shared = cores_shared(profile)
    unclear = shared is not None and shared.holds
    return Property(
        name="MpiMatters",
        severity=severity,
        confidence=1.0 if profile.seconds > 0 else 0.0,
        holds=holds,
        text=f"{severity:.1%} of the time from MPI_Init to MPI_Finalize is spent in MPI, in the mean over the ranks",
        advice=("this does not show whether tuning pays, since ranks waited for cores" if unclear else "tuning may pay")
        if holds
        else "keep all defaults but those that place ranks on cores: there is nothing to gain",
    )


def load_imbalance(profile: Profile) -> Property:
    """Judge whether ranks wait for one that computes longer, which no setting of the MPI library shortens.

    The rank that is in MPI for the shortest time is the one that the others wait for. The severity is the time that
    the mean rank is in MPI beyond that, as a share of the run; it holds above 5 %. The confidence is its share of the
    mean time in MPI: a rank that communicates as much as others, but waits for nobody, is in MPI too.
    """
    waiting = profile.seconds_in_mpi - min(profile.in_mpi_of_ranks, default=profile.seconds_in_mpi)
    severity = min(_share(waiting, profile.seconds), 1.0)
    holds = severity > _IMBALANCE_SHARE
    return Property(
        name="LoadImbalance",
        severity=severity,
        confidence=min(_share(waiting, profile.seconds_in_mpi), 1.0),
        holds=holds,
        text=f"ranks wait {severity:.1%} of the time for the one that is in MPI for the shortest time, in the mean",
        advice="share the work out more evenly first: no setting shortens this waiting" if holds else "none",
    )


def _costliest(profile: Profile) -> str:
    """The collective function that takes the most time."""
    found = [(call.seconds, name) for name, call in profile.calls.items() if call.kind == "collective"]
    return max(found)[1] if found else "a collective operation"


def collectives_dominate(profile: Profile) -> Property:
    """Judge whether most of the time in MPI is in collective operations."""
    severity = _share(profile.seconds_in["collective"], profile.seconds_in_mpi)
    return Property(
        name="CollectivesDominate",
        severity=severity,
        confidence=1.0 if profile.seconds_in_mpi > 0 else 0.0,
        holds=severity > _COLLECTIVE_SHARE,
        text=f"{severity:.0%} of the time in MPI is in collective operations, besides waiting for non-blocking ones",
        advice=f"try the algorithms of {_costliest(profile)}, which takes the most"
        if severity > _COLLECTIVE_SHARE
        else "try algorithms of collective operations last",
    )


def one_sided_used(profile: Profile) -> Property:
    """Judge whether one-sided communication is used at all; its severity is its share of the time in MPI."""
    calls = sum(call.count for call in profile.calls.values() if call.kind == "one_sided")
    severity = _share(profile.seconds_in["one_sided"], profile.seconds_in_mpi)
    return Property(
        name="OneSidedUsed",
        severity=severity,
        confidence=1.0,
        holds=calls > 0,
        text=f"{calls} calls of one-sided communication",
        advice="settings of one-sided communication may matter"
        if calls > 0
        else "leave settings of one-sided communication at their defaults",
    )


def _spellings(operation: str) -> tuple[str, ...]:
    blocking = operation.capitalize()
    return blocking, f"I{operation}", f"{blocking}_init"


def _takes_time(profile: Profile, operation: str) -> bool:
    """Whether the operation takes a noticeable time. That of non-blocking ones is in the waiting, and not known."""
    blocking, *others = _spellings(operation)
    if profile.called(*others) > 0:
        return True
    call = profile.calls.get(f"MPI_{blocking}")
    everywhere = profile.seconds * profile.ranks
    return call is not None and (everywhere <= 0 or call.seconds >= _LEAST_COLLECTIVE_SHARE * everywhere)


def unused_collectives(profile: Profile) -> frozenset[str]:
    """Return the collective operations, in small letters, that take no time, nor does one that is made of them."""
    used = {operation for operation in _OPERATIONS if _takes_time(profile, operation)}
    rest = list(used)
    while rest:
        for part in _MADE_OF.get(rest.pop(), ()):
            if part not in used:
                used.add(part)
                rest.append(part)
    return frozenset(_OPERATIONS) - used


def find_properties(profile: Profile, method: ProfileMethod = "evidence") -> tuple[Property, ...]:
    """Judge all properties of the method, those that do not hold among them."""
    if method == "paper":
        return (eager_limit_dependency_of_the_paper(profile),)
    shared = cores_shared(profile)
    return (
        *(() if shared is None else (shared,)),
        eager_limit_dependency(profile),
        mpi_matters(profile),
        collectives_dominate(profile),
        one_sided_used(profile),
        load_imbalance(profile),
    )
