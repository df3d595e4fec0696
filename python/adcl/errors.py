"""Failures that a user can do something about: one line that names the value and the remedy, never a traceback."""

__all__ = ["AdclError", "UsageError"]


class AdclError(Exception):
    """Something failed. The message says what, with which value, and what to do about it."""

    exit_code = 1


class UsageError(AdclError):
    """What was asked for is invalid: a wrong name, range or combination."""

    exit_code = 2
