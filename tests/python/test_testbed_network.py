"""Emulated clusters as root: creation, programs on them, and leftovers."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evaluate_support import EVALUATED
from support import PROJECT, clean_environment, processes_with, wait_until, within
from testbed_support import SMALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Mpi
    from support import Ended


def _why_not() -> str | None:
    if os.geteuid() != 0:
        return "emulated clusters require root"
    if not shutil.which("ip") or not shutil.which("tc"):
        return "iproute2 is not installed"
    name = f"adcl-probe-{uuid.uuid4().hex[:8]}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return None if made.returncode == 0 else "this machine lets nobody make network namespaces"


_WHY_NOT = _why_not()
needs_network = pytest.mark.skipif(_WHY_NOT is not None, reason=_WHY_NOT or "")
needs_open_mpi = pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="Open MPI 4 is not installed")


def _networking() -> dict[str, str]:
    """Return the machine's interfaces, addresses, routes and namespaces, except the test clusters' namespaces."""
    shown = {
        what: subprocess.run(["ip", "-o", *what.split()], capture_output=True, text=True, check=True).stdout
        for what in ("link", "address", "route show table all")
    }
    # Remove lifetimes of addresses, which change.
    shown["address"] = "\n".join(line.partition(" valid_lft")[0] for line in shown["address"].splitlines())
    return shown


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Path]:
    """Return a platform file with a unique name."""
    file = tmp_path / f"t{uuid.uuid4().hex[:10]}.toml"
    file.write_text(SMALL, encoding="utf-8")
    before = _networking()
    yield file
    subprocess.run([sys.executable, "-m", "adcl", "testbed", "down", file.stem], capture_output=True, check=False)
    assert _left(file.stem) == []
    assert _networking() == before


def _left(name: str) -> list[str]:
    """Return everything on this machine that carries the name."""
    found = [path for folder in ("/run/netns", "/run/adcl-testbed") for path in Path(folder).glob(f"*{name}*")]
    return [*map(str, found), *processes_with(f"adcl-{name}")]


def _inside(name: str, host: str, *command: str) -> str:
    words = ["ip", "netns", "exec", f"adcl-{name}-{host}", *command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@needs_network
def test_up_creates_the_described_cluster_and_down_removes_it(adcl: Callable[..., Ended], cluster: Path) -> None:
    name = cluster.stem

    made = adcl("testbed", "up", str(cluster))

    assert (made.code, made.out) == (0, f"{name} is up: 3 hosts for 4 ranks\n")
    assert "rate 100Mbit" in _inside(name, "h2", "tc", "qdisc", "show", "dev", "eth0")
    assert "rate 1Gbit" in _inside(name, "h1", "tc", "qdisc", "show", "dev", "eth0")
    assert "rate 300Mbit" in _inside(name, "net", "tc", "qdisc", "show", "dev", "up0")
    _inside(name, "h0", sys.executable, "-c", _TALK)
    assert f"{name} is up\n" in adcl("testbed", "list").out
    again = adcl("testbed", "up", str(cluster))
    assert again.code == 2
    assert f"adcl testbed down {name}" in again.err
    assert adcl("testbed", "down", name).out == f"removed {name}\n"
    assert _left(name) == []
    assert adcl("testbed", "down", name).code == 2


_TALK = """
import socket
probe = socket.socket()
probe.settimeout(5)
try:
    probe.connect(("10.77.0.3", 9))
except ConnectionRefusedError:
    pass  # refused, so the other host is up
"""


@needs_network
def test_a_link_is_slowed_while_it_is_used(adcl: Callable[..., Ended], cluster: Path) -> None:
    adcl("testbed", "up", str(cluster))

    assert adcl("testbed", "slow", cluster.stem, "h1", "10mbit").code == 0

    assert "rate 10Mbit" in _inside(cluster.stem, "h1", "tc", "qdisc", "show", "dev", "eth0")
    assert "rate 10Mbit" in _inside(cluster.stem, "net", "tc", "qdisc", "show", "dev", "h1")
    assert "no host h9" in adcl("testbed", "slow", cluster.stem, "h9", "10mbit").err


@needs_network
def test_down_ends_the_programs_on_the_cluster(adcl: Callable[..., Ended], cluster: Path) -> None:
    adcl("testbed", "up", str(cluster))
    with subprocess.Popen(["ip", "netns", "exec", f"adcl-{cluster.stem}-h0", "sleep", "60"]) as sleeper:
        assert wait_until(lambda: Path(f"/proc/{sleeper.pid}/comm").read_text(encoding="utf-8") == "sleep\n", 5)

        assert adcl("testbed", "down", cluster.stem).code == 0

        assert sleeper.wait(within(5)) == -signal.SIGKILL


@needs_network
def test_foreign_namespaces_are_not_changed(adcl: Callable[..., Ended], cluster: Path) -> None:
    foreign = f"adcl-{cluster.stem}-h1"
    subprocess.run(["ip", "netns", "add", foreign], check=True)
    try:
        refused = adcl("testbed", "up", str(cluster))

        assert refused.code == 2
        assert f"ip netns del {foreign}" in refused.err
        assert _left(cluster.stem) == [f"/run/netns/{foreign}"]
    finally:
        subprocess.run(["ip", "netns", "del", foreign], check=True)


@needs_network
@needs_open_mpi
@pytest.mark.mpi
def test_ranks_run_on_their_hosts_and_the_exit_code_is_theirs(adcl: Callable[..., Ended], cluster: Path) -> None:
    ran = adcl("testbed", "run", str(cluster), "--", "sh", "-c", "hostname; exit 7")

    assert ran.code == 7
    assert set(ran.out.split()) <= {"h0", "h1", "h2"}
    by_run = adcl("run", "--on", str(cluster), "-n", "4", "hostname")
    assert (by_run.code, sorted(by_run.out.split())) == (0, ["h0", "h1", "h2", "h2"])
    assert _left(cluster.stem) == []


@needs_network
@needs_open_mpi
@pytest.mark.mpi
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_ranks_and_the_cluster(
    adcl: Callable[..., Ended], cluster: Path, number: signal.Signals
) -> None:
    words = [sys.executable, "-m", "adcl", "testbed", "run", str(cluster), "--", "sh", "-c", "echo here; exec sleep 60"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"here\n"
        running.send_signal(number)
        running.wait(within(20))

    if number is signal.SIGKILL:
        # Another command may have found and removed it by now.
        for record in Path("/run/adcl-testbed").glob(f"{cluster.stem}.*.json"):
            adcl("testbed", "down", record.stem)
    else:
        assert running.returncode == 128 + number or running.returncode == -number
    assert wait_until(lambda: _left(cluster.stem) == [], 10)


@needs_network
@needs_open_mpi
@pytest.mark.mpi
@pytest.mark.alone
def test_program_searches_again_when_a_link_is_slowed_and_restored(cluster: Path, tmp_path: Path) -> None:
    program = PROJECT / "build/openmpi/bin/live_decisions"
    if not program.is_file():
        pytest.skip("the benches of the preset openmpi are not built")
    script, report = PROJECT / "testbed/slowed_link.py", tmp_path / "slowed.json"
    words = ["--platform", str(cluster), "--host", "h1", "--rate", "1mbit", "--size", "8", "--check", "8"]
    words += ["--seconds", "18", "--codelets", "IsIr_aao,SIr_aao,S_R_pair"]
    command = [sys.executable, str(script), str(program), str(report), *words]

    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=within(120), env=clean_environment()
    )

    assert done.returncode == 0, done.stderr
    _, slowed, restored = json.loads(report.read_text(encoding="utf-8"))["phases"]
    assert slowed["searching"] > 0, done.stdout
    assert restored["searching"] > 0, done.stdout
    assert restored["seconds"] < slowed["seconds"] / 2, done.stdout
    assert _left(cluster.stem) == []


@needs_network
@needs_open_mpi
@pytest.mark.mpi
def test_arrivals_are_visible_on_one_node_only(adcl: Callable[..., Ended], cluster: Path, tmp_path: Path) -> None:
    build = PROJECT / "build/openmpi"
    program = build / "bin/live_decisions"
    if not program.is_file():
        pytest.skip("the benches of the preset openmpi are not built")
    wanted = ["halo", "8", "0.05", "0.05", "IsIr_aao,SIr_aao", str(tmp_path / "found.json")]
    command = [str(program), *wanted, "tuned=model,heuristic,arrival,10"]

    def measured(folder: Path) -> list[dict[str, Any]]:
        lines = [line for file in folder.glob("*/*.jsonl") for line in file.read_text(encoding="utf-8").splitlines()]
        return [one for one in map(json.loads, lines) if one["event"] == "measurement"]

    between, within = tmp_path / "between", tmp_path / "within"
    ran = adcl("testbed", "run", str(cluster), "-n", "3", "--", *command, ADCL_TRACE=str(between))
    assert ran.code == 0, ran.err
    subprocess.run(
        [str(build / "launch"), "3", *command],
        check=True,
        capture_output=True,
        env=clean_environment(ADCL_TRACE=str(within)),
    )

    assert measured(between)
    assert not any("left_s" in one for one in measured(between))
    assert all("left_s" in one for one in measured(within))
    assert measured(within)


@needs_network
def test_after_a_kill_at_any_time_the_next_command_cleans_up(
    adcl: Callable[..., Ended], cluster: Path, seed: int
) -> None:
    moments = random.Random(seed)
    words = [sys.executable, "-m", "adcl", "testbed", "up", str(cluster)]
    before = _networking()
    partly = 0
    for _ in range(int(os.environ.get("ADCL_TEST_KILLS") or 10)):
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as making:
            # Start when the first part exists.
            assert wait_until(lambda: bool(_made(cluster.stem)) or making.poll() is not None, 20)
            time.sleep(moments.uniform(0, 0.1))
            making.kill()
        record = Path(f"/run/adcl-testbed/{cluster.stem}.json")
        complete = json.loads(record.read_text(encoding="utf-8"))["complete"]
        partly += not complete

        again = adcl("testbed", "up", str(cluster))

        # An incomplete cluster is removed and created again; a complete one stays.
        assert ("is already up" in again.err) == complete, again.err
        assert (again.code == 0) != complete, again.err
        _inside(cluster.stem, "h0", sys.executable, "-c", _TALK)
        assert len(_made(cluster.stem)) == 4
        assert adcl("testbed", "down", cluster.stem).code == 0
        assert _left(cluster.stem) == []
        assert _networking() == before
    print(f"killed {partly} times before the cluster was complete")  # noqa: T201
    assert partly > 0


def _made(name: str) -> list[Path]:
    return list(Path("/run/netns").glob(f"adcl-{name}-*"))


_TUNING = """
mpi = "openmpi"

[parameters]
btl_tcp_sndbuf = [0, 65536]

[objective]
measure = "output"
pattern = "Time in seconds = ([0-9.]+)"
"""

_SCALING = """
schema = 1
name = "{name}"

[run]
program = "{program}"
ranks = [1, 4]
oversubscribed = "mark"
on = "{cluster}"

[[expect]]
function = "f"
growth = "1"
"""

_EVALUATION = """
runs = 1
[run]
program = "./evaluated"
arguments = ["adcl", "1", "{json}"]
ranks = 4
[time]
json = "seconds.total"
[verification]
codelets = ["b"]
"""

_RECORD = """#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
echo '{"schema": 1, "function": "f", "metric": "time_s", "parameters": {"p": '$OMPI_COMM_WORLD_SIZE'},
"repetitions": [1.0],
"context": {"host": "'$(hostname)'"}}' | tr -d '\\n'
"""


@needs_network
@needs_open_mpi
@pytest.mark.mpi
def test_tune_scale_and_evaluate_run_on_a_cluster_and_leave_none(
    adcl: Callable[..., Ended], cluster: Path, tmp_path: Path, openmpi_tuned: Mpi
) -> None:
    (tmp_path / "t.toml").write_text(_TUNING, encoding="utf-8")
    words = ("tune", "run", "t.toml", "-n", "4", "--on", str(cluster), "--mpi", "openmpi4", "--trials", "20")
    ran = adcl(*words, "--", openmpi_tuned.program, "usual", "64", "2", timeout_s=120)
    assert ran.code == 0, ran.err
    assert _left(cluster.stem) == []
    about = json.loads((tmp_path / "t.study/journal.jsonl").read_text(encoding="utf-8").splitlines()[0])["study"][
        "about"
    ]
    assert about["on"] == str(cluster)
    again = adcl("tune", "resume", "t.study")
    assert again.code == 0, again.err
    assert "no runs were left" in again.out

    program = tmp_path / "record"
    program.write_text(_RECORD, encoding="utf-8")
    program.chmod(0o755)
    study = _SCALING.format(name=cluster.stem, program=program, cluster=cluster)
    (tmp_path / "s.toml").write_text(study, encoding="utf-8")
    ran = adcl("scale", "run", "s.toml")
    assert ran.code == 0, ran.err
    assert '"host": "h0"' in (tmp_path / "s.jsonl").read_text(encoding="utf-8").replace('"host":"', '"host": "')
    (tmp_path / "evaluated").write_text(EVALUATED.format(python=sys.executable), encoding="utf-8")
    (tmp_path / "evaluated").chmod(0o755)
    (tmp_path / "e.toml").write_text(_EVALUATION, encoding="utf-8")
    ran = adcl("evaluate", "run", "e.toml", "--on", str(cluster))
    assert ran.code == 0, ran.err
    results = json.loads((tmp_path / f"e.{cluster.stem}.evaluation/results.json").read_text(encoding="utf-8"))
    assert results["machines"][0]["machine"] == cluster.stem
    assert results["machines"][0]["settings"][0]["winner"] == "b"

    elsewhere = adcl("scale", "run", "s.toml", "--on", "flat")
    assert elsewhere.code == 2
    assert "another program, launcher" in elsewhere.err
    assert _left(cluster.stem) == []
