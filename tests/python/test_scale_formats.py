"""Files of other tools, recognized by their contents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from adcl.errors import AdclError
from adcl.scale import open_any

if TYPE_CHECKING:
    from pathlib import Path

Row = tuple[str, str, dict[str, float], tuple[float, ...]]


def _read(tmp_path: Path, text: str, encoding: str = "utf-8") -> tuple[str, list[Row], list[str]]:
    path = tmp_path / "data"
    path.write_bytes(text.encode(encoding))
    found = open_any(path)
    rows = [(one.function, one.metric, one.parameters, one.repetitions) for one in found.rows]
    return found.kind, rows, found.notes


GOOGLE: dict[str, Any] = {
    "context": {"num_cpus": 2},
    "benchmarks": [
        {"name": "BM_sort/8/threads:2", "run_type": "iteration", "real_time": 3.0, "time_unit": "us"},
        {"name": "BM_sort/8/threads:2", "run_type": "iteration", "real_time": 4.0, "time_unit": "us"},
        {"name": "BM_sort/8/threads:2_mean", "run_type": "aggregate", "real_time": 3.5, "time_unit": "us"},
        {"name": "BM<int>/size:16/3/5/real_time", "run_type": "iteration", "real_time": 7.0},
        {"name": "BM_bad/8", "run_type": "iteration", "error_occurred": True, "real_time": 0.0},
    ],
}


def test_google_benchmark(tmp_path: Path) -> None:
    kind, rows, notes = _read(tmp_path, json.dumps(GOOGLE))
    assert kind == "Google Benchmark"
    assert [row[:3] for row in rows] == [
        ("BM_sort", "time_s", {"n": 8.0, "threads": 2.0}),
        ("BM<int>", "time_s", {"n1": 3.0, "n2": 5.0, "size": 16.0}),
    ]
    assert [one for row in rows for one in row[3]] == pytest.approx([3e-6, 4e-6, 7e-9])
    assert notes == ["omitted 1 aggregates", "omitted 1 failed benchmarks"]


def test_pytest_benchmark(tmp_path: Path) -> None:
    document = {
        "machine_info": {},
        "benchmarks": [
            {"fullname": "t.py::test_sort[8]", "params": {"n": 8}, "stats": {"data": [1.0, 2.0], "median": 1.5}},
            {"fullname": "t.py::test_sort[16]", "params": {"n": 16}, "stats": {"median": 3.0}},
        ],
    }
    kind, rows, notes = _read(tmp_path, json.dumps(document))
    assert kind == "pytest-benchmark"
    assert rows == [
        ("t.py::test_sort", "time_s", {"n": 8.0}, (1.0, 2.0)),
        ("t.py::test_sort", "time_s", {"n": 16.0}, (3.0,)),
    ]
    assert "only a median: 1" in notes[0]


def test_hyperfine(tmp_path: Path) -> None:
    document = {
        "results": [
            {"command": "./a 8 x8", "times": [1.0, 9.0], "exit_codes": [0, 1], "parameters": {"n": "8"}},
            {"command": "./a 16 x8", "times": [2.0], "parameters": {"n": "16"}},
        ]
    }
    kind, rows, notes = _read(tmp_path, json.dumps(document))
    assert kind == "hyperfine"
    assert rows == [("./a {n} x8", "time_s", {"n": 8.0}, (1.0,)), ("./a {n} x8", "time_s", {"n": 16.0}, (2.0,))]
    assert notes == ["omitted 1 failed run"]


def test_extra_p_json(tmp_path: Path) -> None:
    document = {
        "parameters": ["p", "n"],
        "measurements": {"main->solve": {"time": [{"point": [2, 8], "values": [1.0, 2.0]}]}},
    }
    kind, rows, _ = _read(tmp_path, json.dumps(document))
    assert (kind, rows) == ("Extra-P JSON", [("main->solve", "time", {"p": 2.0, "n": 8.0}, (1.0, 2.0))])


@pytest.mark.parametrize("name", ["value", "values"])
def test_extra_p_json_lines_with_lists(tmp_path: Path, name: str) -> None:
    lines = [{"params": {"p": p}, "callpath": "f", "metric": "time", name: [p, 2 * p]} for p in (2, 4)]
    kind, rows, _ = _read(tmp_path, "\n".join(map(json.dumps, lines)))
    assert kind == "Extra-P JSON Lines"
    assert rows == [("f", "time", {"p": 2.0}, (2.0, 4.0)), ("f", "time", {"p": 4.0}, (4.0, 8.0))]


@pytest.mark.parametrize(("separator", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16")])
def test_tables(tmp_path: Path, separator: str, encoding: str) -> None:
    lines = ["function,p,time_s,memory_bytes", "f,2,1.5,10", '"f",2,2.5,10', "", "g,4,3,20"]
    text = "\r\n".join(line.replace(",", separator) for line in lines)
    kind, rows, _ = _read(tmp_path, text, encoding)
    assert kind == "table"
    assert rows == [
        ("f", "time_s", {"p": 2.0}, (1.5, 2.5)),
        ("f", "memory_bytes", {"p": 2.0}, (10.0, 10.0)),
        ("g", "time_s", {"p": 4.0}, (3.0,)),
        ("g", "memory_bytes", {"p": 4.0}, (20.0,)),
    ]


def test_a_table_with_a_column_of_metrics(tmp_path: Path) -> None:
    _, rows, _ = _read(tmp_path, "region,metric,n,value\nf,flops,8,100\nf,,8,1\n")
    assert rows == [("f", "flops", {"n": 8.0}, (100.0,)), ("f", "time_s", {"n": 8.0}, (1.0,))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("function,p,time_s\nf,2\n", ":2: the row has 2 columns, but the first line names 3"),
        ("function,p,time_s\nf,2,1\nf,4,fast\n", ":3: time_s: 'fast' is not a number"),
        ("function,p,time_s\nf,2,nan\n", ":2: time_s: 'nan' is not a number"),
        ("function,p\nf,2\n", ":1: no column is a metric"),
        ("p,p,time_s\n1,2,3\n", ":1: two columns have the same name"),
        (
            '{"params": {"p": 2}, "value": 1}\n{"params": {"p": 4}, "val\n',
            ":2: expected an object with params and value",
        ),
        ('{"anything": 1}', "this JSON has no supported format"),
        ('{"context": {}, "benchmarks": [{"name": "f/8"}]}', "record 1 of this Google Benchmark file"),
        ('{"machine_info": {}, "benchmarks": [{"name": "f", "params": {"n": "x"}, "stats": {}}]}', "must be numbers"),
    ],
)
def test_errors_name_the_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AdclError) as failure:
        _read(tmp_path, text)
    assert message in str(failure.value)
    assert str(tmp_path / "data") in str(failure.value)


def test_other_encodings_are_reported_with_the_line(tmp_path: Path) -> None:
    with pytest.raises(AdclError, match=r":2: this text is not UTF-8 \(byte 0xe9\)"):
        _read(tmp_path, "function,p,time_s\nthé,2,1\n", "latin1")


def test_hyperfine_before_it_had_times(tmp_path: Path) -> None:
    document = {"results": [{"command": "./a 8", "mean": 1.5, "stddev": 0.1, "parameter": "8"}]}
    assert _read(tmp_path, json.dumps(document))[1] == [("./a {n}", "time_s", {"n": 8.0}, (1.5,))]


def test_reframe_with_names_of_fields(tmp_path: Path) -> None:
    text = (
        "job_completion_time|display_name|num_tasks|result|copy_value|copy_unit|init_value|init_unit\n"
        "2026-01-01T00:00:00|stream %size=8 %mode=fast|4|pass|10.5|GB/s|2|ms\n"
        "2026-01-01T00:01:00|stream %size=8 %mode=fast|4|pass|11.5|GB/s|3|ms\n"
        "2026-01-01T00:02:00|stream %size=16 %mode=fast|4|fail||GB/s||ms\n"
    )
    kind, rows, notes = _read(tmp_path, text)
    assert kind == "ReFrame"
    assert rows == [
        ("stream", "copy [GB/s]", {"size": 8.0, "p": 4.0}, (10.5, 11.5)),
        ("stream", "init_s", {"size": 8.0, "p": 4.0}, (0.002, 0.003)),
    ]
    assert notes == ["omitted 1 failed run"]


def test_reframe_as_version_4_10_writes_by_default(tmp_path: Path) -> None:
    text = (
        "result|descr|jobid|n|name|num_tasks|loop_value|loop_unit|loop_ref|short_name|system\n"
        "pass||17434|100|Solve %n=100|null|0.5|s|0|Solve_ba3135fd|generic\n"
        "pass||17436|200|Solve %n=200|null|2.5|s|0|Solve_35724417|generic\n"
    )
    kind, rows, _ = _read(tmp_path, text)
    assert kind == "ReFrame"
    assert rows == [("Solve", "loop_s", {"n": 100.0}, (0.5,)), ("Solve", "loop_s", {"n": 200.0}, (2.5,))]


def test_jobs_and_repetitions_of_a_table(tmp_path: Path) -> None:
    """Neither column is a parameter; the rows of a job are its repetitions, and names of jobs may be text."""
    text = "function,p,job,rep,time_s\nf,2,a,1,1\nf,2,a,2,2\nf,2,b,1,3\n"
    kind, rows, notes = _read(tmp_path, text)
    assert (kind, notes) == ("table", ["column job identifies jobs"])
    assert rows == [("f", "time_s", {"p": 2.0}, (1.0, 2.0)), ("f", "time_s", {"p": 2.0}, (3.0,))]


def test_ratios_are_metrics_of_a_table(tmp_path: Path) -> None:
    rows = _read(tmp_path, "name,procs,speedup,efficiency\ncg,4,3.7,0.93\n")[1]
    assert rows == [("cg", "speedup", {"procs": 4.0}, (3.7,)), ("cg", "efficiency", {"procs": 4.0}, (0.93,))]
    with pytest.raises(AdclError, match=r"solver: 'cg' is not a number; .* rename the column to 'function'"):
        _read(tmp_path, "solver,procs,time_s\ncg,4,3.7\n")


def test_reframe_of_versions_2_and_3(tmp_path: Path) -> None:
    line = "2020-01-01T00:00:00|reframe 3.2|solve_{n} on daint:mc using gnu|jobid=7|time={t}|ref=0 (l=n, u=n)|s"
    kind, rows, _ = _read(tmp_path, "\n".join(line.format(n=n, t=t) for n, t in ((8, 1.5), (8, 2.5), (16, 3.5))) + "\n")
    assert kind == "ReFrame"
    assert rows == [("solve", "time_s", {"n": 8.0}, (1.5, 2.5)), ("solve", "time_s", {"n": 16.0}, (3.5,))]
    with pytest.raises(AdclError, match=r"data:2: this line does not have the format"):
        _read(tmp_path, line.format(n=8, t=1) + "\nnonsense\n")


@pytest.mark.parametrize("edge", ["", "|"], ids=["pretty", "with edges"])
def test_jube(tmp_path: Path, edge: str) -> None:
    lines = ["tasks | host | runtime[ms] | always", "------+------+-------------+-------"]
    lines += ["2 | a | 10 | 5", "2 | a | 12 | 5", "4 | a | 20 | 5"]
    text = "result:\n" + "\n".join(edge + line + edge for line in lines) + "\n\nmore text\n"
    kind, rows, notes = _read(tmp_path, text)
    assert kind == "JUBE"
    assert rows == [("result", "time_s", {"tasks": 2.0}, (0.01, 0.012)), ("result", "time_s", {"tasks": 4.0}, (0.02,))]
    assert notes == ["omitted columns without numbers or with a constant value: host, always"]
    with pytest.raises(AdclError, match="no column is a metric"):
        _read(tmp_path, "r:\na | b\n--+--\n1 | 2\n")


def test_caliper(tmp_path: Path) -> None:
    document = {
        "columns": ["mpi.rank", "time", "region"],
        "column_metadata": [{"is_value": True}, {"is_value": True}, {"is_value": False}],
        "nodes": [{"label": "main", "column": "region"}, {"label": "solve", "column": "region", "parent": 0}],
        "data": [[0, 1.0, 0], [1, 3.0, 1], [0, 2.0, 1], [1, 9.0, None]],
        "mpi.world.size": 2,
        "problem.size": "64",
        "user": "me",
    }
    kind, rows, notes = _read(tmp_path, json.dumps(document))
    parameters = {"p": 2.0, "problem_size": 64.0}
    assert kind == "Caliper"
    assert rows == [("main", "time_s", parameters, (1.0,)), ("main/solve", "time_s", parameters, (3.0,))]
    assert notes == ["omitted rows outside all regions: 1"]
