"""`adcl evaluate replay`: traces with known results, and one that the library wrote."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from support import PROJECT, clean_environment, within
from trace_support import random_times, write_trace

from adcl.errors import UsageError
from adcl.evaluate import ReplayError, ReplayOptions, recorded_searches, replay
from adcl.trace import read_recording

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended

    from adcl.evaluate import RecordedSearch

    type_of_adcl = Callable[..., Ended]


@pytest.fixture(autouse=True, scope="module")
def _built() -> None:
    """Skip the tests unless the library is built: a replay requires its searches."""
    found = [path for path in (PROJECT / "build").glob("*/bin/adcl-replay") if path.with_name("adcl-describe").exists()]
    if not found:
        pytest.skip("no build/*/bin/adcl-replay: the library is not built")
    os.environ["ADCL_DESCRIBE"] = str(found[0].with_name("adcl-describe"))


@pytest.fixture
def misleading(tmp_path: Path) -> Path:
    """Write a trace: SIr_aao is the fastest, but one of its first ten times is disturbed, which misleads short
    searches."""
    steady = 1.0 + 0.001 * (np.arange(100) % 7)
    times = {
        name: np.vstack([level * steady, 0.99 * level * steady, level * steady])
        for name, level in (("IsIr_aao", 1.2e-5), ("SIr_aao", 1.0e-5), ("Ordered", 1.5e-5), ("Joined", 2e-5))
    }
    times["SIr_aao"][1, 4] = 5e-4
    write_trace(tmp_path / "trace", times)
    return tmp_path / "trace"


@pytest.fixture
def verification(tmp_path: Path) -> Path:
    """Write traces of runs with one preselected codelet each, in which Joined is the fastest."""
    for name, level in (("IsIr_aao", 1.2e-5), ("SIr_aao", 1.1e-5), ("Ordered", 1.5e-5), ("Joined", 1e-5)):
        times = {name: np.full((3, 40), level)}
        write_trace(tmp_path / "verification" / name, times, production=True)
    return tmp_path / "verification"


def _recorded(trace: Path, *verification: Path) -> list[RecordedSearch]:
    return recorded_searches([read_recording(trace)], map(read_recording, verification))


class TestKnownAnswers:
    def test_the_mean_of_few_measurements_errs_and_the_others_do_not(self, misleading: Path) -> None:
        found = replay(_recorded(misleading), ReplayOptions(searches=("brute_force",), truth="heuristic"))
        (search,) = found.searches
        assert search.best == "SIr_aao"
        assert search.truth["SIr_aao"] == pytest.approx(1.003e-5, rel=1e-3)
        assert (search.ranks, search.decided) == (3, "IsIr_aao"), "what the run itself chose by the mean"
        assert search.recorded == {"IsIr_aao": 100, "SIr_aao": 100, "Ordered": 100, "Joined": 100}
        assert len(search.decisions) == 5 * 6
        for one in search.decisions:
            misled = one.outliers == "none"
            assert one.winner == ("IsIr_aao" if misled else "SIr_aao"), one
            assert one.distance == pytest.approx(0.2 if misled else 0.0, abs=1e-3)
            assert (one.measurements, one.reused) == (4 * one.measurements_per_codelet, 0)
            assert one.starts == one.measurements + 1, "the ranks' agreement takes a start"
            assert "lowest time" in one.reason
        assert found.standings[-1].outliers == "none"
        assert found.standings[-1].right == 0.0
        assert {one.right for one in found.standings[:-1]} == {1.0}

    def test_windows_begin_elsewhere(self, misleading: Path) -> None:
        options = ReplayOptions((20,), ("brute_force",), ("none",), windows=5)
        decisions = replay(_recorded(misleading), options).searches[0].decisions
        assert [one.window for one in decisions] == [0, 1, 2, 3, 4]
        assert [one.winner for one in decisions] == ["IsIr_aao"] + 4 * ["SIr_aao"]

    def test_verification_runs_say_what_is_true(self, misleading: Path, verification: Path) -> None:
        options = ReplayOptions((20,), ("brute_force",), ("robust",))
        (search,) = replay(_recorded(misleading, verification), options).searches
        assert (search.best, len(search.verified)) == ("Joined", 4)
        assert search.decisions[0].winner == "SIr_aao"
        assert search.decisions[0].distance == pytest.approx(0.1)
        shutil.rmtree(verification / "Joined")
        (search,) = replay(_recorded(misleading, verification), options).searches
        assert (search.best, len(search.verified)) == ("SIr_aao", 3)
        assert search.truth["Joined"] == pytest.approx(2.006e-5, rel=1e-3), "from the recording"

    def test_preselected_runs_among_the_traces_are_verification_runs(
        self, misleading: Path, verification: Path
    ) -> None:
        recordings = map(read_recording, (misleading, verification))
        (recorded,) = recorded_searches(recordings)
        assert sorted(recorded.verification) == ["IsIr_aao", "Joined", "Ordered", "SIr_aao"]
        assert recorded.verification["Joined"].shape == (3, 40)

    def test_every_search_and_method_decides(self, tmp_path: Path, seed: int) -> None:
        write_trace(tmp_path / "trace", random_times(seed, 6, 2, 60))
        found = replay(_recorded(tmp_path / "trace"), ReplayOptions((100, 40, 10), truth="robust"))
        (search,) = found.searches
        assert search.too_many == (100,)
        assert len(found.standings) == 20
        assert len(search.decisions) == 40
        assert all(one.winner and one.distance is not None and one.distance >= 0.0 for one in search.decisions)
        right = {(one.search, one.outliers): one.right for one in found.standings}
        assert right["brute_force", "robust"] == 1.0, "levels are a tenth apart and scatter by a twentieth"

    def test_codelets_of_an_application_have_no_attributes_but_are_searched(self, tmp_path: Path) -> None:
        levels = {"mine": 2e-5, "other": 1e-5, "third": 3e-5}
        write_trace(tmp_path / "trace", {name: np.full((2, 30), level) for name, level in levels.items()})
        for file in (tmp_path / "trace").iterdir():
            file.write_text(file.read_text(encoding="utf-8").replace('"neighborhood"', '"my set"'), encoding="utf-8")
        decisions = replay(_recorded(tmp_path / "trace"), ReplayOptions((10,))).searches[0].decisions
        assert {one.winner for one in decisions} == {"other"}
        assert len(decisions) == 20

    def test_options_are_those_of_the_run_unless_said(self, misleading: Path) -> None:
        recorded = _recorded(misleading)
        ways = ReplayOptions((20,), ("brute_force",), ("heuristic",))
        assert replay(recorded, ways).searches[0].decisions[0].winner == "SIr_aao"
        blind = ReplayOptions((20,), ("brute_force",), ("heuristic",), options={"ADCL_OUTLIER_BOUND": "1000"})
        assert replay(recorded, blind).searches[0].decisions[0].winner == "IsIr_aao"

    def test_the_program_s_own_document(self) -> None:
        document = {
            "schema": 1,
            "function_set": "my set",
            "candidates": [{"name": "slow"}, {"name": "fast"}],
            "times": {"slow": [[3.0] * 10, [2.0] * 10], "fast": [[1.0] * 10, [2.0] * 10]},
            "searches": ["brute_force"],
            "outliers": ["none"],
            "measurements": [13],
            "windows": 1,
            "starts": 1000,
            "options": {},
            "truth": {"outliers": "none", "times": {"slow": [[5.0], [4.0]], "fast": [[6.0], [7.0]]}},
        }
        program = Path(os.environ["ADCL_DESCRIBE"]).with_name("adcl-replay")
        ended = subprocess.run([program], input=json.dumps(document), check=True, capture_output=True, text=True)
        truth, decision = map(json.loads, ended.stdout.splitlines())
        assert truth == {"schema": 1, "truth": {"slow": 5.0, "fast": 7.0}}
        assert decision["winner"] == "fast"
        assert (decision["measurements"], decision["reused"], decision["starts"]) == (26, 6, 27)
        searching = 13 * 3.0 + 13 * 2.0
        assert decision["seconds"] in (searching + 3.0, searching + 2.0), "one start of the agreement"


class TestWhatCannotBe:
    def test_unknown_names(self, misleading: Path) -> None:
        recorded = _recorded(misleading)
        for options in (
            ReplayOptions(searches=("luck",)),
            ReplayOptions(outliers=("luck",)),
            ReplayOptions(truth="luck"),
            ReplayOptions(options={"luck": "1"}),
        ):
            with pytest.raises(UsageError, match=r"unknown .* 'luck'"):
                replay(recorded, options)

    def test_an_invalid_value_is_told_in_the_library_s_words(self, misleading: Path) -> None:
        with pytest.raises(ReplayError, match="ADCL_OUTLIER_BOUND"):
            replay(_recorded(misleading), ReplayOptions(options={"ADCL_OUTLIER_BOUND": "0.5"}))

    def test_a_codelet_that_this_version_lacks(self, tmp_path: Path) -> None:
        write_trace(tmp_path / "trace", {name: np.full((2, 30), 1e-5) for name in ("IsIr_aao", "Forgotten")})
        with pytest.raises(ReplayError, match="'Forgotten' is not a codelet of neighborhood in this version"):
            replay(_recorded(tmp_path / "trace"), ReplayOptions((10,)))

    def test_too_little_was_recorded(self, tmp_path: Path) -> None:
        write_trace(tmp_path / "trace", random_times(1, 3, 2, 5))
        with pytest.raises(ReplayError, match="at most 5 measurements of a codelet, fewer than the smallest number"):
            replay(_recorded(tmp_path / "trace"), ReplayOptions())
        write_trace(tmp_path / "trace", random_times(1, 1, 2, 5))
        with pytest.raises(ReplayError, match="nothing to replay"):
            replay(_recorded(tmp_path / "trace"), ReplayOptions())

    def test_starts_that_a_rank_lacks_do_not_count(self, misleading: Path) -> None:
        file = misleading / "adcl.2.jsonl"
        kept = [line for line in file.read_text(encoding="utf-8").splitlines() if '"start":104,' not in line]
        file.write_text("\n".join(kept) + "\n", encoding="utf-8")
        (recorded,) = _recorded(misleading)
        assert recorded.times["SIr_aao"].shape == (3, 99)
        assert recorded.times["SIr_aao"].max() == 5e-4, "the others are where they were"


class TestCommand:
    def test_tables_page_and_json(self, adcl: type_of_adcl, misleading: Path, tmp_path: Path) -> None:
        more = ("-m", "40,10", "--outliers", "none,robust", "--searches", "brute_force,model", "--truth", "heuristic")
        ended = adcl("evaluate", "replay", str(misleading), *more, "-o", "replay.html", COLUMNS="200")
        assert (ended.code, ended.err) == (0, "")
        assert max(map(len, ended.out.splitlines())) <= 100
        words = " ".join(ended.out.split())
        for part in (
            "neighborhood #2 on 3 ranks, used by start best SIr_aao, 10.0 µs (the whole recording",
            "chosen IsIr_aao in the run itself, 20 % over the best",
            "brute_force none 20.0 20.0 100",
            "brute_force robust 0.0 0.0 100",
            "brute_force none 0 % 20 % 20 % 100 2",
            "page: replay.html",
        ):
            assert part in words, part
        html = (tmp_path / "replay.html").read_text(encoding="utf-8")
        assert "right in 100 % of 2 replays" in html
        assert html.count("<svg") == 2
        assert len(html.encode()) < 1_000_000
        document: dict[str, Any] = json.loads(adcl("evaluate", "replay", str(misleading), *more, "--json").out)
        assert document["searches"][0]["best"] == "SIr_aao"
        assert len(document["searches"][0]["decisions"]) == 8

    @pytest.mark.parametrize("more", [("--json",), ("-o", "replay.html"), ("-m", "ten"), ("--searches", "luck")])
    def test_the_former_name_does_the_same(
        self, adcl: type_of_adcl, misleading: Path, tmp_path: Path, more: tuple[str, ...]
    ) -> None:
        """`adcl replay` works for one more release; `adcl --help` does not list it."""
        arguments = (str(misleading), "--outliers", "none", "--searches", "brute_force", "-m", "20", *more)
        pages = []
        ended = []
        for command in (("replay",), ("evaluate", "replay")):
            ended.append(adcl(*command, *arguments))
            page = tmp_path / "replay.html"
            pages.append(page.read_text(encoding="utf-8") if page.exists() else "")
            page.unlink(missing_ok=True)
        assert (ended[0].code, ended[0].out, ended[0].err) == (ended[1].code, ended[1].out, ended[1].err)
        assert pages[0] == pages[1]

    @pytest.mark.parametrize(
        ("arguments", "code", "part"),
        [
            (["-m", "ten"], 2, "'ten' is not a whole number"),
            (["-m", ","], 2, "give at least one number"),
            (["-x", "ADCL_OUTLIER_BOUND"], 2, "write NAME=VALUE"),
            (["-x", "ADCL_MEASUREMENTS=3"], 2, "use --measurements instead"),
            (["--searches", "luck"], 2, "unknown search 'luck'; known: brute_force"),
            (["--verify", "gone"], 1, "gone does not exist"),
            (["-m", "200"], 1, "at most 100 measurements of a codelet"),
        ],
    )
    def test_mistakes(self, adcl: type_of_adcl, misleading: Path, arguments: list[str], code: int, part: str) -> None:
        ended = adcl("evaluate", "replay", str(misleading), *arguments)
        assert (ended.code, ended.out, ended.err.count("\n")) == (code, "", 1)
        assert part in ended.err


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [2, 3])
def test_what_the_library_recorded(adcl: type_of_adcl, tmp_path: Path, ranks: int) -> None:
    """A replay of brute force with its own options repeats its decision; a preselected run is a verification run."""
    build = PROJECT / "build" / "openmpi"
    program, launch = build / "bin" / "solver3d", build / "launch"
    if not (program.exists() and launch.exists() and shutil.which("mpirun.openmpi")):
        pytest.skip("the preset openmpi with its applications is not built")
    codelets = ("IsIr_aao", "IsIr_aao_pack", "SIr_aao", "Ordered")
    command = [str(launch), str(ranks), str(program), "--size", "16x16x16", "--iterations", "200", "--quiet"]

    def trace(folder: str, **changes: str) -> None:
        environment = clean_environment(ADCL_TRACE=str(tmp_path / folder), **changes)
        subprocess.run(command, check=True, env=environment, cwd=tmp_path, timeout=within(120), capture_output=True)

    trace(
        "trace", ADCL_SEARCH="brute_force", ADCL_MEASUREMENTS="20", ADCL_CODELETS=f"neighborhood:{','.join(codelets)}"
    )
    trace("truth", ADCL_CODELETS="neighborhood:Ordered", ADCL_TRACE_PRODUCTION="1")
    (recorded,) = recorded_searches(map(read_recording, (tmp_path / "trace", tmp_path / "truth")))
    decision = recorded.search.decision
    assert decision is not None
    assert {name: times.shape for name, times in recorded.times.items()} == dict.fromkeys(codelets, (ranks, 20))
    assert list(recorded.verification) == ["Ordered"]
    assert recorded.verification["Ordered"].shape[1] > 200, "every start of the preselected codelet"
    (search,) = replay([recorded], ReplayOptions((20,), ("brute_force",), ("heuristic",))).searches
    assert search.decisions[0].winner == decision.winner
    assert search.decisions[0].reason == decision.reason
    assert search.decisions[0].starts == decision.searching_starts
    ended = adcl("evaluate", "replay", "trace", "truth", "-m", "20,10", "-o", "replay.html")
    assert (ended.code, ended.err) == (0, "")
    assert "verification runs of 1 of 4 codelets" in ended.out
