"""Replay studies of a program without possible gain, with times measured in real studies."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import random
from typing import TYPE_CHECKING, Any

from adcl.tune.search import DEFAULT, make_search
from adcl.tune.study._plan import Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.tune.space import Space

__all__ = ["replay"]

_SHORTEST, _LONGEST = 10, 60
"""Number of consecutive runs per piece: long enough to keep a disturbance of the machine together."""

_OBJECTIVE = "value"
_Times = list[tuple[float, float]]

_SETTING: dict[str, Any] = {}
"""Data shared with the processes, which are forked after it is filled."""


def _draws(recorded: list[_Times], generator: random.Random) -> Iterator[tuple[float, float]]:
    """Yield objective and seconds of an unlimited number of runs, in pieces of the recorded runs."""
    while True:
        times = generator.choice(recorded)
        length = min(generator.randint(_SHORTEST, _LONGEST), len(times))
        first = generator.randrange(len(times) - length + 1)
        yield from times[first : first + length]


def _is_kept(seed: int) -> bool:
    """Run one study in which no setting makes a difference; return True if it advises to keep the defaults."""
    generator = random.Random(f"replay {seed}")  # noqa: S311 - which times are drawn
    search = make_search(DEFAULT, _SETTING["space"], seed=seed)
    protocol = StudyProtocol(search, StudyPolicy(seconds=_SETTING["seconds"]), (_OBJECTIVE,), seed)
    draws, elapsed = _draws(_SETTING["recorded"], generator), 0.0
    for _ in itertools.count():
        order = protocol.next(elapsed)
        if order is None:
            break
        value, seconds = next(draws)
        elapsed += seconds
        late = order.timeout_s is not None and seconds > order.timeout_s and order.scenario is not None
        protocol.record(order, Sample("timeout", seconds) if late else Sample("ok", seconds, {_OBJECTIVE: value}))
    return protocol.verdict().scenario is None


def replay(space: Space, documents: list[dict[str, Any]], studies: int, seconds: int) -> int:
    """Return the number of `studies` studies that keep the defaults, with the times of all runs of `documents`.

    In these studies, no setting causes a difference between runs. In the measured studies settings may have caused
    differences, which makes it harder, not easier, to recognize that there is no gain.
    """
    recorded = []
    for document in documents:
        name = document["objectives"][0]
        good = [run for run in document["runs"] if run["status"] == "ok"]
        recorded.append([(run["objectives"][name], run["seconds"]) for run in good])
    _SETTING.update(space=space, recorded=recorded, seconds=seconds)
    with multiprocessing.get_context("fork").Pool(os.cpu_count() or 1) as pool:
        return sum(pool.imap_unordered(_is_kept, range(studies), chunksize=1))
