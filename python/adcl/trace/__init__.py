"""What a run of the library wrote to the folder that ``ADCL_TRACE`` names: records, and what they say of each search.

`read` makes a `Trace` of a folder or of one of its files. Nothing is measured or decided here again.
"""

from adcl.trace._read import TraceError, read
from adcl.trace._records import (
    SCHEMA,
    Agreement,
    Decision,
    Drop,
    Entry,
    Name,
    Record,
    Reopening,
    Request,
    TracedMeasurement,
)
from adcl.trace._searches import CandidateRow, Trace, TracedSearch

__all__ = [
    "SCHEMA",
    "Agreement",
    "CandidateRow",
    "Decision",
    "Drop",
    "Entry",
    "Name",
    "Record",
    "Reopening",
    "Request",
    "Trace",
    "TraceError",
    "TracedMeasurement",
    "TracedSearch",
    "read",
]
