"""Parameters that a study varies together, such as nodes and tasks; their effects cannot be separated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from adcl.scale.model import Measurement

__all__ = ["independent", "varied_together"]

# Names that usually denote the scale, in order of preference.
_USUAL = ("p", "ranks", "tasks", "processes", "num_tasks", "threads", "n")
_FEWEST = 3


def varied_together(measurements: Iterable[Measurement], parameters: Sequence[str]) -> list[tuple[str, ...]]:
    """Return groups of parameters that determine each other over three or more settings.

    Settings without one of the parameters are ignored.
    """
    if len(parameters) < 2:  # noqa: PLR2004
        return []
    rows = [
        tuple(one.parameters[name] for name in parameters)
        for one in measurements
        if all(name in one.parameters for name in parameters)
    ]
    groups: list[list[int]] = []
    for at in range(len(parameters)):
        for group in groups:
            pairs = {(row[group[0]], row[at]) for row in rows}
            firsts, seconds = ({pair[side] for pair in pairs} for side in (0, 1))
            if len(pairs) == len(firsts) == len(seconds) >= _FEWEST:
                group.append(at)
                break
        else:
            groups.append([at])
    return [tuple(parameters[at] for at in group) for group in groups if len(group) > 1]


def independent(
    parameters: Sequence[str], together: Iterable[tuple[str, ...]], wanted: Collection[str] = ()
) -> tuple[str, ...]:
    """Keep one parameter of each group: a requested one, otherwise the usual name of the scale, otherwise the first."""
    left_out: set[str] = set()
    for group in together:
        named = [name for name in group if name in wanted]
        usual = [name for name in _USUAL if name in group]
        kept = set(named) or {next(iter((*usual, group[0])))}
        left_out.update(name for name in group if name not in kept)
    return tuple(name for name in parameters if name not in left_out)
