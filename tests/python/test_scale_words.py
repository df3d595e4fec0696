"""Sweeps over words: two algorithms of one program, one of them quadratic; operations are counted, not timed."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

_PROGRAM = """#!{python}
import functools, json, random, sys
algorithm, n = sys.argv[1], int(sys.argv[2])
numbers, compared = random.Random(n).sample(range(10 * n), n), 0
def compare(a, b):
    global compared
    compared += 1
    return a - b
if algorithm == "merge":
    ordered = sorted(numbers, key=functools.cmp_to_key(compare))
else:
    ordered = []
    for one in numbers:
        place = len(ordered)
        while place and compare(one, ordered[place - 1]) < 0:
            place -= 1
        ordered.insert(place, one)
assert ordered == sorted(numbers)
def show(function, count):
    print(json.dumps(dict(schema=1, function=function, metric="compared", repetitions=[count], parameters=dict(n=n))))
show("sort", compared)
show("scan", n - 1)
"""
_STUDY = """
[run]
program = "./sort"
arguments = ["{{algorithm}}", "{{n}}"]
mpi = "none"
parameters = {{ n = [16, 32, 64, 128, 256, 512, 1024], algorithm = {words} }}
[[expect]]
function = ["sort", "scan"]
metric = "compared"
growth = "n log n"
{more}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sort").write_text(_PROGRAM.format(python=sys.executable), encoding="utf-8")
    (tmp_path / "sort").chmod(0o755)
    return tmp_path


def _write(folder: Path, words: str = '["merge", "insertion"]', more: str = "") -> None:
    (folder / "s.toml").write_text(_STUDY.format(words=words, more=more), encoding="utf-8")


def test_each_word_has_a_separate_verdict(folder: Path, adcl: Adcl) -> None:
    _write(folder)
    ran = adcl("scale", "run", "s.toml")
    assert ran.code == 0, ran.err

    checked = adcl("scale", "check", "s.toml", "--json")

    rows = {row["function"]: row for row in json.loads(checked.out)["rows"]}
    assert set(rows) == {
        f"{function} [algorithm={word}]" for function in ("sort", "scan") for word in ("merge", "insertion")
    }
    assert rows["sort [algorithm=insertion]"]["match"] == "none"
    assert rows["sort [algorithm=merge]"]["match"] in ("total", "approximate")
    assert checked.code == 1
    shown = adcl("scale", "check", "s.toml").out
    assert "insertion" in shown
    assert "merge" in shown


def test_rules_and_budgets_hold_for_each_word(folder: Path, adcl: Adcl) -> None:
    more = (
        '[[rule]]\nrule = "sort <= 20 scan"\nmetric = "compared"\n'
        '[[rule]]\nrule = "scan <= sort"\nmetric = "compared"\n'
        '[[limit]]\nfunction = "sort"\nmetric = "compared"\nparameter = "n"\nat_most = 1e6\nup_to = 10000\n'
    )
    _write(folder, more=more)
    assert adcl("scale", "run", "s.toml").code == 0

    found = json.loads(adcl("scale", "check", "s.toml", "--json").out)

    assert [(one["rule"], one["broken"]) for one in found["rules"]] == [
        ("sort [algorithm=insertion] <= 20 scan [algorithm=insertion]", True),
        ("sort [algorithm=merge] <= 20 scan [algorithm=merge]", True),
        ("scan [algorithm=insertion] <= sort [algorithm=insertion]", False),
        ("scan [algorithm=merge] <= sort [algorithm=merge]", False),
    ]
    assert [(one["function"], one["broken"]) for one in found["limits"]] == [
        ("sort [algorithm=insertion]", True),
        ("sort [algorithm=merge]", False),
    ]


def test_a_single_word_can_be_selected(folder: Path, adcl: Adcl) -> None:
    _write(folder)
    text = (folder / "s.toml").read_text(encoding="utf-8").replace('["sort", "scan"]', '"sort [algorithm=merge]"')
    (folder / "s.toml").write_text(text, encoding="utf-8")
    assert adcl("scale", "run", "s.toml").code == 0

    checked = adcl("scale", "check", "s.toml", "--json")

    assert [row["function"] for row in json.loads(checked.out)["rows"]] == ["sort [algorithm=merge]"]
    assert checked.code == 0, checked.out


@pytest.mark.parametrize("words", ['["merge", 2]', '["two words"]', '["a]b"]', '[""]', '["8"]', "[]"])
def test_invalid_words_are_rejected(words: str, folder: Path, adcl: Adcl) -> None:
    _write(folder, words)

    ran = adcl("scale", "run", "s.toml")

    assert ran.code == 2
    assert "expected numbers, or words" in ran.err
