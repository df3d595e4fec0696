"""Function sets whose codelets are written in Python or compiled by other packages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from adcl.runtime._callback import guarded
from adcl.runtime._errors import error_for
from adcl.runtime._native import native
from adcl.runtime._request import Request, find
from adcl.runtime.generated.declarations import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from mpi4py import MPI

    from adcl.runtime._native import Native

__all__ = ["Attributes", "Codelet", "Combinations", "FunctionSet", "Work", "set_similarity"]

Work: TypeAlias = "Callable[[Request], object] | int"
"""A function that receives the request, or the address of a C function of type ADCL_work_fnct_ptr."""

Attributes: TypeAlias = "Mapping[str, Sequence[str]]"
"""Names of attributes, and the names of their values."""


@dataclass(frozen=True)
class Codelet:
    """One implementation of a function set.

    `function` performs the whole communication. With `wait`, it only starts the communication, and `wait` completes it;
    such codelets are candidates of `Request.init`. An exception fails the codelet: the start raises a `CallbackError`
    on this rank, and all ranks drop the codelet at the next agreement.
    """

    function: Work
    wait: Work | None = None
    name: str = ""
    """Name in reports (default: the name of the function)."""

    values: Mapping[str, str] = field(default_factory=dict)
    """Value of each attribute of the set."""


@dataclass(frozen=True)
class Combinations:
    """A codelet for every combination of attribute values of a set, except the excluded ones.

    `function` reads the values of the running codelet with ``request.attribute_values(n)`` for n attributes: the
    positions of the values in the set's `attributes`.
    """

    function: Work
    wait: Work | None = None
    excluded: Sequence[Mapping[str, str]] = ()


class FunctionSet:
    """Codelets with the same result, of which a request selects the fastest.

    Example::

        def ordered(request: adcl.Request) -> None:
            comm, u = request.comm, request.context
            ...

        with adcl.FunctionSet("my exchange", [ordered, shifted]) as functions:
            with functions.request(comm, context=u) as exchange:
                exchange.start()

    Args:
        name: Name in reports and in the history.
        codelets: Functions or `Codelet` objects with different names, of which the first is the reference; or
            `Combinations`.
        attributes: Names of the attributes, and the names of their values.
        sharing: Whether requests on one communicator share a search. Their contexts must then not change which codelet
            is fastest.

    Local; all ranks create equal sets. Raises `ArgumentError`. The functions must not start or free their own request.
    """

    def __init__(
        self,
        name: str,
        codelets: Sequence[Codelet | Work] | Combinations,
        *,
        attributes: Attributes | None = None,
        sharing: bool = False,
    ) -> None:
        library = native()
        self.name = name
        self._native = library
        self._attributes = {key: list(values) for key, values in (attributes or {}).items()}
        self._slots: list[tuple[str, Any]] = []
        self._callbacks: list[Any] = []
        try:
            self._attrset = self._attribute_set()
            self._set = self._combinations(codelets) if isinstance(codelets, Combinations) else self._listed(codelets)
            library.check(library.lib.ADCL_Fnctset_set_sharing(self._set, int(sharing)))
        except BaseException:
            self.free()
            raise

    def _attribute_set(self) -> Any:  # noqa: ANN401 - a handle of cffi
        library = self._native
        if not self._attributes:
            return library.null("ATTRSET")
        handles = [self._attribute(key, values) for key, values in self._attributes.items()]
        array = library.ffi.new("ADCL_Attribute[]", handles)
        return self._new("Attrset", library.lib.ADCL_Attrset_create, len(handles), array)

    def _listed(self, codelets: Sequence[Codelet | Work]) -> Any:  # noqa: ANN401
        functions = [self._function(one if isinstance(one, Codelet) else Codelet(one)) for one in codelets]
        handles = self._native.ffi.new("ADCL_Function[]", functions)
        create = self._native.lib.ADCL_Fnctset_create
        return self._new("Fnctset", create, len(functions), handles, self.name.encode())

    def _combinations(self, codelets: Combinations) -> Any:  # noqa: ANN401
        ffi = self._native.ffi
        numbers = [number for one in codelets.excluded for number in self._values(one)]
        return self._new(
            "Fnctset",
            self._native.lib.ADCL_Fnctset_create_single,
            self._callback(codelets.function),
            ffi.NULL if codelets.wait is None else self._callback(codelets.wait),
            self._attrset,
            self.name.encode(),
            self._native.integers(numbers) if numbers else ffi.NULL,
            len(codelets.excluded),
        )

    def _new(self, kind: str, call: Any, *arguments: Any) -> Any:  # noqa: ANN401 - functions and values of cffi
        slot = self._native.ffi.new(f"ADCL_{kind} *")
        self._native.check(call(*arguments, slot))
        self._slots.append((kind, slot))
        return slot[0]

    def _attribute(self, name: str, values: Sequence[str]) -> Any:  # noqa: ANN401
        ffi = self._native.ffi
        texts = [ffi.new("char[]", one.encode()) for one in values]
        numbers = self._native.integers(range(len(values)))
        create = self._native.lib.ADCL_Attribute_create
        return self._new("Attribute", create, len(values), numbers, ffi.new("char *[]", texts), name.encode())

    def _values(self, chosen: Mapping[str, str]) -> list[int]:
        """Return the positions of attribute values. Raises `ValueError`."""
        if chosen.keys() != self._attributes.keys():
            raise ValueError(
                f"the values {dict(chosen)} must name exactly the attributes of the set: {', '.join(self._attributes)}"
            )
        for name, value in chosen.items():
            if value not in self._attributes[name]:
                raise ValueError(
                    f"attribute {name} has no value {value!r}; its values are {', '.join(self._attributes[name])}"
                )
        return [values.index(chosen[name]) for name, values in self._attributes.items()]

    def _callback(self, work: Work) -> Any:  # noqa: ANN401
        if isinstance(work, int):
            return self._native.ffi.cast("ADCL_work_fnct_ptr *", work)
        made = guarded(lambda handle: work(find(handle)))
        self._callbacks.append(made)
        return made

    def _function(self, codelet: Codelet) -> Any:  # noqa: ANN401
        lib, null = self._native.lib, self._native.ffi.NULL
        name = codelet.name or getattr(codelet.function, "__name__", "")
        values = self._native.integers(self._values(codelet.values)) if self._attributes else null
        if not self._attributes and codelet.values:
            raise ValueError(f"codelet {name} has attribute values, but the set has no attributes")
        first = self._callback(codelet.function)
        if codelet.wait is None:
            return self._new("Function", lib.ADCL_Function_create, first, self._attrset, values, name.encode())
        second = self._callback(codelet.wait)
        create = lib.ADCL_Function_create_async
        return self._new("Function", create, first, second, self._attrset, values, name.encode())

    def request(self, comm: MPI.Intracomm | None = None, *, context: object = None) -> Request:
        """Return a request that runs the codelets on `comm` (default: COMM_WORLD). Collective over `comm`.

        The codelets find `context` as ``request.context``. Raises `MismatchError` if the sets of the ranks differ.
        """
        library = self._native
        ffi, lib = library.ffi, library.lib
        comm = library.mpi.COMM_WORLD if comm is None else comm
        topology = ffi.new("ADCL_Topology *", library.null("TOPOLOGY"))
        library.check(lib.ADCL_Topology_create(library.handle("MPI_Comm", comm), 0, topology))
        slot = ffi.new("ADCL_Request *", library.null("REQUEST"))
        code = lib.ADCL_Request_create(library.null("VECTOR"), library.null("VMAP"), topology[0], self._set, slot)
        message = ffi.string(lib.ADCL_Last_error()).decode(errors="replace")
        lib.ADCL_Topology_free(topology)
        if code:
            raise error_for(code, message)
        made = Request(slot[0], (comm, self._callbacks))
        made.context = context
        return made

    def set_similarity(self, function: Callable[[dict[str, float], dict[str, float]], float] | None) -> None:
        """Set the distance of problems for requests created from now on; see `adcl.set_similarity`."""
        _similarity(self._native, self._set, function, self._callbacks)

    def free(self) -> None:
        """Free the set; requests that use it live on. Local. A second call does nothing."""
        for kind, slot in reversed(self._slots):
            getattr(self._native.lib, f"ADCL_{kind}_free")(slot)
        self._slots.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()


_distances: list[Any] = []
"""Callbacks of predefined sets, which the library may call until the program ends."""


def set_similarity(function_set: str, function: Callable[[dict[str, float], dict[str, float]], float] | None) -> None:
    """Set the distance with which a predefined set, such as "NEIGHBORHOOD", finds similar problems in ADCL_HISTORY.

    `function` receives the properties of the new and of a stored problem by name. It returns 0 if the same codelet is
    fastest for both, up to 1 if they are similar, and more otherwise. It runs on rank 0 and must not communicate. None
    restores the library's distance. Raises `ValueError` for an unknown set. Local.
    """
    library = native()
    name = f"ADCL_FNCTSET_{function_set.upper()}"
    if name not in CONSTANTS:
        known = [one.removeprefix("ADCL_FNCTSET_") for one in CONSTANTS if one.startswith("ADCL_FNCTSET_")]
        raise ValueError(f"unknown function set {function_set!r}; function sets: {', '.join(known[1:])}")
    _similarity(library, library.ffi.cast("ADCL_Fnctset", CONSTANTS[name]), function, _distances)


def _similarity(
    library: Native,
    handle: Any,  # noqa: ANN401
    function: Callable[[dict[str, float], dict[str, float]], float] | None,
    kept: list[Any],
) -> None:
    pointer = library.ffi.NULL
    if function is not None:

        def distance(number: int, names: Any, here: Any, there: Any) -> float:  # noqa: ANN401
            texts = [library.ffi.string(names[i]).decode() for i in range(number)]
            return float(
                function(
                    dict(zip(texts, list(here[0:number]), strict=True)),
                    dict(zip(texts, list(there[0:number]), strict=True)),
                )
            )

        # After an exception, the problems are not similar.
        pointer = library.ffi.callback("ADCL_similarity_fnct_ptr", distance, error=2.0)
        kept.append(pointer)
    library.check(library.lib.ADCL_Fnctset_set_similarity(handle, pointer))
