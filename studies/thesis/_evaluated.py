"""Run evaluations for a study, and store their journals without host names."""

from __future__ import annotations

import dataclasses
import json
import platform
import shutil
from typing import TYPE_CHECKING

from adcl._version import __version__
from adcl.cli._placement import launcher_kind_on, placement_on_cluster
from adcl.errors import AdclError
from adcl.evaluate import (
    EvaluationJournal,
    EvaluationSession,
    Executor,
    Header,
    Runs,
    SettingResult,
    analyse,
    read_evaluation,
    read_recorded,
)
from adcl.launch import Stop, detect, find_program
from studies._catalog import Place, StudyError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from adcl.evaluate import EvaluationProgress

__all__ = ["extent_of", "journal_of", "kept_journal", "run_evaluation", "runs_of", "settings_of"]

_SEED = 2012
"""Seed of the random order of the runs."""


def journal_of(place: Place, machine: str) -> Path:
    """Return the path of the stored journal of one machine."""
    return place.folder / f"{machine}.jsonl"


def kept_journal(text: str) -> str:
    """Return a journal without the host's name, and with only the last result of each run."""
    head, *rest = map(json.loads, text.splitlines())
    head["header"]["context"].pop("host", None)
    last = {one["run"]["key"]: number for number, one in enumerate(rest) if one["event"] == "done"}
    kept = [
        one
        for number, one in enumerate(rest)
        if one["event"] == "scouted" or (one["event"] == "done" and last[one["run"]["key"]] == number)
    ]
    return "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in (head, *kept))


def _print_progress(progress: EvaluationProgress) -> None:
    run = progress.run
    took = run.reason if run.seconds is None else f"{run.seconds:.3f} s"
    count = f"{progress.count} of {progress.total}"
    print(f"{count}  {run.setting}  {progress.what}: {took}, about {progress.left_s:.0f} s left", flush=True)


def run_evaluation(
    place: Place, file: Path, machine: str, *, on: str | None = None, executor: type[Executor] = Executor
) -> Path:
    """Run the missing parts of an evaluation, on this machine or on a cluster of the testbed; return their folder.

    Raises `StudyError`.
    """
    one = dataclasses.replace(read_evaluation(file), on=on)
    folder = (place.work / machine).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    journal_path, scratch = folder / "journal.jsonl", folder / "scratch"
    stop = Stop()
    try:
        with placement_on_cluster(on, one.placement, max(setting.ranks for setting in one.settings)) as (placement, _):
            launcher = detect(launcher_kind_on(placement) if on else None, program=find_program(one.program))
            context = {"MPI": f"{launcher.kind.title} {launcher.version}", "host": platform.node()}
            header = Header(one.digest, _SEED, one.name, machine, context)
            with EvaluationJournal(journal_path, header, __version__) as journal, stop.on_signals():
                shutil.rmtree(scratch, ignore_errors=True)
                scratch.mkdir()
                runner = executor(one, launcher, placement, scratch, stop)
                session = EvaluationSession(one, runner, journal, journal.recorded.header.seed, stop)
                session.scout(lambda setting: print(f"{machine}: {setting.name}", flush=True))
                interrupted = session.run(_print_progress)
    except AdclError as error:
        raise StudyError(f"{machine}: {error}") from error
    finally:
        stop.close()
        shutil.rmtree(scratch, ignore_errors=True)
    failed = [run.reason for run in session.done.values() if run.status == "failed"]
    if interrupted or failed:
        what = failed[0] if failed else "interrupted"
        raise StudyError(f"{machine}: {what}; the same command resumes the study")
    journal_of(place, machine).write_text(kept_journal(journal_path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def settings_of(place: Place, machine: str) -> tuple[SettingResult, ...]:
    """Return the settings in the stored journal of a machine; empty if there is none."""
    path = journal_of(place, machine)
    return analyse(read_recorded(path)).settings if path.exists() else ()


def runs_of(setting: SettingResult, codelet: str) -> Runs:
    """Return the verification runs of a codelet."""
    return Runs(next(one.times for one in setting.codelets if one.name == codelet))


def extent_of(place: Place, machines: Sequence[str]) -> dict[str, str]:
    """Return ranks and repetitions of the stored journals, for the record of a full run."""
    ranks, runs = [], set()
    for machine in machines:
        settings = settings_of(place, machine)
        if settings:
            counts = sorted({setting.ranks for setting in settings})
            ranks.append(f"{', '.join(map(str, counts))} on {machine}")
            runs |= {len(one.times) for setting in settings for one in setting.codelets}
    if not ranks:
        return {}
    between = " to ".join(map(str, sorted({min(runs), max(runs)})))
    return {"ranks": "; ".join(ranks), "repetitions": f"{between} runs of each codelet"}
