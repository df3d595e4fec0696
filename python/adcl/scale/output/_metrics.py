"""Measurements of a check in formats of services that store series of measurements: Bencher and exaCB."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from adcl import __version__
from adcl.scale.output._findings import FindingOutcome, findings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.scale.model import Series
    from adcl.scale.output._report_format import CheckReport

__all__ = ["as_bencher", "as_exacb"]

_LONGEST_MEASURE = 64
"""Bencher's limit for the name of a measure."""


def _settings(series: Series) -> Iterator[tuple[dict[str, float], float, tuple[float, ...]]]:
    """Yield the parameters of each setting, its value, and the values of its jobs."""
    fixed = dict(series.fixed)
    for index, (point, value) in enumerate(zip(series.points, series.values, strict=True)):
        jobs = series.jobs[index] if index < len(series.jobs) else ()
        yield {**fixed, **dict(zip(series.parameters, point, strict=True))}, value, jobs


def as_bencher(report: CheckReport) -> str:
    """Return Bencher Metric Format: a benchmark for each function and setting, with a measure for each metric.

    `lower_value` and `upper_value` are the least and the largest value of the setting's jobs. The benchmark
    `STUDY: adcl scale` has the numbers of broken and undecided statements.
    """
    results = report.results
    document: dict[str, dict[str, dict[str, float]]] = {}
    for row in results.rows:
        series = row.verdict.series
        for parameters, value, jobs in _settings(series):
            setting = ", ".join(f"{name}={number:g}" for name, number in parameters.items())
            measure = {"value": value}
            if len(jobs) > 1:
                measure |= {"lower_value": min(jobs), "upper_value": max(jobs)}
            name = f"{results.study.name}: {series.function} ({setting})"
            document.setdefault(name, {})[series.metric[:_LONGEST_MEASURE]] = measure
    outcomes = [one.outcome for one in findings_of(results)]
    document[f"{results.study.name}: adcl scale"] = {
        outcome.value: {"value": float(outcomes.count(outcome))}
        for outcome in (FindingOutcome.BROKEN, FindingOutcome.UNDECIDED)
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_exacb(report: CheckReport) -> str:
    """Return a report in the sections of exaCB's protocol, with a data entry for each function, metric and setting.

    `success` is false in the entries of functions with a broken statement of growth. `runtime` is set if the metric is
    a time in seconds.
    """
    results = report.results
    now = datetime.now(UTC).isoformat(timespec="seconds")
    broken = {one.name for one in findings_of(results) if one.outcome is FindingOutcome.BROKEN}
    entries: list[dict[str, Any]] = []
    for row in results.rows:
        series = row.verdict.series
        name = f"{series.function} ({series.metric}" + (f", {series.label})" if series.label else ")")
        for parameters, value, jobs in _settings(series):
            entry: dict[str, Any] = {
                "success": name not in broken,
                "variant": series.function,
                "parameter": parameters,
                "metrics": {series.metric: value, "jobs": list(jobs), "growth": str(row.verdict.model.growth)},
            }
            if series.metric.endswith("_s"):
                entry["runtime"] = value
            entries.append(entry)
    document = {
        "version": 3,
        "reporter": {"generator": "adcl scale", "version": __version__, "timestamp": now},
        "experiment": {"name": results.study.name, "variant": results.run},
        "parameter": {"study": results.study.path.name},
        "data": entries,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
