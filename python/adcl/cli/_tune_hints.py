"""Hints of ``adcl tune run`` after the first run of the defaults."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adcl.tune.study import Session

__all__ = ["Hints"]

_LAUNCH_SHARE = 0.1
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Hints:
    """Observations before the first run."""

    launch_s: float | None
    """Time in seconds to start the ranks of a program that ends at once; None if the objective excludes this time."""

    folder: Path | None
    """Folder of all runs, if all runs have the same folder."""

    files: frozenset[str]
    """Names of the files in the folder."""

    @staticmethod
    def before(session: Session) -> Hints:
        """Examine the launcher and the folder before the study begins."""
        file, trials = session.checked.file, session.trials
        timed = file.objectives[0].measure == "wall" and trials.submission is None
        folder = None if file.preparation.own_folder else (trials.cwd or Path.cwd())
        return Hints(trials.launch_s() if timed else None, folder, _names(folder))

    def lines(self, run_s: float) -> list[str]:
        """Return hints after a run of the defaults that took `run_s` seconds."""
        from adcl.pages import seconds

        hints = []
        if self.launch_s is not None and self.launch_s > _LAUNCH_SHARE * run_s:
            hints.append(
                f"starting the ranks takes {seconds(self.launch_s)} of the run's {seconds(run_s)} "
                f"({self.launch_s / run_s:.0%}), which hides the effect of settings: give the program more work, or "
                "write into the tuning file: [objective] measure = \"output\" and pattern = 'TEXT = ([0-9.]+)' for a "
                'time that it prints, or measure = "mpi"'
            )
        new = sorted(_names(self.folder) - self.files)
        if new:
            names = ", ".join(new[:_SHOWN]) + (f" and {len(new) - _SHOWN} more" if len(new) > _SHOWN else "")
            hints.append(
                f"the run left new files in {self.folder}, which may affect the next runs: {names}; to run each trial "
                "in a separate folder, write into the tuning file: [trial] folder = true"
            )
        return hints


def _names(folder: Path | None) -> frozenset[str]:
    if folder is None:
        return frozenset()
    try:
        return frozenset(path.name for path in folder.iterdir())
    except OSError:
        return frozenset()
