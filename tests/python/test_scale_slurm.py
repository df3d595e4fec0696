"""Job arrays of adcl scale with a real Slurm on this machine."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import PROJECT, clean_environment, within

pytestmark = pytest.mark.slurm

_CLUSTER = PROJECT / "testbed" / "slurm" / "cluster.py"
_SCRIPT = """
"{python}" -m adcl scale run s.toml --submit --seed 1
for i in $(seq 60); do [ -z "$(squeue -h)" ] && break; sleep 0.5; done
"{python}" -m adcl scale check s.toml --json > result
"{python}" -m adcl scale run s.toml --submit > again
cat slurm-*.out >&2
"""


def _lacking() -> str | None:
    if not shutil.which("mpicc.openmpi") or os.geteuid() != 0:
        return "needs root and Debian's Open MPI"
    specification = importlib.util.spec_from_file_location("cluster", _CLUSTER)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    reason: str | None = module.missing()
    return reason


def test_job_arrays_fill_the_store(tmp_path: Path) -> None:
    if (lacking := _lacking()) is not None:
        pytest.skip(lacking)
    source = Path(__file__).parent / "programs" / "records.c"
    subprocess.run(["mpicc.openmpi", "-o", tmp_path / "records", source], check=True, capture_output=True)
    (tmp_path / "s.toml").write_text(
        '[run]\nprogram = "./records"\nranks = [1, 2, 3, 4, 5]\nmpi = "slurm"\npmi = "pmix"\ntimeout_s = 60\n'
        '[[expect]]\nfunction = "table"\nmetric = "memory_bytes"\ngrowth = "p"\n',
        encoding="utf-8",
    )
    script = _SCRIPT.format(python=sys.executable)
    done = subprocess.run(
        [sys.executable, _CLUSTER, "--cpus", "5", "run", "--", "sh", "-c", script],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=within(120),
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "result").read_text(encoding="utf-8"))
    assert document["rows"][0]["match"] == "total", done.stderr
    assert document["rows"][0]["points"] == [[1.0], [2.0], [3.0], [4.0], [5.0]]
    assert (tmp_path / "again").read_text(encoding="utf-8") == "no jobs are left to run: s, run main\n"
