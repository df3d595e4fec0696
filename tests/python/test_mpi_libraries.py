"""An MPI library consists of a folder and a row: no other module names it, and tests can add one."""

from __future__ import annotations

import ast
import graphlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from history_support import collective_document, history_of
from support import PROJECT, within

from adcl.launch import KINDS
from adcl.mpi_libraries import LIBRARIES
from adcl.mpi_libraries._table import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Mpi

_PACKAGE = PROJECT / "python" / "adcl"
_FOLDER = "mpi_libraries"

# ---- Names of libraries ----------------------------------------------------------------------------------------------

_OTHERS = {
    "cli/": "examples of commands, and names of programs that start others",
    "scale/judge/_advice.py": "advises a simulation, in the words of a study file",
    "info/_locate.py": "names a preset of the build",
    "mpi_libraries/smpi/_settings.py": "values of a setting, by which the simulator behaves as another library",
}
"""Places outside the libraries' folders where texts for users may contain the name of a library, and the reason."""


def _names(folder: str) -> set[str]:
    """Return the lower-case names of a library, its launchers and its family."""
    row = next(one for one in ROWS if one.launchers[0].__class__.__module__.startswith(f"adcl.{_FOLDER}.{folder}."))
    names = {name for kind in row.launchers for name in (kind.name, kind.title)}
    names |= {name for one in row.settings() for name in (one.key, one.title, *one.aliases)}
    names |= {name for one in row.rules() for name in (one.name, one.title)}
    return {name.lower() for name in names}


def _folders() -> list[str]:
    return sorted(path.parent.name for path in (_PACKAGE / _FOLDER).glob("*/__init__.py"))


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """Return the string constants of a module with their lines, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    statements = (node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list))  # type: ignore[attr-defined]
    documentation = {id(one.value) for body in statements for one in body if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


def _matches(path: Path, pattern: re.Pattern[str], *, whole: bool = False) -> list[str]:
    """Return the strings of a module that match the pattern, as a whole or, unless `whole`, in part."""
    place = path.relative_to(_PACKAGE) if path.is_relative_to(_PACKAGE) else path
    return [
        f"{place}:{line}: {text!r}"
        for line, text in _texts(path)
        if (pattern.fullmatch(text) if whole else pattern.search(text))
    ]


def _mentions(path: Path, names: set[str], *, whole: bool) -> list[str]:
    """Return the strings of a module that equal such a name or, unless `whole`, contain one as a word."""
    word = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w-])", re.IGNORECASE)
    return _matches(path, word, whole=whole)


@pytest.mark.parametrize("folder", _folders())
def test_libraries_are_named_only_in_their_folders(folder: str) -> None:
    names = _names(folder)
    table = _PACKAGE / _FOLDER / "_table.py"
    files = [one for one in _PACKAGE.rglob("*.py") if (_PACKAGE / _FOLDER / folder) not in one.parents]
    assert len(files) > 200
    found = []
    for path in files:
        place = path.relative_to(_PACKAGE).as_posix()
        whole = place.startswith(tuple(_OTHERS)) or path == table
        found += _mentions(path, names, whole=whole)
    rows = [one for one in found if one.startswith(f"{_FOLDER}/_table.py:")]
    assert [one for one in found if one not in rows] == []
    assert len(rows) <= 1, "one row for each library"
    own = [one for path in (_PACKAGE / _FOLDER / folder).glob("*.py") for one in _mentions(path, names, whole=True)]
    assert own, "the folder has the library's names"


def test_every_folder_has_its_row_and_every_library_its_folder() -> None:
    rows = [row.launchers[0].__class__.__module__.split(".")[2] for row in ROWS]
    assert sorted(rows) == _folders()
    for key, library in LIBRARIES.items():
        assert type(library).__module__.split(".")[2] in rows
        assert all(kind in KINDS.values() for kind in library.launchers), key


def test_exceptions_are_still_needed() -> None:
    names = {name for folder in _folders() for name in _names(folder)}
    for place in _OTHERS:
        paths = [one for one in _PACKAGE.rglob("*.py") if one.relative_to(_PACKAGE).as_posix().startswith(place)]
        assert any(_mentions(path, names, whole=False) for path in paths), place


# ---- Variables and options -------------------------------------------------------------------------------------------

_WORDS = {
    "openmpi": (
        *("--mca", "(?<!adcl run )--tune", "two_proc"),
        *(r"(?:btl|pml|mtl|plm|oob|osc|coll|orte|prte|hwloc|rmaps|mca)(?:_\w+)?", r"(?:OMPI|OPAL|PRTE|PMIX)_\w+"),
    ),
    "mpich": ("-genv", r"(?:MPICH|HYDRA)_\w+", r"(?i:cells)\$"),
    "intel": ("-noconf",),
    "smpi": ("--cfg.*", "-platform"),
}
"""Regular expressions for words of each library beyond the prefix of its variables."""

_OWN = {"cli/run.py": "--tune is an option of `adcl run`"}
"""Places where such a word has another meaning."""


def _words(folder: str) -> re.Pattern[str]:
    """Return the words of a library: the variables with its prefix, and the words of the table."""
    row = next(one for one in ROWS if one.launchers[0].__class__.__module__.startswith(f"adcl.{_FOLDER}.{folder}."))
    prefixes = {library.variable_name(library.full_name("x"))[:-1] for library in row.settings()}
    assert all(prefixes)
    words = [*(rf"{re.escape(prefix)}[\w-]*" for prefix in sorted(prefixes)), *_WORDS.get(folder, ())]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])")


@pytest.mark.parametrize("folder", _folders())
def test_variables_and_options_of_libraries_are_only_in_their_folders(folder: str) -> None:
    words = _words(folder)
    own = list((_PACKAGE / _FOLDER).glob("*/*.py"))
    files = [one for one in _PACKAGE.rglob("*.py") if one not in own]
    assert len(files) > 200
    found = [one for path in files for one in _matches(path, words)]
    assert [one for one in found if not one.startswith(tuple(_OWN))] == []


def test_exceptions_of_words_are_still_needed() -> None:
    for place in _OWN:
        assert any(_matches(_PACKAGE / place, _words(folder)) for folder in _folders()), place


@pytest.mark.parametrize(
    ("folder", "planted"),
    [
        ("openmpi", 'options = ("--mca", name, value)'),
        ("openmpi", 'options = f"--tune {path}"'),
        ("openmpi", 'options = {"btl": "tcp,self"}'),
        ("openmpi", 'os.environ["OMPI_MCA_pml"] = "ob1"'),
        ("openmpi", 'two_ranks = ("two_proc",)'),
        ("mpich", 'name.startswith("MPIR_CVAR_")'),
        ("mpich", 're.compile(r"depth|cells$|polls|count")'),
        ("intel", '{"I_MPI_DEBUG": "5"}'),
        ("smpi", 'f"--cfg=smpi/{name}:{value}"'),
        ("ibm", 'name = "MP_EAGER_LIMIT"'),
    ],
)
def test_planted_words_are_found(tmp_path: Path, folder: str, planted: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(f'"""Do not use --mca or MPIR_CVAR_X."""\n\n{planted}\n', encoding="utf-8")
    (found,) = _matches(path, _words(folder))
    assert ":3: " in found


# ---- Import order ----------------------------------------------------------------------------------------------------


def _imports() -> dict[str, set[str]]:
    """Return the modules of the package and their imports, including those for annotations and within functions."""
    paths = list(_PACKAGE.rglob("*.py"))
    names = {
        path: ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
    }
    known = set(names.values())
    found: dict[str, set[str]] = {}
    for path, name in names.items():
        if path.name == "__init__.py" and path.parent.parent == _PACKAGE:
            found[name] = set()  # the names of a package represent those of its modules
            continue
        nodes = [
            one for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(one, ast.ImportFrom)
        ]
        targets = {f"{node.module}.{one.name}" for node in nodes for one in node.names} | {
            str(node.module) for node in nodes
        }
        found[name] = {one for one in targets if one in known and one.startswith("adcl.") and one != name}
    return found


def test_libraries_jobs_and_launchers_have_no_import_cycle() -> None:
    about = ("adcl.jobs", "adcl.mpi_libraries", "adcl.launch", "adcl.knowledge", "adcl.tune.space")
    graph = {name: used for name, used in _imports().items() if name.startswith(about)}
    assert len(graph) > 40
    assert "adcl.mpi_libraries._base" in graph["adcl.mpi_libraries._environment"]
    graphlib.TopologicalSorter(graph).prepare()


# ---- An additional library
# --------------------------------------------------------------------------------------------

_INIT = '''"""Test MPI, which is another library under another name."""

from adcl.mpi_libraries._row import LibraryRow
from adcl.mpi_libraries.testmpi._launcher import FAMILY, TEST_MPI


def _settings():
    from adcl.mpi_libraries.testmpi._settings import TestMpi

    return (TestMpi(),)


def _rules():
    from adcl.mpi_libraries.testmpi._rules import TEST_MPI_RULES

    return (TEST_MPI_RULES,)


LIBRARY = LibraryRow(FAMILY, (TEST_MPI,), _settings, _rules)
'''

_LAUNCHER = '''"""The launcher."""

import re

from adcl.jobs import Family, LauncherKind, given

FAMILY = Family("Test MPI", r"libtestmpi\\S*")


class _TestLauncher(LauncherKind):
    name = "testmpi"
    title = "Test MPI"
    families = (FAMILY,)
    programs = ("testrun",)

    def version(self, text):
        found = re.search(r"^Test MPI (\\S+)", text)
        return found[1] if found else None

    def options(self, job):
        return ["-n", str(job.ranks)]

    def inherited(self, job):
        return dict(given(job))


TEST_MPI = _TestLauncher()
'''

_SETTINGS = '''"""The settings."""

import re

from adcl.mpi_libraries._base import Evidence
from adcl.mpi_libraries._catalog import Catalog, Variable
from adcl.mpi_libraries._environment import EnvironmentLibrary
from adcl.mpi_libraries.testmpi._launcher import FAMILY, TEST_MPI

_TOLD = re.compile(r"^test mpi: (TEST_MPI_\\w+) is (\\S+)$", re.MULTILINE)


class TestMpi(EnvironmentLibrary):
    key = "testmpi"
    title = "Test MPI"
    prefix = "TEST_MPI_"
    family = FAMILY
    launchers = (TEST_MPI,)
    proof = {"TEST_MPI_TELL": "1"}

    def catalog(self, launcher):
        variable = Variable("TEST_MPI_EAGER", "number", "4096", "Largest eager message.", minimum=0)
        return Catalog(f"Test MPI ({launcher.version})", "a test", {variable.name: variable})

    def option_form(self, configuration):
        return [f"--env {name}={value}" for name, value in self.environment(configuration).items()]

    def evidence(self, output):
        effective = {match[1]: match[2] for match in _TOLD.finditer(output)}
        return Evidence(effective) if effective else None

    def is_evidence(self, line):
        return _TOLD.match(line) is not None

    def preselected(self, variable):
        return True

    def relevant(self, variable):
        return True
'''

_RULES = '''"""The rules of collectives."""

from adcl.knowledge import choose
from adcl.mpi_libraries._row import RulesExport


def _rules(entries, heading, library):
    choices = choose(entries, ("Test MPI",), {"bcast": {"Binomial": "seven"}})
    lines = [f"{one.operation} {one.ranks} {one.low}-{one.high} {one.algorithm}" for one in choices.chosen]
    return "\\n".join(lines) + "\\n", choices


TEST_MPI_RULES = RulesExport("testmpi", "Test MPI", _rules, "export TEST_MPI_RULES={file}")
'''

# The program to tune: it reports its settings, and is fast with one value.
_PROGRAM = """#!/bin/sh
if [ -n "$TEST_MPI_TELL" ] && [ -n "$TEST_MPI_EAGER" ]; then echo "test mpi: TEST_MPI_EAGER is $TEST_MPI_EAGER"; fi
if [ "$TEST_MPI_EAGER" = 65536 ]; then echo 'Time in seconds = 1.0'; else echo 'Time in seconds = 2.0'; fi
"""

_TUNING_FILE = """mpi = "testmpi"
search = "exhaustive"

[parameters]
eager = [1024, 4096, 65536]

[objective]
pattern = 'Time in seconds = (\\S+)'
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Copy the package and add one folder and one row."""
    ignored = shutil.ignore_patterns("__pycache__")
    package = Path(shutil.copytree(_PACKAGE, tmp_path / "python/adcl", ignore=ignored))
    folder = package / _FOLDER / "testmpi"
    folder.mkdir()
    parts = {"__init__": _INIT, "_launcher": _LAUNCHER, "_settings": _SETTINGS, "_rules": _RULES}
    for name, text in parts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    table = package / _FOLDER / "_table.py"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if re.fullmatch(r'    "\w+",\n', line))
    table.write_text("".join([*lines[: last + 1], '    "testmpi",\n', *lines[last + 1 :]]), encoding="utf-8")
    return package


class _Adcl:
    """Command of a copied package, with the real launcher in PATH under another name."""

    def __init__(self, package: Path, folder: Path, launcher: Path) -> None:
        self.folder = folder
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        script = f'#!/bin/sh\nif [ "$1" = --version ]; then echo "Test MPI 3.1"; exit; fi\nexec {launcher} "$@"\n'
        (bin_folder / "testrun").write_text(script, encoding="utf-8")
        (bin_folder / "testrun").chmod(0o755)
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        root |= {"PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**os.environ, **root, "PYTHONPATH": str(package.parent), "PATH": path}

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "adcl", *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=within(120),
        )


@pytest.fixture
def adcl_with_one_more(package: Path, tmp_path: Path, mpi: Mpi) -> _Adcl:
    return _Adcl(package, tmp_path, mpi.launcher.path)


@pytest.mark.mpi
def test_a_library_is_added_by_a_folder_and_a_row(adcl_with_one_more: _Adcl, tmp_path: Path) -> None:
    adcl = adcl_with_one_more
    (tmp_path / "program").write_text(_PROGRAM, encoding="utf-8")
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "t.toml").write_text(_TUNING_FILE, encoding="utf-8")

    # `adcl` finds the library by name and by its version output, and starts ranks with it.
    unknown = adcl("run", "--mpi", "nothing", "./program")
    assert "testmpi" in unknown.stderr
    assert "testmpi" in adcl("run", "--help").stdout
    ran = adcl("run", "-n", "2", "--mpi", "testmpi", "./program")
    assert (ran.returncode, ran.stdout) == (0, "Time in seconds = 2.0\n" * 2), ran.stderr

    # `adcl tune` knows, varies and verifies its settings, and gives advice in the library's terms.
    begun = adcl("tune", "init", "--mpi", "testmpi")
    assert "TEST_MPI_EAGER" in begun.stdout, begun.stderr
    tuned = adcl("tune", "run", "t.toml", "-n", "2", "--", "./program")
    assert tuned.returncode == 0, tuned.stderr
    document = json.loads((tmp_path / "t.study/result.json").read_text(encoding="utf-8"))
    settings = {one["name"]: one["value"] for one in document["conclusion"]["settings"]}
    assert settings == {"eager": 65536}
    assert "--env TEST_MPI_EAGER=65536" in tuned.stdout

    # `adcl history export` writes its rules.
    folder = history_of(
        tmp_path / "history",
        collective_document("bcast", 4, 64, "Binomial", family="Test MPI"),
        collective_document("bcast", 4, 4096, "Binomial", family="Open MPI"),
    )
    exported = adcl("history", "export", "rules", "--for", "testmpi", "--folder", str(folder))
    assert exported.returncode == 0, exported.stderr
    assert (tmp_path / "rules").read_text(encoding="utf-8") == "bcast 4 16-256 seven\n"
    assert "  export TEST_MPI_RULES=rules" in exported.stdout
