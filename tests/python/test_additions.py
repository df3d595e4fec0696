"""Searches, benches with figures, and growths, formats and panels of `adcl scale` are added by one file and one row."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import PROJECT, within

if TYPE_CHECKING:
    from pathlib import Path

_SEARCH = '''"""Scenarios in descending order."""

from adcl.tune.search._base import Search


class Descending(Search):
    def propose(self):
        return next((one for one in sorted(self.space.scenarios(), reverse=True) if self.fresh(one)), None)
'''
_ROW = '        ("descending", Descending, "scenarios in descending order"),\n'
_ASKED = """
from adcl.tune.search import make_search
from adcl.tune.space import Parameter, Space, Steps

search = make_search("descending", Space((Parameter("a", Steps(0, 3, add=1), 0),)))
while (scenario := search.ask()) is not None:
    print(*scenario)
    search.tell(scenario, (1.0,))
"""
_FILE = 'mpi = "ibm"\nsearch = "descending"\n\n[parameters]\neager_limit = [1024, 2048]\n'

_BENCH = '''"""Counts to three."""

import sys

from bench._form import command_line, write

given = command_line(__doc__).parse_args(sys.argv[1:])
write(given.output, {"mpi_library": "none"}, {"count": 3})
'''
_TABLE = """
[added]
title = "counting"
about = "The bench counts."
[added.figures]
count = { unit = "ratio", at_most = 4, about = "the last number" }
"""


_FIGURE = '    figures["most_trials_over"] = max(figures[f"trials_over.{peer}"]["value"] for peer in _PEERS)\n'
_FIGURE_ROW = 'most_trials_over = { unit = "ratio", at_most = 1.0, about = "the larger of the two ratios" }\n'

_FACTOR = """def _iterated(values: Array, exponent: float) -> Array:
    import numpy as np

    return np.asarray(np.log2(1 + np.log2(values)) ** exponent)


ITERATED = Factor(
    name="iterated",
    function_class=FunctionClass.LOGARITHMIC,
    evaluate=_iterated,
    write=lambda name, exponent: f"loglog^{exponent} {name}" if exponent else f"loglog {name}",
    functions={"loglog": 1.0},
    simple={"1": 1.0},
)

"""
_INPUT_FORMAT = '''"""Lines such as "4 took 2.5"."""

from adcl.scale.input._format import Format
from adcl.scale.model import Measurement


def _read(source):
    rows = [line.split(" took ") for line in source.text.splitlines()]
    return [Measurement("f", "time_s", {"p": float(ranks)}, (float(time),)) for ranks, time in rows]


FORMAT = Format("lines of a log", lambda source: " took " in source.text, _read)
'''
_REPORT_FORMAT = '''"""A line for each statement."""

from adcl.scale.output._findings import findings_of


def as_lines(report):
    return "".join(f"{one.name}: {one.outcome.value}\\n" for one in findings_of(report.results))
'''
_REPORT_ROW = """    ReportFormat(
        "lines",
        "Write a line for each verdict to this file.",
        "a line for each verdict",
        as_lines,
    ),
"""
_PANEL = '''"""Measured settings of each function."""

from adcl import pages


def points(content):
    rows = tuple((row.verdict.series.function, len(row.verdict.series.points)) for row in content.results.rows)
    return [pages.Section("Measured settings", (pages.Table(("function", "settings"), rows),))]
'''
_STUDY = '[[expect]]\nfunction = "f"\ngrowth = "p"\n'


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder / 'python'}{os.pathsep}{folder}", "BENCH_FORM": "usual"},
        capture_output=True,
        text=True,
        check=False,
        timeout=within(60),
    )


def _copied(target: Path, *names: str) -> None:
    for name in names:
        source = PROJECT / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)


def _study_modules() -> list[str]:
    """Return the modules of `studies`, which `tools/figures.py` imports."""
    return [f"studies/{one.name}" for one in (PROJECT / "studies").glob("*.py")]


def _insert(file: Path, before: str, text: str) -> None:
    old = file.read_text(encoding="utf-8")
    assert old.count(before) == 1
    file.write_text(old.replace(before, text + before), encoding="utf-8")


def test_a_search_is_added_by_a_file_and_a_row(tmp_path: Path) -> None:
    _copied(tmp_path, "python/adcl", "docs/tune-search.md")
    searches = tmp_path / "python/adcl/tune/search"
    (searches / "_descending.py").write_text(_SEARCH, encoding="utf-8")
    _insert(
        searches / "_table.py",
        "from adcl.tune.search._exhaustive",
        "from adcl.tune.search._descending import Descending\n",
    )
    _insert(searches / "_table.py", '        ("individual", Individual', _ROW)

    asked = _run(tmp_path, "-c", _ASKED)
    (tmp_path / "t.toml").write_text(_FILE, encoding="utf-8")
    checked = _run(tmp_path, "-m", "adcl", "tune", "check", "t.toml", "--toml")
    listed = _run(tmp_path, "-c", "from adcl.tune.search import SEARCHES; print(*SEARCHES)")

    assert asked.stdout.split() == ["3", "2", "1", "0"], asked.stderr
    assert "descending" in checked.stdout, checked.stderr
    assert "descending" in listed.stdout.split(), listed.stderr

    documented = _run(tmp_path, str(PROJECT / "tools/search_options.py"), str(tmp_path))
    assert documented.returncode == 0, documented.stderr
    page = (tmp_path / "docs/tune-search.md").read_text(encoding="utf-8")
    assert "\n| `descending` | scenarios in descending order |\n" in page


@pytest.mark.parametrize("declared", [True, False])
def test_a_bench_and_its_figure_are_added_by_a_file_and_a_table(tmp_path: Path, *, declared: bool) -> None:
    _copied(tmp_path, "tools", "bench", "docs/figures", *_study_modules())
    (tmp_path / "bench/tune/added.py").write_text(_BENCH, encoding="utf-8")
    if declared:
        with (tmp_path / "bench/figures.toml").open("a", encoding="utf-8") as file:
            file.write(_TABLE)
    output = tmp_path / "build/bench/added.json"

    ran = _run(tmp_path, "-m", "bench.tune.added", "--output", str(output))
    shown = _run(tmp_path, "tools/figures.py", str(output))

    assert ran.returncode == 0, ran.stderr
    assert (shown.returncode == 0) == declared, shown.stderr
    if declared:
        assert json.loads(output.read_text(encoding="utf-8"))["figures"][0]["target"] == 4
        stored = _run(tmp_path, "tools/figures.py", "store", "added", "Z", "--about", "two cores")
        assert stored.returncode == 0, stored.stderr
        page = (tmp_path / "docs/figures.md").read_text(encoding="utf-8")
        assert "## `added`: counting" in page
        assert "| the last number | ≤ 4 | 3 |" in page


def test_a_figure_is_added_to_a_bench_by_a_line_and_a_row(tmp_path: Path) -> None:
    _copied(tmp_path, "tools", "bench", "docs/figures", *_study_modules())
    bench, figures = tmp_path / "bench/tune/tune_models.py", tmp_path / "bench/figures.toml"
    _insert(bench, "    for model, by_problem in counts.items():", _FIGURE)
    _insert(figures, '"processor_time_over.{peer}" =', _FIGURE_ROW)
    seeds = tmp_path / "seeds"
    seeds.mkdir()
    # The bench does not run models whose results are stored.
    for model, count in {"adcl": 10, "sklearn": 12.5, "optuna": 20}.items():
        stored = {model: {"made_up_ten": [count, 0.5]}}
        (seeds / f"{model}-0.json").write_text(json.dumps(stored), encoding="utf-8")
    output = tmp_path / "build/bench/tune_models.json"
    chosen = ("--seeds", "1", "--optuna-seeds", "1", "--seeds-in", str(seeds), "--peers", sys.executable)

    ran = _run(tmp_path, "-m", "bench.tune.tune_models", *chosen, "--output", str(output))
    shown = _run(tmp_path, "tools/figures.py", str(output))

    assert ran.returncode == 0, ran.stderr
    assert shown.returncode == 0, shown.stderr
    rows = {one["name"]: one for one in json.loads(output.read_text(encoding="utf-8"))["figures"]}
    assert rows["most_trials_over"] == {"name": "most_trials_over", "value": 0.8, "unit": "ratio", "target": 1.0}


@pytest.fixture
def scale(tmp_path: Path) -> Path:
    """Copy the package, and write a study and a log of measurements next to it; return the folder `scale`."""
    _copied(tmp_path, "python/adcl", "docs/scale.md")
    (tmp_path / "s.toml").write_text(_STUDY, encoding="utf-8")
    record = {"schema": 1, "function": "f", "metric": "time_s"}
    rows = [{**record, "parameters": {"p": 2**n}, "repetitions": [1 + 3 * 2**n]} for n in range(1, 9)]
    (tmp_path / "f.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return tmp_path / "python/adcl/scale"


def _adcl_scale(folder: Path, *arguments: str) -> str:
    done = _run(folder, "-m", "adcl", "scale", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_growth_term_is_added_by_a_row(scale: Path, tmp_path: Path) -> None:
    growth = scale / "model/_growth.py"
    _insert(growth, "FACTORS: list[Factor] = [", _FACTOR)
    _insert(growth, ']\n"""Factors, the fastest first.', ", ITERATED")
    (tmp_path / "s.toml").write_text(
        f'{_STUDY}space = {{ powers = ["0", "1"], iterateds = ["0", "2"] }}\n', encoding="utf-8"
    )
    asked = _run(
        tmp_path,
        "-c",
        "from pathlib import Path; from adcl.scale import Term, parse, read_study; print(parse('3 loglog q'));"
        "(one,) = read_study(Path('s.toml')).expectations;"
        "print(*(Term.of({'p': growth}) for growth in one.expected.refinement.terms), sep='; ')",
    )
    assert asked.stdout.splitlines() == ["3 * loglog q", "1; loglog^2 p; p; p loglog^2 p"], asked.stderr


def test_an_input_format_is_added_by_a_file_and_a_row(scale: Path, tmp_path: Path) -> None:
    (scale / "input/_log_lines.py").write_text(_INPUT_FORMAT, encoding="utf-8")
    _insert(scale / "input/_formats.py", "    _pytest_benchmark,\n", "    _log_lines,\n")
    _insert(scale / "input/_formats.py", "    _cube.FOLDER,\n", "    _log_lines.FORMAT,\n")
    (tmp_path / "log").write_text("".join(f"{2**n} took {1 + 3 * 2**n}\n" for n in range(1, 9)), encoding="utf-8")

    assert "(lines of a log)" in _adcl_scale(tmp_path, "add", "s.toml", "log")
    assert "Everything holds." in _adcl_scale(tmp_path, "check", "s.toml")


def test_a_report_format_is_added_by_a_file_and_a_row(scale: Path, tmp_path: Path) -> None:
    (scale / "output/_lines.py").write_text(_REPORT_FORMAT, encoding="utf-8")
    table = scale / "output/_report_formats.py"
    _insert(table, "from adcl.scale.output._metrics", "from adcl.scale.output._lines import as_lines\n")
    _insert(table, '    ReportFormat(\n        "junit"', _REPORT_ROW)

    _adcl_scale(tmp_path, "add", "s.toml", "f.jsonl")
    assert "--lines FILE" in " ".join(_adcl_scale(tmp_path, "check", "--help").split())
    _adcl_scale(tmp_path, "check", "s.toml", "--lines", "lines.txt")
    assert (tmp_path / "lines.txt").read_text(encoding="utf-8") == "f (time_s): holds\n"

    documented = _run(tmp_path, str(PROJECT / "tools/report_formats.py"), str(tmp_path))
    assert documented.returncode == 0, documented.stderr
    page = (tmp_path / "docs/scale.md").read_text(encoding="utf-8")
    assert "\n| `--lines FILE` | a line for each verdict |\n" in page


def test_a_panel_is_added_by_a_file_and_a_row(scale: Path, tmp_path: Path) -> None:
    (scale / "output/_points.py").write_text(_PANEL, encoding="utf-8")
    page = scale / "output/_page.py"
    _insert(page, "from adcl.scale.output._runs", "from adcl.scale.output._points import points\n")
    _insert(page, "runs, efficiencies, functions]", "points, ")

    _adcl_scale(tmp_path, "add", "s.toml", "f.jsonl")
    _adcl_scale(tmp_path, "report", "s.toml", "-o", "page.html")
    assert "Measured settings" in (tmp_path / "page.html").read_text(encoding="utf-8")
