"""A search, and a bench with its figures, are added by one file and one row."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, within

if TYPE_CHECKING:
    from pathlib import Path

_SEARCH = '''"""Scenarios in descending order."""

from adcl.tune.search._base import Search


class Descending(Search):
    def propose(self):
        return next((one for one in sorted(self.space.scenarios(), reverse=True) if self.fresh(one)), None)
'''
_ROW = '        ("descending", Descending, "scenarios in descending order"),\n'
_ASKED = """
from adcl.tune.search import make_search
from adcl.tune.space import Parameter, Space, Steps

search = make_search("descending", Space((Parameter("a", Steps(0, 3, add=1), 0),)))
while (scenario := search.ask()) is not None:
    print(*scenario)
    search.tell(scenario, (1.0,))
"""
_FILE = 'mpi = "ibm"\nsearch = "descending"\n\n[parameters]\neager_limit = [1024, 2048]\n'

_BENCH = '''"""Counts to three."""

import sys

from bench._form import command_line, write

given = command_line(__doc__).parse_args(sys.argv[1:])
write(given.output, {"mpi_library": "none"}, {"count": 3})
'''
_TABLE = """
[added]
title = "counting"
about = "The bench counts."
[added.figures]
count = { unit = "ratio", at_most = 4, about = "the last number" }
"""


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder / 'python'}{os.pathsep}{folder}", "BENCH_FORM": "usual"},
        capture_output=True,
        text=True,
        check=False,
        timeout=within(60),
    )


def _copied(target: Path, *names: str) -> None:
    for name in names:
        source = PROJECT / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)


def _insert(file: Path, before: str, text: str) -> None:
    old = file.read_text(encoding="utf-8")
    assert old.count(before) == 1
    file.write_text(old.replace(before, text + before), encoding="utf-8")


def test_a_search_is_added_by_a_file_and_a_row(tmp_path: Path) -> None:
    _copied(tmp_path, "python/adcl")
    searches = tmp_path / "python/adcl/tune/search"
    (searches / "_descending.py").write_text(_SEARCH, encoding="utf-8")
    _insert(
        searches / "_table.py",
        "from adcl.tune.search._exhaustive",
        "from adcl.tune.search._descending import Descending\n",
    )
    _insert(searches / "_table.py", '        ("individual", Individual', _ROW)

    asked = _run(tmp_path, "-c", _ASKED)
    (tmp_path / "t.toml").write_text(_FILE, encoding="utf-8")
    checked = _run(tmp_path, "-m", "adcl", "tune", "check", "t.toml", "--toml")
    listed = _run(tmp_path, "-c", "from adcl.tune.search import SEARCHES; print(*SEARCHES)")

    assert asked.stdout.split() == ["3", "2", "1", "0"], asked.stderr
    assert "descending" in checked.stdout, checked.stderr
    assert "descending" in listed.stdout.split(), listed.stderr


@pytest.mark.parametrize("declared", [True, False])
def test_a_bench_and_its_figure_are_added_by_a_file_and_a_table(tmp_path: Path, *, declared: bool) -> None:
    modules = (f"studies/{one.name}" for one in (PROJECT / "studies").glob("*.py"))
    _copied(tmp_path, "tools", "bench", "docs/figures", *modules)
    (tmp_path / "bench/tune/added.py").write_text(_BENCH, encoding="utf-8")
    if declared:
        with (tmp_path / "bench/figures.toml").open("a", encoding="utf-8") as file:
            file.write(_TABLE)
    output = tmp_path / "build/bench/added.json"

    ran = _run(tmp_path, "-m", "bench.tune.added", "--output", str(output))
    shown = _run(tmp_path, "tools/figures.py", str(output))

    assert ran.returncode == 0, ran.stderr
    assert (shown.returncode == 0) == declared, shown.stderr
    if declared:
        assert json.loads(output.read_text(encoding="utf-8"))["figures"][0]["target"] == 4
        stored = _run(tmp_path, "tools/figures.py", "store", "added", "Z", "--about", "two cores")
        assert stored.returncode == 0, stored.stderr
        page = (tmp_path / "docs/figures.md").read_text(encoding="utf-8")
        assert "## `added`: counting" in page
        assert "| the last number | ≤ 4 | 3 |" in page
