"""``adcl scale`` on the command line: sweeps, verdicts and exit codes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scale_support import POWERS, measurements
from support import Ended

from adcl.cli import main
from adcl.scale import Store

if TYPE_CHECKING:
    from collections.abc import Callable

    Adcl = Callable[..., Ended]

MPI_RUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
MPI_CC = shutil.which("mpicc.openmpi") or shutil.which("mpicc")

STUDY = """\
schema = 1
name = "collectives"

[[expect]]
function = ["Bcast", "Reduce", "Allreduce"]
growth = "log p"

[[expect]]
function = "Comm_dup"
metric = "memory_bytes"
growth = "1"

[[rule]]
rule = "Allreduce <= Reduce + Bcast"
"""


def _stored(folder: Path, run: str, time_s: float, **formulas: str) -> None:
    known = {"Bcast": "3 + 2 log p", "Reduce": "4 + 2 log p", "Allreduce": "5 + 3 log p", "Comm_dup": "256"} | formulas
    rows = [
        one
        for name, formula in known.items()
        for one in measurements(name, formula, metric="memory_bytes" if name == "Comm_dup" else "time_s")
    ]
    Store(folder / "study.jsonl").append(run, "job", time_s, rows)


@pytest.fixture
def adcl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Adcl:
    """Return a function that runs ``adcl`` in this process, which is faster."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **environment: str) -> Ended:
        with monkeypatch.context() as changed:
            for name, value in {"COLUMNS": "120", **environment}.items():
                changed.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        said = capsys.readouterr()
        return Ended(int(ended.value.code or 0), said.out, said.err)

    return run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return a study with one run that satisfies all expectations."""
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    _stored(tmp_path, "good", 1.0)
    return tmp_path


def test_scalable_code_passes(study: Path, adcl: Adcl) -> None:
    ended = adcl("scale", "check", "study.toml", "--json")
    assert (ended.code, ended.err) == (0, "")
    document = json.loads(ended.out)
    assert [row["match"] for row in document["rows"]] == ["total"] * 4
    assert document["broken"] == []
    assert study.exists()


@pytest.mark.parametrize(
    ("function", "bug", "message"),
    [
        ("Bcast", "3 + 0.5 p", "Bcast (time_s): expected O(log p), found O(p)"),
        ("Comm_dup", "256 + 18 p", "Comm_dup (memory_bytes): expected O(1), found O(p)"),
    ],
)
def test_a_scalability_bug_is_found(study: Path, adcl: Adcl, function: str, bug: str, message: str) -> None:
    _stored(study, "bug", 2.0, **{function: bug})
    ended = adcl("scale", "check", "study.toml", "--run", "bug")
    assert ended.code == 1
    assert ended.err == f"adcl: broken: {message}\n"
    assert "✗" in ended.out
    assert adcl("scale", "check", "study.toml", "--run", "good").code == 0


@pytest.mark.parametrize(
    ("reference", "said"),
    [("4 + 2 log p", "the functions are the cause"), ("4 + 0.7 p", "the machine may be the cause")],
)
def test_litmus_test_separates_machine_and_function(study: Path, adcl: Adcl, reference: str, said: str) -> None:
    (study / "study.toml").write_text('litmus = "Reduce"\n' + STUDY, encoding="utf-8")
    _stored(study, "bug", 2.0, Bcast="3 + 0.5 p", Reduce=reference)
    ended = adcl("scale", "check", "study.toml", "--json")
    assert ended.code == 1
    assert said in json.loads(ended.out)["litmus"]
    assert json.loads(adcl("scale", "check", "study.toml", "--run", "good", "--json").out)["litmus"] is None
    (study / "study.toml").write_text('litmus = "Gather"\n' + STUDY, encoding="utf-8")
    ended = adcl("scale", "check", "study.toml")
    assert ended.code == 2
    assert "study.toml:1: litmus: 'Gather' has no [[expect]] with a growth" in ended.err


def test_a_broken_rule_is_found(study: Path, adcl: Adcl) -> None:
    _stored(study, "bug", 2.0, Allreduce="20 + 9 log p")
    ended = adcl("scale", "check", "study.toml")
    assert ended.code == 1
    assert "rule Allreduce <= Reduce + Bcast (time_s)" in ended.err
    assert "▲" in ended.out


def test_a_budget_that_ends_too_early(study: Path, adcl: Adcl) -> None:
    text = STUDY + '\n[[limit]]\nfunction = "Bcast"\nat_most = 20\nup_to = 1048576\n'
    (study / "study.toml").write_text(text, encoding="utf-8")
    ended = adcl("scale", "check", "study.toml")
    assert ended.code == 1
    assert "budget of Bcast: above 20 from p = 363 on" in ended.err


def test_unmeasured_functions_are_rejected(study: Path, adcl: Adcl) -> None:
    (study / "study.toml").write_text(STUDY.replace('"Bcast",', '"Bcats",'), encoding="utf-8")
    ended = adcl("scale", "check", "study.toml")
    assert ended.code == 2
    assert (
        "study.toml:4: no measurements of Bcats (time_s); there are measurements of Allreduce (time_s), Bcast (time_s)"
        in ended.err
    )
    assert adcl("scale", "check", "study.toml", "--run", "none").code == 2


def test_the_status_quo_is_proposed_and_then_held(study: Path, adcl: Adcl) -> None:
    text = STUDY.replace('growth = "log p"\n', "").replace('growth = "1"\n', "")
    (study / "study.toml").write_text(text, encoding="utf-8")
    first = adcl("scale", "check", "study.toml", "--json")
    assert first.code == 0
    assert {row["match"] for row in json.loads(first.out)["rows"]} == {None}
    assert adcl("scale", "check", "study.toml", "--accept").code == 0
    again = json.loads(adcl("scale", "check", "study.toml", "--json").out)
    assert {(row["match"], row["from_status_quo"]) for row in again["rows"]} == {("total", True)}
    _stored(study, "bug", 2.0, Reduce="4 + 2 p")
    ended = adcl("scale", "check", "study.toml")
    assert ended.code == 1
    assert "Reduce (time_s): expected O(log p), found O(p)" in ended.err


def test_undecided_fails_unless_allowed(study: Path, adcl: Adcl) -> None:
    rows = measurements("Bcast", "100", POWERS[:5])
    wobbling = [
        type(one)(one.function, one.metric, one.parameters, (100.0 + 25 * (at % 3),)) for at, one in enumerate(rows)
    ]
    store = Store(study / "study.jsonl")
    store.append("wobbly", "job", 3.0, wobbling)
    (study / "study.toml").write_text('[[expect]]\nfunction = "Bcast"\ngrowth = "log p"\n', encoding="utf-8")
    document = json.loads(adcl("scale", "check", "study.toml", "--json").out)
    assert document["rows"][0]["match"] == "undecided"
    assert adcl("scale", "check", "study.toml", "--allow-undecided").code == 0
    shown = adcl("scale", "check", "study.toml")
    assert shown.code == 3
    assert "undecided: Bcast (time_s)" in shown.err
    assert "measure p = 64" in shown.err
    assert "Undecided: the measurements do not decide 1 of 1 rows." in shown.out


def test_the_commit_that_made_a_function_linear_is_named(study: Path, adcl: Adcl) -> None:
    for at in range(2, 9):
        formula = "5 + 3 log p" if at < 6 else "5 + 0.8 p"
        _stored(study, f"commit{at}", float(at), Allreduce=formula)
    ended = adcl("scale", "compare", "study.toml")
    assert ended.code == 1
    assert ended.err == (
        "adcl: worse: the growth of Allreduce (time_s) changed from O(log p) in commit5 to O(p) in commit6\n"
    )
    assert adcl("scale", "compare", "study.toml", "good", "commit5").code == 0
    assert adcl("scale", "compare", "study.toml", "good", "commit7").code == 1
    assert adcl("scale", "compare", "study.toml", "commit7", "good").code == 0
    assert adcl("scale", "compare", "study.toml", "good").code == 2


def test_models_of_extra_p_files(adcl: Adcl, study: Path) -> None:
    ended = adcl("scale", "model", "study.jsonl", "--function", "Bcast", "--export", "b.txt", "--predict", "p=1024")
    assert ended.code == 0
    again = adcl("scale", "model", "b.txt", "--predict", "p=1024", COLUMNS="160")
    assert again.code == 0
    assert "3 + 2 * log p" in again.out
    assert "p=1024: 23 " in again.out
    assert adcl("scale", "model", "b.txt", "--predict", "p:3").code == 2
    assert adcl("scale", "model", "b.txt", "--function", "None").code == 2
    assert (study / "b.txt").read_text().startswith("PARAMETER p\n")


def test_added_measurements(tmp_path: Path, adcl: Adcl) -> None:
    (tmp_path / "s.toml").write_text('[[expect]]\nfunction = "f"\ngrowth = "log p"\n', encoding="utf-8")
    (tmp_path / "m.txt").write_text(
        "PARAMETER p\nPOINTS 2 4 8 16 32\nREGION f\nMETRIC time_s\n" + "".join(f"DATA {3 + n}\n" for n in range(5)),
        encoding="utf-8",
    )
    records = [
        {"schema": 1, "function": "f", "metric": "time_s", "parameters": {"p": 2**n}, "repetitions": [3 + 2**n]}
        for n in range(1, 6)
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    assert adcl("scale", "add", "s.toml", "m.txt", "--run", "v1").out == "m.txt: 5 measurements (Extra-P text)\n"
    assert adcl("scale", "check", "s.toml").code == 0
    assert adcl("scale", "add", "s.toml", "m.txt", "--run", "v1").code == 2
    assert adcl("scale", "add", "s.toml", "r.jsonl", "--run", "v2").code == 0
    assert adcl("scale", "check", "s.toml").code == 1
    assert "3 + p" in adcl("scale", "model", "r.jsonl").out
    (tmp_path / "empty").touch()
    assert adcl("scale", "add", "s.toml", "empty").code == 2


def test_expectations_of_two_parameters(tmp_path: Path, adcl: Adcl) -> None:
    rows = [
        one
        for size in (8.0, 64.0, 512.0, 4096.0, 32768.0)
        for one in measurements("Bcast", f"3 + 2 log p + {size / 100}", POWERS[:6], bytes=size)
    ]
    Store(tmp_path / "two.jsonl").append("main", "job", 1.0, rows)
    text = '[[expect]]\nfunction = "Bcast"\ngrowth = "log p + bytes"\n'
    (tmp_path / "two.toml").write_text(text, encoding="utf-8")
    document = json.loads(adcl("scale", "check", "two.toml", "--json").out)
    assert [(row["match"], row["growth"]) for row in document["rows"]] == [("total", "bytes + log p")]
    (tmp_path / "two.toml").write_text(text.replace("log p + bytes", "log p"), encoding="utf-8")
    document = json.loads(adcl("scale", "check", "two.toml", "--json").out)
    assert [row["fixed"]["bytes"] for row in document["rows"]] == [8, 64, 512, 4096, 32768]
    assert {row["match"] for row in document["rows"]} == {"total"}
    (tmp_path / "two.toml").write_text(text.replace("log p + bytes", "log p + log bytes"), encoding="utf-8")
    assert adcl("scale", "check", "two.toml").code == 1


PROGRAM = """\
import json, os, sys
ranks, factor = int(sys.argv[1]), float(sys.argv[2])
if os.path.exists("fail") and ranks == 8:
    sys.exit("no luck")
print("a line of its own")
print(json.dumps({"schema": 1, "context": {}, "function": "f", "metric": "memory_bytes",
                  "parameters": {"p": ranks}, "repetitions": [100 + factor * ranks] * 3, "discarded": 0}))
"""

SWEEP = """\
[run]
program = "PYTHON"
arguments = ["program.py", "{size}", "2"]
parameters = {{ size = [2, 4, 8, 16, 32] }}
jobs = 2
mpi = "MPI"

[[expect]]
function = "f"
metric = "memory_bytes"
growth = "p"
"""


def _sweep(folder: Path) -> None:
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    text = SWEEP.replace("{{", "{").replace("}}", "}").replace("PYTHON", sys.executable).replace("MPI", str(MPI_RUN))
    (folder / "sweep.toml").write_text(text, encoding="utf-8")


@pytest.mark.mpi
@pytest.mark.skipif(MPI_RUN is None, reason="no mpirun is installed")
def test_sweep_continues_after_a_failure(tmp_path: Path, adcl: Adcl) -> None:
    _sweep(tmp_path)
    (tmp_path / "fail").touch()
    first = adcl("scale", "run", "sweep.toml", "--seed", "5")
    assert first.code == 1
    assert "2 of 10 jobs failed" in first.err
    assert "no luck" in first.err
    assert "seed 5" in first.out
    assert len(Store(tmp_path / "sweep.jsonl").entries()) == 8
    (tmp_path / "fail").unlink()
    second = adcl("scale", "run", "sweep.toml")
    assert second.code == 0
    assert "2 jobs" in second.out
    assert len(Store(tmp_path / "sweep.jsonl").entries()) == 10
    assert adcl("scale", "check", "sweep.toml").code == 0
    study = tmp_path / "sweep.toml"
    study.write_text(study.read_text().replace('"2"]', '"3"]'), encoding="utf-8")
    other = adcl("scale", "run", "sweep.toml")
    assert other.code == 2
    assert "run main in" in other.err
    assert "--run NAME" in other.err
    assert "10 jobs" not in other.out
    assert adcl("scale", "run", "sweep.toml", "--run", "v2", "--show").out.count("size=") == 10


def _compile(folder: Path) -> Path:
    program = folder / "records"
    source = Path(__file__).parent / "programs" / "records.c"
    subprocess.run([str(MPI_CC), "-o", program, source, "-lm"], check=True, capture_output=True)
    return program


@pytest.mark.mpi
@pytest.mark.skipif(MPI_RUN is None or MPI_CC is None, reason="no MPI compiler is installed")
def test_a_sweep_over_ranks_of_a_real_mpi_program(tmp_path: Path, adcl: Adcl) -> None:
    _compile(tmp_path)
    text = (
        f'[run]\nprogram = "./records"\nranks = [1, 2, 3, 4, 5]\nmpi = "{MPI_RUN}"\ntimeout_s = 60\n\n'
        '[[expect]]\nfunction = "table"\nmetric = "memory_bytes"\ngrowth = "GROWTH"\n'
    )
    (tmp_path / "real.toml").write_text(text.replace("GROWTH", "p"), encoding="utf-8")
    assert adcl("scale", "run", "real.toml").code == 0
    document = json.loads(adcl("scale", "check", "real.toml", "--json").out)
    assert document["rows"][0]["model"] == "64 + 24 * p"
    assert document["rows"][0]["match"] == "total"
    (tmp_path / "real.toml").write_text(text.replace("GROWTH", "1"), encoding="utf-8")
    assert adcl("scale", "check", "real.toml").code == 1


@pytest.mark.mpi
@pytest.mark.skipif(
    shutil.which("smpirun") is None or shutil.which("smpicc") is None, reason="SimGrid is not installed"
)
def test_a_sweep_over_a_simulated_cluster(tmp_path: Path, adcl: Adcl) -> None:
    source = Path(__file__).parent / "programs" / "records.c"
    subprocess.run(["smpicc", "-o", tmp_path / "records", source], check=True, capture_output=True)
    (tmp_path / "cluster.xml").write_text(
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
        '<cluster id="c" prefix="node-" suffix="" radical="0-31" speed="1Gf" bw="1GBps" lat="1us"/>\n</platform>\n',
        encoding="utf-8",
    )
    text = (
        '[run]\nprogram = "./records"\nranks = "2..32"\nmpi = "smpi"\nplatform = "cluster.xml"\ntimeout_s = 60\n'
        '[[expect]]\nfunction = "table"\nmetric = "memory_bytes"\ngrowth = "p"\n'
    )
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    ended = adcl("scale", "run", "s.toml")
    assert ended.code == 0, ended.err
    contexts = [one.measurement.context for one in Store(tmp_path / "s.jsonl").entries()]
    assert {one["simulated"] for one in contexts} == {True}
    assert sorted(one["ranks"] for one in contexts) == [2, 4, 8, 16, 32]
    assert adcl("scale", "check", "s.toml").code == 0


@pytest.mark.mpi
@pytest.mark.skipif(MPI_RUN is None, reason="no mpirun is installed")
def test_oversubscribed_times_are_rejected(tmp_path: Path, adcl: Adcl) -> None:
    text = f'[run]\nprogram = "true"\nranks = [4096]\nmpi = "{MPI_RUN}"\n[[expect]]\nfunction = "f"\n'
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    ended = adcl("scale", "run", "s.toml")
    assert ended.code == 2
    assert "4096 ranks would share" in ended.err
    assert 'oversubscribed = "mark"' in ended.err


def test_job_arrays(tmp_path: Path, adcl: Adcl) -> None:
    text = (
        '[run]\nprogram = "true"\nranks = [2, 4]\njobs = 3\nranks_per_node = 2\nbatch_options = ["--time=5"]\n'
        '[[expect]]\nfunction = "f"\n'
    )
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    log = tmp_path / "log"
    fake = tmp_path / "bin" / "sbatch"
    fake.parent.mkdir()
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\ncat > {tmp_path}/script.$(wc -l < {log})\necho 17\n', encoding="utf-8"
    )
    fake.chmod(0o755)
    ended = adcl("scale", "run", "s.toml", "--submit", "--seed", "1", PATH=f"{fake.parent}:/usr/bin:/bin")
    assert (ended.code, ended.out) == (0, "2 ranks: job array 17\n4 ranks: job array 17\n")
    assert log.read_text().splitlines() == [
        f"--parsable --array=1-3 --ntasks={n} --job-name=s-{n} --ntasks-per-node=2 --nodes={n // 2} --time=5"
        for n in (2, 4)
    ]
    script = (tmp_path / "script.1").read_text()
    echo = subprocess.run(
        ["sh", "-c", script.replace("exec ", "echo ")],
        env={"SLURM_ARRAY_TASK_ID": "2", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "scale run" in echo
    assert "--only ranks=2 job=" in echo
