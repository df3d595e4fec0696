"""Lifetimes, errors, codelets, timers and other objects of the Python interface: ``runtime_objects.py CASE ...``."""

from __future__ import annotations

import contextlib
import gc
import sys
import warnings
import weakref
from typing import Any

import numpy as np
from mpi4py import MPI

import adcl
from adcl.runtime._native import native

COMM = MPI.COMM_WORLD
P, R = COMM.size, COMM.rank
Memory = np.ndarray[Any, np.dtype[Any]]


def cart(ndims: int = 1) -> MPI.Cartcomm:
    return COMM.Create_cart(MPI.Compute_dims(P, ndims), [True] * ndims)


class Tracked(np.ndarray[Any, np.dtype[Any]]):
    """An array that weak references can watch."""


def tracked(count: int) -> tuple[Memory, weakref.ref[Any]]:
    array = np.zeros(count).view(Tracked)
    return array, weakref.ref(array)


def raises(kind: type[BaseException], part: str, call: Any) -> None:
    """Require an exception of this class whose message contains a text."""
    try:
        call()
    except kind as error:
        assert part in str(error), f"{error} lacks {part!r}"
    else:
        raise AssertionError(f"no {kind.__name__}")


# ---- Lifetimes -------------------------------------------------------------------------------------------------------


def lifetimes() -> None:
    array, alive = tracked(10)
    neighbors = cart()
    with adcl.Halo(array, neighbors) as halo:
        del array
        gc.collect()
        assert alive() is not None
        halo.start()
        assert adcl.requests() == [halo]
    assert halo.freed
    gc.collect()
    assert alive() is None, "the freed request keeps its array"
    assert adcl.requests() == []
    assert adcl.report() == "ADCL has no requests\n"
    halo.free()
    raises(adcl.HandleError, "ADCL_Request_start", halo.start)
    # A request that was not freed keeps its array until the program ends, and warns.
    array, alive = tracked(4)
    request = adcl.allreduce_init(array, np.empty(4))
    del array
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del request
        gc.collect()
    assert alive() is not None
    assert [one.category for one in caught] == [ResourceWarning], caught
    assert "was not freed" in str(caught[0].message)
    # After an exception in the block the request is not freed: the other ranks may not come there.
    try:
        with adcl.barrier_init() as barrier:
            raise KeyError
    except KeyError:
        assert not barrier.freed
    barrier.free()
    allocated = adcl.zeros((6, 4), "f4", order="F")
    assert allocated.flags.f_contiguous
    assert not allocated.any()
    part = allocated[1:3]
    del allocated
    gc.collect()
    part[...] = 3
    assert part.sum() == 24


def finalized() -> None:
    halo = adcl.Halo(np.zeros(6), cart())
    halo.start()
    adcl.finalize()
    raises(adcl.NotInitializedError, "ADCL_Init", halo.start)


# ---- Errors ----------------------------------------------------------------------------------------------------------


def errors() -> None:
    """A mistake on one rank is an error on all ranks, and the next calls work."""
    wrong = R == P - 1
    good = np.zeros(4)
    neighbors = cart()
    read_only = np.zeros(4)
    read_only.flags.writeable = False
    for bad, kind, part in (
        ([1.0, 2.0], TypeError, "pass a numpy array"),
        (np.zeros(4, object), TypeError, "Python objects"),
        (np.zeros(4, ">f8"), TypeError, "byte order"),
        (read_only, ValueError, "read-only"),
        (np.zeros((4, 4))[:, 0], ValueError, "not contiguous"),
        (np.zeros(5), ValueError, "recvbuf has 5"),
        ([good, 5, MPI.DOUBLE], ValueError, "the count is 5"),
        ([good, "no type"], Exception, ""),
    ):
        if wrong:
            raises(kind, part, lambda bad=bad: adcl.allreduce_init(good, bad))
        else:
            raises(adcl.ArgumentError, f"rank {P - 1}", lambda: adcl.allreduce_init(good, good.copy()))
    names = [name for name in adcl.__all__ if name.endswith("_init") and name != "barrier_init"]
    for name in names:
        call = getattr(adcl, name)
        receive: Any = np.zeros(12 // P if name == "reduce_scatter_block_init" else 12)
        words: list[Any] = [good] if "bcast" in name else [np.zeros(12), receive]
        if name == "reduce_scatter_init":
            words.append([12] + [0] * (P - 1))
        if name == "alltoallw_init":
            blocks = [[3] * P, [0] * P, [MPI.DOUBLE] * P]
            words = [[good, *blocks], [good.copy(), *blocks]]
        if wrong:
            # The send array of a scatter matters only at the root.
            words[name.startswith("scatter")] = "no array"
        raises(TypeError if wrong else adcl.Error, "", lambda call=call, words=words: call(*words))
    for bad_halo, kind, part in (
        ("text", TypeError, "not an array"),
        (np.zeros(()), ValueError, "0 dimensions"),
        (read_only, ValueError, "read-only"),
        ([], ValueError, "no array"),
    ):
        if wrong:
            raises(kind, part, lambda bad=bad_halo: adcl.Halo(bad, neighbors))
        else:
            raises(adcl.HandleError, f"rank {P - 1}", lambda: adcl.Halo(good, neighbors))
    raises(ValueError, "2 entries", lambda: adcl.Halo(good, neighbors, [1, 1]))
    raises(adcl.ArgumentError, "", lambda: adcl.Halo(np.zeros(4), neighbors, 3))
    raises(TypeError, "not a Cartesian", lambda: adcl.Halo(good, COMM))
    if P > 1:
        raises(adcl.Error, "", lambda: adcl.Halo(np.zeros(6, "f4" if R == 0 else "f8"), neighbors))
        raises(adcl.MismatchError, "", lambda: adcl.bcast_init(good, root=0 if R == 0 else 1))
    raises(adcl.OptionError, "ADCL_SEARCH", lambda: adcl.set_option("ADCL_SERCH", 1))
    with adcl.Halo(good, neighbors) as halo, adcl.allreduce_init(good, good.copy()) as request:
        halo.start()
        request.start()
        raises(adcl.StateError, "not in flight", halo.wait)
        request.init()
        raises(adcl.StateError, "", request.free)
        request.wait()
        raises(ValueError, "shape (5,)", lambda: halo.start_with(np.zeros(5)))
        assert adcl.StateError("x").code == 0


# ---- Other objects ---------------------------------------------------------------------------------------------------


def codelets() -> None:
    adcl.set_option("ADCL_SEARCH", "brute_force")
    assert adcl.get_option("ADCL_SEARCH") == "brute_force"

    def ordered(request: adcl.Request) -> None:
        request.comm.Allreduce(np.ones(1), request.context)

    def begin(request: adcl.Request) -> None:
        request.context[...] = 0

    def finish(request: adcl.Request) -> None:
        request.comm.Allreduce(np.ones(1), request.context)

    result = np.zeros(1)
    with adcl.FunctionSet("sums", [ordered, adcl.Codelet(begin, finish, name="in parts")]) as functions:
        with functions.request(COMM, context=result) as request:
            for _ in range(200):
                result[0] = -1
                request.start()
                assert result[0] == P
            assert request.decided
            assert {one.name for one in request.candidates} == {"ordered", "in parts"}
            assert all(one.measurements for one in request.candidates)
            saved = request.save_status()
            result[0] = -1
            with request.overlap():
                assert request.current == "in parts"
            assert result[0] == P
        with functions.request(COMM, context=result) as second:
            second.restore_status(saved)
            second.start()
            assert second.decided
    values = set()

    def shifted(request: adcl.Request) -> None:
        values.add(tuple(request.attribute_values(2)))

    attributes = {"way": ["up", "down"], "size": ["small", "large"]}
    excluded = [{"way": "down", "size": "large"}]
    every = adcl.Combinations(shifted, excluded=excluded)
    with adcl.FunctionSet("ways", every, attributes=attributes) as ways, ways.request() as request:
        for _ in range(60):
            request.start()
        names = {one.name for one in request.candidates}
        assert names == {"ways_up_small", "ways_up_large", "ways_down_small"}, names
        assert values == {(0, 0), (0, 1), (1, 0)}
    raises(
        ValueError,
        "no value 'left'",
        lambda: adcl.FunctionSet(
            "x", adcl.Combinations(shifted, excluded=[{"way": "left", "size": "small"}]), attributes=attributes
        ),
    )

    def broken(_: adcl.Request) -> None:
        if R == 0:
            raise ZeroDivisionError("on purpose")

    with adcl.FunctionSet("broken", [broken]) as functions, functions.request() as request:
        if R == 0:
            raises(adcl.CallbackError, "ZeroDivisionError: on purpose", request.start)
            try:
                request.start()
            except adcl.Error as error:
                assert error.code
        else:
            request.start()
            with contextlib.suppress(adcl.Error):
                request.start()
    # The address of a C function: ADCL_Inside takes no arguments and does nothing.
    library = native()
    address = int(library.ffi.cast("intptr_t", library.ffi.addressof(library.lib, "ADCL_Inside")))
    with adcl.FunctionSet("c", [adcl.Codelet(address, name="empty")]) as functions, functions.request() as request:
        for _ in range(50):
            request.start()
        assert request.winner == "empty"


def timers() -> None:
    adcl.set_option("ADCL_SEARCH", "brute_force")
    array = np.arange(8.0) + R
    total, one = np.zeros(1), np.ones(1)
    with adcl.Halo(array, cart()) as halo, adcl.allreduce_init(one, total) as request:
        with adcl.Timer(halo, request) as timer:
            for _ in range(20000):
                with timer.part():
                    halo.start()
                    request.start()
                assert total[0] == P
                if timer.decided:
                    break
            assert timer.decided
            assert halo.winner
            raises(adcl.StateError, "", timer.stop)
            timer.remove(request)
            timer.commit()
            with timer.part():
                halo.start()
        done: list[str] = []
        halo.start_overlap(lambda: done.append("mid"), lambda: done.append("end"))
        assert done == ["mid", "end"]

        def fails() -> None:
            raise LookupError("in the work function")

        raises(LookupError, "in the work", lambda: halo.start_overlap(fails, lambda: None))
        halo.start()
        for _ in range(400):
            halo.start()
        assert halo.current in adcl.report()
        assert f"request 1: {halo.function_set}" in adcl.report()


def arrays() -> None:
    """Objects that are not numpy arrays."""

    class Interface:
        def __init__(self) -> None:
            self.memory = np.zeros(4)
            self.__array_interface__ = self.memory.__array_interface__

    class Dlpack:
        def __init__(self, device: int = 1) -> None:
            self.memory = np.zeros(4)
            self.device = device

        def __dlpack__(self, **words: Any) -> Any:
            return self.memory.__dlpack__(**words)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (self.device, 0)

    class Array:
        def __init__(self) -> None:
            self.memory = np.zeros(4)

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Memory:
            return self.memory

    for one in (Interface(), Dlpack(), Array()):
        with adcl.allreduce_init(np.full(4, R + 1.0), one) as request:
            request.start()
        assert one.memory.tolist() == [P * (P + 1) / 2] * 4, type(one)
    block = bytearray(8)
    with adcl.allreduce_init(np.full(8, 1, "u1"), block, MPI.MAX) as request:
        request.start()
    assert list(block) == [1] * 8
    raises(TypeError, "on device type 2", lambda: adcl.allreduce_init(np.zeros(4), Dlpack(2)))
    moved = np.zeros(6)
    with adcl.Halo(np.zeros(6), cart()) as halo:
        moved[1:-1] = R
        halo.start_with(moved)
        assert moved[0] == (R - 1) % P
        moved[[0, -1]] = -1
        halo.rebind(moved)
        halo.start()
        assert moved[-1] == (R + 1) % P
    corners = np.full((3, 3), -1.0)
    grid = cart(2)
    corners[1, 1] = R
    with adcl.Halo(corners, grid, corners=True) as halo:
        halo.start()
    where = [grid.coords[0] + 1, grid.coords[1] + 1]
    assert corners[2, 2] == grid.Get_cart_rank(where)
    # Different layouts on the ranks, and transposed arrays with corners.
    cube = cart(3)
    for order, with_corners in (((2, 0, 1), False), ((1, 2, 0), True), ((0, 1, 2), False)):
        shape = [3, 4, 5]
        base = np.zeros([shape[axis] for axis in (order if R == 0 or with_corners else (0, 1, 2))])
        cells = base.transpose(np.argsort(order)) if R == 0 or with_corners else base
        cells[1:-1, 1:-1, 1:-1] = R + 1
        with adcl.Halo(cells, cube, corners=with_corners) as halo:
            halo.start()
        for d in range(3):
            low, _ = cube.Shift(d, 1)
            layer = [slice(1, -1)] * 3
            layer[d] = slice(0, 1)
            assert (cells[tuple(layer)] == low + 1).all(), (order, d)
        if with_corners:
            coords = [cube.coords[d] - 1 for d in range(3)]
            assert cells[0, 0, 0] == cube.Get_cart_rank(coords) + 1
    fields = np.zeros((2, 4, 5))
    fields[:, 1:-1, 1:-1] = R
    with adcl.Halo(fields, grid, axes=(1, 2)) as halo:
        halo.start()
        assert not halo.staged
    assert (fields[:, 0, 1:-1] == grid.Shift(0, 1)[0]).all()


def history() -> None:
    """Search, or use the results of the run before."""
    array = np.zeros((34, 34))
    with adcl.Halo(array, cart(2)) as halo:
        halo.start()
        first = halo.current
        starts = 1
        while not halo.decided and starts < 4000:
            halo.start()
            starts += 1
        if R == 0:
            print("began with", first, "decided for", halo.winner, flush=True)


def main() -> None:
    """Entry point."""
    for case in sys.argv[1:]:
        globals()[case]()
        COMM.Barrier()
        if R == 0:
            print("passed", case, flush=True)


main()
