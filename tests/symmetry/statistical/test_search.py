"""Verdicts are taken back where a richer basis might still change them, and only there."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.core.ladder import LadderRow
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import Search


def _search(verdicts: list[str], residuals: list[float], poorer: list[float]) -> Search:
    rows = tuple(LadderRow(size, 0.0, 0.0, 0.01, 0.0, word) for size, word in zip(residuals, verdicts, strict=True))
    # verdicts are settled without the operator
    return Search(
        object.__new__(NoisyOperator), np.zeros((1, len(rows))), rows, verdicts.count("symmetry"), poorer=tuple(poorer)
    )


@pytest.mark.parametrize(
    ("verdict", "before", "after", "settled"),
    [
        ("near-symmetry", 0.05, 0.049, "near-symmetry"),
        ("near-symmetry", 0.05, 0.03, "undecided"),
        ("no", 0.5, 0.35, "no"),
        ("no", 0.5, 0.2, "undecided"),
        ("symmetry", 0.05, 0.001, "symmetry"),
    ],
)
def test_what_still_falls_is_undecided(verdict, before, after, settled):
    found = _search(["symmetry", verdict], [0.001, after], [0.001, before])
    assert found.withdraw_unsettled(3).rows[1].verdict == settled
    # beyond the largest possible algebra there is nothing to take back
    assert found.withdraw_unsettled(1).rows[1].verdict == verdict


@pytest.mark.parametrize(
    ("verdict", "before", "after", "moving"),
    [
        ("near-symmetry", 0.077, 0.064, True),
        ("near-symmetry", 0.05, 0.049, False),
        ("no", 0.2, 0.13, True),
        ("no", 0.9, 0.6, False),
        ("symmetry", 0.05, 0.001, False),
    ],
)
def test_the_basis_is_enriched_while_residuals_fall_slowly(verdict, before, after, moving):
    found = _search(["symmetry", verdict], [0.001, after], [0.001, before])
    assert found.moving(3) == moving
    assert not found.moving(1)


@pytest.mark.parametrize(
    ("key", "seeds"),
    [
        ("brownian-tanh", (100,)),
        pytest.param("brownian-sine", (100, 101, 102), marks=pytest.mark.slow),
        pytest.param("brownian-sinh", (100, 101, 102), marks=pytest.mark.slow),
    ],
)
def test_generators_singular_just_beyond_the_box_are_found(key, seeds):
    """√(x(1 − x)), (1 − x²) artanh x, √(1 + x²): polynomials of low degree leave residuals of several percent.

    A recording left the third of √(x(1 − x)) undecided in 2 of 24, so two of three are missed once in fifty.
    """
    system = lsn.catalogue[key]
    results = [lsn.discover(system.simulate(paths=1024, seed=seed), formulas=False) for seed in seeds]
    assert all(result.dimension <= 3 for result in results)
    found = [result for result in results if result.dimension == 3]
    assert 3 * len(found) >= 2 * len(seeds)
    result = found[0]
    t = np.random.default_rng(0).uniform(*result.domain.intervals[0], 500)
    x = np.random.default_rng(1).uniform(*result.domain.intervals[1], (500, 1)) * 0.98
    angles = lsn.principal_angles(result.generators, system.generators("ito"), t, x)
    assert np.max(angles) < 4.0
