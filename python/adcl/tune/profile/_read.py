"""Read, validate and sum the profiler's files."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from adcl._decode import DecodeError, decode
from adcl.errors import AdclError
from adcl.tune.profile._conditions import RunConditions, read_conditions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "KINDS",
    "PAPER_SLOTS",
    "SCHEMA",
    "CallCount",
    "Messages",
    "Profile",
    "ProfileError",
    "RankProfile",
    "SizeClass",
    "merge",
    "read_profile",
]

SCHEMA = 1

KINDS = ("p2p", "collective", "one_sided", "wait")

PAPER_SLOTS = (2048, 4096, 8192, 16384, 32768, 65536)
"""Upper bounds of the size ranges of the metrics PSC_MPI_MSG_P2P_2K to PSC_MPI_MSG_P2P_64K."""


class ProfileError(AdclError):
    """The profiler's files are missing, of another version, or from different runs."""


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Messages of more than half of `up_to` bytes and at most `up_to`; class 1 includes empty messages."""

    up_to: int
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CallCount:
    """Number of calls of an MPI function, and their time."""

    kind: str
    count: int
    seconds: float


class Messages(msgspec.Struct, frozen=True):
    """Point-to-point messages, counted by the sender. "Near the limit" is from 1 KB to 64 KB, inclusive."""

    near_limit_bytes: int = msgspec.field(name="PSC_MPI_MSG_P2P_THR")
    total_bytes: int = msgspec.field(name="PSC_MPI_MSG_P2P_TOT")
    near_limit_count: int = msgspec.field(name="count_near_limit")
    count: int
    sizes: tuple[SizeClass, ...]


@dataclass(frozen=True, slots=True)
class RankProfile:
    """File of one rank."""

    schema: int
    rank: int
    ranks: int
    program: str
    mpi_library: str
    seconds: float
    calls: dict[str, CallCount]
    seconds_in: dict[str, float]
    messages: Messages


@dataclass(frozen=True, slots=True)
class Profile:
    """Profile of a run, summed over all ranks."""

    ranks: int
    program: str
    mpi_library: str
    seconds: float
    """Longest time of a rank from MPI_Init to MPI_Finalize."""

    calls: Mapping[str, CallCount]
    """Calls by name, without the suffix of large counts. Functions without calls are omitted."""

    seconds_in: Mapping[str, float]
    """Seconds in each of `KINDS`, averaged over the ranks."""

    messages: Messages

    in_mpi_of_ranks: tuple[float, ...] = ()
    """Seconds in MPI of each rank."""

    conditions: RunConditions | None = None
    """Conditions of the run; None if they were not recorded."""

    @property
    def seconds_in_mpi(self) -> float:
        """Time in MPI calls, averaged over the ranks."""
        return sum(self.seconds_in.values())

    @property
    def metrics(self) -> dict[str, int]:
        """The eight metrics under the names of A. Sikora et al. The first slot includes all messages up to 2 KB."""
        messages = self.messages
        metrics = {
            "PSC_MPI_MSG_P2P_THR": messages.near_limit_bytes,
            "PSC_MPI_MSG_P2P_TOT": messages.total_bytes,
        }
        low = -1
        for high in PAPER_SLOTS:
            metrics[f"PSC_MPI_MSG_P2P_{high // 1024}K"] = sum(
                size.count for size in messages.sizes if low < size.up_to <= high
            )
            low = high
        return metrics

    def called(self, *names: str) -> int:
        """Return the number of calls of these functions; `names` without `MPI_`."""
        return sum(self.calls[f"MPI_{name}"].count for name in names if f"MPI_{name}" in self.calls)


def _summed_calls(ranks: Sequence[RankProfile]) -> dict[str, CallCount]:
    total: dict[str, CallCount] = {}
    for rank in ranks:
        for name, call in rank.calls.items():
            before = total.get(name, CallCount(call.kind, 0, 0.0))
            total[name] = CallCount(call.kind, before.count + call.count, before.seconds + call.seconds)
    return total


def _summed_messages(ranks: Sequence[RankProfile]) -> Messages:
    sizes: dict[int, SizeClass] = {}
    for size in (size for rank in ranks for size in rank.messages.sizes):
        before = sizes.get(size.up_to, SizeClass(size.up_to, 0, 0))
        sizes[size.up_to] = SizeClass(size.up_to, before.count + size.count, before.bytes + size.bytes)
    return Messages(
        near_limit_bytes=sum(rank.messages.near_limit_bytes for rank in ranks),
        total_bytes=sum(rank.messages.total_bytes for rank in ranks),
        near_limit_count=sum(rank.messages.near_limit_count for rank in ranks),
        count=sum(rank.messages.count for rank in ranks),
        sizes=tuple(sizes[up_to] for up_to in sorted(sizes)),
    )


def merge(ranks: Sequence[RankProfile]) -> Profile:
    """Sum the files of all ranks of one run. Raises `ProfileError` if ranks are missing or runs are mixed."""
    if not ranks:
        raise ProfileError("a profile requires the files of at least one rank")
    wanted = ranks[0].ranks
    if any(rank.ranks != wanted for rank in ranks):
        raise ProfileError(
            "the profiler's files belong to runs with different numbers of ranks; use a separate folder for each run"
        )
    found = sorted(rank.rank for rank in ranks)
    if found != list(range(wanted)):
        raise ProfileError(
            f"the profiler wrote files for ranks {', '.join(map(str, found))}, not for all {wanted} ranks; check that "
            "every rank calls MPI_Finalize"
        )
    return Profile(
        ranks=wanted,
        program=ranks[0].program,
        mpi_library=ranks[0].mpi_library,
        seconds=max(rank.seconds for rank in ranks),
        calls=_summed_calls(ranks),
        seconds_in={kind: sum(rank.seconds_in.get(kind, 0.0) for rank in ranks) / wanted for kind in KINDS},
        messages=_summed_messages(ranks),
        in_mpi_of_ranks=tuple(sum(rank.seconds_in.values()) for rank in sorted(ranks, key=lambda one: one.rank)),
    )


def _read_rank(path: Path) -> RankProfile:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProfileError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ProfileError(f"{path} is not a file of the profiler: {error}") from error
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ProfileError(f"{path} has schema {schema!r}, not {SCHEMA}; use the profiler of this version of ADCL")
    try:
        return decode(RankProfile, document)
    except DecodeError as error:
        raise ProfileError(f"{path}: {error}") from error


def read_profile(folder: Path) -> Profile:
    """Read the profiler's files in the folder that ADCL_PROFILE named. Raises `ProfileError`."""
    files = sorted(folder.glob("adcl-profile.*.json"))
    if not files:
        raise ProfileError(
            f"the profiler wrote nothing to {folder}; check that the program calls MPI_Finalize and is linked with "
            "the MPI library's shared library"
        )
    return dataclasses.replace(merge([_read_rank(file) for file in files]), conditions=read_conditions(folder))
