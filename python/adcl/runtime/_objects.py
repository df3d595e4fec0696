"""Objects of the library that belong to a request in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adcl.runtime._native import Native

__all__ = ["Owned"]

_FREE = {"Vector": "ADCL_Vector_deregister"}


class Owned:
    """Objects with local calls to create and free them."""

    def __init__(self, library: Native) -> None:
        self._library = library
        self._slots: list[tuple[str, Any]] = []
        self.pairs: list[tuple[Any, Any]] = []
        """Vectors with their vmaps, one for each field of a request."""

    def create(self, kind: str, call: Any, *arguments: Any) -> Any:  # noqa: ANN401 - functions and values of cffi
        """Call a function that creates an object of a kind, such as "Vmap"; return the handle."""
        slot = self._library.ffi.new(f"ADCL_{kind} *")
        self._library.check(call(*arguments, slot))
        self._slots.append((kind, slot))
        return slot[0]

    def free(self) -> None:
        """Free all objects. Local."""
        for kind, slot in reversed(self._slots):
            getattr(self._library.lib, _FREE.get(kind, f"ADCL_{kind}_free"))(slot)
        self._slots.clear()
        self.pairs.clear()
