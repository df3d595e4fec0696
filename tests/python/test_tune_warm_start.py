"""Reuse of earlier studies: their best scenarios, and their measurements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tune_programs import TUNING_FILE, result_of
from tune_spaces import PLAIN, drive, ok

from adcl.tune.search import make_search
from adcl.tune.study._plan import PlannedRun, Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    from adcl.tune.space import Coordinates


# The first four runs (warm-up and first defaults) take ten seconds more.
SLOW_AT_FIRST = """#!/bin/sh
count=${0%/*}/count; echo >> "$count"; slow=; if [ $(wc -l < "$count") -le 4 ]; then slow=1; fi
"""


def test_known_result_counts_as_a_run() -> None:
    best, failed = (4, 0, 0), (0, 1, 0)
    known: dict[Coordinates, tuple[float, ...] | None]
    known = {scenario: (1.0,) for scenario in PLAIN.scenarios() if scenario[1] != 2}
    known |= {best: (0.5,), failed: None}
    search = make_search("exhaustive", PLAIN, seed=0)
    protocol = StudyProtocol(search, StudyPolicy(), ("wall",), known=known)

    def run(order: PlannedRun) -> Sample:
        return ok(1.0 if order.scenario == best else 2.0)

    orders = drive(protocol, run)

    trials = [order.scenario for order in orders if order.kind == "trial"]
    assert not known.keys() & {*trials}
    assert len(trials) == PLAIN.size() - len(known)
    assert sum(order.scenario == best for order in orders if order.kind == "repetition") == 2, (
        "three with the known one"
    )
    assert protocol.arms[failed].failures == 1
    assert protocol.search.told[best] == (1.0,), "half of what the defaults take now"
    assert protocol.verdict().scenario == best


def test_new_study_tries_the_winners_of_the_previous_one_first(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """An edited file or another number of ranks: the earlier study is kept, and its result is tried first."""
    assert tune("run", "t.toml", "--", "./program", "usual").code == 0
    before = (tmp_path / "t.study" / "journal.jsonl").read_text(encoding="utf-8")
    broken = TUNING_FILE.replace("eager_limit", "eager_limt")
    (tmp_path / "t.toml").write_text(broken, encoding="utf-8")
    assert tune("run", "t.toml", "--resume", "--", "./program", "usual").code == 2
    assert (tmp_path / "t.study" / "journal.jsonl").read_text(encoding="utf-8") == before, "nothing was changed"

    wider = TUNING_FILE.replace("[1024, 32768]", "{ from = 1024, to = 65536, step = 1024 }").replace(
        "exhaustive", "random"
    )
    (tmp_path / "t.toml").write_text(wider, encoding="utf-8")
    ended = tune("run", "t.toml", "--resume", "-n", "3", "--trials", "24", "--", "./program", "usual")

    assert ended.code == 0, ended.err
    told = " ".join(ended.out.split())
    assert "differs: the tuning file has changed; ranks was 2 and is now 3" in told
    assert "the earlier study was moved to t.study.1" in told
    assert "tried first: 2 winners of earlier studies" in told
    assert (tmp_path / "t.study.1" / "journal.jsonl").read_text(encoding="utf-8") == before
    first = next(run for run in result_of(tmp_path)["runs"] if run["kind"] == "trial")
    assert first["configuration"]["eager_limit"] == 32768
    again = tune("resume", "t.study")
    assert again.code == 0, again.err
    assert "no runs were left" in again.out


def test_results_before_editing_the_file_are_reused(tune: Callable[..., Ended], tmp_path: Path) -> None:
    assert tune("run", "t.toml", "--", "./program", "usual").code == 0
    before = result_of(tmp_path)

    def tried(document: dict[str, Any]) -> set[tuple[tuple[str, Any], ...]]:
        trials = [run for run in document["runs"] if run["kind"] == "trial" and run["status"] == "ok"]
        return {tuple(sorted(run["configuration"].items())) for run in trials}

    wider = TUNING_FILE.replace("[1024, 32768]", "[1024, 2048, 32768]")
    (tmp_path / "t.toml").write_text(wider, encoding="utf-8")
    ended = tune("run", "t.toml", "--resume", "--", "./program", "usual")

    assert ended.code == 0, ended.err
    told = " ".join(ended.out.split())
    assert "reused from the earlier study without new runs: " in told
    assert "tried first" not in told
    after = result_of(tmp_path)
    assert {dict(one)["eager_limit"] for one in tried(before)} >= {1024, 32768}
    assert {dict(one)["eager_limit"] for one in tried(after)} == {2048}
    assert after["conclusion"]["settings"] == before["conclusion"]["settings"], "what was known may win"
    again = tune("report", "t.study", "--json")
    assert json.loads(again.out)["runs"] == after["runs"]

    # With another objective, nothing can be reused.
    (tmp_path / "t.toml").write_text(wider.replace("Time in", "Time +in"), encoding="utf-8")
    ended = tune("run", "t.toml", "--resume", "--", "./program", "usual")
    assert "reused without a run" not in ended.out, ended.out
    assert "tried first" in ended.out


def test_known_results_are_relative_to_their_defaults(tune: Callable[..., Ended], tmp_path: Path) -> None:
    """The machine is slow only while the first study runs the defaults."""
    program = (tmp_path / "program").read_text(encoding="utf-8").replace("#!/bin/sh\n", SLOW_AT_FIRST)
    program = program.replace("seconds = $time", "seconds = $slow$time")
    (tmp_path / "program").write_text(program, encoding="utf-8")
    sizes = f"[{', '.join(str(1024 * size) for size in (*range(1, 8), 32))}]"
    text = TUNING_FILE.replace("[1024, 32768]", sizes).replace("exhaustive", "random")
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    assert tune("run", "t.toml", "--", "./program", "usual").code == 0

    (tmp_path / "t.toml").write_text(text.replace("random", "exhaustive"), encoding="utf-8")
    ended = tune("run", "t.toml", "--resume", "--", "./program", "usual")

    assert "reused from the earlier study without new runs: " in " ".join(ended.out.split()), ended.out + ended.err
    known = json.loads((tmp_path / "t.study" / "study.json").read_text(encoding="utf-8"))["request"]["known"]
    assert len(known) > 8
    for one in known:
        ratio = 0.5 if one["settings"].get("eager_limit") == 32768 else 1.0
        assert one["ratios"] == pytest.approx([ratio])


def test_study_tries_the_winners_of_others_first(tune: Callable[..., Ended], tmp_path: Path) -> None:
    assert tune("run", "t.toml", "--", "./program", "usual").code == 0
    fixed = TUNING_FILE.replace("wait_mode", "polling_interval").replace('["poll", "nopoll"]', "[1000, 2000]")
    (tmp_path / "other.toml").write_text(fixed, encoding="utf-8")

    ended = tune("run", "other.toml", "--from", "t.study", "--", "./program", "usual")

    assert ended.code == 0, ended.err
    trial = next(run for run in result_of(tmp_path, "other.study")["runs"] if run["kind"] == "trial")
    assert trial["configuration"]["eager_limit"] == 32768, "what the new file has of it"
    missing = tune("run", "other.toml", "--study", "new.study", "--from", "no.study", "--", "./program", "usual")
    assert missing.code == 2
    assert "no.study contains no study" in missing.err
    assert not (tmp_path / "new.study").exists()
