"""Sources of measurements: a benchmark's records, the store of a study, and the formats of other tools."""

from typing import TYPE_CHECKING

from adcl import _later
from adcl.scale.input._records import paused_garbage_collection, read_measurements
from adcl.scale.input._store import Store, is_store, replace_text
from adcl.scale.input._stored import StoreEntry

if TYPE_CHECKING:
    from adcl.scale.input._extrap import read_extrap_jsonl, read_extrap_text, write_extrap_jsonl, write_extrap_text
    from adcl.scale.input._open import Imported, open_any, read_any

__all__ = [
    "Imported",
    "Store",
    "StoreEntry",
    "is_store",
    "open_any",
    "paused_garbage_collection",
    "read_any",
    "read_extrap_jsonl",
    "read_extrap_text",
    "read_measurements",
    "replace_text",
    "write_extrap_jsonl",
    "write_extrap_text",
]

__getattr__ = _later.lazy_names(
    __name__,
    {
        "_extrap": (
            "read_extrap_jsonl",
            "read_extrap_text",
            "write_extrap_jsonl",
            "write_extrap_text",
        ),
        "_open": (
            "Imported",
            "open_any",
            "read_any",
        ),
    },
)
