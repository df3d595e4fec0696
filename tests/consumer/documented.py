"""Compiles the code blocks of pages: documented.py c|cpp|fortran COMPILER FLAGS FOLDER PAGE...

A block of C is the inside of a function, after the lines that begin with '#', or it is a function that begins with
`static`; names that it does not declare are those of PREAMBLE. A block of C++ is the inside of a function with the
names of CPP_PREAMBLE, or has a function `main`. A block of Fortran is compiled where it says ``use adcl``; the module
`page` has the names that it lacks.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

PREAMBLE = """#include <ADCL.h>
#include <stdio.h>
#include <stdlib.h>
extern MPI_Comm cart_comm;
extern double *matrix, *old_field, *new_field, *fields[7];
extern double *array;
extern int steps, dims[2];
extern ADCL_Request request, later_request, halo;
extern ADCL_Vector density, velocity, flags;
extern ADCL_Vmap two_layers, one_layer;
extern ADCL_Topology topo;
void compute(double *values);
void compute_from(const double *from, double *to);
void check(int code);
"""

CPP_PREAMBLE = """#include <adcl.hpp>
#include <array>
#include <cstdio>
#include <iostream>
#include <span>
#include <vector>
extern MPI_Comm cart, comm;
extern std::vector<double> u, v, force, sums, all;
extern int nx, ny, steps;
extern std::size_t rows, columns, padded_columns;
void compute(std::span<double> values);
void compute_interior(std::span<double> values);
void compute_border(std::span<double> values);
"""

MODULE = """module page
  use mpi_f08, only: MPI_Comm
  implicit none
  integer :: nx, ny, step, steps
  type(MPI_Comm) :: cart_comm
end module
"""


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Line and text of each block."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, one.start()) + 2, one[1]) for one in found]


def as_c(line: int, text: str, page: Path) -> str:
    """The block as a file; messages of the compiler name the page."""
    directives = [one for one in text.splitlines() if one.startswith("#")]
    inside = [("" if one.startswith("#") else one) for one in text.splitlines()]
    place = f'#line {line} "{page}"'
    if text.startswith("static "):
        return "\n".join([PREAMBLE, place, text.removeprefix("static ")])
    return "\n".join([PREAMBLE, *directives, "void block(void);", "void block(void) {", place, *inside, "}", ""])


def as_cpp(found: list[tuple[int, str]], page: Path) -> str:
    """All blocks of a page in one file, because headers dominate the time to compile a block."""
    lines = [CPP_PREAMBLE]
    for line, text in found:
        place = f'#line {line} "{page}"'
        if "int main(" in text:
            lines += [place, text]
        else:
            lines += [f"void block_{line}();", f"void block_{line}() {{", place, text, "}"]
    return "\n".join([*lines, ""])


def as_fortran(text: str) -> str:
    """The block as a subroutine."""
    return f"{MODULE}subroutine block()\n  use page\n{text}end subroutine\n"


def compiled(source: Path, text: str, command: list[str]) -> bool:
    """Write and compile one file; what the compiler says is printed."""
    source.write_text(text, encoding="utf-8")
    done = subprocess.run([*command, "-c", source.name], cwd=source.parent, check=False)
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Compile all blocks; returns the exit code."""
    language, compiler, flags, folder, *pages = arguments
    command = [compiler, *shlex.split(flags)]
    work = Path(folder)
    work.mkdir(parents=True, exist_ok=True)
    count = failures = 0
    for page in map(Path, pages):
        if language == "cpp":
            found = blocks(page, language)
            count += len(found)
            failures += not compiled(work / f"{page.stem}.cpp", as_cpp(found, page), command)
            continue
        for line, text in blocks(page, language):
            if language == "fortran" and "use adcl" not in text:
                continue
            name = f"{page.stem}_{line}"
            if language == "c":
                good = compiled(work / f"{name}.c", as_c(line, text, page), command)
            else:
                good = compiled(work / f"{name}.f90", as_fortran(text), command)
            if not good:
                sys.stderr.write(f"{page}:{line}: this block does not compile\n")
            count += 1
            failures += not good
    sys.stdout.write(f"{count} blocks, {failures} do not compile\n")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
