"""ADCL for Python. Importing it needs neither MPI nor the native library."""

from adcl._version import __version__

__all__ = ["__version__"]
