"""The paper's method: its search space, selection by adjusted R², and three match ranks."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scale_support import POWERS, series

from adcl.errors import AdclError, UsageError
from adcl.scale import (
    Expected,
    JudgeMethod,
    Match,
    Refinement,
    Series,
    Verdict,
    check_rule,
    judge_series,
    judge_with,
    paper_model,
    parse,
    parse_term,
    read_rule,
    search_space,
)
from adcl.scale.judge._paper import adjusted_determination, paper_terms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]

_SQRT = parse_term("sqrt p")


def _judged(one: Series, growth: str, *, deviation: str | None = None, refinement: Refinement | None = None) -> Verdict:
    expected = Expected(parse(growth), None if deviation is None else parse_term(deviation), refinement)
    return judge_with(JudgeMethod.PAPER, [one], expected)[0]


def test_the_space_of_p_is_the_example_of_section_2_3() -> None:
    quarters = [Fraction(n, 4) for n in range(9)]
    wanted = {(power, Fraction(log)) for power in quarters for log in (0, 1)} - {(2, 1)}
    terms = paper_terms("p", Expected(parse("p")), parse_term("p").growth("p"))
    growths = [term.growth("p") for term in terms]
    assert {(one.power, one.logarithm) for one in growths} == wanted
    assert all(factor.name != "exponential" for one in growths for factor, _ in one.factors)
    assert len(terms) == 17


def test_space_ends_at_its_upper_boundary() -> None:
    cubic = series("5 + p^3")
    assert judge_series(cubic, Expected(parse("log p"))).model.growth == "O(p^3)"
    assert _judged(cubic, "log p").model.growth == "O(log^2 p)"
    assert _judged(cubic, "log p").match is Match.NONE


@pytest.mark.parametrize(("upper", "found"), [("p^1.5", "O(p^1.375 log p)"), ("p^3", "O(p^3)")])
def test_a_study_can_move_the_upper_boundary(upper: str, found: str) -> None:
    refinement = Refinement(upper=parse_term(upper).growth("p"))
    assert _judged(series("5 + p^3"), "p", refinement=refinement).model.growth == found


def test_the_model_has_the_largest_adjusted_r_squared() -> None:
    noisy = series("10 + p", noise=0.2, seed=3)
    verdict = _judged(noisy, "p")
    values, x = np.array(noisy.values), np.array(POWERS)
    fits = {}
    for growth in search_space(parse_term("p").growth("p")):
        if any(growth):
            slope, constant = np.polyfit(growth.evaluate(x), values, 1)
            fits[growth] = adjusted_determination(values, constant + slope * growth.evaluate(x), 1)
    assert verdict.model.leading[0].growth("p") == max(fits, key=lambda one: fits[one])
    assert verdict.model.adjusted_r_squared == pytest.approx(max(fits.values()))


def test_adjusted_r_squared_matches_the_textbook() -> None:
    values, predicted = np.array([1.0, 2.0, 3.0, 5.0]), np.array([1.0, 2.0, 3.0, 4.0])
    assert adjusted_determination(values, predicted, 1) == pytest.approx(1 - (1.0 / 8.75) * 3 / 2)


def test_expectation_is_not_preferred() -> None:
    noisy = [series("10 + 3 log p", noise=0.05, seed=seed) for seed in range(40)]
    ours = [judge_series(one, Expected(parse("log p"), _SQRT)).match for one in noisy]
    theirs = [_judged(one, "log p", deviation="sqrt p").match for one in noisy]
    assert ours.count(Match.TOTAL) > theirs.count(Match.TOTAL) + 10


@pytest.mark.parametrize(
    ("formula", "rank", "sign"),
    [
        ("2 + 3 p", 0, "✓"),
        ("2 + 3 p^1.25", 1, "≈"),
        ("2 + 3 p^1.5", 1, "≈"),
        ("2 + 3 sqrt p", 1, "≈"),
        ("2 + 3 p^1.75", 2, "✗"),
        ("2 + 3 log p", 2, "✗"),
        ("7", 2, "✗"),
    ],
)
def test_the_three_match_ranks(formula: str, rank: int, sign: str) -> None:
    verdict = _judged(series(formula), "p")
    assert verdict.match is not None
    assert (verdict.match.rank, verdict.match.sign) == (rank, sign)


def test_slower_than_the_limits_is_a_match_of_the_default_method_only() -> None:
    assert judge_series(series("2 + 3 log p"), Expected(parse("p"))).match is Match.BETTER
    assert Match.BETTER.rank is None
    assert Match.UNDECIDED.rank is None


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_never_undecided(seed: int) -> None:
    noisy = series("10 + p", POWERS[:5], noise=0.5, seed=seed)
    assert _judged(noisy, "p").match in (Match.TOTAL, Match.APPROXIMATE, Match.NONE)


def test_a_constant_has_no_r_squared() -> None:
    verdict = _judged(series("256"), "1", deviation="sqrt p")
    assert verdict.model.growth == "O(1)"
    assert verdict.model.adjusted_r_squared is None
    assert verdict.match is Match.TOTAL


def test_terms_that_fit_equally_well_leave_the_slowest() -> None:
    terms = [parse_term("p"), parse_term("p^1.5")]
    two = Series("f", "time_s", ("p",), tuple((x,) for x in (1.0, 1.0, 4.0, 4.0, 4.0)), (1.0, 1.0, 2.0, 2.0, 2.0))
    assert str(paper_model(two, terms).leading[0]) == "p"


def test_the_constant_may_be_negative_and_the_slope_may_not() -> None:
    model = _judged(series("3 p - 4"), "p").model
    assert model.first.coefficients == pytest.approx([-4, 3])
    falling = Series("f", "time_s", ("p",), tuple((x,) for x in POWERS), tuple(100 - x / 4 for x in POWERS))
    assert _judged(falling, "p").model.growth == "O(1)"


def test_unsupported_series_are_errors() -> None:
    with pytest.raises(AdclError, match="5"):
        _judged(series("p", POWERS[:4]), "p")
    with pytest.raises(UsageError, match="write growth"):
        judge_with(JudgeMethod.PAPER, [series("p")], None)
    points = tuple((x, y) for x in (2.0, 4.0, 8.0, 16.0, 32.0) for y in (1.0, 2.0, 3.0, 4.0, 5.0))
    two = Series("f", "time_s", ("n", "p"), points, tuple(n * p for n, p in points))
    with pytest.raises(UsageError, match="one parameter"):
        _judged(two, "n p")


def test_only_models_break_a_rule() -> None:
    above = {name: _judged(series(formula, function=name), "p") for name, formula in (("A", "9 + 2 p"), ("B", "p"))}
    check = check_rule(read_rule("A <= B", "time_s"), above, method=JudgeMethod.PAPER)
    assert (len(check.measured), check.predicted, check.broken) == (8, False, False)
    assert check_rule(read_rule("A <= B", "time_s"), above).broken
    later = {name: _judged(series(formula, function=name), "p") for name, formula in (("A", "p^1.5"), ("B", "99 p"))}
    check = check_rule(read_rule("A <= B", "time_s"), later, method=JudgeMethod.PAPER)
    assert (check.measured, check.predicted, check.broken) == ((), True, True)


_STUDY = """\
schema = 1
{method}
[[expect]]
function = "f"
growth = "p"
"""


def _written(folder: Path, method: str, formula: str = "2 + 3 log p") -> Path:
    one = series(formula)
    rows = [
        {"schema": 1, "function": "f", "metric": "time_s", "parameters": {"p": x}, "repetitions": [y]}
        for (x,), y in zip(one.points, one.values, strict=True)
    ]
    lines = [json.dumps({"schema": 1, "run": "a", "job": "", "time_s": 0.0, "measurement": row}) for row in rows]
    (folder / "f.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "f.toml").write_text(_STUDY.format(method=method), encoding="utf-8")
    return folder / "f.toml"


def test_study_files_and_the_command_line_choose_the_method(adcl: Adcl, tmp_path: Path) -> None:
    default = _written(tmp_path, "")
    assert adcl("scale", "check", str(default)).code == 0
    checked = adcl("scale", "check", str(default), "--method", "paper", "--json")
    assert checked.code == 1
    row = json.loads(checked.out)["rows"][0]
    assert (row["match"], row["rank"], row["outside"]) == ("none", 2, None)
    own = _written(tmp_path, 'method = "paper"')
    assert adcl("scale", "check", str(own)).code == 1
    assert adcl("scale", "check", str(own), "--method", "evidence").code == 0
    shown = adcl("scale", "model", str(own)).out
    assert "likely" not in shown
    assert "log p" in shown
    assert adcl("scale", "report", str(own), "-o", str(tmp_path / "f.html")).code == 0
    assert "outside the limits with" not in (tmp_path / "f.html").read_text(encoding="utf-8")


def test_an_unknown_method_is_named(adcl: Adcl, tmp_path: Path) -> None:
    study = _written(tmp_path, "")
    done = adcl("scale", "check", str(study), "--method", "papre")
    assert done.code == 2
    assert "'papre' is not one of evidence, paper" in done.err
    done = adcl("scale", "model", str(study), "--method", "paper", "--cross-validate")
    assert done.code == 2
    done = adcl("scale", "check", str(_written(tmp_path, 'method = "papre"')))
    assert done.code == 2
    assert "f.toml:2" in done.err
