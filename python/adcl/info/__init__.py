"""Description of the native library, read from the program ``adcl-describe``. Python does not load MPI."""

from adcl.info._locate import DescribeNotFoundError, find_companion, find_describe
from adcl.info._model import (
    SCHEMA,
    Attribute,
    AttributeValue,
    Build,
    Capabilities,
    Codelet,
    Description,
    FunctionSet,
    Method,
    Option,
)
from adcl.info._read import Described, DescribeError, describe, parse

__all__ = [
    "SCHEMA",
    "Attribute",
    "AttributeValue",
    "Build",
    "Capabilities",
    "Codelet",
    "DescribeError",
    "DescribeNotFoundError",
    "Described",
    "Description",
    "FunctionSet",
    "Method",
    "Option",
    "describe",
    "find_companion",
    "find_describe",
    "parse",
]
