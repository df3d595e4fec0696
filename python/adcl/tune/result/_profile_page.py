"""Result of one profiled run: HTML page and JSON document."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from adcl.pages import (
    Bars,
    Block,
    Cell,
    Column,
    Facts,
    Headline,
    Page,
    Section,
    Table,
    Text,
    bar_figure,
    bytes_text,
    percent,
    seconds,
)
from adcl.tune.profile import find_properties

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune.profile import Profile, Property

__all__ = [
    "FunctionTime",
    "function_times",
    "profile_document",
    "profile_page",
    "profile_sections",
    "sections_of_profiles",
    "size_labels",
]

SCHEMA = 1


@dataclasses.dataclass(frozen=True)
class FunctionTime:
    """Time of one MPI function, averaged over the ranks."""

    name: str
    calls: int
    """Total number of calls of all ranks."""

    seconds: float
    share: float
    """Share of the run's time."""


def function_times(profile: Profile) -> list[FunctionTime]:
    """Return all called functions, the longest first."""
    found = [
        FunctionTime(
            name,
            call.count,
            call.seconds / profile.ranks,
            call.seconds / profile.ranks / profile.seconds if profile.seconds > 0 else 0.0,
        )
        for name, call in profile.calls.items()
    ]
    return sorted(found, key=lambda one: (-one.seconds, one.name))


def size_labels(profile: Profile) -> list[str]:
    """Return the upper bounds of the size classes of messages."""
    return [f"≤ {bytes_text(size.up_to)}" for size in profile.messages.sizes]


def profile_document(profile: Profile) -> dict[str, Any]:
    """Return the profile as plain data."""
    return {
        "schema": SCHEMA,
        "program": profile.program,
        "mpi_library": profile.mpi_library,
        "ranks": profile.ranks,
        "seconds": profile.seconds,
        "seconds_in_mpi": profile.seconds_in_mpi,
        "seconds_in_mpi_of_ranks": list(profile.in_mpi_of_ranks),
        "seconds_in": dict(profile.seconds_in),
        "functions": [dataclasses.asdict(one) for one in function_times(profile)],
        "messages": {
            **msgspec.structs.asdict(profile.messages),
            "sizes": [dataclasses.asdict(one) for one in profile.messages.sizes],
        },
        "metrics": profile.metrics,
        "properties": [dataclasses.asdict(one) for one in find_properties(profile)],
    }


def _headline(profile: Profile, properties: Sequence[Property]) -> Headline:
    share = profile.seconds_in_mpi / profile.seconds if profile.seconds > 0 else 0.0
    held = [one.advice for one in properties if one.holds]
    words = f"{percent(share)} of the run's {seconds(profile.seconds)} is spent in MPI."
    if not any(one.name == "MpiMatters" and one.holds for one in properties):
        return Headline(words, "neutral", "Keep the defaults: settings cannot speed up this program.")
    return Headline(words, "neutral", ". ".join(one[0].upper() + one[1:] for one in held) + ".")


def _times(profile: Profile) -> Section:
    rows = tuple((one.name, one.calls, seconds(one.seconds), percent(one.share)) for one in function_times(profile))
    heads = (
        "function",
        Column("calls", numeric=True),
        Column("time", numeric=True),
        Column("share of the run", numeric=True),
    )
    table = Table(heads, rows, caption="Calls of all ranks; times averaged over the ranks.")
    ranks = bar_figure(
        [str(rank) for rank in range(profile.ranks)],
        [Bars("in MPI", list(profile.in_mpi_of_ranks))],
        value_title="seconds in MPI",
        caption="By rank. The other ranks wait for the rank with the shortest time in MPI.",
    )
    return Section("Time by function", (table, ranks))


def _messages(profile: Profile) -> Section:
    messages = profile.messages
    facts = Facts(
        {
            "messages": messages.count,
            "bytes": bytes_text(messages.total_bytes),
            "messages of 1 KB to 64 KB": messages.near_limit_count,
            "bytes in messages of 1 KB to 64 KB": bytes_text(messages.near_limit_bytes),
        }
    )
    blocks: tuple[Block, ...] = (facts,)
    if messages.sizes:
        labels = size_labels(profile)
        shares = [100.0 * size.count / messages.count for size in messages.sizes]
        volume = [100.0 * size.bytes / max(messages.total_bytes, 1) for size in messages.sizes]
        figure = bar_figure(
            labels,
            [Bars("messages", shares), Bars("bytes", volume)],
            value_title="%",
            caption="Point-to-point messages by size; each class is up to twice as large as the previous class.",
        )
        blocks += (figure,)
    return Section("Messages", blocks)


def _properties(properties: Sequence[Property]) -> Section:
    rows = tuple(
        (one.name, percent(one.severity), percent(one.confidence), "yes" if one.holds else "no", one.text, one.advice)
        for one in properties
    )
    heads = (
        "property",
        Column("severity", numeric=True),
        Column("confidence", numeric=True),
        "holds",
        "found",
        "consequence",
    )
    marked = tuple(place for place, one in enumerate(properties) if one.holds)
    return Section("Properties", (Table(heads, rows, marked=marked),))


def profile_sections(profile: Profile, case: str = "") -> tuple[Section, ...]:
    """Return the sections of a page: properties, times and messages; titles include the name of a case."""
    sections = (_properties(find_properties(profile)), _times(profile), _messages(profile))
    return tuple(dataclasses.replace(one, title=f"{case}: {one.title}") for one in sections) if case else sections


def sections_of_profiles(profiles: Mapping[str, Profile], notices: Sequence[str]) -> tuple[Section, ...]:
    """Return the sections of all profiles by case, after a section on omitted settings (`notices`)."""
    own = tuple(
        f"{case}: {one.name}: " if case else f"{one.name}: "
        for case, profile in profiles.items()
        for one in find_properties(profile)
    )
    remaining = tuple(notice for notice in notices if not notice.startswith(own))
    left_out = (Section("Settings after profiling", (Text(remaining),)),) if remaining and profiles else ()
    return (*left_out, *(one for case, profile in profiles.items() for one in profile_sections(profile, case)))


def profile_page(profile: Profile) -> Page:
    """Return the page of a profiled run."""
    facts: dict[str, Cell] = {"program": profile.program, "ranks": profile.ranks, "MPI library": profile.mpi_library}
    summary = (_headline(profile, find_properties(profile)), Facts(facts))
    return Page("MPI communication of the program", summary, profile_sections(profile), tool="adcl tune")
