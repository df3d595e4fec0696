"""Description of the native library, read from the program ``adcl-describe``. Python does not load MPI."""

from adcl.info._locate import DescribeNotFoundError, find_companion, find_describe
from adcl.info._model import (
    SCHEMA,
    Attribute,
    AttributeValue,
    Build,
    Capabilities,
    Description,
    ListedCodelet,
    ListedSet,
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
    "DescribeError",
    "DescribeNotFoundError",
    "Described",
    "Description",
    "ListedCodelet",
    "ListedSet",
    "Method",
    "Option",
    "describe",
    "find_companion",
    "find_describe",
    "parse",
]
