"""One run of a program with one configuration, on this machine or as a batch job, and what came of it."""

from adcl.tune.trial._profiler import find_profiler, profiled, take_profile
from adcl.tune.trial._slots import Slot, slots
from adcl.tune.trial._slurm import Submission
from adcl.tune.trial._trial import TrialInterruptedError, TrialOutcome, Trials

__all__ = [
    "Slot",
    "Submission",
    "TrialInterruptedError",
    "TrialOutcome",
    "Trials",
    "find_profiler",
    "profiled",
    "slots",
    "take_profile",
]
