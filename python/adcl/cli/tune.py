"""Command ``adcl tune``."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.cli._console import examples, new_app
from adcl.cli._placement import Host, Hostfile, LauncherOption, On, Oversubscribe, Pmi, RanksPerNode, placement
from adcl.errors import UsageError
from adcl.launch import library_variables

if TYPE_CHECKING:
    from adcl.mpi_libraries import Whose
    from adcl.tune.profile import ProfileMethod
    from adcl.tune.study import StudyRequest

__all__ = ["app"]

app = new_app()

_EXIT_INTERRUPTED = 130
_ASKING_TO_END = (signal.SIGTERM, signal.SIGHUP)


@app.callback(
    epilog=examples(
        "adcl tune analyze -n 4 -- ./solver --steps 100",
        "adcl tune init --mpi openmpi -o tuning.toml",
        "adcl tune check tuning.toml",
        "adcl tune run tuning.toml -n 4 -- ./solver --steps 100",
        "adcl tune resume tuning.study",
    )
)
def _tune() -> None:
    """Find settings of the MPI library that make a program faster."""


def _study_folder(file: Path, named: Path | None) -> Path:
    return named if named is not None else Path(f"{file.stem}.study")


def _environment(settings: list[str]) -> dict[str, str | None]:
    """Return the variables for the ranks: the library's variables of this process, and the variables of -x."""
    environment = {name: os.environ[name] for name in library_variables()}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals and name not in os.environ:
            raise UsageError(f"-x {name}: the variable is not set; set it, or write -x {name}=VALUE")
        environment[name] = value if equals else os.environ[name]
    return dict(environment)


def _search_help() -> str:
    from adcl.tune.search import SEARCHES

    options = "; ".join(
        f"{row.name}: {', '.join(one.name for one in row.options)}" for row in SEARCHES.values() if row.options
    )
    return (
        f"Search method, instead of the file's method: {', '.join(SEARCHES)}. Set its options in the file's table "
        f"[search]; {options}."
    )


Ranks = Annotated[int, typer.Option("-n", "--ranks", metavar="COUNT", help="Number of ranks.")]
Mpi = Annotated[
    str | None,
    typer.Option(
        "--mpi",
        metavar="LAUNCHER",
        help="Launcher: a path or name of mpirun, mpiexec, srun or poe, or a kind as for 'adcl run' (default: the "
        "first in PATH of the MPI library that the file names).",
    ),
]
Installation = Annotated[
    str | None,
    typer.Option(
        metavar="LAUNCHER",
        help="With srun: mpirun or mpiexec of the MPI library, used to find the library's settings.",
    ),
]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="Program arguments.")]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "-x", "--env", metavar="NAME[=VALUE]", help=("Set a variable for all ranks, or pass its current value.")
    ),
]
Defaults = Annotated[
    str,
    typer.Option(
        metavar="WHOSE",
        help="Defaults: library (without settings in your files and environment variables) or mine (with them).",
    ),
]
Profiler = Annotated[
    Path | None,
    typer.Option(metavar="LIBRARY", help="Path of libadcl-profile.so (default: the file of this installation)."),
]
StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="Folder that 'adcl tune run' created.")]
TrialsLimit = Annotated[int | None, typer.Option(metavar="COUNT", help="Maximum number of runs in total.")]
TimeLimit = Annotated[str | None, typer.Option(metavar="TIME", help="Maximum time in total: 60, 90s, 45m or 2h30m.")]


@app.command(
    epilog=examples(
        "adcl tune run tuning.toml -n 4 -- ./solver --steps 100",
        "adcl tune run tuning.toml -n 4 --analyze -- ./solver --steps 100",
        "adcl tune run tuning.toml -n 64 --trials 100 --time 2h --host a,b -- ./solver",
        "adcl tune run tuning.toml -n 8 --on hierarchical -- ./solver",
        "adcl tune run tuning.toml -n 16 --submit --sbatch-option=--partition=short -- ./solver",
        "salloc -n 32 adcl tune run tuning.toml -n 8 --parallel 4 --mpi slurm -- ./solver",
    )
)
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tuning file: TOML or the paper's form.")],
    program: Annotated[
        str | None,
        typer.Argument(metavar="PROGRAM", help="Program to run, after a --; each [[case]] may name another."),
    ] = None,
    arguments: Arguments = None,
    *,
    ranks: Ranks = 2,
    mpi: Mpi = None,
    installation: Installation = None,
    study: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder of the study (default: FILE's name with .study)."),
    ] = None,
    search: Annotated[str | None, typer.Option(metavar="NAME", help=_search_help())] = None,
    defaults: Defaults = "library",
    seed: Annotated[int, typer.Option(help="Seed of the random choices.")] = 0,
    trials: TrialsLimit = None,
    time: TimeLimit = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop any run after this time; slow trials are stopped earlier.")
    ] = None,
    parallel: Annotated[
        int, typer.Option(metavar="COUNT", help="Number of concurrent trials, each on a part of the allocation.")
    ] = 1,
    submit: Annotated[bool, typer.Option("--submit", help="Submit each trial as a Slurm job with sbatch.")] = False,
    sbatch_option: Annotated[
        list[str] | None, typer.Option(metavar="OPTION", help="Pass an option to sbatch; may be repeated.")
    ] = None,
    environment: Variables = None,
    host: Host = None,
    hostfile: Hostfile = None,
    ranks_per_node: RanksPerNode = None,
    oversubscribe: Oversubscribe = None,
    pmi: Pmi = None,
    launcher_option: LauncherOption = None,
    on: On = None,
    analyze: Annotated[
        bool,
        typer.Option("--analyze", help="Profile the program first, and omit settings that cannot affect it."),
    ] = False,
    analyze_alias: Annotated[bool, typer.Option("--analyse", hidden=True)] = False,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Method of --analyze: evidence or paper (considers only the eager limit and its memory, "
            "and uses the paper's variant of gde3).",
        ),
    ] = "evidence",
    profiler: Profiler = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Run an exhaustive search regardless of the number of scenarios.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin a new study; an existing study is renamed and kept.")
    ] = False,
    go_on: Annotated[
        bool,
        typer.Option(
            "--resume", help=("Continue an existing study or begin a new study; suitable for resubmitted job scripts.")
        ),
    ] = False,
    earlier: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="STUDY", help="Try the winners of an earlier study first; may be repeated."),
    ] = None,
) -> None:
    """Tune the settings in FILE for a program.

    The command runs the program repeatedly: with the MPI library's defaults, and with settings that a search selects.
    It then compares the best settings with the defaults in paired runs. A journal records every run: 'adcl tune
    resume', or the same command with --resume, continues an interrupted or killed study. Ctrl-C ends the study with the
    best settings so far.
    """
    from adcl._duration import seconds
    from adcl.cli import _tune_run
    from adcl.tune.file import Source
    from adcl.tune.study import REQUEST, StudyRequest

    if fresh and go_on:
        raise UsageError("--fresh and --resume exclude each other; give only one")
    folder = _study_folder(file, study)
    exists = (folder / REQUEST).exists()
    request = StudyRequest(
        file_name=str(file),
        file_text=Source.read(file).text,
        program=str(Path(program).absolute()) if program and os.sep in program else program or "",
        arguments=tuple(arguments or ()),
        ranks=ranks,
        launcher=mpi,
        installation=installation,
        environment=_environment(environment or []),
        cwd=str(Path.cwd()),
        placement=placement(
            host,
            hostfile,
            ranks_per_node,
            oversubscribe=oversubscribe,
            pmi=pmi,
            launcher_option=launcher_option,
        ),
        on=on,
        search=search,
        method=_method(method),
        defaults=_whose(defaults),
        seed=seed,
        trials=trials,
        seconds=None if time is None else seconds(time, "--time"),
        longest_s=None if timeout is None else seconds(timeout, "--timeout"),
        parallel=parallel,
        submit=submit,
        sbatch_options=tuple(sbatch_option or ()),
        analyse=analyze or analyze_alias,
        profiler=None if profiler is None else str(profiler.absolute()),
    )
    differences = [] if fresh or not exists else _differences(folder, request)
    if exists and not (go_on or fresh):
        raise UsageError(_already_there(folder, differences))
    if exists and go_on and not differences:
        _run_study(lambda: _tune_run.continue_(folder, trials=request.trials, seconds=request.seconds))
        return
    studies = tuple(earlier or ())
    _run_study(
        lambda: _tune_run.begin(request, folder, sure=yes, earlier=studies, instead=exists, differences=differences)
    )


def _method(name: str) -> "ProfileMethod":
    from adcl.tune.profile import PROFILE_METHODS

    for known in PROFILE_METHODS:
        if known == name:
            return known
    raise UsageError(f"--method {name!r} is not one of {', '.join(PROFILE_METHODS)}")


def _whose(defaults: str) -> "Whose":
    if defaults == "mine":
        return "mine"
    if defaults != "library":
        raise UsageError(f"--defaults {defaults!r} is not one of library, mine")
    return "library"


def _differences(folder: Path, request: "StudyRequest") -> list[str]:
    """Return how the study in the folder differs from the request. Raises `UsageError` if it cannot be read."""
    from adcl.tune.study import StudyRequest

    try:
        return StudyRequest.read(folder).differences(request)
    except UsageError as error:
        message = (
            f"{folder} already contains a study, but {error}: begin a new study with --fresh, or name another folder "
            "with --study"
        )
        raise UsageError(message) from error


def _already_there(folder: Path, differences: Sequence[str]) -> str:
    """Return the message for a folder with a study when --resume was not given."""
    anew = "begin a new study with --fresh, or name another folder with --study"
    if not differences:
        again = f"continue it with --resume, or with 'adcl tune resume {folder}'"
        return f"{folder} already contains a study: {again}, {anew}"
    kept = "--resume renames it and starts a new study from its results"
    return f"{folder} already contains a different study: {'; '.join(differences)}; {kept}, or {anew}"


@app.command(epilog=examples("adcl tune resume tuning.study", "adcl tune resume tuning.study --trials 200"))
def resume(study: StudyFolder, *, trials: TrialsLimit = None, time: TimeLimit = None) -> None:
    """Continue an interrupted or killed study.

    The study keeps its options; only the budget can be changed.
    """
    from adcl._duration import seconds
    from adcl.cli import _tune_run

    limit = None if time is None else seconds(time, "--time")
    _run_study(lambda: _tune_run.continue_(study, trials=trials, seconds=limit))


def _run_study(work: Callable[[], bool]) -> None:
    """Run a study; on a termination signal, finish with the best settings so far."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in _ASKING_TO_END:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    if work():
        raise typer.Exit(_EXIT_INTERRUPTED)


@app.command(
    epilog=examples(
        "adcl tune analyze -n 4 -- ./solver --steps 100",
        "adcl tune analyze -n 4 --output profile -- ./solver --steps 100",
        "adcl tune analyze --output profile --json",
    )
)
def analyze(
    program: Annotated[
        str | None,
        typer.Argument(metavar="PROGRAM", help="Program to run, after a -- (default: show the profile in FOLDER)."),
    ] = None,
    arguments: Arguments = None,
    *,
    ranks: Ranks = 2,
    mpi: Annotated[
        str | None,
        typer.Option(
            metavar="LAUNCHER",
            help="Launcher: a path, a name, or a kind as for 'adcl run' (default: the first in PATH).",
        ),
    ] = None,
    timeout: Annotated[str | None, typer.Option(metavar="TIME", help="Stop the run after this time.")] = None,
    environment: Variables = None,
    host: Host = None,
    hostfile: Hostfile = None,
    ranks_per_node: RanksPerNode = None,
    oversubscribe: Oversubscribe = None,
    pmi: Pmi = None,
    launcher_option: LauncherOption = None,
    on: On = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Folder for the profile and a page about it."),
    ] = None,
    profiler: Profiler = None,
    json: Annotated[bool, typer.Option("--json", help="Print the profile as JSON.")] = False,
) -> None:
    """Profile a program and show which settings can affect it.

    The command tries no settings. 'adcl tune run --analyze' uses the same analysis to shorten the search.
    """
    from adcl._duration import seconds
    from adcl.cli import _tune_analyze
    from adcl.launch import Job

    job = None
    if program is not None:
        job = Job(
            program,
            tuple(arguments or ()),
            ranks=ranks,
            environment=_environment(environment or []),
            timeout_s=None if timeout is None else seconds(timeout, "--timeout"),
            placement=placement(
                host, hostfile, ranks_per_node, oversubscribe=oversubscribe, pmi=pmi, launcher_option=launcher_option
            ),
        )
    _tune_analyze.analyze(job, output, on=on, launcher=mpi, profiler=profiler, as_json=json)


app.command("analyse", hidden=True)(analyze)  # British spelling


@app.command(epilog=examples("adcl tune report tuning.study", "adcl tune report tuning.study --json"))
def report(
    study: StudyFolder, *, json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False
) -> None:
    """Show the result of a study, and rewrite its page."""
    from adcl.cli import _tune_run

    _tune_run.show(study, json=json)


@app.command(epilog=examples("adcl tune check tuning.toml", "adcl tune check old.pipo --toml > new.toml"))
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tuning file.")],
    *,
    mpi: Mpi = None,
    installation: Installation = None,
    defaults: Defaults = "library",
    toml: Annotated[
        bool, typer.Option("--toml", help="Print the file as TOML, completed with the library's values.")
    ] = False,
) -> None:
    """Validate a tuning file and show its search space.

    The installed MPI library must have all variables and values of the file.
    """
    from adcl.cli import _tune_check
    from adcl.tune.file import check_file, load

    checked = check_file(load(file), None, installation, named=mpi, whose=_whose(defaults))
    if toml:
        sys.stdout.write(_tune_check.as_toml(checked))
    else:
        _tune_check.show(checked)


@app.command(
    epilog=examples(
        "adcl tune init --mpi openmpi -o tuning.toml",
        "adcl tune init --mpi /opt/mpich/bin/mpiexec --ranks 64",
        "adcl tune init --mpi intel --network --all",
    )
)
def init(
    *,
    mpi: Annotated[
        str,
        typer.Option(
            metavar="LAUNCHER",
            help="Launcher of the MPI library: a path or name of mpirun, mpiexec or poe, or the library's name in "
            "tuning files.",
        ),
    ],
    ranks: Annotated[
        int | None,
        typer.Option(metavar="COUNT", help="Number of ranks; settings that fail with this number are omitted."),
    ] = None,
    network: Annotated[
        bool, typer.Option("--network", help="Include settings that only affect communication between machines.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="List all variables of the library.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Output file (default: stdout).")
    ] = None,
) -> None:
    """Write a starting tuning file for the installed MPI library.

    Variables that are known to affect speed have values to try; all others are comments.
    """
    from adcl.cli import _tune_check

    text = _tune_check.starting_text(mpi, ranks=ranks, network=network, everything=everything)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{output} exists; name another file, or remove it") from None
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error
    _tune_check.announce_starting_file(output, text, mpi)
