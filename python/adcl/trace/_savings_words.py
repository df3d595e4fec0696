"""Describe the time that a run saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.report import seconds

if TYPE_CHECKING:
    from adcl.trace._savings import SavingsReport, SearchedCalls

__all__ = ["history_sentence", "outcome", "sentence"]


def _dry_sentence(report: SavingsReport) -> str:
    """Return the result of a dry run in one sentence, in the conditional."""
    saved = report.would_save
    run = f"{report.program} on {report.ranks} ranks ({seconds(report.seconds)})"
    cost = f"the searches cost {seconds(report.search_seconds)}, and all other calls ran the MPI library's functions"
    if saved is None or all(row.would_save is None for row in report.searched):
        if any(row.state == "recommended" for row in report.searched):
            return f"ADCL would have used codelets in {run} for too few calls to estimate the saved time; {cost}."
        return f"ADCL would have kept the MPI library's calls in {run}; {cost}."
    interval = f"95 % interval {seconds(saved.low)} to {seconds(saved.high)}"
    if saved.low > 0:
        return f"ADCL would have saved {seconds(saved.seconds)} ({interval}) in {run}; {cost}."
    if saved.high < 0:
        return f"ADCL would have lost {seconds(-saved.seconds)} ({interval}) in {run}; {cost}."
    return f"ADCL would have made no measurable difference ({interval}) in {run}; {cost}."


def sentence(report: SavingsReport) -> str:
    """Return the result of the run in one sentence."""
    if report.mode == "measure":
        return _dry_sentence(report)
    saved = report.saved
    run = f"{report.program} on {report.ranks} ranks ({seconds(report.seconds)})"
    cost = f"the searches cost {seconds(report.search_seconds)}"
    if all(row.saved is None for row in report.searched):
        if any(row.winner_calls for row in report.searched):
            return f"ADCL used codelets in {run} for too few calls to measure what they saved; {cost}."
        return f"ADCL kept the MPI library's calls in {run}; {cost}."
    interval = f"95 % interval {seconds(saved.low)} to {seconds(saved.high)}"
    if saved.low > 0:
        return f"ADCL saved {seconds(saved.seconds)} ({interval}) in {run}; {cost}."
    if saved.high < 0:
        return f"ADCL lost {seconds(-saved.seconds)} ({interval}) in {run}; {cost}."
    return f"ADCL made no measurable difference ({interval}) in {run}; {cost}."


def _problems(number: int) -> str:
    return f"{number} problem" if number == 1 else f"{number} problems"


def history_sentence(report: SavingsReport) -> str:
    """Return where results are kept, and how many the run has used and stored."""
    used = report.history
    if not used.folder:
        return "history: off"
    stored = f"stored {_problems(used.stored)}" if used.stored or not used.trouble else "stored nothing"
    found = f"history: {used.folder}: knew {_problems(used.known)}, {stored}"
    return f"{found} ({used.trouble})" if used.trouble else found


def outcome(row: SearchedCalls) -> str:
    """Return the call in use at the end of the run, and the reason."""
    if row.state == "production":
        return row.winner
    if row.state == "recommended":
        return f"MPI library: {row.winner} would run, but this is a dry run"
    if row.state == "native":
        return f"MPI library: {row.reason}"
    return f"MPI library, still {row.state}"
