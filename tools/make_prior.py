"""Makes the prior.def of each pattern from its recorded tables: data/recorded/codelets and data/recorded/collectives.

A table is LIBRARY-MACHINE.json. What is recorded of a setting with the same MPI library on several machines is
averaged: which of two codelets that do nearly the same is the faster one differs between machines.

tools/make_prior.py [--check]: writes the files, or with --check says whether they are as they would be written.
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
_HALO_HEAD = """\
// Made by tools/make_prior.py from data/recorded/codelets; not written by hand. For each recorded setting: MPI library,
// bytes of a message, messages of a field, fields, and for each codelet 100 times the natural logarithm of how many
// times the fastest one's time it took, and how many times that its first execution took, with the making of its plan;
// means over the machines.
"""
_COLLECTIVES_HEAD = """\
// Made by tools/make_prior.py from data/recorded/collectives; not written by hand. For each function set its codelets;
// for each recorded setting MPI library, function set, bytes of a block, and for each of these codelets 100 times the
// natural logarithm of how many times the fastest one's time it took, and how many times that its first execution took,
// with the making of its plan; means over the machines, or "-" where it was not applicable.
"""


@dataclass
class _Setting:
    """What was recorded of a setting with an MPI library, per machine."""

    library: str
    head: dict[str, Any]
    """The setting as it stands in a table."""

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

    def times(self) -> dict[str, str]:
        """Of each codelet both numbers."""
        means = {name: statistics.fmean(logs) for name, logs in self.slower.items()}
        best = min(means.values())
        return {
            name: f"{round(100 * (mean - best))}/{round(math.exp(statistics.fmean(self.first[name]) - best))}"
            for name, mean in means.items()
        }


def _typical(samples: list[float]) -> float:
    """The mean without the fifth of the times at either end."""
    cut = len(samples) // 5
    return statistics.fmean(sorted(samples)[cut : len(samples) - cut])


def _settings(folder: Path) -> list[_Setting]:
    found: dict[tuple[str, str], _Setting] = {}
    for path in sorted(folder.glob("*.json")):
        library, _, _ = path.stem.partition("-")
        for setting in json.loads(path.read_text(encoding="utf-8"))["settings"]:
            key = library, setting["name"]
            found.setdefault(key, _Setting(library, setting)).add(setting["codelets"])
    return list(found.values())


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


def _halo() -> str:
    lines = []
    for setting in _settings(_ROOT / "data" / "recorded" / "codelets"):
        size, messages, fields = _features(setting.head)
        shown = " ".join(f"{name}={time}" for name, time in setting.times().items())
        lines.append(f'ADCL_RECORDED("{setting.library}", {size:.1f}, {messages}, {fields}, "{shown}")\n')
    return _HALO_HEAD + "".join(lines)


def _collectives() -> str:
    settings = _settings(_ROOT / "data" / "recorded" / "collectives")
    codelets: dict[str, dict[str, None]] = {}
    for setting in settings:
        codelets.setdefault(setting.head["set"], {}).update(dict.fromkeys(setting.slower))
    lines = [f'ADCL_RECORDED_SET("{name}", "{" ".join(names)}")\n' for name, names in codelets.items()]
    for setting in settings:
        head, times = setting.head, setting.times()
        shown = " ".join(times.get(name, "-") for name in codelets[head["set"]])
        lines.append(f'ADCL_RECORDED("{setting.library}", "{head["set"]}", {head["bytes"]}, "{shown}")\n')
    return _COLLECTIVES_HEAD + "".join(lines)


def main() -> int:
    """Write the files, or compare them."""
    code = 0
    for pattern, made in (("neighborhood", _halo()), ("collectives", _collectives())):
        file = _ROOT / "src" / "codelets" / pattern / "prior.def"
        if "--check" not in sys.argv[1:]:
            file.write_text(made, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != made:
            print(f"{file.relative_to(_ROOT)} is not what tools/make_prior.py makes of the tables; run it")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
