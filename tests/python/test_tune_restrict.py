"""Removing settings that a profile shows to be irrelevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from profile_support import KIB, profile

from adcl.mpi_libraries import LIBRARIES
from adcl.tune.file import TuningFile, with_default_values
from adcl.tune.profile._properties import one_sided_used
from adcl.tune.profile._restrict import restrict, restrict_for_all
from adcl.tune.space._space import Choices, Condition, Parameter, Space, Steps

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.tune.profile import ProfileMethod


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("eager_limit", "ibm"),
        ("MP_EAGER_LIMIT", "ibm"),
        ("btl_sm_eager_limit", "openmpi5"),
        ("OMPI_MCA_btl_vader_eager_limit", "openmpi5"),
        ("btl_tcp_eager_limit", "openmpi5"),
        ("I_MPI_EAGER_THRESHOLD", "intel"),
        ("I_MPI_SHM_EAGER_THRESHOLD", "intel"),
        ("intranode_eager_threshold", "intel"),
        ("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", "mpich"),
        ("MPIR_CVAR_CH4_OFI_EAGER_THRESHOLD", "mpich"),
        ("MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", "mpich"),
        ("btl_sm_rndv_eager_limit", None),
        ("btl_sm_max_send_size", None),
        ("MPIR_CVAR_CTXID_EAGER_SIZE", None),
        ("I_MPI_SHM_EAGER_NUM", None),
        ("buffer_mem", None),
    ],
)
def test_eager_limits_are_known_by_name(name: str, key: str | None) -> None:
    known = [one.key for one in LIBRARIES.values() if one.eager_limit(name) is not None]

    assert (key in known) if key else not known


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("MP_BUFFER_MEM", "ibm"),
        ("buffer_mem", "ibm"),
        ("btl_sm_fbox_size", "openmpi5"),
        ("OMPI_MCA_btl_vader_free_list_num", "openmpi4"),
        ("I_MPI_SHM_CELL_FWD_NUM", "intel"),
        ("SHM_CELL_BWD_NUM", "intel"),
        ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS", "mpich"),
        ("eager_limit", None),
        ("btl_sm_fbox_threshold", None),
        ("I_MPI_SHM_CELL_FWD_SIZE", None),
        ("MPIR_CVAR_BCAST_INTRANODE_NUM_CELLS", None),
    ],
)
def test_memory_for_eager_messages_is_known_by_name(name: str, key: str | None) -> None:
    known = [one.key for one in LIBRARIES.values() if one.memory_buffer(name) is not None]

    assert (key in known) if key else not known


def test_expression_matches_the_paper() -> None:
    """The paper's example: 1000 processes and limits of 4 KB to 16 KB yield 8000 KB to 32000 KB."""
    buffer = LIBRARIES["ibm"].memory_buffer("buffer_mem")

    assert buffer is not None
    assert [buffer.required_size(limit, 1000) for limit in (4 * KIB, 16 * KIB, 1)] == [8000 * KIB, 32000 * KIB, 128000]


@pytest.mark.parametrize(
    ("key", "name", "others", "wanted"),
    [
        # Four messages of 4 KB to 16 KB in each box, independent of the number of processes.
        ("openmpi5", "btl_sm_fbox_size", {}, (16 * KIB, 64 * KIB)),
        # A fragment is as large as the limit: two for each of the eight processes.
        ("openmpi4", "btl_vader_free_list_num", {}, (16, 16)),
        # A cell of 64 KB holds one message; the largest messages take four cells of 4 KB.
        ("intel", "I_MPI_SHM_CELL_FWD_NUM", {}, (16, 16)),
        ("intel", "I_MPI_SHM_CELL_FWD_NUM", {"I_MPI_SHM_CELL_FWD_SIZE": (4096, 65536)}, (16, 64)),
        ("intel", "I_MPI_SHM_CELL_FWD_NUM", {"I_MPI_SHM_CELL_BWD_SIZE": (4096, 65536)}, (16, 16)),
        # A cell of 8 KB includes a header.
        (
            "mpich",
            "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS",
            {"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": (8192,)},
            (16, 48),
        ),
    ],
)
def test_the_expression_for_other_libraries(
    key: str, name: str, others: dict[str, tuple[int, ...]], wanted: tuple[int, int], tmp_path: Path
) -> None:
    """Messages of 4 to 16 KB on eight ranks; the parameter may be any power of two."""
    sizes = [Parameter(other, Choices(values)) for other, values in others.items()]
    space = Space((Parameter(name, Steps(1, 1 << 20)), *sizes))

    done = restrict(space, profile(tmp_path, {6000: 200, 12_000: 300}, ranks=8), LIBRARIES[key])

    values = done.space.parameter(name).values
    assert (values[0], values[-1]) == wanted
    assert len(values) <= 33
    (change,) = done.changes
    assert "max(eager limit, 64)" in change.reason


@pytest.mark.parametrize(("default", "left"), [(8, (8, 16)), (16, (16,)), (64, (16, 64))])
def test_less_memory_than_the_default_is_tried(default: int, left: tuple[int, ...], tmp_path: Path) -> None:
    """Two fragments for each of eight processes: a single remaining value is not set in all runs."""
    space = Space((Parameter("btl_vader_free_list_num", Steps(2, 64, multiply=2), default),))

    done = restrict(space, profile(tmp_path, {6000: 200, 12_000: 300}, ranks=8), LIBRARIES["openmpi4"])

    assert [one.values for one in done.space.parameters] == [left]
    (change,) = done.changes
    assert change.kind == "cut"


@pytest.mark.parametrize("method", ["evidence", "paper"])
def test_the_papers_memory_is_searched_below_its_default(method: ProfileMethod, tmp_path: Path) -> None:
    """In section 6.2 of the paper, the case of 256K individuals was faster with less memory than the default."""
    memory = Parameter("buffer_mem", Steps(131072, 8388608, add=131072), 64 * KIB**2)

    done = restrict(Space((memory,)), profile(tmp_path, {6000: 200, 12_000: 300}, ranks=64), LIBRARIES["ibm"], method)

    assert done.space.parameter("buffer_mem").domain == Steps(512 * KIB, 2048 * KIB, add=64 * KIB)


def test_many_messages_near_the_limit_count_though_they_are_few_bytes(tmp_path: Path) -> None:
    """The paper's text counts messages, its metrics count bytes; here they disagree."""
    few_bytes = profile(tmp_path, {2000: 1000, 4_000_000: 10})
    few_messages = profile(tmp_path, {100: 100_000, 60_000: 1000})
    neither = profile(tmp_path, {100: 100_000, 2000: 1000, 4_000_000: 10})

    for found, left in ((few_bytes, True), (few_messages, True), (neither, False)):
        done = restrict(PAPER, found, LIBRARIES["ibm"])
        assert done.found("EagerLimitDependency").holds is left
        assert ("eager_limit" in [one.name for one in done.space.parameters]) is left


PAPER = Space(
    (
        Parameter("eager_limit", Steps(KIB, 64 * KIB, add=KIB)),
        Parameter("buffer_mem", Steps(131072, 8388608, add=131072)),
        Parameter("use_bulk_xfer", Choices(("yes", "no"))),
        Parameter("wait_mode", Choices(("nopoll", "poll"))),
    )
)


def test_the_papers_space_is_cut(tmp_path: Path) -> None:
    done = restrict(PAPER, profile(tmp_path, {6000: 200, 12_000: 300}, ranks=64), LIBRARIES["ibm"])

    assert done.space.parameter("eager_limit").values == tuple(range(4 * KIB, 17 * KIB, KIB))
    assert done.space.parameter("buffer_mem").domain == Steps(512 * KIB, 2048 * KIB, add=64 * KIB)
    assert [(one.parameter, one.kind) for one in done.changes] == [("eager_limit", "cut"), ("buffer_mem", "cut")]
    assert done.space.parameter("use_bulk_xfer") == PAPER.parameter("use_bulk_xfer")
    assert done.found("EagerLimitDependency").holds


def test_the_example_of_the_paper(tmp_path: Path) -> None:
    """Section 4.2: 4 to 16 KB by 1 KB; with 1000 processes 8000 to 32000 KB of memory by 1000 KB."""
    memory = Parameter("MP_BUFFER_MEM", Steps(1, 1 << 31), 64 * KIB**2)
    limit = Parameter("MP_EAGER_LIMIT", Steps(1, 64 * KIB), 64 * KIB)
    sent = profile(tmp_path, {6000: 200, 12_000: 300, 100: 600}, ranks=1000)

    done = restrict(Space((limit, memory)), sent, LIBRARIES["ibm"], "paper")

    assert done.space.parameter("MP_EAGER_LIMIT").domain == Steps(4 * KIB, 16 * KIB, add=KIB)
    assert done.space.parameter("MP_BUFFER_MEM").domain == Steps(8000 * KIB, 32_000 * KIB, add=1000 * KIB)


@pytest.mark.parametrize(
    ("sizes", "left"),
    [
        ({100: 70, 6000: 31}, True),
        ({100: 71, 6000: 29}, False),
        ({6000: 40, 4_000_000: 60}, True),
        ({6000: 20, 4_000_000: 80}, False),
    ],
)
def test_the_method_of_the_paper_counts_messages(sizes: dict[int, int], *, left: bool, tmp_path: Path) -> None:
    """30 % of the messages, independent of the current limit; the severity is the share of the bytes."""
    limit = Parameter("MP_EAGER_LIMIT", Steps(KIB, 64 * KIB, add=KIB), 64 * KIB)
    switch = Parameter("MP_USE_BULK_XFER", Choices(("yes", "no")), "yes")
    idle = Parameter("MP_TASK_AFFINITY", Choices(("CORE", "MCM")), "CORE")
    sent = profile(tmp_path, sizes, ranks=64)

    done = restrict(Space((limit, switch, idle)), sent, LIBRARIES["ibm"], "paper")

    assert [one.name for one in done.space.parameters] == [
        *(["MP_EAGER_LIMIT"] if left else []),
        "MP_USE_BULK_XFER",
        "MP_TASK_AFFINITY",
    ]
    (found,) = done.properties
    assert found.holds is left
    near = sum(size * count for size, count in sizes.items() if KIB < size <= 64 * KIB)
    assert found.severity == pytest.approx(near / sum(size * count for size, count in sizes.items()), rel=0.01)


def test_settings_that_matter_for_one_program_stay(tmp_path: Path) -> None:
    small, large = profile(tmp_path, {2000: 300}), profile(tmp_path, {12_000: 300})
    none, idle = profile(tmp_path, {8: 100}), profile(tmp_path, {}, Wait=("wait", 1, 0.0))

    done = restrict_for_all(PAPER, (small, large, none), LIBRARIES["ibm"])

    assert done.space.parameter("eager_limit").values == tuple(range(KIB, 17 * KIB, KIB))
    assert [one.parameter for one in done.changes] == ["eager_limit"]
    assert [one.name for one in done.properties].count("EagerLimitDependency") == 3
    for one in (none, idle):
        both = restrict_for_all(PAPER, (one, small), LIBRARIES["ibm"]).space
        assert both == restrict(PAPER, small, LIBRARIES["ibm"]).space
    neither = restrict_for_all(PAPER, (none, none), LIBRARIES["ibm"])
    assert neither.space == restrict(PAPER, none, LIBRARIES["ibm"]).space
    assert "eager_limit" not in [one.name for one in neither.space.parameters]

    listed = Space((Parameter("eager_limit", Choices((1024, 3072, 8192, 16384, 65536))),))
    united = restrict_for_all(listed, (large, small), LIBRARIES["ibm"]).space
    assert united.parameter("eager_limit").values == (1024, 8192, 16384), "in the order of the file"


def test_reduced_parameter_keeps_the_default_value(tmp_path: Path) -> None:
    """The default, 1000 bytes, is below the range of the messages."""
    limit = Parameter("eager_limit", Steps(KIB, 32 * KIB, add=KIB), 1000)
    found = restrict(Space((limit,)), profile(tmp_path, {6000: 200, 12_000: 300}, ranks=64), LIBRARIES["ibm"]).space
    assert found.parameter("eager_limit").values == tuple(range(4 * KIB, 17 * KIB, KIB))

    with_default = with_default_values(TuningFile("ibm", found), found).parameter("eager_limit")

    assert with_default.values == (1000, *range(4 * KIB, 17 * KIB, KIB))
    assert with_default.ordered
    assert with_default.values[with_default.home] == 1000
    assert with_default_values(TuningFile("ibm", found, only_listed=True), found) is found


def test_limit_above_all_messages_is_unchanged(tmp_path: Path) -> None:
    """All messages are already sent eagerly. Open MPI's limit includes a header of 256 bytes."""
    name = "btl_vader_eager_limit"
    limit = Parameter(name, Steps(KIB, 64 * KIB, multiply=2), 4 * KIB)
    small = profile(tmp_path, {1500: 400, 2000: 200})
    done = restrict(Space((limit,)), small, LIBRARIES["openmpi4"])
    assert done.space.parameters == ()
    assert "above the current eager limit, btl_vader_eager_limit = 4096" in done.changes[0].reason

    above = profile(tmp_path, {1500: 400, 4096: 200})
    kept = restrict(Space((limit,)), above, LIBRARIES["openmpi4"]).space.parameter(name)
    assert kept.values[0] == 2048, "the largest of 2049 to 4096 bytes may not fit together with its header"


def test_irrelevant_eager_limit_is_dropped(tmp_path: Path) -> None:
    done = restrict(PAPER, profile(tmp_path, {8: 100, 1_000_000: 100}), LIBRARIES["ibm"])

    assert [one.name for one in done.space.parameters] == ["buffer_mem", "use_bulk_xfer", "wait_mode"]
    (change,) = done.changes
    assert (change.parameter, change.kind, change.after) == ("eager_limit", "dropped", ())
    assert "0% of the bytes" in change.reason


@pytest.mark.parametrize(("seconds", "left"), [(1.0, 1), (0.001, 0)])
def test_the_eager_limit_stays_where_collective_operations_take_the_time(
    seconds: float, left: int, tmp_path: Path
) -> None:
    """An all-to-all with blocks of 8 KiB also sends messages: an eager limit may make it 4 times as fast."""
    found = profile(tmp_path, {}, Alltoall=("collective", 1000, seconds), Barrier=("wait", 10, 0.01))

    space = restrict(PAPER, found, LIBRARIES["ibm"]).space

    assert [one.name for one in space.parameters].count("eager_limit") == left
    if left:
        assert space.parameter("eager_limit") == PAPER.parameter("eager_limit")


def test_a_limit_that_counts_headers_gets_room_for_them(tmp_path: Path) -> None:
    space = Space((Parameter("btl_sm_eager_limit", Steps(KIB, 64 * KIB, multiply=2), default=4096),))

    done = restrict(space, profile(tmp_path, {4096: 1000}), LIBRARIES["openmpi5"])

    values = [value for value in done.space.parameter("btl_sm_eager_limit").values if isinstance(value, int)]
    assert values[0] == 2 * KIB
    assert max(values) >= 4096 + 256


def test_range_of_the_user_takes_precedence(tmp_path: Path) -> None:
    listed = Space((Parameter("btl_sm_eager_limit", Choices(("unset", 1024, 8192, 12288, 65536))),))
    elsewhere = Space((Parameter("btl_sm_eager_limit", Steps(32768, 65536)),))
    found, library = profile(tmp_path, {6000: 200, 12_000: 300}), LIBRARIES["openmpi4"]

    assert restrict(listed, found, library).space.parameter("btl_sm_eager_limit").values == ("unset", 8192, 12288)
    assert restrict(elsewhere, found, library).space == elsewhere
    assert restrict(elsewhere, found, library).changes == ()


@pytest.mark.parametrize(
    ("key", "used", "unused"),
    [
        ("intel", ["I_MPI_ADJUST_ALLREDUCE"], ["I_MPI_ADJUST_ALLTOALL", "I_MPI_ADJUST_SCAN_LIST"]),
        (
            "mpich",
            [
                "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
                "MPIR_CVAR_REDUCE_SHORT_MSG_SIZE",
                "MPIR_CVAR_MAX_SMP_BCAST_MSG_SIZE",
                "MPIR_CVAR_POLLS_BEFORE_YIELD",
            ],
            [
                "MPIR_CVAR_SCAN_INTRA_ALGORITHM",
                "MPIR_CVAR_CH4_RMA_A",
                "MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE",
                "MPIR_CVAR_IALLTOALLV_INTRA_ALGORITHM",
                "MPIR_CVAR_NEIGHBOR_ALLGATHER_INTRA_ALGORITHM",
            ],
        ),
        (
            "openmpi5",
            # MPI libraries may build an allreduce from a broadcast.
            [
                "coll_tuned_bcast_algorithm",
                "coll_tuned_gather_algorithm",
                "coll_tuned_gather_algorithm_segmentsize",
                "mpi_yield_when_idle",
            ],
            ["coll_tuned_alltoall_algorithm", "osc_rdma_acc_single_intrinsic"],
        ),
    ],
)
def test_settings_of_uncalled_operations_are_dropped(
    key: str, used: list[str], unused: list[str], tmp_path: Path
) -> None:
    space = Space(tuple(Parameter(name, Choices(("a", "b"))) for name in (*used, *unused)))

    done = restrict(space, profile(tmp_path, {8: 1}, Allreduce=("collective", 10, 1.0)), LIBRARIES[key])

    assert [one.name for one in done.space.parameters] == used


def test_one_sided_settings_stay_if_used(tmp_path: Path) -> None:
    space = Space((Parameter("osc_rdma_acc_single_intrinsic", Choices(("0", "1"))),))
    found = profile(tmp_path, {}, Put=("one_sided", 3, 3.0))

    assert one_sided_used(found).holds
    assert restrict(space, found, LIBRARIES["openmpi4"]).space == space


def test_conditions_on_dropped_parameters_are_resolved(tmp_path: Path) -> None:
    def child(name: str, *values: str) -> Parameter:
        return Parameter(name, Choices(("x", "y")), when=Condition("osc_switch", values))

    space = Space(
        (
            Parameter("osc_switch", Choices(("on", "off")), default="on"),
            child("for_on", "on"),
            child("for_off", "off"),
            Parameter("of_for_off", Choices((1, 2)), when=Condition("for_off", ("y",))),
        )
    )

    done = restrict(space, profile(tmp_path, {}), LIBRARIES["openmpi4"])

    assert [(one.name, one.when) for one in done.space.parameters] == [("for_on", None)]
    assert {one.parameter for one in done.changes} == {"osc_switch", "for_off", "of_for_off"}


def test_conditions_on_removed_values_are_resolved(tmp_path: Path) -> None:
    space = Space(
        (
            Parameter("eager_limit", Choices((1024, 8192, 65536))),
            Parameter("both", Choices((1, 2)), when=Condition("eager_limit", (8192, 65536))),
            Parameter("gone", Choices((1, 2)), when=Condition("eager_limit", (1024,))),
        )
    )

    done = restrict(space, profile(tmp_path, {6000: 100}), LIBRARIES["ibm"])

    assert [(one.name, one.when) for one in done.space.parameters] == [
        ("eager_limit", None),
        ("both", Condition("eager_limit", (8192,))),
    ]


def test_only_placement_stays_without_communication(tmp_path: Path) -> None:
    names = ("--bind-to", "hwloc_base_binding_policy", "mpi_yield_when_idle", "btl_vader_eager_limit", "env:UCX_TLS")
    space = Space(tuple(Parameter(name, Choices(("a", "b"))) for name in names))

    done = restrict(space, profile(tmp_path, {3000: 9}, Send=("p2p", 9, 0.1)), LIBRARIES["openmpi4"])

    assert [one.name for one in done.space.parameters] == ["--bind-to", "hwloc_base_binding_policy"]
    assert all("0.8% of the time" in one.reason for one in done.changes)


def test_switch_without_dependents_is_dropped(tmp_path: Path) -> None:
    def space(*operations: str) -> Space:
        when = Condition("coll_tuned_use_dynamic_rules", ("true",))
        algorithms = (Parameter(f"coll_tuned_{one}_algorithm", Choices(("a", "b")), when=when) for one in operations)
        switch = Parameter("coll_tuned_use_dynamic_rules", Choices(("false", "true")), default="false")
        return Space((switch, *algorithms))

    found, library = profile(tmp_path, {8: 1}, Allreduce=("collective", 10, 1.0)), LIBRARIES["openmpi4"]

    assert restrict(space("alltoall", "scan"), found, library).space.parameters == ()
    assert len(restrict(space("alltoall", "allreduce"), found, library).space.parameters) == 2
    assert restrict(space(), found, library).space == space()
