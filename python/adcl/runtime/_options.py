"""Options of the library."""

from __future__ import annotations

from adcl.runtime._native import native

__all__ = ["get_option", "set_option", "version"]

_LONGEST = 8192


def set_option(name: str, value: object) -> None:
    """Set an option, such as ``adcl.set_option("ADCL_SEARCH", "brute_force")``, for requests created from now on.

    An environment variable of that name takes precedence. If ranks set different values, rank 0 of a request's
    communicator decides. True and False mean 1 and 0. Raises `OptionError` for an unknown name, with the most similar
    one, and for a value out of range.
    """
    library = native()
    text = str(int(value)) if isinstance(value, bool) else str(value)
    library.check(library.lib.ADCL_Option_set(name.encode(), text.encode()))


def get_option(name: str) -> str:
    """Return the current value of an option as text. Raises `OptionError` for an unknown name."""
    library = native()
    return library.text(library.lib.ADCL_Option_get, name.encode(), size=_LONGEST)


def version() -> tuple[int, int, int]:
    """Return the version of the loaded library."""
    library = native()
    numbers = library.ffi.new("int[3]")
    library.check(library.lib.ADCL_Get_version(numbers, numbers + 1, numbers + 2))
    return numbers[0], numbers[1], numbers[2]
