"""Study files, the store, and Extra-P's formats."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scale_support import measurements

from adcl.errors import AdclError
from adcl.scale import (
    Measurement,
    Store,
    StudyError,
    Term,
    parse,
    parse_term,
    planned,
    read_any,
    read_extrap_jsonl,
    read_extrap_text,
    read_measurements,
    read_rule,
    read_study,
    write_extrap_jsonl,
    write_extrap_text,
)
from adcl.scale.input import _records, _store

if TYPE_CHECKING:
    from collections.abc import Iterator

STUDY = """\
schema = 1
name = "collectives"
aggregate = "median"
confidence = 0.99

[run]
program = "./bench"
arguments = ["--bytes", "{bytes}", "--only={job}"]
ranks = "2..16"
neighbors = true
parameters = { bytes = [8, 1024] }
jobs = 3

[[expect]]
function = ["Bcast", "Reduce"]
growth = "log p"
deviation = "sqrt p"

[[expect]]
function = "Allreduce"
metric = "memory_bytes"
where = { bytes = 8 }
growth = "p"
space = { halvings = 1, add = ["p^0.33"], upper = "p^3" }

[[expect]]
function = "Barrier"

[[rule]]
rule = "Bcast <= 2 Reduce + Bcast (BT)"
tolerance = 0.05

[[limit]]
function = "Allreduce"
metric = "memory_bytes"
at_most = 1e9
times = 8
up_to = 4096
"""


def _study(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    return read_study(path)


def test_a_whole_study(tmp_path: Path) -> None:
    study = _study(tmp_path, STUDY)
    assert (study.name, study.aggregate.value, study.confidence) == ("collectives", "median", 0.99)
    assert study.store == tmp_path / "c.jsonl"
    assert study.plan.ranks == (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17)
    assert study.plan.program == str(tmp_path / "bench")
    bcast, reduce, allreduce, barrier = study.expectations
    assert (bcast.function, reduce.function, bcast.metric) == ("Bcast", "Reduce", "time_s")
    assert bcast.expected.growth == parse("log p")
    assert bcast.expected.deviation == parse_term("sqrt p")
    assert allreduce.where == (("bytes", 8.0),)
    assert allreduce.expected.refinement.halvings == 1
    assert allreduce.expected.refinement.upper == parse_term("p^3").growth("p")
    assert barrier.expected is None
    assert str(study.rules[0]) == "Bcast <= 2 Reduce + Bcast (BT)"
    assert study.rules[0].tolerance == 0.05
    assert (study.limits[0].at_most, study.limits[0].times, study.limits[0].up_to) == (1e9, 8.0, 4096.0)


def test_all_jobs_are_planned_in_seeded_order(tmp_path: Path) -> None:
    plan = _study(tmp_path, STUDY).plan
    tasks = planned(plan, "main", 7)
    assert len({one.key for one in tasks}) == len(tasks) == 11 * 2 * 3
    assert tasks == planned(plan, "main", 7)
    assert tasks != planned(plan, "main", 8)
    assert [one.key for one in tasks] != sorted(one.key for one in tasks)
    one = next(task for task in tasks if task.key == "ranks=8 job=2 bytes=1024")
    assert (one.ranks, one.arguments) == (8, ("--bytes", "1024", "--only=2"))


def test_the_british_spelling_of_neighbors_is_accepted(tmp_path: Path) -> None:
    old = _study(tmp_path, STUDY.replace("neighbors = true", "neighbours = true"))
    assert old.plan == _study(tmp_path, STUDY).plan


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('growth = "log p"', 'growth = "log log p"', r"c.toml:16: growth: 'log log p'.*omit the inner logarithm"),
        ('growth = "log p"', "growth = 3", r"c.toml:16: growth: expected text, found 3"),
        ('deviation = "sqrt p"', 'deviation = "p + n"', r"c.toml:17: deviation: .*2 leading terms"),
        ('deviation = "sqrt p"', 'deviatoin = "p"', r"c.toml:17: deviatoin: .*did you mean deviation\?"),
        ('function = "Barrier"', 'fnction = "Barrier"', r"c.toml:27: fnction: .*did you mean function\?"),
        ("halvings = 1", "halvings = -1", r"c.toml:24: halvings: -1 is too small"),
        ('add = ["p^0.33"]', 'add = ["n p"]', r"c.toml:24: add: 'n p' has several parameters"),
        (
            '"Bcast <= 2 Reduce + Bcast (BT)"',
            '"Bcast < Reduce"',
            r"c.toml:30: rule: .*is not a rule; write for example",
        ),
        ('ranks = "2..16"', 'ranks = "2..x"', r"c.toml:9: ranks: '2..x' does not contain rank counts; write"),
        ('"--only={job}"', '"{size}"', r"c.toml:8: arguments: {size} is not a parameter.*bytes, job, ranks, run"),
        (
            'program = "./bench"',
            "",
            r"c.toml:6: program is missing; write for example program = .adcl-bench",
        ),
        ("at_most = 1e9", 'at_most = "1 GB"', r"c.toml:36: at_most: expected a number, found '1 GB'"),
        ("schema = 1", "schema = 9", r"c.toml:1: schema: 9 is unknown; this adcl reads 1"),
        ('aggregate = "median"', 'aggregate = "mode"', r"c.toml:3: aggregate: 'mode' is not one of q1, median"),
        ("confidence = 0.99", "confidence = 2", r"c.toml:4: confidence: 2 is not a confidence"),
        ("jobs = 3", "jobs = 0", r"c.toml:12: jobs: 0 is too small"),
        ("[run]", "[run", r"c.toml:6: "),
        ("bytes = [8, 1024]", 'bytes = ["8"]', r"c.toml:11: bytes: expected numbers"),
    ],
)
def test_errors_name_file_line_key_and_remedy(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in STUDY
    with pytest.raises(StudyError, match=message):
        _study(tmp_path, STUDY.replace(old, new))


def test_tables_below_expectations_have_lines_too(tmp_path: Path) -> None:
    text = '[[expect]]\nfunction = "f"\ngrowth = "p"\n[expect.space]\npowers = ["0", "1/2"]\nlogarithms = [1]\n'
    with pytest.raises(StudyError, match=r"c.toml:6: logarithms: expected text, found 1"):
        _study(tmp_path, text)
    space = _study(tmp_path, text.replace("[1]", '["0", "1"]')).expectations[0].expected.refinement
    assert len(space.terms) == 4


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ('powers = ["1/2", "1"]', ["p^0.5", "p"]),
        ('logarithms = ["0", "2"]', ["1", "log^2 p"]),
        ('exponentials = ["1"]\npowers = ["0", "2"]', ["2^p", "p^2 2^p"]),
        ('powers = ["1"]\nterms = ["p^3"]', ["p^3", "p"]),
    ],
)
def test_a_search_space_has_a_key_for_each_factor(tmp_path: Path, keys: str, expected: list[str]) -> None:
    text = f'[[expect]]\nfunction = "f"\ngrowth = "p"\n[expect.space]\n{keys}\n'
    space = _study(tmp_path, text).expectations[0].expected.refinement
    assert [str(Term.of({"p": growth})) for growth in space.terms] == expected


def test_study_requires_an_expectation(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"the study states no expectation; write \[\[expect\]\]"):
        _study(tmp_path, "schema = 1\n")
    with pytest.raises(StudyError, match="cannot read"):
        read_study(tmp_path / "missing.toml")


def test_rules() -> None:
    rule = read_rule("Allgather ≤ Gather + 1.5 Bcast", "time_s")
    assert (rule.left, rule.right) == ("Allgather", ((1.0, "Gather"), (1.5, "Bcast")))


def test_store_returns_stored_measurements(tmp_path: Path) -> None:
    store = Store(tmp_path / "folder" / "s.jsonl")
    assert store.entries() == []
    rows = measurements("f", "1 + p", bytes=8)
    store.append("v1", "job 1", 5.0, rows[:4])
    store.append("v2", "job 1", 6.0, rows[4:])
    assert [one.measurement for one in store.entries()] == rows
    assert [(one.run, one.time_s) for one in store.entries()] == [("v1", 5.0)] * 4 + [("v2", 6.0)] * 4
    assert store.finished("v1") == {"job 1"}
    assert store.finished("v3") == set()


def test_partial_lines_of_a_killed_process_are_ignored(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.jsonl")
    rows = measurements("f", "p")
    store.append("v", "a", 1.0, rows[:2])
    whole = store.path.read_bytes()
    for cut in [*range(1, len(whole) - 4, 17), *range(len(whole) - 4, len(whole))]:
        store.path.write_bytes(whole[:cut])
        count = len(store.entries())
        # The measurements count after the last line, which marks the job as successful.
        assert count == (2 if cut >= len(whole) - 1 else 0)
        store.append("v", "b", 2.0, rows[2:3])
        assert store.finished("v") >= {"b"}
        assert [one.job for one in store.entries()].count("b") == 1
        store.path.write_bytes(whole)


def test_broken_and_foreign_stores_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"schema":1,"run":"a","job":"b","time_s":1,"done":true}\nnonsense\n{"schema":1}\n')
    with pytest.raises(AdclError, match=r"s.jsonl:2: not JSON .*remove the line"):
        Store(path).entries()
    path.write_text('{"schema":7,"run":"a"}\n')
    with pytest.raises(AdclError, match=r"s.jsonl:1: the schema is 7, but this adcl reads 1"):
        Store(path).entries()
    path.write_text('{"other":7}\n')
    with pytest.raises(AdclError, match="is not a store of adcl scale"):
        Store(path).entries()


def test_a_store_of_several_blocks_is_read_as_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks may end anywhere; other lines are unusual, blank, or lack a line end."""
    store = Store(tmp_path / "s.jsonl")
    for job in range(5):
        store.append("v", f"{job}", 1.0, measurements("f", "1 + p", (2.0, 4.0)))
    lines = store.path.read_text(encoding="utf-8").splitlines()
    unusual = lines[3].replace('"repetitions":[', '"more": {"x": [1]}, "repetitions":[')
    text = "\n".join(["\ufeff" + lines[0], *lines[1:3], "", unusual, "  ", *lines[4:], '{"schema":1,"ru'])
    store.path.write_text(text, encoding="utf-8")
    expected = [(row.job, row.measurement.parameters, row.measurement.repetitions) for row in store.entries()]
    assert [job for job, _, _ in expected] == [f"{job}" for job in range(5) for _ in range(2)]
    blocks = _records.blocks_of
    for size in (1, 50, 700):
        monkeypatch.setattr(_store, "blocks_of", lambda path, size=size: blocks(path, size))
        found = [(row.job, row.measurement.parameters, row.measurement.repetitions) for row in store.entries()]
        assert found == expected
    store.path.write_text("\n".join([*lines, "nonsense", lines[0]]) + "\n", encoding="utf-8")
    with pytest.raises(AdclError, match=rf"s.jsonl:{len(lines) + 1}: not JSON"):
        store.entries()


def test_records_among_other_output() -> None:
    record = {"schema": 1, "context": {"ranks": 2}, "function": "f", "metric": "time_s", "parameters": {"p": 2}}
    text = f"hello\n{{ not json\n{json.dumps({**record, 'repetitions': [1, 2.5], 'discarded': 3})}\n" + '{"a": 1}\n'
    assert read_measurements(text, "output") == [
        Measurement("f", "time_s", {"p": 2.0}, (1.0, 2.5), discarded=3, context={"ranks": 2})
    ]
    for change, message in (
        ({"repetitions": []}, "line 1: f has no repetitions"),
        ({"repetitions": [-1.0]}, "negative or not finite"),
        ({"repetitions": ["x"]}, r"repetitions\[0\]: expected a number"),
        ({"repetitions": [1], "schema": 2}, "the schema is 2"),
    ):
        with pytest.raises(AdclError, match=message):
            read_measurements(json.dumps({**record, **change}), "output")


def test_extra_p_formats_both_ways(tmp_path: Path) -> None:
    rows = [*measurements("main->Bcast", "1 + log p"), *measurements("main->Dup", "8 p", metric="memory_bytes")]
    for write, read in ((write_extrap_text, read_extrap_text), (write_extrap_jsonl, read_extrap_jsonl)):
        again = read(write(rows), "there")
        key = lambda one: (one.function, one.parameters["p"])  # noqa: E731
        assert sorted(again, key=key) == sorted(rows, key=key)
    path = tmp_path / "m.txt"
    path.write_text(write_extrap_text(rows), encoding="utf-8")
    assert re.search(r"^REGION main->Bcast$", path.read_text(), re.MULTILINE)


def test_extra_p_text_with_two_parameters_and_comments() -> None:
    text = (
        "# made by hand\nPARAMETER p\nPARAMETER n\nPOINTS (2 8) (2 16)\nPOINTS ( 4 8 ) (4 16)\n\n"
        "REGION f\nMETRIC time\nDATA 1 2 3\nDATA 4\nDATA 5\nDATA 6\n"
    )
    rows = read_extrap_text(text, "there")
    assert [(one.parameters, one.repetitions) for one in rows][:2] == [
        ({"p": 2.0, "n": 8.0}, (1.0, 2.0, 3.0)),
        ({"p": 2.0, "n": 16.0}, (4.0,)),
    ]
    assert {(one.function, one.metric) for one in rows} == {("f", "time")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PARAMETER p\nPOINTS 1 2\nDATA 1\nDATA 2\nDATA 3\n", "there:5: there are more DATA lines than POINTS \\(2\\)"),
        ("PARAMETER p\nPOINTS 1 x\n", "there:2: could not convert.*expected numbers"),
        ("PARAMETR p\n", "there:1: 'PARAMETR' is not a keyword"),
        ("PARAMETER p q\nPOINTS 1 2\nDATA 1\n", "there:3: a point has 1 values, but there are 2 parameters"),
        ("PARAMETER p\nPOINTS 1\nDATA -1\n", "there:3: .*negative"),
        ("PARAMETER p\nPOINTS 1\nDATA nan\n", "there:3: a value is not finite"),
    ],
)
def test_extra_p_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(AdclError, match=message):
        read_extrap_text(text, "there")


def test_extra_p_jsonl_errors_name_the_line() -> None:
    with pytest.raises(AdclError, match="there:2: expected an object with params and value"):
        read_extrap_jsonl('{"params": {"p": 1}, "value": 2}\n{"params": {"p": 1}}\n', "there")


def test_stores_are_written_by_several_processes_at_once(tmp_path: Path) -> None:
    store, rows = Store(tmp_path / "s.jsonl"), measurements("f", "p")
    children = []
    for child in range(4):
        pid = os.fork()
        if pid == 0:
            try:
                for at in range(25):
                    store.append(f"run {child}", f"job {at}", 0.0, rows)
            finally:
                os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    assert len(store.entries()) == 4 * 25 * len(rows)


def test_failing_file_leaves_the_store_unchanged(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.jsonl")
    store.append("main", "first", 1.0, measurements("f", "p", (1.0, 2.0)))
    before = store.path.read_bytes()

    def broken() -> Iterator[Measurement]:
        yield from measurements("f", "p", (4.0, 8.0))
        raise AdclError("the file ends here")

    with pytest.raises(AdclError, match="ends here"):
        store.append_all("main", [("second", measurements("f", "p", (3.0,))), ("third", broken())], 2.0)
    assert store.path.read_bytes() == before
    assert store.append_all("main", [("second", measurements("f", "p", (3.0,)))], 2.0) == {"second": 1}


def test_appending_reads_only_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "s.jsonl")
    row = measurements("f", "p", (2.0,))[0]
    store.append("main", "first", 1.0, (row for _ in range(5000)))
    assert store.path.stat().st_size > 500_000
    read = []
    plain = Path.open

    class Counted(io.FileIO):
        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            read.append(len(found))
            return found

    def opened(self: Path, mode: str = "r", **options: Any) -> Any:
        return Counted(self, "a+b") if mode == "ab+" else plain(self, mode, **options)

    monkeypatch.setattr(Path, "open", opened)
    store.append("main", "second", 2.0, [row])
    assert sum(read) <= 1 << 16
    monkeypatch.undo()
    assert len(store.entries()) == 5001


def test_equal_parameters_are_kept_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.jsonl")
    store.append("main", "job", 1.0, measurements("f", "p", (2.0, 2.0)))
    first, second = (entry.measurement for entry in store.entries())
    assert first.parameters is second.parameters
    assert first.function is second.function


def test_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    line = '{"schema": 1, "function": "f", "metric": "time_s", "parameters": {"p": 2}, "repetitions": [1.5]}\n'
    path.write_text(line, encoding="utf-8-sig")
    assert [one.repetitions for one in read_any(path)] == [(1.5,)]
