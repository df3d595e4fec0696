"""Results of a study, as text, as JSON, and as settings for the MPI library."""

from adcl.tune.result._conclusion import MODULES, Conclusion, conclude, document, write_advice
from adcl.tune.result._exports import MODULE
from adcl.tune.result._profile_page import FunctionTime, function_times, profile_document, profile_page, size_labels
from adcl.tune.result._setting import NotConfirmed, Setting

__all__ = [
    "MODULE",
    "MODULES",
    "Conclusion",
    "FunctionTime",
    "NotConfirmed",
    "Setting",
    "conclude",
    "document",
    "function_times",
    "profile_document",
    "profile_page",
    "size_labels",
    "write_advice",
]
