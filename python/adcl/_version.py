"""Version of the package. It equals the library's version; a test compares it with ADCL.h."""

__all__ = ["__version__"]

__version__ = "2.0.0"
