"""Packages that load some of their modules only when something of them is used, so that commands start quickly."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["names_of", "names_of_rooms"]


def names_of(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``, which finds these names in these of its modules (PEP 562)."""
    homes = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:  # noqa: ANN401 - of any kind
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find


def names_of_rooms(package: str, rooms: tuple[str, ...]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``, which finds what its rooms export; a room is imported when it is looked in.

    The rooms are looked through in their order, so that the first one should use no other.
    """

    def find(name: str) -> Any:  # noqa: ANN401 - of any kind
        if not name.startswith("_"):
            for room in rooms:
                module = importlib.import_module(f"{package}.{room}")
                if name in module.__all__:
                    found = getattr(module, name)
                    setattr(sys.modules[package], name, found)
                    return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
