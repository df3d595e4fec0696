"""The prose check of `make lint`: words to avoid in the documentation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from support import script
from tools_support import PROJECT, TOOLS, run_tool, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("sentence", "word", "advice"),
    [
        ("Send to the left neighbour.", "neighbour", "-or (American spelling)"),
        ("The ranks are Synchronised.", "Synchronised", "-ize (American spelling)"),
        ("It was cancelled.", "cancelled", "one l (American spelling)"),
        ("Store what was learned.", "what was learned", "history, stored results"),
        ("Required are MPI and CMake.", "Required are", "start with the subject"),
        ("The node is crowded.", "crowded", "oversubscribed"),
        ("It takes twice as long, 2 times as long as MPI.", "times as long as", "speedup, relative time, regret"),
        ("The codelet is left out.", "left out", "not applicable, omitted"),
        ("The rank wants a plan.", "wants", "requires, supports"),
        ("Of two ranks, one sends.", "Of", "start with the subject"),
    ],
)
def test_a_word_is_reported_with_file_and_line(tmp_path: Path, sentence: str, word: str, advice: str) -> None:
    page = tmp_path / "page.md"
    write(page, f"# Title\n\n```sh\ncode\n```\n{sentence}\n")

    done = run_tool(sys.executable, TOOLS / "prose.py", page)

    assert done.returncode == 1
    assert done.stdout == f"{page}:6: '{word}': {advice}\n"


def test_code_and_link_targets_are_excluded(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write(page, "The key `neighbours = true` ([more](neighbours.md)).\n\n```toml\nneighbours = true\n```\n")

    done = run_tool(sys.executable, TOOLS / "prose.py", page)

    assert (done.returncode, done.stdout) == (0, "")


def test_a_phrase_is_found_across_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write(page, "The library uses what\nwas known.\n")

    done = run_tool(sys.executable, TOOLS / "prose.py", page)

    assert done.stdout == f"{page}:1: 'what was known': history, stored results\n"


_COMMAND = '''"""Print a report."""
KEY = "neighbours"  # the neighbours

def f(n):
    """Return n.

    It tells n.
    """
    return f"is no name {n} of"
'''


def test_literals_of_python_files_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "command.py"
    write(file, _COMMAND)

    done = run_tool(sys.executable, TOOLS / "prose.py", file)

    assert done.returncode == 1
    assert done.stdout == (
        f"{file}:7: 'tells': states, prints, returns, sends, estimates\n{file}:9: 'is no name': is not a ...\n"
    )


def test_the_pages_pass() -> None:
    done = run_tool(sys.executable, TOOLS / "prose.py")

    assert (done.returncode, done.stdout) == (0, "")
    names = {str(file.relative_to(PROJECT)) for file in script("tools/prose.py")._files(PROJECT)}
    expected = {"README.md", "docs/tune.md", "studies/thesis/ft/page.md", "python/adcl/cli/tune.py"}
    assert expected <= names


def test_pages_below_examples_are_checked(tmp_path: Path) -> None:
    write(tmp_path / "examples/c/page.md", "A page.\n")

    assert script("tools/prose.py")._files(tmp_path) == [tmp_path / "examples/c/page.md"]
