"""Python functions as C functions that the library calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adcl.runtime._native import native
from adcl.runtime._pending import set_pending
from adcl.runtime.generated.declarations import CONSTANTS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["guarded", "work_function"]


def guarded(call: Callable[[Any], object]) -> Any:  # noqa: ANN401 - a function pointer of cffi
    """Return a C function that calls `call` with the handle of the request.

    If `call` raises an exception, the codelet fails with ADCL_ERR_CALLBACK, and the exception becomes the cause of the
    error that the start raises.
    """
    library = native()

    def run(handle: Any) -> None:  # noqa: ANN401
        try:
            call(handle)
        except BaseException as error:  # noqa: BLE001 - C code calls this function
            set_pending(error)
            message = f"{type(error).__name__}: {error}"
            library.lib.ADCL_Error_set(CONSTANTS["ADCL_ERR_CALLBACK"], message.encode(errors="replace"))

    return library.ffi.callback("ADCL_work_fnct_ptr", run)


def work_function(work: Callable[[], object], errors: list[BaseException]) -> Any:  # noqa: ANN401
    """Return a C function that calls `work` without arguments and appends its exception to `errors`."""

    def run(_: Any) -> None:  # noqa: ANN401
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - C code calls this function
            errors.append(error)

    return native().ffi.callback("ADCL_work_fnct_ptr", run)
