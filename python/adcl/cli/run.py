"""Command ``adcl run``."""

import contextlib
import dataclasses
import os
import shlex
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

import typer

from adcl.cli._console import examples, new_app
from adcl.cli._pipe import reader_left
from adcl.cli._placement import (
    Host,
    Hostfile,
    LauncherOption,
    On,
    Oversubscribe,
    Pmi,
    RanksPerNode,
    launcher_kind_on,
    placement,
    placement_on_cluster,
    require_launcher_kind,
)
from adcl.errors import UsageError
from adcl.launch import KINDS, library_variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adcl.launch import Job, Launcher

__all__ = ["app"]

app = new_app()

_EXIT_TIMED_OUT = 124
_LAST_WORDS = 64 * 1024
"""Bytes of the output to keep; the last lines of launchers name the signal that ended a rank."""

_REPORT = "ADCL_INTERPOSE_REPORT"
_SWITCH = "ADCL_INTERPOSE"
_INTERPOSER = "libadcl-interpose.so"
_ENGINE = "libadcl-interpose-engine.so"  # beside the interposer; it is linked with the MPI library

_EPILOG = examples(
    "adcl run -n 4 ./solver --steps 100",
    "adcl run --tune -n 8 -- ./solver",
    "adcl run --tune --dry-run -n 8 -- ./solver",
    "adcl run -n 4 --timeout 60 -x ADCL_SEARCH=brute_force ./solver",
    "adcl run -n 8 --mpi mpich --host a,b --ranks-per-node 4 ./solver",
    "adcl run -n 64 --mpi smpi --platform cluster.xml ./solver",
    "adcl run -n 8 --on hierarchical ./solver",
    "adcl run -n 2 --show ./solver",
)


def _environment(settings: list[str]) -> dict[str, str | None]:
    """Return the variables for the ranks: the library's variables of this process, and the variables of -x."""
    environment: dict[str, str | None] = dict.fromkeys(library_variables())
    for setting in settings:
        name, equals, value = setting.partition("=")
        environment[name] = value if equals else None
    return environment


def _pass_on(stream: Literal["stdout", "stderr"], data: bytes) -> None:
    target = sys.stdout if stream == "stdout" else sys.stderr
    target.buffer.write(data)
    target.flush()
    if stream == "stdout" and reader_left():
        raise BrokenPipeError  # ends the job, which might otherwise run forever


def _input() -> IO[bytes] | None:
    """Return standard input, or None if the job cannot read it: a terminal belongs to another session."""
    if sys.stdin is None or sys.stdin.isatty():
        return None
    nothing = os.path.samestat(os.fstat(sys.stdin.fileno()), Path(os.devnull).stat())
    return None if nothing else sys.stdin.buffer


@contextlib.contextmanager
def _on(
    name: str | None, job: "Job", ranks: int | None, mpi: str | None
) -> "Iterator[tuple[Job, Launcher | str | None]]":
    """Place the job on a testbed cluster, if one is named."""
    if name is None:
        yield job, mpi
        return
    from adcl import launch

    # Check the launcher before creating the cluster.
    program = launch.find_program(job.program, job.environment.get("PATH"))
    with placement_on_cluster(name, job.placement, ranks) as (placement, count):
        launcher = launch.detect(mpi or launcher_kind_on(placement), program=program)
        require_launcher_kind(name, placement, launcher)
        yield dataclasses.replace(job, placement=placement, ranks=count), launcher


def _tuned(job: "Job", launcher: "Launcher | str | None", *, dry_run: bool) -> "tuple[Job, Launcher]":
    """Preload the interposer, which writes its report into the working folder unless a file is named."""
    from adcl import launch
    from adcl.mpi_libraries import FAMILIES

    program = launch.find_program(job.program, job.environment.get("PATH"))
    found = launcher if isinstance(launcher, launch.Launcher) else launch.detect(launcher, program=program)
    linked = launch.linkage(program)
    # A script is not linked with a library; its launcher identifies the library, unless the launcher belongs to a batch
    # system.
    families = [one for one in FAMILIES if (one is linked.family if linked is not None else found.kind.starts(one))]
    library = None
    if len(families) == 1:
        library = launch.find_library(
            _ENGINE,
            families[0],
            linked.path if linked is not None else None,
            version=found.version if found.kind.starts(families[0]) and not found.kind.of_batch_system else None,
            standard_abi=launch.abi_library(program) is not None,
        )
    if library is None:
        raise UsageError(
            f"--tune needs {_INTERPOSER} for the MPI library of the program; build ADCL with that library, or name the "
            "launcher with --mpi if the program is a script"
        )
    environment = launch.preload(job.environment, library.with_name(_INTERPOSER))
    report = environment.get(_REPORT) or os.environ.get(_REPORT) or "adcl-interpose.json"
    environment[_REPORT] = str((job.cwd or Path.cwd()) / report)
    if dry_run and (environment.get(_SWITCH) or os.environ.get(_SWITCH)) != "off":
        environment[_SWITCH] = "measure"
    return dataclasses.replace(job, environment=environment), found


def _kinds() -> str:
    return ", ".join(dict.fromkeys(kind.rstrip("0123456789") for kind in KINDS))


@app.command(epilog=_EPILOG, context_settings={"allow_interspersed_args": False, "ignore_unknown_options": False})
def run(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help="Program to run; all later words are its arguments.")
    ],
    arguments: Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="Program arguments.")] = None,
    *,
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--ranks",
            metavar="COUNT",
            help="Number of ranks (default: 1; with --on, one per core of the cluster).",
        ),
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(
            metavar="LAUNCHER",
            help=f"Launcher: a path or name of mpirun, mpiexec, srun, smpirun or poe, or a kind: {_kinds()} (default: "
            "the first in PATH that matches the program's MPI library).",
        ),
    ] = None,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Preload libadcl-interpose.so, which uses ADCL's codelets for collective calls where they are "
            "measurably faster, and which writes adcl-interpose.json.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="With --tune, measure codelets without using them; the report states the time that they would save.",
        ),
    ] = False,
    timeout: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Stop the job after this time, with exit code 124: 60, 90s, 1m30s or 2h."),
    ] = None,
    grace: Annotated[
        str, typer.Option(metavar="TIME", help="Time between SIGTERM and SIGKILL when the job is stopped.")
    ] = "5s",
    environment: Annotated[
        list[str] | None,
        typer.Option(
            "-x",
            "--env",
            metavar="NAME[=VALUE]",
            help="Set a variable for all ranks, or pass its current value. Variables ADCL_* are always passed.",
        ),
    ] = None,
    cwd: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Working folder of the ranks (default: the current folder).")
    ] = None,
    host: Host = None,
    hostfile: Hostfile = None,
    ranks_per_node: RanksPerNode = None,
    oversubscribe: Oversubscribe = None,
    platform: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Description of the simulated cluster (SMPI).")
    ] = None,
    on: On = None,
    pmi: Pmi = None,
    launcher_option: LauncherOption = None,
    show: Annotated[bool, typer.Option("--show", help="Print the command line without running it.")] = False,
) -> None:
    """Run an MPI program and clean up its processes.

    The command works the same with every MPI library. At the time limit, on Ctrl-C, or when the program ends and leaves
    processes behind, it ends all processes of the job. The exit code is the program's exit code.
    """
    from adcl import launch
    from adcl._duration import seconds

    if dry_run and not tune:
        raise UsageError("--dry-run needs --tune; --show prints the command line without running it")
    limit_s = None if timeout is None else seconds(timeout, "--timeout")
    job = launch.Job(
        program=program,
        arguments=tuple(arguments or ()),
        ranks=1 if ranks is None else ranks,
        environment=_environment(environment or []),
        timeout_s=limit_s,
        grace_s=seconds(grace, "--grace", zero=True),
        cwd=cwd,
        placement=placement(
            host,
            hostfile,
            ranks_per_node,
            oversubscribe=oversubscribe,
            pmi=pmi,
            launcher_option=launcher_option,
            platform=platform,
        ),
        output_limit=_LAST_WORDS,
    )
    with _on(on, job, ranks, mpi) as (there, started_by):
        placed, launcher = _tuned(there, started_by, dry_run=dry_run) if tune else (there, started_by)
        if show:
            sys.stdout.write(shlex.join(launch.plan(placed, launcher)) + "\n")
            return
        result = launch.run(placed, launcher, on_output=_pass_on, stdin=_input())
    if result.timed_out:
        sys.stderr.write(f"adcl: {program} did not end within {limit_s:g} s and was stopped\n")
        raise typer.Exit(_EXIT_TIMED_OUT)
    raise typer.Exit(result.exit_code)
