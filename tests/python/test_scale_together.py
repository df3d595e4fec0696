"""If parameters vary together, models use only one parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.scale import Measurement, independent, varied_together

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    Adcl = Callable[..., Ended]


def _rows(*settings: dict[str, float]) -> list[Measurement]:
    return [Measurement("f", "time_s", dict(one), (1.0,)) for one in settings]


def test_parameters_of_a_group_determine_each_other() -> None:
    rows = _rows(*({"a": n, "b": n * n, "c": n % 2, "d": -n} for n in (1.0, 2.0, 3.0, 4.0)))
    assert varied_together(rows, ("a", "b", "c", "d")) == [("a", "b", "d")]
    two = _rows({"a": 1.0, "b": 4.0}, {"a": 2.0, "b": 8.0})
    assert varied_together(two, ("a", "b")) == [], "two settings show nothing"
    crossed = _rows(*({"a": x, "b": y} for x in (1.0, 2.0, 3.0) for y in (1.0, 2.0, 3.0)))
    assert varied_together(crossed, ("a", "b")) == []


def test_one_parameter_of_a_group_is_kept() -> None:
    together = [("nodes", "tasks")]
    assert independent(("nodes", "tasks", "size"), together) == ("tasks", "size")
    assert independent(("nodes", "tasks", "size"), together, ("nodes",)) == ("nodes", "size")
    assert independent(("a", "b"), [("a", "b")]) == ("a",)


def test_parameters_that_vary_together(tmp_path: Path, adcl: Adcl) -> None:
    rows = "".join(
        f"f,{n},{4 * n},{size},{2.0 * n * size}\n" for n in (1, 2, 4, 8, 16) for size in (10, 20, 40, 80, 160)
    )
    (tmp_path / "t.csv").write_text("function,nodes,tasks,size,time_s\n" + rows, encoding="utf-8")
    ended = adcl("scale", "model", "t.csv", COLUMNS="160")
    assert ended.code == 0
    assert "nodes and tasks vary together; the model uses tasks. --over nodes selects another parameter" in ended.err
    assert "O(size tasks)" in ended.out
    named = adcl("scale", "model", "t.csv", "--expect", "nodes * size", COLUMNS="160")
    assert "the model uses nodes" in named.err
    assert "O(nodes size)" in named.out
    chosen = adcl("scale", "model", "t.csv", "--over", "nodes", "--over", "size", COLUMNS="160")
    assert chosen.err == ""
    assert "O(nodes size)" in chosen.out


def test_an_expectation_is_over_one_of_them(tmp_path: Path, adcl: Adcl) -> None:
    rows = "".join(f"{f},{n},{4 * n},{2.0 * n}\n" for n in (1, 2, 4, 8, 16) for f in ("known", "open"))
    (tmp_path / "t.csv").write_text("function,nodes,p,time_s\n" + rows, encoding="utf-8")
    (tmp_path / "t.toml").write_text(
        '[[expect]]\nfunction = "known"\ngrowth = "nodes"\n[[expect]]\nfunction = "open"\n', encoding="utf-8"
    )
    assert adcl("scale", "add", "t.toml", "t.csv").code == 0
    checked = adcl("scale", "check", "t.toml", COLUMNS="80")
    assert checked.code == 0, checked.err
    assert "known (time_s): p varied together with nodes" in checked.out
    assert "open (time_s): nodes varied together with p" in checked.out
    assert max(map(len, checked.out.splitlines())) <= 80
