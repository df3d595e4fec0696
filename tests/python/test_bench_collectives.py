"""Figures of the bench of collectives on emulated clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support import bench_module

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """Import bench/collectives/collectives_network.py."""
    return bench_module("collectives.collectives_network")


def _result(
    name: str, chosen_s: float, codelet: str, *, search_s: float = 1.5, control: float = 1.0, **forced_s: float
) -> dict[str, Any]:
    """Return a result in the program's format; the native call takes a second."""
    result: dict[str, Any] = {"setting": name, "native_s": 1.0, "chosen_s": chosen_s, "codelet": codelet}
    result["control_ratio"] = control
    return result | {"search_s": search_s, "starts": 2000, "forced_s": forced_s}


def _values(bench: ModuleType, results: list[dict[str, Any]], cluster: str = "hierarchical") -> dict[str, float]:
    figures: dict[str, Any] = bench.figures_of(bench.settings_of(cluster, results))
    return {name: one["value"] if isinstance(one, dict) else one for name, one in figures.items()}


def test_settings_are_counted_against_native_and_every_algorithm(bench: ModuleType) -> None:
    results = [
        _result("bcast_8", 0.5, "Binomial", control=0.7, chain=0.4, linear=0.6),
        _result("gatherv_8", 1.01, "Linear", search_s=6.0, control=1.04, ring=0.9),
        _result("scan_8", 1.1, "Native", linear=1.2),
        {"setting": "scan_4194304", "left_out": 3.0},
    ]

    values = _values(bench, results, "flat")

    assert values["settings_faster_than_native"] == pytest.approx(1 / 3)
    assert values["settings_slower_than_native.flat"] == pytest.approx(1 / 3)
    assert values["settings_faster_than_every_algorithm"] == pytest.approx(1 / 3)
    assert values["settings_slower_than_best_algorithm"] == pytest.approx(2 / 3)
    assert values["worst_loss_vs_native_percent"] == pytest.approx(10.0)
    assert values["worst_loss_of_another_percent"] == pytest.approx(1.0)
    assert values["scatter_where_native_was_kept_percent"] == pytest.approx(10.0)
    assert values["worst_loss_of_control_percent"] == pytest.approx(4.0)
    assert values["control_slower_than_native.flat"] == pytest.approx(1 / 3)
    assert values["worst_over_native_with_search"] == pytest.approx(6.0)
    assert values["mean_over_native_with_search"] == pytest.approx((1.5 * 6.0 * 1.5) ** (1 / 3))
    assert values["geometric_mean_over_native"] == pytest.approx((0.5 * 1.01 * 1.1) ** (1 / 3))
    against = (0.5 / 0.4) * (1.01 / 0.9) * (1.1 / 1.2)
    assert values["geometric_mean_over_best_algorithm"] == pytest.approx(against ** (1 / 3))
    assert values["flat.bcast_8_over_native"] == 0.5
    assert not [name for name in values if "4194304" in name or name.startswith("alltoall")]


def test_each_cluster_has_separate_figures(bench: ModuleType) -> None:
    settings = [
        *bench.settings_of("flat", [_result("bcast_8", 0.5, "Binomial")]),
        *bench.settings_of("hierarchical", [_result("bcast_8", 1.5, "Binomial")]),
    ]

    values = bench.figures_of(settings)

    assert values["settings_faster_than_native"] == pytest.approx(0.5)
    assert values["settings_faster_than_native.flat"] == 1.0
    assert values["settings_faster_than_native.hierarchical"] == 0.0
    assert values["worst_loss_vs_native_percent"] == pytest.approx(50.0)
    assert values["worst_loss_vs_native_percent.flat"] == pytest.approx(-50.0)


@pytest.mark.parametrize(("large", "differ"), [("Pairwise_excl", 1.0), ("Linear_4", 0.0)])
def test_all_to_all_shows_two_winners(bench: ModuleType, large: str, differ: float) -> None:
    results = [_result("alltoall_4096", 0.8, "Linear_4"), _result("alltoall_65536", 0.4, large)]

    values = _values(bench, results)

    assert values["alltoall_winners_differ.hierarchical"] == differ
    assert values["alltoall_65536_native_over_chosen.hierarchical"] == pytest.approx(2.5)
    assert "alltoall_winners_differ.hierarchical" not in _values(bench, results, "flat")


def test_every_collective_is_measured_on_both_clusters(bench: ModuleType) -> None:
    programs = list(bench.programs_of(bench.QUICK))

    names = {one.name for one in programs}
    assert len(names) == len(programs)
    for cluster in ("flat", "hierarchical"):
        own = [one for one in programs if one.cluster == cluster]
        assert len({one.operation for one in own}) == 17 + 5
        sizes = {size for one in own for size in one.sizes if one.operation == "alltoall"}
        assert sizes == {8, 4096, 65536, 524288}
        assert {size for one in own for size in one.sizes if one.operation == "bcast"} == {8, 4096, 65536, 4194304}
