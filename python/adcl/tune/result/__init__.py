"""What a study has found: for people, for programs, and for the MPI library."""

from adcl.tune.result._conclusion import Conclusion, Setting, conclude, document, write_advice

__all__ = ["Conclusion", "Setting", "conclude", "document", "write_advice"]
