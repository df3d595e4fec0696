"""Running programs in SMPI, SimGrid's simulator, whose ranks share one process."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import processes_with, within

from adcl.launch import Job, Placement, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ended


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> str:
    if not shutil.which("smpicc") or not shutil.which("smpirun"):
        pytest.skip("SimGrid's smpicc and smpirun are not installed")
    program = tmp_path_factory.mktemp("smpi") / "ranks"
    source = Path(__file__).parent / "programs" / "ranks.c"
    subprocess.run(["smpicc", "-o", program, source], check=True, capture_output=True)
    return str(program)


class TestSimulated:
    """SMPI, whose ranks share one process."""

    @pytest.fixture
    def cluster(self, tmp_path: Path) -> Placement:
        file = tmp_path / "cluster.xml"
        file.write_text(
            '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
            '<platform version="4.1"><cluster id="c" prefix="node-" radical="0-7" suffix="" speed="1Gf" bw="125MBps" '
            'lat="50us"/></platform>\n'
        )
        return Placement(platform=file)

    def test_ranks_and_variables(self, simulated: str, cluster: Placement) -> None:
        job = Job(
            simulated, ("variables", "A"), ranks=3, environment={"A": "1 2"}, placement=cluster, timeout_s=within(60.0)
        )
        result = run(job).check()
        assert sorted(re.findall(r"rank \d: A=\[1 2\]", result.stdout)) == [
            f"rank {rank}: A=[1 2]" for rank in range(3)
        ]

    def test_it_runs_in_the_folder_of_the_job(
        self, simulated: str, cluster: Placement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert cluster.platform is not None
        folder, hosts = tmp_path / "folder", tmp_path / "hosts"
        folder.mkdir()
        hosts.write_text("node-0:2\nnode-1:1\n")
        monkeypatch.chdir(tmp_path)
        placement = replace(cluster, platform=Path(cluster.platform.name), hostfile=Path("hosts"))
        result = run(
            Job(simulated, ("hello",), ranks=3, placement=placement, cwd=folder, timeout_s=within(60.0))
        ).check()
        assert f"in {folder}" in result.stdout

    def test_a_simulation_that_hangs_is_stopped_whole(self, simulated: str, cluster: Placement, tag: str) -> None:
        job = Job(
            simulated, ("hang",), ranks=3, environment={"TAG": tag}, placement=cluster, timeout_s=3.0, grace_s=1.0
        )
        result = run(job)
        assert result.timed_out
        assert "rank 0 is ready" in result.stdout
        assert not processes_with(tag)

    def test_settings_are_tuned_and_proved(
        self, simulated: str, cluster: Placement, tmp_path: Path, adcl: Callable[..., Ended]
    ) -> None:
        (tmp_path / "tuning.toml").write_text(
            'mpi = "smpi"\n[parameters]\nasync_small_thresh = [1024, 65536]\n'
            "[objective]\nmeasure = \"output\"\npattern = 'waited ([0-9.]+) s'\n"
        )
        search = ("--method", "paper", "--search", "exhaustive", "-n", "2", "--trials", "30", "--study", "study")
        where = ("--on", str(cluster.platform), "--mpi", "smpi")
        fixed = "--launcher-option=--cfg=smpi/simulate-computation:no"
        done = adcl("tune", "run", "tuning.toml", *search, *where, fixed, "--", simulated, "late", timeout_s=120.0)
        assert done.code == 0, done.err
        document = json.loads((tmp_path / "study" / "result.json").read_text())
        assert {one["status"] for one in document["runs"]} == {"ok"}
        times = {
            one["configuration"].get("async_small_thresh"): one["objectives"]["output"] for one in document["runs"]
        }
        # The message travels while its receiver sleeps only if it is smaller than the threshold.
        assert times[65536] < times[1024] == times[None]
        assert "--cfg=smpi/async-small-thresh:65536" in done.out
        assert not (tmp_path / "study" / "job.sh").exists()
