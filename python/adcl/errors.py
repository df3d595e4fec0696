"""Errors that a user can fix; each prints one line with the value and the remedy, without a traceback."""

__all__ = ["AdclError", "DataError", "UndecidedError", "UsageError"]


class AdclError(Exception):
    """An operation failed. The message contains the problem, the value and the remedy."""

    exit_code = 1


class UsageError(AdclError):
    """The request is invalid: an unknown name, a range or a combination."""

    exit_code = 2


class UndecidedError(AdclError):
    """No statement is broken, but the measurements leave at least one statement undecided."""

    exit_code = 3


class DataError(AdclError):
    """The data cannot be judged: they are missing or corrupt."""

    exit_code = 4
