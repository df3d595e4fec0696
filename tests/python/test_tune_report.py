"""Contents of a study's page: the records, and their presence on the page."""

from __future__ import annotations

import collections
import math
import random
from typing import TYPE_CHECKING

import pytest
from profile_support import profile

from adcl.pages import Figure, Headline, Section, Table, Text, render
from adcl.tune.result import Conclusion
from adcl.tune.result._analysis import analyze_parameters, convergence, settings_text
from adcl.tune.result._page import SECTIONS, SUMMARY, study_page
from adcl.tune.result._panel import StudyContent
from adcl.tune.result._profile_page import sections_of_profiles
from adcl.tune.space._space import Choices, Condition, Configuration, Parameter, Space, Steps
from adcl.tune.study._plan import Sample, StudyPolicy
from adcl.tune.study._study import Study, StudyResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPACE = Space(
    (
        Parameter("eager", Steps(1024, 65536, multiply=2), 4096),
        Parameter("mode", Choices(("a", "b")), "a"),
        Parameter("idle", Steps(1, 3, add=1), 1),
    )
)


def truth(one: Configuration) -> float:
    """Return the time of a scenario: eager limits from 16384 on halve it, but only in mode a; idle has no effect."""
    large = int(one.get("eager", 4096)) >= 16384
    return 1.0 if large and one.get("mode", "a") == "a" else 2.0


def run_study(tmp_path: Path, seconds: Callable[[Configuration], float | None], **settings: object) -> StudyResult:
    generator = random.Random(1)

    def run_trial(one: Configuration, timeout_s: float | None, worker: int) -> Sample:
        del timeout_s, worker
        value = seconds(one)
        if value is None:
            return Sample("crashed", 0.1, reason="was ended by SIGSEGV")
        value *= math.exp(generator.gauss(0, 0.005))
        return Sample("ok", value, {"wall": value, "energy": 10 / value})

    study = Study(SPACE, run_trial, ("wall",), "random", policy=StudyPolicy(searched=30), **settings)  # type: ignore[arg-type]
    return study.run(tmp_path / "journal")


def test_effects_and_interactions(tmp_path: Path) -> None:
    effects, interactions = analyze_parameters(run_study(tmp_path, truth))

    spans = {one.parameter: one.span for one in effects}
    assert {effects[0].parameter, effects[1].parameter} == {"eager", "mode"}
    assert spans["eager"] > 1.2
    assert spans["idle"] < 1.05
    assert {interactions[0].first, interactions[0].second} == {"eager", "mode"}
    assert interactions[0].strength > 0.05
    assert sum(sum(one.runs) for one in effects if one.parameter == "mode") >= 15
    assert all(a <= b <= c for one in effects for a, b, c in zip(one.low, one.ratios, one.high, strict=True))


def test_parameters_whose_values_ran_twice_are_not_ranked(tmp_path: Path) -> None:
    """Comparing two runs of a value with the runs of other values would show noise."""
    result = run_study(tmp_path, truth)
    arms = result.protocol.arms
    assert isinstance(arms, dict)
    for scenario in [scenario for scenario in arms if scenario[1] == 1][2:]:
        del arms[scenario]

    effects, interactions = analyze_parameters(result)

    mode = next(one for one in effects if one.parameter == "mode")
    assert mode.runs[1] == 2
    assert not mode.known
    assert all(one.known for one in effects if one.parameter != "mode")
    assert all("mode" not in (one.first, one.second) for one in interactions)
    page = render(study_page(StudyContent(result)))
    assert "because fewer than 3 scenarios used values other than the most frequent one: mode." in page


def test_an_interaction_names_only_the_values_that_it_shows(tmp_path: Path) -> None:
    space = Space(
        (
            Parameter("algorithm", Choices(("linear", "ring", "chain")), "linear"),
            Parameter("segment", Steps(1, 4, add=1), when=Condition("algorithm", ("ring", "chain"))),
        )
    )

    def run_trial(one: Configuration, timeout_s: float | None, worker: int) -> Sample:
        del timeout_s, worker
        long = int(one.get("segment", 1)) if one.get("algorithm") == "ring" else 1
        return Sample("ok", 2.0 / long, {"wall": 2.0 / long})

    study = Study(space, run_trial, ("wall",), "exhaustive", policy=StudyPolicy(repetitions=1))
    _, (interaction,) = analyze_parameters(study.run(tmp_path / "journal"))

    across, down = interaction.first_values, interaction.second_values
    assert set(map(len, interaction.ratios)) == {len(across)}
    assert len(interaction.ratios) == len(down)
    names = across if "ring" in across else down
    assert names == ("ring", "chain")


def test_convergence_follows_the_search(tmp_path: Path) -> None:
    found = convergence(run_study(tmp_path, lambda one: None if one.get("idle") == 3 else truth(one)))

    assert found.trials == tuple(range(1, 31))
    assert any(value is None for value in found.values)
    best = [value for value in found.best if value is not None]
    assert best[-1] == pytest.approx(1.0, rel=0.02)
    assert len(found.defaults) >= 5
    assert found.statuses.count("crashed") == sum(value is None for value in found.values)


def test_page_is_complete(tmp_path: Path) -> None:
    result = run_study(tmp_path, lambda one: None if one.get("idle") == 3 else truth(one))

    page = study_page(StudyContent(result, {"program": "./solver <1>"}, {"As variables": "export A=1"}))

    verdict = page.summary[0]
    assert isinstance(verdict, Headline)
    assert verdict.tone == "good"
    assert "2.0" in verdict.text
    assert [one.title for one in page.sections] == [
        "Comparison with the defaults",
        "Convergence",
        "Effects of the parameters",
        "Interactions",
        "All runs",
    ]
    changes = next(one for one in page.summary if isinstance(one, Table))
    assert ["slower" in str(row[3]) for row in changes.rows] == [True]
    comparison = next(one for one in page.sections[0].blocks if isinstance(one, Table))
    assert len(comparison.marked) == 1
    assert all(any(isinstance(block, Figure) for block in one.blocks) for one in page.sections[:3])
    text = render(page)
    assert "./solver &lt;1&gt;" in text
    assert "SIGSEGV" in text


def test_a_page_without_a_gain(tmp_path: Path) -> None:
    page = study_page(StudyContent(run_study(tmp_path, lambda _: 1.0)))

    verdict = page.summary[0]
    assert isinstance(verdict, Headline)
    assert verdict.text.startswith("Keep the defaults")
    assert not any(isinstance(one, Table) for one in page.summary)
    render(page)


def test_a_page_when_everything_fails(tmp_path: Path) -> None:
    page = study_page(StudyContent(run_study(tmp_path, lambda one: None if one else 1.0)))

    assert "Too few scenarios" in render(page)


def _phases(content: StudyContent) -> list[Section]:
    """Count the runs of each kind."""
    kinds = collections.Counter(run.order.kind for run in content.result.runs)
    return [Section("Phases", (Table(("kind", "runs"), tuple(kinds.items())),))]


def test_a_panel_is_a_function_and_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = StudyContent(run_study(tmp_path, truth), advice={"As variables": "export A=1"})
    before = study_page(content)
    monkeypatch.setattr("adcl.tune.result._page.SECTIONS", [*SECTIONS, _phases])
    monkeypatch.setattr(
        "adcl.tune.result._page.SUMMARY", [*SUMMARY, lambda content: [Text((", ".join(content.advice),))]]
    )
    page = study_page(content)
    assert [one.title for one in page.sections] == [*(one.title for one in before.sections), "Phases"]
    (table,) = page.sections[-1].blocks
    assert isinstance(table, Table)
    assert {"default", "trial", "comparison"} <= {row[0] for row in table.rows}
    assert page.summary[-1] == Text(("As variables",))
    assert "Phases" in render(page)


def test_two_objectives_have_a_front(tmp_path: Path) -> None:
    def run_trial(one: Configuration, timeout_s: float | None, worker: int) -> Sample:
        del timeout_s, worker
        eager = int(one.get("eager", 4096))
        return Sample("ok", 1.0, {"wall": 1e5 / eager, "energy": float(eager)})

    study = Study(SPACE, run_trial, ("wall", "energy"), "gde3", policy=StudyPolicy(searched=40, defaults_every=50))
    page = study_page(StudyContent(study.run(tmp_path / "journal")))

    front = next(one for one in page.sections if one.title.startswith("Trade-off"))
    table = next(one for one in front.blocks if isinstance(one, Table))
    assert len({row[1] for row in table.rows}) >= 5
    render(page)


@pytest.mark.parametrize(
    ("ratio", "interval", "pairs", "lines"),
    [
        (
            1.01,
            (0.99, 1.03),
            6,
            ["with the best finalist, the program was 1.01 times as fast as with the defaults (0.99 to 1.03"],
        ),
        (
            1.1,
            (0.73, 1.67),
            16,
            [
                "with the best finalist, the program was 1.10 times",
                "the variation between runs is too large to exclude",
            ],
        ),
        (
            0.9,
            (0.7, 1.15),
            6,
            [
                "with the best finalist, the program was 0.90 times",
                "the variation between runs is too large to exclude",
            ],
        ),
        (None, None, 0, []),
    ],
)
def test_kept_defaults_are_explained_by_the_results(
    ratio: float | None, interval: tuple[float, float] | None, pairs: int, lines: list[str]
) -> None:
    found = Conclusion(
        settings=(),
        advice=None,
        ratio=ratio,
        interval=interval,
        confidence=0.99,
        pairs=pairs,
        confirmed=True,
        reason="no finalist was significantly faster than the defaults",
        ways=(),
        statuses={"ok": 20},
        failures=(),
        interrupted=False,
    ).lines()

    assert found[0] == "keep the defaults: no finalist was significantly faster than the defaults"
    assert len(found) == 2 + len(lines)
    for line, begins in zip(found[1:], lines, strict=False):
        assert line.strip().startswith(begins)


def test_scenario_is_described_by_its_changes() -> None:
    home = SPACE.home()
    changed = SPACE.coordinates({"eager": 16384, "mode": "a", "idle": 2})
    assert settings_text(SPACE, home) == "defaults"
    assert settings_text(SPACE, changed) == "eager=16384, idle=2"
    unknown = Space((Parameter("a", Choices(("unset", 1))), Parameter("b", Choices((1, 2)))))
    assert settings_text(unknown, unknown.home()) == "b=1"


def test_properties_are_not_repeated(tmp_path: Path) -> None:
    found = {"": profile(tmp_path, {3000: 9})}
    left_out, properties, *_ = sections_of_profiles(found, ("MpiMatters: 80% of the time", "x is not tried: no reason"))
    assert left_out.blocks == (Text(("x is not tried: no reason",)),)
    assert properties.title == "Properties"
    assert sections_of_profiles(found, ("MpiMatters: 80% of the time",))[0].title == "Properties"
    assert sections_of_profiles({}, ("settings of a file",)) == ()
