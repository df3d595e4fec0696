"""What ``adcl scale model`` decides before it makes a model."""

from __future__ import annotations

from dataclasses import replace

import typer

from adcl import scale

__all__ = ["told_apart"]


def told_apart(
    series: str, rows: list[scale.Measurement], over: tuple[str, ...], expected: scale.Expected | None
) -> tuple[list[scale.Measurement], tuple[str, ...]]:
    """Return the rows, and over what the model is: of parameters that were varied together one is left, and said so."""
    parameters = tuple(rows[0].parameters)
    together = scale.varied_together(rows, parameters)
    named = expected.growth.parameters if expected is not None else ()
    kept = scale.independent(parameters, together, over or named)
    for group in together:
        chosen = [name for name in group if name in kept]
        rest = [name for name in group if name not in kept]
        if rest and not over:
            typer.echo(
                f"{series}: {' and '.join(group)} vary together; the model is over {' and '.join(chosen)}. "
                f"--over {' or '.join(rest)} chooses otherwise",
                err=True,
            )
    left_out = set(parameters) - set(kept)
    left = [
        replace(row, parameters={name: value for name, value in row.parameters.items() if name not in left_out})
        for row in rows
    ]
    return left, over or kept
