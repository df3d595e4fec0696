"""One run of a program with one configuration, on this machine or as a batch job, and what came of it."""

from adcl.tune.trial._cases import TrialCase, of_case, run_cases
from adcl.tune.trial._profiler import find_profiler, profiled, take_profile
from adcl.tune.trial._slots import Slot, slots
from adcl.tune.trial._slurm import Submission
from adcl.tune.trial._trial import TrialInterruptedError, TrialOutcome, Trials

__all__ = [
    "Slot",
    "Submission",
    "TrialCase",
    "TrialInterruptedError",
    "TrialOutcome",
    "Trials",
    "find_profiler",
    "of_case",
    "profiled",
    "run_cases",
    "slots",
    "take_profile",
]
