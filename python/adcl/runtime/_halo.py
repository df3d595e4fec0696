"""Halo exchanges of arrays on Cartesian communicators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from adcl.runtime._arrays import Array, Memory, as_array, datatype_of
from adcl.runtime._errors import error_for
from adcl.runtime._layout import Layout, layout_of
from adcl.runtime._native import native
from adcl.runtime._objects import Owned
from adcl.runtime._request import Request
from adcl.runtime.generated.declarations import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mpi4py import MPI

    from adcl.runtime._native import Native

__all__ = ["Halo", "Width"]

Width: TypeAlias = "int | Sequence[int | tuple[int, int]]"
"""Layers of a halo: one number, or for each dimension a number or a pair (low side, high side)."""


@dataclass(frozen=True)
class _Part:
    """An array of the exchange, and the array that the library accesses."""

    given: Memory
    used: Memory
    """`given` itself, or a contiguous copy if vectors cannot describe its layout."""

    axes: tuple[int, ...]
    widths: tuple[tuple[int, int], ...]
    layout: Layout

    @property
    def staged(self) -> bool:
        return self.used is not self.given

    def _slabs(self, depths: Sequence[tuple[int, int]]) -> list[tuple[slice, ...]]:
        """Return the slabs at both sides of each dimension, with these numbers of layers."""
        found = []
        for axis, (low, high) in zip(self.axes, depths, strict=True):
            extent = self.given.shape[axis]
            sides = (slice(0, min(low, extent)), slice(max(extent - high, 0), extent))
            found += [(slice(None),) * axis + (side,) for side in sides]
        return found

    def copy_in(self) -> None:
        """Copy the layers to send, and the halo, into the contiguous array."""
        if self.staged:
            for slab in self._slabs([(low + high, low + high) for low, high in self.widths]):
                self.used[slab] = self.given[slab]

    def copy_out(self) -> None:
        """Copy the received layers into the program's array."""
        if self.staged:
            for slab in self._slabs(self.widths):
                self.given[slab] = self.used[slab]


def _widths(width: Width, ndims: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of widths. Raises `ValueError`."""
    if isinstance(width, int):
        return ((width, width),) * ndims
    if len(width) != ndims:
        raise ValueError(
            f"width has {len(width)} entries, but the communicator has {ndims} dimensions; give one number, or one "
            "number or pair for each dimension"
        )
    found = []
    for one in width:
        low, high = (one, one) if isinstance(one, int) else one
        found.append((int(low), int(high)))
    return tuple(found)


def _part(given: object, ndims: int, width: Width, axes: Sequence[int] | None) -> _Part:
    """Return an array of the exchange. Raises `TypeError` and `ValueError`."""
    array = as_array(given, writable=True)
    if array.ndim < ndims:
        raise ValueError(
            f"the array has {array.ndim} dimensions, but the communicator has {ndims}; pass an array with at least as "
            "many"
        )
    chosen = tuple(range(ndims)) if axes is None else tuple(axis % array.ndim for axis in axes)
    if len(set(chosen)) != ndims:
        raise ValueError(f"axes is {axes}; pass {ndims} different axes of the array, one for each process dimension")
    if 0 in array.shape:
        raise ValueError(f"the array has the shape {array.shape}; every extent must be at least 1")
    widths = _widths(width, ndims)
    layout = layout_of(array.shape, array.strides, array.itemsize, chosen)
    if layout is None:
        return _staged(array, chosen, widths)
    return _Part(array, array, chosen, widths, layout)


def _staged(array: Memory, axes: tuple[int, ...], widths: tuple[tuple[int, int], ...]) -> _Part:
    """Return an array of the exchange with a contiguous copy, whose dimensions have the order of the process grid."""
    used = np.array(np.moveaxis(array, axes, range(len(axes))), order="C")
    used = np.moveaxis(used, range(len(axes)), axes)
    layout = layout_of(used.shape, used.strides, used.itemsize, axes)
    if layout is None:
        raise AssertionError("a contiguous array has a layout")
    return _Part(array, used, axes, widths, layout)


def _parts(array: object, ndims: int, width: Width, axes: Sequence[int] | None) -> list[_Part]:
    given = array if isinstance(array, (list, tuple)) else [array]
    if not given:
        raise ValueError("there is no array to exchange; pass an array, or a sequence of arrays")
    return [_part(one, ndims, width, axes) for one in given]


class Halo(Request):
    """A halo exchange: fills the outer layers of an array with the adjacent layers of the neighbors' arrays.

    Example::

        with adcl.Halo(u, cart, width=1) as halo:
            for step in range(steps):
                halo.start()
                update(u)

    Args:
        array: The array including the halo, or a sequence of arrays that one operation exchanges. Every extent is at
            least the sum of the interior and both halo widths. Arrays may be in C or Fortran order, or transposed.
            Other strided arrays work, too, but each start then copies the layers to and from a contiguous array
            (`staged`). Elements may have any type of fixed size.
        cart: A Cartesian communicator of mpi4py. Its dimension d divides axis d of the array.
        width: Layers: one number, or for each dimension a number or a pair (low side, high side). The low width is the
            number of layers received from the lower neighbor.
        axes: Axes of the array that the dimensions of `cart` divide (default: the first ones). Other axes are
            components of a grid point.
        corners: Also exchange edges and corners, with diagonal neighbors.

    Collective over `cart`. If one rank passes an invalid argument, it raises `TypeError`, `ValueError` or an
    `adcl.Error`, and all other ranks raise an `adcl.Error`. Further errors: `MismatchError` if neighbors disagree,
    `ArgumentError` if the halo is wider than the block.
    """

    def __init__(
        self,
        array: Array | Sequence[Array],
        cart: MPI.Comm,
        width: Width = 1,
        *,
        axes: Sequence[int] | None = None,
        corners: bool = False,
    ) -> None:
        library = native()
        cart = _cartesian(library, cart)
        self._parts: list[_Part] = []
        self._owned = Owned(library)
        failure: Exception | None = None
        try:
            self._parts = _parts(array, cart.ndim, width, axes)
        except Exception as error:  # noqa: BLE001 - the other ranks wait; raised below
            failure = error
        self._agree_on_order(library, cart, corners=corners)
        try:
            self._describe(library)
        except Exception as error:  # noqa: BLE001 - the other ranks wait; raised below
            failure = error
        handle = self._create(library, cart, corners=corners, valid=failure is None)
        if failure is not None:
            self._owned.free()
            raise failure
        self._staged = any(part.staged for part in self._parts)
        super().__init__(handle, (self._parts, self._owned))

    def _agree_on_order(self, library: Native, cart: MPI.Cartcomm, *, corners: bool) -> None:
        """Copy transposed arrays unless all arrays on all ranks are transposed in the same way. Collective."""
        codes = {sum(d * cart.ndim**i for i, d in enumerate(part.layout.order)) for part in self._parts} or {-1}
        extremes = np.array([max(codes), -min(codes)])
        cart.Allreduce(library.mpi.IN_PLACE, extremes, library.mpi.MAX)
        if extremes[0] != -extremes[1] or corners:
            identity = tuple(range(cart.ndim))
            self._parts = [
                part if part.layout.order == identity else _staged(part.given, part.axes, part.widths)
                for part in self._parts
            ]

    def _describe(self, library: Native) -> None:
        """Create the vectors and vmaps. Local."""
        for part in self._parts:
            layout = part.layout
            datatype, made = datatype_of(library, part.used.dtype, layout.extent)
            try:
                low, high = zip(*(part.widths[d] for d in layout.order), strict=True)
                vmap = self._owned.create(
                    "Vmap",
                    library.lib.ADCL_Vmap_halo_allocate_generic,
                    len(low),
                    library.integers(low),
                    library.integers(high),
                )
                for offset in layout.offsets:
                    vector = self._owned.create(
                        "Vector",
                        library.lib.ADCL_Vector_register,
                        len(layout.dims),
                        library.integers(layout.dims),
                        layout.entries if layout.entries > 1 else 0,
                        library.handle("MPI_Datatype", datatype),
                        library.ffi.cast("void *", part.used.ctypes.data + offset),
                    )
                    if layout.fortran:
                        library.check(library.lib.ADCL_Vector_set_order(vector, CONSTANTS["ADCL_ORDER_FORTRAN"]))
                    self._owned.pairs.append((vector, vmap))
            finally:
                if made:
                    datatype.Free()

    def _create(self, library: Native, cart: MPI.Cartcomm, *, corners: bool, valid: bool) -> Any:  # noqa: ANN401
        """Create the request; with `valid` unset, make all ranks fail. Collective."""
        ffi, lib = library.ffi, library.lib
        topology = ffi.new("ADCL_Topology *", library.null("TOPOLOGY"))
        request = ffi.new("ADCL_Request *", library.null("REQUEST"))
        comm = library.handle("MPI_Comm", cart)
        identity = tuple(range(cart.ndim))
        order = self._parts[0].layout.order if self._parts else identity
        if order != identity:
            shifts = [cart.Shift(d, 1) for d in order]
            low, high = zip(*shifts, strict=True)
            coords = library.integers([cart.coords[d] for d in order])
            library.check(
                lib.ADCL_Topology_create_generic(
                    cart.ndim, library.integers(low), library.integers(high), coords, 0, comm, topology
                )
            )
        elif corners:
            library.check(lib.ADCL_Topology_create_extended(comm, topology))
        else:
            library.check(lib.ADCL_Topology_create(comm, 0, topology))
        pairs = self._owned.pairs if valid else [(library.null("VECTOR"), library.null("VMAP"))]
        vectors = ffi.new("ADCL_Vector[]", [vector for vector, _ in pairs])
        vmaps = ffi.new("ADCL_Vmap[]", [vmap for _, vmap in pairs])
        neighborhood = ffi.cast("ADCL_Fnctset", CONSTANTS["ADCL_FNCTSET_NEIGHBORHOOD"])
        code = lib.ADCL_Request_create_several(
            len(pairs), vectors, vmaps, vectors, vmaps, topology[0], neighborhood, request
        )
        message = ffi.string(lib.ADCL_Last_error()).decode(errors="replace")
        lib.ADCL_Topology_free(topology)
        if code and valid:
            self._owned.free()
            raise error_for(code, message)
        return request[0]

    @property
    def staged(self) -> bool:
        """Whether each start copies layers to and from a contiguous array, because of the array's strides."""
        return self._staged

    def start(self) -> None:
        """Exchange the halo. Collective. Raises `StateError` if an exchange is in flight, `NoCodeletError`."""
        if self._staged:
            self._copy_in()
        code = self._run(self._handle)
        if code:
            self._fail(code)
        if self._staged:
            self._copy_out()

    def start_with(self, array: Array) -> None:
        """Exchange the halo of another array of the same shape, strides and type, without a new request. Collective.

        Raises `ValueError` if the array differs, with several arrays, and if the request copies its array (`staged`).
        """
        self._with(array, self._native.lib.ADCL_Request_start_with)

    def init_with(self, array: Array) -> None:
        """Start the exchange of another array, as in `start_with`; `wait` completes it."""
        self._with(array, self._native.lib.ADCL_Request_init_with)

    def _with(self, array: object, call: Any) -> None:  # noqa: ANN401 - a function of cffi
        if self._staged or len(self._parts) > 1 or len(self._parts[0].layout.offsets) > 1:
            raise ValueError(
                "the request exchanges several arrays or a copy of its array; call rebind, or create new requests"
            )
        other = self._same(array, self._parts[0])
        pointer = self._native.ffi.cast("void *", other.ctypes.data)
        self._check(call(self._handle, pointer, pointer))

    @staticmethod
    def _same(array: object, part: _Part) -> Memory:
        other = as_array(array, writable=True)
        expected = part.given
        if (other.shape, other.strides, other.dtype) != (expected.shape, expected.strides, expected.dtype):
            raise ValueError(
                f"the array has the shape {other.shape}, strides {other.strides} and type {other.dtype}, but the "
                f"request was created for {expected.shape}, {expected.strides} and {expected.dtype}; create "
                "a new request"
            )
        return other

    def rebind(self, array: Array | Sequence[Array]) -> None:
        """Exchange other arrays of the same shapes, strides and types from the next start on. Collective.

        Raises `ValueError` if an array differs, `StateError` if an exchange is in flight.
        """
        given = list(array) if isinstance(array, (list, tuple)) else [array]
        others = [self._same(one, part) for one, part in zip(given, self._parts, strict=True)]
        vectors = iter(self._owned.pairs)
        parts = []
        for other, part in zip(others, self._parts, strict=True):
            parts.append(
                _staged(other, part.axes, part.widths) if part.staged else replace(part, given=other, used=other)
            )
            used = parts[-1].used
            for offset in part.layout.offsets:
                address = self._native.ffi.cast("void *", used.ctypes.data + offset)
                self._check(self._native.lib.ADCL_Vector_rebind(next(vectors)[0], address))
        self._parts[:] = parts

    def init(self) -> None:
        """Start the exchange; `wait` completes it. Until then, do not change the layers to send or read the halo."""
        self._copy_in()
        super().init()

    def wait(self) -> None:
        """Complete the exchange that `init` started. Raises `StateError` without `init`."""
        super().wait()
        self._copy_out()

    def test(self) -> bool:
        """Advance the exchange; return whether it is complete. Local. Raises `StateError` without `init`."""
        done = super().test()
        if done:
            self._copy_out()
        return done

    def _copy_in(self) -> None:
        for part in self._parts:
            part.copy_in()

    def _copy_out(self) -> None:
        for part in self._parts:
            part.copy_out()

    def _released(self) -> None:
        self._owned.free()
        self._parts = []


def _cartesian(library: Native, comm: MPI.Comm) -> MPI.Cartcomm:
    """Return the communicator as a Cartcomm. Raises `TypeError` without informing the other ranks."""
    mpi = library.mpi
    if not isinstance(comm, mpi.Comm):
        raise TypeError(f"cart is {comm!r}; pass a Cartesian communicator of mpi4py, created by comm.Create_cart")
    if comm == mpi.COMM_NULL or comm.Is_inter() or comm.Get_topology() != mpi.CART:
        raise TypeError("cart is not a Cartesian communicator; create it with comm.Create_cart")
    found: MPI.Cartcomm = mpi.Cartcomm(comm)
    return found
