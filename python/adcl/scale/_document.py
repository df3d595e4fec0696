"""The results of a check as a JSON document, for programs and for the history of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adcl.scale._results import ResultRow, Results

__all__ = ["as_document"]

SCHEMA = 1


def _row(row: ResultRow, *, warned: bool) -> dict[str, Any]:
    verdict, series, model = row.verdict, row.verdict.series, row.verdict.model
    return {
        "function": series.function,
        "metric": series.metric,
        "fixed": dict(series.fixed),
        "parameters": list(series.parameters),
        "expected": row.growth or None,
        "from_status_quo": row.from_status_quo,
        "deviation": None if verdict.limits is None else str(verdict.limits.deviation),
        "model": str(model.expression),
        "growth": " + ".join(map(str, model.leading)),
        "adjusted_r_squared": model.adjusted_r_squared,
        "relative_error": model.relative_error,
        "left_out_error": model.left_out_error,
        "coefficients": [
            {"term": str(one.term), "value": one.value, "low": one.low, "high": one.high} for one in model.coefficients
        ],
        "likely": [
            {"growth": " + ".join(map(str, one.leading)), "probability": one.probability} for one in verdict.likely
        ],
        "divergence": verdict.divergence,
        "match": None if verdict.match is None else verdict.match.value,
        "outside": verdict.outside,
        "rule_broken": warned,
        "points": [list(point) for point in series.points],
        "values": list(series.values),
        "oversubscribed": list(series.doubtful),
    }


def as_document(results: Results) -> dict[str, Any]:
    """Return all of the results as plain data; member ``schema`` is its version."""
    return {
        "schema": SCHEMA,
        "study": results.study.name,
        "run": results.run,
        "broken": list(results.broken),
        "litmus": results.litmus,
        "rows": [_row(row, warned=results.warned(row)) for row in results.rows],
        "rules": [
            {
                "rule": str(one.rule),
                "metric": one.rule.metric,
                "measured": [{"point": list(point), "factor": factor} for point, factor in one.measured],
                "points": one.points,
                "predicted": one.predicted,
                "probability": one.probability,
                "broken_from": one.broken_from,
                "broken": one.broken,
            }
            for one in results.rules
        ],
        "limits": [
            {
                "function": one.limit.function,
                "metric": one.limit.metric,
                "at_most": one.limit.at_most,
                "times": one.limit.times,
                "parameter": one.limit.parameter,
                "scale": one.scale,
                "up_to": one.limit.up_to,
                "predicted": None if one.at_target is None else one.at_target.value,
                "broken": one.broken,
            }
            for one in results.limits
        ],
    }
