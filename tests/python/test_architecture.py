"""The diagram of docs/architecture.md matches the includes and imports."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import within

_PROJECT = Path(__file__).resolve().parents[2]
_DOCS = _PROJECT / "docs"


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, x: float, y: float, margin: float = 1.0) -> bool:
        return self.left - margin <= x <= self.right + margin and self.top - margin <= y <= self.bottom + margin


@dataclass(frozen=True)
class _Picture:
    boxes: dict[str, _Box]
    lines: list[tuple[float, float, float, float]]

    def at(self, x: float, y: float) -> str:
        (name,) = [name for name, box in self.boxes.items() if box.holds(x, y)]
        return name

    def arrows(self) -> set[tuple[str, str]]:
        return {(self.at(x1, y1), self.at(x2, y2)) for x1, y1, x2, y2 in self.lines}


def _elements(svg: str, kind: str) -> list[dict[str, float]]:
    """Return the coordinates of all elements of a kind."""
    return [
        {name: float(value) for name, value in re.findall(r'\b(x|y|x1|y1|x2|y2|width|height)="([-\d.]+)"', attributes)}
        for attributes in re.findall(rf"<{kind} ([^>]*)>", svg)
    ]


def _read(file: Path) -> _Picture:
    """Return the named boxes of a diagram, and the lines between them."""
    svg = file.read_text(encoding="utf-8")
    boxes = [
        _Box(one["x"], one["y"], one["x"] + one["width"], one["y"] + one["height"])
        for one in _elements(svg, "rect")
        if "x" in one
    ]
    named = {}
    for place, name in zip(_elements(svg, "text"), re.findall(r"<text [^>]*>([^<]+)<", svg), strict=True):
        (box,) = [one for one in boxes if one.holds(place["x"], place["y"])]
        named[name] = box
    assert len(named) == len(boxes)
    return _Picture(named, [(one["x1"], one["y1"], one["x2"], one["y2"]) for one in _elements(svg, "line")])


def _tool() -> Any:
    sys.path.insert(0, str(_PROJECT / "tools"))
    try:
        return importlib.import_module("architecture")
    finally:
        sys.path.pop(0)


def _uses(root: Path = _PROJECT) -> dict[str, set[str]]:
    graph = _tool().uses(root)
    return {name.removeprefix("adcl."): {one.removeprefix("adcl.") for one in used} for name, used in graph.items()}


def _reached(name: str, arrows: set[tuple[str, str]]) -> set[str]:
    direct = {target for source, target in arrows if source == name}
    return direct.union(*(_reached(one, arrows) for one in direct))


def _objections(picture: _Picture, graph: dict[str, set[str]]) -> list[str]:
    """Return the differences between a diagram and the dependencies."""
    arrows = picture.arrows()
    found = [f"there is no box for {name}" for name in sorted(graph.keys() - picture.boxes.keys())]
    found += [f"{name} is not a folder" for name in sorted(picture.boxes.keys() - graph.keys())]
    found += [
        f"{name} does not use {target}" for name, target in sorted(arrows) if target not in graph.get(name, set())
    ]
    found += [
        f"no arrows lead from {name} to {target}, which it uses"
        for name, used in graph.items()
        for target in sorted(used - _reached(name, arrows))
    ]
    return found


def test_the_picture_shows_the_includes_and_imports() -> None:
    graph = _uses()
    assert {"core", "capi", "bindings", "programs", "include", "cli", "tune.study"} <= graph.keys()
    advice = "run tools/architecture.py, after giving new folders a place in its PLACES"
    assert _objections(_read(_DOCS / "architecture.svg"), graph) == [], advice


def test_no_arrow_passes_through_a_box() -> None:
    picture = _read(_DOCS / "architecture.svg")
    assert len(picture.lines) > 20
    for x1, y1, x2, y2 in picture.lines:
        ends = {picture.at(x1, y1), picture.at(x2, y2)}
        assert y1 < y2, f"{ends}: an arrow must lead downward"
        steps = [(x1 + (x2 - x1) * i / 500, y1 + (y2 - y1) * i / 500) for i in range(501)]
        for name in picture.boxes.keys() - ends:
            assert not any(picture.boxes[name].holds(x, y) for x, y in steps), f"{ends} passes through {name}"


def test_every_box_has_its_row() -> None:
    text = (_DOCS / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| .+ \|$", text, re.MULTILINE)
    assert sorted(rows) == sorted(_read(_DOCS / "architecture.svg").boxes)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the files that the diagram is drawn from."""
    for name in ("src", "bindings", "programs", "python/adcl", "tools"):
        shutil.copytree(_PROJECT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs").mkdir()
    return tmp_path


def _draw(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "tools/architecture.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=within(60))


def test_the_committed_diagram_is_up_to_date(copy: Path) -> None:
    done = _draw(copy)
    assert done.returncode == 0, done.stderr
    assert (copy / "docs/architecture.svg").read_bytes() == (_DOCS / "architecture.svg").read_bytes()


def test_missing_boxes_and_arrows_are_reported(copy: Path) -> None:
    (copy / "src/elsewhere").mkdir()
    (copy / "src/elsewhere/file.hpp").write_text('#include "core/text.hpp"\n', encoding="utf-8")
    (copy / "src/core/option.cpp").write_text('#include "profile/clock.hpp"\n', encoding="utf-8")
    (copy / "python/adcl/info/_read.py").write_text("from adcl.launch import run\n", encoding="utf-8")
    objections = _objections(_read(_DOCS / "architecture.svg"), _uses(copy))
    assert "there is no box for elsewhere" in objections
    assert "no arrows lead from core to profile, which it uses" in objections
    assert "no arrows lead from info to launch, which it uses" in objections
    assert "no arrows lead from elsewhere to core, which it uses" in objections
    done = _draw(copy)
    assert done.returncode == 1
    assert "has no position for elsewhere" in done.stderr


def test_surplus_arrows_are_reported(tmp_path: Path) -> None:
    picture = (_DOCS / "architecture.svg").read_text(encoding="utf-8")
    line = re.search(r"<line [^>]*/>", picture)
    assert line is not None
    boxes = _read(_DOCS / "architecture.svg").boxes
    core, profile = boxes["core"], boxes["profile"]
    extra = f'<line x1="{core.left}" y1="{core.bottom}" x2="{profile.left}" y2="{profile.top}"/>'
    file = tmp_path / "changed.svg"
    file.write_text(picture.replace(line[0], extra), encoding="utf-8")
    objections = _objections(_read(file), _uses())
    assert "core does not use profile" in objections
    assert any(one.startswith("no arrows lead from") for one in objections)
