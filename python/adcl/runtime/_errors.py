"""Exceptions with the library's messages, one class per result code of ADCL.h."""

from __future__ import annotations

from adcl.errors import AdclError
from adcl.runtime.generated.declarations import CONSTANTS

__all__ = [
    "ArgumentError",
    "CallbackError",
    "Error",
    "FileError",
    "HandleError",
    "InternalError",
    "LibraryError",
    "MismatchError",
    "MpiError",
    "NoCodeletError",
    "NotInitializedError",
    "OptionError",
    "OutOfMemoryError",
    "StateError",
    "TypeMismatchError",
    "UnsupportedError",
    "error_for",
]


class Error(AdclError):
    """A call of the library failed. The message names the call, the argument, its value and the remedy."""

    code: int = 0
    """Result code of ADCL.h, such as ADCL_ERR_ARGUMENT; 0 if the library was not called."""


class LibraryError(Error):
    """libadcl cannot be loaded, or was built for another MPI library than the one that mpi4py uses."""


class ArgumentError(Error, ValueError):
    """ADCL_ERR_ARGUMENT: a value that the call cannot accept."""


class HandleError(Error, ValueError):
    """ADCL_ERR_HANDLE: an object that was freed or has another type."""


class TypeMismatchError(Error, TypeError):
    """ADCL_ERR_TYPE: an MPI datatype that is null or not committed."""


class StateError(Error, RuntimeError):
    """ADCL_ERR_STATE: a call at the wrong time, such as a wait without an init."""


class MismatchError(Error, ValueError):
    """ADCL_ERR_MISMATCH: the ranks of the communicator, or two neighbors, contradict each other."""


class OptionError(Error, ValueError):
    """ADCL_ERR_OPTION: an unknown option, or a value out of range."""


class OutOfMemoryError(Error, MemoryError):
    """ADCL_ERR_MEMORY: out of memory."""


class MpiError(Error, RuntimeError):
    """ADCL_ERR_MPI: a call of the MPI library failed."""


class UnsupportedError(Error):
    """ADCL_ERR_UNSUPPORTED: an unsupported MPI library, or a limit of the MPI library or of ADCL."""


class NotInitializedError(Error, RuntimeError):
    """ADCL_ERR_NOT_INITIALIZED: the library was finalized."""


class FileError(Error, OSError):
    """ADCL_ERR_FILE: a file or folder named by an option cannot be used."""


class NoCodeletError(Error, RuntimeError):
    """ADCL_ERR_NO_CODELET: no codelet is left for this problem; the message has a reason for each."""


class InternalError(Error):
    """ADCL_ERR_INTERNAL: a defect of ADCL itself; please report it with the message."""


class CallbackError(Error, RuntimeError):
    """ADCL_ERR_CALLBACK: a codelet raised an exception, which is the cause of this one (``__cause__``)."""


_BY_NAME: dict[str, type[Error]] = {
    "ADCL_ERR_ARGUMENT": ArgumentError,
    "ADCL_ERR_HANDLE": HandleError,
    "ADCL_ERR_TYPE": TypeMismatchError,
    "ADCL_ERR_STATE": StateError,
    "ADCL_ERR_MISMATCH": MismatchError,
    "ADCL_ERR_OPTION": OptionError,
    "ADCL_ERR_MEMORY": OutOfMemoryError,
    "ADCL_ERR_MPI": MpiError,
    "ADCL_ERR_UNSUPPORTED": UnsupportedError,
    "ADCL_ERR_NOT_INITIALIZED": NotInitializedError,
    "ADCL_ERR_FILE": FileError,
    "ADCL_ERR_NO_CODELET": NoCodeletError,
    "ADCL_ERR_INTERNAL": InternalError,
    "ADCL_ERR_CALLBACK": CallbackError,
}
_BY_CODE = {CONSTANTS[name]: kind for name, kind in _BY_NAME.items()}


def error_for(code: int, message: str) -> Error:
    """Return the exception for a result code: an `Error` for an unknown code of a later version of the library."""
    error = _BY_CODE.get(code, Error)(message)
    error.code = code
    return error
