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


COMMANDS: tuple[Command, ...] = (
    Command("evaluate", "adcl.cli.evaluate", "Measure the quality of decisions in complete programs."),
    Command("history", "adcl.cli.history", "List, prune and exchange the stored results of searches."),
    Command("info", "adcl.cli.info", "Show the build, the codelets and the options of ADCL."),
    Command("learn", "adcl.cli.learn", "Fill a history with the winners of common problems."),
    Command("replay", "adcl.cli.replay", "Replay recorded times with other selection logics."),
    Command("report", "adcl.cli.report", "Write a report on the measurements and decisions of a run."),
    Command("run", "adcl.cli.run", "Run an MPI program and clean up its processes."),
    Command("scale", "adcl.cli.scale", "Check whether functions scale as expected."),
    Command("testbed", "adcl.cli.testbed", "Run programs on emulated and simulated networks."),
    Command("tune", "adcl.cli.tune", "Find the MPI library settings that make a program fastest."),
)
