"""The version, which is the library's: a test compares it with ADCL.h."""

__all__ = ["__version__"]

__version__ = "2.0.0"
