"""The page of `adcl report`: contents, size, and reduction of many measurements."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from trace_support import decision, gain, measured, random_times, record, request, write_trace

from adcl.pages import BoxChart, XyPlot, render
from adcl.trace import read_recording, trace_page
from adcl.trace._reduce import outliers_of, reduced_indices, spread_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    from adcl.pages import Figure, Page

    type_of_adcl = Callable[..., Ended]

_LARGEST = 1_000_000
"""Largest size of a page in bytes."""


def _figures(page: Page) -> list[Figure]:
    return [block for section in page.sections for block in section.blocks if block.kind == "figure"]


def _text_of(html: str) -> str:
    without = re.sub(r"<style.*?</style>|<svg.*?</svg>|<wbr>", "", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", without).split())


class TestReduction:
    def test_extremes_of_each_stretch_stay(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        x = np.sort(random.integers(0, 10**6, 20_000))
        y = random.lognormal(0.0, 1.0, len(x))
        y[777] = 1000.0
        kept = reduced_indices(x, y, 300)
        assert len(kept) <= 300
        assert list(kept) == sorted(set(kept))
        assert y[kept].max() == 1000.0
        assert y[kept].min() == y.min()
        assert np.median(y[kept]) == pytest.approx(np.median(y), rel=0.25)

    def test_few_points_all_stay(self) -> None:
        assert list(reduced_indices(np.array([1, 5, 9]), np.array([3.0, 2.0, 1.0]), 10)) == [0, 1, 2]
        assert list(reduced_indices(np.array([4, 4, 4, 4]), np.array([1.0, 9.0, 2.0, 3.0]), 3)) == [0, 1, 2]

    def test_a_spread(self) -> None:
        spread = spread_of(np.arange(1.0, 102.0))
        assert (spread.count, spread.median, spread.lower, spread.upper) == (101, 51.0, 26.0, 76.0)
        assert (spread.low, spread.high) == (6.0, 96.0)
        assert spread.outside == (97.0, 98.0, 99.0, 100.0, 101.0)
        assert len(spread_of(np.arange(10_000.0)).outside) == 12
        assert spread_of(np.arange(10_000.0)).outside[-1] == 9999.0


class TestMeasurements:
    def test_ranks_replacements_and_production(self, tmp_path: Path) -> None:
        for rank in range(2):
            lines = [json.dumps(request(rank, 2, ("IsIr_aao", "SIr_aao")))]
            lines += [measured(rank, start, "IsIr_aao", 1e-5 * (start + rank)) for start in (1, 2)]
            lines.append(measured(rank, 2, "IsIr_aao", 5e-5).replace('"replaces":false', '"replaces":true'))
            lines += [measured(rank, 3, "SIr_aao", 1e-3), measured(rank, 7, "IsIr_aao", 2e-5, production=True)]
            (tmp_path / f"adcl.{rank}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        recording = read_recording(tmp_path, 1)
        (search,) = recording.trace.searches
        assert (search.measurements, search.production) == (3, 1)
        of_rank = recording.of(search.key)
        assert sorted(of_rank) == [0, 1]
        mine = of_rank[1]
        assert list(mine.of("IsIr_aao", production=False).seconds) == [2e-5, 5e-5]
        assert list(of_rank[0].of("IsIr_aao").seconds) == [1e-5, 5e-5, 2e-5]
        assert list(mine.start) == [1, 2, 3, 7]
        assert list(mine.production) == [False, False, False, True]
        assert len(mine.of("Joined")) == 0
        assert list(outliers_of(mine, 2.0)) == [False, True, False, False]

    def test_the_library_s_lines_of_schema_3_are_read(self, tmp_path: Path) -> None:
        write_trace(tmp_path / "trace", random_times(3, 2, 1, 5))
        file = tmp_path / "trace/adcl.0.jsonl"
        old = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for one in old:
            one["schema"] = 3
            for newer in ("production", "expected", "search", "outliers", "options", "confirmed"):
                one.pop(newer, None)
        file.write_text("".join(json.dumps(one) + "\n" for one in old), encoding="utf-8")
        recording = read_recording(tmp_path / "trace")
        assert recording.trace.searches[0].measurements == 10
        assert "won" in render(trace_page(recording)) or "kept" in render(trace_page(recording))

    def test_a_broken_line_is_named(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        write_trace(tmp_path / "trace", random_times(3, 2, 2, 5))
        file = tmp_path / "trace/adcl.1.jsonl"
        whole = file.read_text(encoding="utf-8").splitlines()
        whole[4] = whole[4].replace('"seconds":', '"seconds":"x",')
        file.write_text("\n".join(whole) + "\n", encoding="utf-8")
        ended = adcl("report", "trace")
        assert ended.code == 1
        assert "adcl.1.jsonl:5" in ended.err
        assert not (tmp_path / "trace.html").exists()


class TestPage:
    def test_similar_searches_do_not_count_as_earlier_runs(self, tmp_path: Path) -> None:
        folder = tmp_path / "trace"
        write_trace(folder, random_times(1, 4, 3, 30))
        path = folder / "adcl.0.jsonl"
        heard = record(
            "history", emethod=2, mode="start", kind="similar searches", winner="", left_out=[], words="of 3 problems"
        )
        path.write_text(path.read_text(encoding="utf-8") + json.dumps(heard) + "\n", encoding="utf-8")
        words = _text_of(render(trace_page(read_recording(folder))))
        assert "of 3 problems" in words
        assert "exclude" not in words
        assert "earlier runs" not in words

    def test_page_shows_the_events(self, tmp_path: Path) -> None:
        folder = tmp_path / "trace"
        write_trace(folder, random_times(1, 4, 3, 30))
        judged = {"IsIr_aao": 2e-5, "SIr_aao": 1e-5, "IsIr_aao_pack": 1.01e-5}
        more = [
            record("history", emethod=2, mode="start", kind="same problem", winner="Joined", left_out=[], words="x.js"),
            decision(123, judged, "SIr_aao", ties=["IsIr_aao_pack"], provisional=True),
            record(
                "reopening", emethod=2, mode="start", start=900, production=700, winner="SIr_aao",
                reason="starts take up to 3 times as long as after the decision",
            ),
            decision(990, judged, "SIr_aao", ties=["IsIr_aao_pack"], lost_s=1e-3),
        ]  # fmt: skip
        more.append(gain("SIr_aao", 2.0))
        path = folder / "adcl.0.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() + [json.dumps(one) for one in more]
        lines += [measured(0, 1000 + place, "SIr_aao", 1.1e-5, production=True) for place in range(5)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        page = trace_page(read_recording(folder))
        words = _text_of(render(page))
        for part in (
            "SIr_aao won, in a tie with IsIr_aao_pack: 2.00× as fast as IsIr_aao, the first candidate",
            "(1.90× to 2.10×, 12 pairs of samples).",
            "One decision was withdrawn.",
            "One search started from the history",
            "earlier run was Joined, and the re-check failed: the search started again",
            "x.js",
            "brute_force, statistical method heuristic; ADCL_MEASUREMENTS = 100",
            "provisional",
            "starts take up to 3 times as long as after the decision",
            "the search pays off after 100 starts in production",
            "median 11.0 µs in 5 measured starts",
        ):
            assert part in words, part
        timeline = _figures(page)[0].plot
        assert isinstance(timeline, XyPlot)
        assert [mark.text for mark in timeline.marks] == ["decided", "provisional", "reopened", "decided"]
        assert "outliers" in {one.name for one in timeline.series}
        assert sum(len(one.x) for one in timeline.series) == 125

    def test_one_file_without_anything_from_elsewhere(self, adcl: type_of_adcl, tmp_path: Path) -> None:
        write_trace(tmp_path / "trace", random_times(1, 4, 2, 30))
        ended = adcl("report", "trace")
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.splitlines()[-1] == "page: trace.html"
        html = (tmp_path / "trace.html").read_text(encoding="utf-8")
        assert "<script" not in html
        assert not re.search(r'(?:src|href)="(?!#)', html)
        assert "prefers-color-scheme: dark" in html
        assert len(re.findall(r"<svg", html)) == 3
        assert adcl("report", "trace", "-o", "other.html").out.endswith("page: other.html\n")
        assert (tmp_path / "other.html").read_text(encoding="utf-8") == html
        assert adcl("report", "trace/adcl.1.jsonl").out.endswith("page: trace/adcl.1.jsonl.html\n")
        assert adcl("report", "trace", "-o", "no/such/folder/x.html").code == 1
        assert adcl("report", "trace", "-o", "x.html", "--text").code == 2

    def test_page_without_measurements(self, tmp_path: Path) -> None:
        (tmp_path / "adcl.0.jsonl").write_text("", encoding="utf-8")
        assert "The program created no ADCL request" in render(trace_page(read_recording(tmp_path)))
        (tmp_path / "adcl.0.jsonl").write_text(json.dumps(request(0, 1, ("Joined",))) + "\n", encoding="utf-8")
        assert "never started or never measured" in render(trace_page(read_recording(tmp_path)))

    def test_many_measurements_of_many_ranks_are_a_small_page_in_seconds(self, tmp_path: Path) -> None:
        """Fifty thousand measurements of a hundred ranks; a million of 512 ranks took 20 times as long."""
        write_trace(tmp_path / "trace", random_times(1, 20, 100, 25))
        begin = time.process_time()
        page = trace_page(read_recording(tmp_path / "trace"))
        html = render(page)
        assert time.process_time() - begin < 10.0
        assert len(html.encode()) < _LARGEST
        assert "measurements</dt><dd>50000" in html
        assert all(len(one.x) <= 600 for figure in _figures(page) if isinstance(figure.plot, XyPlot)
                   for one in figure.plot.series)  # fmt: skip

    def test_long_timeline_is_reduced_with_a_note(self, tmp_path: Path) -> None:
        write_trace(tmp_path / "trace", random_times(1, 8, 1, 4000))
        page = trace_page(read_recording(tmp_path / "trace"))
        assert len(render(page).encode()) < _LARGEST
        assert re.search(r"\d+ of 32000 points are drawn: the shortest, the median and the longest", render(page))

    def test_many_searches_have_few_figures(self, tmp_path: Path) -> None:
        lines = []
        for emethod in range(2, 62):
            own = request(0, 1, ("IsIr_aao", "SIr_aao")) | {"request": emethod, "emethod": emethod}
            lines.append(json.dumps(own))
            for start, name in enumerate(["IsIr_aao", "SIr_aao"] * 20):
                line = measured(0, start + 1, name, 1e-5 * (1 + start % 2))
                lines.append(line.replace('"emethod":2', f'"emethod":{emethod}'))
            decided = decision(42, {"IsIr_aao": 1e-5, "SIr_aao": 2e-5}, "IsIr_aao", emethod=emethod)
            lines.append(json.dumps(decided))
        (tmp_path / "adcl.0.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        page = trace_page(read_recording(tmp_path))
        assert len(page.sections) == 24
        assert len(_figures(page)) == 8
        html = render(page)
        assert len(html.encode()) < _LARGEST
        assert "Searches: 60; 60 kept the first candidate." in html

    def test_searches_are_counted_by_result(self, tmp_path: Path) -> None:
        lines = []
        judged = {"IsIr_aao": 2e-5, "SIr_aao": 1e-5}
        for emethod, winner, evidence in (
            (2, "SIr_aao", gain("SIr_aao", 2.0)),
            (3, "SIr_aao", gain("SIr_aao", 1.0)),
            (4, "SIr_aao", None),
            (5, "IsIr_aao", None),
            (6, "", None),
        ):
            lines.append(request(0, 1, ("IsIr_aao", "SIr_aao")) | {"request": emethod, "emethod": emethod})
            if winner:
                lines.append(decision(42, judged, winner, emethod=emethod))
            if evidence is not None:
                lines.append(evidence | {"emethod": emethod})
        (tmp_path / "adcl.0.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        words = _text_of(render(trace_page(read_recording(tmp_path))))
        assert (
            "Searches: 5; 1 found a faster codelet (speedup 2.00× over the first candidate), 1 found no measurable "
            "difference from the first candidate, 1 kept the first candidate, "
            "1 found a winner whose speedup was not measured, 1 ended without a winner." in words
        )

    def test_only_tried_codelet_is_not_called_the_first_candidate(self, tmp_path: Path) -> None:
        lines = []
        for emethod in (2, 3):
            lines.append(request(0, 1, ("IsIr_aao", "SIr_aao")) | {"request": emethod, "emethod": emethod})
            one = decision(42, {"IsIr_aao": 1e-5, "SIr_aao": 1e-5}, "SIr_aao", emethod=emethod)
            lines.append(one | {"first_s": None})
        (tmp_path / "adcl.0.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        words = _text_of(render(trace_page(read_recording(tmp_path))))
        assert "Searches: 2; 2 found a winner whose speedup was not measured." in words
        assert "it is the first candidate" not in words

    def test_candidates_that_were_not_tried_are_one_line(self, tmp_path: Path) -> None:
        names = tuple(f"codelet{number}" for number in range(31))
        lines = [request(0, 1, ("IsIr_aao", *names)), decision(42, {"IsIr_aao": 1e-5}, "IsIr_aao")]
        (tmp_path / "adcl.0.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        page = trace_page(read_recording(tmp_path))
        tables = [block for block in page.sections[0].blocks if block.kind == "table"]
        assert [len(one.rows) for one in tables] == [1]
        texts = [block for block in page.sections[0].blocks if block.kind == "text"]
        assert [one.paragraphs for one in texts] == [(f"Not tried: {', '.join(names)}.",)]

    def test_runs_of_a_folder_are_separate(self, tmp_path: Path) -> None:
        folder = tmp_path / "trace"
        write_trace(folder / "run1", {"IsIr_aao": np.full((2, 5), 7.5e-6)})
        write_trace(folder / "run2", {"SIr_aao": np.full((8, 5), 1e-3)})
        recording = read_recording(folder)
        assert [(one.number, one.ranks) for one in recording.trace.runs] == [(1, 2), (2, 8)]
        first, second = recording.trace.searches
        assert (first.run, first.ranks, second.run, second.ranks) == (1, 2, 2, 8)
        assert sorted(recording.of(first.key)) == [0, 1]
        assert sorted(recording.of(second.key)) == list(range(8))
        boxes = [
            [(box.name, box.median) for box in figure.plot.boxes]
            for figure in _figures(trace_page(recording))
            if isinstance(figure.plot, BoxChart)
        ]
        assert [[name for name, _ in one] for one in boxes] == [["IsIr_aao"], ["SIr_aao"]]
        assert boxes[0][0][1] == pytest.approx(7.5)
        assert read_recording(folder, 5).trace.searches[0].run == 2

    def test_sessions_of_a_run_have_the_same_numbers_on_all_ranks(self, tmp_path: Path) -> None:
        for name in ("run1", "run2"):
            write_trace(tmp_path / name, {"IsIr_aao": np.full((2, 3), 1e-5)})
        file = tmp_path / "run1/adcl.0.jsonl"
        file.write_text(file.read_text(encoding="utf-8") * 2, encoding="utf-8")
        recording = read_recording(tmp_path)
        assert [one.run for one in recording.trace.searches] == [1, 2, 3]
        assert sorted(key[0] for key in recording.ranks[1]) == [1, 3]
