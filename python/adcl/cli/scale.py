"""Command ``adcl scale``."""

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adcl.cli._console import examples, new_app, output, print_json
from adcl.cli._placement import On
from adcl.cli._scale_method import chosen_method, with_method
from adcl.cli._scale_reports import require_one_output, with_report_options, write_reports
from adcl.errors import DataError, UsageError

if TYPE_CHECKING:
    from adcl import scale

__all__ = ["app"]

app = new_app()

_RUN = "main"

StudyPath = Annotated[Path, typer.Argument(metavar="STUDY", help="TOML file of the study.")]
RunName = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="NAME", help="Name of the run: a version, a commit or a library (default: the newest run)."
    ),
]

MethodName = Annotated[
    str | None,
    typer.Option("--method", metavar="NAME", help="Method: evidence or paper (default: as in the study)."),
]

AllowUndecided = Annotated[
    bool, typer.Option("--allow-undecided", help="Exit with 0 instead of 3 if a result is undecided.")
]


@app.callback(
    epilog=examples("adcl scale init -o study.toml", "adcl scale run study.toml", "adcl scale check study.toml")
)
def _scale() -> None:
    """Check whether functions scale as expected.

    A study is a TOML file. It lists functions, their expected growth in big O, and the command of the benchmark.
    """


@app.command(
    epilog=examples("adcl scale init -o study.toml", "adcl scale init --serial --program ./library.py -o library.toml")
)
def init(
    *,
    program: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="Benchmark to run (default: the library's adcl-bench).")
    ] = None,
    serial: Annotated[
        bool, typer.Option("--serial", help="Write a study of a program without MPI; requires --program.")
    ] = False,
    target: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Output file (default: stdout).")
    ] = None,
) -> None:
    """Write a starting study of collectives.

    The study uses up to one rank per core of this machine, and at least eight ranks. With --serial, the study is for a
    program without MPI at seven sizes.
    """
    from adcl.cli import _scale_init

    sys.stdout.write(_scale_init.write(program, target, serial=serial))


@app.command(
    epilog=examples(
        "adcl scale run collectives.toml",
        "adcl scale run collectives.toml --run $(git rev-parse --short HEAD)",
        "adcl scale run collectives.toml --submit",
        "adcl scale run collectives.toml --on hierarchical --run hierarchical",
        "adcl scale run collectives.toml --show",
    )
)
def run(
    study: StudyPath,
    *,
    name: Annotated[
        str, typer.Option("--run", metavar="NAME", help="Name of the run: a version, a commit or a library.")
    ] = _RUN,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", help="Seed of the random order of the jobs.")] = None,
    only: Annotated[str | None, typer.Option(metavar="KEY", help="Run only this job; used by job arrays.")] = None,
    submit: Annotated[bool, typer.Option("--submit", help="Submit the jobs to Slurm as job arrays.")] = False,
    on: On = None,
    show: Annotated[bool, typer.Option("--show", help="Print the commands without running them.")] = False,
) -> None:
    """Run the benchmark at all unmeasured settings, in random order.

    Each job's measurements are stored before the next job starts, so an interrupted sweep continues with the remaining
    jobs.
    """
    import random

    from adcl import scale
    from adcl.cli import _scale_run as sweeping

    one = scale.read_study(study)
    if on is not None:
        one = dataclasses.replace(one, plan=dataclasses.replace(scale.plan_of(one), on=on))
    chosen = random.SystemRandom().randrange(2**31) if seed is None else seed
    if submit:
        sweeping.submit(one, name, chosen, show=show)
        return
    tasks = scale.pending(one, name, chosen)
    if only is not None:
        tasks = [task for task in scale.planned(scale.plan_of(one), name, chosen) if task.key == only]
        if not tasks:
            raise UsageError(f"{study}: unknown job {only!r}; --show lists all jobs")
    if show:
        for task in tasks:
            sys.stdout.write(f"{task.key}: {shlex.join([scale.plan_of(one).program, *task.arguments])}\n")
        return
    sweeping.sweep(one, name, tasks, chosen)


@app.command(
    epilog=examples(
        "adcl scale add collectives.toml 2.jsonl 4.jsonl 8.jsonl 16.jsonl 32.jsonl --run v1",
        "adcl scale add solver.toml extra-p.txt --run 90be11d",
    )
)
def add(
    study: StudyPath,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files of measurements, in any format that docs/scale.md lists."),
    ],
    *,
    name: Annotated[
        str, typer.Option("--run", metavar="NAME", help="Name of the run: a version, a commit or a library.")
    ] = _RUN,
) -> None:
    """Add external measurements to the store of a study.

    A run accepts each file once.
    """
    from adcl.cli._scale_add import take

    take(study, files, name)


def _chosen_run(entries: "list[scale.StoreEntry]", wanted: str | None) -> str:
    from adcl import scale

    runs = scale.runs_of(entries)
    if wanted is None:
        return runs[-1]
    if wanted not in runs:
        raise UsageError(f"unknown run {wanted!r}; known runs: {', '.join(runs)}")
    return wanted


@app.command(
    epilog=examples(
        "adcl scale check collectives.toml",
        "adcl scale check collectives.toml --run v2 --allow-undecided",
        "adcl scale check collectives.toml --method paper",
        "adcl scale check collectives.toml --accept",
        "adcl scale check collectives.toml --junit scale.xml --github",
    )
)
@with_report_options
def check(
    study: StudyPath,
    *,
    run_name: RunName = None,
    method: MethodName = None,
    allow_undecided: AllowUndecided = False,
    strict_better: Annotated[
        bool, typer.Option("--strict-better", help="Also fail if a function grows more slowly than expected.")
    ] = False,
    accept: Annotated[
        bool,
        typer.Option("--accept", help="Store the models of rows without an expectation as expectations of later runs."),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="List all rows; by default, rows that meet their expectations are only counted if there are more than "
            "100.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    **reports: Path | bool | None,
) -> None:
    """Compare measurements with expectations, rules and budgets.

    Exit code 0: everything holds. 1: a statement is broken. 2: the command or the study is invalid. 3: nothing is
    broken, but a statement is undecided (0 with --allow-undecided). 4: the data cannot be judged.
    """
    from adcl import scale
    from adcl.cli import _scale_check as shown

    require_one_output(reports, json=json)
    one = with_method(scale.read_study(study), method)
    entries = scale.entries_of(one)
    results = scale.evaluate(one, entries, _chosen_run(entries, run_name))
    if json:
        print_json(scale.as_document(results))
    else:
        shown.show(results, everything=everything)
    if accept:
        count = scale.accept(results)
        models = "1 model" if count == 1 else f"{count} models"
        sys.stdout.write(f"stored {models} in {one.status_quo} as the expectation of later runs\n" if not json else "")
    write_reports(scale.CheckReport(results, allow_undecided, strict_better), reports)
    shown.finish(results, allow_undecided=allow_undecided, strict_better=strict_better)


def _data(file: Path, run_name: str | None) -> "list[scale.Measurement]":
    """Read the measurements of a study, a store, a file of records, or a file in another supported format."""
    from adcl import scale

    if file.suffix == ".toml":
        entries = scale.entries_of(scale.read_study(file))
    elif scale.is_store(file):
        entries = scale.Store(file).entries()
    else:
        return list(scale.read_any(file))
    chosen = _chosen_run(entries, run_name)
    return [entry.measurement for entry in entries if entry.run == chosen]


@app.command(
    epilog=examples(
        "adcl scale model collectives.toml --predict p=65536",
        "adcl scale model measurements.txt --expect 'p log p' --deviation 'sqrt p'",
        "adcl scale model collectives.jsonl --function Bcast --export bcast.txt",
    )
)
def model(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Study, store, or measurements in any supported format.")
    ],
    *,
    run_name: RunName = None,
    method: MethodName = None,
    function: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Model only this function.")] = None,
    metric: Annotated[str | None, typer.Option(metavar="NAME", help="Model only this metric.")] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(metavar="PARAMETER", help="Parameter of the model; may be repeated (default: all that vary)."),
    ] = None,
    expect: Annotated[
        str | None, typer.Option(metavar="GROWTH", help="Expected growth, on which the search space depends.")
    ] = None,
    deviation: Annotated[str | None, typer.Option(metavar="GROWTH", help="Deviation limit of the expectation.")] = None,
    aggregate: Annotated[
        str, typer.Option(metavar="HOW", help="Statistic of the repetitions: q1, median, mean, minimum or maximum.")
    ] = "q1",
    cross_validate: Annotated[
        bool, typer.Option("--cross-validate", help="Select the model by leave-one-out errors instead of evidence.")
    ] = False,
    predict: Annotated[
        list[str] | None, typer.Option(metavar="p=VALUE,…", help="Predict the value at this setting; may be repeated.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the measurements for Extra-P to this file: .txt or .jsonl."),
    ] = None,
) -> None:
    """Fit models to measurements, and predict values.

    The expectation comes from --expect or, if FILE is a study, from the study.
    """
    from adcl import scale
    from adcl.cli import _scale_tables as tables
    from adcl.cli._scale_model import evaluate_series, independent_parameters, parse_settings

    found = _data(file, run_name)
    found = [row for row in found if (not function or row.function in function) and metric in (None, row.metric)]
    if not found:
        asked = " or ".join(function or ()) + ("" if metric is None else f" [{metric}]")
        raise UsageError(
            f"{file} has no measurements of {asked.strip()}; omit --function or --metric to model more"
            if asked
            else f"{file} has no measurements"
        )
    if export is not None:
        write = scale.write_extrap_jsonl if export.suffix == ".jsonl" else scale.write_extrap_text
        scale.replace_text(export, write(found))
    growth = None if expect is None else scale.parse(expect)
    limit = None if deviation is None else scale.parse_term(deviation)
    expected = None if growth is None else scale.Expected(growth, limit)
    rule = scale.ChoiceRule.CROSS_VALIDATION if cross_validate else scale.ChoiceRule.EVIDENCE
    if aggregate not in [kind.value for kind in scale.Aggregate]:
        raise UsageError(f"--aggregate {aggregate!r} is not one of {', '.join(kind.value for kind in scale.Aggregate)}")
    of_study = scale.read_study(file) if file.suffix == ".toml" else None
    known = {} if expected is not None or of_study is None else of_study.expected_of
    chosen = chosen_method(method, scale.JudgeMethod.EVIDENCE if of_study is None else of_study.method)
    verdicts = []
    for name, what in dict.fromkeys((row.function, row.metric) for row in found):
        own = known.get((name, what), expected)
        rows = [row for row in found if row.function == name]
        rows, parameters = independent_parameters(f"{name} [{what}]", rows, tuple(over or ()), own)
        about = scale.Expectation(name, what, expected=own, over=parameters, line=str(file))
        series = scale.series_for(about, rows, scale.Aggregate(aggregate))
        verdicts += [evaluate_series(points, own, chosen, rule) for points in series]
    output().print(tables.models(verdicts, parse_settings(predict or [])))


@app.command(
    epilog=examples(
        "adcl scale compare collectives.toml v1 v2",
        "adcl scale compare collectives.toml",
        "adcl scale compare collectives.toml openmpi mpich",
        "adcl scale compare collectives.toml v1 v2 --slower 10% --at p=4096",
    )
)
def compare(
    study: StudyPath,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Runs to compare, in this order (default: all, the oldest first)."),
    ] = None,
    *,
    slower: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE", help=("Fail if the cost of a function increases by more than this share (default: 25%).")
        ),
    ] = None,
    method: MethodName = None,
    at: Annotated[
        str | None, typer.Option(metavar="p=VALUE,…", help="Also compare the predicted costs at this setting.")
    ] = None,
    allow_undecided: AllowUndecided = False,
) -> None:
    """Compare runs: libraries, versions, or a series of commits.

    A function fails if it grows faster than in the run before, or if it costs significantly more at a setting that both
    runs measured; the cost comparison does not use a model. Exit code 0: no function fails. 1: a function fails; the
    message names the run. 2: the command or the study is invalid. 3: none fails, but a comparison is undecided (0 with
    --allow-undecided). 4: the runs share no settings.
    """
    from adcl import scale
    from adcl.cli import _scale_tables as tables
    from adcl.cli._scale_check import finish_comparison
    from adcl.cli._scale_model import parse_settings

    one = with_method(scale.read_study(study), method)
    entries = scale.entries_of(one)
    chosen = [_chosen_run(entries, name) for name in runs] if runs else scale.runs_of(entries)
    if len(chosen) < 2:  # noqa: PLR2004
        raise UsageError(f"there is only one run, {chosen[0]}; run the study again under another name: --run NAME")
    comparison = scale.compare(one, entries, chosen, one.confidence)
    target = parse_settings([at])[0] if at is not None else None
    allowed = scale.percent(scale.SLOWER if slower is None else slower)
    found = [scale.slowdown(change, allowed, one.confidence, target) for change in comparison.changes]
    if not any(change.mean is not None for change in found):
        raise DataError(
            f"{one.store}: runs {', '.join(chosen)} have no setting of a function in common; measure the same settings "
            "in each run"
        )
    output().print(tables.changes(found))
    if slower is not None or at is not None or any(one.slower for one in found):
        output().print(tables.slowdowns(found))
    finish_comparison(comparison, found, allow_undecided=allow_undecided)


@app.command(epilog=examples("adcl scale report collectives.toml", "adcl scale report collectives.toml -o page.html"))
def report(
    study: StudyPath,
    *,
    run_name: RunName = None,
    method: MethodName = None,
    target: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Output file of the page (default: next to the study)."),
    ] = None,
) -> None:
    """Write an HTML page with verdicts and models.

    The page also shows the measurements, expectations and limits, and compares all runs.
    """
    from adcl import pages, scale

    one = with_method(scale.read_study(study), method)
    entries = scale.entries_of(one)
    results = scale.evaluate(one, entries, _chosen_run(entries, run_name))
    runs = scale.runs_of(entries)
    comparison = scale.compare(one, entries, runs, one.confidence) if len(runs) > 1 else None
    path = study.with_suffix(".html") if target is None else target
    pages.write(scale.make_page(results, comparison), path)
    sys.stdout.write(f"{path}\n")
