"""Warning of the commands that time programs on a busy or oversubscribed machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from adcl.launch import job_conditions

if TYPE_CHECKING:
    from adcl.launch import JobConditions, Launcher, Placement

__all__ = ["warn_of_load"]


def warn_of_load(ranks: int, placement: Placement, launcher: Launcher, meaning: str) -> JobConditions | None:
    """Measure the load of this machine; write warnings to standard error if it disturbs the job.

    `meaning` is the consequence for the result. Returns None if the ranks run elsewhere.
    """
    found = job_conditions(ranks, placement, launcher)
    for line in found.warnings(meaning) if found is not None else ():
        sys.stderr.write(f"adcl: warning: {line}\n")
    sys.stderr.flush()
    return found
