"""Invalid input quickly yields a message; names and values may be unusual."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from adcl.cli import main
from adcl.errors import DataError, UsageError
from adcl.scale import (
    ExpressionError,
    Measurement,
    StudyError,
    accept,
    entries_of,
    evaluate,
    parse,
    read_study,
)
from adcl.scale import Store as ScaleStore

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(p+1)^9999", "the exponent 9999 is outside ±64"),
        ("(p+1)^60", "a sum cannot have the exponent 60"),
        ("(p+q+r+s+t)^9", "a sum cannot have the exponent 9"),
        ("(" * 3000 + "p" + ")" * 3000, "has 6001 characters"),
        ("(" * 90 + "p" + ")" * 90, "the expression is nested more than 50 levels deep"),
        ("-" * 5000 + "p", "has 5001 characters"),
        ("1e308 * 1e308 p", "a number that is too large"),
        ("1e400 p", "a number that is too large"),
        ("p^99999", "the exponent 99999 is outside ±64"),
        ("p^60 p^60", "an exponent outside ±64"),
        ("p / 0", "division by 0; remove the division"),
        ("p^(1/0)", "division by 0; remove the division"),
    ],
)
def test_invalid_expressions(text: str, message: str) -> None:
    begin = time.monotonic()
    with pytest.raises(ExpressionError, match=message):
        parse(text)
    assert time.monotonic() - begin < SECONDS


def _study(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ("{ halvings = 30 }", "halvings: 30 is too large"),
        ('{ powers = ["1e9"] }', "powers: exponents are at most 64"),
        ('{ powers = ["1/0"] }', "does not contain exponents"),
    ],
)
def test_unbounded_search_spaces(tmp_path: Path, space: str, message: str) -> None:
    path = _study(tmp_path, f'[[expect]]\nfunction = "f"\ngrowth = "p"\nspace = {space}\n')
    begin = time.monotonic()
    with pytest.raises(StudyError, match=message):
        read_study(path)
    assert time.monotonic() - begin < SECONDS


def _measured(name: str = "f", parameter: str = "p", factor: float = 1.0) -> list[Measurement]:
    return [Measurement(name, "time_s", {parameter: p}, (factor * (5 + p),)) for p in (2.0, 4.0, 8.0, 16.0, 32.0)]


def _check(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "adcl", "scale", "check", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_growth_in_a_parameter_that_was_not_measured(tmp_path: Path) -> None:
    path = _study(tmp_path, '[[expect]]\nfunction = "f"\ngrowth = "n log n"\n')
    ScaleStore(path.with_suffix(".jsonl")).append("main", "job", 0.0, _measured())
    ended = _check(path)
    assert ended.returncode == 2
    assert "the measurements of f have no parameter 'n'; parameters: p" in ended.stderr


def test_names_with_quotes_survive_the_status_quo(tmp_path: Path) -> None:
    name, parameter = 'a "quoted"\\name\twith\x7f', 'p "q"'
    path = _study(tmp_path, f'[[expect]]\nfunction = {json.dumps(name)[:-1]}"\n'.replace("\x7f", "\\u007f"))
    store = ScaleStore(path.with_suffix(".jsonl"))
    rows = [
        Measurement(name, "time_s", {**one.parameters, parameter: x}, one.repetitions)
        for one in _measured(name)
        for x in (1.0, 2.0)
    ]
    store.append("main", "job", 0.0, rows)
    study = read_study(path)
    assert accept(evaluate(study, entries_of(study), "main")) == 2
    again = evaluate(study, entries_of(study), "main")
    assert [row.from_status_quo for row in again.rows] == [True, True]
    assert again.outcome.value == "holds"


@pytest.mark.parametrize("factor", [1e306, 1e-200])
def test_values_outside_the_supported_range(tmp_path: Path, factor: float) -> None:
    path = _study(tmp_path, '[[expect]]\nfunction = "f"\ngrowth = "p"\n')
    ScaleStore(path.with_suffix(".jsonl")).append("main", "job", 0.0, _measured(factor=factor))
    ended = _check(path)
    assert ended.returncode == 4
    assert "is outside the supported range; use another unit" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no measurements"),
        (b'{"schema": 1, "run": "m", "job": "j", "time_s": 0, "done": true}\n{"broken\n', ":2: not JSON"),
        (b'{"schema": 1, "run": "\xe9"}\n', ":1: this text is not UTF-8 (byte 0xe9)"),
        (b"\x00\x01\x02\n", ":1: not JSON"),
        (b'{"schema": 7}\n', "the schema is 7"),
        (b"[" * 100_000 + b"\n", ":1: not JSON"),
    ],
)
def test_invalid_stores(tmp_path: Path, data: bytes, message: str) -> None:
    path = _study(tmp_path, '[[expect]]\nfunction = "f"\ngrowth = "p"\n')
    path.with_suffix(".jsonl").write_bytes(data)
    ended = _check(path)
    assert ended.returncode == 4, ended.stderr
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "model"])
def test_several_files_for_a_single_argument(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["scale", command, "a.txt", "b.txt"])

    assert ended.value.code == 2
    assert "'adcl scale add STUDY FILE...' adds several files to the store" in capfd.readouterr().err


def test_messages_contain_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text('[[expect]]\nfunction = "test_sort"\ngrowth = "n"\n', encoding="utf-8")
    study = read_study(path)
    with pytest.raises(DataError, match=r"adcl scale add .*study.toml FILE"):
        entries_of(study)
    rows = [Measurement("lib.py::test_sort", "time_s", {"n": float(n)}, (float(n),)) for n in range(1, 8)]
    ScaleStore(study.store).append("run", "job", 0.0, rows)
    with pytest.raises(UsageError, match=r'; write function = "lib.py::test_sort"$'):
        evaluate(study, entries_of(study), "run")


def test_unusual_lines_of_a_store_are_read_like_usual_ones(tmp_path: Path) -> None:
    store = tmp_path / "study.jsonl"
    begin = '{"schema":1,"run":"r","job":"j","time_s":0,"measurement":{"function":"f","metric":"time_s",'
    lines = [
        begin + '"parameters":{"p":2},"repetitions":[1],"context":{"ranks":2}}}',
        # Python's own JSON parser handles a lone surrogate and a number beyond 64 bits.
        begin + '"parameters":{"p":4},"repetitions":[1],"context":{"host":"\\ud800","id":123456789012345678901234}}}',
        '{"schema":1,"run":"r","job":"j","time_s":0,"done":true}',
        begin + '"parameters":{"p":8},"repeti',
    ]
    store.write_text("\n".join(lines), encoding="utf-8")
    entries = ScaleStore(store).entries()
    assert [entry.measurement.parameters for entry in entries] == [{"p": 2.0}, {"p": 4.0}]
    assert [entry.measurement.context.get("host") for entry in entries] == [None, "\ud800"]
    for broken in ("null", '"text"', begin + '"parameters":{"p":NaN},"repetitions":[1]}}'):
        store.write_text("\n".join([lines[0], broken, lines[2], ""]), encoding="utf-8")
        with pytest.raises(DataError, match=r"study.jsonl:2: "):
            ScaleStore(store).entries()


def test_store_of_the_study_is_not_added_to_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = _study(tmp_path, '[[expect]]\nfunction = "f"\ngrowth = "p"\n')
    store = path.with_suffix(".jsonl")
    ScaleStore(store).append("main", "job", 0.0, _measured())
    before = store.read_bytes()

    with pytest.raises(SystemExit) as ended:
        main(["scale", "add", str(path), str(store)])

    assert ended.value.code == 2
    assert f"{store} is the study's store" in " ".join(capfd.readouterr().err.split())
    assert store.read_bytes() == before


def test_a_file_without_measurements_is_not_blamed_on_options(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")

    with pytest.raises(SystemExit) as ended:
        main(["scale", "model", str(empty)])

    assert ended.value.code != 0
    assert "--function" not in capfd.readouterr().err
