"""The study written by ``adcl scale init``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from adcl.scale import read_study, starting_study

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended


@pytest.mark.parametrize("cores", [1, 2, 8, 12, 64])
def test_it_is_a_study_with_enough_settings(adcl: Callable[..., Ended], tmp_path: Path, cores: int) -> None:
    (tmp_path / "s.toml").write_text(starting_study("s", "/bin/true", cores), encoding="utf-8")
    assert read_study(tmp_path / "s.toml").name == "s"
    shown = adcl("scale", "run", "s.toml", "--show").out.splitlines()
    ranks = {int(line.split()[0].removeprefix("ranks=")) for line in shown}
    assert len(ranks) >= 5
    assert max(ranks) == max(8, 2 ** (cores.bit_length() - 1))
    assert all(("--oversubscribed" in line) == (cores < 8) for line in shown)


def test_it_names_the_bench_of_the_library(
    adcl: Callable[..., Ended], fake_describe: Callable[[object], Path], document: dict[str, Any]
) -> None:
    describe = fake_describe(document)
    bench = describe.with_name("adcl-bench")
    assert 'program = "adcl-bench"' in adcl("scale", "init", ADCL_DESCRIBE=str(describe)).out
    bench.touch(mode=0o755)
    assert f"program = {json.dumps(str(bench))}" in adcl("scale", "init", ADCL_DESCRIBE=str(describe)).out
    assert 'program = "./mine"' in adcl("scale", "init", "--program", "./mine").out


def test_a_file_is_not_overwritten(adcl: Callable[..., Ended], tmp_path: Path) -> None:
    assert adcl("scale", "init", "-o", "s.toml").code == 0
    before = (tmp_path / "s.toml").read_text(encoding="utf-8")
    again = adcl("scale", "init", "-o", "s.toml", "--program", "./other")
    assert (again.code, again.err) == (2, "adcl: s.toml exists; name another file, or remove it\n")
    assert (tmp_path / "s.toml").read_text(encoding="utf-8") == before


def test_starting_study_is_measured_and_checked(adcl: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(starting_study("s", "/bin/true", 2), encoding="utf-8")
    lines = []
    for p in (1, 2, 4, 6, 8):
        for name in ("Barrier", "Bcast", "Reduce", "Allreduce", "Allgather"):
            record: dict[str, Any] = {
                "function": name,
                "metric": "time_s",
                "parameters": {"p": p, "bytes": 256},
                "discarded": 0,
            }
            record |= {"schema": 1, "context": {}, "repetitions": [1e-6 * (1 + (p if name == "Allgather" else 0.0))]}
            lines.append(json.dumps(record))
    (tmp_path / "records.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert adcl("scale", "add", "s.toml", "records.jsonl").code == 0
    judged = adcl("scale", "check", "s.toml")
    assert judged.code == 0, judged.err
    assert "Allgather" in judged.out


def test_a_study_of_a_program_without_mpi(adcl: Callable[..., Ended], tmp_path: Path) -> None:
    assert adcl("scale", "init", "--serial").code == 2
    assert adcl("scale", "init", "--serial", "--program", "./lib", "-o", "lib.toml").code == 0
    plan = read_study(tmp_path / "lib.toml").plan
    assert plan is not None
    assert (plan.mpi, plan.program) == ("none", str(tmp_path / "lib"))
    assert len(adcl("scale", "run", "lib.toml", "--show").out.splitlines()) == 21
