"""``adcl history export --for``: results on collectives as rules of MPI libraries, read as the libraries read them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from history_support import collective_document, history_of

from adcl.errors import UsageError
from adcl.knowledge import HistoryError
from adcl.knowledge._records import entry_of
from adcl.mpi_libraries import rules_for, rules_formats

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    from adcl.knowledge import KeptProblem
    from adcl.mpi_libraries import LibraryRules

    Adcl = Callable[..., Ended]

_FAMILIES = {
    "openmpi": "Open MPI",
    "openmpi5": "Open MPI",
    "openmpi6": "Open MPI",
    "mpich": "MPICH",
    "intel": "Intel(R) MPI Library",
}


def _entry(*arguments: Any, **settings: Any) -> KeptProblem:
    return entry_of(collective_document(*arguments, **settings), "here")


def _rules(target: str, *entries: KeptProblem, library: Path | None = None) -> LibraryRules:
    return rules_for(target, entries, file="rules", source="history", library=library)


def _left_out(rules: LibraryRules) -> list[str]:
    return [f"{one.problem}: {one.reason}" for one in rules.choices.left_out]


# ---- Open MPI --------------------------------------------------------------------------------------------------------


def _openmpi_rule(text: str, operation: int, ranks: int, size: int) -> tuple[int, ...]:
    """Return the rule that Open MPI selects: the largest number of processes, then of bytes, not above the request."""
    numbers = iter([int(word) for line in text.splitlines() for word in line.partition("#")[0].split()])
    found: tuple[int, ...] = (0, 0, 0)
    for _ in range(next(numbers)):
        this = next(numbers)
        best: list[tuple[int, ...]] = []
        for _ in range(next(numbers)):
            of_ranks = next(numbers)
            rules = [tuple(next(numbers) for _ in range(4)) for _ in range(next(numbers))]
            assert rules[0][0] == 0, "the first rule must be for 0 bytes"
            assert [rule[0] for rule in rules] == sorted({rule[0] for rule in rules})
            if of_ranks <= ranks:
                best = rules
        if this == operation:
            found = next((rule[1:] for rule in reversed(best) if rule[0] <= size), found)
    assert next(numbers, None) is None
    return found


def test_rules_of_open_mpi_apply_around_measured_sizes() -> None:
    text = _rules(
        "openmpi",
        _entry("bcast", 4, 64, "Binomial"),
        _entry("bcast", 4, 1024, "Chain_8k"),
        _entry("bcast", 4, 65536, "Native"),
        _entry("bcast", 8, 64, "Knomial_4"),
    ).text
    bcast = 7
    # From a quarter of the size up to the geometric mean with the next size.
    assert _openmpi_rule(text, bcast, 4, 15) == (0, 0, 0)
    assert _openmpi_rule(text, bcast, 4, 16) == (6, 0, 0)
    assert _openmpi_rule(text, bcast, 4, 256) == (6, 0, 0)
    assert _openmpi_rule(text, bcast, 4, 257) == (3, 1, 8192)
    assert _openmpi_rule(text, bcast, 4, 4096) == (3, 1, 8192)
    assert _openmpi_rule(text, bcast, 4, 4097) == (0, 0, 0)
    assert _openmpi_rule(text, bcast, 4, 65536) == (0, 0, 0)
    # Other numbers of processes are left to the library.
    assert _openmpi_rule(text, bcast, 3, 64) == (0, 0, 0)
    assert _openmpi_rule(text, bcast, 5, 64) == (0, 0, 0)
    assert _openmpi_rule(text, bcast, 8, 64) == (7, 0, 0)
    assert _openmpi_rule(text, bcast, 9, 64) == (0, 0, 0)
    assert _openmpi_rule(text, 3, 4, 64) == (0, 0, 0)


def test_sizes_follow_the_definition_of_the_library() -> None:
    text = _rules(
        "openmpi",
        _entry("alltoall", 4, 100, "Bruck"),
        _entry("allgatherv", 4, 100, "Ring"),
        _entry("alltoallv", 4, 100, "Pairwise"),
        _entry("barrier", 4, 0, "Dissemination"),
    ).text
    # Total of a rank's blocks; average block; no size.
    assert [_openmpi_rule(text, 3, 4, size)[0] for size in (99, 100, 1603, 1604)] == [0, 3, 3, 0]
    assert [_openmpi_rule(text, 1, 4, size)[0] for size in (24, 25, 400, 401)] == [0, 3, 3, 0]
    assert _openmpi_rule(text, 4, 4, 0) == (2, 0, 0)
    assert _openmpi_rule(text, 6, 4, 0) == (4, 0, 0)


def test_each_version_of_open_mpi_has_separate_results() -> None:
    entry = _entry("bcast", 4, 64, "Binomial")
    newer = replace(entry, features={**entry.features, "mpi_version": "5.0.11"})
    assert _left_out(_rules("openmpi", newer)) == ["bcast of 64 bytes on 4 ranks: measured with Open MPI 5"]
    assert _left_out(_rules("openmpi5", entry)) == ["bcast of 64 bytes on 4 ranks: measured with Open MPI 4"]
    assert _openmpi_rule(_rules("openmpi5", newer).text, 7, 4, 64) == (6, 0, 0)


def _openmpi6_rule(text: str, operation: str, ranks: int, size: int) -> tuple[int, ...]:
    """Return the rule that Open MPI 6 selects: the first that matches, with the fields that its reader knows."""
    document = json.loads(text)
    assert list(document) == ["rule_file_version", "module", "collectives"]
    assert (document["rule_file_version"], document["module"]) == (3, "tuned")
    for of_ranks in document["collectives"].get(operation, []):
        assert set(of_ranks) == {"comm_size_min", "comm_size_max", "rules"}
        if not of_ranks["comm_size_min"] <= ranks <= of_ranks["comm_size_max"]:
            continue
        for rule in of_ranks["rules"]:
            assert set(rule) <= {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size"}
            if rule.get("msg_size_min", 0) <= size <= rule.get("msg_size_max", 2**63):
                return rule["alg"], rule["faninout"], rule["seg_size"]
        break
    return 0, 0, 0


def test_open_mpi_6_has_the_same_rules_in_json() -> None:
    entries = [
        _entry("bcast", 4, 64, "Binomial"),
        _entry("bcast", 4, 1024, "Chain_8k"),
        _entry("bcast", 4, 65536, "Native"),
        _entry("bcast", 8, 64, "Knomial_4"),
        _entry("alltoall", 4, 100, "Bruck"),
        _entry("allgatherv", 4, 100, "Ring"),
        _entry("alltoallv", 4, 100, "Pairwise"),
        _entry("barrier", 4, 0, "Dissemination"),
        _entry("reduce_scatter_block", 4, 64, "Halving"),
    ]
    older = _rules("openmpi", *entries).text
    newer = [replace(one, features={**one.features, "mpi_version": "6.0.0"}) for one in entries]
    rules = _rules("openmpi6", *newer)
    numbers = {"allgatherv": 1, "alltoall": 3, "alltoallv": 4, "barrier": 6, "bcast": 7, "reduce_scatter_block": 13}
    for operation, number in numbers.items():
        for ranks in (1, 3, 4, 5, 8, 9):
            for size in (0, 15, 16, 24, 25, 64, 99, 100, 256, 257, 400, 401, 1603, 1604, 4096, 4097, 65536, 1 << 40):
                expected = _openmpi_rule(older, number, ranks, size)
                assert _openmpi6_rule(rules.text, operation, ranks, size) == expected, (operation, ranks, size)
    assert len(rules.choices.chosen) == 8
    assert _left_out(_rules("openmpi6", entries[0])) == ["bcast of 64 bytes on 4 ranks: measured with Open MPI 4"]
    assert json.loads(_rules("openmpi6").text)["collectives"] == {}


def test_results_of_programs_under_the_interposer_count() -> None:
    with_arrays = _entry("bcast", 4, 64, "Binomial", use="start_with", decided="2026-11-24T10:00:00Z")
    assert _openmpi_rule(_rules("openmpi", with_arrays).text, 7, 4, 64) == (6, 0, 0)
    # The later one of two results for one problem counts.
    both = replace(with_arrays, decisions={**with_arrays.decisions, **_entry("bcast", 4, 64, "Linear").decisions})
    assert _openmpi_rule(_rules("openmpi", both).text, 7, 4, 64) == (6, 0, 0)
    asynchronous = _entry("bcast", 4, 64, "Binomial", use="init and wait")
    assert _rules("openmpi", asynchronous).choices.chosen == ()


def test_empty_history_yields_rules_without_effect() -> None:
    rules = _rules("openmpi")
    assert _openmpi_rule(rules.text, 7, 4, 64) == (0, 0, 0)
    assert rules.choices.chosen == ()


def test_winner_without_counterpart_is_replaced_by_the_fastest_that_has_one() -> None:
    times = {"Native": 3e-6, "Shm_Linear": 1e-6, "Ring": 2.5e-6, "Bruck": 2e-6}
    rules = _rules("openmpi", _entry("allgather", 4, 64, "Shm_Linear", times))
    assert [one.codelets for one in rules.choices.chosen] == [("Bruck",)]
    assert _left_out(rules) == [], "what has a substitute is not left out"
    assert [(one.problem, one.codelet, one.reason) for one in rules.choices.substitutes] == [
        (
            "allgather of 64 bytes on 4 ranks",
            "Bruck",
            "the library has no algorithm that corresponds to the winner Shm_Linear",
        )
    ]
    # No rule if the library's own choice is faster.
    rules = _rules("openmpi", _entry("allgather", 4, 64, "Shm_Linear", {**times, "Native": 1.5e-6}))
    assert rules.choices.chosen == ()
    assert _left_out(rules) == [
        "allgather of 64 bytes on 4 ranks: the library has no algorithm that corresponds to the winner Shm_Linear"
    ]


def _measured(entry: KeptProblem, **numbers: tuple[float, float]) -> KeptProblem:
    """Return the entry with other numbers of measurements and spreads, by codelet."""
    decision = entry.decisions["start"]
    estimates = tuple(
        replace(one, measurements=numbers[one.codelet][0], spread_s=numbers[one.codelet][1])
        if one.codelet in numbers
        else one
        for one in decision.estimates
    )
    return replace(entry, decisions={"start": replace(decision, estimates=estimates)})


def test_a_rule_requires_a_measured_gain() -> None:
    """Two measurements, 40 us compared with 114 ms, do not justify a rule."""
    times = {"Native": 114e-3, "Binomial": 40e-6, "Chain_8k": 50e-6}
    entry = _entry("bcast", 4, 64, "Binomial", times)
    name = "bcast of 64 bytes on 4 ranks"
    too_few = _rules("openmpi", _measured(entry, Native=(2, 0.1), Binomial=(2, 0.0), Chain_8k=(2, 0.0)))
    assert too_few.choices.chosen == ()
    assert _left_out(too_few) == [f"{name}: Binomial has 2 of the 6 samples that a rule requires"]
    native = _rules("openmpi", _measured(entry, Native=(1, 0.0)))
    assert _left_out(native) == [f"{name}: the library's own choice has 1 of the 6 samples that a rule requires"]
    noisy = _rules("openmpi", _measured(entry, Native=(10, 0.4)))
    assert noisy.choices.chosen == ()
    within = "is not significantly faster than the library's own choice"
    assert _left_out(noisy) == [f"{name}: Binomial {within}"]
    # A codelet with enough measurements replaces the winner.
    second = _rules("openmpi", _measured(entry, Binomial=(2, 0.0)))
    assert [one.codelets for one in second.choices.chosen] == [("Chain_8k",)]
    assert _left_out(second) == []
    assert second.choices.substitutes[0].reason == "Binomial has 2 of the 6 samples that a rule requires"


def test_without_a_rule_there_are_no_instructions(adcl: Adcl, tmp_path: Path) -> None:
    folder = history_of(tmp_path / "history", collective_document("bcast", 4, 64, "Native", {"Native": 1e-6}))
    ended = adcl("history", "export", "rules", "--for", "openmpi", "--folder", str(folder))
    assert ended.code == 0, ended.err
    assert ended.out.splitlines() == [
        "no rule for 1 problem: Open MPI 4's own choice is the fastest",
        "no rules for Open MPI 4: rules has no effect",
    ]
    assert _openmpi_rule((tmp_path / "rules").read_text(), 7, 4, 64) == (0, 0, 0)


def test_omitted_problems_are_reported() -> None:
    rules = _rules(
        "openmpi",
        _entry("allreduce", 4, 64, "Ring", family="MPICH"),
        _entry("gatherv", 4, 64, "Linear"),
        _entry("bcast", 4, 64, "Binomial", use="init and wait"),
        _entry("alltoallv", 4, 64, "Linear"),
        _entry("alltoallv", 4, 65536, "Pairwise"),
        _entry("reduce", 4, 64, "Linear"),
        _entry("reduce", 4, 64, "Binomial", decided="2026-11-24T10:00:00Z"),
        _entry("scan", 4, 64, "Native"),
    )
    assert sorted(_left_out(rules)) == [
        "allreduce of 64 bytes on 4 ranks: measured with MPICH 4",
        (
            "alltoallv on 4 ranks: the best algorithm depends on the size, "
            "but the library's rules for this operation do not"
        ),
        "bcast of 64 bytes on 4 ranks: measured only with non-blocking calls",
        "gatherv of 64 bytes on 4 ranks: the library's rules do not support this operation",
        "reduce of 64 bytes on 4 ranks: in a later program, Binomial was the fastest",
    ]
    assert [one.codelets for one in rules.choices.chosen] == [("Binomial",)]
    assert rules.choices.kept == 1


# ---- Intel MPI -------------------------------------------------------------------------------------------------------


def test_variables_of_intel_mpi() -> None:
    rules = _rules(
        "intel",
        _entry("allreduce", 4, 64, "Doubling", family=_FAMILIES["intel"]),
        _entry("allreduce", 4, 65536, "Ring", family=_FAMILIES["intel"]),
        _entry("allreduce", 8, 64, "Rabenseifner", family=_FAMILIES["intel"]),
        _entry("barrier", 4, 0, "Dissemination", family=_FAMILIES["intel"]),
    )
    lines = [line for line in rules.text.splitlines() if not line.startswith("#")]
    assert lines == [
        "export I_MPI_ADJUST_ALLREDUCE='1:16-256@4-4;8:16384-262144@4-4;2:16-256@8-8'",
        "export I_MPI_ADJUST_BARRIER='1:0-2147483647@4-4'",
    ]


# ---- MPICH -----------------------------------------------------------------------------------------------------------

_OWN: dict[str, Any] = {
    "collective=allgather": {
        "comm_type=intra": {"algorithm=own_allgather": {}},
        "comm_type=inter": {"algorithm=x": {}},
    },
    "collective=alltoall": {"comm_type=intra": {"algorithm=own_alltoall": {}}},
    "collective=allreduce": {"comm_type=intra": {"algorithm=MPIR_Allreduce_intra_smp": {}}},
    "collective=iallreduce": {"comm_type=intra": {"algorithm=y": {}}},
}


@pytest.fixture
def mpich_library(tmp_path: Path) -> Path:
    """Return the relevant contents of MPICH's shared library: its rules as text, and names of algorithms."""
    other: dict[str, Any] = {"collective=bcast": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}
    names = b"MPIR_Allgather_intra_ring\0MPIR_Alltoall_intra_brucks\0MPIR_Allreduce_intra_reduce_scatter_allgather\0"
    path = tmp_path / "libmpich.so.12"
    path.write_bytes(b"\x7fELF\0" + json.dumps(other).encode() + b"\0" + json.dumps(_OWN).encode() + b"\0" + names)
    return path


def _mpich_algorithm(tree: dict[str, Any], call: dict[str, Any]) -> str:
    """Return MPICH's selection: the first key that holds is followed."""
    for key, below in tree.items():
        if key.startswith("algorithm="):
            return key.removeprefix("algorithm=")
        name, comparison, value = re.fullmatch(r"(\w+?)(<=|=|<)(\w+)", key).groups()  # type: ignore[union-attr]
        holds = value == "any" or (call[name] <= int(value) if comparison == "<=" else call.get(name) == value)
        if comparison == "<" and value == "pow2":
            holds = call["count"] < call["comm_size"]
        if holds:
            return _mpich_algorithm(below, call)
    raise AssertionError("no key holds, which ends the program in MPICH")


def test_exported_rules_precede_the_rules_of_mpich(mpich_library: Path) -> None:
    rules = _rules(
        "mpich",
        _entry("allgather", 4, 64, "Ring", family="MPICH"),
        _entry("alltoall", 4, 64, "Bruck", family="MPICH"),
        _entry("allreduce", 4, 64, "Rabenseifner", family="MPICH"),
        _entry("allreduce", 2, 64, "Doubling", family="MPICH"),
        library=mpich_library,
    )
    tree = json.loads(rules.text)
    assert tree["collective=allgather"]["comm_type=inter"] == {"algorithm=x": {}}
    assert tree["collective=iallreduce"] == _OWN["collective=iallreduce"]

    def found(operation: str, **call: Any) -> str:
        below = tree[f"collective={operation}"]["comm_type=intra"]
        call = {"comm_size": 4, "is_sendbuf_inplace": "no", "is_commutative": "yes", "count": 99, **call}
        return _mpich_algorithm(below, call)

    ring = "MPIR_Allgather_intra_ring"
    assert [found("allgather", total_msg_size=size) for size in (63, 64, 1027, 1028)] == [
        *("own_allgather", ring),
        *(ring, "own_allgather"),
    ]
    assert found("allgather", comm_size=3, total_msg_size=256) == "own_allgather"
    assert found("allgather", comm_size=5, total_msg_size=256) == "own_allgather"
    assert found("alltoall", avg_msg_size=64) == "MPIR_Alltoall_intra_brucks"
    assert found("alltoall", avg_msg_size=64, is_sendbuf_inplace="yes") == "own_alltoall"
    combined, own = "MPIR_Allreduce_intra_reduce_scatter_allgather", "MPIR_Allreduce_intra_smp"
    assert found("allreduce", avg_msg_size=64) == combined
    assert found("allreduce", avg_msg_size=64, is_commutative="no") == own
    assert found("allreduce", avg_msg_size=64, count=3) == own
    assert _left_out(rules) == ["allreduce on 2 ranks: libmpich.so.12 has no MPIR_Allreduce_intra_recursive_doubling"]


def test_mpich_rules_require_its_library(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--library"):
        _rules("mpich")
    (tmp_path / "libm.so").write_bytes(b"nothing")
    with pytest.raises(HistoryError, match="contains no rules"):
        _rules("mpich", library=tmp_path / "libm.so")
    with pytest.raises(HistoryError, match="No such file"):
        _rules("mpich", library=tmp_path / "none.so")


# ---- The command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_rules_and_says_how_to_use_them(adcl: Adcl, tmp_path: Path) -> None:
    folder = history_of(
        tmp_path / "history",
        collective_document("bcast", 4, 64, "Binomial"),
        collective_document("bcast", 4, 65536, "Native"),
        collective_document("scatterv", 4, 64, "Linear"),
    )
    done = adcl("history", "export", "rules.conf", "--for", "openmpi", "--folder", str(folder))
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "omitted scatterv of 64 bytes on 4 ranks: the library's rules do not support this operation",
        "no rule for 1 problem: Open MPI 4's own choice is the fastest",
        "exported 1 rule for Open MPI 4; to use them:",
        "  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename rules.conf …",
    ]
    assert _openmpi_rule((tmp_path / "rules.conf").read_text(encoding="utf-8"), 7, 4, 64) == (6, 0, 0)
    to_output = adcl("history", "export", "-", "--for", "openmpi", "--folder", str(folder))
    assert _openmpi_rule(to_output.out, 7, 4, 64) == (6, 0, 0)
    assert "exported 1 rule" in to_output.err
    unknown = adcl("history", "export", "rules", "--for", "openmp", "--folder", str(folder))
    assert unknown.code == 2
    assert "did you mean openmpi" in unknown.err
    assert set(rules_formats()) == set(_FAMILIES)
