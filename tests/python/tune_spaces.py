"""Spaces and responses shared by the tests of `adcl tune`."""

from __future__ import annotations

import math
import random
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.tune.search import make_search
from adcl.tune.space._space import Choices, Condition, Configuration, Coordinates, Parameter, Space, Steps
from adcl.tune.study._plan import Sample, StudyPolicy
from adcl.tune.study._protocol import StudyProtocol
from adcl.tune.study._study import Study

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.tune.study._plan import PlannedRun

YES_NO = Choices(("yes", "no"))


@dataclass(frozen=True)
class Rule:
    """A constraint as a function."""

    text: str
    test: Callable[[Configuration], bool]

    def holds(self, configuration: Configuration) -> bool:
        return self.test(configuration)


PLAIN = Space(
    (
        Parameter("eager", Steps(1024, 65536, multiply=2), 4096),
        Parameter("pinning", Choices(("core", "socket", "none")), "none"),
        Parameter("buffers", Steps(1, 4, add=1)),
    )
)
CONDITIONAL = Space(
    (
        Parameter("size", Steps(4096, 65536, multiply=2), when=Condition("bulk", ("yes",))),
        Parameter("bulk", YES_NO, "no"),
        Parameter("depth", Steps(1, 4, add=1), when=Condition("size", (8192, 16384))),
        Parameter("wait", Choices(("poll", "nopoll"))),
    )
)
CONSTRAINED = Space(
    (
        Parameter("eager", Steps(1, 16, multiply=2), 2),
        Parameter("buffer", Steps(1, 64, multiply=2), 64),
        *PLAIN.parameters[1:2],
    ),
    (Rule("buffer >= 2 * eager", lambda one: int(one["buffer"]) >= 2 * int(one["eager"])),),
)
TINY = Space((Parameter("only", YES_NO),))
MANY = Space(tuple(Parameter(f"p{place}", Steps(0, 6, add=1), 2) for place in range(14)))
LARGE = Space(tuple(Parameter(f"p{place}", Steps(1, 64, add=1), 32) for place in range(8)))
SPACES = {"plain": PLAIN, "conditional": CONDITIONAL, "constrained": CONSTRAINED, "tiny": TINY}


def response(space: Space, seed: int) -> Callable[[Coordinates], float]:
    """Return seconds of a made-up program: steps and slopes of parameters and of pairs, deterministic per seed."""
    generator = random.Random(f"response {seed}")  # use other numbers than a search with the same seed
    strength = [generator.choice((0.0, 0.1, 0.5, 1.0)) for _ in space.parameters]
    best = [generator.randrange(count) for count in space.shape]
    together = {(a, b): generator.uniform(0.0, 0.3) for a in range(len(best)) for b in range(a)}

    def seconds(coordinates: Coordinates) -> float:
        mask = space.active_mask(coordinates)
        off = [
            abs(position - wanted) / max(count - 1, 1) if active else 0.5
            for position, wanted, count, active in zip(coordinates, best, space.shape, mask, strict=True)
        ]
        total = sum(a * b for a, b in zip(strength, off, strict=True))
        total += sum(share * off[a] * off[b] for (a, b), share in together.items())
        return math.exp(total)

    return seconds


def protocol_of(name: str = "random", seed: int = 0, **policy: object) -> StudyProtocol:
    return StudyProtocol(make_search(name, PLAIN, seed=seed), StudyPolicy(**policy), ("wall",), seed)  # type: ignore[arg-type]


def ok(seconds: float) -> Sample:
    return Sample("ok", seconds, {"wall": seconds})


def drive(protocol: StudyProtocol, run: Callable[[PlannedRun], Sample]) -> list[PlannedRun]:
    """Run all trials one after the other; the clock advances by their times."""
    orders, elapsed = [], 0.0
    while (order := protocol.next(elapsed)) is not None:
        sample = run(order)
        orders.append(order)
        elapsed += sample.seconds or 0.0
        protocol.record(order, sample)
    assert protocol.phase == "finished"
    return orders


class BrokenMachineError(Exception):
    """The process that runs the study ends."""


class Machine:
    """Runs trials of a made-up program; interrupts or fails at a given run."""

    def __init__(
        self, space: Space = PLAIN, *, at: int | None = None, what: type[BaseException] = BrokenMachineError
    ) -> None:
        self.space, self.at, self.what = space, at, what
        self.seconds = response(space, 5)
        self.ran: list[Configuration] = []
        self.lock = threading.Lock()

    def __call__(self, configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        del timeout_s, worker
        with self.lock:
            self.ran.append(configuration)
            if len(self.ran) == self.at:
                raise self.what
        value = self.seconds(self.space.coordinates(configuration)) if configuration else 1.5
        return Sample("ok", value, {"wall": value}, tail="done")


def study(machine: Callable[..., Sample], space: Space = PLAIN, **settings: Any) -> Study:
    policy = settings.pop("policy", StudyPolicy(searched=20))
    return Study(space, machine, ("wall",), settings.pop("search", "random"), policy=policy, **settings)
