"""Runs and shows evaluations for ``adcl evaluate``."""

from __future__ import annotations

import dataclasses
import itertools
import platform
import random
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from adcl import evaluate as evaluating
from adcl._version import __version__
from adcl.cli._console import counted, output, print_json, print_table
from adcl.cli._load import warn_of_load
from adcl.cli._placement import launcher_kind_on, placement_on_cluster, require_launcher_kind
from adcl.cli._runs import StatusLine, duration, set_aside
from adcl.errors import AdclError, UsageError
from adcl.evaluate import tables
from adcl.launch import Stop, detect, find_program, library_variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcl.evaluate import Evaluated, Evaluation, EvaluationProgress
    from adcl.launch import Launcher, Placement

__all__ = ["evaluate", "report"]

_MEANING = "the measured times include this waiting time, so the wrong codelet may appear to be the fastest"
_JOURNAL = "journal.jsonl"
_RESULTS = "results.json"
_PAGE = "report.html"


def _folder(file: Path, on: str | None) -> Path:
    cluster = "" if on is None else f".{Path(on).stem}"
    return Path(f"{file.stem}{cluster}.evaluation")


def evaluate(
    file: Path,
    named: Path | None,
    *,
    on: str | None,
    runs: int | None,
    seed: int | None,
    machine: str | None,
    fresh: bool,
    show: bool,
) -> bool:
    """Execute the remaining runs of an evaluation, and return whether it was interrupted. Raises `AdclError`."""
    one = evaluating.read_evaluation(file)
    one = dataclasses.replace(one, on=on or one.on, runs=runs or one.runs)
    folder = named or _folder(file, on)
    if fresh and folder.exists() and not show:
        output().print(f"renamed the existing folder to {set_aside(folder)}", markup=False, soft_wrap=True)
    program = find_program(one.program)
    with placement_on_cluster(one.on, one.placement, max(setting.ranks for setting in one.settings)) as (placement, _):
        launcher = detect(one.mpi or (launcher_kind_on(placement) if one.on else None), program=program)
        if one.on:
            require_launcher_kind(one.on, placement, launcher)
        if show:
            _show(one)
            return False
        if launcher.kind.simulates and one.time.whole_run:
            raise UsageError(
                f"{file}: the time of the whole run is not simulated; let the program measure a time with MPI_Wtime, "
                'and add [time] with pattern = "…" or json = "…"'
            )
        warn_of_load(max(setting.ranks for setting in one.settings), placement, launcher, _MEANING)
        header = _header(one, launcher, machine, random.SystemRandom().randrange(2**31) if seed is None else seed)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AdclError(f"cannot create {folder}: {error.strerror}") from error
        return _run(one, folder, launcher, placement, header)


def _show(one: Evaluation) -> None:
    """Print the planned runs."""
    tuned = len(one.combinations)
    others = tuned + (one.original is not None)
    which = ", ".join(one.codelets) or (f"the {one.fastest} fastest and the native codelet" if one.fastest else "all")
    sys.stdout.write(f"codelets verified: {which}\n")
    for how in one.combinations:
        sys.stdout.write(f"tuned: {how.name}\n")
    for setting in one.settings:
        sys.stdout.write(f"setting: {setting.name}\n")
    count = len(one.settings) * one.runs
    sys.stdout.write(f"runs: {others * count}, and {count} for each verified codelet\n")


def _header(one: Evaluation, launcher: Launcher, machine: str | None, seed: int) -> evaluating.Header:
    place = machine or (Path(one.on).stem if one.on else platform.node())
    return evaluating.Header(
        digest=one.digest,
        seed=seed,
        name=one.name,
        machine=place,
        context={
            "MPI": f"{launcher.kind.title} {launcher.version}",
            "program": Path(one.program).name,
            "host": platform.node(),
            "variables": ",".join(sorted(library_variables())) or "none",
        },
    )


def _run(one: Evaluation, folder: Path, launcher: Launcher, placement: Placement, header: evaluating.Header) -> bool:
    scratch = folder / "scratch"
    stop = Stop()
    try:
        with evaluating.EvaluationJournal(folder / _JOURNAL, header, __version__) as journal, stop.on_signals():
            # The journal is locked: no other process uses the folder.
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            try:
                executor = evaluating.Executor(one, launcher, placement, scratch.absolute(), stop)
                session = evaluating.EvaluationSession(one, executor, journal, journal.recorded.header.seed, stop)
                interrupted = _through(session, one)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    finally:
        stop.close()
    report([folder], None, as_json=False)
    failed = [run.reason for run in session.done.values() if run.status == "failed"]
    if failed and not interrupted:
        count = f"{len(failed)} of {len(session.done)} runs"
        raise AdclError(f"{count} failed; run the same command again to repeat them; first failure: {failed[0]}")
    return interrupted


def _through(session: evaluating.EvaluationSession, one: Evaluation) -> bool:
    console = output()
    session.scout(lambda setting: console.print(f"{setting.name}: selecting codelets by a short search", markup=False))
    if session.stop.requested:
        return True
    left = session.pending()
    verified = [len(evaluating.codelets_of(one, session.scouted[setting.name])) for setting in one.settings]
    words = f"{min(verified)} to {max(verified)}" if min(verified) < max(verified) else str(verified[0])
    codelets = f"{words} codelet{'' if words == '1' else 's'}"
    counts = f"{counted(len(left), 'run')}, {counted(len(one.settings), 'setting')}, {codelets}"
    told = f"{one.name}: {counts}, seed {session.seed}"
    console.print(told, markup=False, soft_wrap=True)
    printer = _RunPrinter()
    interrupted = session.run(printer)
    printer.end()
    return interrupted


class _RunPrinter(StatusLine):
    """Status line: shows the current run, and keeps the lines of failed runs."""

    def __call__(self, progress: EvaluationProgress) -> None:
        self.show(self._line(progress))
        if progress.run.status != "ok":
            self.keep(f"  {progress.run.reason}")

    def _line(self, progress: EvaluationProgress) -> str:
        from adcl.pages import seconds

        run = progress.run
        took = run.status if run.seconds is None else seconds(run.seconds)
        chosen = ", ".join(choice.winner or "none yet" for choice in run.choices)
        best = "" if progress.best is None else f", best {progress.best[0]} {seconds(progress.best[1])}"
        begin = f"{duration(progress.elapsed_s)} {progress.count} of {progress.total}  {run.setting}  {progress.what}"
        decided = f", chose {chosen}" if chosen else ""
        return f"{begin}: {took}{decided}{best}, about {duration(progress.left_s)} left"


def _read(folders: Sequence[Path]) -> list[Evaluated]:
    found = []
    for folder in folders:
        if not (folder / _JOURNAL).exists():
            raise UsageError(f"there is no evaluation in {folder}; 'adcl evaluate run' creates one")
        found.append(evaluating.analyse(evaluating.read_recorded(folder / _JOURNAL)))
    names = [one.machine for one in found]
    # Machines with the same name are labeled with their folders.
    return [
        dataclasses.replace(one, machine=folder.name.removesuffix(".evaluation"))
        if names.count(one.machine) > 1
        else one
        for one, folder in zip(found, folders, strict=True)
    ]


def report(folders: Sequence[Path], target: Path | None, *, as_json: bool) -> None:
    """Print the results, and write documents and page."""
    from adcl import pages
    from adcl.pages import write_text

    results = _read(folders)
    document = evaluating.as_document(results)
    if as_json:
        print_json(document)
        return
    for one in results:
        _print(one, several=len(results) > 1)
    page = target or folders[0] / _PAGE
    pages.write(evaluating.make_page(results), page)
    if len(folders) == 1:
        import json

        write_text(json.dumps(document, indent=1) + "\n", folders[0] / _RESULTS)
    output().print(f"all results: {page}", markup=False, soft_wrap=True)


def _print(one: Evaluated, *, several: bool) -> None:
    console = output()
    if several:
        console.print(f"\n{one.machine}", markup=False)
    console.print(evaluating.SIGN, markup=False)
    settings = tables.named_settings([one])
    found = (tables.best_codelets(settings), tables.comparison(settings), tables.quality(one.summaries, brief=True))
    for table in itertools.chain(*found):
        print_table(console, table)
