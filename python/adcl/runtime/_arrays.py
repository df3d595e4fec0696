"""Arrays of other packages as numpy arrays on the same memory, and their MPI datatypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

    from adcl.runtime._native import Native

__all__ = ["Array", "Memory", "as_array", "datatype_of"]

Memory: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
"""A numpy array of any shape and type."""

_HOST = (1, 3, 13)
"""Device types of DLPack whose memory the host can access: CPU, and pinned or managed memory."""

_NAMES = {
    **{f"{kind}{size}": f"{name}{8 * size}_T" for kind, name in (("i", "INT"), ("u", "UINT")) for size in (1, 2, 4, 8)},
    "f4": "FLOAT",
    "f8": "DOUBLE",
    "c8": "C_FLOAT_COMPLEX",
    "c16": "C_DOUBLE_COMPLEX",
    "b1": "C_BOOL",
}
"""MPI's name for a type of numpy, by its kind and size."""

_LONG = {"g": "LONG_DOUBLE", "G": "C_LONG_DOUBLE_COMPLEX"}
"""MPI's name for a type of numpy, by numpy's type character, for types whose size depends on the platform."""


@runtime_checkable
class _WithInterface(Protocol):
    """An object with numpy's array interface."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


@runtime_checkable
class _WithDlpack(Protocol):
    """An object that exports its memory by DLPack."""

    def __dlpack__(self, *, stream: int | None = None) -> Any: ...  # noqa: ANN401 - a capsule

    def __dlpack_device__(self) -> tuple[Any, int]: ...


@runtime_checkable
class _WithArray(Protocol):
    """An object that numpy converts."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Memory: ...  # noqa: ANN401, FBT001


Array: TypeAlias = "Memory | _WithInterface | _WithDlpack | _WithArray | bytearray | memoryview"
"""An array in host memory: numpy, ``__array_interface__``, DLPack, ``__array__`` without a copy, or a buffer."""


def as_array(given: object, *, writable: bool) -> Memory:
    """Return a numpy array on the memory of `given`.

    Raises `TypeError` if it is not an array, is on a device, or would be copied; `ValueError` if it is read-only and
    `writable` is set.
    """
    found = given if isinstance(given, np.ndarray) else _converted(given)
    if found.dtype.hasobject:
        raise TypeError(f"the array has elements of type {found.dtype}, which are Python objects; use a numeric type")
    if not found.dtype.isnative:
        raise TypeError(
            f"the array has elements of type {found.dtype!r}, not in the machine's byte order; convert the array"
        )
    if writable and not found.flags.writeable:
        raise ValueError("the array is read-only, but receives data; pass a writable array")
    return found


def _converted(given: object) -> Memory:
    kind = type(given).__name__
    if isinstance(given, _WithDlpack):
        device = int(given.__dlpack_device__()[0])
        if device not in _HOST:
            raise TypeError(f"the array of type {kind} is on device type {device} of DLPack; copy it to the host")
        if not hasattr(given, "__array_interface__"):
            return np.from_dlpack(given)
    if isinstance(given, (str, list, tuple)) or given is None:
        raise TypeError(f"{given!r} is not an array; pass a numpy array, or an object that shares its memory")
    try:
        found = np.asarray(given, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"an object of type {kind} does not share its memory as an array: {error}; pass a numpy array"
        ) from error
    if found.dtype.hasobject:
        raise TypeError(f"an object of type {kind} is not an array; pass a numpy array")
    return found


def datatype_of(native: Native, dtype: np.dtype[Any], extent: int | None = None) -> tuple[MPI.Datatype, bool]:
    """Return the MPI datatype of an element, and whether the caller must free it.

    `extent` is the distance of elements in bytes; by default they are adjacent. Structures and other types that MPI
    lacks are sent as bytes.
    """
    mpi = native.mpi
    made = []
    name = _LONG.get(dtype.char) or _NAMES.get(dtype.str[1:])
    found: MPI.Datatype = getattr(mpi, name) if name else mpi.DATATYPE_NULL
    if found == mpi.DATATYPE_NULL:
        found = mpi.BYTE.Create_contiguous(dtype.itemsize)
        made.append(found)
    if extent is not None and extent != dtype.itemsize:
        found = found.Create_resized(0, extent)
        made.append(found)
    if made:
        found.Commit()
        for one in made[:-1]:
            one.Free()
    return found, bool(made)
