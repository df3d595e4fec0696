"""The warning that commands print before they time anything on a busy or oversubscribed machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from adcl.launch import job_conditions

if TYPE_CHECKING:
    from adcl.launch import JobConditions, Launcher, Placement

__all__ = ["warn_of_load"]


def warn_of_load(ranks: int, placement: Placement, launcher: Launcher, meaning: str) -> JobConditions | None:
    """Measure what else uses the cores of this machine; write warnings to standard error where that disturbs the job.

    `meaning` says what follows for the result. Returns None where the ranks run elsewhere.
    """
    found = job_conditions(ranks, placement, launcher)
    for line in found.warnings(meaning) if found is not None else ():
        sys.stderr.write(f"adcl: warning: {line}\n")
    sys.stderr.flush()
    return found
