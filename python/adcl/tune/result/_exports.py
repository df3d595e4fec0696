"""Results of a study in other formats: settings files, job script, and a table of all runs. Pure."""

from __future__ import annotations

import csv
import io
import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adcl.tune.result._conclusion import Conclusion
    from adcl.tune.study import StudyResult

__all__ = ["MODULE", "job_script", "launcher_file_text", "module_file", "runs_table", "settings_text"]

MODULE = "mpi-settings"
"""Name of the environment module."""

_SPECIAL = re.compile(r"[\s\"$\[\]{};\\#]")


def _tcl(value: str) -> str:
    """Quote a value as one word of Tcl."""
    escaped = _SPECIAL.sub(lambda found: f"\\{found[0]}", value)
    return escaped or "{}"


def _remarks(conclusion: Conclusion) -> list[str]:
    """Return the gain and the settings with their defaults, as comments."""
    return [f"# {line}" for line in conclusion.lines()[: 1 + len(conclusion.settings)]]


def _commented(conclusion: Conclusion, text: str) -> str:
    return "\n".join([*_remarks(conclusion), text]) if text else ""


def settings_text(conclusion: Conclusion) -> str:
    """Return the file for the MPI library or a shell, with the gain in comments; empty if there is no such file."""
    return "" if conclusion.advice is None else _commented(conclusion, conclusion.advice.file_text)


def launcher_file_text(conclusion: Conclusion) -> str:
    """Return the file for the launcher, with the gain in comments; empty if there is no such file."""
    return "" if conclusion.advice is None else _commented(conclusion, conclusion.advice.launcher_file)


def module_file(conclusion: Conclusion, what: str) -> str:
    """Return the settings as a module in Tcl for Environment Modules and Lmod; empty without settings.

    `what` describes the program. A comment lists settings that no variable can express.
    """
    advice = conclusion.advice
    if advice is None or not conclusion.settings:
        return ""
    lines = ["#%Module1.0", *_remarks(conclusion)]
    lines.append(f"module-whatis {_tcl(f'Settings of the MPI library for {what}, found by adcl tune')}")
    for assignment in advice.environment:
        name, _, value = shlex.split(assignment)[-1].partition("=")
        lines.append(f"setenv {name} {_tcl(value)}")
    if advice.launcher_options:
        lines.append(f"# The launcher also requires these options: {advice.launcher_options}")
    return "\n".join(lines) + "\n"


def job_script(
    conclusion: Conclusion,
    command: Sequence[str],
    variables: Mapping[str, str | None],
    ranks: int,
    ranks_per_node: int | None,
) -> str:
    """Return a job script for Slurm that runs `command` with the settings; empty without settings.

    `variables` are for the launcher; None removes a variable.
    """
    advice = conclusion.advice
    if advice is None or not conclusion.settings:
        return ""
    lines = ["#!/bin/bash", f"#SBATCH --ntasks={ranks}"]
    if ranks_per_node is not None:
        lines.append(f"#SBATCH --ntasks-per-node={ranks_per_node}")
    lines += _remarks(conclusion)
    lines += [
        f"unset {name}" if value is None else f"export {name}={shlex.quote(value)}" for name, value in variables.items()
    ]
    lines += advice.environment
    lines.append(shlex.join(command))
    return "\n".join(lines) + "\n"


def runs_table(result: StudyResult) -> str:
    """Return all runs as comma-separated values, with a column for each parameter; empty: not set."""
    text = io.StringIO()
    names = [parameter.name for parameter in result.space.parameters]
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["number", "kind", "status", "seconds", *result.objectives, *names, "reason"])
    for run in result.runs:
        scenario = run.order.scenario
        configuration = {} if scenario is None else result.space.configuration(scenario)
        sample = run.sample
        table.writerow(
            [
                run.order.number,
                run.order.kind,
                sample.status,
                "" if sample.seconds is None else f"{sample.seconds:.6g}",
                *(sample.objectives.get(name, "") for name in result.objectives),
                *(configuration.get(name, "") for name in names),
                sample.reason,
            ]
        )
    return text.getvalue()
