"""Implementation of ``adcl tune analyze``: profile a program, or read a profile, and print the result."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from adcl.cli._console import counted, output, plain_table, print_json
from adcl.cli._load import warn_of_load
from adcl.cli._placement import launcher_kind_on, placement_on_cluster
from adcl.errors import AdclError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from adcl.launch import Job, JobConditions, Launcher
    from adcl.tune.profile import Profile

__all__ = ["analyze"]

_MEANING = "ranks spend much of the time in MPI waiting for a core, and no setting shortens this wait"
_FUNCTIONS = 10
_BAR = 30


def analyze(
    job: Job | None, folder: Path | None, *, on: str | None, launcher: str | None, profiler: Path | None, as_json: bool
) -> None:
    """Profile the job into the folder, or read the folder's profile; print it, and write the page into the folder."""
    if job is None or on is None:
        _analyze(job, folder, launcher=launcher, profiler=profiler, as_json=as_json)
        return
    with placement_on_cluster(on, job.placement, job.ranks) as (placement, _):
        placed = dataclasses.replace(job, placement=placement)
        _analyze(placed, folder, launcher=launcher or launcher_kind_on(placement), profiler=profiler, as_json=as_json)


def _analyze(
    job: Job | None, folder: Path | None, *, launcher: str | None, profiler: Path | None, as_json: bool
) -> None:
    from adcl.tune.profile import read_profile

    if job is None:
        if folder is None:
            raise UsageError("no program is given; write it after --, or name the folder of a profile: --output FOLDER")
        _publish(read_profile(folder), folder, as_json=as_json)
        return
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="adcl-", dir=None if job.placement.local else Path.cwd()) as scratch:
            _profile(job, Path(scratch), launcher, profiler)
            _publish(read_profile(Path(scratch)), None, as_json=as_json)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AdclError(f"cannot create {folder}: {error.strerror}") from error
    if any(folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty; name another folder, or omit the program to show the folder's profile"
        )
    _profile(job, folder, launcher, profiler)
    _publish(read_profile(folder), folder, as_json=as_json)


def _profile(job: Job, folder: Path, named: str | None, profiler: Path | None) -> None:
    from adcl.launch import detect, find_program, linkage
    from adcl.mpi_libraries import FAMILIES
    from adcl.tune.trial import find_profiler, profiled, run_profiled

    program = find_program(job.program)
    launcher = detect(named, program=program)
    linked = linkage(program)
    # A script is not linked with MPI; use its launcher, unless the launcher belongs to a batch system.
    families = [one for one in FAMILIES if (one is linked.family if linked is not None else launcher.kind.starts(one))]
    mpi = linked.path if linked is not None else None
    library = find_profiler(families[0], profiler, mpi) if profiler or len(families) == 1 else None
    if library is None:
        raise UsageError(
            "libadcl-profile.so was not found for the program's MPI library; build ADCL with that library, or pass "
            "its path with --profiler"
        )
    load = warn_of_load(job.ranks, job.placement, launcher, _MEANING)
    _note_conditions(job, launcher, load, folder)
    environment = profiled(job.environment, library, folder)
    run_profiled(dataclasses.replace(job, program=str(program), environment=environment), launcher, folder)


def _note_conditions(job: Job, launcher: Launcher, load: JobConditions | None, folder: Path) -> None:
    """Store the conditions of the profiled run for the evaluation."""
    from adcl.mpi_libraries import OwnSetting, library_started_by, with_own
    from adcl.tune.profile import RunConditions, current_limits, write_conditions

    conditions = RunConditions(job.ranks)
    if load is not None:
        conditions = RunConditions(job.ranks, load.load.cores, load.load.busy)
    library = library_started_by(launcher)
    if library is not None:
        # Without a catalog the current limits are unknown; the profile remains usable.
        with contextlib.suppress(AdclError):
            catalog = library.catalog(launcher)
            own = library.own_settings(launcher, catalog, started_by=launcher)
            given = [
                OwnSetting(library.full_name(name), value, "the command line")
                for name, value in job.environment.items()
                if value is not None
            ]
            catalog = with_own(catalog, (*own, *given), "mine")
            limits = current_limits(library, catalog, one_node=load is not None and job.placement.local)
            conditions = dataclasses.replace(conditions, eager_limits=limits)
    write_conditions(conditions, folder)


def _publish(profile: Profile, folder: Path | None, *, as_json: bool) -> None:
    from adcl.pages import write, write_text
    from adcl.tune.result import profile_document, profile_page

    if folder is not None:
        page = folder / "analysis.html"
        write(profile_page(profile), page)
        write_text(json.dumps(profile_document(profile), indent=2) + "\n", folder / "analysis.json")
    if as_json:
        print_json(profile_document(profile))
        return
    console = output()
    _print(console, profile)
    if folder is not None:
        console.print(f"page: {page}", markup=False, soft_wrap=True)


def _print(console: Console, profile: Profile) -> None:
    from adcl.pages import seconds
    from adcl.tune.profile import find_properties
    from adcl.tune.result import function_times

    in_mpi = profile.in_mpi_of_ranks
    share = profile.seconds_in_mpi / profile.seconds if profile.seconds > 0 else 0.0
    library = profile.mpi_library.partition(",")[0]
    about = f"{profile.program} on {counted(profile.ranks, 'rank')}, {library}: {seconds(profile.seconds)}"
    spread = f"{seconds(min(in_mpi))} to {seconds(max(in_mpi))} per rank"
    console.print(f"{about}, {share:.1%} of the time in MPI ({spread})", markup=False, soft_wrap=True)
    times = function_times(profile)
    if times:
        table = plain_table(
            "function", "calls", "time", "share of the run", numbers=("calls", "time", "share of the run")
        )
        for one in times[:_FUNCTIONS]:
            table.add_row(one.name, str(one.calls), seconds(one.seconds), f"{one.share:.1%}")
        console.print()
        console.print(table)
        if len(times) > _FUNCTIONS:
            console.print(f"and {counted(len(times) - _FUNCTIONS, 'function')} with less time")
    _print_messages(console, profile)
    console.print()
    table = plain_table("property", "severity", "confidence", "", numbers=("severity", "confidence"))
    for found in find_properties(profile):
        style = "bold" if found.holds else "dim"
        says = Text.assemble(found.text, f"; {found.advice}" if found.holds else "")
        table.add_row(Text(found.name, style), f"{found.severity:.0%}", f"{found.confidence:.0%}", says)
    console.print(table)


def _print_messages(console: Console, profile: Profile) -> None:
    from adcl.pages import bytes_text
    from adcl.tune.result import size_labels

    messages = profile.messages
    if not messages.sizes:
        return
    table = plain_table("messages", "count", "bytes", "", numbers=("count", "bytes"))
    most = max(size.count for size in messages.sizes)
    for label, size in zip(size_labels(profile), messages.sizes, strict=True):
        bar = "█" * max(round(_BAR * size.count / most), 1 if size.count else 0)
        table.add_row(label, str(size.count), bytes_text(size.bytes), bar)
    console.print()
    console.print(table)
