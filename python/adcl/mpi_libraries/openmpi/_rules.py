"""Rules for Open MPI's component `tuned`: the file that `coll_tuned_dynamic_rules_filename` names.

Open MPI 6 reads JSON as well as the format of earlier versions. In JSON, each rule has both limits of its range, and
calls outside of all ranges are left to the library.

Sources: Open MPI's documentation on tuning collectives; `ompi_info --param coll tuned --level 9` of Open MPI
4.1.4 and 5.0 for the numbers of algorithms; for JSON, the schema `OpenMPITunedRules` and the reader
`coll_tuned_dynamic_file.c` of the branch for Open MPI 6.
"""

from __future__ import annotations

import json
import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from adcl.knowledge import AlgorithmRule, AlgorithmRules, choose, one_for_all_sizes
from adcl.mpi_libraries._row import RulesExport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from adcl.knowledge import KeptProblem

__all__ = ["ALGORITHMS", "OPEN_MPI_4_RULES", "OPEN_MPI_5_RULES", "OPEN_MPI_6_RULES"]

_OPERATIONS = {
    "allgather": 0,
    "allgatherv": 1,
    "allreduce": 2,
    "alltoall": 3,
    "alltoallv": 4,
    "barrier": 6,
    "bcast": 7,
    "exscan": 8,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter": 12,
    "reduce_scatter_block": 13,
    "scan": 14,
    "scatter": 15,
}
_OF_ALL = {"allgather", "alltoall", "gather", "reduce_scatter", "reduce_scatter_block", "scatter"}
"""Operations whose rules use the sum of all ranks' blocks as size; allgatherv uses their mean."""
_WITHOUT_SIZE = {"alltoallv", "barrier"}
"""Operations whose rules depend only on the number of processes."""

ALGORITHMS: dict[str, dict[str, str]] = {
    "allgather": {
        "Gather_bcast": "1 0 0",
        "Bruck": "2 0 0",
        "Doubling": "3 0 0",
        "Ring": "4 0 0",
        "Neighbor_exchange": "5 0 0",
    },
    "allgatherv": {"Gather_bcast": "1 0 0", "Bruck": "2 0 0", "Ring": "3 0 0", "Neighbor_exchange": "4 0 0"},
    "allreduce": {
        "Linear": "1 0 0",
        "Nonoverlapping": "2 0 0",
        "Doubling": "3 0 0",
        "Ring": "4 0 0",
        "Rabenseifner": "6 0 0",
    },
    "alltoall": {"Linear": "1 0 0", "Pairwise": "2 0 0", "Bruck": "3 0 0", "Linear_sync": "4 0 0"},
    "alltoallv": {"Linear": "1 0 0", "Pairwise": "2 0 0"},
    "barrier": {"Linear": "1 0 0", "Doubling": "3 0 0", "Dissemination": "4 0 0", "Binomial": "6 0 0"},
    "bcast": {
        "Linear": "1 0 0",
        "Chain_8k": "3 1 8192",
        "Chain_64k": "3 1 65536",
        "Binary_8k": "5 0 8192",
        "Binary_64k": "5 0 65536",
        "Binomial": "6 0 0",
        "Binomial_32k": "6 0 32768",
        "Knomial_4": "7 0 0",
        "Scatter_doubling": "8 0 0",
        "Scatter_ring": "9 0 0",
    },
    "exscan": {"Chain": "1 0 0", "Doubling": "2 0 0"},
    "gather": {"Linear": "1 0 0", "Binomial": "2 0 0"},
    "reduce": {
        "Linear": "1 0 0",
        "Chain_32k": "3 1 32768",
        "Binary_32k": "4 0 32768",
        "Binomial": "5 0 0",
        "Binomial_32k": "5 0 32768",
        "Rabenseifner": "7 0 0",
    },
    "reduce_scatter": {"Reduce_scatter": "1 0 0", "Halving": "2 0 0", "Ring": "3 0 0"},
    "reduce_scatter_block": {"Reduce_scatter": "1 0 0", "Halving": "3 0 0"},
    "scan": {"Chain": "1 0 0", "Doubling": "2 0 0"},
    "scatter": {"Linear_1": "1 0 0", "Binomial": "2 0 0", "Linear": "3 0 0"},
}
"""Algorithm, fan-out and segment bytes of a rule, by operation and codelet.

Open MPI's linear allgather consists of a gather and a broadcast, and its linear scatter sends one message after the
other; `pipeline` is a chain with one child. Its k-nomial tree has radix 4 unless
`coll_tuned_bcast_algorithm_knomial_radix` is set.
"""
_NONE = "0 0 0"
"""Algorithm, fan-out and segment bytes for the library's own choice."""


def _lines_of_size(choices: list[AlgorithmRule]) -> list[str]:
    """Return the rules for one operation and number of processes; the first begins at size 0."""
    operation, ranks = choices[0].operation, choices[0].ranks
    if operation in _WITHOUT_SIZE:
        return [f"0 {choices[0].algorithm}  # {', '.join(choices[0].codelets)}"]
    factor = ranks if operation in _OF_ALL else 1
    lines, covered = [], 0
    for choice in choices:
        first = choice.low * factor
        if covered < first:
            lines.append(f"{covered} {_NONE}")
        lines.append(f"{first} {choice.algorithm}  # {', '.join(choice.codelets)}")
        covered = (int(choice.high) + 1) * factor if choice.high < math.inf else 0
    return [*lines, f"{covered} {_NONE}"] if covered else lines


def _lines_of_operation(choices: list[AlgorithmRule]) -> list[str]:
    """Return the lines of an operation; communicators of other sizes are left to the library."""
    by_ranks = {ranks: list(group) for ranks, group in groupby(choices, lambda one: one.ranks)}
    sections: list[list[str]] = []
    for ranks, group in by_ranks.items():
        rules = _lines_of_size(group)
        sections.append([f"{ranks}  # processes", f"{len(rules)}  # sizes", *rules])
        if ranks + 1 not in by_ranks:
            sections.append([f"{ranks + 1}  # processes and more", "1  # size", f"0 {_NONE}"])
    operation = choices[0].operation
    return [
        f"{_OPERATIONS[operation]}  # {operation}",
        f"{len(sections)}  # numbers of processes",
        *(line for section in sections for line in section),
    ]


def _rules(entries: Iterable[KeptProblem], heading: Iterable[str], version: str) -> tuple[str, AlgorithmRules]:
    choices = one_for_all_sizes(choose(entries, (version,), ALGORITHMS), _WITHOUT_SIZE)
    in_order = sorted(choices.chosen, key=lambda one: (_OPERATIONS[one.operation], one.ranks, one.low))
    groups = [list(group) for _, group in groupby(in_order, lambda one: one.operation)]
    lines = [f"# {line}" for line in heading]
    lines.append(f"{len(groups)}  # operations; of a rule: bytes, algorithm, fan-out, bytes of a segment")
    for group in groups:
        lines += _lines_of_operation(group)
    return "\n".join(lines) + "\n", choices


def _openmpi4_rules(
    entries: Iterable[KeptProblem],
    heading: Iterable[str],
    library: Path | None,  # noqa: ARG001 - common signature
) -> tuple[str, AlgorithmRules]:
    """Return the rules in Open MPI 4's format, and a summary; `heading` becomes comments."""
    return _rules(entries, heading, "Open MPI 4")


def _openmpi5_rules(
    entries: Iterable[KeptProblem],
    heading: Iterable[str],
    library: Path | None,  # noqa: ARG001 - common signature
) -> tuple[str, AlgorithmRules]:
    """Return the rules for Open MPI 5, which uses the same format and numbers."""
    return _rules(entries, heading, "Open MPI 5")


def _json_rule(choice: AlgorithmRule) -> dict[str, int]:
    """Return the rule for one range of sizes; the library's sizes are inclusive."""
    algorithm, fan_out, segment = (int(word) for word in choice.algorithm.split())
    rule: dict[str, int] = {}
    if choice.operation not in _WITHOUT_SIZE:
        factor = choice.ranks if choice.operation in _OF_ALL else 1
        rule["msg_size_min"] = choice.low * factor
        if choice.high < math.inf:
            rule["msg_size_max"] = (int(choice.high) + 1) * factor - 1
    return {**rule, "alg": algorithm, "faninout": fan_out, "seg_size": segment}


def _openmpi6_rules(
    entries: Iterable[KeptProblem],
    heading: Iterable[str],  # noqa: ARG001 - JSON has no comments
    library: Path | None,  # noqa: ARG001 - common signature
) -> tuple[str, AlgorithmRules]:
    """Return the rules in Open MPI 6's JSON format, and a summary."""
    choices = one_for_all_sizes(choose(entries, ("Open MPI 6",), ALGORITHMS), _WITHOUT_SIZE)
    in_order = sorted(choices.chosen, key=lambda one: (_OPERATIONS[one.operation], one.ranks, one.low))
    collectives: dict[str, list[dict[str, Any]]] = {}
    for (operation, ranks), group in groupby(in_order, lambda one: (one.operation, one.ranks)):
        rules = [_json_rule(one) for one in group]
        collectives.setdefault(operation, []).append({"comm_size_min": ranks, "comm_size_max": ranks, "rules": rules})
    document = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return json.dumps(document, indent=1) + "\n", choices


_TUNED = "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {file}"

OPEN_MPI_4_RULES = RulesExport("openmpi", "Open MPI 4", _openmpi4_rules, f"mpirun {_TUNED} …", versions="4")

# Component `han` has priority over `tuned` if a communicator spans nodes.
OPEN_MPI_5_RULES = RulesExport("openmpi5", "Open MPI 5", _openmpi5_rules, f"mpirun --mca coll ^han {_TUNED} …")

OPEN_MPI_6_RULES = RulesExport("openmpi6", "Open MPI 6", _openmpi6_rules, f"mpirun --mca coll ^han {_TUNED} …")
