"""Use of the profiler's files: parsing, properties, and reduction of parameters."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from profile_support import KIB, profile, rank_document
from support import PROJECT

from adcl.errors import AdclError
from adcl.tune.profile import CurrentLimit, RunConditions, write_conditions
from adcl.tune.profile._properties import (
    EagerRange,
    collectives_dominate,
    cores_shared,
    eager_limit_dependency,
    find_properties,
    load_imbalance,
    mpi_matters,
    unused_collectives,
)
from adcl.tune.profile._read import Messages, ProfileError, SizeClass, read_profile

if TYPE_CHECKING:
    from pathlib import Path

    from adcl.tune.profile import Profile


def test_ranks_are_summed(tmp_path: Path) -> None:
    found = profile(tmp_path, {100: 2, 3000: 5, 70000: 1}, Send=("p2p", 8, 1.5), Bcast=("collective", 1, 0.5))

    assert found.ranks == 3
    assert found.seconds == 12.0
    assert found.seconds_in == {"p2p": 1.5, "collective": 0.5, "one_sided": 0.0, "wait": 0.0}
    assert (found.calls["MPI_Send"].count, found.calls["MPI_Send"].seconds) == (24, 4.5)
    assert found.called("Bcast", "Ibcast") == 3
    assert found.metrics == {
        "PSC_MPI_MSG_P2P_THR": 3 * 15000,
        "PSC_MPI_MSG_P2P_TOT": 3 * 85200,
        "PSC_MPI_MSG_P2P_2K": 6,
        "PSC_MPI_MSG_P2P_4K": 15,
        "PSC_MPI_MSG_P2P_8K": 0,
        "PSC_MPI_MSG_P2P_16K": 0,
        "PSC_MPI_MSG_P2P_32K": 0,
        "PSC_MPI_MSG_P2P_64K": 0,
    }


def _spoil(folder: Path, **changes: Any) -> None:
    path = folder / "adcl-profile.1.json"
    path.write_text(json.dumps(rank_document(1, 3, {8: 1}) | changes), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"schema": 2}, "schema 2, not 1"),
        ({"ranks": 4}, "different numbers of ranks"),
        ({"rank": 2}, r"ranks 0, 2, 2, not for all 3 ranks"),
        ({"messages": {}}, r"messages: object missing required field `PSC_MPI_MSG_P2P_THR`"),
        ({"seconds": "long"}, "seconds: expected a number"),
    ],
)
def test_invalid_profiles_are_rejected(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    for rank in (0, 2):
        document = rank_document(rank, 3, {8: 1})
        (tmp_path / f"adcl-profile.{rank}.json").write_text(json.dumps(document), encoding="utf-8")
    _spoil(tmp_path, **changes)

    with pytest.raises(ProfileError, match=says):
        read_profile(tmp_path)


def test_truncated_and_missing_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="wrote nothing"):
        read_profile(tmp_path)
    (tmp_path / "adcl-profile.0.json").write_text('{"schema": 1', encoding="utf-8")
    with pytest.raises(ProfileError, match="not a file of the profiler"):
        read_profile(tmp_path)


def test_bytes_and_messages_near_the_limit_both_count(tmp_path: Path) -> None:
    # 90 of 100 messages are near the limit, but other messages carry nearly all bytes.
    few_bytes = eager_limit_dependency(profile(tmp_path, {2000: 90, 1_000_000: 10}))
    # 10 of 100 messages carry nearly all bytes.
    few_messages = eager_limit_dependency(profile(tmp_path, {8: 90, 16000: 10}))
    neither = eager_limit_dependency(profile(tmp_path, {8: 90, 2000: 10, 1_000_000: 10}))

    assert few_bytes.severity == few_bytes.share_of_messages == pytest.approx(0.9)
    assert few_bytes.text.startswith("90% of the 300 messages sent point to point, with 2% of the bytes")
    assert few_bytes.holds
    assert few_bytes.range is not None
    assert few_messages.severity == pytest.approx(160_000 / 160_720)
    assert few_messages.share_of_messages == pytest.approx(0.1)
    assert few_messages.holds
    assert few_messages.range == EagerRange(8 * KIB, 16 * KIB, KIB)
    assert not neither.holds
    assert neither.range is None


@pytest.mark.parametrize("near", [30, 31])
def test_the_30_percent_rule_needs_more_than_30(tmp_path: Path, near: int) -> None:
    """The share of bytes decides if nearly all messages are tiny; the share of messages if others carry nearly all
    bytes."""
    rest = 100 - near
    by_bytes = eager_limit_dependency(profile(tmp_path, {10_000: near, 100_000: rest // 10, 8: 1000}))
    by_messages = eager_limit_dependency(profile(tmp_path, {10_000: near, 1_000_000: rest}))

    assert by_bytes.severity == pytest.approx(10_000 * near / (10_000 * near + 100_000 * (rest // 10) + 8000))
    assert by_bytes.holds is (by_bytes.severity > 0.3)
    assert by_messages.severity == pytest.approx(near / 100)
    assert by_messages.holds is (near > 30)


def test_both_ends_of_the_range_near_the_limit_belong_to_it(tmp_path: Path) -> None:
    inside = profile(tmp_path, {1024: 1, 65536: 1})
    outside = profile(tmp_path, {1023: 1, 65537: 1})

    assert eager_limit_dependency(inside).severity == 1.0
    assert eager_limit_dependency(outside).severity == 0.0


def test_confidence_grows_with_the_number_of_messages(tmp_path: Path) -> None:
    few, many = (eager_limit_dependency(profile(tmp_path, {4000: count})) for count in (1, 10_000))

    assert few.severity == many.severity == 1.0
    assert 0.0 < few.confidence < 0.1
    assert 0.99 < many.confidence < 1.0


def test_no_messages_no_dependency(tmp_path: Path) -> None:
    found = eager_limit_dependency(profile(tmp_path, {}))

    assert (found.severity, found.confidence, found.holds) == (0.0, 0.0, False)


def _under(found: Profile, **conditions: Any) -> Profile:
    return dataclasses.replace(found, conditions=RunConditions(found.ranks, **conditions))


def test_only_messages_above_the_current_limit_count(tmp_path: Path) -> None:
    """As in LULESH: messages of 1 KB to 2 KB, which Open MPI sends eagerly by default."""
    found = profile(tmp_path, {1500: 1000, 100: 200})
    assert eager_limit_dependency(found).holds
    limit = CurrentLimit("btl_vader_eager_limit", 4096, 3840)

    eager = eager_limit_dependency(_under(found, eager_limits=(limit,)))

    assert (eager.severity, eager.holds, eager.range) == (0.0, False, None)
    assert eager.advice == "leave eager limits at their defaults"
    assert "above the current eager limit, btl_vader_eager_limit = 4096" in eager.text
    # The smallest of several limits counts; messages in the limit's own size class may exceed it.
    lower = CurrentLimit("other", 1500, 1500)
    again = eager_limit_dependency(_under(found, eager_limits=(limit, lower)))
    assert again.holds
    assert again.range == EagerRange(1024, 2048, 1024)
    assert again.advice == "try eager limits from 1024 to 2048 bytes; the current value is 1500 (other)"


def test_shared_cores_make_the_time_in_mpi_inconclusive(tmp_path: Path) -> None:
    found = profile(tmp_path, {8: 1}, Send=("p2p", 1, 9.0))
    assert cores_shared(found) is None
    assert cores_shared(_under(found)) is None, "on other machines it is not known"
    assert mpi_matters(found).advice == "tuning may pay off"

    alone = cores_shared(_under(found, cores=3))
    assert alone is not None
    assert (alone.severity, alone.holds, alone.text) == (0.0, False, "3 ranks have 3 cores")
    shared = cores_shared(_under(found, cores=2, busy=1.0))
    assert shared is not None
    assert shared.severity == pytest.approx(0.5)
    assert shared.holds
    assert shared.text == "3 ranks share 2 cores and other processes used 1.0 of 2 cores before the run"
    crowded = _under(found, cores=1)
    assert "undecided whether tuning pays off" in mpi_matters(crowded).advice
    assert [one.name for one in find_properties(crowded)][:2] == ["CoresShared", "EagerLimitDependency"]


def test_conditions_are_stored_with_the_profile(tmp_path: Path) -> None:
    profile(tmp_path, {8: 1})
    conditions = RunConditions(3, 2, 0.125, (CurrentLimit("limit", 4096, 3840),))
    write_conditions(conditions, tmp_path / "profile0")
    assert read_profile(tmp_path / "profile0").conditions == conditions
    (tmp_path / "profile0" / "conditions.json").write_text("{", encoding="utf-8")
    with pytest.raises(AdclError, match=r"cannot read .*conditions\.json"):
        read_profile(tmp_path / "profile0")


def test_the_papers_example(tmp_path: Path) -> None:
    """Figure 2: if most messages are between 4 and 16 KB, the range of the eager limit is 4 to 16 KB in steps of 1
    KB."""
    found = eager_limit_dependency(profile(tmp_path, {500: 900, 3000: 20, 6000: 200, 12_000: 300, 30_000: 40}))

    assert found.range == EagerRange(4 * KIB, 16 * KIB, KIB)


def test_small_messages_do_not_draw_the_range_below_1_kb(tmp_path: Path) -> None:
    found = eager_limit_dependency(profile(tmp_path, {8: 1_000_000, 60_000: 1000}))

    assert found.range == EagerRange(32 * KIB, 64 * KIB, 2 * KIB)


def test_unused_collectives_account_for_composed_operations(tmp_path: Path) -> None:
    found = unused_collectives(profile(tmp_path, {}, Iallreduce=("collective", 1, 0.1)))

    assert {"alltoall", "scan", "neighbor_alltoall", "barrier"} <= found
    assert not found & {"allreduce", "reduce", "bcast", "allgather"}


def test_shares_of_time(tmp_path: Path) -> None:
    busy = profile(tmp_path, {}, ranks=1, Allreduce=("collective", 9, 3.0), Wait=("wait", 9, 1.0))
    idle = profile(tmp_path, {}, ranks=1, Send=("p2p", 9, 0.001))

    assert collectives_dominate(busy).severity == pytest.approx(0.75)
    assert collectives_dominate(busy).holds
    assert mpi_matters(busy).severity == pytest.approx(0.4)
    assert mpi_matters(busy).holds
    assert not mpi_matters(idle).holds
    assert [one.name for one in find_properties(idle)] == [
        "EagerLimitDependency",
        "MpiMatters",
        "CollectivesDominate",
        "OneSidedUsed",
        "LoadImbalance",
    ]
    assert {one.name for one in find_properties(busy) if one.holds} == {"MpiMatters", "CollectivesDominate"}
    advice = {one.name: one.advice for one in find_properties(busy)}
    assert advice["CollectivesDominate"] == "try the algorithms of MPI_Allreduce, which takes the most time"


def test_ranks_that_wait_for_one(tmp_path: Path) -> None:
    """Two of three ranks are in MPI for 6 s, the third for 1: on average 3.3 of 12 s are waiting."""
    folder = tmp_path / "uneven"
    folder.mkdir()
    for rank, in_mpi in enumerate((6.0, 1.0, 6.0)):
        document = rank_document(rank, 3, {8: 1}, Recv=("p2p", 1, in_mpi))
        (folder / f"adcl-profile.{rank}.json").write_text(json.dumps(document), encoding="utf-8")
    found = read_profile(folder)

    assert found.in_mpi_of_ranks == (6.0, 1.0, 6.0)
    uneven = load_imbalance(found)
    assert uneven.holds
    assert uneven.severity == pytest.approx(10 / 3 / 12)
    assert uneven.confidence == pytest.approx(10 / 13)
    assert "balance the work" in uneven.advice
    assert not load_imbalance(profile(tmp_path, {8: 1})).holds


def test_collective_without_noticeable_time_is_unused(tmp_path: Path) -> None:
    """Of 12 s a broadcast takes 110 ms, just below 1 %; the time of a non-blocking one is unknown."""
    found = unused_collectives(
        profile(
            tmp_path, {}, Bcast=("collective", 1, 0.11), Gather=("collective", 9, 0.13), Iscan=("collective", 1, 0.0)
        )
    )

    assert "bcast" in found
    assert not found & {"gather", "scan"}


def test_a_profile_without_any_call_has_no_property(tmp_path: Path) -> None:
    empty = dataclasses.replace(profile(tmp_path, {}), seconds=0.0, messages=Messages(0, 0, 0, 0, ()))

    assert not any(one.holds for one in find_properties(empty))
    assert SizeClass(1, 0, 0).bytes == 0


def test_files_of_the_real_profiler_are_read() -> None:
    """Files that tests/profile/counts.cpp wrote on 3 ranks, with each MPI library it was built for."""
    folders = sorted(PROJECT.glob("build/*/tests/profile/counts3"))
    if not any(folders):
        pytest.skip("the profiler's own tests were not run")
    for folder in folders:
        found = read_profile(folder)

        assert found.ranks == 3
        assert found.program == "profile_counts"
        assert sum(count for name, count in found.metrics.items() if name.endswith("K")) < found.messages.count
        assert sum(one.bytes for one in found.messages.sizes) == found.messages.total_bytes
        assert found.called("Send", "Isend") > 0
        assert found.seconds > 0.0
        assert found.seconds_in_mpi > 0.0
        assert "allreduce" not in unused_collectives(found)
        assert 0.0 < eager_limit_dependency(found).severity < 1.0
