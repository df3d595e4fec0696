"""Batch jobs of Slurm: the one place that writes options and scripts for sbatch."""

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
    """A job, or an array of equal ones, as sbatch is told of it."""

    name: str
    lines: str
    """What a shell carries out on the first node."""

    ranks: int
    placement: Placement = ANYWHERE
    array: int = 0
    """How many tasks an array has, which are numbered from 1; 0: it is no array."""

    limit_s: float | None = None
    cwd: Path | None = None
    output: Path | None = None
    error: Path | None = None
    options: tuple[str, ...] = ()
    """Further options of sbatch."""

    @property
    def script(self) -> str:
        """The text of the script."""
        return f"#!/bin/sh\n{self.lines}\n"

    @property
    def command(self) -> list[str]:
        """How sbatch is called. It reads the script from its standard input, or from a file that is appended."""
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
