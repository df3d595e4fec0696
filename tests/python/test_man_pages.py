"""Man pages and completions of the ``adcl`` command."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support import PROJECT, script

from adcl.cli._table import COMMANDS

PACKAGING = PROJECT / "packaging"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/man_pages.py")


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_committed_pages_are_those_of_the_commands(tool: ModuleType) -> None:
    assert files(PACKAGING / "man") == tool.pages(), "run tools/man_pages.py"


def test_committed_completions_are_those_of_the_command(tool: ModuleType) -> None:
    assert files(PACKAGING / "completion") == tool.completions(), "run tools/man_pages.py"


def test_every_visible_command_has_a_page() -> None:
    expected = {"adcl.1", *(f"adcl-{row.name}.1" for row in COMMANDS if not row.hidden)}
    assert {path.name for path in (PACKAGING / "man").iterdir()} == expected


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
@pytest.mark.parametrize("page", sorted((PACKAGING / "man").iterdir()), ids=lambda path: path.name)
def test_groff_formats_the_page_without_warnings(page: Path) -> None:
    command = ["groff", "-man", "-Tutf8", "-P-cbou", "-ww", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    assert not done.stderr
    assert "--help" in done.stdout


def test_bash_completes_commands(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    script = f"""
source {PACKAGING}/completion/bash/adcl
COMP_WORDS=(adcl sc) COMP_CWORD=1
_adcl_completion {Path(sys.executable).parent}/adcl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "scale\n"
