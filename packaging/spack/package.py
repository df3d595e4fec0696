"""Spack recipe of ADCL: put it at packages/adcl/package.py of a repository of recipes."""

# Spack defines the names of a recipe, so linters do not know them.
# mypy: ignore-errors
# ruff: noqa: ANN201, FBT003, F403, F405, INP001

from spack.package import *


class Adcl(CMakePackage):
    """Measure implementations of MPI communication in the running program and use the fastest.

    ADCL tunes halo exchanges and collectives of MPI programs at run time, and monitors its decisions.
    """

    homepage = "https://github.com/adcl/adcl"
    git = "https://github.com/adcl/adcl.git"

    license("BSD-3-Clause")

    version("main", branch="main")
    version("2.0.0", tag="v2.0.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("fortran", default=True, description="Build the Fortran interface")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi@3:")
    depends_on("nlohmann-json@3.7:", type="build")

    conflicts("%gcc@:11", msg="ADCL needs C++20: GCC 12 or later")
    conflicts("%clang@:13", msg="ADCL needs C++20: Clang 14 or later")

    def cmake_args(self):
        """Return the options of CMake."""
        args = [
            self.define_from_variant("ADCL_SHARED", "shared"),
            self.define_from_variant("ADCL_FORTRAN", "fortran"),
            self.define("ADCL_TESTS", self.run_tests),
            self.define("ADCL_LIBRARY_ONLY", True),
            self.define("ADCL_EXAMPLES", False),
            self.define("MPI_C_COMPILER", self.spec["mpi"].mpicc),
        ]
        if self.spec.satisfies("+fortran"):
            args.append(self.define("MPI_Fortran_COMPILER", self.spec["mpi"].mpifc))
        return args
