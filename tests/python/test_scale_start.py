"""`adcl scale check` and `model` start quickly: they import only necessary modules."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from rich.text import Text

from adcl.cli._console import plain_table, show_table

if TYPE_CHECKING:
    from pathlib import Path

_HEAVY = {"jinja2", "matplotlib", "optuna", "pandas", "pydantic", "pycubexr", "scipy", "adcl.jobs._run", "adcl.tune"}
_PROGRAM = (
    "import sys\nfrom adcl.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
    "print('loaded:', *sys.modules)"
)
_STUDY = 'store = "store.jsonl"\n[[expect]]\nfunction = ["f"]\ngrowth = "p"\n'
_RECORD = '{{"schema": 1, "function": "f", "metric": "time_s", "parameters": {{"p": {p}}}, "repetitions": [{time}]}}\n'


def _loaded(folder: Path, *arguments: str) -> tuple[set[str], str]:
    """Run a command in a separate process; return its loaded modules and its output."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, "scale", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    printed, _, modules = done.stdout.partition("loaded:")
    return set(modules.split()), printed


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(_STUDY, encoding="utf-8")
    records = "".join(_RECORD.format(p=2**n, time=1 + 3 * 2**n) for n in range(1, 9))
    (tmp_path / "f.jsonl").write_text(records, encoding="utf-8")
    _loaded(tmp_path, "add", "study.toml", "f.jsonl")
    return tmp_path


def test_check_loads_nothing_heavy(study: Path) -> None:
    loaded, printed = _loaded(study, "check", "study.toml")

    assert "Everything holds." in printed
    assert "numpy" in loaded
    assert not loaded & (_HEAVY | {"rich.console", "rich.table"})


@pytest.mark.parametrize("names", [("solve", "a much longer name of a function"), ("straße [1]",), ("x" * 70,), ()])
def test_plain_tables_match_those_of_rich(names: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Plain tables are drawn without rich, wider tables or unknown letters by rich; the output is the same."""
    rows = [[(name, "bold"), ("O(log p)", ""), ("✗ ▲" if at else "✓", "green")] for at, name in enumerate(names)]
    headers = ("function", "R²", "match")

    show_table(headers, rows)

    table = plain_table(*headers)
    for row in rows:
        table.add_row(*(Text(text) for text, _ in row))
    drawn = io.StringIO()
    Console(file=drawn, width=80, highlight=False, emoji=False).print(table)
    assert capsys.readouterr().out == drawn.getvalue()


def test_check_without_a_table_draws_none(study: Path) -> None:
    names = ", ".join(f'"f{at}"' for at in range(101))
    (study / "many.toml").write_text(_STUDY.replace('"f"', names), encoding="utf-8")
    (study / "store.jsonl").unlink()
    line = _RECORD.replace('"f"', '"f{at}"')
    records = "".join(line.format(at=at, p=2**n, time=1 + 3 * 2**n) for at in range(101) for n in range(1, 9))
    (study / "many.jsonl").write_text(records, encoding="utf-8")
    _loaded(study, "add", "many.toml", "many.jsonl")

    loaded, printed = _loaded(study, "check", "many.toml")

    assert "rows that meet their expectations and are not listed: 101;" in printed
    assert not loaded & (_HEAVY | {"rich.console", "rich.table"})


def test_model_loads_only_modules_for_intervals(study: Path) -> None:
    loaded, printed = _loaded(study, "model", "study.toml")

    assert "O(p)" in printed
    assert not loaded & (_HEAVY - {"scipy"})
