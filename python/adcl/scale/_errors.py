"""Failures of ``adcl scale`` that have exit codes of their own."""

from __future__ import annotations

from adcl.errors import AdclError

__all__ = ["DataError", "UndecidedError"]


class UndecidedError(AdclError):
    """Nothing is broken, and something cannot be told from these measurements."""

    exit_code = 3


class DataError(AdclError):
    """The data cannot be judged: there are none, or they are corrupt."""

    exit_code = 4
