"""Run the commands of the documentation's console listings of stored records, and compare the output."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from adcl import cli
from studies._catalog import ROOT

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["listing_differences", "pages", "renewed", "rewrite_listings"]

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_VERDICT = re.compile(r"[✓≈✗▽▲]|\bundecided\b|\bbroken\b|\bworse\b|\bslower\b")
_SIGN = re.compile(r"[✓≈✗▽]")
_COLUMNS = "110"
_ALLOWED = ("check", "compare", "model")
"""Subcommands that write nothing."""


@dataclass(frozen=True)
class _Ended:
    output: str
    code: int


@lru_cache(maxsize=64)
def _run(command: str) -> _Ended:
    """Run ``adcl`` in this process, in the project's folder, with 110 columns."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        with contextlib.chdir(ROOT), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main(shlex.split(command)[1:])
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    lines = [line.rstrip() for line in (out.getvalue() + err.getvalue()).splitlines()]
    return _Ended("".join(f"{line}\n" for line in lines), code)


def pages() -> list[Path]:
    """Return the pages whose listings are checked."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _renewed_block(body: str) -> str:
    code, found = 0, ""
    for command in re.findall(r"^\$ (.*)\n", body, re.MULTILINE):
        found += f"$ {command}\n"
        if command == "echo $?":
            found += f"{code}\n"
            continue
        ended = _run(command)
        found += ended.output
        code = ended.code
    return found


def _is_ours(body: str) -> bool:
    commands = [shlex.split(line) for line in re.findall(r"^\$ (.*)$", body, re.MULTILINE)]
    if commands and all(words[:2] == ["adcl", "report"] and (ROOT / words[-1]).is_file() for words in commands):
        return True
    scale = [words for words in commands if words[:2] == ["adcl", "scale"]]
    return bool(scale) and all(words[2] in _ALLOWED for words in scale) and bool(_VERDICT.search(body))


def renewed(text: str) -> tuple[str, list[str]]:
    """Return a page with its listings as the current code prints them, and messages for listings without a command.

    A listing is renewed if it has ``$ adcl report`` with a stored report of the interposer, or ``$ adcl scale check``,
    ``compare``, or ``model`` and shows verdicts or advice. The commands run in the project's folder. A table of
    verdicts without a command cannot be renewed.
    """
    orphans = []

    def block(match: re.Match[str]) -> str:
        body = match[1]
        if _is_ours(body):
            return f"```console\n{_renewed_block(body)}```"
        if "expected" in body and _SIGN.search(body) and "$ adcl" not in body:
            line = text.count("\n", 0, match.start()) + 1
            orphans.append(f"{line}: a listing of verdicts has no command that prints it")
        return match[0]

    return _BLOCK.sub(block, text), orphans


def rewrite_listings() -> list[Path]:
    """Write the listings that differ; return the pages that changed."""
    changed = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new, _ = renewed(text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            changed.append(path)
    return changed


def listing_differences() -> list[str]:
    """Return one line for each page with a listing that differs from the output of the current code."""
    found = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new, orphans = renewed(text)
        name = path.relative_to(ROOT)
        found += [f"{name}:{one}" for one in orphans]
        for line, (old, wanted) in enumerate(zip(text.splitlines(), new.splitlines(), strict=False), 1):
            if old != wanted:
                found.append(f"{name}:{line}: stored is {old!r}, the present code prints {wanted!r}")
                break
        else:
            if new != text:
                found.append(f"{name}: the number of lines of a listing differs from the output of the present code")
    return found
