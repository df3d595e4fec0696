#!/usr/bin/env python3
"""A benchmark of a serial library of four functions, one of which is slower than its author expects.

``library.py N`` prints a record for each function, as docs/scale.md describes them. ``library.py N fixed`` measures the
library without the defect.
"""

from __future__ import annotations

import bisect
import json
import random
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_REPETITIONS = 7
_LOOKUPS = 2000


def total(values: Sequence[int]) -> int:
    """Add the values: O(n)."""
    result = 0
    for value in values:
        result += value
    return result


def find(values: Sequence[int]) -> int:
    """Look up some values in a sorted sequence: O(log n)."""
    return sum(bisect.bisect_left(values, values[at * 7919 % len(values)]) for at in range(_LOOKUPS))


def order(values: Sequence[int]) -> list[int]:
    """Sort the values: O(n log n)."""
    return sorted(values)


def merge(values: Sequence[int]) -> list[int]:
    """Take the smaller head of two queues repeatedly; the author expects O(n)."""
    middle = len(values) // 2
    left, right = sorted(values[:middle]), sorted(values[middle:])
    merged = []
    while left and right:
        # pop(0) moves all other elements.
        merged.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return merged + left + right


def merge_fixed(values: Sequence[int]) -> list[int]:
    """Like `merge`, but O(n), excluding the sorting."""
    middle = len(values) // 2
    left, right = sorted(values[:middle], reverse=True), sorted(values[middle:], reverse=True)
    merged = []
    while left and right:
        merged.append(left.pop() if left[-1] <= right[-1] else right.pop())
    return merged + left[::-1] + right[::-1]


def _seconds(function: Callable[[Sequence[int]], object], values: Sequence[int]) -> float:
    begin = time.process_time()
    function(values)
    return time.process_time() - begin


def main() -> None:
    """Entry point."""
    count = int(sys.argv[1])
    generator = random.Random(count)  # noqa: S311 - it is no secret
    values = [generator.randrange(1 << 30) for _ in range(count)]
    merging = merge_fixed if "fixed" in sys.argv else merge
    functions = {"total": total, "find": find, "order": order, "merge": merging}
    for name, function in functions.items():
        given = sorted(values) if name == "find" else values
        repetitions = [_seconds(function, given) for _ in range(_REPETITIONS)]
        record = {"schema": 1, "function": name, "metric": "time_s", "parameters": {"n": count}}
        print(json.dumps({**record, "repetitions": repetitions}))


if __name__ == "__main__":
    main()
