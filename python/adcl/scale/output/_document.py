"""Results of a check as a JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adcl.scale.study import ResultRow, Results

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
            {
                "term": str(coefficient.term),
                "value": coefficient.value,
                "low": coefficient.low,
                "high": coefficient.high,
            }
            for coefficient in model.coefficients
        ],
        "likely": [
            {"growth": " + ".join(map(str, one.leading)), "probability": one.probability} for one in verdict.likely
        ],
        "divergence": verdict.divergence,
        "match": None if verdict.match is None else verdict.match.value,
        "rank": None if verdict.match is None else verdict.match.rank,
        "outside": verdict.outside if verdict.likely else None,
        "above": verdict.above if verdict.likely else None,
        "below": verdict.below if verdict.likely else None,
        "error_model": model.parts[0].error.value,
        "changes_at": verdict.changes_at,
        "notes": list(verdict.notes),
        "rule_broken": warned,
        "points": [list(point) for point in series.points],
        "values": list(series.values),
        "oversubscribed": list(series.oversubscribed),
    }


def as_document(results: Results) -> dict[str, Any]:
    """Return the results as plain data; member ``schema`` is the version of the format."""
    return {
        "schema": SCHEMA,
        "study": results.study.name,
        "run": results.run,
        "outcome": results.outcome.value,
        "broken": list(results.broken),
        "litmus": results.litmus,
        "rows": [_row(row, warned=results.warned(row)) for row in results.rows],
        "rules": [
            {
                "rule": str(rule.rule),
                "metric": rule.rule.metric,
                "measured": [{"point": list(point), "factor": factor} for point, factor in rule.measured],
                "points": rule.points,
                "predicted": rule.predicted,
                "probability": rule.probability,
                "broken_from": rule.broken_from,
                "broken": rule.broken,
            }
            for rule in results.rules
        ],
        "limits": [
            {
                "function": limit.limit.function,
                "metric": limit.limit.metric,
                "at_most": limit.limit.at_most,
                "times": limit.limit.times,
                "parameter": limit.limit.parameter,
                "scale": limit.scale,
                "up_to": limit.limit.up_to,
                "predicted": None if limit.at_target is None else limit.at_target.value,
                "broken": limit.broken,
            }
            for limit in results.limits
        ],
        "efficiencies": [
            {
                "function": one.efficiency.function,
                "metric": one.efficiency.metric,
                "parameter": one.parameter,
                "at_least": one.efficiency.at_least,
                "up_to": one.efficiency.up_to,
                "points": list(one.points),
                "measured": list(one.measured),
                "ends_at": one.ends_at,
                "pays_until": one.pays_until,
                "fastest_at": one.fastest_at,
                "broken": one.broken,
            }
            for one in results.efficiencies
        ],
    }
