"""``adcl tune``."""

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
        "adcl tune analyse -n 4 -- ./solver --steps 100",
        "adcl tune init --mpi openmpi -o tuning.toml",
        "adcl tune check tuning.toml",
        "adcl tune run tuning.toml -n 4 -- ./solver --steps 100",
        "adcl tune resume tuning.study",
    )
)
def _tune() -> None:
    """Find the MPI library's own settings with which a program is fastest."""


def _study_folder(file: Path, named: Path | None) -> Path:
    return named if named is not None else Path(f"{file.stem}.study")


def _environment(settings: list[str]) -> dict[str, str | None]:
    """What the ranks must see: the library's variables of this process, and those that the user names, with values."""
    environment = {name: os.environ[name] for name in library_variables()}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals and name not in os.environ:
            raise UsageError(f"the variable {name} is to be passed on but is not set; set it, or write {name}=VALUE")
        environment[name] = value if equals else os.environ[name]
    return dict(environment)


def _search_help() -> str:
    from adcl.tune.search import SEARCHES

    options = "; ".join(
        f"{row.name}: {', '.join(one.name for one in row.options)}" for row in SEARCHES.values() if row.options
    )
    return (
        f"The search, instead of the file's: {', '.join(SEARCHES)}. Options stand in the file's table [search]; "
        f"{options}."
    )


Ranks = Annotated[int, typer.Option("-n", "--ranks", metavar="COUNT", help="How many ranks.")]
Mpi = Annotated[
    str | None,
    typer.Option(
        "--mpi",
        metavar="LAUNCHER",
        help="A path or name of mpirun, mpiexec, srun or poe, or a kind, as with 'adcl run'. By default the first in "
        "the search path that belongs to the MPI library which the file names.",
    ),
]
Installation = Annotated[
    str | None,
    typer.Option(
        metavar="LAUNCHER",
        help="With srun: the mpirun or mpiexec of the MPI library, beside which its settings are looked up.",
    ),
]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="ARGS", help="What the program is given.")]
Variables = Annotated[
    list[str] | None,
    typer.Option("-x", "--env", metavar="NAME[=VALUE]", help="Set a variable for all ranks, or hand it on."),
]
Defaults = Annotated[
    str,
    typer.Option(
        metavar="WHOSE",
        help="Whose values the defaults are: library, without what you or the site have set in files or the "
        "environment, or mine, with it.",
    ),
]
Profiler = Annotated[
    Path | None, typer.Option(metavar="LIBRARY", help="libadcl-profile.so, where it is not found by itself.")
]
StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The folder that 'adcl tune run' has made.")]
TrialsLimit = Annotated[int | None, typer.Option(metavar="COUNT", help="Runs for everything at most.")]
TimeLimit = Annotated[
    str | None, typer.Option(metavar="TIME", help="Time for everything at most: 60, 90s, 45m or 2h30m.")
]


@app.command(
    epilog=examples(
        "adcl tune run tuning.toml -n 4 -- ./solver --steps 100",
        "adcl tune run tuning.toml -n 4 --analyse -- ./solver --steps 100",
        "adcl tune run tuning.toml -n 64 --trials 100 --time 2h --host a,b -- ./solver",
        "adcl tune run tuning.toml -n 8 --on hierarchical -- ./solver",
        "adcl tune run tuning.toml -n 16 --submit --sbatch-option=--partition=short -- ./solver",
        "salloc -n 32 adcl tune run tuning.toml -n 8 --parallel 4 --mpi slurm -- ./solver",
    )
)
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What to tune: the paper's form or TOML.")],
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="What to run, after a --; each [[case]] may name its own.")
    ] = None,
    arguments: Arguments = None,
    *,
    ranks: Ranks = 2,
    mpi: Mpi = None,
    installation: Installation = None,
    study: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where everything is kept; by default FILE's name with .study."),
    ] = None,
    search: Annotated[str | None, typer.Option(metavar="NAME", help=_search_help())] = None,
    defaults: Defaults = "library",
    seed: Annotated[int, typer.Option(help="The same seed makes the same choices.")] = 0,
    trials: TrialsLimit = None,
    time: TimeLimit = None,
    timeout: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop any run after so long; trials are stopped earlier.")
    ] = None,
    parallel: Annotated[int, typer.Option(metavar="COUNT", help="Trials at once, on parts of the allocation.")] = 1,
    submit: Annotated[bool, typer.Option("--submit", help="Submit each trial as a job of Slurm with sbatch.")] = False,
    sbatch_option: Annotated[
        list[str] | None, typer.Option(metavar="OPTION", help="A further option of sbatch; several times if needed.")
    ] = None,
    environment: Variables = None,
    host: Host = None,
    hostfile: Hostfile = None,
    ranks_per_node: RanksPerNode = None,
    oversubscribe: Oversubscribe = None,
    pmi: Pmi = None,
    launcher_option: LauncherOption = None,
    on: On = None,
    analyse: Annotated[
        bool,
        typer.Option("--analyse", help="Profile the program first, and leave out settings that cannot matter for it."),
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How --analyse judges the profile: evidence, or paper, which knows the eager limit and its memory "
            "only, and makes gde3 the paper's.",
        ),
    ] = "evidence",
    profiler: Profiler = None,
    yes: Annotated[bool, typer.Option("--yes", help="Run every scenario, however many they are.")] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew; a study that is there already is kept beside the new one.")
    ] = False,
    go_on: Annotated[
        bool, typer.Option("--resume", help="Continue the study if it was begun before; a job script may run it again.")
    ] = False,
    earlier: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="STUDY", help="Try first what was good in an earlier study; may be repeated."),
    ] = None,
) -> None:
    """Tune the settings in FILE for a program.

    The program is run again and again: with the MPI library's defaults, and with settings that a search chooses. In the
    end the best ones are compared with the defaults in paired runs. Every run is in a journal: a study that was
    interrupted or killed is continued by 'adcl tune resume', or by the same command with --resume. Ctrl-C ends it with
    the best so far.
    """
    from adcl._duration import seconds
    from adcl.cli import _tune_run
    from adcl.tune.file import Source
    from adcl.tune.study import REQUEST, StudyRequest

    if fresh and go_on:
        raise UsageError("--fresh begins anew and --resume continues; give one of them")
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
        analyse=analyse,
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
    raise UsageError(f"--method {name!r} is none of {', '.join(PROFILE_METHODS)}")


def _whose(defaults: str) -> "Whose":
    if defaults == "mine":
        return "mine"
    if defaults != "library":
        raise UsageError(f"--defaults is library or mine, not {defaults!r}")
    return "library"


def _differences(folder: Path, request: "StudyRequest") -> list[str]:
    """Say in what the study that is in a folder differs from what is asked for. Raises `UsageError`."""
    from adcl.tune.study import StudyRequest

    try:
        return StudyRequest.read(folder).differences(request)
    except UsageError as error:
        message = f"there is already a study in {folder}, and {error}: begin anew with --fresh, or name another folder"
        raise UsageError(message) from error


def _already_there(folder: Path, differences: Sequence[str]) -> str:
    """Say how to go on where a folder has a study, perhaps of something else, and --resume was not given."""
    anew = "begin anew with --fresh, or name another folder with --study"
    if not differences:
        again = f"continue it with --resume, or with 'adcl tune resume {folder}'"
        return f"there is already a study in {folder}: {again}, {anew}"
    kept = "--resume keeps it beside and begins with what is known from it"
    return f"there is already a study in {folder}, of something else: {'; '.join(differences)}; {kept}, or {anew}"


@app.command(epilog=examples("adcl tune resume tuning.study", "adcl tune resume tuning.study --trials 200"))
def resume(study: StudyFolder, *, trials: TrialsLimit = None, time: TimeLimit = None) -> None:
    """Continue a study that was interrupted or killed, with what it was begun with; budgets may be changed."""
    from adcl._duration import seconds
    from adcl.cli import _tune_run

    limit = None if time is None else seconds(time, "--time")
    _run_study(lambda: _tune_run.continue_(study, trials=trials, seconds=limit))


def _run_study(work: Callable[[], bool]) -> None:
    """Run a study so that a request to end, from whomever, ends it cleanly with the best so far."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in _ASKING_TO_END:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    if work():
        raise typer.Exit(_EXIT_INTERRUPTED)


@app.command(
    epilog=examples(
        "adcl tune analyse -n 4 -- ./solver --steps 100",
        "adcl tune analyse -n 4 --output profile -- ./solver --steps 100",
        "adcl tune analyse --output profile --json",
    )
)
def analyse(
    program: Annotated[
        str | None, typer.Argument(metavar="PROGRAM", help="What to run, after a --; without it, what FOLDER has.")
    ] = None,
    arguments: Arguments = None,
    *,
    ranks: Ranks = 2,
    mpi: Annotated[
        str | None, typer.Option(metavar="LAUNCHER", help="A launcher's path, name or kind, as for 'adcl run'.")
    ] = None,
    timeout: Annotated[str | None, typer.Option(metavar="TIME", help="Stop the run after so long.")] = None,
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
        typer.Option("-o", "--output", metavar="FOLDER", help="Keep the profile there, and write a page about it."),
    ] = None,
    profiler: Profiler = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything for programs.")] = False,
) -> None:
    """Run a program once, and say what it does in MPI and which settings can matter for it.

    Nothing is tried. 'adcl tune run --analyse' uses the same to search less.
    """
    from adcl._duration import seconds
    from adcl.cli import _tune_analyse
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
    _tune_analyse.analyse(job, output, on=on, launcher=mpi, profiler=profiler, as_json=json)


@app.command(epilog=examples("adcl tune report tuning.study", "adcl tune report tuning.study --json"))
def report(
    study: StudyFolder, *, json: Annotated[bool, typer.Option("--json", help="Print everything for programs.")] = False
) -> None:
    """Say what a study has found, how to apply it, and write its page again."""
    from adcl.cli import _tune_run

    _tune_run.show(study, json=json)


@app.command(epilog=examples("adcl tune check tuning.toml", "adcl tune check old.pipo --toml > new.toml"))
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The tuning file.")],
    *,
    mpi: Mpi = None,
    installation: Installation = None,
    defaults: Defaults = "library",
    toml: Annotated[bool, typer.Option("--toml", help="Print the file as TOML, with what the library knows.")] = False,
) -> None:
    """Read a tuning file, ask the installed library whether it has such settings, and say what would be searched."""
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
            help="Whose settings: a path or name of mpirun, mpiexec or poe, or a name that tuning files have for the "
            "MPI library.",
        ),
    ],
    ranks: Annotated[
        int | None, typer.Option(metavar="COUNT", help="For how many ranks; leaves out what would not work with them.")
    ] = None,
    network: Annotated[bool, typer.Option("--network", help="With settings that matter between machines.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="List all variables that the library has.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to; by default to standard output.")
    ] = None,
) -> None:
    """Write a tuning file to start from, with what the installed MPI library really has.

    Variables that are known to change the speed of programs are there with values worth trying; others are comments.
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
    _tune_check.tell_written(output, text, mpi)
