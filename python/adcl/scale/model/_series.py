"""Measurements as benchmarks print them, and series of measurements."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adcl.errors import AdclError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "SCHEMA",
    "Aggregate",
    "Measurement",
    "Series",
    "Spread",
    "all_usual",
    "is_usual",
    "series_of",
    "series_of_all",
]

SCHEMA = 1
"""Version of a benchmark's record and of the store."""

MINIMUM_POINTS = 5
"""Minimum number of settings of a parameter for a model (section 2.3 of Shudler et al.)."""

JUDGED_POINTS = 3
"""Minimum number of settings that show, without a model, that measurements outgrow a limit."""


_LARGEST = 1e60
"""Bounds for values, and for the inverse of nonzero values, that keep squares and products finite."""


def is_usual(value: float) -> bool:
    """Return whether a value is 0 or positive and within the bounds for computation."""
    return value == 0 or 1 / _LARGEST <= value <= _LARGEST


def all_usual(values: Collection[float]) -> bool:
    """Return whether `is_usual` holds for all values, of which there is at least one."""
    return (min(values) >= 1 / _LARGEST and max(values) <= _LARGEST) or all(map(is_usual, values))


def _is_extreme(value: float) -> bool:
    size = abs(value)
    return size > _LARGEST or 0 < size < 1 / _LARGEST


class Aggregate(enum.Enum):
    """Statistic that reduces the repetitions of a job to one number; models use the median of the jobs."""

    FIRST_QUARTILE = "q1"
    """First quartile, which suits noise that only adds (section 3.3)."""

    MEDIAN = "median"
    MEAN = "mean"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"

    def of(self, values: Iterable[float]) -> float:
        """Return the statistic; quantiles are interpolated."""
        ordered = sorted(values)
        if len(ordered) == 1:
            return ordered[0]
        match self:
            case Aggregate.MEAN:
                return math.fsum(ordered) / len(ordered)
            case Aggregate.MINIMUM:
                return ordered[0]
            case Aggregate.MAXIMUM:
                return ordered[-1]
        place = (len(ordered) - 1) * (0.25 if self is Aggregate.FIRST_QUARTILE else 0.5)
        low = math.floor(place)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@dataclass(slots=True)
class Measurement:
    """One record of a benchmark: one function at one setting of the parameters, in one job.

    Immutable by convention; not frozen, because creating millions of frozen objects would take four times as long.
    """

    function: str
    metric: str
    """Name that ends with the unit: time_s, memory_bytes."""

    parameters: dict[str, float]
    repetitions: tuple[float, ...]
    """Values, for each repetition the maximum over all ranks."""

    schema: int = SCHEMA
    discarded: int = 0
    """Number of discarded repetitions, such as repetitions that missed their time window."""

    context: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Conditions: MPI library, ranks, host, cores."""

    def problem(self) -> str | None:
        """Return why the record is unusable, or None."""
        if self.schema != SCHEMA:
            return f"the schema is {self.schema}, but this adcl reads {SCHEMA}; use the matching version of adcl"
        if not self.repetitions:
            return f"{self.function} has no repetitions"
        if all(map(is_usual, self.repetitions)) and all(map(is_usual, self.parameters.values())):
            return None
        return self._problem_of_values()

    def _problem_of_values(self) -> str | None:
        if not all(math.isfinite(value) and value >= 0 for value in self.repetitions):
            return f"{self.function} has a measured value that is negative or not finite"
        if not all(math.isfinite(value) for value in self.parameters.values()):
            return f"a parameter of {self.function} is not a number"
        extreme = [value for value in (*self.repetitions, *self.parameters.values()) if _is_extreme(value)]
        if extreme:
            return (
                f"{self.function} has the value {extreme[0]:g}, which is outside the supported range; use another unit"
            )
        return None


@dataclass(frozen=True, slots=True)
class Spread:
    """Scatter of the measurements at one point, within each job or, if there are several, between jobs."""

    squares: float
    """Sum of squared differences from the mean."""

    freedom: int
    """Degrees of freedom."""

    @staticmethod
    def of(jobs: Iterable[float], repetitions: Iterable[tuple[float, ...]]) -> Spread:
        """Return the scatter between jobs or, for a single job, between its repetitions."""
        values = [tuple(jobs)]
        if len(values[0]) == 1:
            values = list(repetitions)
        squares = 0.0
        for one in values:
            mean = math.fsum(one) / len(one)
            squares += math.fsum((value - mean) ** 2 for value in one)
        return Spread(squares, sum(len(one) - 1 for one in values))


_ONE_VALUE = Spread(0.0, 0)
"""Variance of a single measurement."""


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one function at several settings of one or more parameters. The points are sorted."""

    function: str
    metric: str
    parameters: tuple[str, ...]
    """Names of the varying parameters."""

    points: tuple[tuple[float, ...], ...]
    values: tuple[float, ...]
    jobs: tuple[tuple[float, ...], ...] = ()
    """Measurements of each job, by point; `values` are their medians."""

    fixed: tuple[tuple[str, float], ...] = ()
    """Parameters with the same value everywhere."""

    oversubscribed: tuple[bool, ...] = ()
    """For each point, whether its measurement was oversubscribed."""

    sharing: tuple[float, ...] = ()
    """For each point, the number of ranks or threads per core, at least 1; infinity if unknown."""

    cores: float | None = None
    """Cores of the machine on which times were measured; None if unknown, simulated, of several hosts, or irrelevant.
    """

    spreads: tuple[Spread, ...] = ()
    """For each point, the scatter of its measurements."""

    repetitions: tuple[tuple[tuple[float, ...], ...], ...] = ()
    """For each point, all repetitions of each job."""

    bias: float = 0.0
    """How far the repetitions' aggregate lies below their median, relative to the median; negative: above."""

    left_out: tuple[tuple[float, ...], ...] = ()
    """Points with a parameter of 0, which models cannot include because logarithms are undefined there."""

    together: tuple[str, ...] = ()
    """Omitted parameters that varied together with a parameter of the model."""

    @property
    def label(self) -> str:
        """Text that distinguishes the series from other series of the same function and metric."""
        return ", ".join(f"{name} = {value:g}" for name, value in self.fixed)

    def column(self, parameter: str) -> NDArray[np.float64]:
        """Return the parameter's value at each point."""
        import numpy as np

        at = self.parameters.index(parameter)
        return np.array([point[at] for point in self.points], dtype=float)

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the values of all varying parameters."""
        return {name: self.column(name) for name in self.parameters}

    def too_few(self, *, of_model: bool = True) -> str | None:
        """Return why there are too few points for a verdict or, with `of_model`, for a model; None if enough."""
        least = MINIMUM_POINTS if of_model or len(self.parameters) > 1 else JUDGED_POINTS
        if len(self.parameters) == 1 and len(self.points) >= least:
            return None
        distinct = {name: len({point[at] for point in self.points}) for at, name in enumerate(self.parameters)}
        few = [name for name, count in distinct.items() if count < least]
        if not distinct:
            return f"{self.function}: no parameter varies; measure at {MINIMUM_POINTS} settings or more"
        if len(few) == len(distinct):
            what = "a model" if least == MINIMUM_POINTS else "a verdict"
            return (
                f"{self.function}: {what} requires {least} values of {few[0]}, found {distinct[few[0]]}; measure more "
                "values"
            )
        return None


@dataclass(frozen=True, slots=True)
class _Machine:
    """Properties of the cores that a measurement used, from its context."""

    oversubscribed: bool
    sharing: float
    cores: float | None

    @staticmethod
    def of(context: Mapping[str, Any]) -> _Machine:
        """Parse a context. Only the program or its launcher knows how ranks are spread over several hosts."""
        if context.get("simulated"):
            return _ALONE
        ranks, cores = context.get("ranks"), context.get("cores")
        hosts, threads = context.get("hosts", 1), context.get("threads", 1)
        known = all(isinstance(one, int | float) and one > 0 for one in (ranks, cores, hosts, threads))
        busy, total = (ranks * threads, cores * hosts) if known else (math.inf, 1)
        flag = context.get("oversubscribed")
        oversubscribed = bool(flag) if flag is not None or not known else busy > total
        sharing = max(busy / total, 1.0) if oversubscribed else 1.0
        measured = context.get("sharing")
        if isinstance(measured, int | float) and measured >= 1:
            sharing = min(sharing, float(measured))
        return _Machine(oversubscribed, sharing, float(total) if known and hosts == 1 else None)


_ALONE = _Machine(oversubscribed=False, sharing=1.0, cores=None)


def _machines(points: Sequence[Sequence[Measurement]], found: Sequence[Measurement]) -> list[_Machine]:
    """Return for each point the machine of its measurements: the machine with the median number of ranks per core.

    All measurements have the same metric, and `found` contains them all. Metrics other than times do not depend on
    cores.
    """
    contexts = {id(one.context): one.context for one in found} if found[0].metric.endswith("_s") else {}
    known = {at: _Machine.of(context) for at, context in contexts.items() if context}
    if not known:
        return [_ALONE] * len(points)
    own = [[known.get(id(one.context), _ALONE) for one in point] for point in points]
    ordered = [sorted(row, key=lambda one: (one.oversubscribed, one.sharing)) for row in own]
    return [row[-1] if not row[len(row) // 2].oversubscribed else row[len(row) // 2] for row in ordered]


def series_of(
    measurements: Iterable[Measurement],
    function: str,
    metric: str,
    *,
    where: Mapping[str, float] | None = None,
    aggregate: Aggregate = Aggregate.FIRST_QUARTILE,
) -> Series:
    """Return the measurements of one function and metric at given values of some parameters.

    Raises `AdclError` if there are none, or if their parameters differ.
    """
    wanted = dict(where or {})
    found = [
        measurement
        for measurement in measurements
        if measurement.function == function
        and measurement.metric == metric
        and all(measurement.parameters.get(name) == value for name, value in wanted.items())
    ]
    if not found:
        at = "".join(f", {name} = {value:g}" for name, value in wanted.items())
        raise AdclError(f"there are no measurements of {metric} of {function}{at}; run the benchmark for it")
    return series_of_all(found, aggregate)


def series_of_all(found: Sequence[Measurement], aggregate: Aggregate = Aggregate.FIRST_QUARTILE) -> Series:
    """Return the series of measurements that all have one function and metric.

    Raises `AdclError` as `series_of` does.
    """
    function, metric, names = found[0].function, found[0].metric, tuple(found[0].parameters)
    by_point: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    wanted, single = found[0].parameters.keys(), names[0] if len(names) == 1 else None
    for one in found:
        point = one.parameters
        if point.keys() != wanted:
            raise AdclError(
                f"{function}: some measurements have the parameters {', '.join(names)} and others "
                f"{', '.join(one.parameters)}; put them into separate stores"
            )
        by_point[(point[single],) if single else tuple(point[name] for name in names)].append(one)
    ordered, left_out = _without_zero(sorted(by_point))
    varying = [at for at in range(len(names)) if len({point[at] for point in ordered}) > 1]
    fixed = [at for at in range(len(names)) if at not in varying]
    rows = [by_point[point] for point in ordered]
    alone = len(rows) == len(found) and {len(one.repetitions) for one in found} == {1}
    if alone:
        jobs = tuple(own[0].repetitions for own in rows)
        values, spreads = tuple(value for (value,) in jobs), (_ONE_VALUE,) * len(rows)
    else:
        jobs = tuple(tuple(aggregate.of(one.repetitions) for one in own) for own in rows)
        values = tuple(map(Aggregate.MEDIAN.of, jobs))
        spreads = tuple(
            Spread.of(of_jobs, [one.repetitions for one in own]) for own, of_jobs in zip(rows, jobs, strict=True)
        )
    machines = _machines(rows, found)
    return Series(
        function=function,
        metric=metric,
        parameters=tuple(names[at] for at in varying),
        points=tuple(tuple(point[at] for at in varying) for point in ordered) if fixed else tuple(ordered),
        values=values,
        jobs=jobs,
        fixed=tuple((names[at], ordered[0][at]) for at in fixed),
        oversubscribed=tuple(one.oversubscribed for one in machines),
        sharing=tuple(one.sharing for one in machines),
        cores=min((one.cores for one in machines if one.cores is not None), default=None),
        spreads=spreads,
        repetitions=tuple(tuple(one.repetitions for one in own) for own in rows),
        bias=0.0 if alone else _bias([one.repetitions for own in rows for one in own], aggregate),
        left_out=left_out,
    )


def _without_zero(
    points: list[tuple[float, ...]],
) -> tuple[list[tuple[float, ...]], tuple[tuple[float, ...], ...]]:
    """Separate points where a varying parameter is 0, which models cannot include."""
    if all(map(all, points)):
        return points, ()
    varying = [len({point[at] for point in points}) > 1 for at in range(len(points[0]))]
    out = tuple(point for point in points if any(v and x == 0 for v, x in zip(varying, point, strict=True)))
    kept = [point for point in points if point not in out]
    return (kept, out) if kept else (points, ())


def _bias(repetitions: list[tuple[float, ...]], aggregate: Aggregate) -> float:
    """Return how far the aggregate lies below the median of the repetitions, as a fraction of that median.

    The result is the median over the jobs.
    """
    found = [0.0 for one in repetitions if len(one) == 1]
    for one in repetitions:
        if len(one) == 1:
            continue
        middle = Aggregate.MEDIAN.of(one)
        found.append((middle - aggregate.of(one)) / middle if middle > 0 else 0.0)
    return Aggregate.MEDIAN.of(found)
