"""Makes src/codelets/neighborhood/prior.def from the recorded tables of bench/codelet_tables.

A table is LIBRARY-MACHINE.json. What is recorded of a setting with the same MPI library on several machines is
averaged: which of two codelets that do nearly the same is the faster one differs between machines.

tools/make_prior.py [--check]: writes the file, or with --check says whether it is as it would be written.
"""

from __future__ import annotations

import json
import math
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
_TABLES = _ROOT / "bench" / "codelet_tables"
_PRIOR = _ROOT / "src" / "codelets" / "neighborhood" / "prior.def"
_HEAD = """\
// Made by tools/make_prior.py from bench/codelet_tables; not written by hand. For each recorded setting: MPI library,
// bytes of a message, messages of a field, fields, and for each codelet 100 times the natural logarithm of how many
// times the fastest one's time it took, and how many times that its first execution took, with the making of its plan;
// means over the machines.
"""


def _features(setting: dict[str, Any]) -> tuple[float, int, int]:
    """Bytes of a message on average, messages of a field, and fields, on each of two ranks."""
    side, dimensions = setting["side"], setting["dimensions"]
    faces = 2 * dimensions if setting["periodic"] else 1
    points = faces * side ** (dimensions - 1)
    messages = faces
    if setting["corners"]:
        points += 12 * side + 8
        messages += 20
    return 8 * points / messages, messages, setting["fields"]


def _typical(samples: list[float]) -> float:
    """The mean without the fifth of the times at either end."""
    cut = len(samples) // 5
    return statistics.fmean(sorted(samples)[cut : len(samples) - cut])


@dataclass
class _Setting:
    """What was recorded of a setting with an MPI library, per machine."""

    features: tuple[float, int, int]
    slower: dict[str, list[float]] = field(default_factory=dict)
    """Logarithms of a codelet's time over the fastest one's."""

    first: dict[str, list[float]] = field(default_factory=dict)
    """Logarithms of its first start's."""

    def add(self, codelets: dict[str, dict[str, Any]]) -> None:
        """Of one more machine."""
        times = {name: _typical(codelet["samples_us"]) for name, codelet in codelets.items()}
        best = min(times.values())
        for name, time in times.items():
            self.slower.setdefault(name, []).append(math.log(time / best))
            self.first.setdefault(name, []).append(math.log(codelets[name]["first_us"] / best))

    def line(self, library: str) -> str:
        means = {name: statistics.fmean(logs) for name, logs in self.slower.items()}
        best = min(means.values())
        size, messages, fields = self.features
        shown = " ".join(
            f"{name}={round(100 * (mean - best))}/{round(math.exp(statistics.fmean(self.first[name]) - best))}"
            for name, mean in means.items()
        )
        return f'ADCL_RECORDED("{library}", {size:.1f}, {messages}, {fields}, "{shown}")\n'


def _lines() -> list[str]:
    found: dict[tuple[str, str], _Setting] = {}
    for path in sorted(_TABLES.glob("*.json")):
        library, _, _ = path.stem.partition("-")
        for setting in json.loads(path.read_text(encoding="utf-8"))["settings"]:
            key = library, setting["name"]
            found.setdefault(key, _Setting(_features(setting))).add(setting["codelets"])
    return [setting.line(library) for (library, _), setting in found.items()]


def main() -> int:
    """Write the file, or compare it."""
    made = _HEAD + "".join(_lines())
    if "--check" in sys.argv[1:]:
        current = _PRIOR.read_text(encoding="utf-8") if _PRIOR.exists() else ""
        if current != made:
            print(f"{_PRIOR.relative_to(_ROOT)} is not what tools/make_prior.py makes of the tables; run it")
        return int(current != made)
    _PRIOR.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
