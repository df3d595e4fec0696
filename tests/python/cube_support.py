"""Write small CUBE profiles (``.cubex``), in the format described in the sources of CubeLib."""

from __future__ import annotations

import io
import struct
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_ANCHOR = """<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4">
<metrics>
<metric id="0" type="INCLUSIVE"><disp_name>Time</disp_name><uniq_name>time</uniq_name><dtype>DOUBLE</dtype>
<uom>sec</uom></metric>
<metric id="1" type="EXCLUSIVE"><disp_name>Visits</disp_name><uniq_name>visits</uniq_name><dtype>UINT64</dtype>
<uom>occ</uom></metric>
<metric id="2" type="EXCLUSIVE"><disp_name>Min</disp_name><uniq_name>min_time</uniq_name><dtype>MINDOUBLE</dtype>
<uom>sec</uom></metric>
<metric id="3" type="EXCLUSIVE"><disp_name>Sent</disp_name><uniq_name>bytes_sent</uniq_name><dtype>UINT64</dtype>
<uom>bytes</uom></metric>
</metrics>
<program>
<region id="0" begin="1" end="2"><name>main</name></region>
<region id="1" begin="1" end="2"><name>solve</name></region>
<region id="2" begin="1" end="2"><name>MPI_Send</name></region>
<cnode id="0" calleeId="0"><cnode id="1" calleeId="1"><cnode id="2" calleeId="2"></cnode></cnode></cnode>
</program>
<system><systemtreenode Id="0" class="machine"><name>here</name>{groups}</systemtreenode></system>
</cube>
"""
_GROUP = """<locationgroup Id="{at}"><name>MPI Rank {at}</name><rank>{at}</rank><type>process</type>
<location Id="{at}"><name>Master</name><rank>0</rank><type>thread</type></location></locationgroup>"""


def _member(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    header = tarfile.TarInfo(name)
    header.size = len(data)
    archive.addfile(header, io.BytesIO(data))


def write_cube(path: Path, inclusive: list[list[float]], visits: list[list[int]], order: str = "<") -> None:
    """Write a profile of main, its callee solve, and its callee MPI_Send, with their values on each rank.

    Bytes sent have no data, as for programs that send nothing; `order` is the byte order.
    """
    ranks = len(inclusive[0])
    index = b"CUBEX.INDEX" + struct.pack(f"{order}ihbi3i", 1, 0, 0, 3, 0, 1, 2)
    with tarfile.open(path, "w") as archive:
        groups = "".join(_GROUP.format(at=at) for at in range(ranks))
        _member(archive, "anchor.xml", _ANCHOR.format(groups=groups).encode())
        for number, kind, rows in ((0, "d", inclusive), (1, "Q", visits), (2, "d", inclusive)):
            values = [value for row in rows for value in row]
            _member(archive, f"{number}.index", index)
            _member(archive, f"{number}.data", b"CUBEX.DATA" + struct.pack(f"{order}{len(values)}{kind}", *values))
