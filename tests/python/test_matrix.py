"""The rows that tools/matrix.sh prints for the packages. The scripts that it calls only print a line and exit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support import PROJECT

SCRIPTS = ("tools/setup.sh", "tools/package.sh", "tools/easybuild.sh", "tools/wheel.sh", "tools/study.sh")
PROGRAMS = (".venv/bin/python", ".venv/bin/ruff")
ROW = re.compile(r"^(packages|studies) +(\d|-) +(\d|-)  (.*)$", re.MULTILINE)
LMOD = [file for folder in ("/usr/share/lmod", "/opt/apps/lmod") for file in Path(folder).rglob("init/bash")]
LEFT_OUT = {
    "Debian packages": "they need root and dpkg" if os.geteuid() != 0 or shutil.which("dpkg") is None else "",
    "EasyBuild": "" if LMOD else "Lmod was not found (Debian: lmod)",
}
KINDS = {
    "Debian packages": "tools/package.sh",
    "EasyBuild": "tools/easybuild.sh",
    "Python wheel": "tools/wheel.sh",
    "style of the Spack recipe": ".venv/bin/ruff",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("tools/matrix.sh", "tools/common.sh"):
        copy = tmp_path / name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT / name, copy)
    for name in ("python", "build", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in (*SCRIPTS, *PROGRAMS):
        end_with(tmp_path / name, 0)
    end_with(tmp_path / ".venv/bin/python", 0, "==== 3 passed, 1 skipped in 0.52s ====")
    return tmp_path


def end_with(script: Path, status: int, line: str = "") -> None:
    script.write_text(f"#!/bin/sh\necho '{line}'\nexit {status}\n", encoding="utf-8")
    script.chmod(0o755)


def matrix(tree: Path, parts: str) -> tuple[int, list[tuple[str, ...]]]:
    """Run some parts; return the exit status and the rows of the table, without times."""
    done = subprocess.run(
        [tree / "tools/matrix.sh"], env={**os.environ, "MATRIX": parts}, capture_output=True, text=True, check=False
    )
    rows = [match.groups() for match in ROW.finditer(done.stdout)]
    return done.returncode, [(*row[:3], re.sub(r"^\d+ s, ", "", row[3])) for row in rows]


def rows(failing: str, tests: str = "3 passed, 1 skipped") -> list[tuple[str, ...]]:
    """Return the expected rows if the package of this kind fails."""
    expected: list[tuple[str, ...]] = []
    for kind in KINDS:
        if LEFT_OUT.get(kind):
            expected.append(("packages", "-", "-", f"{kind} left out: {LEFT_OUT[kind]}"))
            continue
        counts = f"; its tests: {tests}" if tests and kind == "Python wheel" else ""
        if kind == failing:
            expected.append(("packages", "0", "1", f"{kind} failed{counts}"))
        else:
            expected.append(("packages", "1", "0", f"{kind}{counts}"))
    return expected


def test_all_packages_pass(tree: Path) -> None:
    assert matrix(tree, "packages") == (0, rows(""))


@pytest.mark.parametrize("kind", KINDS)
def test_a_package_that_fails_has_a_row_and_the_others_are_built(tree: Path, kind: str) -> None:
    if LEFT_OUT.get(kind):
        pytest.skip(LEFT_OUT[kind])
    end_with(tree / KINDS[kind], 1)
    assert matrix(tree, "packages") == (1, rows(kind, "" if kind == "Python wheel" else "3 passed, 1 skipped"))


def test_a_test_of_the_wheel_fails(tree: Path) -> None:
    end_with(tree / ".venv/bin/python", 1, "==== 1 failed, 3 passed in 0.52s ====")
    assert matrix(tree, "packages") == (1, rows("Python wheel", "1 failed, 3 passed"))


def test_only_selected_parts_run(tree: Path) -> None:
    for script in (*KINDS.values(), ".venv/bin/python"):
        end_with(tree / script, 1)
    assert matrix(tree, "studies") == (0, [("studies", "1", "0", "all quick studies")])
    end_with(tree / "tools/study.sh", 1)
    assert matrix(tree, "studies") == (1, [("studies", "0", "1", "a quick study failed")])
