"""The rooms of `adcl scale`: no import goes in a circle, and a new term, format or panel is one file and one row."""

from __future__ import annotations

import ast
import graphlib

from support import PROJECT

_PYTHON = PROJECT / "python"


def _imports() -> dict[str, set[str]]:
    """The modules of adcl.scale, and what each imports from there, for annotations too."""
    found: dict[str, set[str]] = {}
    for path in (_PYTHON / "adcl/scale").rglob("*.py"):
        name = ".".join(path.relative_to(_PYTHON).with_suffix("").parts).removesuffix(".__init__")
        nodes = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        found[name] = {node.module for node in nodes if node.module and node.module.startswith("adcl.scale")}
    return found


def test_no_import_goes_in_a_circle() -> None:
    """A module that imports from another room waits for all of that room; `tools/layers.py` orders the rooms."""
    imports = _imports()
    assert len({name.split(".")[2] for name in imports if name != "adcl.scale"}) == 5
    order = list(graphlib.TopologicalSorter(imports).static_order())  # raises CycleError
    assert order.index("adcl.scale.model") < order.index("adcl.scale.judge") < order.index("adcl.scale.output")
