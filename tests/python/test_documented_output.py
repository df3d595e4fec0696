"""The output that pages show has the words of the present messages.

Other tests repeat the listings that need no MPI library. The remaining ones need a machine, a program or hours, so this
test compares their words: three successive words of a listing, without numbers and names between them, are in one
message of the sources, or in a description of a platform.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

_PAGES = {
    "adcl-bench.md": (),
    "adcl-command.md": ("because the library", "omitted bcast of"),  # a value is between these words
    "evaluate.md": ("statistical method robust", "used by start"),
    "testbed.md": (),
    "tune.md": (
        # A value of the message is between these words.
        *("but the budget", "used up before", "up before the", "ms per rank"),
        "the slower state",
        # Headings of a table's columns.
        *("defaults at most", "screening at least", "search at least", "comparison at most", "simplification at most"),
    ),
}
"""Pages, with successive words of their listings that are parts of several messages."""

_BLOCK = re.compile(r"^```(?:console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BREAK = re.compile(r"[,.:;()|\n\0]|  +")
_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')

Words = tuple[str, str, str]


def _triples(text: str) -> set[Words]:
    """Return all three successive words, of lowercase letters, of a text."""
    found = set()
    for piece in _BREAK.split(text):
        words = [word if re.fullmatch(r"[a-z']+", word) else "" for word in piece.split()]
        found |= {(a, b, c) for a, b, c in zip(words, words[1:], words[2:], strict=False) if a and b and c}
    return found


def _messages_of(source: Path) -> list[str]:
    if source.suffix == ".toml":
        return re.findall(r'^description = "(.*)"$', source.read_text(encoding="utf-8"), re.MULTILINE)
    text = source.read_text(encoding="utf-8")
    if source.suffix != ".py":
        return ["".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', one)) for one in _LITERAL.findall(text)]
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            found.append("".join(str(one.value) if isinstance(one, ast.Constant) else "\0" for one in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


@functools.cache
def _known() -> frozenset[Words]:
    sources = [
        *(PROJECT / "python/adcl").rglob("*.py"),
        *(PROJECT / "python/adcl").rglob("*.toml"),
        *(PROJECT / "src").rglob("*.?pp"),
        *(PROJECT / "programs").rglob("*.cpp"),
    ]
    texts = [re.sub(r"\s+", " ", message) for source in sources for message in _messages_of(source)]
    return frozenset().union(*map(_triples, texts))


def unknown_words(text: str) -> list[str]:
    """Return three successive words of a page's listings that no message has."""
    lines = [
        line
        for block in _BLOCK.findall(text)
        for line in block.splitlines()
        if not line.startswith("$ ") and "…" not in line
    ]
    return sorted(" ".join(words) for words in _triples("\n".join(lines)) - _known())


@pytest.mark.parametrize("page", _PAGES)
def test_listings_have_words_of_messages(page: str) -> None:
    text = (PROJECT / "docs" / page).read_text(encoding="utf-8")
    assert sorted(_PAGES[page]) == unknown_words(text)


def test_changed_words_are_found() -> None:
    text = (PROJECT / "docs/tune.md").read_text(encoding="utf-8")
    assert text.count("no setting was shown") >= 1
    changed = text.replace("no setting was shown", "no setting was proved")
    assert "setting was proved" in unknown_words(changed)


def test_all_pages_with_listings_are_tested() -> None:
    """Listings of `adcl scale`, the report, the demo and the tutorials are repeated by other tests."""
    repeated = {"scale.md", "scale-examples.md", "interposer.md", "workloads.md"}
    repeated |= {"index.md", "tutorial-stencil.md", "tutorial-graph.md", "tutorial-program.md"}
    pages = {page.name for page in (PROJECT / "docs").glob("*.md") if _BLOCK.search(page.read_text(encoding="utf-8"))}
    assert pages - repeated <= _PAGES.keys()
