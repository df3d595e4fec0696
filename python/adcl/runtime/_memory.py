"""Arrays in memory that the processes of a node share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from adcl.runtime._arrays import datatype_of
from adcl.runtime._native import native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from adcl.runtime._arrays import Memory

__all__ = ["zeros"]


class _Allocated:
    """Memory of the library, freed with the last array on it."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        library = native()
        datatype, made = datatype_of(library, dtype)
        self._native = library
        self._slot = library.ffi.new("ADCL_Vector *", library.null("VECTOR"))
        address = library.ffi.new("void **")
        try:
            library.check(
                library.lib.ADCL_Vector_allocate(
                    len(shape),
                    library.integers(shape),
                    0,
                    library.handle("MPI_Datatype", datatype),
                    address,
                    self._slot,
                )
            )
        finally:
            if made:
                datatype.Free()
        pointer = int(library.ffi.cast("intptr_t", address[0]))
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": (pointer, False)}
        if dtype.fields is not None:
            self.__array_interface__["descr"] = dtype.descr

    def __del__(self) -> None:
        if hasattr(self, "__array_interface__") and not self._native.is_finalized():
            self._native.lib.ADCL_Vector_free(self._slot)


def zeros(shape: int | Sequence[int], dtype: DTypeLike = np.float64, order: str = "C") -> Memory:
    """Return an array of zeros in memory that the processes of the same node can read.

    Exchanges of such arrays have further codelets, which copy each cell once. The library frees the memory with the
    last array on it, and at the end of the program (`adcl.finalize`), after which the array must not be used. Local.

    Args:
        shape: Extents, at least 1 each.
        dtype: Type of the elements.
        order: "C" or "F".

    Raises `ArgumentError`, `OutOfMemoryError`, and `ValueError` for another order.
    """
    extents = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(int(one) for one in shape)
    if order not in ("C", "F"):
        raise ValueError(f"order is {order!r}; pass 'C' or 'F'")
    holder = _Allocated(extents[::-1] if order == "F" else extents, np.dtype(dtype))
    found: Memory = np.asarray(holder)
    return found.T if order == "F" else found
