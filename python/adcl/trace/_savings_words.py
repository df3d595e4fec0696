"""Describe the time that a run saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.pages import bytes_text, ratio, seconds

if TYPE_CHECKING:
    from adcl.trace._savings import Proof, Saved, SavingsReport, SearchedCalls

__all__ = ["broken_guidelines", "gain", "history_sentence", "outcome", "passed", "sentence"]


def interval(saved: Saved) -> str:
    """Return the limits of an interval."""
    return f"{seconds(saved.low)} to {seconds(saved.high)}"


def _dry_sentence(report: SavingsReport) -> str:
    """Return the result of a dry run in one sentence, in the conditional."""
    saved = report.would_save
    run = f"{report.program} on {report.ranks} ranks ({seconds(report.seconds)})"
    cost = f"the searches cost {seconds(report.search_seconds)}, and all other calls ran the MPI library's functions"
    if saved is None or all(row.would_save is None for row in report.searched):
        if any(row.state == "recommended" for row in report.searched):
            few = f"for too few calls to estimate the saved time{_when_chosen(report)}"
            return f"ADCL would have used codelets in {run} {few}; {cost}."
        return f"ADCL would have kept the MPI library's calls in {run}; {cost}."
    limits = f"95 % interval {interval(saved)}"
    if saved.low > 0:
        return f"ADCL would have saved {seconds(saved.seconds)} ({limits}) in {run}; {cost}."
    if saved.high < 0:
        return f"ADCL would have lost {seconds(-saved.seconds)} ({limits}) in {run}; {cost}."
    return f"ADCL would have made no measurable difference ({limits}) in {run}; {cost}."


def sentence(report: SavingsReport) -> str:
    """Return one sentence on the result of the run, and if known, a second on the time that other bits would save."""
    return _result(report) + _advice(report.with_any_bits)


def _advice(saved: Saved | None) -> str:
    if saved is None or saved.low <= 0:
        return ""
    return f" ADCL_INTERPOSE_BITS=any would save another {seconds(saved.seconds)} ({interval(saved)})."


def _when_chosen(report: SavingsReport) -> str:
    """Return the result of the comparison that chose the winner of the longest calls; empty if there is none."""
    proved = [(row, row.proof) for row in report.searched if row.winner_calls and row.proof is not None]
    if not proved:
        return ""
    row, proof = max(proved, key=lambda one: one[0].winner_seconds)
    return f"; when ADCL chose {row.winner}, it was {_times_as_fast(proof)} as {row.call} of the MPI library"


def _times_as_fast(proof: Proof) -> str:
    return f"{ratio(proof.speedup)} as fast ({ratio(proof.low)} to {ratio(proof.high)})"


def _result(report: SavingsReport) -> str:
    if report.mode == "measure":
        return _dry_sentence(report)
    saved = report.saved
    run = f"{report.program} on {report.ranks} ranks ({seconds(report.seconds)})"
    cost = f"the searches cost {seconds(report.search_seconds)}"
    if all(row.saved is None for row in report.searched):
        if any(row.winner_calls for row in report.searched):
            few = f"for too few calls to measure the saved time{_when_chosen(report)}"
            return f"ADCL used codelets in {run} {few}; {cost}."
        return f"ADCL kept the MPI library's calls in {run}; {cost}."
    limits = f"95 % interval {interval(saved)}"
    if saved.low > 0:
        return f"ADCL saved {seconds(saved.seconds)} ({limits}) in {run}; {cost}."
    if saved.high < 0:
        return f"ADCL lost {seconds(-saved.seconds)} ({limits}) in {run}; {cost}."
    return f"ADCL made no measurable difference ({limits}) in {run}; {cost}."


def _entries(number: int) -> str:
    return f"{number} entry" if number == 1 else f"{number} entries"


def history_sentence(report: SavingsReport) -> str:
    """Return where results are kept, and how many the run has used and stored."""
    used = report.history
    if not used.folder:
        return "history: off"
    stored = f"stored {_entries(used.stored)}" if used.stored or not used.trouble else "stored nothing"
    found = f"history in {used.folder}: read {_entries(used.known)}, {stored}"
    return f"{found} ({used.trouble})" if used.trouble else found


def outcome(row: SearchedCalls) -> str:
    """Return the call in use at the end of the run, and the reason."""
    if row.state == "production":
        return row.winner
    if row.state == "recommended":
        return f"MPI library: {row.winner} would run, but this is a dry run"
    if row.reason:
        return f"MPI library: {row.reason}"
    return f"MPI library, still {row.state}"


def gain(row: SearchedCalls) -> str:
    """Return the saved time with its interval; or the time that a dry run, or other bits, would save."""
    saved = row.saved if row.saved is not None else row.would_save
    if saved is not None:
        return f"{seconds(saved.seconds)} ({interval(saved)})"
    if row.with_any_bits is not None:
        found = row.with_any_bits
        return f"{row.winner} would save {seconds(found.seconds)} ({interval(found)}) with ADCL_INTERPOSE_BITS=any"
    if row.winner_calls and row.proof is not None:
        return f"too few calls to measure; when chosen, {_times_as_fast(row.proof)}"
    return "–"


def passed(report: SavingsReport) -> str:
    """Return the numbers of calls that were passed through."""
    return "calls passed through to the MPI library: " + ", ".join(
        f"{number} {name}" for name, number in report.passed.items()
    )


def broken_guidelines(report: SavingsReport) -> tuple[str, ...]:
    """Return a line for each guideline that the MPI library breaks."""
    return tuple(
        f"{row.call} up to {bytes_text(row.up_to_bytes)} takes {ratio(one.factor)} the time of {one.composition}"
        for row in report.searched
        for one in row.guidelines
    )
