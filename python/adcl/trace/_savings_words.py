"""Describe the time that a run saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.report import bytes_text, ratio, seconds

if TYPE_CHECKING:
    from adcl.trace._savings import Saved, SavingsReport, SearchedCalls

__all__ = ["broken_guidelines", "gain", "outcome", "passed", "sentence"]


def interval(saved: Saved) -> str:
    """Return the limits of an interval."""
    return f"{seconds(saved.low)} to {seconds(saved.high)}"


def sentence(report: SavingsReport) -> str:
    """Return the result of the run in one sentence, and what other bits would save in a second one."""
    return _result(report) + _advice(report.with_any_bits)


def _advice(saved: Saved | None) -> str:
    if saved is None or saved.low <= 0:
        return ""
    return f" ADCL_INTERPOSE_BITS=any would save another {seconds(saved.seconds)} ({interval(saved)})."


def _result(report: SavingsReport) -> str:
    saved = report.saved
    run = f"{report.program} on {report.ranks} ranks ({seconds(report.seconds)})"
    cost = f"the searches cost {seconds(report.search_seconds)}"
    if all(row.saved is None for row in report.searched):
        if any(row.winner_calls for row in report.searched):
            return f"ADCL used codelets in {run} for too few calls to measure what they saved; {cost}."
        return f"ADCL kept the MPI library's calls in {run}; {cost}."
    limits = f"95 % interval {interval(saved)}"
    if saved.low > 0:
        return f"ADCL saved {seconds(saved.seconds)} ({limits}) in {run}; {cost}."
    if saved.high < 0:
        return f"ADCL lost {seconds(-saved.seconds)} ({limits}) in {run}; {cost}."
    return f"ADCL made no measurable difference ({limits}) in {run}; {cost}."


def outcome(row: SearchedCalls) -> str:
    """Return the call in use at the end of the run, and the reason."""
    if row.state == "production":
        return row.winner
    if row.reason:
        return f"MPI library: {row.reason}"
    return f"MPI library, still {row.state}"


def gain(row: SearchedCalls) -> str:
    """Return the saved time with its interval, or the time that other bits would save."""
    if row.saved is not None:
        return f"{seconds(row.saved.seconds)} ({interval(row.saved)})"
    if row.with_any_bits is not None:
        found = row.with_any_bits
        return f"{row.winner} would save {seconds(found.seconds)} ({interval(found)}) with ADCL_INTERPOSE_BITS=any"
    return "–"


def passed(report: SavingsReport) -> str:
    """Return the numbers of calls that were passed through."""
    return "passed through: " + ", ".join(f"{number} {name}" for name, number in report.passed.items())


def broken_guidelines(report: SavingsReport) -> tuple[str, ...]:
    """Return a line for each guideline that the MPI library breaks."""
    return tuple(
        f"{row.call} up to {bytes_text(row.up_to_bytes)} takes {ratio(one.factor)} the time of {one.composition}"
        for row in report.searched
        for one in row.guidelines
    )
