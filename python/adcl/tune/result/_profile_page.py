"""What one profiled run says: for people, as a page, and for programs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from adcl.report import (
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
    """What one MPI function took, in the mean over the ranks."""

    name: str
    calls: int
    """Of all ranks."""

    seconds: float
    share: float
    """Of the run."""


def function_times(profile: Profile) -> list[FunctionTime]:
    """Return what was called, the longest first."""
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
    """Return the sizes that the classes of messages end at."""
    return [f"≤ {bytes_text(size.up_to)}" for size in profile.messages.sizes]


def profile_document(profile: Profile) -> dict[str, Any]:
    """Everything for programs."""
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
        "messages": dataclasses.asdict(profile.messages),
        "metrics": profile.metrics,
        "properties": [dataclasses.asdict(one) for one in find_properties(profile)],
    }


def _headline(profile: Profile, properties: Sequence[Property]) -> Headline:
    share = profile.seconds_in_mpi / profile.seconds if profile.seconds > 0 else 0.0
    held = [one.advice for one in properties if one.holds]
    words = f"{percent(share)} of {seconds(profile.seconds)} are spent in MPI."
    if not any(one.name == "MpiMatters" and one.holds for one in properties):
        return Headline(words, "neutral", "Keep the defaults: there is nothing to gain.")
    return Headline(words, "neutral", ". ".join(one[0].upper() + one[1:] for one in held) + ".")


def _times(profile: Profile) -> Section:
    rows = tuple((one.name, one.calls, seconds(one.seconds), percent(one.share)) for one in function_times(profile))
    heads = (
        "function",
        Column("calls", numeric=True),
        Column("time", numeric=True),
        Column("of the run", numeric=True),
    )
    table = Table(heads, rows, caption="Calls of all ranks; times in the mean over the ranks.")
    ranks = bar_figure(
        [str(rank) for rank in range(profile.ranks)],
        [Bars("in MPI", list(profile.in_mpi_of_ranks))],
        value_title="seconds in MPI",
        caption="By rank. The one that is in MPI for the shortest time is the one that the others wait for.",
    )
    return Section("Where the time goes", (table, ranks))


def _messages(profile: Profile) -> Section:
    messages = profile.messages
    facts = Facts(
        {
            "messages": messages.count,
            "bytes": bytes_text(messages.total_bytes),
            "messages of 1 KB to 64 KB": messages.near_limit_count,
            "bytes in them": bytes_text(messages.near_limit_bytes),
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
            caption="Point-to-point messages by size, each class up to twice as large as the one before.",
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
        "what follows",
    )
    marked = tuple(place for place, one in enumerate(properties) if one.holds)
    return Section("Properties", (Table(heads, rows, marked=marked),))


def profile_sections(profile: Profile, case: str = "") -> tuple[Section, ...]:
    """Make the sections of a page: properties, times and messages; of a case, its name is in the titles."""
    sections = (_properties(find_properties(profile)), _times(profile), _messages(profile))
    return tuple(dataclasses.replace(one, title=f"{case}: {one.title}") for one in sections) if case else sections


def sections_of_profiles(profiles: Mapping[str, Profile], notices: Sequence[str]) -> tuple[Section, ...]:
    """Make the sections of all profiles, by case, and before them one of what was left out for them, as `notices`."""
    own = tuple(
        f"{case}: {one.name}: " if case else f"{one.name}: "
        for case, profile in profiles.items()
        for one in find_properties(profile)
    )
    told = tuple(notice for notice in notices if not notice.startswith(own))
    left_out = (Section("What the profile left of the settings", (Text(told),)),) if told and profiles else ()
    return (*left_out, *(one for case, profile in profiles.items() for one in profile_sections(profile, case)))


def profile_page(profile: Profile) -> Page:
    """Make the page of a profiled run."""
    facts: dict[str, Cell] = {"program": profile.program, "ranks": profile.ranks, "MPI library": profile.mpi_library}
    summary = (_headline(profile, find_properties(profile)), Facts(facts))
    return Page("What the program does in MPI", summary, profile_sections(profile), tool="adcl tune")
