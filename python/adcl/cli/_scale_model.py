"""Preparation of models for ``adcl scale model``."""

from __future__ import annotations

from dataclasses import replace

import typer

from adcl import scale
from adcl.errors import UsageError

__all__ = ["evaluate_series", "independent_parameters", "parse_settings"]


def evaluate_series(
    series: scale.Series, expected: scale.Expected | None, method: scale.JudgeMethod, rule: scale.ChoiceRule
) -> scale.Verdict:
    """Evaluate one series. Raises `UsageError` if --cross-validate does not apply to the method."""
    if method is scale.JudgeMethod.PAPER:
        if rule is not scale.ChoiceRule.EVIDENCE:
            raise UsageError(
                "--cross-validate does not apply to --method paper, which selects by adjusted R²; use --method evidence"
            )
        return scale.judge_as_paper(series, expected)
    return scale.judge_series(series, expected, rule=rule)


def parse_settings(texts: list[str]) -> list[dict[str, float]]:
    """Parse ``p=4096`` or ``p=4096,bytes=8``."""
    found = []
    for text in texts:
        place = {}
        for part in text.split(","):
            name, equals, value = part.partition("=")
            try:
                place[name.strip()] = float(value)
            except ValueError:
                equals = ""
            if not equals or not name.strip():
                raise UsageError(f"{text!r} is not a setting; write for example p=4096 or p=4096,bytes=8")
        found.append(place)
    return found


def independent_parameters(
    series: str, rows: list[scale.Measurement], over: tuple[str, ...], expected: scale.Expected | None
) -> tuple[list[scale.Measurement], tuple[str, ...]]:
    """Return the rows and the parameters of the model; keep one of the parameters that vary together, and note it."""
    parameters = tuple(rows[0].parameters)
    together = scale.varied_together(rows, parameters)
    named = expected.growth.parameters if expected is not None else ()
    kept = scale.independent(parameters, together, over or named)
    for group in together:
        chosen = [name for name in group if name in kept]
        rest = [name for name in group if name not in kept]
        if rest and not over:
            typer.echo(
                f"{series}: {' and '.join(group)} vary together; the model uses {' and '.join(chosen)}. --over "
                f"{' or '.join(rest)} selects another parameter",
                err=True,
            )
    left_out = set(parameters) - set(kept)
    left = [
        replace(row, parameters={name: value for name, value in row.parameters.items() if name not in left_out})
        for row in rows
    ]
    return left, over or kept
