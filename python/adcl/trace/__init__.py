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
    TracedExpectation,
    TracedMeasurement,
    TracedRequest,
)
from adcl.trace._savings import (
    BrokenGuideline,
    HistoryUse,
    Proof,
    Saved,
    SavingsReport,
    SearchedCalls,
    is_savings_report,
    read_savings,
)
from adcl.trace._savings_page import savings_page
from adcl.trace._savings_words import broken_guidelines, gain, history_sentence, outcome, passed, sentence
from adcl.trace._searches import CandidateRow, Key, Trace, TracedRun, TracedSearch
from adcl.trace._words import facts, headline, title, untried

__all__ = [
    "READABLE",
    "SCHEMA",
    "Agreement",
    "BrokenGuideline",
    "CandidateRow",
    "Decision",
    "Drop",
    "End",
    "Entry",
    "Gain",
    "History",
    "HistoryUse",
    "Key",
    "Measurements",
    "Name",
    "Proof",
    "Record",
    "Recording",
    "Reopening",
    "Saved",
    "SavingsReport",
    "SearchedCalls",
    "Trace",
    "TraceError",
    "TracedExpectation",
    "TracedMeasurement",
    "TracedRequest",
    "TracedRun",
    "TracedSearch",
    "broken_guidelines",
    "facts",
    "gain",
    "headline",
    "history_sentence",
    "is_savings_report",
    "outcome",
    "passed",
    "read",
    "read_recording",
    "read_savings",
    "savings_page",
    "sentence",
    "title",
    "trace_page",
    "untried",
]
