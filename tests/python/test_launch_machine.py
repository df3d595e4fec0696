"""Cores and nodes of the machine as launchers see them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from adcl.launch import cores_here, nodes_of_allocation, usable_cores

if TYPE_CHECKING:
    from pathlib import Path

_BATCH_SYSTEMS = ("SLURM_JOB_NUM_NODES", "SLURM_NNODES", "LSB_MCPU_HOSTS", "PBS_NODEFILE")


@pytest.fixture(autouse=True)
def _no_batch_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _BATCH_SYSTEMS:
        monkeypatch.delenv(name, raising=False)


def test_hardware_threads_of_a_core_stay_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for cpu in range(6):
        topology = tmp_path / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(f"{cpu % 3},{cpu % 3 + 3}\n", encoding="ascii")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 3, 4, 5, 7})

    assert cores_here(tmp_path) == [(0, 3), (1, 4), (5,), (7,)]


def test_cores_are_counted_here() -> None:
    assert 1 <= usable_cores() <= len(os.sched_getaffinity(0))


def test_the_machines_of_a_batch_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nodes_of_allocation() == 1
    nodes = tmp_path / "nodes"
    nodes.write_text("a\na\nb\nb\nc\n", encoding="utf-8")
    monkeypatch.setenv("PBS_NODEFILE", str(nodes))
    assert nodes_of_allocation() == 3
    monkeypatch.setenv("LSB_MCPU_HOSTS", "hosta 4 hostb 4")
    assert nodes_of_allocation() == 2
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "7")
    assert nodes_of_allocation() == 7
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "nonsense")
    monkeypatch.delenv("LSB_MCPU_HOSTS")
    monkeypatch.setenv("PBS_NODEFILE", str(tmp_path / "gone"))
    assert nodes_of_allocation() == 1
