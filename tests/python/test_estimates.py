"""Statistical methods of the library compared with scipy, on random samples that resemble measurements."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats
from scipy.cluster.hierarchy import linkage, to_tree
from support import PROJECT, part_of, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    Samples = np.ndarray

_SEED = int(os.environ.get("ADCL_TEST_SEED") or np.random.default_rng().integers(2**32))
_SETS = part_of(1500)
_COARSE = 10
"""Interval between sets with a coarse clock."""


@dataclass(frozen=True)
class Numbers:
    """Result of a method for samples."""

    mean: float
    filtered: float
    outliers: int
    measurements: int
    spread: float


def _programs() -> list[str]:
    return [str(one) for one in (PROJECT / "build").glob("*/bin/estimate_lines")]


def _ask(method: str, sets: Sequence[Samples], fraction: float = 0.2) -> list[Numbers]:
    programs = _programs()
    if not programs:
        pytest.skip("the library's tests are not built: no build/*/bin/estimate_lines")
    lines = [f"{method} {fraction} " + " ".join(f"{one:.17g}" for one in samples) for samples in sets]
    ended = subprocess.run(
        programs[:1], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=within(120)
    )
    rows = [[float(word) for word in line.split()] for line in ended.stdout.splitlines()]
    return [Numbers(row[0], row[1], int(row[2]), int(row[3]), row[4]) for row in rows]


@pytest.fixture(scope="module")
def sets() -> list[Samples]:
    """Return times with a scattered bulk, slow stragglers, a second mode, or a coarse clock."""
    random = np.random.default_rng(_SEED)
    made = []
    for number in range(_SETS):
        size = int(random.integers(2, 80))
        times = 10 ** random.uniform(-6, -2) * random.lognormal(0.0, random.choice([0.01, 0.1, 0.5]), size)
        slow = random.random(size) < random.choice([0.0, 0.05, 0.3])
        times[slow] *= random.uniform(2, 50, int(slow.sum()))
        if number % _COARSE == 0:
            times = np.round(times, 7)
        made.append(times)
    return made


def test_iqr(sets: list[Samples]) -> None:
    for samples, numbers in zip(sets, _ask("iqr", sets), strict=True):
        first, third = np.quantile(samples, [0.25, 0.75])
        low, high = np.array([first, third]) + 1.5 * stats.iqr(samples) * np.array([-1.0, 1.0])
        if np.isclose(samples[:, None], [low, high], rtol=1e-12, atol=0.0).any():
            continue  # skip samples for which rounding decides on the side of the limit
        kept = samples[(samples >= low) & (samples <= high)]
        assert numbers.outliers == len(samples) - len(kept), _SEED
        assert numbers.filtered == pytest.approx(kept.mean(), rel=1e-12), _SEED
        assert numbers.mean == pytest.approx(samples.mean(), rel=1e-12)
        assert numbers.spread == pytest.approx(kept.std(ddof=1) if len(kept) > 1 else 0.0, rel=1e-9, abs=1e-18)


def _clustered(samples: Samples, accepted: int) -> Samples:
    """Cluster by scipy's dendrogram, as in thesis section 5.2.3."""
    node = to_tree(linkage(samples.reshape(-1, 1), method="average", metric="euclidean"))
    while not node.is_leaf() and node.dist > 0.0:
        parts = [node.get_left(), node.get_right()]
        means = [samples[part.pre_order()].mean() for part in parts]
        sizes = [part.get_count() for part in parts]
        slower = int(means[1] > means[0])
        out = slower if sizes[0] == sizes[1] else int(sizes[1] < sizes[0])
        if sizes[out] > accepted:
            break
        accepted -= sizes[out]
        node = parts[1 - out]
    kept: Samples = samples[node.pre_order()]
    return kept


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.2, 0.5])
def test_cluster(sets: list[Samples], fraction: float) -> None:
    # A coarse clock causes equal distances; the order of merging, and hence the tree, is then ambiguous.
    distinct = [samples for number, samples in enumerate(sets) if number % _COARSE]
    for samples, numbers in zip(distinct, _ask("cluster", distinct, fraction), strict=True):
        kept = _clustered(samples, int(fraction * len(samples) + 1e-9))
        assert numbers.outliers == len(samples) - len(kept), _SEED
        assert numbers.filtered == pytest.approx(kept.mean(), rel=1e-9), _SEED


def _log_likelihood(samples: Samples, freedom: float, location: float, scale: float) -> float:
    return float(stats.t.logpdf(samples, freedom, location, scale).sum())


def test_robust(sets: list[Samples]) -> None:
    freedom = 5.0
    scattered = [samples for samples in sets if len(np.unique(samples)) == len(samples) and len(samples) >= 5]
    below = 0
    answers = _ask("robust", scattered)
    fitted = part_of(120)
    for samples, numbers in zip(scattered[:fitted], answers[:fitted], strict=True):
        unit = float(np.median(samples))
        found = _log_likelihood(samples / unit, freedom, numbers.filtered / unit, numbers.spread / unit)
        _, location, scale = stats.t.fit(samples / unit, fdf=freedom)
        # With few degrees of freedom several maxima are possible: start near the median.
        below += found < _log_likelihood(samples / unit, freedom, location, scale) - 1e-3
        nudged = [
            _log_likelihood(samples / unit, freedom, numbers.filtered / unit + a, numbers.spread / unit * b)
            for a in (-1e-3 * numbers.spread / unit, 0.0, 1e-3 * numbers.spread / unit)
            for b in (0.999, 1.0, 1.001)
        ]
        assert found >= max(nudged) - 1e-5, f"it is no maximum; seed {_SEED}"
    assert below <= 4, f"scipy finds a higher maximum {below} times; seed {_SEED}"


def test_a_few_disturbed_measurements_change_little() -> None:
    random = np.random.default_rng(_SEED)
    quiet = [1e-5 * random.normal(1.0, 0.02, 20) for _ in range(200)]
    disturbed = [samples.copy() for samples in quiet]
    for samples in disturbed:
        samples[:2] *= 30.0
    for method in ("iqr", "cluster", "robust"):
        for before, after in zip(_ask(method, quiet), _ask(method, disturbed), strict=True):
            assert after.filtered == pytest.approx(before.filtered, rel=0.03), f"{method}; seed {_SEED}"
            assert after.outliers >= 2, method


@pytest.mark.parametrize("method", ["none", "heuristic", "iqr", "cluster", "robust"])
def test_equal_measurements(method: str) -> None:
    equal, nearly, most = _ask(
        method, [np.full(10, 3e-6), np.array([2e-6] * 9 + [2.1e-6]), np.array([1.0] * 9 + [9.0])]
    )
    assert equal.filtered == pytest.approx(3e-6)
    assert equal.spread == pytest.approx(0.0, abs=1e-18)
    assert equal.outliers == 0
    assert nearly.filtered == pytest.approx(2e-6, rel=0.01)
    assert most.filtered == pytest.approx(1.8 if method == "none" else 1.0, rel=1e-3)
