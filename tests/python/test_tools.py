from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support import bench_files
from tools_support import PROJECT, TOOLS, run_tool, write

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


@pytest.mark.parametrize(
    ("path", "text", "objection"),
    [
        ("src/core/a.cpp", "#include <mpi.h>\n", "a.cpp:1: '#include <mpi.h>' in core: must not use MPI"),
        ("src/select/a.hpp", "\nint rank(MPI_Comm comm);\n", "a.hpp:2: 'MPI_Comm' in select"),
        ("src/measure/a.cpp", '#include "select/search.hpp"\n', "a.cpp:1: measure may not use select"),
        (
            "src/select/model/a.cpp",
            '#include "select/search.hpp"\n#include "select/factorial/b.hpp"\n',
            "a.cpp:2: select/model may not use select/factorial",
        ),
        ("src/codelets/halo/a.cpp", '#include "request/request.hpp"\n', "a.cpp:1: codelets may not use request"),
        ("src/capi/a.cpp", "void f() { MPI_Barrier(comm); }\n", "'MPI_Barrier(' in capi: must not call MPI"),
        (
            "src/tuner/a.cpp",
            'void f() { std::cerr << "a"; }\n',
            "in tuner: the library must not print",
        ),
        ("src/mpi/a.cpp", "auto t = std::chrono::steady_clock::now();\n", "use MPI_Wtime"),
        ("src/capi/a.cpp", "// one\n/* two\n */ void f() { std::abort(); }\n", "a.cpp:3: 'std::abort('"),
        (
            "src/core/a.cpp",
            "double f(const char* w) { return strtod(w, nullptr); }\n",
            "'strtod(' in core: depends on the program's",
        ),
        (
            "src/core/a.cpp",
            "void f() { std::ostringstream s; }\n",
            "'std::ostringstream s;' in core: depends on the program's",
        ),
        ("src/core/a.cpp", "auto f(double x) { return std::to_string(x); }\n", "'std::to_string(' in core"),
        ("src/odd/a.cpp", "", "src/odd is not a layer"),
        ("python/adcl/info/a.py", "import mpi4py\n", "imports mpi4py"),
        ("python/adcl/info/a.py", "from adcl.cli import main\n", "imports adcl.cli; info may use only"),
        ("python/adcl/scale/model/a.py", "import tomllib\n", "imports tomllib; use adcl/_toml.py"),
        ("python/adcl/scale/model/a.py", "from adcl import tune\n", "imports adcl.tune; scale/model may use only"),
        (
            "python/adcl/scale/model/a.py",
            "from adcl.scale.judge import Match\n",
            "imports adcl.scale.judge; scale/model may use only",
        ),
        ("python/adcl/cli/a.py", "from adcl.info._read import f\n", "private to adcl.info"),
        ("python/adcl/cli/a.py", "from adcl.tune.file._pipo import f\n", "private to adcl.tune.file"),
        ("python/adcl/tune/search/a.py", "from adcl.tune.study import f\n", "tune/search may use only space"),
        (
            "python/adcl/mpi_libraries/a/b.py",
            "from adcl.tune.search import f\n",
            "may use only jobs, knowledge, tune/space",
        ),
        ("python/adcl/jobs/a.py", "from adcl.mpi_libraries import f\n", "jobs may use only its own modules"),
        (
            "python/adcl/tune/search/a.py",
            "def f():\n    from adcl.tune import file\n",
            "imports adcl.tune.file; tune/search may use only",
        ),
        ("python/adcl/tune/study/a.py", "from adcl.tune.trial._slots import f\n", "private to adcl.tune.trial"),
        ("python/adcl/tune/odd/a.py", "from adcl.tune.space import f\n", "tune/odd has no row in the table"),
        ("python/adcl/tune/__init__.py", "from adcl.tune.space import f\n", "tune has no row in the table"),
        ("tests/mpi/a.cpp", "\n" * 601, "601 lines; the limit is 600"),
    ],
)
def test_a_violation_is_reported(tmp_path: Path, path: str, text: str, objection: str) -> None:
    write(tmp_path / path, text)
    done = run_tool(sys.executable, TOOLS / "layers.py", tmp_path)
    assert done.returncode == 1
    assert objection in done.stdout
    assert done.stdout.count("\n") == 1


def _layers() -> Any:
    specification = importlib.util.spec_from_file_location("layers", TOOLS / "layers.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["layers"] = module
    specification.loader.exec_module(module)
    return module


def test_the_documented_subpackages_match_the_table() -> None:
    text = (PROJECT / "docs" / "development.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)
    documented = {f"tune/{subpackage}": set(re.findall(r"`(\w+)`", uses)) for subpackage, uses in rows}
    subpackages = {name: uses for name, uses in _layers().PACKAGES.items() if name.startswith("tune/")}
    assert documented == subpackages
    assert [name.removeprefix("tune/") for name in subpackages] == [subpackage for subpackage, _ in rows]
    folders = {path.parent.name for path in (PROJECT / "python/adcl/tune").glob("*/__init__.py")}
    assert {f"tune/{name}" for name in folders} == set(subpackages)


def test_class_names_are_unique_in_the_package() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted((PROJECT / "python/adcl").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.name)
    assert len(places) > 150
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


@pytest.mark.parametrize(
    "table", sorted((PROJECT / "src/codelets").glob("*/table.cpp")), ids=lambda table: table.parent.name
)
def test_the_table_of_a_pattern_lists_all_algorithms(table: Path) -> None:
    exported = [
        name
        for path in table.parent.rglob("*.cpp")
        if path != table
        for name in re.findall(r"^Rows (\w+)\(\) \{", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    text = table.read_text(encoding="utf-8")
    declared = re.findall(r"^Rows (\w+)\(\);$", text, re.MULTILINE)
    assert len(exported) > 1
    assert sorted(declared) == sorted(exported)
    assert [name for name in declared if len(re.findall(rf"\b{name}\b", text)) < 2] == [], "declared and not used"


def test_every_subpackage_uses_what_the_table_allows() -> None:
    layers = _layers()
    for name, allowed in layers.PACKAGES.items():
        files = list((PROJECT / "python/adcl" / name).rglob("*.py"))
        imported = [one for path in files for one in layers.imported(path.read_text(encoding="utf-8"))]
        used = {part for one in imported if one[0] == "adcl" for part in (*one[1:3], "/".join(one[1:3]))}
        assert allowed <= used, f"{name} does not use {allowed - used}: remove it from the table"


def test_comments_and_strings_are_not_violations(tmp_path: Path) -> None:
    text = (
        '// MPI_Send\n/* #include <mpi.h> */\n#include "core/error.hpp"\nconst char* name = "MPI_Send( abort() //";\n'
    )
    write(tmp_path / "src/select/a.cpp", text)
    write(tmp_path / "src/codelets/halo/a.cpp", '#include <mpi.h>\n#include "mpi/check.hpp"\n')
    assert run_tool(sys.executable, TOOLS / "layers.py", tmp_path).returncode == 0


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_symbols_that_differ_from_the_header_are_listed(tmp_path: Path) -> None:
    write(tmp_path / "a.c", "int ADCL_Init(void) { return 0; }\nint surplus(void) { return 0; }\n")
    assert run_tool("cc", "-shared", "-fPIC", "-o", tmp_path / "a.so", tmp_path / "a.c").returncode == 0
    done = run_tool(TOOLS / "symbols.sh", tmp_path / "a.so")
    assert done.returncode == 1
    assert "exported, but not declared: surplus\n" in done.stderr
    assert "declared, but not exported: ADCL_Request_start\n" in done.stderr
    assert "declared, but not exported: ADCL_Init\n" not in done.stderr


def test_an_unknown_bench_lists_the_known_ones() -> None:
    done = run_tool(TOOLS / "bench.sh", "no_such_bench")
    assert done.returncode == 1
    said, known = done.stderr.split("there are: ")
    assert "there is no bench 'no_such_bench';" in said
    assert set(known.split()) == bench_files().keys()


class _Machine:
    """A machine with all packages except `missing`; fake programs log commands instead of installing."""

    def __init__(self, folder: Path, *missing: str) -> None:
        self.folder = folder
        self.log = folder / "log"
        self.log.touch()
        shutil.copytree(TOOLS, folder / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        write(folder / "python/pyproject.toml", "[project]\n")
        absent = "|".join(missing) or "-"
        self.program("dpkg-query", f"case $3 in {absent}) exit 1 ;; *) echo installed ;; esac")
        self.program("apt-get", f'echo "apt-get $*" >>{self.log}')
        self.program("stat", "echo drwxr-xr-x")
        for name in ("c++", "cmake", *(() if "openmpi-bin" in missing else ("mpicc.openmpi",))):
            self.program(name, "exit 0")
        self.program("environment-python", f'echo "pip $*" >>{self.log}')
        make = f'mkdir -p "$3/bin" "$3/include"; cp {folder}/bin/environment-python "$3/bin/python"'
        self.program("python3", f'case "$1 $2" in "-m venv") {make} ;; "--version "*) echo Python 3.11.2 ;; esac')

    def program(self, name: str, body: str) -> None:
        write(self.folder / "bin" / name, f"#!/bin/bash\n{body}\n", executable=True)

    def setup(self, *purposes: str) -> subprocess.CompletedProcess[str]:
        return self.run("tools/setup.sh", *purposes)

    def run(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.folder / 'bin'}:/usr/bin:/bin"
        return run_tool(self.folder / script, *arguments, PATH=path, **environment)

    def logged(self) -> list[str]:
        lines = self.log.read_text(encoding="utf-8").splitlines()
        self.log.write_text("", encoding="utf-8")
        return lines


_TOOLS_AND_PACKAGE = "pip -m pip install -q -r tools/requirements/tools.txt -e python[dev]"


_BENCHES = sorted(name for name, file in bench_files().items() if file.suffix == ".py")


def _requirements(bench: str) -> str | None:
    """Return the file of requirements of the environment that a bench's first lines name; None: no environment."""
    purpose = re.search(r"^# set-up: (\w+)$", bench_files()[bench].read_text(encoding="utf-8"), re.MULTILINE)
    if purpose is None:
        return None
    if (PROJECT / f"tools/requirements/{purpose[1]}.txt").exists():
        return purpose[1]
    setup = (PROJECT / "tools/setup.sh").read_text(encoding="utf-8")
    body = re.search(rf"^setup_{purpose[1]}\(\) {{\n(.*?)^}}", setup, re.MULTILINE | re.DOTALL)
    assert body, f"tools/setup.sh has no function setup_{purpose[1]}"
    found = re.search(r"tools/requirements/([\w-]+)\.txt", body[1])
    return found[1] if found else None


@pytest.mark.parametrize("bench", [*_BENCHES, "overhead"])
def test_bench_runs_its_setup(tmp_path: Path, bench: str) -> None:
    machine = _Machine(tmp_path)
    shutil.copytree(PROJECT / "bench", tmp_path / "bench", ignore=shutil.ignore_patterns("__pycache__"))
    write(
        tmp_path / "build/openmpi/launch", f'#!/bin/bash\necho "launch ${{2##*/}}" >>{machine.log}\n', executable=True
    )
    write(
        tmp_path / "build/openmpi5/launch", f'#!/bin/bash\necho "launch ${{2##*/}}" >>{machine.log}\n', executable=True
    )

    done = machine.run("tools/bench.sh", bench)

    logged = machine.logged()
    module = ".".join(bench_files()[bench].relative_to(PROJECT).with_suffix("").parts)
    assert done.returncode == 0, done.stderr
    assert _TOOLS_AND_PACKAGE in logged
    requirements = _requirements(bench)
    if requirements is not None:
        assert f"pip -m pip install -q -r tools/requirements/{requirements}.txt" in logged
    ran = [line for line in logged if line.startswith((f"pip -m {module} ", f"launch bench_{bench}"))]
    assert logged[-2:] == [*ran, f"pip tools/figures.py build/bench/{bench}.json"]


def test_a_built_bench_runs_without_set_up(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    shutil.copytree(PROJECT / "bench", tmp_path / "bench", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("launch", "bin/bench_halo"):
        write(tmp_path / "built" / name, f'#!/bin/bash\necho "launch $*" >>{machine.log}\n', executable=True)
    write(tmp_path / ".venv/bin/python", f'#!/bin/bash\necho "python $*" >>{machine.log}\n', executable=True)
    result = "build/bench/short/halo.json"

    ran = machine.run("tools/bench.sh", "--built", "built", "halo", BENCH_FORM="short")
    skipped = machine.run("tools/bench.sh", "--built", "built", "profile", BENCH_FORM="short")
    refused = machine.run("tools/bench.sh", "--built", "built", "halo", BENCH_FORM="tiny")

    assert ran.returncode == 0, ran.stderr
    assert machine.logged() == [f"launch 2 built/bin/bench_halo {result}", f"python tools/figures.py {result}"]
    assert skipped.returncode == 77
    assert "bench profile needs the program bench_profile, which is not in built/bin" in skipped.stdout
    assert refused.returncode == 1
    assert "BENCH_FORM is 'tiny'; it is usual (the default), short, or full" in refused.stderr


def test_a_bench_runs_with_each_requested_mpi_library(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    shutil.copytree(PROJECT / "bench", tmp_path / "bench", ignore=shutil.ignore_patterns("__pycache__"))
    for preset in ("openmpi5", "mpi-abi"):
        launch = f'#!/bin/bash\necho "{preset} ${{2##*/}} $3" >>{machine.log}\n'
        write(tmp_path / "build" / preset / "launch", launch, executable=True)

    done = machine.run("tools/bench.sh", "halo", "openmpi5", "mpi-abi")

    assert done.returncode == 0, done.stderr
    logged = machine.logged()
    for wheel in ("openmpi5", "mpich5"):
        assert f"pip -m pip install -q -r tools/requirements/{wheel}.txt" in logged
    files = {preset: f"build/bench/halo.{preset}.json" for preset in ("openmpi5", "mpi-abi")}
    shown = " ".join(f"{preset}={file}" for preset, file in files.items())
    assert logged[-3:] == [
        *(f"{preset} bench_halo {file}" for preset, file in files.items()),
        f"pip tools/figures.py build/bench/halo.json {shown}",
    ]


def test_unknown_and_unsupported_presets_are_errors(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    shutil.copytree(PROJECT / "bench", tmp_path / "bench", ignore=shutil.ignore_patterns("__pycache__"))

    for arguments, objection in (
        (("halo", "lam"), "no bench with preset 'lam'"),
        (("models", "mpich"), "omit PRESETS"),
    ):
        done = machine.run("tools/bench.sh", *arguments)
        assert done.returncode == 1
        assert objection in done.stderr
    assert machine.logged() == []


def test_results_of_several_mpi_libraries_are_joined(tmp_path: Path) -> None:
    for name, value in (("a", 0.5), ("b", 2.5)):
        figure = {"name": "creation", "value": value}
        write(
            tmp_path / f"{name}.json",
            json.dumps({"context": {"form": "usual", "mpi_library": name}, "figures": [figure]}),
        )

    parts = [f"{name}={tmp_path / name}.json" for name in "ab"]
    done = run_tool(sys.executable, TOOLS / "figures.py", tmp_path / "creation.json", *parts)

    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "creation.json").read_text(encoding="utf-8"))
    found = [(figure["name"], figure["value"], figure["target"]) for figure in document["figures"]]
    assert found == [("creation.a", 0.5, 200), ("creation.b", 2.5, 200)]
    assert document["context"]["parts"]["b"] == {"form": "usual", "mpi_library": "b"}
    assert "creation.b" in done.stdout


def test_requirements_of_a_bench_are_built(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    write(tmp_path / "bench/halo/odd.py", "# set-up: build\n# built first: fish_school cg\n")
    write(tmp_path / "bench/halo/silent.py", '"""Needs nothing?"""\n')
    machine.program("cmake", f'echo "cmake $*" >>{machine.log}')

    assert machine.run("tools/bench.sh", "odd").returncode == 0
    silent = machine.run("tools/bench.sh", "silent")

    assert any(line.endswith("--target fish_school cg") for line in machine.logged())
    assert silent.returncode == 1
    assert "does not list its requirements" in silent.stderr


def test_a_folder_runs_all_its_benches_and_names_those_that_failed(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    for name in ("room/able", "room/broken", "room/capable", "halo/other"):
        write(tmp_path / f"bench/{name}.py", "# set-up: build\n")
    machine.program("environment-python", f'echo "$2" >>{machine.log}; [[ $* != *"room.broken "* ]]')

    done = machine.run("tools/bench.sh", "room")

    ran = [line for line in machine.logged() if line.startswith("bench.")]
    assert ran == ["bench.room.able", "bench.room.broken", "bench.room.capable"]
    assert done.returncode == 1
    assert "these benches of bench/room failed: broken" in done.stderr
    (tmp_path / "bench/empty").mkdir()
    assert "there is no bench 'empty'" in machine.run("tools/bench.sh", "empty").stderr


def test_a_build_prints_progress_and_compiler_errors(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    write(tmp_path / "bench/halo/odd.py", "# set-up: build\n# built first: cg\n")
    steps = "".join(f"echo '[{step}/8] Building {step}.o'; " for step in range(1, 9))
    machine.program("cmake", f"[[ $1 != --build ]] || {{ {steps} }}")

    done = machine.run("tools/bench.sh", "odd")

    assert done.returncode == 0, done.stderr
    assert re.findall(r"^   (\d+ %)$", done.stdout, re.MULTILINE) == ["25 %", "50 %", "75 %"]
    assert "[7/8] Building 7.o" in (tmp_path / "build/openmpi/build.log").read_text(encoding="utf-8")

    machine.program(
        "cmake", "[[ $1 != --build ]] || { echo '[ 50%] Building a.o'; echo 'a.cpp:1: error: no'; exit 2; }"
    )
    failed = machine.run("tools/bench.sh", "odd")

    assert failed.returncode != 0
    assert "   50 %\n" in failed.stdout
    assert "a.cpp:1: error: no" in failed.stderr


def test_set_up_requires_a_known_purpose(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    for purposes, objection in (((), "PURPOSE is missing"), (("dance",), "unknown purpose 'dance'")):
        done = machine.setup(*purposes)
        assert done.returncode == 1
        assert objection in done.stderr
    assert machine.logged() == []


def test_second_setup_does_nothing(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    first, second = machine.setup("test"), machine.setup("test")
    assert (first.returncode, second.returncode) == (0, 0)
    assert machine.logged() == [_TOOLS_AND_PACKAGE]
    assert second.stdout == ""


def test_setup_detects_a_changed_requirement(tmp_path: Path) -> None:
    machine = _Machine(tmp_path)
    machine.setup("build")
    write(tmp_path / "python/pyproject.toml", "[project]\nname = 'other'\n")
    machine.setup("build")
    assert machine.logged() == [_TOOLS_AND_PACKAGE] * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="root only")
def test_set_up_as_root_installs_only_missing_packages(tmp_path: Path) -> None:
    machine = _Machine(tmp_path, "libgtest-dev", "mpich")
    assert machine.setup("test").returncode == 0
    installs = [line for line in machine.logged() if line.startswith("apt-get install")]
    assert installs == ["apt-get install -y -q --no-install-recommends mpich libgtest-dev"]


@pytest.mark.skipif(os.geteuid() != 0, reason="root only")
def test_set_up_tries_a_failed_installation_again(tmp_path: Path) -> None:
    machine = _Machine(tmp_path, "mpich")
    failed = tmp_path / "failed"
    fail_once = f"[ $1 != install ] || [ -e {failed} ] || {{ touch {failed}; exit 100; }}"
    machine.program("apt-get", f'echo "apt-get $*" >>{machine.log}; {fail_once}')
    assert machine.setup("test").returncode == 0
    installs = [line for line in machine.logged() if line.startswith("apt-get install")]
    assert installs == ["apt-get install -y -q --no-install-recommends mpich"] * 2


@pytest.mark.skipif(os.geteuid() != 0, reason="root only")
@pytest.mark.parametrize(("mode", "closed"), [("drwx------", True), ("drwxr-xr-x", False), ("drwxrwxrwt", False)])
def test_slurm_is_left_out_where_the_root_folder_is_closed(tmp_path: Path, mode: str, *, closed: bool) -> None:
    machine = _Machine(tmp_path, "munge", "slurm-wlm", "mpich")
    machine.program("stat", f"echo {mode}")
    done = machine.setup("test")
    assert done.returncode == 0
    assert ("the folder / is closed to other users" in done.stdout) == closed
    installs = [line for line in machine.logged() if line.startswith("apt-get install")]
    packages = "mpich" if closed else "mpich slurm-wlm munge"
    assert installs == [f"apt-get install -y -q --no-install-recommends {packages}"]


@pytest.mark.skipif(os.geteuid() == 0, reason="not as root")
def test_set_up_as_a_user_installs_pinned_wheels(tmp_path: Path) -> None:
    machine = _Machine(tmp_path, "libgtest-dev", "mpich", "gfortran")
    done = machine.setup("test")
    assert done.returncode == 0
    assert "Fortran interface is not built" in done.stdout
    assert machine.logged() == [
        _TOOLS_AND_PACKAGE,
        "pip -m pip install -q -r tools/requirements/mpich5.txt",
        "pip -m pip install -q -r tools/requirements/cpp.txt",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="not as root")
def test_set_up_as_a_user_extracts_the_header_of_cli11(tmp_path: Path) -> None:
    machine = _Machine(tmp_path, "libcli11-dev")
    write(tmp_path / "source/highspy-1/extern/CLI11.hpp", "// CLI11\n")
    archive = 'mkdir -p "${@: -3:1}"; tar -czf "${@: -3:1}/highspy-1.tar.gz" -C ' + f"{tmp_path}/source highspy-1"
    machine.program("environment-python", f'echo "pip $*" >>{machine.log}; [[ $3 != download ]] || {{ {archive}; }}')

    first, second = machine.setup("compile"), machine.setup("compile")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    folder = tmp_path / ".venvs/cpp"
    assert (folder / "include/CLI/CLI.hpp").read_text(encoding="utf-8") == "// CLI11\n"
    assert machine.logged() == [
        "pip -m pip install -q -r tools/requirements/cpp.txt",
        "pip -m pip --version",
        f"pip -m pip download -q --no-deps --no-binary highspy -d {folder}/highspy -r tools/requirements/cli11.txt",
    ]
