"""Entry point: parse the command line, run a subcommand, and map errors to one line and an exit code."""

from __future__ import annotations

import atexit
import gc
import sys
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from adcl._version import __version__
from adcl.cli._group import LazyGroup
from adcl.cli._pipe import tolerate_closed_stdout
from adcl.errors import AdclError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["app", "main"]

_EXIT_INTERRUPTED = 130
_EXIT_READER_LEFT = 141
"""Exit code that shells report for a program ended by SIGPIPE."""

app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(value: bool) -> None:  # noqa: FBT001 - the shape of an option's callback
    if value:
        typer.echo(f"adcl {__version__}")
        raise typer.Exit


@app.callback()
def _adcl(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Measure implementations of MPI communication in the running program and use the fastest."""


def _fail(message: str, exit_code: int) -> NoReturn:
    sys.stdout.flush()
    print(f"adcl: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201
    sys.exit(exit_code)


_OF_ONE_FILE = ("adcl scale check", "adcl scale model")
"""Commands that users call by mistake with several files of measurements."""


def _usage_message(error: typer.TyperException) -> str:
    message = error.format_message()
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is None:
        return message
    hint = ""
    if message.startswith("Got unexpected extra argument") and context.command_path in _OF_ONE_FILE:
        hint = (
            "  This command takes one file; 'adcl scale add STUDY FILE...' adds several files to the store of a study."
        )
    return f"{message.rstrip('.')}.{hint} Try '{context.command_path} --help'."


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run ``adcl`` with the given arguments (default: the arguments of the process) and exit.

    Exit codes: 0 success, 1 failure, 2 invalid command line, 130 after Ctrl-C; ``adcl run`` returns its program's exit
    code. A reader that closes standard output early does not change the exit code.
    """
    tolerate_closed_stdout()
    # Skip the garbage collection at exit: it takes 5 % of the time of a large study.
    atexit.register(gc.freeze)
    command = typer.main.get_command(app)
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = command.main(args=arguments or ["--help"], prog_name="adcl", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        _fail(_usage_message(error), error.exit_code)
    except UsageError as error:
        _fail(str(error), error.exit_code)
    except AdclError as error:
        _fail(str(error), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        _fail("interrupted", _EXIT_INTERRUPTED)
    except BrokenPipeError:  # ended because the reader closed standard output
        sys.exit(_EXIT_READER_LEFT)
    sys.exit(code if isinstance(code, int) else 0)
