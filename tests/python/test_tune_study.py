"""Studies: the journal, killed and interrupted processes, concurrent trials."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from support import clean_environment, within
from tune_spaces import CONDITIONAL, BrokenMachineError, Machine, study

from adcl.errors import AdclError, UsageError
from adcl.launch import ON_EMULATED_CLUSTERS, SIMULATOR, Stop
from adcl.tune.search import SEARCHES
from adcl.tune.study import _run_session
from adcl.tune.study._journal import JournalError, RunAsked, RunDone, read_journal

if TYPE_CHECKING:
    from collections.abc import Callable

    from adcl.launch import LauncherKind
    from adcl.tune.space._space import Configuration
    from adcl.tune.study import Session
    from adcl.tune.study._plan import Sample
    from adcl.tune.study._study import Progress

PROGRAM = Path(__file__).parent / "programs" / "study.py"


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_study_with_every_search(search: str, workers: int, tmp_path: Path) -> None:
    machine = Machine(CONDITIONAL)
    seen: list[Progress] = []

    result = study(machine, CONDITIONAL, search=search, workers=workers).run(
        tmp_path / "journal", on_progress=seen.append
    )

    assert result.protocol.phase == "finished"
    assert len(result.runs) == len(machine.ran) == len(seen)
    assert not result.interrupted
    assert seen[-1].elapsed_s >= seen[0].elapsed_s
    if result.configuration:
        assert CONDITIONAL.contains(result.configuration)
    header, events, _ = read_journal(tmp_path / "journal")
    assert header["study"]["search"] == search
    assert sum(isinstance(one, RunAsked | RunDone) for one in events) == 2 * len(machine.ran)


def test_the_journal_is_written_before_the_next_run(tmp_path: Path) -> None:
    journal, lengths = tmp_path / "journal", []
    machine = Machine()

    def run(configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        lengths.append(len(journal.read_text().splitlines()))
        return machine(configuration, timeout_s, worker)

    study(run).run(journal)

    assert lengths == [2 + 2 * place for place in range(len(lengths))]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("at", [2, 9, 24])
def test_resumed_study_equals_an_uninterrupted_one(search: str, at: int, tmp_path: Path) -> None:
    whole = Machine()
    expected = study(whole, search=search).run(tmp_path / "whole")
    broken, rest = Machine(at=at), Machine()

    with pytest.raises(BrokenMachineError):
        study(broken, search=search).run(tmp_path / "broken")
    result = study(rest, search=search).run(tmp_path / "broken", resume=True)

    assert broken.ran[: at - 1] + rest.ran == whole.ran
    assert result.verdict == expected.verdict
    assert [one.sample for one in result.runs] == [one.sample for one in expected.runs]


@pytest.mark.parametrize("workers", [1, 3])
def test_killed_study_loses_at_most_running_trials(workers: int, tmp_path: Path) -> None:
    journal, ran = tmp_path / "journal", tmp_path / "ran"
    environment = clean_environment(PYTHONPATH=os.pathsep.join([str(PROGRAM.parents[1]), *sys.path]))
    command = [sys.executable, str(PROGRAM), str(journal), str(ran), str(workers)]
    kills = 0
    for attempt in range(40):
        resume = ["--resume"] if journal.exists() and journal.stat().st_size else []
        process = subprocess.Popen([*command, *resume], env=environment, stdout=subprocess.PIPE, text=True)
        if attempt < 3:
            end, before = time.monotonic() + 30, len(ran.read_text().splitlines()) if ran.exists() else 0
            while process.poll() is None and time.monotonic() < end:
                if ran.exists() and len(ran.read_text().splitlines()) >= before + 7:
                    break
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
        output, _ = process.communicate(timeout=within(60))
        kills += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL

    assert kills == 3
    interrupted, total = output.split()
    assert interrupted == "False"
    made = len(ran.read_text().splitlines())
    assert int(total) <= made <= int(total) + kills * workers


def test_an_incomplete_last_line_is_cut_off(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(BrokenMachineError):
        study(Machine(at=8)).run(journal)
    content = journal.read_bytes()
    journal.write_bytes(content + b'{"event":"done","number":7,"sam')

    result = study(Machine()).run(journal, resume=True)

    assert result.protocol.phase == "finished"
    assert all(json.loads(line) for line in journal.read_bytes().splitlines())


def damage(journal: Path, line: int, change: Callable[[dict[str, Any]], object]) -> None:
    lines = journal.read_text().splitlines()
    document = json.loads(lines[line])
    change(document)
    lines[line] = json.dumps(document)
    journal.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (0, lambda one: one.update(schema=99, version="9.9"), "schema 99, written by ADCL 9.9"),
        (0, lambda one: one.update(event="trace"), "not a journal of adcl tune"),
        (0, lambda one: one["study"].update(space="other"), "space differ"),
        (0, lambda one: one["study"].update(about={"program": "x"}), "about differ"),
        (3, lambda one: one.update(event="dnoe"), ":4: unknown event 'dnoe'"),
        (3, lambda one: one["order"].update(kind="test"), ":4: order.kind"),
        (3, lambda one: one["order"].update(kind="comparison"), "this version of adcl would not plan run"),
        (4, lambda one: one.update(number=77), "the beginning of run 77 is missing"),
        (4, lambda one: one.pop("sample"), ":5: "),
    ],
)
def test_foreign_old_or_damaged_journal_is_rejected(
    line: int, change: Callable[[dict[str, Any]], object], message: str, tmp_path: Path
) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(BrokenMachineError):
        study(Machine(at=8)).run(journal)
    damage(journal, line, change)
    before = journal.read_bytes()

    with pytest.raises(JournalError) as failure:
        study(Machine()).run(journal, resume=True)

    assert message in str(failure.value)
    assert "\n" not in str(failure.value)
    assert journal.read_bytes().startswith(before)


def test_a_journal_is_not_overwritten_and_must_exist_to_be_resumed(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with pytest.raises(UsageError, match="there is no journal"):
        study(Machine()).run(journal, resume=True)
    study(Machine()).run(journal)
    with pytest.raises(UsageError, match="--resume"):
        study(Machine()).run(journal)


def test_two_processes_cannot_work_on_one_journal(tmp_path: Path) -> None:
    journal = tmp_path / "journal"

    def run(configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        study(Machine()).run(journal, resume=True)
        return Machine()(configuration, timeout_s, worker)

    with pytest.raises(JournalError, match="another process"):
        study(run).run(journal)


def test_a_finished_study_can_be_read_again(tmp_path: Path) -> None:
    journal, nothing = tmp_path / "journal", Machine()
    first = study(Machine()).run(journal)

    again = study(nothing).run(journal, resume=True)

    assert nothing.ran == []
    assert again.verdict == first.verdict


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interruption_ends_cleanly_with_the_best_so_far(workers: int, tmp_path: Path) -> None:
    stop = Stop()
    machine = Machine(at=15, what=KeyboardInterrupt)

    result = study(machine, workers=workers, stop=stop).run(tmp_path / "journal")

    assert result.interrupted
    assert not result.verdict.confirmed
    assert 12 <= len(result.runs) <= 15
    assert json.loads((tmp_path / "journal").read_text().splitlines()[-1])["event"] == "interrupted"
    assert stop.requested == (workers > 1)
    stop.close()
    resumed = study(Machine(), workers=workers).run(tmp_path / "journal", resume=True)
    assert resumed.protocol.phase == "finished"
    assert not resumed.interrupted


@pytest.mark.parametrize("workers", [1, 3])
def test_a_signal_at_any_moment_ends_a_study(workers: int, tmp_path: Path, seed: int) -> None:
    generator = random.Random(seed)
    for number in range(8):
        journal, stop, machine = tmp_path / f"journal{number}", Stop(), Machine()

        def run(
            configuration: Configuration,
            timeout_s: float | None,
            worker: int,
            stop: Stop = stop,
            machine: Machine = machine,
        ) -> Sample:
            if stop.wait(0.0005):
                raise KeyboardInterrupt
            return machine(configuration, timeout_s, worker)

        timer = threading.Timer(generator.uniform(0.005, 0.06), os.kill, (os.getpid(), signal.SIGINT))
        with stop.on_signals():
            timer.start()
            try:
                study(run, workers=workers, stop=stop).run(journal)
            except AdclError as error:
                assert "before the defaults were measured" in str(error)  # noqa: PT017 - it may also end well
            timer.join()
        stop.close()
        assert study(Machine(), workers=workers).run(journal, resume=True).protocol.phase == "finished"


def test_interruption_before_the_first_result_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AdclError, match="before the defaults were measured"):
        study(Machine(at=1, what=KeyboardInterrupt)).run(tmp_path / "journal")


def test_workers_run_concurrently(tmp_path: Path) -> None:
    at_once, most, lock = 0, 0, threading.Lock()
    machine, workers = Machine(), set()

    def run(configuration: Configuration, timeout_s: float | None, worker: int) -> Sample:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
            workers.add(worker)
        time.sleep(0.01)
        with lock:
            at_once -= 1
        return machine(configuration, timeout_s, worker)

    study(run, workers=4).run(tmp_path / "journal")

    assert most == 4
    assert workers == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("kind", "longest_s", "limit_s"),
    [(ON_EMULATED_CLUSTERS, None, 5.0), (SIMULATOR, None, None), (SIMULATOR, 60.0, 60.0)],
)
def test_only_the_user_limits_the_duration_of_a_simulation(
    kind: LauncherKind, longest_s: float | None, limit_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float | None] = []
    session = SimpleNamespace(
        launcher=SimpleNamespace(kind=kind),
        request=SimpleNamespace(longest_s=longest_s),
        slots=[None],
        journal=None,
        run=lambda _, *, timeout_s, **__: limits.append(timeout_s),
    )
    monkeypatch.setattr(
        _run_session, "_study", lambda _, run_trial, __: SimpleNamespace(run=lambda *_, **__: run_trial({}, 3.0, 0))
    )
    _run_session.run_session(cast("Session", session))
    assert limits == [limit_s]
