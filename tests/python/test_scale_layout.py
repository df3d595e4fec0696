"""Sweeps over nodes and ranks per node: every combination is a job with a separate placement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adcl.scale import StudyError, planned, read_study
from adcl.scale.study._sweep import _job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    from adcl.scale import RunPlan

    Adcl = Callable[..., Ended]

_RUN = '[run]\nprogram = "true"\nmpi = "slurm"\narguments = ["{{nodes}}x{{ranks_per_node}}={{ranks}}"]\n{keys}\n'
_BOTH = "nodes = [1, 2, 4]\nranks_per_node = [1, 2]"


def _written(folder: Path, keys: str) -> Path:
    path = folder / "s.toml"
    path.write_text(_RUN.format(keys=keys) + '[[expect]]\nfunction = "f"\n', encoding="utf-8")
    return path


def _plan(folder: Path, keys: str) -> RunPlan:
    plan = read_study(_written(folder, keys)).plan
    assert plan is not None
    return plan


def test_every_combination_is_a_job(tmp_path: Path) -> None:
    plan = _plan(tmp_path, _BOTH)
    tasks = planned(plan, "main", 1)
    assert plan.ranks == (1, 2, 4, 8)
    assert sorted(one.arguments[0] for one in tasks) == ["1x1=1", "1x2=2", "2x1=2", "2x2=4", "4x1=4", "4x2=8"]
    assert len({one.key for one in tasks}) == 6
    placed = {one.arguments[0]: _job(plan, one, plan.placement).placement.ranks_per_node for one in tasks}
    assert placed["4x2=8"] == 2
    assert placed["4x1=4"] == 1


def test_a_range_of_nodes_has_powers_of_two(tmp_path: Path) -> None:
    assert _plan(tmp_path, 'nodes = "1..8"\nranks_per_node = 16').ranks == (16, 32, 64, 128)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("nodes = [1, 2]", "ranks_per_node is missing"),
        (f"{_BOTH}\nranks = [2]", "omit ranks"),
        ("nodes = [0]\nranks_per_node = [1]", "does not contain node counts"),
        ("ranks = [2]\nranks_per_node = [1, 2]", "ranks_per_node"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, keys: str, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f'[run]\nprogram = "true"\n{keys}\n[[expect]]\nfunction = "f"\n', encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        read_study(path)


def test_each_layout_is_a_job_array(tmp_path: Path, adcl: Adcl) -> None:
    log, fake = tmp_path / "log", tmp_path / "bin" / "sbatch"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$@" >>{log}\ncat >/dev/null\necho 17\n', encoding="utf-8")
    fake.chmod(0o755)
    study = _written(tmp_path, _BOTH)
    assert adcl("scale", "run", str(study), "--submit", "--seed", "1", PATH=f"{fake.parent}:/usr/bin:/bin").code == 0
    options = ("--ntasks=", "--ntasks-per-node=", "--nodes=")
    asked = {
        tuple(line.partition(option)[2].split()[0] for option in options)
        for line in log.read_text(encoding="utf-8").splitlines()
    }
    assert asked == {
        ("1", "1", "1"),
        ("2", "2", "1"),
        ("2", "1", "2"),
        ("4", "2", "2"),
        ("4", "1", "4"),
        ("8", "2", "4"),
    }


def test_records_have_the_ranks_per_node(tmp_path: Path, adcl: Adcl) -> None:
    program = tmp_path / "bench"
    program.write_text(
        '#!/bin/sh\necho "{\\"schema\\": 1, \\"function\\": \\"f\\", \\"metric\\": \\"calls\\",'
        ' \\"parameters\\": {\\"p\\": $1}, \\"repetitions\\": [$1]}"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    launcher = tmp_path / "bin" / "srun"
    launcher.parent.mkdir()
    launcher.write_text(
        "#!/bin/sh\ncase $1 in --version) echo slurm 22.05.8; exit;; esac\n"
        'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n',
        encoding="utf-8",
    )
    launcher.chmod(0o755)
    path = tmp_path / "s.toml"
    path.write_text(
        '[run]\nprogram = "./bench"\nmpi = "slurm"\narguments = ["{ranks}"]\nnodes = [1, 2, 4, 8, 16]\n'
        'ranks_per_node = [1, 2]\n[[expect]]\nfunction = "f"\nmetric = "calls"\ngrowth = "p"\n',
        encoding="utf-8",
    )
    ran = adcl("scale", "run", str(path), PATH=f"{launcher.parent}:/usr/bin:/bin")
    assert ran.code == 0, ran.err
    checked = adcl("scale", "check", str(path))
    assert checked.code == 0, checked.out
    assert "ranks_per_node = 1" in " ".join(checked.out.split())
    assert "ranks_per_node = 2" in " ".join(checked.out.split())
