"""Buffers of collectives, in the notations of mpi4py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from adcl.runtime._arrays import Array, Memory, as_array, datatype_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpi4py import MPI

    from adcl.runtime._native import Native

__all__ = ["Buffer", "BufferSpec", "Counts", "VectorSpec", "alltoallw_buffer", "simple_buffer", "vector_buffer"]

Counts: TypeAlias = "Sequence[int]"
BufferSpec: TypeAlias = "Array | Sequence[Array | MPI.Datatype | str | int] | MPI.InPlaceType | MPI.BottomType | None"
"""An array, [array, datatype], [array, count, datatype], MPI.IN_PLACE, or None where a rank has no data."""

VectorSpec: TypeAlias = "Array | Sequence[Any] | MPI.InPlaceType | None"
"""[array, counts], [array, counts, datatype], [array, (counts, displacements), datatype] and the like."""

_MOST_WORDS = 4


@dataclass(frozen=True)
class Buffer:
    """An address, the entries and their datatype, and the array that must stay alive."""

    address: Any
    datatype: MPI.Datatype
    array: Memory | None
    count: int = 0
    counts: list[int] | None = None
    displs: list[int] | None = None
    types: list[MPI.Datatype] | None = None


def _special(native: Native, given: object) -> Buffer | None:
    """Return the buffer for None and MPI.IN_PLACE."""
    mpi, ffi = native.mpi, native.ffi
    if given is None:
        return Buffer(ffi.NULL, mpi.BYTE, None)
    if type(given) is type(mpi.IN_PLACE):
        in_place: Any = mpi.IN_PLACE
        return Buffer(ffi.cast("void *", int(in_place)), mpi.BYTE, None)
    return None


def _datatype(native: Native, given: object) -> MPI.Datatype:
    found: MPI.Datatype
    if isinstance(given, native.mpi.Datatype):
        found = given
        return found
    if isinstance(given, str):
        found = native.mpi.Datatype.fromcode(given)
        return found
    raise TypeError(f"{given!r} is not an MPI datatype; pass one of mpi4py, or a type code such as 'd'")


def _split(given: object) -> tuple[object, list[Any]]:
    """Return the array of a notation and the words after it."""
    if isinstance(given, (list, tuple)):
        if not 1 <= len(given) <= _MOST_WORDS:
            raise TypeError(
                f"a buffer has 1 to {_MOST_WORDS} parts, such as [array, count, datatype], not {len(given)}"
            )
        return given[0], list(given[1:])
    return given, []


def _described(
    native: Native, given: object, datatype: object, *, writable: bool
) -> tuple[Any, MPI.Datatype, Memory | None, int]:
    """Return address, datatype, array, and the number of entries in it."""
    if type(given) is type(native.mpi.BOTTOM):
        return native.ffi.NULL, _datatype(native, datatype), None, 0
    array = as_array(given, writable=writable)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError(
            f"the array has the shape {array.shape} and strides {array.strides}, so it is not contiguous; pass "
            "[array.base, count, datatype] with a derived datatype, or a contiguous copy"
        )
    if datatype is None:
        found, made = datatype_of(native, array.dtype)
        if made:
            found.Free()
            raise TypeError(
                f"MPI has no datatype for elements of type {array.dtype}; pass [array, count, datatype] instead"
            )
        return native.ffi.cast("void *", array.ctypes.data), found, array, array.size
    found = _datatype(native, datatype)
    extent = found.Get_extent()[1]
    return native.ffi.cast("void *", array.ctypes.data), found, array, array.nbytes // extent if extent > 0 else 0


def simple_buffer(native: Native, given: object, *, writable: bool, parts: int = 1) -> Buffer:
    """Return the buffer of an operation with one count; an array without a count has `parts` blocks.

    Raises `TypeError` and `ValueError`.
    """
    special = _special(native, given)
    if special is not None:
        return special
    array, words = _split(given)
    datatype = words.pop() if words and not isinstance(words[-1], int) else None
    address, found, memory, entries = _described(native, array, datatype, writable=writable)
    if words:
        count = int(words[0])
        if memory is not None and count >= 0 and count * parts > entries and found.is_predefined:
            raise ValueError(f"the count is {count} for each of {parts} blocks, but the array has {entries} entries")
        return Buffer(address, found, memory, count)
    if entries % parts:
        raise ValueError(
            f"the array has {entries} entries, not a multiple of the {parts} ranks; pass [array, count, datatype]"
        )
    return Buffer(address, found, memory, entries // parts)


def vector_buffer(native: Native, given: object, size: int, *, writable: bool) -> Buffer:
    """Return the buffer of an operation with a count for each of `size` ranks. Raises `TypeError`, `ValueError`."""
    special = _special(native, given)
    if special is not None:
        return special
    array, words = _split(given)
    datatype = words.pop() if words and isinstance(words[-1], (str, native.mpi.Datatype)) else None
    address, found, memory, entries = _described(native, array, datatype, writable=writable)
    counts, displs = _counts(words, entries, size)
    last = max((d + c for c, d in zip(counts, displs, strict=True) if c > 0), default=0)
    if memory is not None and last > entries and found.is_predefined:
        raise ValueError(f"the blocks end at entry {last}, but the array has {entries} entries")
    return Buffer(address, found, memory, counts=counts, displs=displs)


def _counts(words: list[Any], entries: int, size: int) -> tuple[list[int], list[int]]:
    """Return counts and displacements from the words between array and datatype."""
    if len(words) == 1 and isinstance(words[0], tuple) and len(words[0]) == 2 and not isinstance(words[0][0], int):  # noqa: PLR2004
        words = list(words[0])
    if not words:
        most, rest = divmod(entries, size)
        counts = [most + (rank < rest) for rank in range(size)]
    else:
        counts = [int(one) for one in words[0]]
    if len(words) > 1 and words[1] is not None:
        displs = [int(one) for one in words[1]]
    else:
        displs = [sum(counts[:rank]) for rank in range(len(counts))]
    if len(counts) != size or len(displs) != size:
        raise ValueError(
            f"there are {len(counts)} counts and {len(displs)} displacements, but the communicator has {size} ranks"
        )
    return counts, displs


def alltoallw_buffer(native: Native, given: object, size: int, *, writable: bool) -> Buffer:
    """Return the buffer [array, counts, displacements in bytes, datatypes] of an alltoallw."""
    special = _special(native, given)
    if special is not None:
        return special
    array, words = _split(given)
    if len(words) == 2:  # noqa: PLR2004 - [array, (counts, displacements), datatypes]
        words = [*words[0], words[1]]
    if len(words) != 3:  # noqa: PLR2004
        raise TypeError("a buffer of alltoallw is [array, counts, displacements in bytes, datatypes]")
    address, _, memory, _ = _described(native, array, native.mpi.BYTE, writable=writable)
    types = [_datatype(native, one) for one in words[2]]
    counts, displs = _counts(words[:2], 0, size)
    if len(types) != size:
        raise ValueError(f"there are {len(types)} datatypes, but the communicator has {size} ranks")
    return Buffer(address, native.mpi.BYTE, memory, counts=counts, displs=displs, types=types)
