"""docs/figures.md, its records, and the declarations of all figures."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT, bench_files, script

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

DOCS = PROJECT / "docs"


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    """Import tools/figures.py."""
    return script("tools/figures.py")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Copy the page and the records."""
    shutil.copytree(DOCS / "figures", tmp_path / "figures")
    shutil.copy(DOCS / "figures.md", tmp_path)
    return tmp_path


def test_the_page_matches_the_records(figures: ModuleType) -> None:
    assert figures.differences() == []


def test_the_page_is_short() -> None:
    assert len((DOCS / "figures.md").read_text("utf-8").splitlines()) <= 250
    assert len((DOCS / "design-notes.md").read_text("utf-8").splitlines()) <= 150


def test_every_bench_is_declared(figures: ModuleType) -> None:
    assert figures.declared().keys() == bench_files().keys()


def test_only_declarations_contain_units_and_targets() -> None:
    files = [file for file in (PROJECT / "bench").rglob("*") if file.suffix in {".py", ".cpp", ".hpp"}]
    assert len(files) > 50
    stated = [file.name for file in files if re.search(r'"(unit|target)"', file.read_text("utf-8"))]
    assert stated == []


def test_every_bench_is_on_a_page(figures: ModuleType) -> None:
    text = (DOCS / "figures.md").read_text("utf-8")
    for bench in figures.declared().values():
        assert (f"`{bench.name}`, [" if bench.see else f"make bench NAME={bench.name}`") in text
        if bench.see:
            assert f"NAME={bench.name}" in (DOCS / bench.see.partition("#")[0]).read_text("utf-8")


def test_a_changed_value_is_reported(figures: ModuleType, docs: Path) -> None:
    record = docs / "figures/F/overhead.json"
    record.write_text(record.read_text("utf-8").replace("73573.5", "61000.5"), encoding="utf-8")
    assert figures.differences(docs) == ["docs/figures.md: does not match the records; run tools/figures.py render"]


def test_another_page_shows_the_table_of_its_bench(figures: ModuleType, docs: Path) -> None:
    document = json.loads((docs / "figures/F/overhead.json").read_text("utf-8"))
    value = {"name": "worst_program_over_plain", "value": 1.004, "unit": "ratio", "target": 1.01}
    document |= {"bench": "interpose_packages", "figures": [value], "absent": {"*": "not measured"}}
    (docs / "figures/F/interpose_packages.json").write_text(json.dumps(document), encoding="utf-8")
    begin = "<!-- tools/figures.py: interpose_packages -->\n"
    page = docs / "interposer.md"
    page.write_text(f"before\n{begin}old<!-- end of the table -->\nafter\n", encoding="utf-8")
    (found,) = figures.differences(docs)
    assert found == "docs/interposer.md: does not match the records; run tools/figures.py render"
    text = figures.page_of(figures.declared(), docs / "figures")["interposer.md"]
    assert text.startswith(f"before\n{begin}")
    assert text.endswith("<!-- end of the table -->\nafter\n")
    assert "| the worst of these programs | ≤ 1.01 | 1 |" in text
    assert "old" not in text
    page.write_text(text, encoding="utf-8")
    assert figures.differences(docs) == []


def _with(changes: dict[str, Any]) -> Any:
    def change(document: dict[str, Any]) -> None:
        document["figures"][0] |= changes

    return change


def _without(document: dict[str, Any]) -> None:
    del document["figures"][1]


def _twice(document: dict[str, Any]) -> None:
    document["figures"].append(copy.deepcopy(document["figures"][0]))


@pytest.mark.parametrize(
    ("change", "objection"),
    [
        (_with({"name": "request_stop_added_ns"}), "figure request_stop_added_ns of bench overhead is not declared"),
        (_with({"target": 15}), "the target of figure request_start_added_ns is 15; bench/figures.toml declares 10"),
        (_with({"unit": "us"}), "the unit of figure request_start_added_ns is 'us'; bench/figures.toml declares 'ns'"),
        (_with({"value": None}), "the value of figure request_start_added_ns is None, not a finite number"),
        (_without, "request_start_watched_ns is missing, and 'absent' gives no reason"),
        (_twice, "figure request_start_added_ns occurs twice"),
        (lambda document: document.pop("commit"), "has no 'commit'"),
        (lambda document: document["absent"].update({"creation": "forgotten"}), "names creation, which exists"),
        (lambda document: document["context"].update({"form": "short"}), "is of the short form"),
    ],
)
def test_an_invalid_record_is_rejected(figures: ModuleType, docs: Path, change: Any, objection: str) -> None:
    file = docs / "figures/F/overhead.json"
    document = json.loads(file.read_text("utf-8"))
    change(document)
    file.write_text(json.dumps(document), encoding="utf-8")
    (found,) = figures.differences(docs)
    assert found.startswith("F/overhead.json: ")
    assert objection in found


def test_a_record_of_an_unknown_bench_is_rejected(figures: ModuleType, docs: Path) -> None:
    shutil.move(docs / "figures/F/overhead.json", docs / "figures/F/overlook.json")
    assert figures.differences(docs) == ["F/overlook.json: bench/figures.toml declares no bench 'overlook'"]


@pytest.mark.parametrize(
    ("missed", "sentences"),
    [("It takes 1.5 µs. The bound is 1. It is noise.", 3), ("Why? It is noise! No. Yes.", 4)],
)
def test_the_reason_for_a_missed_target_is_short(
    figures: ModuleType, tmp_path: Path, missed: str, sentences: int
) -> None:
    def declare(text: str) -> Any:
        file = tmp_path / "figures.toml"
        file.write_text(f'[x]\ntitle = "x"\nmissed = "{text}"\n[x.figures]\n', encoding="utf-8")
        return figures.declared(file)

    with pytest.raises(ValueError, match=f"`missed` of x has {sentences} sentences; write at most 2"):
        declare(missed)
    assert declare("It takes 1.5 µs. The bound is 1.")["x"].missed == "It takes 1.5 µs. The bound is 1."


def test_a_missed_target_needs_a_reason(figures: ModuleType, docs: Path) -> None:
    record = docs / "figures/E/oversubscribed.json"
    document = json.loads(record.read_text("utf-8"))
    document["figures"][0]["value"] = 1.5
    record.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match="oversubscribed misses a target, but `missed` is empty"):
        figures.differences(docs)


def test_a_result_is_stored_with_its_context(tmp_path: Path) -> None:
    modules = (f"studies/{one.name}" for one in (PROJECT / "studies").glob("*.py"))
    for name in ("tools", "bench/figures.toml", "docs/figures", *modules):
        source, target = PROJECT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    (tmp_path / "build/bench").mkdir(parents=True)
    found = [{"name": "profiler_call_added_ns", "value": 15.5, "interval": [15.0, 16.0]}]
    file = tmp_path / "build/bench/profile.json"
    context = {"form": "usual", "mpi_library": "Open MPI v4.1.4"}
    file.write_text(json.dumps({"context": context, "figures": found}), encoding="utf-8")

    def store(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(tmp_path / "tools/figures.py"), "store", "profile", "Z", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    lacking, unknown = store(), store("--absent", "not measured")
    assert "lacks profiler_message_added_ns; state the reason with --absent" in lacking.stderr
    assert "Z is a new machine; describe it with --about" in unknown.stderr
    done = store("--absent", "not measured", "--about", "two cores", "--commit", "abc1234")
    assert done.returncode == 0, done.stderr
    stored = json.loads((tmp_path / "docs/figures/Z/profile.json").read_text("utf-8"))
    assert (stored["commit"], stored["libraries"], stored["command"]) == (
        "abc1234",
        "Open MPI v4.1.4",
        "make bench NAME=profile",
    )
    assert stored["figures"][0] == found[0] | {"unit": "ns", "target": 50}
    assert stored["absent"] == {"profiler_message_added_ns": "not measured"}
    assert "| Z | two cores |" in (tmp_path / "docs/figures.md").read_text("utf-8")
