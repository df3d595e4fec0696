"""Draws the pulse that ``euler3d`` computes: ``pulse.py BUILD`` writes docs/pulse.png from the VTK files of two runs.

BUILD is a build folder with the program and its launcher, such as build/openmpi. The image shows the maximum of the
density along z.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

__all__ = ["main", "read_density"]

_RANKS = 2
_SIZE = "24x48x48"
_ITERATIONS = (1, 88)
_PLACE = Path(__file__).resolve().parent.parent / "docs" / "pulse.png"


def _extent(text: str | None) -> list[slice]:
    """Return the cells along x, y and z, from ``"x0 x1 y0 y1 z0 z1"``."""
    numbers = [int(word) for word in (text or "").split()]
    return [slice(numbers[2 * d], numbers[2 * d + 1]) for d in range(3)]


def read_density(index: Path) -> np.ndarray:
    """Return the density of all cells, indexed by x, y and z, from a ``.pvti`` file and its parts."""
    whole = ET.parse(index).getroot().find("PImageData")  # noqa: S314
    if whole is None:
        sys.exit(f"{index} is not a parallel VTK image")
    density = np.full([along.stop for along in _extent(whole.get("WholeExtent"))], np.nan)
    for piece in whole.iter("Piece"):
        part = ET.parse(index.parent / str(piece.get("Source"))).getroot()  # noqa: S314
        values = part.find(".//DataArray[@Name='density']")
        if values is None or values.text is None:
            sys.exit(f"{piece.get('Source')} has no density")
        x, y, z = _extent(piece.get("Extent"))
        shape = (z.stop - z.start, y.stop - y.start, x.stop - x.start)
        density[x, y, z] = np.array(values.text.split(), dtype=float).reshape(shape).transpose()
    return density


def _run(build: Path, folder: Path, iterations: int) -> tuple[np.ndarray, float]:
    """Run the program; return the final density and the simulated time."""
    name, report = folder / f"pulse{iterations}", folder / "report.json"
    command = [str(build / "launch"), str(_RANKS), str(build / "bin" / "euler3d"), "--size", _SIZE, "--quiet"]
    command += ["--iterations", str(iterations), "--vtk", str(name), "--json", str(report)]
    subprocess.run(command, check=True)
    return read_density(name.with_suffix(".pvti")), float(json.loads(report.read_text())["time"])


def main() -> None:
    """Run the program twice and draw both results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    build = parser.parse_args().build
    figure, panels = plt.subplots(1, len(_ITERATIONS), figsize=(6.2, 2.9), layout="constrained", sharey=True)
    with tempfile.TemporaryDirectory() as folder:
        for panel, iterations in zip(panels, _ITERATIONS, strict=True):
            density, elapsed = _run(build, Path(folder), iterations)
            picture = panel.imshow(density.max(axis=2).T, origin="lower", extent=(0, 1, 0, 1), vmin=1, vmax=1.5)
            panel.set(title=f"time {elapsed:.3f}", xlabel="x")
    panels[0].set_ylabel("y")
    figure.colorbar(picture, ax=panels, label="density, largest along z", shrink=0.9)
    figure.savefig(_PLACE, dpi=90)


if __name__ == "__main__":
    main()
