"""Draws the dependencies between folders: ``architecture.py [ROOT]`` writes ROOT/docs/architecture.svg.

Arrows come from includes and imports; PLACES defines the positions of the boxes. A box may use every box that it
reaches along one or more arrows, so the diagram omits arrows that others imply.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import layers

__all__ = ["PLACES", "main", "uses"]

PLACES: dict[str, tuple[float, float]] = {
    "bindings": (0, 0),
    "capi": (1, 0),
    "programs": (2, 0),
    "interpose": (2.93, 0),
    "include": (0, 1),
    "timer": (0.9, 1),
    "codelets": (2.6, 1),
    "request": (0.8, 2),
    "data": (2.5, 3),
    "tuner": (0.4, 3),
    "output": (0, 4),
    "history": (1.7, 4),
    "options": (0.8, 5),
    "select": (0.1, 6),
    "mpi": (2.5, 5),
    "measure": (1.1, 7),
    "core": (1.7, 8),
    "profile": (3.7, 0.44),
    "adcl.runtime": (4.2, 0),
    "adcl.cli": (6, 0),
    "adcl.evaluate": (6.41, 1),
    "adcl.scale.output": (5.44, 1),
    "adcl.learn": (4.47, 1),
    "adcl.trace": (6.5, 2),
    "adcl.tune.result": (8.4, 1),
    "adcl.pages": (6.4, 3.2),
    "adcl.scale.study": (5.1, 2.2),
    "adcl.info": (3.1, 2.5),
    "adcl.tune.study": (8.8, 2.3),
    "adcl.testbed": (3.5, 1),
    "adcl.tune.profile": (7.6, 3.4),
    "adcl.tune.trial": (8.8, 3.4),
    "adcl.scale.judge": (5.45, 7.7),
    "adcl.scale.input": (6.4, 7.7),
    "adcl.scale.model": (5.9, 8.8),
    "adcl.tune.file": (8.8, 4.4),
    "adcl.tune.search": (8.8, 5.4),
    "adcl.launch": (4.4, 5.4),
    "adcl.mpi_libraries": (4.2, 6.6),
    "adcl.jobs": (3.4, 7.7),
    "adcl.knowledge": (4.4, 7.7),
    "adcl.tune.space": (7.6, 7.7),
}
"""Column and row of each box. A box may use only boxes in lower rows."""

_BOX = (116, 34)
_STEP = (136, 84)
_MARGIN = 20
_INCLUDE = re.compile(r'^\s*#include [<"](?:(\w+)/|(ADCL)\.h)', re.MULTILINE)
_FOLDERS = ("bindings", "programs", "src/*")


def _included(folder: Path) -> set[str]:
    files = (path for kind in ("*.cpp", "*.hpp", "*.c", "*.h") for path in folder.rglob(kind))
    found = {match for path in files for match in _INCLUDE.findall(path.read_text(encoding="utf-8"))}
    return {"include" if interface else name for name, interface in found}


def _imported(folder: Path) -> set[str]:
    """Return the imported packages and subpackages, as `adcl.NAME` or `adcl.NAME.SUBPACKAGE`.

    A name that a package exports for its subpackages represents all of them.
    """
    modules = [one for path in folder.rglob("*.py") for one in layers.imported(path.read_text(encoding="utf-8"))]
    found: set[str] = set()
    for one in modules:
        if one[:1] == ["adcl"] and one[1:]:
            subpackages = [name for name in layers.PACKAGES if name.startswith(f"{one[1]}/")]
            subpackage = "/".join(one[1:3])
            found.update(
                "adcl." + name.replace("/", ".")
                for name in ([subpackage] if subpackage in subpackages else subpackages or [one[1]])
            )
    return found


def uses(root: Path) -> dict[str, set[str]]:
    """Return for each folder below `root` the folders that it includes or imports from.

    Modules that all packages may use are excluded.
    """
    found = {path.name: _included(path) for place in _FOLDERS for path in root.glob(place) if path.is_dir()}
    found["include"] = set()
    for name in layers.PACKAGES:
        folder = root / "python/adcl" / name
        if folder.is_dir():
            found["adcl." + name.replace("/", ".")] = _imported(folder)
    return {name: {one for one in targets if one in found and one != name} for name, targets in found.items()}


def _below(name: str, graph: dict[str, set[str]]) -> set[str]:
    return graph[name].union(*(_below(one, graph) for one in graph[name]))


def _arrows(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the dependencies that are not implied by other dependencies."""
    return [
        (name, target)
        for name in sorted(graph)
        for target in sorted(graph[name])
        if not any(target in _below(other, graph) for other in graph[name] - {target})
    ]


def _center(name: str) -> tuple[float, float]:
    column, row = PLACES[name]
    return _MARGIN + _BOX[0] / 2 + column * _STEP[0], _MARGIN + _BOX[1] / 2 + row * _STEP[1]


def _picture(graph: dict[str, set[str]]) -> str:
    centers = {name: _center(name) for name in graph}
    width = max(x for x, _ in centers.values()) + _BOX[0] / 2 + _MARGIN
    height = max(y for _, y in centers.values()) + _BOX[1] / 2 + _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}">',
        "<title>Dependencies between folders</title>",
        "<style>text { font: 13px sans-serif; text-anchor: middle } line { stroke: #555 }</style>",
        '<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">',
        '<path d="M0 0 L8 4 L0 8 Z" fill="#555"/></marker>',
        f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
    ]
    for name, target in _arrows(graph):
        (x1, y1), (x2, y2) = centers[name], centers[target]
        # Separate the ends of several arrows at the same box.
        lean = max(-40.0, min(40.0, (x2 - x1) / 6))
        lines.append(
            f'<line x1="{x1 + lean:g}" y1="{y1 + _BOX[1] / 2:g}" x2="{x2 - lean:g}" y2="{y2 - _BOX[1] / 2:g}" '
            'marker-end="url(#tip)"/>'
        )
    for name, (x, y) in sorted(centers.items()):
        fill = "#e8f1e4" if name.startswith("adcl.") else "#e6eef8"
        lines.append(
            f'<rect x="{x - _BOX[0] / 2:g}" y="{y - _BOX[1] / 2:g}" width="{_BOX[0]}" height="{_BOX[1]}" rx="5" '
            f'fill="{fill}" stroke="#333"/><text x="{x:g}" y="{y + 4:g}">{escape(name.removeprefix("adcl."))}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    graph = uses(root)
    missing = graph.keys() - PLACES.keys()
    if missing:
        sys.stderr.write(f"PLACES in {__file__} has no position for {', '.join(sorted(missing))}; add one\n")
        return 1
    (root / "docs/architecture.svg").write_text(_picture(graph), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
