"""The end of `make demo`: the page, and the emulated cluster where it may be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from trace_support import random_times, write_trace

from adcl.errors import AdclError
from adcl.launch import Flavour, Launcher, Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from adcl.launch import Job

_SCRIPT = Path(__file__).resolve().parents[2] / "apps/solver3d/demo_report.py"


@pytest.fixture
def demo() -> Iterator[ModuleType]:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("solver3d_demo_report", _SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def jobs(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """Replaces the launcher by one that writes a trace of the job's ranks; the jobs that it was given."""
    given: list[Job] = []

    def run(job: Job, _launcher: Launcher) -> Result:
        given.append(job)
        folder = Path(str(job.environment["ADCL_TRACE"]))
        write_trace(folder / f"run{len(given)}", random_times(1, 3, job.ranks, 5))
        return Result(("mpirun",), 0, 1.0, "", "")

    monkeypatch.setattr(demo, "run", run)
    monkeypatch.setattr(demo, "detect", lambda *_, **__: Launcher(Flavour.OPEN_MPI_4, Path("/usr/bin/mpirun"), "4.1"))
    return given


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    """Options for a build folder with something that passes for solver3d."""
    program = tmp_path / "build/bin/solver3d"
    program.parent.mkdir(parents=True)
    program.touch()
    return ["--build", str(tmp_path / "build"), "--output", str(tmp_path / "out")]


def test_without_root_one_line_says_what_was_left_out(
    demo: ModuleType,
    jobs: list[Job],
    *,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse() -> None:
        raise AdclError("emulated clusters need root, for network namespaces")

    monkeypatch.setattr(demo, "check_possible", refuse)
    assert demo.main(arguments) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3
    assert told[0].startswith("With a trace, on ")
    assert told[1].startswith("Left out: the same program on an emulated cluster")
    assert told[1].endswith("since emulated clusters need root, for network namespaces")
    assert told[2] == f"The page of what was measured and decided: {tmp_path}/out/report.html"
    assert "IsIr_aao" in (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert len(jobs) == 1


def test_what_failed_on_the_cluster_is_not_in_the_page(
    demo: ModuleType,
    jobs: list[Job],
    *,
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(ending: object) -> None:
        demo.run(ending.job, None)  # type: ignore[attr-defined]
        raise AdclError("the program failed there")

    monkeypatch.setattr(demo, "_run_on_cluster", broken)
    assert demo.main(arguments) == 0
    assert "since the program failed there" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "out/trace").iterdir()] == ["run1"]
    assert demo.main(arguments) == 0, "an older trace is in nobody's way"
    assert len(jobs) == 4


def test_a_program_that_is_not_there(demo: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--build", str(tmp_path)]) == 2
    assert "is not there: build it with `make demo`" in capsys.readouterr().err
