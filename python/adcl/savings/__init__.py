"""The report of `libadcl-interpose`: what a run of any program saved in its collective calls."""

from adcl.savings._read import Saved, SavingsReport, SearchedCalls, is_savings_report, read_savings
from adcl.savings._words import outcome, sentence

__all__ = [
    "Saved",
    "SavingsReport",
    "SearchedCalls",
    "is_savings_report",
    "outcome",
    "read_savings",
    "sentence",
]
