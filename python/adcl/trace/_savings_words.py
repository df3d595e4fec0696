"""Describe the time that a run saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.report import seconds

if TYPE_CHECKING:
    from adcl.trace._savings import SavingsReport, SearchedCalls

__all__ = ["outcome", "sentence"]


def sentence(report: SavingsReport) -> str:
    """Return the result of the run in one sentence."""
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


def outcome(row: SearchedCalls) -> str:
    """Return the call in use at the end of the run, and the reason."""
    if row.state == "production":
        return row.winner
    if row.state == "native":
        return f"MPI library: {row.reason}"
    return f"MPI library, still {row.state}"
