"""Measurements of the demonstration and their evaluation. Pure: starts no programs."""

from __future__ import annotations

import json
import math
import random
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "ADCL",
    "Loss",
    "Measured",
    "Origin",
    "Ratio",
    "Row",
    "load",
    "paired",
    "row_of",
    "store",
    "worst_fixed_choice",
]

ADCL = "adcl"
_FORMAT = 2
_FEWEST_PAIRS = 6
_CONFIDENCE = 0.95
_SAMPLES = 2000
_SEED = 1


@dataclass(frozen=True)
class Origin:
    """Place and time of measurements."""

    machine: str
    adcl: str
    mpi: str
    date: str


@dataclass(frozen=True)
class Measured:
    """The record of one job of the program `demo`."""

    case: str
    """Key of the demonstration's case."""

    machine: str
    """This node, or the name of a cluster."""

    cores: int
    """Cores of the machine that all ranks share."""

    record: dict[str, Any]
    recorded: Origin | None = None
    """Origin of a stored record; None for a new record."""

    @property
    def ranks(self) -> int:
        """Processes of the job."""
        return int(self.record["ranks"])

    @property
    def is_collective(self) -> bool:
        """True if the job compared calls of a collective, not exchanges in the solver."""
        return "bytes" in self.record

    @property
    def message_bytes(self) -> int:
        """Bytes of the largest message."""
        return int(self.record["bytes" if self.is_collective else "message_bytes"])

    @property
    def repetitions(self) -> int:
        """Iterations of the solver, or calls, in all evaluated rounds."""
        return len(self.rounds) * int(self.record["calls" if self.is_collective else "iterations"])

    @property
    def searched_s(self) -> float:
        """Seconds that ADCL's alternative took until its searches had ended, before the rounds."""
        return float(self.record["search"]["seconds"])

    @property
    def searched_repetitions(self) -> int:
        """Iterations, or calls, in that time."""
        return int(self.record["search"]["repetitions"])

    @property
    def decided(self) -> bool:
        """True if all searches ended before the rounds."""
        return bool(self.record["search"]["ended"])

    @property
    def rounds(self) -> list[dict[str, float]]:
        """The evaluated rounds. Excludes the rounds that chose the best and the worst alternative.

        In these rounds, the fastest of several similar alternatives was lucky, and would appear better than it is.
        """
        rounds: list[dict[str, float]] = self.record["rounds"]
        return [one for one in rounds if len(one) == len(rounds[-1])]

    def seconds(self, name: str) -> list[float]:
        """Return the times of one alternative, round by round."""
        return [float(runs[name]) for runs in self.rounds]

    @property
    def by_hand(self) -> list[str]:
        """The alternatives without ADCL in all evaluated rounds: the best and the worst of the first three rounds."""
        return [name for name in self.record["rounds"][-1] if name != ADCL]


@dataclass(frozen=True)
class Ratio:
    """Time of one alternative divided by the time of another, over all rounds, with its 95 % interval."""

    value: float
    low: float
    high: float
    pairs: int

    @property
    def enough(self) -> bool:
        """True if there are enough pairs for an interval."""
        return self.pairs >= _FEWEST_PAIRS

    @property
    def proven(self) -> bool:
        """True if there are enough pairs and 1 is outside the interval."""
        return self.enough and (self.low > 1.0 or self.high < 1.0)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    measured: Measured
    best: str
    worst: str

    best_s: float
    """Seconds per iteration of the solver or per call, like the next two members."""

    worst_s: float
    adcl_s: float
    speedup: Ratio
    """Time of the best alternative without ADCL divided by ADCL's time: more than 1 if ADCL is faster."""

    search_cost_s: float
    """Time of the search minus the time of the same number of later iterations, or calls."""

    spread: Ratio
    """Time of the worst alternative divided by the time of the best alternative."""

    chosen: tuple[str, ...]
    """Codelets that ADCL chose, one for each of its requests; "" for a request that was still searching."""


@dataclass(frozen=True)
class Loss:
    """Cost of using one hand-written exchange in all cases."""

    exchange: str
    good: Row
    """Case in which the exchange is the best."""

    bad: Row
    """Case in which the exchange loses most."""

    ratio: Ratio
    """Time of the exchange divided by the time of the best exchange, in the case in which the exchange loses most."""


def paired(over: Sequence[float], under: Sequence[float]) -> Ratio:
    """Compare the times of two alternatives in the same rounds: the ratio of their sums, and its bootstrap interval."""
    count = len(over)
    chance = random.Random(_SEED)  # noqa: S311 - it draws samples
    ratios = []
    for _ in range(_SAMPLES):
        rounds = [chance.randrange(count) for _ in range(count)]
        ratios.append(math.fsum(over[i] for i in rounds) / math.fsum(under[i] for i in rounds))
    ratios.sort()
    outside = round((1.0 - _CONFIDENCE) / 2.0 * _SAMPLES)
    return Ratio(math.fsum(over) / math.fsum(under), ratios[outside], ratios[-1 - outside], count)


def row_of(measured: Measured) -> Row:
    """Summarize a job."""
    totals = {name: math.fsum(measured.seconds(name)) for name in measured.by_hand}
    best = min(totals, key=totals.__getitem__)
    worst = max(totals, key=totals.__getitem__)
    adcl_s = math.fsum(measured.seconds(ADCL)) / measured.repetitions
    return Row(
        measured=measured,
        best=best,
        worst=worst,
        best_s=totals[best] / measured.repetitions,
        worst_s=totals[worst] / measured.repetitions,
        adcl_s=adcl_s,
        speedup=paired(measured.seconds(best), measured.seconds(ADCL)),
        search_cost_s=measured.searched_s - measured.searched_repetitions * adcl_s,
        spread=paired(measured.seconds(worst), measured.seconds(best)),
        chosen=tuple(one["winner"] for one in measured.record["tuning"]),
    )


def worst_fixed_choice(rows: Sequence[Row]) -> Loss | None:
    """Return the exchange that is the best of one row and loses most in another row; None if no loss is significant."""
    losses = [
        Loss(good.best, good, bad, paired(bad.measured.seconds(good.best), bad.measured.seconds(bad.best)))
        for good in rows
        for bad in rows
        if good.best != bad.best and good.best in bad.measured.by_hand
    ]
    proven = [loss for loss in losses if loss.ratio.proven and loss.ratio.value > 1.0]
    return max(proven, key=lambda loss: loss.ratio.low, default=None)


def store(measurements: Sequence[Measured], origin: Origin, path: Path) -> None:
    """Write the new measurements, without the stored records of other runs."""
    here = [asdict(one) for one in measurements if one.recorded is None]
    for one in here:
        del one["recorded"]
    text = json.dumps({"format": _FORMAT, "origin": asdict(origin), "measurements": here}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def load(path: Path) -> tuple[Origin, list[Measured]]:
    """Read a file that `store` has written."""
    document: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if document["format"] != _FORMAT:
        raise ValueError(f"{path} has format {document['format']}, not {_FORMAT}")
    return Origin(**document["origin"]), [Measured(**one) for one in document["measurements"]]
