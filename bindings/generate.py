"""Writes bindings/fortran/generated from include/ADCL.h and bindings/interface.toml.

bindings/generate.py [--check]: writes the files; with --check, lists the files that are out of date.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

from generator import inc, modules, shims
from generator.header import read_header
from generator.interface import describe

__all__ = ["generate", "main"]

_ROOT = Path(__file__).resolve().parents[1]


def _formatted(text: str, root: Path) -> str:
    """Return C++ code in the project's format."""
    command = [str(Path(sys.executable).with_name("clang-format")), f"--style=file:{root / '.clang-format'}"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def generate(root: Path) -> dict[str, str]:
    """Return the generated files by name. Raises ValueError if the table does not match the header."""
    header = read_header((root / "include/ADCL.h").read_text(encoding="utf-8"))
    table = tomllib.loads((root / "bindings/interface.toml").read_text(encoding="utf-8"))
    functions = describe(header, table)
    return {
        "ADCL.inc": inc.inc_file(header, functions),
        "adcl_calls.f90": modules.calls_module(header, functions, None),
        "adcl_calls_f08.f90": modules.calls_module(header, functions, "f08"),
        "adcl_calls_mpi.f90": modules.calls_module(header, functions, "mpi"),
        "adcl_inc_procedures.f90": modules.inc_procedures(functions),
        "adcl_shims.f90": modules.shims_module(functions),
        "adcl_types.f90": modules.types_module(header),
        "by_hand.hpp": _formatted(shims.by_hand_header(functions), root),
        "shims.cpp": _formatted(shims.shims_source(functions), root),
    }


def main(arguments: list[str]) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(description="Write bindings/fortran/generated.")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a file differs")
    parser.add_argument("--root", type=Path, default=_ROOT, help="folder of the project (default: this one)")
    given = parser.parse_args(arguments)
    folder = given.root / "bindings/fortran/generated"
    try:
        files = generate(given.root)
    except ValueError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    present = {one.name: one.read_text(encoding="utf-8") for one in folder.glob("*")}
    wrong = [name for name in sorted(files.keys() | present.keys()) if files.get(name) != present.get(name)]
    for name in wrong:
        if given.check:
            print(f"bindings/fortran/generated/{name} is out of date; run bindings/generate.py", file=sys.stderr)
        elif name in files:
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(files[name], encoding="utf-8")
        else:
            (folder / name).unlink()
    return 1 if given.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
