"""Python package of ADCL. Importing it requires neither MPI nor the native library."""

from adcl._version import __version__

__all__ = ["__version__"]
