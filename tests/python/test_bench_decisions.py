"""Tests of the decision benches: evaluation of measured times, and a run on a slowed link."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from support import bench_module, script

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def bench() -> Any:
    return bench_module("decisions.decision_quality")


def _decided(winner: str, *, settled: bool = True, number: int = 0) -> dict[str, Any]:
    return {
        "winner": winner if settled else "",
        "last": winner,
        "settled": settled,
        "starts": 9,
        "seconds": 1.0,
        "round": number,
    }


def test_losses_relate_to_best_verification_runs_and_undecided_runs_use_their_last_codelet(bench: Any) -> None:
    setting = next(one for one in bench._settings() if one.name == "flat.halo.8")
    usual = ",".join([*bench._DEFAULT, "10"])
    result = {
        "native": "a",
        "verified": {"a": [2.0, 4.0], "b": [1.0, 2.0], "c": [1.04, 2.08], "d": [0.99, 2.2]},
        "decided": {
            usual: [_decided("d"), _decided("b"), _decided("c")],
            "factorial,none,barrier,10": [_decided("a", settled=False)],
        },
        "combinations": 50,
    }

    decisions = list(bench._decisions(setting, result))
    figures = bench._figures(decisions)

    # All times double in the second round, which changes no loss.
    losses = [one.loss for one in decisions]
    assert losses[1:] == pytest.approx([0.0, 4.0, 100.0])
    assert losses[0] == pytest.approx(4.4, abs=0.3)
    # d overlaps with b.
    assert figures["settings_within_2_percent"] == pytest.approx(1 / 3)
    assert figures["settings_among_best_or_within_2_percent"] == pytest.approx(2 / 3)
    assert figures["worst_loss_vs_best_percent"] == pytest.approx(losses[0])
    assert figures["worst_loss_vs_native_percent"] == pytest.approx(100 * ((1 + losses[0] / 100) / 2 - 1))
    assert figures["within_2_percent.factorial"] == 0.0
    assert figures["mean_loss_percent.barrier"] == pytest.approx(100.0)


def test_in_shared_memory_a_decision_is_compared_within_its_round(bench: Any) -> None:
    setting = next(one for one in bench._settings() if one.name == "shared.halo.8")
    usual = ",".join([*bench._DEFAULT, "10"])
    result = {
        "native": "a",
        "verified": {"a": [2.0, 4.0], "b": [1.0, 1.5], "c": [1.1, 1.2]},
        "decided": {usual: [_decided("b"), _decided("c", number=1), _decided("b", number=1)]},
        "combinations": 75,
    }

    decisions = list(bench._decisions(setting, result))

    assert [one.loss for one in decisions] == pytest.approx([0.0, 0.0, 25.0])
    assert [one.over_native for one in decisions] == pytest.approx([-50.0, -70.0, -62.5])


def test_each_machine_has_five_sizes_without_hopeless_codelets(bench: Any) -> None:
    settings = bench._settings()
    for machine in ("shared", "flat", "hierarchical", "laki", "shark"):
        assert len({one.size for one in settings if (one.machine, one.operation) == (machine, "halo")}) >= 5
    looked = [{"codelet": name, "seconds": time_s} for name, time_s in (("a", 9.0), ("b", 1.0), ("c", 5.1), ("d", 5.0))]
    assert bench._taking_part({"codelets": looked}) == ["a", "b", "d"]


def test_figures_of_all_applications_are_declared() -> None:
    applications = bench_module("decisions.applications")
    declared = script("tools/figures.py").declared()["applications"]
    times = {one.name: 9.0 if one.program == "solver3d" else 2.0 for one in applications._SETTINGS}
    results = {name: dict.fromkeys(("time", "exchange", "preselected"), time) for name, time in times.items()}

    figures = applications._figures(results)

    assert declared.missing(set(figures)) == []
    assert [name for name in figures if declared.find(name) is None] == []
    assert figures["time_over_twin.solver3d.16x16x16.1000.adcl"] == 9.0
    assert figures["time_over_twin.worst"] == 2.0, "without solver3d"
    assert figures["exchange_over_twin.geometric_mean"] == pytest.approx(2.0)
    assert {one.twin for one in applications._SETTINGS} == {"plain", "plain-fields", "fcfs"}


def test_each_phase_of_a_slowed_link_has_its_decision() -> None:
    slowed = script("testbed/slowed_link.py")
    windows = [
        {"begin": 0.0, "seconds": 5.0, "codelet": "a", "settled": False},
        {"begin": 1.0, "seconds": 1.0, "codelet": "b", "settled": True},
        {"begin": 2.0, "seconds": 9.0, "codelet": "b", "settled": True},
        {"begin": 3.0, "seconds": 7.0, "codelet": "c", "settled": False},
        {"begin": 3.5, "seconds": 3.0, "codelet": "c", "settled": True},
        {"begin": 4.0, "seconds": 1.0, "codelet": "c", "settled": True},
    ]

    before, slowed, restored = slowed.phases(windows, 2.0, 4.0)

    assert (before["codelet"], before["seconds"], before["searching"]) == ("b", 1.0, 1)
    assert (slowed["codelet"], slowed["seconds"], slowed["codelets"]) == ("c", 3.0, ["b", "c"])
    assert (restored["codelet"], restored["seconds"], restored["searching"]) == ("c", 1.0, 0)


@dataclass(frozen=True)
class _Named:
    name: str


def test_bench_stores_measurements_on_request(tmp_path: Path) -> None:
    settings = [_Named("flat.a"), _Named("flat.b"), _Named("other")]
    done: list[str] = []

    def measure(setting: _Named, placement: str) -> str | None:
        done.append(f"{placement} {setting.name}")
        return None if setting.name == "flat.b" else f"of {len(done)}"

    def run(**how: Any) -> dict[_Named, Any]:
        found: dict[_Named, Any] = bench_module("_clusters").measure_missing(
            settings, tmp_path, lambda: contextlib.nullcontext("here"), measure, **how
        )
        return found

    assert run(only="flat") == {settings[0]: "of 1"}
    assert done == ["here flat.a", "here flat.b"]
    assert run(only="flat.a") == {settings[0]: "of 3"}, "measured again"
    assert run(only="other", keep=True) == {settings[0]: "of 3", settings[2]: "of 4"}, "those of all settings"
    assert run(only="flat.a", keep=True) == {settings[0]: "of 3", settings[2]: "of 4"}
    assert len(done) == 4
