"""Every command on README.md and the pages of docs exists, with its options, targets, scripts and benches."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest
import typer
from support import PROJECT, bench_files

from adcl.cli._main import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^( *)```(sh|console)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:tools|bench|testbed|studies|apps|examples|tests|programs)/[\w./-]+\.\w+")
_TARGETS = set(re.findall(r"^([\w-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def known_benches() -> set[str]:
    """Return the names that ``make bench`` accepts: benches, and folders of benches."""
    files = bench_files()
    return {*files, *(file.parent.name for file in files.values())}


def commands(page: Path) -> Iterator[tuple[int, str]]:
    """Return line number and text of each command in the page's code blocks, without comments and variables."""
    text = page.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(3)) + 1
        body = re.sub(r"\\\n", "  ", block[3])
        for number, line in enumerate(body.splitlines()):
            shown = line.strip()
            if block[2] == "console":
                if not shown.startswith("$ "):
                    continue
                shown = shown[2:]
            shown = re.sub(r"\s+# .*|^# .*", "", shown)
            for part in re.split(r"&&|\|\||[|;]", shown):
                words = re.sub(r"^(?:\s*[A-Z_0-9]+=(?:'[^']*'|\"[^\"]*\"|\S)*\s+)+", "", part.strip() + " ")
                if words.strip():
                    yield first + number, words.strip()


def _objection(words: list[str]) -> str | None:
    """Return what is wrong with an `adcl` command line; None if nothing is."""
    command: Any = typer.main.get_command(app)
    context = command.context_class(command, info_name="adcl")
    rest = words[1:]
    while hasattr(command, "resolve_command") and rest and not rest[0].startswith("-"):
        try:
            name, command, rest = command.resolve_command(context, rest)
        except typer.TyperException as error:
            return error.format_message()
        context = command.context_class(command, info_name=name, parent=context, **command.context_settings)
    try:
        command.make_parser(context).parse_args(args=[one for one in rest if one not in ("…", "...")])
    except typer.TyperException as error:
        return error.format_message()
    return None


def _objections(page: Path) -> list[str]:
    found = []
    for line, text in commands(page):
        try:
            words = shlex.split(text)
        except ValueError as error:
            found.append(f"{page.name}:{line}: {text}: {error}")
            continue
        place = f"{page.name}:{line}: {text}"
        if words[0] == "adcl" and "SUBCOMMAND" not in words:
            objection = _objection(words)
            found += [f"{place}: {objection}"] if objection else []
        if words[0] == "make":
            unknown = [one for one in words[1:] if re.fullmatch(r"[a-z-]+", one) and one not in _TARGETS]
            found += [f"{place}: no target {one}" for one in unknown]
            named = re.search(r"NAME=(\w+)", text)
            if "bench" in words and named and named[1] != "x" and named[1] not in known_benches():
                found.append(f"{place}: no bench {named[1]}")
        found += [f"{place}: no file {one}" for one in _FILE.findall(text) if not (PROJECT / one).exists()]
    return found


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    assert _objections(page) == []


def test_readme_is_short() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert len(re.findall(r"^## You ", text, re.MULTILINE)) == 4, "paths"


def test_enough_commands_are_found() -> None:
    found = [text for page in _PAGES for _, text in commands(page)]
    assert len(found) > 150
    assert sum(text.startswith("adcl ") for text in found) > 100


@pytest.mark.parametrize(
    ("command", "objection"),
    [
        ("adcl tune rnu t.toml", "rnu"),
        ("adcl report trace --tetx", "--tetx"),
        ("make chekc", "no target chekc"),
        ("make bench NAME=serach", "no bench serach"),
        (".venv/bin/python tools/figure.py check", "no file tools/figure.py"),
    ],
)
def test_wrong_commands_are_reported(tmp_path: Path, command: str, objection: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```sh\nA=1 {command}     # a comment\n```\n", encoding="utf-8")
    (found,) = _objections(page)
    assert objection in found
