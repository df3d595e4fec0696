"""An option of a search is declared in the search's file, and appears in help, tuning files and documentation."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, script, within

from adcl.errors import UsageError
from adcl.tune.search import SEARCHES, SearchOptions

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGE = "docs/tune-search.md"


def test_the_page_has_the_searches_and_options_that_are_declared() -> None:
    page, tool = (PROJECT / _PAGE).read_text(encoding="utf-8"), script("tools/search_options.py")
    assert tool.search_table() in page, "run tools/search_options.py"
    assert tool.table() in page, "run tools/search_options.py"


def test_a_page_without_a_table_is_unchanged(tmp_path: Path) -> None:
    page = tmp_path / _PAGE
    page.parent.mkdir()
    text = "| name | method |\n|---|---|\n| `old` | an old search |\n"
    page.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, PROJECT / "tools/search_options.py", tmp_path],
        env={**os.environ, "PYTHONPATH": str(PROJECT / "python")},
        capture_output=True,
        text=True,
        check=False,
        timeout=within(60),
    )
    assert done.returncode == 1
    assert "expected one table | option | search | default | meaning |, found 0" in done.stderr
    assert page.read_text(encoding="utf-8") == text


def test_names_of_options_are_of_one_search_each() -> None:
    names = [option.name for search in SEARCHES.values() for option in search.options]
    assert len(names) == len(set(names))
    assert sorted(names) == sorted(SearchOptions())
    assert "method" not in names, "the key of the search itself"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"population": "many"}, "invalid value 'many' of the search's option population"),
        ({"population": True}, "invalid value True of the search's option population"),
        ({"samples": 1.5}, "invalid value 1.5 of the search's option samples"),
        ({"populatoin": 5}, "no search has an option populatoin"),
    ],
)
def test_values_of_another_type_are_rejected(given: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        SearchOptions(**given)


def test_search_receives_only_its_options() -> None:
    chosen = SearchOptions(difference=1, tolerance=0.5)
    assert chosen["difference"] == 1
    assert chosen["population"] == 10
    assert chosen.part(SEARCHES["gp"].kind).tolerance == 0.5
    assert not hasattr(chosen.part(SEARCHES["gp"].kind), "difference")


# ---- An additional option
# ---------------------------------------------------------------------------------------------

# The search named `random` ends after at most `patience_of_test` scenarios.
_DECLARED = '    patience_of_test: int = option(3, "it ends after this number, for a test")\n'
_USED = "        if self._drawn == self.options.patience_of_test:\n            return None\n"

_FILE = """mpi = "ibm"

[search]
method = "random"
patience_of_test = {value}

[parameters]
eager_limit = [1024, 2048, 4096, 8192, 16384]
"""

_ASKED = """
from adcl.tune.search import SearchOptions, make_search
from adcl.tune.space import Parameter, Space, Steps

space = Space((Parameter("a", Steps(0, 999, add=1), 500),))
search = make_search("random", space, options=SearchOptions(patience_of_test=2))
asked = 0
while (scenario := search.ask()) is not None:
    search.tell(scenario, (1.0,))
    asked += 1
print(asked)
"""


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run Python with a copy of the package in which one search has an additional option."""
    package = Path(
        shutil.copytree(PROJECT / "python/adcl", tmp_path / "python/adcl", ignore=shutil.ignore_patterns("__pycache__"))
    )
    file = package / "tune/search/_random.py"
    text = file.read_text(encoding="utf-8")
    place, start = "    spread: float = ", "        self._drawn += 1\n"
    assert text.count(place) == text.count(start) == 1
    file.write_text(text.replace(place, _DECLARED + place).replace(start, _USED + start), encoding="utf-8")
    (tmp_path / "docs").mkdir()
    shutil.copy(PROJECT / _PAGE, tmp_path / _PAGE)
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "COLUMNS": "200"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=within(60),
        )

    return run


def test_option_is_added_in_the_module_of_its_search(
    run: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    asked = run("-c", _ASKED)
    assert asked.stdout == "2\n", asked.stderr

    shown = run("-m", "adcl", "tune", "run", "--help")
    assert "patience_of_test" in shown.stdout, shown.stderr

    file = tmp_path / "t.toml"
    file.write_text(_FILE.format(value=2), encoding="utf-8")
    accepted = run("-m", "adcl", "tune", "check", "t.toml", "--toml")
    assert "patience_of_test = 2" in accepted.stdout, accepted.stderr
    file.write_text(_FILE.format(value=2).replace("patience_of_test", "patience_of_tset"), encoding="utf-8")
    refused = run("-m", "adcl", "tune", "check", "t.toml")
    assert refused.returncode == 2
    assert "did you mean patience_of_test" in refused.stderr

    written = run(str(PROJECT / "tools/search_options.py"), str(tmp_path))
    assert written.returncode == 0, written.stderr
    row = "| `patience_of_test` | `random` | 3 | it ends after this number, for a test |\n"
    assert row in (tmp_path / _PAGE).read_text(encoding="utf-8")
