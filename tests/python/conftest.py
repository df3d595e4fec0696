"""Shared fixtures."""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command_server import CommandServer
from support import DOCUMENT, PROJECT, Ended, clean_environment, within
from tune_programs import POE, PROGRAM, TUNING_FILE

from adcl.launch import Job, Launcher, detect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def pytest_configure(config: pytest.Config) -> None:
    # A shell lets background jobs ignore Ctrl-C, which all programs started by the tests would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # For small matrices threads cost more than they save, especially with concurrent tests.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # When Open MPI 4 loads libraries for missing networks, they calibrate the clock for 0.2 s in each process.
    os.environ.setdefault("OMPI_MCA_mtl", "^psm,psm2,ofi")
    config.addinivalue_line("markers", "mpi: starts a real MPI program")
    config.addinivalue_line("markers", "slurm: starts a real Slurm on this machine, as root")
    config.addinivalue_line("markers", "alone: measures what other tests would disturb")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file on one worker if there are several (``-n 2``)."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture
def tag() -> str:
    """Return a marker for the environments of the test's processes."""
    return f"tag-{uuid.uuid4().hex}"


@pytest.fixture
def seed() -> int:
    """Return a new seed in every run, printed on failure; ``ADCL_TEST_SEED=n`` repeats one."""
    found = int(os.environ.get("ADCL_TEST_SEED") or random.randrange(2**32))
    print(f"ADCL_TEST_SEED={found}")  # noqa: T201
    return found


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    """Return a server that runs commands without loading Python and its modules each time."""
    server = CommandServer(clean_environment())
    yield server
    server.close()


@pytest.fixture
def adcl(tmp_path: Path, command_server: CommandServer) -> Callable[..., Ended]:
    """Return a function that runs ``adcl`` in a separate process."""

    def run(*arguments: str, stdin: str | None = None, timeout_s: float = 60.0, **environment: str) -> Ended:
        variables = clean_environment(**environment)
        if command_server.accepts(variables):
            done = Ended(*command_server.run(arguments, tmp_path, variables, stdin, within(timeout_s)))
        else:
            done = _run_interpreter(arguments, tmp_path, variables, stdin, within(timeout_s))
        assert "Traceback" not in done.err, done.err
        return done

    return run


def _run_interpreter(
    arguments: tuple[str, ...], folder: Path, environment: dict[str, str], stdin: str | None, timeout_s: float
) -> Ended:
    done = subprocess.run(
        [sys.executable, "-m", "adcl", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=environment,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        timeout=timeout_s,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def document() -> dict[str, Any]:
    """Return a small document of `adcl-describe`; the test may change it."""
    return copy.deepcopy(DOCUMENT)


@pytest.fixture
def fake_describe(tmp_path: Path) -> Callable[[object], Path]:
    """Return a function that creates an executable which prints a document."""

    def make(printed: object) -> Path:
        text = printed if isinstance(printed, str) else json.dumps(printed)
        (tmp_path / "document.json").write_text(text, encoding="utf-8")
        program = tmp_path / "adcl-describe"
        program.write_text(f'#!/bin/sh\ncat "{tmp_path}/document.json"\n', encoding="utf-8")
        program.chmod(0o755)
        return program

    return make


@dataclass(frozen=True)
class Mpi:
    """An MPI library of this machine, and the program `programs/ranks.c` linked with it."""

    launcher: Launcher
    program: str

    def job(self, *arguments: str, **settings: Any) -> Job:
        """Return a job of 4 ranks with a short time limit."""
        return Job(self.program, arguments, **{"ranks": 4, "timeout_s": within(60.0), **settings})


def _compilers() -> dict[str, tuple[Path, str]]:
    """Return compiler wrappers and launchers of the system's libraries, and of environments, by name.

    The environments are the project's, and those in the variable TEST_MPI_PREFIXES.
    """
    found = {
        f"{name}-system": (Path(compiler), launcher)
        for name, launcher in (("openmpi", "mpirun.openmpi"), ("mpich", "mpiexec.mpich"))
        if (compiler := shutil.which(f"mpicc.{name}")) and shutil.which(launcher)
    }
    prefixes = [Path(one) for one in os.environ.get("TEST_MPI_PREFIXES", "").split(os.pathsep) if one]
    for prefix in [*prefixes, *sorted(PROJECT.glob(".venvs/*"))]:
        if (prefix / "bin" / "mpicc").is_file() and (prefix / "bin" / "mpiexec").is_file():
            found[prefix.name] = (prefix / "bin" / "mpicc", str(prefix / "bin" / "mpiexec"))
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture in {"mpi", "tuned"} & set(metafunc.fixturenames):
        names: list[Any] = list(_compilers()) or [
            pytest.param("none", marks=pytest.mark.skip("no MPI compiler is installed"))
        ]
        metafunc.parametrize(fixture, names, indirect=True, scope="session")


def _compiled(library: str, program_name: str, folder: Path) -> Mpi:
    compiler, launcher = _compilers()[library]
    prefix = compiler.parent.parent
    program = folder / program_name
    environment = {**os.environ, "PATH": f"{compiler.parent}:{os.environ['PATH']}", "I_MPI_ROOT": str(prefix)}
    source = Path(__file__).parent / "programs" / f"{program_name}.c"
    options = [] if str(prefix) == "/usr" else [f"-Wl,-rpath,{prefix / 'lib'}"]
    subprocess.run([compiler, "-o", program, source, *options], check=True, env=environment, capture_output=True)
    return Mpi(detect(launcher), str(program))


@pytest.fixture(scope="session")
def mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mpi:
    """Compile the program with an MPI library."""
    return _compiled(request.param, "ranks", tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="session")
def tuned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mpi:
    """Compile the program to tune, `programs/tuned.c`, with the MPI library."""
    return _compiled(request.param, "tuned", tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="session")
def openmpi_tuned(tmp_path_factory: pytest.TempPathFactory) -> Mpi:
    """Compile the program to tune with the system's Open MPI."""
    if "openmpi-system" not in _compilers():
        pytest.skip("the system has no Open MPI")
    return _compiled("openmpi-system", "tuned", tmp_path_factory.mktemp("openmpi"))


@pytest.fixture
def tune(adcl: Callable[..., Ended], tmp_path: Path) -> Callable[..., Ended]:
    """Return a function that runs ``adcl tune`` in a folder with a `poe`, a program and a tuning file."""
    for name, text in (("poe", POE), ("program", PROGRAM)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "t.toml").write_text(TUNING_FILE, encoding="utf-8")
    path = f"{tmp_path}:{os.environ['PATH']}"
    return lambda *arguments, **settings: adcl("tune", *arguments, PATH=path, **settings)
