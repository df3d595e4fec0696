"""The statistics of the bench that compares model generators."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support import PROJECT

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def models() -> ModuleType:
    """bench/models.py as a module."""
    specification = importlib.util.spec_from_file_location("bench_models", PROJECT / "bench" / "models.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    # As when it is run as a program: its neighbours are found by their names.
    sys.path.insert(0, str(PROJECT / "bench"))
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.remove(str(PROJECT / "bench"))
    return module


def test_paired_test(models: ModuleType) -> None:
    ours = np.array([True] * 10 + [False] * 5)
    theirs = np.array([True] * 10 + [True] * 5)
    # All five pairs that differ are against us: a half to the power of five.
    assert models.mcnemar(ours, theirs) == pytest.approx(1 / 32)
    assert models.mcnemar(theirs, ours) == 1.0
    assert models.mcnemar(ours, ours) == 1.0


def test_correction_for_many_cells(models: ModuleType) -> None:
    assert models.holm([0.04, 0.5, 0.9]) == 0
    assert models.holm([0.001, 0.5, 0.9]) == 1
    assert models.holm([0.001, 0.02, 0.9]) == 2


def test_exact_series_are_all_found(models: ModuleType) -> None:
    for index, text in enumerate(models.CLASSES):
        for points in models.POINTS:
            cell = models.make_cell(index, points, 0.0, 5, 1)
            for expectation in (text, models.WRONG[index], None):
                found, _ = models.found_exactly(cell, models.candidates_for(expectation))
                assert found.all(), (text, points, expectation)
