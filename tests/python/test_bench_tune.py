"""Problems and figures of the benches of `adcl tune`: tables match their spaces, and optima are reachable."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import pytest
from support import bench_module, script

from adcl.launch import detect

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def problems() -> Any:
    return bench_module("tune._problems")


def test_recorded_tables_fit_their_spaces(problems: Any) -> None:
    found = problems.recorded()

    assert len(found) >= 3
    for one in found:
        assert len(one.draws) == len(one.scenarios) == one.space.size()
        assert 1 <= len(one.good) < len(one.scenarios) / 2, one.name
        low, high = one.optimum
        assert 0 < low <= high
        assert one.default is not None
        assert one.default > 1.05 * low


def test_artificial_spaces_have_conditions_constraints_and_known_optima(problems: Any) -> None:
    found = problems.made_up()

    assert any(parameter.when for one in found for parameter in one.space.parameters)
    assert any(one.space.constraints for one in found)
    for one in found:
        best = one.optimum[0]
        for place, (time,) in enumerate(one.draws):
            assert (time <= 1.02 * best) == (place in one.good)
        assert one.noise > 0
        assert math.isclose(min(time for (time,) in one.draws), best)


def test_document_for_the_peers_contains_every_scenario(problems: Any) -> None:
    for one in [*problems.recorded(), *problems.made_up()]:
        document = one.document(100)
        assert len(document["index"]) == len(one.scenarios)
        assert {len(document[key]) for key in ("shape", "ordered", "home", "order", "masters")} == {
            len(one.space.parameters)
        }


def test_recorded_and_made_up_problems_have_separate_ratios_of_trials() -> None:
    bench = bench_module("tune.tune_models")
    declared = script("tools/figures.py").declared()["tune_models"]

    def pairs(count: float) -> list[tuple[float, float]]:
        return [(count, 0.5), (count, 0.5)]

    counts = {
        "adcl": {"openmpi4_alltoall": pairs(8.0), "mpich5_exchange": pairs(2.0), "made_up_ten": pairs(10.0)},
        "sklearn": {"openmpi4_alltoall": pairs(8.0), "mpich5_exchange": pairs(2.0), "made_up_ten": pairs(10.0)},
        "optuna": {"openmpi4_alltoall": pairs(2.0), "mpich5_exchange": pairs(2.0), "made_up_ten": pairs(40.0)},
    }

    figures = bench._figures(counts)

    assert [name for name in figures if declared.find(name) is None] == []
    assert figures["trials_over.optuna.recorded"]["value"] == 2.0
    assert figures["trials_over.optuna.made_up"]["value"] == 0.25
    assert figures["trials_over.optuna"]["value"] == 1.0
    assert figures["trials_over.sklearn.recorded"]["value"] == 1.0
    assert figures["processor_time_over.sklearn"] == 1.0
    assert figures["mpich5_exchange: optuna"] == 2.0


_MPIRUN = """#!/bin/sh
if [ "$1" = --version ]; then echo "mpirun (Open MPI) 5.0.5"; exit; fi
[ "$OMPI_ALLOW_RUN_AS_ROOT$OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" = 11 ] || exit 1
printf '%s ' "$@" > "${0%/*}/command"
echo "seconds per iteration: 0.25"
"""


def test_root_can_run_the_programs_of_tune_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpirun = tmp_path / "mpirun"
    mpirun.write_text(_MPIRUN, encoding="utf-8")
    mpirun.chmod(0o755)
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.delenv(name, raising=False)
    bench = bench_module("tune.tune_advice")
    case = bench._Case("case", ("pingpong", "8"), {"OMPI_MCA_smsc": "^cma"})
    runner = bench._Runner(mpirun, case, detect(mpirun))

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert runner.seconds({"btl_sm_eager_limit": "65536"}) == 0.25
    command = (tmp_path / "command").read_text("utf-8")
    assert "--mca btl_sm_eager_limit 65536" in command
    assert "OMPI_MCA_smsc=^cma" in command
    assert command.endswith(" pingpong 8 ")
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    assert runner.seconds({}) == math.inf
