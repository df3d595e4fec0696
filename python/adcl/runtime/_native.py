"""Loads libadcl on first use, calls it, and converts handles of mpi4py."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from adcl.runtime._errors import LibraryError, error_for
from adcl.runtime._find import Running, find_library
from adcl.runtime.generated.declarations import CDEF, CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpi4py import MPI

__all__ = ["Native", "finalize", "get", "native"]

_HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Op")
_INT_BYTES = 4


class _Address(ctypes.Structure):
    """Dl_info of dladdr."""

    _fields_ = (
        ("path", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _path_of(function: Any) -> str | None:  # noqa: ANN401 - a function of ctypes
    """Return the path of the shared library that defines a function."""
    found = _Address()
    address = ctypes.cast(function, ctypes.c_void_p)
    if not ctypes.CDLL(None).dladdr(address, ctypes.byref(found)) or found.path is None:
        return None
    return os.fsdecode(found.path)


def _mpi_of(module: str) -> tuple[ctypes.CDLL, str]:
    """Return the MPI library that mpi4py's module uses, with its symbols visible for libadcl, and its path."""
    for name in (module, None):
        handle = ctypes.CDLL(name, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        function = getattr(handle, "MPI_Comm_rank", None)
        path = _path_of(function) if function is not None else None
        if path is not None and os.path.realpath(path) != os.path.realpath(module):
            return _promoted(path)
    # mpi4py's packages find the functions in the library that they load themselves.
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123 - /proc
        files = {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
    for path in sorted(files):
        if os.path.basename(path).startswith("libmpi") and hasattr(ctypes.CDLL(path), "MPI_Comm_rank"):  # noqa: PTH119
            return _promoted(path)
    raise LibraryError(
        f"cannot find the MPI library that {module} uses; please report this problem and name your MPI library"
    )


def _promoted(path: str) -> tuple[ctypes.CDLL, str]:
    return ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW | os.RTLD_GLOBAL), path


def _running(library: ctypes.CDLL, path: str, version: str) -> Running:
    standard = False
    if hasattr(library, "MPI_Abi_get_version"):
        major, minor = ctypes.c_int(-1), ctypes.c_int(-1)
        library.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
        standard = major.value >= 1
    return Running(version.strip("\0").split("\n", 1)[0], standard, path)


class Native:
    """The loaded library: `lib` has the functions of ADCL.h, `ffi` their types. Initializes ADCL."""

    def __init__(self) -> None:
        try:
            from mpi4py import MPI as mpi  # noqa: N811 - a local name
        except ImportError as error:
            raise LibraryError(
                f"ADCL's Python interface requires mpi4py and an MPI library: {error}; install an MPI library, then "
                "run `pip install mpi4py`"
            ) from error
        from cffi import FFI

        if not mpi.Is_initialized():
            raise LibraryError("MPI is not initialized: call MPI.Init() of mpi4py before ADCL")
        self.mpi = mpi
        library, path = _mpi_of(mpi.__file__ or "")
        self.running = _running(library, path, mpi.Get_library_version())
        self.ffi: Any = FFI()
        integer = mpi._sizeof(mpi.Comm) == _INT_BYTES  # noqa: SLF001 - mpi4py's interface for other packages
        for name in _HANDLES:
            self.ffi.cdef(f"typedef {'int' if integer else 'void *'} {name};")
        self.ffi.cdef(CDEF)
        self.path = find_library(self.running)
        try:
            self.lib: Any = self.ffi.dlopen(self.path, self.ffi.RTLD_NOW | self.ffi.RTLD_LOCAL)
        except OSError as error:
            raise LibraryError(
                f"cannot load {self.path} for {self.running}: {error}. Build or install ADCL for this MPI library, "
                "and set ADCL_LIBRARY_PATH to the path of its libadcl.so"
            ) from error
        self.check(self.lib.ADCL_Init())

    def is_finalized(self) -> bool:
        """Return whether ADCL or MPI was finalized, after which the library frees everything."""
        flag = self.ffi.new("int *")
        self.lib.ADCL_Initialized(flag)
        return not flag[0] or bool(self.mpi.Is_finalized())

    def fail(self, code: int) -> NoReturn:
        """Raise the exception for the last failed call."""
        message = self.ffi.string(self.lib.ADCL_Last_error()).decode(errors="replace")
        raise error_for(code, message)

    def check(self, code: int) -> None:
        """Raise an exception unless the result code is ADCL_SUCCESS."""
        if code:
            self.fail(code)

    def handle(self, kind: str, value: MPI.Comm | MPI.Datatype | MPI.Op) -> Any:  # noqa: ANN401
        """Return the C handle of an object of mpi4py; `kind` is its C type."""
        return self.ffi.cast(f"{kind} *", self.mpi._addressof(value))[0]  # noqa: SLF001

    def communicator(self, handle: Any) -> MPI.Intracomm:  # noqa: ANN401
        """Return mpi4py's object for a C handle. It does not own the communicator."""
        found = self.mpi.Intracomm()
        self.ffi.cast("MPI_Comm *", self.mpi._addressof(found))[0] = handle  # noqa: SLF001
        return found

    def integers(self, values: Sequence[int]) -> Any:  # noqa: ANN401
        """Return a C array of int. Raises `OverflowError` for a value that exceeds int."""
        return self.ffi.new("int[]", [int(value) for value in values])

    def null(self, kind: str) -> Any:  # noqa: ANN401
        """Return the null handle of a type: ADCL_VECTOR_NULL for "VECTOR"."""
        ctype = f"ADCL_{kind.capitalize()}"
        return self.ffi.cast(ctype, CONSTANTS[f"ADCL_{kind}_NULL"])

    def text(self, function: Any, *arguments: Any, size: int = 256) -> str:  # noqa: ANN401
        """Return the text that a function writes into a buffer, its last two arguments."""
        buffer = self.ffi.new("char[]", size)
        self.check(function(*arguments, buffer, size))
        return str(self.ffi.string(buffer).decode(errors="replace"))


_loaded: list[Native] = []
"""The library after its first use."""


def native() -> Native:
    """Return the library; loads and initializes it on first use. Raises `LibraryError`."""
    if not _loaded:
        _loaded.append(Native())
        atexit.register(_at_exit)
    return _loaded[0]


def get() -> Native | None:
    """Return the library if it is loaded."""
    return _loaded[0] if _loaded else None


def finalize() -> None:
    """Free all objects and write the files of ADCL_REPORT and ADCL_TRACE. Collective; runs when the program ends.

    Call it only to end ADCL earlier, before ``MPI.Finalize()``.

    Raises `StateError` if an operation is in flight, `FileError` if a file cannot be written.
    """
    library = get()
    if library is not None and not library.is_finalized():
        library.check(library.lib.ADCL_Finalize())


def _at_exit() -> None:
    """Finalize, except after an uncaught exception: the other ranks may never come here."""
    if not hasattr(sys, "last_value"):
        finalize()
