"""Failures that a user can do something about: one line that names the value and the remedy, never a traceback."""

__all__ = ["AdclError", "DataError", "UndecidedError", "UsageError"]


class AdclError(Exception):
    """Something failed. The message says what, with which value, and what to do about it."""

    exit_code = 1


class UsageError(AdclError):
    """What was asked for is invalid: a wrong name, range or combination."""

    exit_code = 2


class UndecidedError(AdclError):
    """Nothing is broken, and the measurements cannot decide something."""

    exit_code = 3


class DataError(AdclError):
    """The data cannot be judged: there are none, or they are corrupt."""

    exit_code = 4
