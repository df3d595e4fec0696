"""Lazy imports for packages, so that commands start quickly."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["lazy_names", "lazy_subpackages"]


def lazy_names(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` (PEP 562) that imports each name's module on first use."""
    homes = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:  # noqa: ANN401 - of any kind
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find


def lazy_subpackages(package: str, rooms: tuple[str, ...]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` that searches the exports of its subpackages and imports them on demand.

    The subpackages are searched in the given order; list a subpackage before those that import it.
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
