"""Keys of a TOML file that describe the placement of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcl.jobs._placement import Placement

if TYPE_CHECKING:
    from pathlib import Path

    from adcl._toml_table import TomlTable

__all__ = ["read_placement"]


def read_placement(table: TomlTable) -> Placement:
    """Return the placement in a table; paths are relative to the file. Raises `StudyError`."""

    def path(key: str) -> Path | None:
        text = table.text(key)
        return None if text is None else table.file.parent / text

    return Placement(
        hosts=table.texts("hosts"),
        platform=path("platform"),
        hostfile=path("hostfile"),
        ranks_per_node=table.whole("ranks_per_node", None, least=1),
        pmi=table.text("pmi"),
        launcher_options=table.texts("launcher_options"),
    )
