"""``adcl history``: show, merge, prune, export and import; damaged and foreign files are harmless."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adcl.knowledge import Folder, HistoryError, KeptProblem, export_text, import_text
from adcl.knowledge._records import entry_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended

    Adcl = Callable[..., Ended]

ONE, TWO = "00000000000000a1", "00000000000000b2"


def _document(identity: str = ONE, winner: str = "Sr_pair", decided: str = "2026-11-23T10:00:00Z") -> dict[str, Any]:
    estimate = {
        "mean_s": 2e-6,
        "filtered_mean_s": 1.5e-6,
        "outliers": 1,
        "measurements": 10,
        "spread_s": 1e-7,
        "judged_s": 1.5e-6,
    }
    return {
        "schema": 1,
        "identity": identity,
        "function_set": "neighborhood",
        "problem": "2 messages out (96 points)",
        "signature": "fedcba9876543210",
        "processor": "A processor",
        "barrier": False,
        "features": {"pattern": "neighborhood", "ranks": 2.0},
        "candidates": ["IsIr_aao", "Sr_pair"],
        "decisions": {
            "start": {
                "winner": winner,
                "winner_s": 1.5e-6,
                "reason": f"{winner} was the fastest",
                "search": "racing",
                "outliers": "heuristic",
                "decided": decided,
                "confirmed": "",
                "decisions": 1,
                "confirmations": 0,
                "version": "2.0.0",
                "estimates": [{"codelet": winner, **estimate}],
            }
        },
    }


def _entry(*arguments: str) -> KeptProblem:
    return entry_of(_document(*arguments), "here")


def _put(folder: Path, document: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{document['identity']}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_lists_entries_and_ignored_files(adcl: Adcl, tmp_path: Path) -> None:
    folder = tmp_path / "history"
    _put(folder, _document())
    (folder / f"{TWO}.json").write_text('{"schema": 1,', encoding="utf-8")
    listed = adcl("history", "list", "--folder", str(folder))
    assert listed.code == 0
    for word in (ONE, "Sr_pair", "2026-11-23"):
        assert word in listed.out
    document = json.loads(adcl("history", "list", "--json", ADCL_HISTORY=str(folder)).out)
    assert [one["identity"] for one in document["entries"]] == [ONE]
    assert [Path(one["file"]).name for one in document["not_used"]] == [f"{TWO}.json"]


def test_shows_one_problem_by_its_first_digits(adcl: Adcl, tmp_path: Path) -> None:
    _put(tmp_path, _document())
    _put(tmp_path, _document(TWO))
    shown = adcl("history", "show", "00000000000000b", "--folder", str(tmp_path))
    assert shown.code == 0
    words = " ".join(shown.out.split())
    for part in ("Sr_pair was the fastest", "ranks 2", "timing without barriers", "not confirmed since"):
        assert part in words
    several = adcl("history", "show", "0000", "--folder", str(tmp_path))
    assert several.code == 1
    assert "2 entries start with '0000'" in several.err
    assert "no entry starts with 'f'" in adcl("history", "show", "f", "--folder", str(tmp_path)).err


def test_shows_candidates_excluded_by_similar_problems(adcl: Adcl, tmp_path: Path) -> None:
    document = _document()
    document["decisions"]["start"]["expected"] = {"IsIr_aao": 2.5}
    _put(tmp_path, document)
    words = " ".join(adcl("history", "show", "0", "--folder", str(tmp_path)).out.split())
    assert "slow in similar problems" in words
    assert "IsIr_aao 2.50 × the winner" in words


def test_shows_candidates_not_worth_a_trial(adcl: Adcl, tmp_path: Path) -> None:
    document = _document()
    document["decisions"]["start"]["untried"] = {"Sr_pair": 0.25, "IsIr_aao": -0.5}
    _put(tmp_path, document)
    words = " ".join(adcl("history", "show", "0", "--folder", str(tmp_path)).out.split())
    assert "smaller than the cost of a trial: IsIr_aao, Sr_pair" in words


@pytest.mark.parametrize("correction", [float("nan"), float("inf"), "much"])
def test_file_with_invalid_estimates_is_ignored(adcl: Adcl, tmp_path: Path, correction: float | str) -> None:
    document = _document()
    document["decisions"]["start"]["untried"] = {"IsIr_aao": correction}
    _put(tmp_path, document)
    assert adcl("history", "show", "0", "--folder", str(tmp_path)).code == 1


@pytest.mark.parametrize("ratio", [0.5, float("nan"), float("inf"), "slow"])
def test_file_with_invalid_expectations_is_ignored(adcl: Adcl, tmp_path: Path, ratio: float | str) -> None:
    document = _document()
    document["decisions"]["start"]["expected"] = {"IsIr_aao": ratio}
    _put(tmp_path, document)
    shown = adcl("history", "show", "0", "--folder", str(tmp_path))
    assert shown.code == 1


@pytest.mark.parametrize(
    "command", [["list"], ["prune"], ["show", "a"], ["export", "-"], ["import", "x"], ["merge", "x"]]
)
def test_requires_a_folder(adcl: Adcl, command: list[str]) -> None:
    ended = adcl("history", *command)
    assert ended.code == 2
    assert "ADCL_HISTORY" in ended.err


def test_names_a_missing_folder(adcl: Adcl, tmp_path: Path) -> None:
    ended = adcl("history", "list", "--folder", str(tmp_path / "none"))
    assert ended.code == 1
    assert "No such file or directory" in ended.err


def test_merging_keeps_the_later_decision_and_is_idempotent(adcl: Adcl, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    _put(here, _document(ONE, "Sr_pair", "2026-11-20T00:00:00Z"))
    newer = _document(ONE, "IsIr_aao", "2026-11-21T00:00:00Z")
    newer["decisions"]["init and wait"] = newer["decisions"]["start"]
    _put(there, newer)
    _put(there, _document(TWO))
    assert adcl("history", "merge", str(there), "--folder", str(here)).out == "changed 2 problems\n"
    entries = {one.identity: one for one in Folder(here).read()[0]}
    assert entries[ONE].decisions["start"].winner == "IsIr_aao"
    assert sorted(entries[ONE].decisions) == ["init and wait", "start"]
    assert adcl("history", "merge", str(there), "--folder", str(here)).out == "changed 0 problems\n"
    # Merging an older decision does not replace the newer one.
    _put(there, _document(ONE, "Sr_pair", "2026-11-19T00:00:00Z"))
    assert adcl("history", "merge", str(there), "--folder", str(here)).out == "changed 0 problems\n"


def test_merging_keeps_the_largest_number_of_confirmations() -> None:
    older, newer = _document(), _document(ONE, "Sr_pair", "2026-11-24T00:00:00Z")
    older["decisions"]["start"] |= {"confirmations": 7, "confirmed": "2026-11-23T12:00:00Z"}
    newer["decisions"]["start"] |= {"decisions": 3}
    from adcl.knowledge._records import merged

    decision = merged(entry_of(newer, "n"), entry_of(older, "o")).decisions["start"]
    assert (decision.decisions, decision.confirmations, decision.confirmed) == (3, 7, "2026-11-23T12:00:00Z")


def test_prunes_leftovers_and_old_problems(adcl: Adcl, tmp_path: Path) -> None:
    recent = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    _put(tmp_path, _document(ONE, "Sr_pair", "2020-01-01T00:00:00Z"))
    kept = _document(TWO, "Sr_pair", "2020-01-01T00:00:00Z")
    kept["decisions"]["start"] |= {"confirmed": recent, "confirmations": 1}
    _put(tmp_path, kept)
    foreign = _put(tmp_path, _document("00000000000000c3") | {"schema": 9})
    (tmp_path / f"{ONE}.json.broken").write_text("", encoding="utf-8")
    (tmp_path / f"{ONE}.json.host.1.tmp").write_text("", encoding="utf-8")
    long_ago = tmp_path / f"{ONE}.json.host.2.tmp"
    long_ago.write_text("", encoding="utf-8")
    os.utime(long_ago, (1, 1))
    before = sorted(path.name for path in tmp_path.glob("0*"))

    arguments = ("history", "prune", "--older-than", "30", "--folder", str(tmp_path))
    assert adcl(*arguments, "--dry-run").out.count("would remove") == 3
    assert sorted(path.name for path in tmp_path.glob("0*")) == before
    assert adcl(*arguments).out.count("removed") == 3

    assert sorted(path.name for path in tmp_path.glob("0*")) == [f"{ONE}.json.host.1.tmp", f"{TWO}.json", foreign.name]
    assert adcl("history", "prune", "--folder", str(tmp_path)).out == "nothing to remove\n"


def test_exports_and_imports_to_the_last_bit(adcl: Adcl, tmp_path: Path) -> None:
    document = _document()
    document["decisions"]["start"]["winner_s"] = 1 / 3
    _put(tmp_path / "here", document)
    _put(tmp_path / "here", _document(TWO))
    file = str(tmp_path / "all.json")
    assert adcl("history", "export", file, "--folder", str(tmp_path / "here")).out == "exported 2 problems\n"
    assert adcl("history", "import", file, "--folder", str(tmp_path / "new/folder")).out == "changed 2 problems\n"
    assert Folder(tmp_path / "new/folder").read() == Folder(tmp_path / "here").read()
    piped = adcl("history", "export", "-", "--folder", str(tmp_path / "here")).out
    assert piped == Path(file).read_text(encoding="utf-8")
    ended = adcl("history", "import", "-", "--folder", str(tmp_path / "third"), stdin=piped)
    assert ended.out == "changed 2 problems\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[1]", "not written by 'adcl history export'"),
        ('{"entries": [{"schema": 2}]}', "schema 2, but this adcl reads schema 1"),
        ('{"entries": [3]}', "the member 'schema' is missing"),
        (json.dumps({"entries": [_document("../../../etc/x")]}), "not 16 hexadecimal digits"),
        (json.dumps({"entries": [_document() | {"barrier": 3}]}), "barrier"),
        ("[" * 100000, "not valid JSON"),
    ],
)
def test_rejects_invalid_imports(text: str, message: str) -> None:
    with pytest.raises(HistoryError, match=message):
        import_text(text, "file")


@pytest.mark.parametrize(
    "change",
    [{"winner_s": -1.0}, {"winner_s": float("inf")}, {"winner": "IsIr_aao"}, {"estimates": []}, {"confirmations": -1}],
)
def test_rejects_invalid_numbers(change: dict[str, Any]) -> None:
    document = _document()
    document["decisions"]["start"] |= change
    with pytest.raises(HistoryError, match=r"winner|time or count"):
        entry_of(document, "here")


def test_does_not_overwrite_a_broken_target(adcl: Adcl, tmp_path: Path) -> None:
    _put(tmp_path / "there", _document())
    (tmp_path / "here").mkdir()
    broken = tmp_path / "here" / f"{ONE}.json"
    broken.write_text("{", encoding="utf-8")
    ended = adcl("history", "merge", str(tmp_path / "there"), "--folder", str(tmp_path / "here"))
    assert ended.code == 1
    assert "not valid JSON" in ended.err
    assert broken.read_text(encoding="utf-8") == "{"


def test_reports_a_full_disk(tmp_path: Path) -> None:
    import socket

    (tmp_path / f"{ONE}.json.{socket.gethostname()}.{os.getpid()}.tmp").symlink_to("/dev/full")
    with pytest.raises(HistoryError, match="No space left"):
        Folder(tmp_path).add([_entry()])
    assert not list(tmp_path.glob("0*"))


def _add_many(folder: str, winner: str) -> None:
    for second in range(6):
        Folder(Path(folder)).add([_entry(ONE, winner, f"2026-11-23T10:00:{second:02}Z"), _entry(TWO, winner)])


def test_eight_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    jobs = [context.Process(target=_add_many, args=(str(tmp_path), "Sr_pair")) for _ in range(8)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join(60)
        assert job.exitcode == 0
    entries, leftovers = Folder(tmp_path).read()
    assert [one.identity for one in entries] == [ONE, TWO]
    assert entries[0].decisions["start"].decided == "2026-11-23T10:00:05Z"
    assert leftovers == []


def test_export_is_one_document() -> None:
    assert import_text(export_text([_entry(), _entry(TWO)]), "file") == [_entry(), _entry(TWO)]
