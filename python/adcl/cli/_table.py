"""Table of all subcommands; the only place that names them."""

from dataclasses import dataclass

__all__ = ["COMMANDS", "Command"]


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand whose module is imported on use.

    The module's attribute ``app`` is a `typer.Typer` with one command, or with several, which become ``adcl NAME
    SUBNAME``. ``adcl --help`` uses only this table.
    """

    name: str
    module: str
    summary: str
    hidden: bool = False
    """Whether ``adcl --help`` omits the subcommand, because its name is a former name, kept for one more release."""


COMMANDS: tuple[Command, ...] = (
    Command("evaluate", "adcl.cli.evaluate", "Evaluate the decisions of ADCL in whole programs."),
    Command("history", "adcl.cli.history", "Show and maintain the stored results of searches."),
    Command("info", "adcl.cli.info", "Show the build, the codelets and the options of ADCL."),
    Command("learn", "adcl.cli.learn", "Measure common problems while the machine is idle."),
    Command("replay", "adcl.cli._evaluate_replay", "Former name of 'adcl evaluate replay'.", hidden=True),
    Command("report", "adcl.cli.report", "Show what the library measured and decided in a run."),
    Command("run", "adcl.cli.run", "Run an MPI program and clean up its processes."),
    Command("scale", "adcl.cli.scale", "Check whether functions scale as expected."),
    Command("testbed", "adcl.cli.testbed", "Run programs on emulated and simulated networks."),
    Command("tune", "adcl.cli.tune", "Find settings of the MPI library that make a program faster."),
)
