"""Traces, the records in the folder of ``ADCL_TRACE``, and the searches that they describe.

`read` returns the `Trace` of a folder or of one of its files; `read_recording` adds the measurements of all ranks. This
package measures and decides nothing. `read_savings` reads the report of libadcl-interpose.
"""

from adcl.trace._columns import Measurements
from adcl.trace._page import trace_page
from adcl.trace._read import Recording, TraceError, read, read_recording
from adcl.trace._records import (
    READABLE,
    SCHEMA,
    Agreement,
    Decision,
    Drop,
    End,
    Entry,
    Gain,
    History,
    Name,
    Record,
    Reopening,
    Request,
    TracedExpectation,
    TracedMeasurement,
)
from adcl.trace._savings import Saved, SavingsReport, SearchedCalls, is_savings_report, read_savings
from adcl.trace._savings_words import outcome, sentence
from adcl.trace._searches import CandidateRow, Key, Trace, TracedRun, TracedSearch
from adcl.trace._words import facts, headline, title, untried

__all__ = [
    "READABLE",
    "SCHEMA",
    "Agreement",
    "CandidateRow",
    "Decision",
    "Drop",
    "End",
    "Entry",
    "Gain",
    "History",
    "Key",
    "Measurements",
    "Name",
    "Record",
    "Recording",
    "Reopening",
    "Request",
    "Saved",
    "SavingsReport",
    "SearchedCalls",
    "Trace",
    "TraceError",
    "TracedExpectation",
    "TracedMeasurement",
    "TracedRun",
    "TracedSearch",
    "facts",
    "headline",
    "is_savings_report",
    "outcome",
    "read",
    "read_recording",
    "read_savings",
    "sentence",
    "title",
    "trace_page",
    "untried",
]
