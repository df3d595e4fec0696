"""Studies of the thesis: formulas, statements, pairs of codelets, pictures, and stored journals."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import sys
import tomllib
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from support import PROJECT

from adcl.evaluate import Chosen, Combination, Done, Header, Recorded, Runs, Scouted, analyse, read_evaluation

if str(PROJECT) not in sys.path:
    sys.path.append(str(PROJECT))

from studies._bars import Ranged, RangedPanel, ranged_panels, round_steps
from studies._catalog import Place, Study, all_studies, find_study
from studies._page import differences
from studies._statements import Statement, counted, statement_table
from studies.thesis._evaluated import kept_journal, settings_of
from studies.thesis._gain import gain
from studies.thesis._resampled import METHODS, Decided
from studies.thesis._timings import TIMINGS, Case, timing_statements
from studies.thesis.euler3d import claims
from studies.thesis.ft.measured import Compared, compared, compared_picture, compared_statement, compared_table
from studies.thesis.sizes.study import Sent, euler_table, printed_number
from studies.thesis.tfqmr.pairs import chosen_pair, pair_estimates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from adcl.evaluate import SettingResult
    from adcl.trace import TracedSearch

_THESIS = [study for study in all_studies() if study.folder.parent.name == "thesis"]
_EVALUATED = [study for study in all_studies() if (study.folder / "quick.toml").exists()]
"""Studies whose records are journals of evaluations."""


def _setting(
    codelets: Mapping[str, Sequence[float]],
    searches: Mapping[str, Mapping[str, float]] | None = None,
    original: Sequence[float] = (1.0, 1.0),
) -> SettingResult:
    """Return the results of a setting.

    The results are verification runs per codelet, one tuned run per timing technique with the given estimates, and
    runs without ADCL.
    """
    runs = [
        Done(f"{name} {number}", "s", "verification", number, "ok", time, time, name)
        for name, times in codelets.items()
        for number, time in enumerate(times, 1)
    ]
    runs += [Done(f"o {n}", "s", "original", n, "ok", time, time) for n, time in enumerate(original, 1)]
    for timing, estimates in (searches or {}).items():
        how = Combination("brute_force", "heuristic", timing, None)
        chosen = Chosen(min(estimates, key=lambda name: estimates[name]), estimates, 20, None) if estimates else None
        runs.append(Done(timing, "s", "tuned", 1, "ok", 1.0, 1.0, None, how, (chosen,) if chosen else ()))
    scouted = Scouted("s", "alltoall", tuple(codelets), {}, 2, {"size": "8"}, next(iter(codelets)))
    header = Header("d", 1, "n", "m")
    (found,) = analyse(Recorded(header, {"s": scouted}, {run.key: run for run in runs})).settings
    return found


def test_gain_and_uncertainty_match_section_4_2_3() -> None:
    found = gain(Runs((9.0, 10.0, 11.0)), Runs((7.0, 8.0, 9.0)))
    assert found.percent == pytest.approx(20.0)
    assert found.uncertainty == pytest.approx(100 * ((0.08 * 3**-0.5) ** 2 + (0.1 * 3**-0.5) ** 2) ** 0.5)
    assert found.significant
    assert not gain(Runs((9.0, 11.0)), Runs((9.2, 10.6))).significant


def test_statements_are_counted_by_outcome() -> None:
    every = [Statement("a", "1", "x", holds=True), Statement("b", "2", "y", holds=False)]
    assert str(counted(every, find_study("thesis/ft"))) == "statements of the thesis that hold: 1 of 2"
    assert statement_table(every).splitlines()[2:] == ["| a | 1 | x | yes |", "| b | 2 | y | no |"]


def test_stored_journal_omits_hosts_and_has_the_last_result_of_each_run() -> None:
    lines = [
        {"event": "evaluation", "header": {"context": {"host": "secret", "MPI": "x"}}},
        {"event": "scouted", "scouted": {"setting": "s"}},
        {"event": "done", "run": {"key": "a", "status": "failed"}},
        {"event": "interrupted"},
        {"event": "done", "run": {"key": "a", "status": "ok"}},
        {"event": "finished"},
    ]
    text = kept_journal("".join(json.dumps(line) + "\n" for line in lines))
    assert "secret" not in text
    assert [json.loads(line).get("run", {}).get("status") for line in text.splitlines()] == [None, None, "ok"]


@pytest.mark.parametrize("study", _EVALUATED, ids=lambda one: one.key)
def test_evaluations_can_be_read_and_name_a_program(study: Study) -> None:
    files = sorted(study.folder.glob("*.toml"))
    evaluations = [read_evaluation(path) for path in files if path.stem not in ("study", "published", "redoes")]
    machines = {"hierarchical"} if study.key == "thesis/drops" else {"shared", "gigabit", "shark"}
    stems = {one.path.stem for one in evaluations}
    assert "quick" in stems
    assert stems <= {"quick", *machines}
    assert len(evaluations) == min(3, len(machines) + 1)
    assert {one.runs for one in evaluations} == {1, 3}
    assert all(one.combinations and one.original for one in evaluations)


@pytest.mark.parametrize("study", [one for one in _EVALUATED if one.recorded], ids=lambda one: one.key)
def test_a_changed_time_in_the_records_changes_the_page(study: Study, tmp_path: Path) -> None:
    shutil.copytree(study.folder, tmp_path / "copy")
    place = Place(study, tmp_path / "copy", tmp_path / "work")
    path = min(one for one in place.folder.glob("*.jsonl") if "decided" not in one.name)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    runs = [line["run"] for line in lines if line["event"] == "done" and line["run"]["codelet"]]
    for run in runs:
        if run["codelet"] == runs[0]["codelet"]:
            run["seconds"] *= 1.5
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert differences(place) != []


def test_stored_records_name_neither_hosts_nor_folders() -> None:
    for study in _EVALUATED:
        for path in study.folder.glob("*.jsonl"):
            text = path.read_text(encoding="utf-8")
            assert '"host"' not in text
            assert not re.search(r'"/\w+/', text), path


def _cases(good: Mapping[str, Mapping[str, float]]) -> list[Case]:
    """Return a stable and an unstable case; the unstable case has an error in each ranking."""
    stable = _setting({"a": (1.0, 1.01), "b": (1.2, 1.21), "c": (1.5, 1.51)}, good)
    wrong = {name: {"a": 1.1, "b": 1.0, "c": 1.0, "d": 3.0} for name in good}
    wrong["timer_multistep"] = {"a": 1.0, "b": 1.0, "c": 1.1, "d": 3.0}
    unstable = _setting({"a": (1.0, 1.1), "b": (1.05, 1.1), "c": (1.12, 1.13), "d": (2.0, 2.1)}, wrong)
    return [Case("x", stable), Case("y", unstable)]


def test_statements_of_timings_are_decided_by_errors_of_rankings() -> None:
    right = {"a": 1.0, "b": 1.2, "c": 1.5}
    every = timing_statements(_cases(dict.fromkeys(TIMINGS, right)))
    assert [one.holds for one in every] == [True, True, True, True]
    assert every[0].here == "in 5 of 8 cases"
    bad = {timing: {"a": 2.0, "b": 1.2, "c": 1.0} for timing in TIMINGS}
    every = timing_statements([*_cases(bad)[:1], *_cases(bad)[:1]])
    assert [one.holds for one in every] == [False, True, False, False]


def _euler(machine: str, slow: str, chosen: Mapping[str, str], separate: float = 1.2) -> claims.EulerCase:
    """Return a case: IsIr_aao is the fastest on `shared`, two codelets on the other machine; `slow` is the slowest.

    `chosen` has the decisions of searches with few measurements.
    """
    times = dict.fromkeys(claims.CODELETS, (1.2, 1.21))
    times["IsIr_aao"] = (1.0, 1.001)
    times[slow] = (1.5, 1.51)
    if machine != "shared":
        times["IsIr_aao_pack"] = (0.95, 1.05)
    setting = _setting(times, {"barrier": {"IsIr_aao": 1.0, slow: 1.5}, claims.SEPARATE: {}}, (1.1, 1.1))
    tuned = tuple(
        dataclasses.replace(one, times=(separate,)) if one.combination.timing == claims.SEPARATE else one
        for one in setting.tuned
    )
    winners = {
        (method, count): chosen.get(method, "IsIr_aao") if count <= 20 else "IsIr_aao"
        for method in METHODS
        for count in (100, 80, 60, 40, 20, 10)
    }
    return claims.EulerCase(
        Case(machine, dataclasses.replace(setting, tuned=tuned)), (Decided("s", 1, winners, {"IsIr_aao": (1.0, 2.0)}),)
    )


_PRINTED = {"best_somewhere": 11, "worst_somewhere": 9, "largest_loss": 2.0}


def test_overheads_use_the_chosen_codelets() -> None:
    case = _euler("shared", "S_R_pair_pack", {"none": "S_R_pair_pack"})
    assert case.overhead("none", 100) == 0.0
    assert case.losses("none", 10) == [pytest.approx(100 * (1.505 / 1.0005 - 1))]
    assert case.best() == {"IsIr_aao"}
    assert case.worst() == {"S_R_pair_pack"}
    change, low, high = case.whole_change()
    assert low <= change <= high
    assert change == pytest.approx(100 * (1.0 / 1.1 - 1))


def _held(cases: Sequence[claims.EulerCase]) -> dict[str, bool]:
    return {one.text: bool(one.holds) for one in claims.statements(cases, _PRINTED)}


def test_statements_on_statistical_methods_follow_the_decisions() -> None:
    ethernet = _euler("shark", "S_R_pair_pack", {})
    plain = {"none": "S_R_pair_pack", "heuristic": "S_R_pair_pack"}
    found = _held([_euler("shared", "S_R_pair_pack", plain), ethernet])
    assert len(found) == 16
    few = next(text for text in found if "decide worse" in text)
    assert found[few]
    wrong = {"iqr": "S_R_pair_pack", "cluster": "S_R_pair_pack", "robust": "S_R_pair_pack"}
    other = _held([_euler("shared", "S_R_pair_pack", wrong), ethernet])
    assert not other[few]
    changed = [text for text in found if found[text] != other[text]]
    assert len(changed) == 2
    assert "IQR, cluster analysis, and robust statistics" in changed[1]


def test_layouts_of_the_original_program_are_compared() -> None:
    slower, faster = _euler("shared", "Sr_pair", {}), _euler("shared", "Sr_pair", {}, separate=1.0)
    assert slower.over_original(slower.separate()) == pytest.approx(100 * (1.2 / 1.1 - 1))
    (text,) = [text for text in _held([slower]) if text.startswith("Separate arrays")]
    assert _held([slower])[text]
    assert not _held([faster])[text]


@pytest.mark.parametrize("study", [one for one in _EVALUATED if one.key == "thesis/euler3d"], ids=lambda one: one.key)
def test_runs_without_adcl_have_both_layouts_of_the_thesis(study: Study) -> None:
    for name in ("quick", "shared", "shark"):
        evaluation = read_evaluation(study.folder / f"{name}.toml")
        assert evaluation.original is not None
        original, separate = evaluation.original[1], evaluation.timing(claims.SEPARATE).arguments
        assert [word for word in original if word not in separate and word in ("--layout", "pairs")] == [
            "--layout",
            "pairs",
        ]
        assert {"plain-fields", "blocking"} <= set(original) & set(separate)


def test_quick_run_omits_statements_on_ethernet() -> None:
    held = _held([_euler("shared", "Sr_pair", {})])
    assert len(held) == 9
    assert not any(text.startswith("On Ethernet") for text in held)
    assert _held([]) == {}


def test_pairs_are_compared_by_communication_per_iteration() -> None:
    found = pair_estimates([{"a": 1.0, "b": 2.0}, {"x": 0.25, "y": 0.5}])
    assert found == {"a+x": 2.5, "a+y": 3.0, "b+x": 4.5, "b+y": 5.0}
    assert chosen_pair([]) is None


def test_timer_of_both_sets_selects_a_pair() -> None:
    row = SimpleNamespace(codelet="a+x", judged_s=0.5)
    joint = SimpleNamespace(
        candidates=("a+x", "b+x"),
        function_set="timer",
        decision=SimpleNamespace(winner="a+x"),
        rows=(row, SimpleNamespace(codelet="b+x", judged_s=None)),
        measurements=4,
    )
    own = SimpleNamespace(candidates=("a", "b"), function_set="neighborhood", decision=None, rows=(), measurements=0)
    found = chosen_pair(cast("list[TracedSearch]", [own, joint]))
    assert found == Chosen("a+x", {"a+x": 0.5}, 4, None)


def test_measurements_that_differ_from_long_runs_are_counted() -> None:
    both = [Compared("a_2S", "Pairwise", (90.0, 110.0), 100.0), Compared("a_2S", "Linear", (150.0, 150.0), 100.0)]
    statement = compared_statement(both)
    assert statement.holds
    assert statement.here == "1 of 2 differ by more than 10%: Linear +50% (a_2S)"
    assert not compared_statement(both[:1]).holds
    assert "| a_2S | Linear | 150.0 | 150.0 to 150.0 | 100.0 | +50.0 |" in compared_table(both)
    assert compared_picture(both).count('r="3"') == 2 * 2 + 2


@pytest.mark.parametrize("study", [one for one in _EVALUATED if one.key == "thesis/ft"], ids=lambda one: one.key)
def test_the_long_run_time_adds_the_difference_of_the_runs_by_iteration(study: Study, tmp_path: Path) -> None:
    place = Place(study, study.folder, tmp_path)
    (setting,) = [one for one in settings_of(place, "shared") if one.parameters["class"] == "S"]
    case = Case("shared", setting)
    found = {one.codelet: one for one in compared(place, case)}
    slowest = setting.codelets[-1]
    apart = 1e6 * (slowest.average_s - setting.codelets[0].average_s) / 120
    assert found[slowest.name].long_run - found[case.winner].mean == pytest.approx(apart)


def test_steps_are_round_and_enclose_the_range() -> None:
    assert round_steps(-3.0, 17.0) == [-5.0, 0.0, 5.0, 10.0, 15.0, 20.0]
    assert round_steps(0.0, 0.09) == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08, 0.1])
    assert round_steps(0.0, 0.0) == [0.0]


def test_a_picture_of_ranges_has_a_marker_for_each_value() -> None:
    series = [Ranged("one", [(1.0, 0.0, 2.0), None]), Ranged("two", [None, (0.0, -1.0, 1.0)])]
    panel = RangedPanel("t <1>", ["a", "b"], series)
    picture = ranged_panels([panel, panel])
    assert picture.count('r="3"') == 2 * (2 + 2)
    assert picture.count('class="r"') == 2 * 2
    assert "t &lt;1&gt;" in picture
    low, high = (float(y) for y in re.findall(r'class="r" stroke="#0072b2" d="M[\d.]+,([\d.]+)V([\d.]+)"', picture)[0])
    assert low > high


def test_find_study_finds_the_studies_of_the_thesis() -> None:
    assert find_study("sizes").key == "thesis/sizes"
    assert {study.key for study in _EVALUATED} >= {study.key for study in _THESIS} - {
        "thesis/sizes",
        "thesis/methods",
        "thesis/simulated",
    }


def test_a_printed_number_has_the_printed_digits() -> None:
    assert printed_number(0.672, 0.7)
    assert printed_number(6.048, 6.0)
    assert printed_number(2.752, 2.75)
    assert not printed_number(0.55, 0.7)
    assert not printed_number(2.77, 2.75)


def _sent(**changed: float) -> list[str]:
    """Return rows of Table 2.1 with the bytes of some sizes changed."""
    study = find_study("thesis/sizes")
    printed = tomllib.loads((study.folder / "published.toml").read_text(encoding="utf-8"))["euler3d"]
    cells = {edge: changed.get(f"edge_{edge}", 6 * int(edge) ** 2 * 7 * 5 * 8) for edge in printed}
    found = {("euler3d", edge, 8): Sent("euler3d", edge, 8, count, 12.0) for edge, count in cells.items()}
    return [str(euler_table(found, printed)[1]), euler_table(found, printed)[0]]


def test_table_2_1_counts_the_numbers_that_agree() -> None:
    assert _sent()[0].endswith("20 of 20")
    assert _sent(edge_40=1.0)[0].endswith("16 of 20")
    assert "0.672 (0.7)" in _sent()[1]
