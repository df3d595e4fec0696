"""Verdicts of `adcl scale` on few settings and on oversubscribed times, and its recommendations."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from adcl.errors import AdclError
from adcl.scale import Expected, Match, Measurement, Series, Store, Verdict, judge_series, parse, series_of
from adcl.scale.judge._advice import advice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]


def _measured(
    formula: str,
    points: Iterable[float],
    *,
    cores: float | None = None,
    jobs: int = 3,
    noise: float = 0.05,
    shared: bool = False,
    seed: int = 1,
) -> list[Measurement]:
    """Return a function's measurements; if ranks share cores, the time grows by the number of ranks per core."""
    rng, truth = np.random.default_rng(seed), parse(formula)
    found = []
    for p in points:
        context: dict[str, Any] = {} if cores is None else {"ranks": p, "cores": cores}
        longer = max(p / cores, 1.0) if shared and cores is not None else 1.0
        for _ in range(jobs):
            value = truth.value(p=p) * longer * (1 + noise * rng.standard_normal())
            found.append(Measurement("f", "time_s", {"p": p}, (value,) * 4, context=context))
    return found


def _judged(formula: str, expectation: str, points: Iterable[float], **how: Any) -> Verdict:
    return judge_series(series_of(_measured(formula, points, **how), "f", "time_s"), Expected(parse(expectation)))


@pytest.mark.parametrize("points", [(2.0, 4.0, 8.0), (2.0, 4.0, 6.0, 8.0)])
def test_few_settings_only_show_clearly_excessive_growth(points: tuple[float, ...]) -> None:
    bug = _judged("p^2", "log p", points)
    good = _judged("3 + 2 log p", "log p", points)

    assert bug.match is Match.NONE
    assert (bug.outgrown or 0) > 1.5
    assert f"{len(points)} settings are too few for a model; the minimum is 5" in bug.notes
    assert good.match is Match.UNDECIDED
    one_job = _judged("p^2", "log p", (2.0, 4.0, 8.0), jobs=1, noise=0.2)
    assert one_job.match is Match.UNDECIDED, "nothing is known of the noise"


def test_few_settings_without_an_expectation_have_no_model() -> None:
    one = series_of(_measured("p", (2.0, 4.0, 6.0, 8.0)), "f", "time_s")
    with pytest.raises(AdclError, match="a model requires 5 values of p, found 4"):
        judge_series(one)


def _slices(points: tuple[float, ...], values: list[float]) -> Series:
    return Series("f", "time_s", ("p",), tuple((p,) for p in points), tuple(values))


def test_model_of_a_starting_study_is_a_common_one() -> None:
    """Measurements with more ranks than cores, for which a model p^3 2^p had R² 1.00."""
    verdict = judge_series(_slices((1, 2, 4, 6, 8), [4.7e-6, 1.9e-5, 2.4e-4, 1.1e-3, 6.3e-3]), Expected(parse("log p")))

    assert all("2^" not in str(term) for one in verdict.likely for term in one.leading)
    assert verdict.model.adjusted_r_squared is None, "five points fit some of the many terms, whatever was measured"
    assert verdict.match in (Match.NONE, Match.UNDECIDED)


@pytest.mark.parametrize(
    ("formula", "expectation", "match"),
    [
        ("1", "1", Match.UNDECIDED),
        ("3 + log p", "log p", Match.UNDECIDED),
        ("3 + p^2", "1", Match.NONE),
        ("3 + p^3", "log p", Match.NONE),
    ],
)
def test_core_sharing_is_not_growth(formula: str, expectation: str, match: Match) -> None:
    """Two cores: the time of each rank's work is multiplied by the number of ranks per core."""
    points = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
    shared = _judged(formula, expectation, points, cores=2.0, shared=True)

    assert shared.match is match, (str(shared.model.expression), shared.outgrown)


def test_enough_settings_without_core_sharing_decide_alone() -> None:
    points = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
    good = _judged("3 + 2 log p", "log p", points, cores=32.0, shared=True)

    assert good.match is Match.TOTAL
    assert len(good.series.points) == len(good.model.series.points) + 2
    assert "settings with more p than cores are not evaluated" in good.notes
    assert _judged("3 + p^2", "log p", points, cores=32.0).match is Match.NONE


def test_cores_of_all_hosts_count() -> None:
    rows = [
        Measurement("f", "time_s", {"p": p}, (1.0,), context={"ranks": p, "hosts": 4, "cores": 16})
        for p in (32.0, 128.0)
    ]
    one = series_of(rows, "f", "time_s")
    assert (one.oversubscribed, one.sharing, one.cores) == ((False, True), (1.0, 2.0), None)


def _waited(formula: str, expectation: str, sharing: float) -> Verdict:
    """Return the verdict on measurements on two cores, with the busiest rank's waiting time reported by the program."""
    rows = _measured(formula, (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0), cores=2.0)
    rows = [replace(one, context={**one.context, "sharing": sharing}) for one in rows]
    return judge_series(series_of(rows, "f", "time_s"), Expected(parse(expectation)))


def test_how_long_ranks_wait_for_a_core_is_measured() -> None:
    assert _waited("1 + p", "1", 1.0).match is Match.NONE
    assert _waited("1 + p", "1", 99.0).match is Match.UNDECIDED, "no more than ranks share a core"
    assert _waited("1 + p", "p", 1.0).match is not Match.NONE


def test_oversubscription_is_never_recommended() -> None:
    crowded = _judged("3 + log p", "log p", (1.0, 2.0, 4.0, 6.0, 8.0), cores=2.0, shared=True)
    full = _judged("9 + p", "sqrt p", (2.0, 3.0, 4.0, 6.0, 8.0), cores=8.0, noise=0.2)
    room = _judged("9 + p", "sqrt p", (2.0, 3.0, 4.0, 6.0, 8.0), cores=64.0, noise=0.2)
    assert {one.match for one in (crowded, full, room)} == {Match.UNDECIDED}

    assert "runs up to p = 8 use more ranks or threads than the 2 cores, and waiting for a core may" in advice(crowded)
    assert "take up to 4 times as long" in advice(crowded)
    assert "run 10 jobs for each setting" in advice(crowded)
    assert "simulate one" in advice(crowded)
    assert "measure at p" not in advice(crowded)
    assert advice(full).startswith("also measure p = 5, 7, or run 10 jobs for each setting, or ")
    assert "a machine with more than 8 cores" in advice(full)
    assert advice(room) == "also measure p = 10 and 7"


def _stored(folder: Path, **runs: list[Measurement]) -> None:
    (folder / "s.toml").write_text('[[expect]]\nfunction = "f"\ngrowth = "log p"\n', encoding="utf-8")
    for at, (run, rows) in enumerate(runs.items()):
        Store(folder / "s.jsonl").append(run, "job", float(at), rows)


def test_the_exit_codes_of_a_check(tmp_path: Path, adcl: Adcl) -> None:
    points = (2.0, 4.0, 6.0, 8.0)
    _stored(
        tmp_path,
        good=_measured("3 + 2 log p", points),
        bug=_measured("p^2", points),
        two=_measured("3 + p^2", points[:2]),
        right=_measured("3 + 2 log p", [2.0**n for n in range(1, 9)], noise=0.01),
    )
    codes = {run: adcl("scale", "check", "s.toml", "--run", run).code for run in ("right", "bug", "good", "two")}

    assert codes == {"right": 0, "bug": 1, "good": 3, "two": 4}
    assert adcl("scale", "check", "s.toml", "--run", "good", "--allow-undecided").code == 0
    assert adcl("scale", "check", "s.toml", "--run", "bug", "--allow-undecided").code == 1
    assert adcl("scale", "check", "s.toml", "--run", "none").code == 2
    said = adcl("scale", "check", "s.toml", "--run", "bug")
    assert "expected O(log p), outgrows the limit O(log^1.5 p) by a factor of" in said.err


def _of_one_job(factor: float, points: Iterable[float], seed: int) -> list[Measurement]:
    rng = np.random.default_rng(seed)
    return [Measurement("f", "time_s", {"p": p}, tuple(factor * (3 + p) * (1 + 0.1 * rng.random(20)))) for p in points]


@pytest.mark.parametrize("settings", [1, 3, 5])
def test_slowdown_by_a_factor_of_40_requires_no_model(tmp_path: Path, adcl: Adcl, settings: int) -> None:
    points = (2.0, 4.0, 8.0, 3.0, 5.0)[:settings]
    _stored(
        tmp_path,
        old=_of_one_job(1.0, points, 1),
        same=_of_one_job(1.0, points, 2),
        slow=_of_one_job(40.0, points, 3),
        elsewhere=_of_one_job(40.0, (99.0,), 4),
    )
    slow = adcl("scale", "compare", "s.toml", "old", "slow", COLUMNS="160")

    assert slow.code == 1
    name = "f (time_s)" if settings > 1 else "f (time_s, p = 2)"
    assert slow.err == f"adcl: {name} is slower in slow than in old\n"
    assert "slower" in slow.out
    assert adcl("scale", "compare", "s.toml", "old", "same").code == 0
    assert adcl("scale", "compare", "s.toml", "slow", "old").code == 0, "faster is no finding"
    assert adcl("scale", "compare", "s.toml", "old", "elsewhere").code == 4


def test_unknown_growth_and_cost_are_undecided(tmp_path: Path, adcl: Adcl) -> None:
    points = (2.0, 4.0, 8.0)
    rows = [[Measurement("f", "time_s", {"p": p}, (value,)) for p in points] for value in (1.0, 1.4)]
    rows[1][0] = Measurement("f", "time_s", {"p": 2.0}, (0.5,))
    _stored(tmp_path, a=rows[0], b=rows[1])
    ended = adcl("scale", "compare", "s.toml", "a", "b")

    assert (ended.code, "undecided: f (time_s) in b compared with a" in ended.err) == (3, True)
    assert adcl("scale", "compare", "s.toml", "a", "b", "--allow-undecided").code == 0


def test_single_slower_scale_is_found(tmp_path: Path, adcl: Adcl) -> None:
    points = (2.0, 4.0, 8.0, 16.0, 32.0)
    new = [
        one
        if one.parameters["p"] < 32
        else Measurement("f", "time_s", one.parameters, tuple(4 * x for x in one.repetitions))
        for one in _of_one_job(1.0, points, 2)
    ]
    _stored(tmp_path, old=_of_one_job(1.0, points, 1), new=new)
    ended = adcl("scale", "compare", "s.toml", COLUMNS="160")

    assert ended.code == 1
    assert "at p=32" in ended.out


def test_document_omits_meaningless_coefficients(tmp_path: Path, adcl: Adcl) -> None:
    _stored(tmp_path, few=_measured("3 + 2 log p", (2.0, 4.0, 8.0, 16.0, 32.0)))
    (row,) = json.loads(adcl("scale", "check", "s.toml", "--json", "--allow-undecided").out)["rows"]
    assert row["adjusted_r_squared"] is None
