"""Rules for the Intel MPI Library: the variables `I_MPI_ADJUST_...`.

Source: Intel MPI Library Developer Reference for Linux, I_MPI_ADJUST Family Environment Variables, with the tables of
algorithms and the definition of the message size.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

from adcl.knowledge import AlgorithmRule, AlgorithmRules, choose, one_for_all_sizes
from adcl.mpi_libraries._row import RulesExport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from adcl.knowledge import KeptProblem

__all__ = ["ALGORITHMS", "INTEL_RULES"]

ALGORITHMS: dict[str, dict[str, str]] = {
    "allgather": {"Doubling": "1", "Bruck": "2", "Ring": "3"},
    "allgatherv": {"Doubling": "1", "Bruck": "2", "Ring": "3"},
    "allreduce": {"Doubling": "1", "Rabenseifner": "2", "Nonoverlapping": "3", "Ring": "8"},
    "alltoall": {"Bruck": "1", "Linear": "2", "Pairwise": "3"},
    "alltoallv": {"Linear": "1"},
    "barrier": {"Dissemination": "1", "Doubling": "2"},
    "bcast": {"Binomial": "1", "Scatter_doubling": "2", "Scatter_ring": "3"},
    "gather": {"Binomial": "1"},
    "gatherv": {"Linear": "1"},
    "reduce": {"Binomial": "2", "Rabenseifner": "5"},
    "reduce_scatter": {"Halving": "1", "Pairwise": "2", "Reduce_scatter": "4"},
    "scatter": {"Binomial": "1"},
    "scatterv": {"Linear": "1"},
}
_OF_ALL = {"allgatherv", "reduce_scatter"}
"""Operations whose size is the sum of all ranks' blocks."""
_WITHOUT_SIZE = {"alltoallv", "barrier", "gatherv", "scatterv"}


def _condition(choice: AlgorithmRule) -> str:
    ranks = f"{choice.ranks}-{choice.ranks}"
    if choice.operation in _WITHOUT_SIZE or choice.high == math.inf:
        return f"{choice.algorithm}:0-2147483647@{ranks}"
    factor = choice.ranks if choice.operation in _OF_ALL else 1
    return f"{choice.algorithm}:{choice.low * factor}-{int(choice.high) * factor}@{ranks}"


def _intel_rules(
    entries: Iterable[KeptProblem],
    heading: Iterable[str],
    library: Path | None,  # noqa: ARG001 - common signature
) -> tuple[str, AlgorithmRules]:
    """Return the variables as a file to source before programs start, and a summary."""
    choices = one_for_all_sizes(choose(entries, ("Intel(R) MPI Library", "Intel MPI"), ALGORITHMS), _WITHOUT_SIZE)
    lines = [f"# {line}" for line in heading]
    for operation, group in groupby(choices.chosen, lambda one: one.operation):
        lines.append(f"export I_MPI_ADJUST_{operation.upper()}='{';'.join(_condition(one) for one in group)}'")
    return "\n".join(lines) + "\n", choices


INTEL_RULES = RulesExport("intel", "Intel MPI", _intel_rules, ". {file}")
