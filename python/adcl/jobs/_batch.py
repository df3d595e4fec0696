"""Batch jobs of Slurm: all options and scripts for sbatch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adcl.jobs._placement import ANYWHERE, Placement

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BatchJob"]


@dataclass(frozen=True, slots=True)
class BatchJob:
    """A job, or an array of identical jobs, for sbatch."""

    name: str
    lines: str
    """Shell commands to run on the first node."""

    ranks: int
    placement: Placement = ANYWHERE
    array: int = 0
    """Number of tasks of the array, numbered from 1; 0: not an array."""

    limit_s: float | None = None
    cwd: Path | None = None
    output: Path | None = None
    error: Path | None = None
    options: tuple[str, ...] = ()
    """Additional options of sbatch."""

    @property
    def script(self) -> str:
        """Return the text of the script."""
        return f"#!/bin/sh\n{self.lines}\n"

    @property
    def command(self) -> list[str]:
        """Return the sbatch command line. Append the path of the script, or pass it on standard input."""
        named = {
            "array": f"1-{self.array}" if self.array else None,
            "ntasks": self.ranks,
            "job-name": self.name,
            "output": self.output,
            "error": self.error,
            "time": None if self.limit_s is None else math.ceil(self.limit_s / 60) + 1,
            "ntasks-per-node": self.placement.ranks_per_node,
            "nodes": self.placement.nodes(self.ranks),
            "nodelist": ",".join(self.placement.hosts) or None,
            "chdir": self.cwd,
        }
        words = [f"--{option}={value}" for option, value in named.items() if value is not None]
        return ["sbatch", "--parsable", *words, *self.options]
