"""The command as a whole: version, help, speed, errors, and imports."""

from __future__ import annotations

import copy
import importlib
import re
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import typer
from support import DOCUMENT, PROJECT, clean_environment

import adcl as package
from adcl._duration import seconds
from adcl.cli._table import COMMANDS
from adcl.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ended

    from adcl.cli._table import Command


def test_version_is_the_library_s(adcl: Callable[..., Ended]) -> None:
    header = (PROJECT / "include" / "ADCL.h").read_text(encoding="utf-8")
    numbers = re.findall(r"^#define ADCL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE)
    assert package.__version__ == ".".join(numbers)
    assert adcl("--version").out == f"adcl {package.__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_every_subcommand(adcl: Callable[..., Ended], arguments: tuple[str, ...]) -> None:
    ended = adcl(*arguments, COLUMNS="100")
    assert ended.code == 0
    assert ended.err == ""
    for row in COMMANDS:
        shown = re.search(rf"^ +{row.name} +{re.escape(row.summary)}", ended.out, re.MULTILINE)
        assert bool(shown) != row.hidden
    assert {row.name for row in COMMANDS if row.hidden} == {"replay"}


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_subcommand_is_an_app_with_help(adcl: Callable[..., Ended], row: Command) -> None:
    assert isinstance(importlib.import_module(row.module).app, typer.Typer)
    ended = adcl(row.name, "--help", COLUMNS="100")
    assert ended.code == 0
    assert f"Usage: adcl {row.name}" in ended.out
    assert "Examples:" in ended.out


def test_help_imports_no_subcommand() -> None:
    code = (
        "import sys\nfrom adcl.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "adcl.cli._main" in loaded
    assert not loaded & {row.module for row in COMMANDS}
    assert not loaded & {"numpy", "pydantic", "mpi4py", "asyncio"}


def test_help_is_quick(adcl: Callable[..., Ended]) -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        adcl("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    # Processor time is independent of other load; the command does not wait.
    assert min(seconds() for _ in range(5)) < 0.3


def test_importing_the_package_loads_no_native_code_of_ours() -> None:
    code = "import adcl, adcl.errors, adcl.info, adcl.cli, sys; print(open('/proc/self/maps').read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not re.search(r"libmpi|libadcl|libmpich", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("inof",), r"adcl: No such command 'inof'\. Did you mean 'info'\?"),
        (("--nonsense",), r"adcl: No such option: --nonsense.*'adcl --help'"),
        (("info", "--jsn"), r"adcl: No such option: --jsn.*--json.*'adcl info --help'"),
    ],
)
def test_wrong_usage_is_one_line(adcl: Callable[..., Ended], arguments: tuple[str, ...], message: str) -> None:
    ended = adcl(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert re.fullmatch(message + r".*\n", ended.err), ended.err


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--help", "info", "info --json", "run --help"])
def test_closed_stdout_is_not_an_error(fake_describe: Callable[..., Path], words: str, unbuffered: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["options"] *= 500  # several times the capacity of a pipe
    script = f"set -o pipefail; {sys.executable} -m adcl {words} | head -n 1"
    environment = clean_environment(ADCL_DESCRIBE=str(fake_describe(document)), PYTHONUNBUFFERED=unbuffered)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "expected_s"),
    [
        ("60", 60),
        ("60s", 60),
        ("1m30s", 90),
        ("2h", 7200),
        ("1h 30m", 5400),
        ("0.5", 0.5),
        ("90min", 5400),
        ("1m5", 65),
    ],
)
def test_durations(text: str, expected_s: float) -> None:
    assert seconds(text) == expected_s


@pytest.mark.parametrize("text", ["", "s", "1d", "-5", "1s1m", "1e3", "0", "soon"])
def test_invalid_durations(text: str) -> None:
    with pytest.raises(UsageError, match=r"--time: expected a time"):
        seconds(text, "--time")
    assert seconds("0", zero=True) == 0.0
