"""Run a program once with one configuration, on this machine or as a batch job."""

from adcl.tune.trial._cases import TrialCase, of_case, run_cases
from adcl.tune.trial._profiler import find_profiler, profiled, run_profiled
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
    "run_profiled",
    "slots",
]
