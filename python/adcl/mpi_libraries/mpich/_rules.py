"""Rules for MPICH: the JSON file that `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE` names.

The file replaces all of the library's own rules: a program that calls an operation without a rule is ended. Therefore
this module extracts the library's rules, which it embeds as JSON, and inserts the choices of the history before them.

Source: MPICH's documentation of its selection of collective algorithms, and the rules of MPICH 4.0 and 5.0.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adcl.errors import UsageError
from adcl.knowledge import AlgorithmRule, AlgorithmRules, HistoryError, LeftOut, choose, one_for_all_sizes
from adcl.mpi_libraries._row import RulesExport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adcl.knowledge import KeptProblem

__all__ = ["ALGORITHMS", "MPICH_RULES", "embedded_rules"]

ALGORITHMS: dict[str, dict[str, str]] = {
    "allgather": {"Bruck": "brucks", "Doubling": "recursive_doubling", "Ring": "ring"},
    "allgatherv": {"Bruck": "brucks", "Doubling": "recursive_doubling", "Ring": "ring"},
    "allreduce": {"Doubling": "recursive_doubling", "Rabenseifner": "reduce_scatter_allgather"},
    "alltoall": {"Bruck": "brucks", "Pairwise": "pairwise", "Linear": "scattered"},
    "barrier": {"Dissemination": "dissemination"},
    "bcast": {
        "Binomial": "binomial",
        "Scatter_doubling": "scatter_recursive_doubling_allgather",
        "Scatter_ring": "scatter_ring_allgather",
    },
    "reduce": {"Binomial": "binomial", "Rabenseifner": "reduce_scatter_gather"},
    "reduce_scatter": {"Halving": "recursive_halving", "Pairwise": "pairwise"},
    "reduce_scatter_block": {"Halving": "recursive_halving", "Pairwise": "pairwise"},
}
"""Algorithms of MPICH 4 and 5. Gather, scatter and scans have only one algorithm."""

_AVERAGE, _TOTAL = "avg_msg_size", "total_msg_size"
_SIZES = {
    **dict.fromkeys(("allreduce", "alltoall", "bcast", "reduce"), _AVERAGE),
    **dict.fromkeys(("allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block"), _TOTAL),
}
"""Properties that MPICH's conditions can test."""
_WITHOUT_SIZE = {"barrier"}
_COMMUTATIVE = "is_commutative"
_NOT_IN_PLACE = "is_sendbuf_inplace"

Tree = dict[str, Any]


def embedded_rules(library: Path) -> Tree:
    """Return the rules embedded in an MPICH; `library` is its shared library."""
    try:
        content = library.read_bytes()
    except OSError as error:
        raise HistoryError(f"{library}: {error.strerror}") from error
    for found in re.finditer(rb'\{\s*"collective=', content):
        text = content[found.start() : content.find(b"\0", found.start())]
        try:
            tree = json.loads(text)
        except ValueError:
            continue
        # Other embedded rules belong to another layer or cover few operations.
        if isinstance(tree, dict) and b"MPIR_Allreduce_intra_" in text and "collective=iallreduce" in tree:
            return tree
    raise HistoryError(
        f"{library} contains no rules for the selection of algorithms; name libmpich.so or libmpi.so of MPICH 4 or 5"
    )


def _find_library() -> Path | None:
    """Return the shared library of the MPICH whose programs are in PATH, or None."""
    program = shutil.which("mpichversion")
    if program is None:
        return None
    prefix = Path(program).resolve().parent.parent
    found = [*prefix.glob("lib*/libmpich.so*"), *prefix.glob("lib*/*/libmpich.so*"), *prefix.glob("lib*/libmpi.so*")]
    return found[0] if found else None


def _algorithm_of(choice: AlgorithmRule) -> str:
    return f"MPIR_{choice.operation.capitalize()}_intra_{choice.algorithm}"


def _with_fallback(choice: AlgorithmRule, own: Tree) -> Tree:
    """Return rules that use the algorithm if it is applicable, and the library's own rules otherwise."""
    leaf: Tree = {f"algorithm={_algorithm_of(choice)}": {}}
    if choice.algorithm.startswith("reduce_scatter_"):
        # Each number of processes requires its own entry.
        leaf = {"count<pow2": own, "count=any": leaf}
    if choice.operation.startswith("reduce_scatter") or choice.algorithm.startswith("reduce_scatter_"):
        leaf = {f"{_COMMUTATIVE}=yes": leaf, f"{_COMMUTATIVE}=no": own}
    if choice.operation == "alltoall":
        leaf = {f"{_NOT_IN_PLACE}=no": leaf, f"{_NOT_IN_PLACE}=yes": own}
    return leaf


def _by_size(choices: list[AlgorithmRule], own: Tree) -> Tree:
    """Return the rules for one number of processes; MPICH tests keys in order."""
    operation, ranks = choices[0].operation, choices[0].ranks
    if operation in _WITHOUT_SIZE:
        return _with_fallback(choices[0], own)
    size = _SIZES[operation]
    factor = ranks if size == _TOTAL else 1
    tree: Tree = {}
    covered = -1
    for choice in choices:
        if covered < choice.low * factor - 1:
            tree[f"{size}<={choice.low * factor - 1}"] = own
        covered = int(choice.high + 1) * factor - 1 if choice.high < math.inf else covered
        tree[f"{size}<={covered}"] = _with_fallback(choice, own)
    tree[f"{size}=any"] = own
    return tree


def _by_ranks(choices: list[AlgorithmRule], own: Tree) -> Tree:
    tree: Tree = {}
    covered = 0
    for ranks, group in groupby(choices, lambda one: one.ranks):
        if covered < ranks - 1:
            tree[f"comm_size<={ranks - 1}"] = own
        tree[f"comm_size<={ranks}"] = _by_size(list(group), own)
        covered = ranks
    tree["comm_size=any"] = own
    return tree


def _mpich_rules(
    entries: Iterable[KeptProblem],
    heading: Iterable[str],  # noqa: ARG001 - JSON has no comments
    library: Path | None,
) -> tuple[str, AlgorithmRules]:
    """Return the text of a rules file, and its summary: the rules embedded in `library`, preceded by the choices."""
    if library is None:
        raise UsageError("--library is missing: name libmpich.so, or libmpi.so, of the MPICH that will read the rules")
    choices = one_for_all_sizes(choose(entries, ("MPICH",), ALGORITHMS), _WITHOUT_SIZE)
    rules = embedded_rules(library)
    names = library.read_bytes()
    chosen: list[AlgorithmRule] = []
    left_out = list(choices.left_out)
    for one in choices.chosen:
        if _algorithm_of(one).encode() in names and "comm_type=intra" in rules.get(f"collective={one.operation}", {}):
            chosen.append(one)
        else:
            name = f"{one.operation} on {one.ranks} ranks"
            left_out.append(LeftOut(name, f"{library.name} has no {_algorithm_of(one)}"))
    for operation, group in groupby(chosen, lambda one: one.operation):
        of_operation = rules[f"collective={operation}"]
        of_operation["comm_type=intra"] = _by_ranks(list(group), of_operation["comm_type=intra"])
    return json.dumps(rules, indent=1) + "\n", replace(choices, chosen=tuple(chosen), left_out=tuple(left_out))


MPICH_RULES = RulesExport(
    "mpich",
    "MPICH",
    _mpich_rules,
    "export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={file}",
    needs="libmpich.so, or libmpi.so",
    find_library=_find_library,
)
