"""``adcl evaluate`` as users type it. Scripts stand in for `poe` and for the program, so that no run takes long."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evaluate_support import EVALUATED
from support import clean_environment, wait_until, within
from tune_programs import POE

from adcl.errors import UsageError
from adcl.evaluate import read_evaluation

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended

_FILE = """
runs = 2
[run]
program = "./program"
arguments = ["adcl", "{size}", "{json}"]
parameters = { size = [1, 10] }
mpi = "poe"
[time]
json = "seconds.total"
[verification]
codelets = ["a", "b", "c"]
[tuned]
searches = ["right", "fooled"]
timings = ["nobarrier", "barrier"]
[original]
arguments = ["plain", "{size}", "{json}"]
"""


@pytest.fixture
def evaluate(adcl: Callable[..., Ended], tmp_path: Path) -> Callable[..., Ended]:
    """Run ``adcl evaluate`` where there is a `poe`, a program and a file."""
    for name, text in (("poe", POE), ("program", EVALUATED.format(python=sys.executable))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "e.toml").write_text(_FILE, encoding="utf-8")
    path = f"{tmp_path}:{os.environ['PATH']}"
    return lambda *arguments, **settings: adcl("evaluate", *arguments, **{"PATH": path, **settings})


def _calls(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "calls").read_text(encoding="utf-8").splitlines()]


def _results(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return document["machines"][0]  # type: ignore[no-any-return]


def test_it_runs_everything_and_says_who_is_best_who_is_fooled_and_what_is_gained(
    evaluate: Callable[..., Ended], tmp_path: Path
) -> None:
    ended = evaluate(
        "run", "e.toml", "--seed", "7", ADCL_HISTORY="history", ADCL_SEARCH="brute_force", ADCL_MONITOR="50"
    )

    assert ended.code == 0, ended.err
    # 2 settings, each with a short search and two repetitions of 3 codelets, 4 combinations and the original.
    assert len(_calls(tmp_path)) == 2 * (1 + 2 * (3 + 4 + 1))
    assert {call["ADCL_HISTORY"] for call in _calls(tmp_path)} == {"off"}
    assert {call["ADCL_MONITOR"] for call in _calls(tmp_path)} == {"50"}
    assert "16 of 32" in ended.err
    machine = _results(tmp_path / "e.evaluation")
    assert machine["seed"] == 7
    small, large = machine["settings"]
    assert (small["name"], large["name"]) == ("ranks=2 size=1", "ranks=2 size=10")
    assert [(one["name"], one["times"]) for one in large["codelets"]] == [
        ("b", [10.0, 10.0]),
        ("c", [20.0, 20.0]),
        ("a", [30.0, 30.0]),
    ]
    assert [one["name"] for one in large["codelets"] if one["winner"]] == ["b"]
    assert [one["name"] for one in large["codelets"] if one["loser"]] == ["a"]
    assert large["native"] == "a"
    assert large["over_native"]["percent"] == pytest.approx(-100 * 2 / 3)
    assert large["over_original"]["percent"] == pytest.approx(-60.0)
    assert (large["over_original"]["runs"], large["over_original"]["reference_runs"]) == (2, 2)
    fooled = next(one for one in large["tuned"] if one["combination"]["search"] == "fooled")
    assert fooled["chosen"] == ["c", "c"]
    assert fooled["losses_percent"] == pytest.approx([100.0, 100.0])
    assert fooled["regret"]["percent"] == pytest.approx(100.0)
    assert fooled["over_original"]["percent"] == pytest.approx(-20.0)
    # Estimated order c < a < b, true order b < c < a: the errors are c before b, and a before b.
    assert fooled["ranking"][0]["worst"] == pytest.approx(200.0)
    assert fooled["ranking"][0]["sum"] == pytest.approx(300.0)
    within = {one["combination"]["search"]: one["within"] for one in machine["summaries"]}
    assert within == {"right": 1.0, "fooled": 0.0}
    assert not (tmp_path / "e.evaluation" / "scratch").exists()

    page = (tmp_path / "e.evaluation" / "report.html").read_text(encoding="utf-8")
    for words in (
        "Best and worst codelets",
        "negative is faster",
        "e_min",
        "over original",
        "instability of each codelet",
        "regret",
        "n_c: number of verified codelets",
        "n_m, the number of measurements per codelet",
        "u_tot, the combined standard deviation of both means",
        "from e_min to e_max, the smallest and the largest difference",
    ):
        assert words in " ".join(html.unescape(page).split())
    assert max(line.count("</th>") for line in page.splitlines() if line.startswith("<thead>")) <= 9, "fits 1280 pixels"
    again = evaluate("run", "e.toml", "--seed", "7", ADCL_SEARCH="brute_force")
    assert again.code == 0
    assert len(_calls(tmp_path)) == 34
    more = evaluate("run", "e.toml", "--runs", "3")
    assert more.code == 0, more.err
    assert len(_calls(tmp_path)) == 34 + 16
    other = evaluate("run", "e.toml", "--on", "flat")
    assert other.code != 0


def test_a_figure_without_data_is_left_out(evaluate: Callable[..., Ended], tmp_path: Path) -> None:
    text = _FILE.replace('"right", "fooled"', '"right"').replace('["nobarrier", "barrier"]', '"barrier"')
    (tmp_path / "e.toml").write_text(text.replace("[1, 10]", "[1]").replace("runs = 2", "runs = 1"), encoding="utf-8")

    assert evaluate("run", "e.toml").code == 0

    page = (tmp_path / "e.evaluation" / "report.html").read_text(encoding="utf-8")
    assert "The estimates of right rank all pairs of codelets as the verification runs do." in page
    assert "All runs chose one of the best codelets." in page
    assert page.count("<svg") == 1, "the runs of each codelet"
    for heading in ("Comparison with the original program", "The fastest codelet against others"):
        assert heading not in page, "single runs are not compared"


def test_what_a_search_chooses_is_verified_and_what_is_hopeless_stopped(
    evaluate: Callable[..., Ended], tmp_path: Path
) -> None:
    text = _FILE.replace('"right", "fooled"', '"lost"').replace('["nobarrier", "barrier"]', '"barrier"')
    (tmp_path / "e.toml").write_text(text.replace("[1, 10]", "[1]"), encoding="utf-8")

    ended = evaluate("run", "e.toml")

    assert ended.code == 0, ended.err
    setting = _results(tmp_path / "e.evaluation")["settings"][0]
    assert [one["name"] for one in setting["codelets"]] == ["b", "c", "a", "d"]
    assert setting["tuned"][0]["losses_percent"] == pytest.approx([3900.0, 3900.0])


def test_an_interrupted_or_killed_evaluation_goes_on_where_it_was(
    evaluate: Callable[..., Ended], tmp_path: Path
) -> None:
    evaluate("run", "e.toml", "--seed", "3", "--output", "whole")
    (tmp_path / "calls").unlink()
    words = [sys.executable, "-m", "adcl", "evaluate", "run", "e.toml", "--seed", "3", "--output", "parts"]
    environment = clean_environment(PATH=f"{tmp_path}:{os.environ['PATH']}")
    journal = tmp_path / "parts" / "journal.jsonl"
    for number, lines in ((signal.SIGINT, 6), (signal.SIGKILL, 14)):
        with subprocess.Popen(
            words, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            enough = lambda count=lines: journal.exists() and len(journal.read_bytes().splitlines()) >= count  # noqa: E731
            assert wait_until(enough, 30)
            running.send_signal(number)
            code = running.wait(within(30))
        assert code == (130 if number is signal.SIGINT else -signal.SIGKILL)
    with journal.open("ab") as file:
        file.write(b'{"event":"done","ru')

    ended = evaluate(*words[4:])

    assert ended.code == 0, ended.err
    parts, whole = _results(tmp_path / "parts"), _results(tmp_path / "whole")
    assert parts["settings"] == whole["settings"]
    keys = [json.loads(line).get("run", {}).get("key") for line in journal.read_text(encoding="utf-8").splitlines()]
    known = [key for key in keys if key]
    assert len(known) == len(set(known)) == 32


def test_runs_that_fail_are_told_and_run_again_next_time(evaluate: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    first = evaluate("run", "e.toml")
    assert first.code == 1
    assert "adcl: 4 of 32 runs failed; run the same command again to repeat them; first failure: " in first.err
    assert "no mesh" in (tmp_path / "e.evaluation/report.html").read_text(encoding="utf-8")
    assert [one["name"] for one in _results(tmp_path / "e.evaluation")["settings"][0]["codelets"]] == ["b", "a"]
    (tmp_path / "broken").unlink()
    before = len(_calls(tmp_path))

    assert evaluate("run", "e.toml").code == 0

    assert len(_calls(tmp_path)) == before + 4
    assert [one["name"] for one in _results(tmp_path / "e.evaluation")["settings"][0]["codelets"]] == ["b", "c", "a"]


def test_machines_stand_side_by_side_and_others_are_refused(evaluate: Callable[..., Ended], tmp_path: Path) -> None:
    text = (tmp_path / "e.toml").read_text(encoding="utf-8").replace("[1, 10]", "[1]").replace("runs = 2", "runs = 1")
    (tmp_path / "e.toml").write_text(text, encoding="utf-8")
    evaluate("run", "e.toml", "--output", "here", "--machine", "here")
    evaluate("run", "e.toml", "--output", "there", "--machine", "there")

    shown = evaluate("report", "here", "there", "-o", "both.html")

    assert shown.code == 0, shown.err
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "Side by side" in page
    assert page.count("<svg") == 5, "wins, two of ranking errors, two of runs; single runs cannot be compared"
    document = json.loads(evaluate("report", "here", "there", "--json").out)
    assert [one["machine"] for one in document["machines"]] == ["here", "there"]
    refused = evaluate("run", "e.toml", "--output", "here", "--machine", "elsewhere")
    assert refused.code == 1
    assert "--fresh" in refused.err
    assert "no evaluation" in evaluate("report", "nowhere").err
    assert evaluate("run", "e.toml", "--output", "here", "--machine", "elsewhere", "--fresh").code == 0
    assert (tmp_path / "here.1" / "journal.jsonl").exists()


def test_the_starting_file_is_valid_and_init_overwrites_nothing(evaluate: Callable[..., Ended], tmp_path: Path) -> None:
    assert evaluate("init", "-o", "new.toml", "--program", "./mine").code == 0

    found = read_evaluation(tmp_path / "new.toml")

    assert Path(found.program).name == "mine"
    assert len(found.combinations) == 2 * 2 * 2  # searches, methods, techniques
    assert found.original is not None
    assert evaluate("init", "-o", "new.toml").code == 2
    shown = evaluate("run", "e.toml", "--show")
    assert shown.code == 0
    assert "tuned: right none nobarrier" in shown.out
    assert not (tmp_path / "calls").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("runs = 2", "runs = 0"), "the minimum is 1"),
        (('"seconds.total"', '"seconds.total"\npattern = "x"'), "exclude each other"),
        (('json = "seconds.total"', 'pattern = "seconds"'), "must have one group"),
        (('[time]\njson = "seconds.total"', ""), "name the member"),
        (("{size}", "{sice}"), "not a parameter"),
        (("timings", "timing"), "did you mean timings"),
        (("[tuned]", "[tuned]\nmeasurements = [0]"), "numbers of measurements"),
        (('"a", "b", "c"]', '"a"]\nfastest = 2'), "exclude each other"),
        (("size = [1, 10]", "json = [1]"), "reserved"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_line(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    file = tmp_path / "e.toml"
    assert change[0] in _FILE
    file.write_text(_FILE.replace(*change), encoding="utf-8")

    with pytest.raises(UsageError, match=rf"e.toml:\d+: .*{message}"):
        read_evaluation(file)


def test_a_codelet_that_is_no_candidate_is_refused(evaluate: Callable[..., Ended], tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(_FILE.replace('"c"]', '"z"]'), encoding="utf-8")

    ended = evaluate("run", "e.toml")

    assert ended.code == 2
    assert "no candidate is named z; candidates: a, b, c, d" in ended.err
