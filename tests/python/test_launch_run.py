"""Running real MPI programs: output, exit codes, environments, and no leftover processes."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import Ended, children, clean_environment, processes_with, wait_until, within

from adcl.errors import AdclError
from adcl.jobs import _guard, _run
from adcl.launch import KINDS, JobFailedError, Launcher, LauncherError, detect, linkage, run
from adcl.mpi_libraries import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Mpi

pytestmark = pytest.mark.mpi


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    before = children()
    yield
    assert children() <= before


@pytest.fixture
def linger() -> Iterator[Callable[[], list[str]]]:
    """Return a function that finds the program's daemons, which have no environment; ends them if a test fails."""
    before = set(processes_with("sleep\x00617"))

    def look() -> list[str]:
        return [one for one in processes_with("sleep\x00617") if one not in before]

    yield look
    for one in look():
        os.kill(int(one.split(":")[0]), signal.SIGKILL)


def _needs_end_of_input(mpi: Mpi) -> None:
    if mpi.launcher.kind is KINDS["openmpi5"]:
        pytest.skip("Open MPI 5 does not tell rank 0 that the input has ended")


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_output_of_all_ranks(mpi: Mpi, tmp_path: Path, ranks: int) -> None:
    result = run(mpi.job("hello", ranks=ranks, cwd=tmp_path), mpi.launcher).check()
    expected = [f"rank {rank} of {ranks} in {tmp_path}" for rank in range(ranks)]
    assert sorted(result.stdout.splitlines()) == expected
    assert (result.ok, result.timed_out, result.signal, result.left_out_bytes, result.killed) == (
        True,
        False,
        None,
        0,
        0,
    )
    assert result.command[0] == str(mpi.launcher.path)


def test_launcher_matches_the_program(mpi: Mpi) -> None:
    if shutil.which(mpi.launcher.path.name) != str(mpi.launcher.path):
        pytest.skip("this launcher is not in the search path")
    result = run(mpi.job("hello", ranks=3)).check()
    assert "rank 2 of 3" in result.stdout


def test_variables_reach_every_rank(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_HERE", "from here")
    values = ["simple", "", "a b", "a,b;c:d", "x=y", "q\"'\\`$HOME", "zwei\nZeilen", "Grüße"]
    environment: dict[str, str | None] = {f"TEST_{index}": value for index, value in enumerate(values)}
    job = mpi.job("variables", *environment, "TEST_HERE", environment={**environment, "TEST_HERE": None}, ranks=3)
    output = run(job, mpi.launcher).check().stdout
    for name, value in {**environment, "TEST_HERE": "from here"}.items():
        shown = str(value).replace("\n", "\\n")
        assert output.count(f": {name}=[{shown}]") == 3, name


def test_arguments_arrive_as_they_are(mpi: Mpi) -> None:
    words = ("two words", "", "*", "--mca", "-n", "$HOME", "'\"")
    result = run(mpi.job("arguments", *words, ranks=1), mpi.launcher).check()
    assert result.stdout.splitlines() == [f"argument [{word}]" for word in words]


def test_input_goes_to_rank_0(mpi: Mpi, tmp_path: Path) -> None:
    assert run(mpi.job("input", ranks=3), mpi.launcher).check().stdout == ""
    _needs_end_of_input(mpi)
    (tmp_path / "input").write_text("one\ntwo\n")
    with (tmp_path / "input").open("rb") as file:
        result = run(mpi.job("input", ranks=3), mpi.launcher, stdin=file).check()
    assert result.stdout == "in: one\nin: two\n"


def test_exit_codes_are_returned(mpi: Mpi) -> None:
    result = run(mpi.job("exit", "7", ranks=3), mpi.launcher)
    assert (result.exit_code, result.signal, result.ok) == (7, None, False)
    with pytest.raises(JobFailedError, match="ended with exit code 7"):
        result.check()


def test_a_failure_quotes_the_program_and_not_the_launcher(mpi: Mpi) -> None:
    result = run(mpi.job("complain", "no mesh in 'mesh.dat'", ranks=3), mpi.launcher)
    assert result.last_words() == "no mesh in 'mesh.dat'"  # once, although all ranks printed it
    with pytest.raises(JobFailedError, match=r"ended with exit code 4: no mesh in 'mesh.dat'$"):
        result.check()


def test_abort_code_is_returned_and_other_ranks_end(mpi: Mpi, tag: str) -> None:
    result = run(mpi.job("abort", "9", environment={"TAG": tag}), mpi.launcher)
    assert (result.exit_code, result.ok) == (9, False)
    assert not processes_with(tag)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE])
def test_a_rank_that_crashes_ends_the_job_and_is_named(mpi: Mpi, tag: str, number: signal.Signals) -> None:
    result = run(mpi.job("raise", str(int(number)), environment={"TAG": tag}), mpi.launcher)
    assert not result.ok
    assert not processes_with(tag)
    # MPICH combines the statuses of all ranks, including ranks that it ended itself.
    if mpi.launcher.kind is not KINDS["mpich"]:
        assert (result.signal, result.exit_code) == (number, 128 + number)
        with pytest.raises(JobFailedError, match=f"was ended by {number.name}"):
            result.check()


@pytest.mark.parametrize("mode", ["hang", "stubborn"])
def test_a_job_that_hangs_is_stopped_whole(mpi: Mpi, tag: str, mode: str) -> None:
    seen: list[int] = []

    def look(_stream: str, _data: bytes) -> None:
        seen.append(len(processes_with(tag)))

    job = mpi.job(mode, environment={"TAG": tag}, timeout_s=4.0, grace_s=1.5)
    begin = time.monotonic()
    result = run(job, mpi.launcher, on_output=look)
    assert not processes_with(tag)
    assert max(seen) >= 5, "the launcher and 4 ranks were to be seen"
    assert (result.timed_out, result.ok) == (True, False)
    assert sorted(re.findall(r"rank \d is ready", result.stdout)) == [f"rank {rank} is ready" for rank in range(4)]
    assert 4.0 <= time.monotonic() - begin < 15.0
    with pytest.raises(JobFailedError, match="was stopped after"):
        result.check()


def test_a_daemon_that_a_rank_leaves_is_ended(mpi: Mpi, linger: Callable[[], list[str]]) -> None:
    result = run(mpi.job("daemon", ranks=2, grace_s=0.3), mpi.launcher).check()
    assert not linger()
    assert result.killed == 1


def test_no_output_is_lost(mpi: Mpi) -> None:
    lines = 20_000
    chunks: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    result = run(
        mpi.job("flood", str(lines), ranks=2), mpi.launcher, on_output=lambda *one: chunks[one[0]].append(one[1])
    )
    assert result.stdout.splitlines() == [f"out {line:09}" for line in range(lines)]
    assert result.stderr.splitlines() == [f"err {line:09}" for line in range(lines)]
    assert b"".join(chunks["stdout"]).decode() == result.stdout
    assert len(chunks["stdout"]) > 1


def test_output_left_in_the_pipes_is_not_lost(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adcl.jobs._run._CHUNK", 512)
    lines = 8000
    job = mpi.job("flood", str(lines), ranks=1)
    result = run(job, mpi.launcher, on_output=lambda *_: time.sleep(0.002)).check()
    assert result.stdout.splitlines() == [f"out {line:09}" for line in range(lines)]
    assert result.stderr.splitlines() == [f"err {line:09}" for line in range(lines)]


def test_beginning_and_end_of_long_output_are_kept(mpi: Mpi) -> None:
    lines, limit = 20_000, 2000
    result = run(mpi.job("flood", str(lines), ranks=2, output_limit=limit), mpi.launcher).check()
    assert result.left_out_bytes == 2 * (14 * lines - limit)
    assert result.stdout.startswith("out 000000000\nout 000000001\n")
    assert result.stdout.endswith(f"out {lines - 1:09}\n")
    assert len(result.stdout) < limit + 100


def test_a_failing_callback_ends_the_job(mpi: Mpi, tag: str) -> None:
    class OurError(Exception):
        pass

    def fail(_stream: str, _data: bytes) -> None:
        raise OurError

    with pytest.raises(OurError):
        run(mpi.job("hang", environment={"TAG": tag}), mpi.launcher, on_output=fail)
    assert not processes_with(tag)


def test_jobs_in_several_threads(mpi: Mpi) -> None:
    results = {}

    def one(code: int) -> None:
        results[code] = run(mpi.job("exit", str(code), ranks=2), mpi.launcher)

    threads = [threading.Thread(target=one, args=(code,)) for code in (3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {code: result.exit_code for code, result in results.items()} == {3: 3, 4: 4, 5: 5}


def test_mpi_library_of_a_program(mpi: Mpi) -> None:
    linked = linkage(Path(mpi.program))
    assert linked is not None
    assert mpi.launcher.kind.starts(linked.family)
    assert linkage(Path("/bin/sh")) is None
    wrong = {LIBRARIES["openmpi4"].family: "mpich", LIBRARIES["mpich"].family: "openmpi"}[linked.family]
    try:
        launcher = detect(wrong)
    except LauncherError:
        pytest.skip(f"there is no other MPI library here than {linked.family.title}")
    words = rf"is linked with {linked.family.title} .*: each rank would run alone; installed launchers: "
    with pytest.raises(LauncherError, match=words):
        run(mpi.job("hello"), str(launcher.path))


def test_a_launcher_that_cannot_be_started(mpi: Mpi, tmp_path: Path) -> None:
    with pytest.raises(AdclError, match=r"cannot start .*gone: No such file or directory"):
        run(mpi.job("hello"), Launcher(KINDS["mpich"], tmp_path / "gone", "1"))


class TestCommand:
    """`adcl run` on the command line."""

    @pytest.fixture
    def start(self, mpi: Mpi, tag: str) -> Iterator[Callable[..., subprocess.Popen[str]]]:
        """Return a function that starts a job of 4 ranks and returns when all are ready.

        Teardown kills jobs that still run.
        """
        started: list[subprocess.Popen[str]] = []

        def begin(mode: str, *options: str) -> subprocess.Popen[str]:
            words = ["env", "--default-signal=HUP", sys.executable, "-m", "adcl", "run", "-n", "4", *options]
            process = subprocess.Popen(
                [*words, "--mpi", str(mpi.launcher.path), mpi.program, mode],
                env=clean_environment(TAG=tag),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            started.append(process)
            assert process.stdout is not None
            missing = {f"rank {rank} is ready\n" for rank in range(4)}
            while missing:
                line = process.stdout.readline()
                assert line, "the job ended too early"
                missing.discard(line)
            return process

        yield begin
        for process in started:
            process.kill()
            process.communicate()

    def test_output_and_code_are_the_program_s(self, mpi: Mpi, adcl: Callable[..., Ended]) -> None:
        ended = adcl("run", "-n", "3", "--mpi", str(mpi.launcher.path), mpi.program, "hello", "--help")
        assert (ended.code, ended.err) == (0, "")
        assert sorted(line[:11] for line in ended.out.splitlines()) == [f"rank {i} of 3" for i in range(3)]
        assert adcl("run", "-n", "2", "--mpi", str(mpi.launcher.path), mpi.program, "exit", "5").code == 5

    def test_variables(self, mpi: Mpi, adcl: Callable[..., Ended]) -> None:
        words = ("run", "-n", "3", "--mpi", str(mpi.launcher.path))
        assert adcl(*words, "-x", "TEST_A=1 2", mpi.program, "variables", "TEST_A").out.count("TEST_A=[1 2]") == 3
        assert (
            adcl(*words, mpi.program, "variables", "ADCL_SEARCH", ADCL_SEARCH="brute_force").out.count("=[brute_force]")
            == 3
        )
        ended = adcl(*words, "-x", "TEST_GONE", mpi.program, "hello")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err == (
            "adcl: cannot pass TEST_GONE to the ranks: it is not set; set it, or write TEST_GONE=VALUE\n"
        )

    def test_input_is_passed_on(self, mpi: Mpi, adcl: Callable[..., Ended]) -> None:
        _needs_end_of_input(mpi)
        ended = adcl("run", "-n", "2", "--mpi", str(mpi.launcher.path), mpi.program, "input", stdin="eins\n")
        assert ended.out == "in: eins\n"

    def test_time_out(self, mpi: Mpi, adcl: Callable[..., Ended], tag: str) -> None:
        words = ("run", "-n", "4", "--mpi", str(mpi.launcher.path), "--timeout", "3", "--grace", "1")
        ended = adcl(*words, mpi.program, "stubborn", TAG=tag)
        assert not processes_with(tag)
        assert ended.code == 124
        assert ended.err.endswith(f"adcl: {mpi.program} did not end within 3 s and was stopped\n")

    def test_ctrl_c(self, start: Callable[..., subprocess.Popen[str]], tag: str) -> None:
        process = start("hang")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=within(20))
        assert process.returncode == 130
        assert "Traceback" not in err
        assert not processes_with(tag)

    def test_a_second_ctrl_c_does_not_wait(self, start: Callable[..., subprocess.Popen[str]], tag: str) -> None:
        process = start("stubborn", "--grace", "50")
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=within(20))
        assert process.returncode == 130
        assert not processes_with(tag)

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_sigterm(self, start: Callable[..., subprocess.Popen[str]], tag: str, number: signal.Signals) -> None:
        process = start("hang")
        process.send_signal(number)
        process.communicate(timeout=within(20))
        assert process.returncode == -number
        assert not processes_with(tag)

    def test_sigkill(self, start: Callable[..., subprocess.Popen[str]], tag: str) -> None:
        process = start("stubborn", "--grace", "1")
        process.kill()
        process.communicate(timeout=within(20))
        assert wait_until(lambda: not processes_with(tag), 15.0), processes_with(tag)

    def test_closed_stdout(self, start: Callable[..., subprocess.Popen[str]], tag: str) -> None:
        process = start("chatter")
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(timeout=within(30)) == 141
        assert process.stderr is not None
        with process.stderr:
            assert "Traceback" not in process.stderr.read()
        assert not processes_with(tag)

    def test_show_prints_a_line_for_the_shell(self, mpi: Mpi, adcl: Callable[..., Ended]) -> None:
        words = ("run", "-n", "2", "--mpi", str(mpi.launcher.path), "-x", "A=1 2", "--show")
        shown = adcl(*words, mpi.program, "variables", "A")
        assert shown.out.startswith(f"{mpi.launcher.path} -n 2 ")
        assert shown.out.endswith(f"{mpi.program} variables A\n")
        if mpi.launcher.kind in (KINDS["openmpi4"], KINDS["mpich"]):
            allowed = clean_environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
            done = subprocess.run(shown.out, shell=True, env=allowed, capture_output=True, text=True, check=True)  # noqa: S602
            assert done.stdout.count("A=[1 2]") == 2

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("./gone",), "the program './gone' does not exist; build it, or correct its path"),
            (("-n", "0", "/bin/true"), "a job needs at least 1 rank, not 0"),
            (("-n", "x", "/bin/true"), "Invalid value for '-n' / '--ranks': 'x' is not a valid int"),
            (("--mpi", "mpirum", "/bin/true"), "the launcher 'mpirum' does not exist; name a path or a kind"),
            (("--mpi", "/bin/true", "/bin/true"), "/bin/true is not a supported launcher"),
            (("--hostfile", "gone", "/bin/true"), "the hostfile 'gone' does not exist"),
            (("--timeout", "-1", "/bin/true"), "--timeout: expected a time such as 60, 90s, 1m30s or 2h, found '-1'"),
            (("--grace", "soon", "/bin/true"), "--grace: expected a time such as 60, 90s, 1m30s or 2h, found 'soon'"),
            ((), "Missing argument 'PROGRAM'"),
        ],
    )
    def test_wrong_usage_is_one_line(self, adcl: Callable[..., Ended], words: tuple[str, ...], message: str) -> None:
        ended = adcl("run", *words)
        assert (ended.code, ended.out) == (2, "")
        assert re.fullmatch(rf"adcl: {re.escape(message)}.*\n", ended.err), ended.err


def test_guard_uses_compiled_code_only_if_it_matches_the_source(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "guard.py"
    source.write_text("pass\n", encoding="utf-8")
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(_guard, "__file__", str(source))

    def program() -> str:
        _run._guard_program.cache_clear()
        return _run._guard_program()

    try:
        assert program() == str(source), "nothing is compiled"
        py_compile.compile(str(source))
        assert program() == importlib.util.cache_from_source(str(source))
        source.write_text("pass  # changed\n", encoding="utf-8")
        assert program() == str(source), "what is compiled is of before"
    finally:
        _run._guard_program.cache_clear()
