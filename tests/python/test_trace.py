"""`adcl report` with traces written by the test and one written by the library."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT, clean_environment, wait_until, within

from adcl.pages import render
from adcl.trace import SCHEMA, TraceError, read, read_recording, trace_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    type_of_adcl = Callable[..., Ended]

_REASON = "IsIr_aao_pack has the lowest time of the 3 left of 4 candidates, 10 us; the next is Joined with 10.1 us"


def _record(event: str, **members: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "event": event, "time_s": 1.5, "rank": 0, "communicator": "1.0.1", **members}


def _request(number: int, emethod: int, *, merged: bool = False, **members: Any) -> dict[str, Any]:
    return _record(
        "request",
        request=number,
        emethod=emethod,
        ranks=4,
        merged=merged,
        function_set="neighborhood",
        problem="halo of 66x66 points",
        candidates=["IsIr_aao", "IsIr_aao_pack", "Joined", "WinfencePut_aao"],
        excluded=["S_R_pair: excluded by ADCL_CODELETS"],
        features={"pattern": "neighborhood", "bytes_out": 2048.0, "mpi_library": "Open MPI"},
        **members,
    )


def _entry(codelet: str, judged_s: float | None, removed: str = "") -> dict[str, Any]:
    return {
        "codelet": codelet,
        "mean_s": 2e-5,
        "filtered_mean_s": 2e-5,
        "outliers": 1.0,
        "measurements": 12.0,
        "spread_s": 1e-6,
        "judged_s": judged_s,
        "removed": removed,
    }


def _search(emethod: int = 2, mode: str = "start") -> list[dict[str, Any]]:
    key = {"emethod": emethod, "mode": mode}
    measurement = {"codelet": "IsIr_aao", "sample": 0, "seconds": 2e-5}
    return [
        _record("measurement", request=emethod, start=1, replaces=False, **key, **measurement),
        _record("measurement", request=emethod, start=2, replaces=False, **key, **measurement),
        _record("measurement", request=emethod, start=2, replaces=True, **key, **measurement),
        _record("drop", request=emethod, codelet="WinfencePut_aao", reason="too many windows", **key),
        _record(
            "agreement",
            start=50,
            entries=[
                _entry("IsIr_aao", 1.5e-5, "slower: 15 us against 10 us"),
                _entry("Joined", 1.01e-5),
                _entry("IsIr_aao_pack", 1e-5),
            ],
            **key,
        ),
        _record(
            "decision",
            start=50,
            winner="IsIr_aao_pack",
            reason=_REASON,
            ties=["Joined"],
            winner_s=1e-5,
            first="IsIr_aao",
            first_s=1.5e-5,
            searching_starts=48,
            searching_s=9e-4,
            preparation_s=2e-3,
            lost_s=2.42e-3,
            **key,
        ),
        _record(
            "gain",
            start=900,
            winner="IsIr_aao_pack",
            first="IsIr_aao",
            speedup=1.5,
            low=1.45,
            high=1.57,
            pairs=12,
            **key,
        ),
        _record("end", starts=2000, production=1952, **key),
    ]


def _write(folder: Path, records: list[dict[str, Any]], rank: int = 0) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / f"adcl.{rank}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return a folder of two ranks: two named requests that share a search, and one that was never started."""
    named = (
        _record("name", request=2, emethod=2, name="pressure"),
        _record("name", request=3, emethod=2, name="density"),
    )
    records = [_request(2, 2), _request(3, 2, merged=True), *named, *_search(), _request(5, 5)]
    _write(tmp_path / "trace", records)
    _write(tmp_path / "trace", [_request(2, 2)], rank=1)
    return tmp_path / "trace"


class TestReading:
    def test_a_search_with_everything(self, trace: Path) -> None:
        found = read(trace)
        assert (found.rank, found.files) == (0, 2)
        search, idle = found.searches
        assert search.names == ("pressure", "density")
        assert (search.requests, search.ranks, search.mode, search.run) == (2, 4, "start", 1)
        assert [row.codelet for row in search.rows] == ["IsIr_aao_pack", "Joined", "IsIr_aao", "WinfencePut_aao"]
        assert search.rows[2].remark.startswith("slower")
        assert search.rows[3].remark == "too many windows"
        assert search.measurements == 2
        assert search.decision is not None
        assert search.decision.ties == ("Joined",)
        assert search.gain is not None
        assert (search.gain.speedup, search.gain.low, search.gain.high, search.gain.pairs) == (1.5, 1.45, 1.57, 12)
        assert not search.gain.same
        assert search.end is not None
        assert (search.end.starts, search.end.production) == (2000, 1952)
        assert (idle.decision, idle.mode, idle.measurements) == (None, "", 0)

    def test_modes_of_use_and_communicators_are_separate(self, tmp_path: Path) -> None:
        other = [one | {"communicator": "2.0.2"} for one in (_request(2, 2), *_search())]
        _write(tmp_path / "trace", [_request(2, 2), *_search(), *_search(mode="init and wait"), *other])
        found = [(one.communicator, one.mode) for one in read(tmp_path / "trace").searches]
        assert found == [("1.0.1", "start"), ("1.0.1", "init and wait"), ("2.0.2", "start")]

    def test_withdrawn_decision_does_not_count(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        reopening = _record(
            "reopening",
            emethod=2,
            mode="start",
            start=900,
            production=850,
            winner="IsIr_aao_pack",
            reason="the application called ADCL_Request_verify",
        )
        folder = _write(tmp_path / "trace", [_request(2, 2), *_search(), reopening]).parent
        search = read(folder).searches[0]
        assert search.decision is None
        assert search.gain is None, "of a decision that no longer holds"
        assert [one.winner for one in search.reopenings] == ["IsIr_aao_pack"]
        assert all(row.judged_s is None for row in search.rows), "what was known counts when an agreement says it again"
        shown = " ".join(adcl("report", str(folder), "--text").out.split())
        assert "reopened" in shown
        assert "after start 900, 850 in production with IsIr_aao_pack: the application called" in shown
        _write(tmp_path / "trace", [_request(2, 2), *_search(), reopening, *_search()])
        search = read(folder).searches[0]
        assert search.decision is not None
        assert search.rows[0].judged_s == 1e-5

    def test_appended_runs_are_separate(self, tmp_path: Path) -> None:
        _write(tmp_path / "trace", [_request(2, 2), *_search(), _request(2, 2), *_search()])
        searches = read(tmp_path / "trace").searches
        assert [one.run for one in searches] == [1, 2]
        assert [one.measurements for one in searches] == [2, 2]

    def test_each_run_has_a_folder(self, tmp_path: Path) -> None:
        later, earlier = tmp_path / "20261122T080000Z-n1-77", tmp_path / "20261121T080000Z-n1-99"
        _write(later, [_request(2, 2), *_search(mode="init and wait")])
        _write(earlier, [_request(2, 2), *_search()])
        _write(earlier, [_request(4, 4)], rank=3)
        trace = read(tmp_path)
        assert [(one.run, one.mode) for one in trace.searches] == [(1, "start"), (2, "init and wait")]
        assert (trace.path, trace.files, trace.rank) == (str(tmp_path), 2, 0)
        assert [(one.number, one.ranks) for one in trace.runs] == [(1, 2), (2, 1)]
        assert read(later).searches[0].mode == "init and wait"
        assert read(tmp_path, 3).path == str(earlier / "adcl.3.jsonl")

    def test_run_that_ended_while_writing(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        path = _write(tmp_path / "trace", [_request(2, 2), *_search()])
        whole = path.read_bytes()
        for length in range(len(whole) - 400, len(whole)):
            path.write_bytes(whole[:length])
            trace = read(tmp_path / "trace")
            assert trace.cut == (whole[length - 1 : length] != b"\n")
            assert trace.searches[0].measurements == 2
        assert "ended while writing it" in adcl("report", str(tmp_path / "trace"), "--text").out

    def test_no_speedup_without_alternating_samples(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        *before, _, end = _search()
        _write(tmp_path / "trace", [_request(2, 2), *before, end])
        assert read(tmp_path / "trace").searches[0].gain is None
        shown = " ".join(adcl("report", str(tmp_path / "trace"), "--text").out.split())
        assert "gain not measured: fewer than 6 samples of IsIr_aao" in shown
        assert "times as fast" not in shown

    def test_speedup_with_one_in_its_interval_is_no_measurable_difference(
        self, adcl: type_of_adcl, tmp_path: Path
    ) -> None:
        *before, gain, end = _search()
        _write(tmp_path / "trace", [_request(2, 2), *before, gain | {"low": 0.98, "speedup": 1.01, "high": 1.2}, end])
        shown = " ".join(adcl("report", str(tmp_path / "trace"), "--text").out.split())
        assert "gain no measurable difference from IsIr_aao, the first candidate: speedup 0.98 to 1.20" in shown
        assert "pays off" not in shown

    def test_a_gain_of_an_earlier_winner_does_not_count(self, tmp_path: Path) -> None:
        again = [one for one in _search() if one["event"] == "decision"]
        again = [one | {"winner": "Joined", "winner_s": 1.01e-5} for one in again]
        _write(tmp_path / "trace", [_request(2, 2), *_search(), *again])
        assert read(tmp_path / "trace").searches[0].gain is None

    def test_repeated_decision_is_not_listed_twice(self, tmp_path: Path) -> None:
        *before, decision, _, _ = _search()
        first, last = (
            decision | {"provisional": True, "start": start, "reason": f"at {start}"} for start in (50, 2000)
        )
        _write(tmp_path / "trace", [_request(2, 2), *before, first, last])
        search = read(tmp_path / "trace").searches[0]
        assert [one.start for one in search.decisions] == [50]
        assert search.decision is not None
        assert search.decision.reason == "at 2000"

    def test_measurements_after_the_decision(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        *before, agreement, decision, _, _ = _search()
        late = agreement | {"start": 900, "entries": [_entry("IsIr_aao", 3e-5), _entry("IsIr_aao_pack", 1e-5)]}
        early = agreement | {"entries": [_entry("IsIr_aao_pack", 2e-5)]}
        unmeasured = decision | {"first_s": None, "winner_s": 2e-5}
        _write(tmp_path / "trace", [_request(2, 2), *before, early, unmeasured, late])
        search = read(tmp_path / "trace").searches[0]
        assert search.agreed_start == 900
        shown = " ".join(adcl("report", str(tmp_path / "trace"), "--text").out.split())
        assert f"because at start 50: {_REASON}" in shown
        assert "measuring continued until start 900; 2 candidates have been measured" in shown

    def test_another_rank_and_a_file(self, trace: Path) -> None:
        assert read(trace, 1).rank == 1
        assert read(trace / "adcl.1.jsonl").rank == 1
        with pytest.raises(TraceError, match="no file of rank 7; it has files of ranks 0 to 1"):
            read(trace, 7)


@pytest.mark.parametrize(
    ("line", "objection"),
    [
        ('{"schema": 3, "event": "requ', r"adcl\.0\.jsonl:2: expected a record of a trace, found"),
        ("[1, 2]", r":2: not a record of a trace: the member 'schema' is missing"),
        ('{"schema": 1, "event": "request"}', r":2: the record has schema 1, but this adcl reads schemas 3 to 5"),
        ('{"schema": 3, "event": "party"}', r":2: unknown event 'party'; the events are request, name, history"),
        ('{"schema": 3, "event": "name", "communicator": "1.0.1"}', r":2: invalid record of event 'name'"),
    ],
)
def test_invalid_line_is_reported_with_its_place(tmp_path: Path, line: str, objection: str) -> None:
    path = _write(tmp_path / "trace", [_request(2, 2)])
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(TraceError, match=objection):
        read(tmp_path / "trace")


def test_foreign_files_and_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="gone does not exist; specify the folder"):
        read(tmp_path / "gone")
    with pytest.raises(TraceError, match=r"contains no files RUN/adcl\.RANK\.jsonl"):
        read(tmp_path)
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\xff\xfe")
    with pytest.raises(TraceError, match="is not a trace: its text is not UTF-8"):
        read(picture)


class TestCommand:
    def test_text_fits_a_hundred_columns(self, adcl: type_of_adcl, trace: Path) -> None:
        ended = adcl("report", str(trace), "--text", COLUMNS="200")
        assert ended.code == 0
        _, *lines = ended.out.splitlines()
        assert max(map(len, lines)) <= 100
        words = " ".join(ended.out.split())
        for part in (
            "neighborhood #2 pressure, density on 4 ranks, 2 requests, used by start",
            "features bytes out 2048, mpi library Open MPI",
            "winner IsIr_aao_pack",
            _REASON,
            "ties Joined: the measurements do not separate it from the winner",
            "gain 1.50 times as fast as IsIr_aao, the first candidate: 1.45 to 1.57 with 95 % confidence, 12 pairs",
            "speedup = median over the pairs of (time of the first candidate / time of the winner)",
            "48 starts, 2 measurements on this rank",
            "then 1952 starts in production, 2000 starts in total",
            "cost 2.42 ms more than the same number of starts of the winner",
            "= Joined",
            "none: the request was never started",
            "not tried: IsIr_aao, IsIr_aao_pack, Joined, WinfencePut_aao",
        ):
            assert part in words

    def test_json_is_one_document(self, adcl: type_of_adcl, trace: Path) -> None:
        document = json.loads(adcl("report", str(trace), "--json").out)
        assert document["searches"][0]["decision"]["winner"] == "IsIr_aao_pack"

    def test_failures_are_one_line(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        ended = adcl("report", str(tmp_path))
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
        assert adcl("report", str(tmp_path), "--text", "--json").code == 2


@pytest.mark.mpi
def test_traces_of_the_library_are_read(adcl: type_of_adcl, tmp_path: Path) -> None:
    build = PROJECT / "build" / "openmpi"
    program, launch = build / "bin" / "example_c_halo2d", build / "launch"
    if not (program.exists() and launch.exists() and shutil.which("mpirun.openmpi")):
        pytest.skip("the preset openmpi with its examples is not built")
    folder = tmp_path / "trace"
    environment = clean_environment(ADCL_TRACE=str(folder), ADCL_SEARCH="brute_force", ADCL_MEASUREMENTS="2")
    subprocess.run(
        [launch, "2", program], check=True, env=environment, cwd=tmp_path, timeout=within(60), capture_output=True
    )
    found = read(folder)
    assert found.files == 2
    assert not found.cut
    assert os.fspath(folder) in found.path
    search = found.searches[0]
    assert search.ranks == 2
    assert search.features["mpi_library"] == "Open MPI"
    assert search.features["ranks"] == 2.0
    assert search.decision is not None
    assert search.decision.winner == search.rows[0].codelet
    assert search.decision.searching_s > 0.0
    assert adcl("report", str(folder), "--text").code == 0


@pytest.mark.mpi
def test_runs_in_one_folder_are_separate(tmp_path: Path) -> None:
    """One program with two and then with three ranks; each run has a different best codelet."""
    build = PROJECT / "build" / "openmpi"
    program, launch = build / "bin" / "example_c_halo2d", build / "launch"
    if not (program.exists() and launch.exists() and shutil.which("mpirun.openmpi")):
        pytest.skip("the preset openmpi with its examples is not built")
    folder = tmp_path / "trace"
    for ranks, codelet in ((2, "IsIr_aao"), (3, "IsIr_aao_pack")):
        environment = clean_environment(
            ADCL_TRACE=str(folder), ADCL_CODELETS=f"neighborhood:{codelet}", ADCL_TRACE_PRODUCTION="1"
        )
        command = [str(launch), str(ranks), str(program)]
        subprocess.run(command, check=True, env=environment, cwd=tmp_path, timeout=60, capture_output=True)
        time.sleep(1.1)  # names of folders begin with the time in seconds
    recording = read_recording(folder)
    assert [(one.number, one.ranks) for one in recording.trace.runs] == [(1, 2), (2, 3)]
    for search in recording.trace.searches:
        ranks, codelet = ((2, "IsIr_aao"), (3, "IsIr_aao_pack"))[search.run - 1]
        assert search.ranks == ranks
        measured = recording.of(search.key)
        assert sorted(measured) == list(range(ranks))
        assert {one.codelets for one in measured.values()} == {(codelet,)}
        assert search.end is not None
        assert {len(one) for one in measured.values()} == {search.end.starts}
    assert "ranks</dt><dd>run 1: 2, run 2: 3, seen from rank 0" in render(trace_page(recording))


@pytest.mark.mpi
def test_killed_program_leaves_a_trace(tmp_path: Path) -> None:
    build = PROJECT / "build" / "openmpi"
    program, launch = build / "bin" / "solver3d", build / "launch"
    if not (program.exists() and launch.exists() and shutil.which("mpirun.openmpi")):
        pytest.skip("the preset openmpi with its applications is not built")
    folder = tmp_path / "trace"
    command = [str(launch), "2", str(program), "--size", "16x16x16", "--iterations", "100000000"]
    environment = clean_environment(ADCL_TRACE=str(folder))
    with subprocess.Popen(
        command,
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        try:
            assert wait_until(lambda: any("decision" in one.read_text() for one in folder.glob("*/*.jsonl")), 60)
        finally:
            os.killpg(running.pid, signal.SIGKILL)
    assert len(list(folder.iterdir())) == 1, "one run, one folder"
    for rank in range(2):
        search = read(folder, rank).searches[0]
        assert search.measurements > 0, "a search that knows similar problems may need few"
        assert rank == 1 or search.decision is not None
