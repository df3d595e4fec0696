"""The layout of an array in memory, in the terms of ADCL's vectors. No MPI."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Layout", "layout_of"]


@dataclass(frozen=True)
class Layout:
    """An array as fields of one shape. Each field is a vector of ADCL."""

    order: tuple[int, ...]
    """Dimensions of the process grid, from the outermost in memory to the innermost."""

    fortran: bool
    """Whether the first dimension is the innermost: vectors have Fortran order, and `order` is 0, 1, …"""

    dims: tuple[int, ...]
    """Extents of the dimensions in `order`."""

    entries: int
    """Entries per grid point; 1 for a scalar."""

    extent: int
    """Distance of entries in bytes."""

    offsets: tuple[int, ...]
    """Positions of the fields in bytes."""


def layout_of(shape: Sequence[int], strides: Sequence[int], itemsize: int, axes: Sequence[int]) -> Layout | None:
    """Return the layout; None if vectors cannot describe it, such as a block in a larger array.

    `axes[d]` is the axis that dimension d of the process grid divides. Other axes are entries of a grid point if they
    are the innermost, otherwise separate fields. Strides are in bytes.
    """
    counted = [axis for axis in range(len(shape)) if shape[axis] > 1]
    if any(strides[axis] < itemsize for axis in counted):
        return None
    extent = min((strides[axis] for axis in counted), default=itemsize)
    rest = [axis for axis in range(len(shape)) if axis not in axes]
    entries = 1
    fields: list[int] = []
    for axis in sorted(rest, key=lambda one: (strides[one], -one)):
        if shape[axis] > 1 and (strides[axis] != extent * entries or fields):
            fields.append(axis)
        else:
            entries *= shape[axis]
    identity = tuple(range(len(axes)))
    by_stride = sorted(identity, key=lambda d: -strides[axes[d]] if shape[axes[d]] > 1 else 0)
    for order, fortran in ((identity, False), (identity[::-1], True), (tuple(by_stride), False)):
        if _is_dense([(shape[axes[d]], strides[axes[d]]) for d in reversed(order)], extent * entries):
            steps = [[i * strides[axis] for i in range(shape[axis])] for axis in fields]
            return Layout(
                order=identity if fortran else order,
                fortran=fortran,
                dims=tuple(shape[axes[d]] for d in (identity if fortran else order)),
                entries=entries,
                extent=extent,
                offsets=tuple(sum(one) for one in itertools.product(*steps)),
            )
    return None


def _is_dense(dimensions: Sequence[tuple[int, int]], unit: int) -> bool:
    """Return whether the dimensions, pairs of extent and stride from the innermost, follow each other without gaps."""
    for extent, stride in dimensions:
        if extent > 1 and stride != unit:
            return False
        unit *= extent
    return True
