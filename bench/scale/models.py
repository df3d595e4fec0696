# set-up: models
# in make check
"""make bench NAME=models: the model generators of adcl scale and of Extra-P on the same synthetic measurements.

Series ``c0 + c1 t(x)`` of seven classes and three exponentials, at 6 and at 10 points, with relative noise up to 20 %;
c0 and c1 are log-uniform in 1…100. The bench counts the series in which the exact leading term is found: with the right
expectation, with a wrong expectation, and without an expectation. `_models_families` has families of other series:
decreasing sums, other noise, another algorithm from some scale on. Extra-P supports neither expectations nor
exponentials. It runs in a separate environment and in separate processes, and its time excludes their start. Times are
processor times, so that other work on the machine does not matter.

A *cell* is a class or case, an expectation (right, wrong, or none) and a modeler of Extra-P. Its test is paired: both
tools get the same series. Among the series in which only one tool found the term, the test detects whether Extra-P
found it more often than chance explains (McNemar's exact test, one-sided). By chance, the error probability of one in
twenty cells is below 5 %. The number of cells with a target is therefore the number after Holm's correction, which
keeps the probability of any false detection below 5 %; the uncorrected number is also reported.
"""

from __future__ import annotations

import math
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adcl.scale import (
    CONFIDENCE,
    Candidates,
    ChoiceRule,
    Limits,
    Match,
    candidates_of_one,
    choose,
    leading,
    match,
    parse_term,
)
from adcl.scale.model import Growth
from bench._form import ROOT, Figures, command_line, effort, write
from bench.scale._models_commands import figures_of_commands
from bench.scale._models_families import Judged, judged
from bench.scale._models_peer import VERSION, Peer
from bench.scale._models_two import left_out_errors

CLASSES = ("1", "log p", "log^2 p", "sqrt p", "p", "p log p", "p^2", "2^p", "p 2^p", "p^3 2^p")
WRONG = ("log p", "p", "p", "log p", "log p", "p", "p log p", "p 2^p", "p^3 2^p", "2^p")
"""Wrong expectation for each class: a neighboring one, as in a typical mistake."""

POINTS = (6, 10)
NOISE = (0.0, 0.01, 0.05, 0.10, 0.20)
MODELERS = ("default", "refining")
PARTS = ("models", "families", "commands", "two")
SEED = 20150608
ALARM_NOISE = 0.05
FAMILY_SERIES = effort(200, 2)
ALARM_SERIES = effort(200, 2)
"""Wrong expectation for each class and number of points."""

BUGS = ((4, "log p"), (4, "1"), (6, "p log p"), (3, "1"))
"""Pairs of class and expectation of typical bugs, such as a linear broadcast or a table with an entry for each rank."""

SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Cell:
    """One setting of the comparison, and its series."""

    index: int
    points: int
    noise: float
    settings: np.ndarray
    values: np.ndarray

    @property
    def name(self) -> str:
        """Name in the report."""
        return f"{CLASSES[self.index]}, {self.points} points, {self.noise:.0%}"


def make_cell(index: int, points: int, noise: float, count: int, seed: int) -> Cell:
    """Draw the series of one cell. Noise is normal, truncated to keep values away from 0."""
    rng = np.random.default_rng([seed, index, points, round(noise * 1000)])
    term = parse_term(CLASSES[index])
    steps = np.arange(points, dtype=float)
    settings: np.ndarray = 3.0 + steps if "2^" in CLASSES[index] else 2.0 ** (1.0 + steps)
    first, second = 10 ** rng.uniform(0, 2, (2, count, 1))
    values = first + (second * term.evaluate({"p": settings}) if term.growths else 0.0)
    return Cell(
        index, points, noise, settings, values * np.maximum(1 + noise * rng.standard_normal((count, points)), 0.05)
    )


def candidates_for(expectation: str | None) -> Candidates:
    """Return the candidates of adcl scale for this expectation."""
    return candidates_of_one("p", None if expectation is None else (parse_term(expectation),))


def found_exactly(
    cell: Cell, candidates: Candidates, rule: ChoiceRule = ChoiceRule.EVIDENCE
) -> tuple[np.ndarray, float]:
    """Return for each series whether the exact leading term was found, and the processor time."""
    begin = time.process_time()
    choice = choose({"p": cell.settings}, cell.values, candidates, rule=rule)
    seconds = time.process_time() - begin
    truth = (parse_term(CLASSES[cell.index]),)
    exact = np.array([leading(one) == truth for one in candidates.hypotheses])
    return exact[choice.best], seconds


def _given(cell: Cell | Judged) -> dict[str, Any]:
    """Return Extra-P's input: at each setting of each series a list of measurements."""
    if isinstance(cell, Judged):
        return {"points": cell.settings, "values": cell.values, "falls": cell.falls}
    return {"points": cell.settings.tolist(), "values": cell.values[..., None].tolist(), "falls": False}


def extrap_exact(term: str, leading: list[list[float]], *, falls: bool = False) -> np.ndarray:
    """Return whether Extra-P found the leading term, or the decreasing term of a formula that approaches a constant."""
    truths = [parse_term("1/p" if falls and term == "1" else term).growth("p")]
    known = [one for one in truths if one == Growth(power=one.power, logarithm=one.logarithm)]
    wanted = [(float(one.power), float(one.logarithm)) for one in known]
    return np.array([any(np.allclose(one, truth, atol=1e-3) for truth in wanted) for one in leading])


def mcnemar(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return McNemar's exact one-sided p-value for Extra-P being better on the same series."""
    better, worse = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    total = better + worse
    return sum(math.comb(total, k) for k in range(worse, total + 1)) / 2.0**total


def holm(p_values: list[float]) -> int:
    """Return the number of significant p-values after Holm's correction."""
    ordered = sorted(p_values)
    for at, value in enumerate(ordered):
        if value > SIGNIFICANCE / (len(ordered) - at):
            return at
    return len(ordered)


def called_outside(truth: int, expectation: str, points: int, seed: int) -> float:
    """Return the percentage of series of a class that are judged outside the deviation limits of an expectation."""
    candidates, limits = candidates_for(expectation), Limits.of([parse_term(expectation)])
    outside = np.array([match(one, limits) is Match.NONE for one in candidates.hypotheses])
    cell = make_cell(truth, points, ALARM_NOISE, ALARM_SERIES, seed)
    choice = choose({"p": cell.settings}, cell.values, candidates)
    return 100 * float(((choice.posterior @ outside >= CONFIDENCE) & outside[choice.best]).mean())


def false_alarms(seed: int) -> dict[str, float]:
    """Return the percentage of correct series of each class that are judged outside."""
    return {
        f"{text}, {points} points": called_outside(index, text, points, seed)
        for index, text in enumerate(CLASSES)
        for points in POINTS
    }


def bugs_found(seed: int) -> dict[str, float]:
    """Return the percentage of series that grow faster than expected and are judged outside."""
    return {
        f"{CLASSES[index]} for {expectation}, {points} points": called_outside(index, expectation, points, seed)
        for index, expectation in BUGS
        for points in POINTS
    }


def family_figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the worst family's false alarms, undetected bugs, and coverage."""

    def worst(column: str, *, good: bool | None, largest: bool) -> float:
        shares: dict[str, list[float]] = {}
        for row in rows:
            if row[column] is not None and good in (None, row["good"]):
                shares.setdefault(row["family"], []).append(row[column])
        means = [sum(values) / len(values) for values in shares.values()]
        return (max(means) if largest else min(means)) if means else (0.0 if largest else 100.0)

    return {
        "false_alarm_percent_worst_family": worst("none", good=True, largest=True),
        "bad_called_right_percent_worst_family": worst("total", good=False, largest=True),
        "coverage_percent_worst_family": worst("covered", good=None, largest=False),
    }


def compared(families: list[Judged], peer: Peer) -> tuple[list[dict[str, Any]], list[float]]:
    """Return both tools' percentages of exact terms for each case and family, and p-values for Extra-P being better."""
    rows, p_values = [], []
    for one, answer in zip(families, peer.answers_of([_given(one) for one in families]), strict=True):
        row: dict[str, Any] = {**one.row, **{way: _percent(exact) for way, exact in one.exact.items()}}
        for modeler in MODELERS:
            theirs = extrap_exact(one.leading, answer[modeler]["leading"], falls=one.falls)
            row[f"extrap {modeler}"] = _percent(theirs)
            for way, exact in one.exact.items():
                p_values.append(mcnemar(exact, theirs))
                if p_values[-1] < SIGNIFICANCE:
                    row.setdefault("worse", []).append(f"{way}, {modeler} modeler: p = {p_values[-1]:.3g}")
        rows.append(row)
    return rows, p_values


def _percent(exact: np.ndarray) -> float:
    return round(100 * float(exact.mean()), 1)


def _share(rows: list[np.ndarray]) -> float:
    return float(np.concatenate(rows).mean())


def measure(count: int, seed: int, peer: Peer) -> tuple[Figures, dict[str, Any]]:
    """Run everything; return the figures and the details."""
    cells = [
        make_cell(index, points, noise, count, seed)
        for index in range(len(CLASSES))
        for points in POINTS
        for noise in NOISE
    ]
    answers = peer.answers_of([_given(cell) for cell in cells])
    ways: dict[str, list[Candidates]] = {
        "right": [candidates_for(one) for one in CLASSES],
        "wrong": [candidates_for(one) for one in WRONG],
        "none": [candidates_for(None)] * len(CLASSES),
    }
    p_values, losing, table = [], [], []
    shares: dict[str, list[np.ndarray]] = {}
    for cell, answer in zip(cells, answers, strict=True):
        theirs = {one: extrap_exact(CLASSES[cell.index], answer[one]["leading"]) for one in MODELERS}
        row: dict[str, Any] = {"cell": cell.name}
        for one in MODELERS:
            row[f"extrap {one}"] = round(100 * float(theirs[one].mean()), 1)
            shares.setdefault(f"extrap {one}", []).append(theirs[one])
        for way, candidates in ways.items():
            ours, _ = found_exactly(cell, candidates[cell.index])
            row[way] = round(100 * float(ours.mean()), 1)
            shares.setdefault(way, []).append(ours)
            validated, _ = found_exactly(cell, candidates[cell.index], ChoiceRule.CROSS_VALIDATION)
            shares.setdefault(f"{way}, cross-validated", []).append(validated)
            for one in MODELERS:
                p_values.append(mcnemar(ours, theirs[one]))
                if p_values[-1] < SIGNIFICANCE:
                    losing.append(f"{cell.name}, {way} expectation, {one} modeler: p = {p_values[-1]:.3g}")
        table.append(row)
    speed = _speed(answers, count)
    alarms, bugs = false_alarms(seed + 1), bugs_found(seed + 2)
    figures: Figures = {
        "speed_over_extrap": speed["over_default"],
        **_worse("cells", p_values),
        "false_alarm_percent": float(np.mean(list(alarms.values()))),
        "false_alarm_percent_worst_class": max(alarms.values()),
        "bugs_found_percent": float(np.mean(list(bugs.values()))),
        **_exact_figures(cells, shares),
    }
    return figures, {
        "cells": table,
        "false_alarms": alarms,
        "bugs_found": bugs,
        "speed": speed,
        "uncorrected_losses": losing,
    }


def _exact_figures(cells: list[Cell], shares: dict[str, list[np.ndarray]]) -> dict[str, float]:
    polynomial = [at for at, cell in enumerate(cells) if "2^" not in CLASSES[cell.index]]
    figures = {f"exact_percent_{re.sub('[^a-z]+', '_', name)}": 100 * _share(rows) for name, rows in shares.items()}
    for name in ("right", "wrong", "none", *(f"extrap {one}" for one in MODELERS)):
        value = 100 * _share([shares[name][at] for at in polynomial])
        figures[f"exact_percent_without_exponentials_{name.replace(' ', '_')}"] = value
    return figures


def _speed(answers: list[dict[str, dict[str, Any]]], count: int) -> dict[str, float]:
    """Return the microseconds for a model of 10 points: Extra-P's modelers, and ours in a batch of 1000."""
    batch = make_cell(4, 10, 0.05, 1000, SEED)
    candidates = candidates_for(None)
    ours = min(found_exactly(batch, candidates)[1] for _ in range(7)) / len(batch.values) * 1e6
    ten = [answer for at, answer in enumerate(answers) if (at // len(NOISE)) % len(POINTS) == 1]
    theirs = {one: sum(answer[one]["seconds"] for answer in ten) / len(ten) / count * 1e6 for one in MODELERS}
    return {
        "ours_us": ours,
        **{f"extrap_{one}_us": value for one, value in theirs.items()},
        "over_default": theirs["default"] / ours,
        "over_refining": theirs["refining"] / ours,
    }


def _worse(cells: str, p_values: list[float]) -> dict[str, dict[str, Any]]:
    """Count the cells in which Extra-P is significantly better: after correction, and each cell alone."""
    raw, of = sum(value < SIGNIFICANCE for value in p_values), {"of": len(p_values)}
    return {
        f"{cells}_significantly_worse_than_extrap": {"value": holm(p_values)} | of,
        f"{cells}_worse_than_extrap_uncorrected": {"value": raw} | of,
    }


def main() -> int:
    """Entry point; returns the exit code."""
    parser = command_line(__doc__)
    parser.add_argument("--series", type=int, default=effort(60, 2), help="series for each cell")
    parser.add_argument("--seed", type=int, default=SEED, help="draw other series than those of the documentation")
    parser.add_argument("--family", action="append", help="only this family; may be repeated")
    parser.add_argument("--family-series", type=int, default=FAMILY_SERIES, help="series for each case of each family")
    parser.add_argument(
        "--grid-series", type=int, default=effort(5, 1), help="series for each formula of two parameters"
    )
    parser.add_argument(
        "--only", action="append", choices=PARTS, help="run only this part; may be repeated. two: two parameters"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--state", type=Path, help="a folder with Extra-P's answers of earlier calls")
    given = parser.parse_args()
    python = ROOT / ".venvs" / "extrap" / "bin" / "python"
    python = Path(os.environ.get("EXTRAP_PYTHON", python))
    if not python.exists():
        sys.stderr.write(f"{python} does not exist; tools/setup.sh models makes it\n")
        return 1
    peer = Peer(python, given.processes, given.state)
    parts = given.only or effort(PARTS, PARTS[:1])
    figures: Figures = {}
    details: dict[str, Any] = {}
    if "models" in parts:
        figures, details = measure(given.series, given.seed, peer)
    if "families" in parts:
        drawn = judged(given.family_series, given.seed + 3, given.family)
        details["families"], of_families = compared(drawn, peer)
        figures |= _worse("family_cells", of_families)
        figures |= family_figures(details["families"])
    if "commands" in parts:
        rows, details["commands"] = figures_of_commands(python, given.seed)
        figures |= rows
    if "two" in parts:
        two = details["two_parameters"] = left_out_errors(given.grid_series, given.seed + 4, python)
        figures["left_out_error_percent_two_parameters"] = two["ours"]
        figures["left_out_error_percent_two_parameters_extrap"] = two["extrap"]
        figures["left_out_error_two_parameters_over_extrap"] = two["ours"] / two["extrap"]
    context: dict[str, Any] = {
        "seed": given.seed,
        "series_per_cell": given.series,
        "series_per_case": given.family_series,
        "numpy": np.__version__,
        "extrap": VERSION,
    }
    write(given.output, context, figures, details=details)
    return 0


if __name__ == "__main__":
    sys.exit(main())
