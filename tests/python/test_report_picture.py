"""The picture of a report in the documentation shows the page that the present code makes."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

sys.path.insert(0, str(PROJECT / "tools"))
_MODULE = "report_picture"


@pytest.fixture(scope="module")
def tool() -> Any:
    return __import__(_MODULE)


def test_picture_shows_the_present_page(tool: Any) -> None:
    page = tool.page_html()

    assert tool.picture_digest() == tool.page_digest(page), "run tools/report_picture.py draw"
    gain = r"[\d.]+ times as fast as \S+, the first candidate: [\d.]+ to [\d.]+ with 95 % confidence, \d+ pairs"
    assert re.search(gain, re.sub(r"<[^>]+>", "", page)), "the page shows the gain with its interval"


def test_another_page_has_another_digest(tool: Any, tmp_path: Path) -> None:
    trace = tmp_path / tool.TRACE.name
    shutil.copytree(tool.TRACE, trace)
    assert tool.page_digest(tool.page_html(trace)) == tool.picture_digest()
    file = trace / "adcl.0.jsonl"
    text = file.read_text(encoding="utf-8")
    winner = re.findall(r'"winner":"(\w+)"', text.replace(": ", ":"))[-1]
    file.write_text(text.replace(f'"{winner}"', f'"{winner}_2"'), encoding="utf-8")

    assert tool.page_digest(tool.page_html(trace)) != tool.page_digest(tool.page_html())
