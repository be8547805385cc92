"""Increments are worked on in pieces: the numbers do not depend on it, and memory does not grow with the data."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
import scipy.stats
from numpy.polynomial import legendre

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.core.periods import NO_PERIODS
from liestonet.surrogate.covariance import Regression, parameter_errors
from liestonet.surrogate.features import Features, rich_degrees
from liestonet.surrogate.overview import look_over
from liestonet.surrogate.regression import PIECE, Scaled, evaluate, pieces_of, regress
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.trajectories.increments import BLOCK_ROWS, Increments
from liestonet.trajectories.measurement import Measurement

DOMAIN = Domain(((0.0, 2.0), (-1.0, 3.0)))


def scaled(rows: int, seed: int = 0) -> Scaled:
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.uniform(0, 2, rows), rng.uniform(-1, 3, rows)])
    return Scaled(points, np.full(rows, 0.01), rng.standard_normal((rows, 1)))


def test_features_are_products_of_legendre_polynomials():
    features, points = Features(DOMAIN, rich_degrees(1, 3, 7), (False, False)), scaled(50).points
    found = features.values(points)[()]
    s = (points - DOMAIN.centre) / DOMAIN.half
    for column, row in enumerate(features.degrees.tolist()):
        one, other = (np.sqrt(2 * d + 1) * legendre.legval(s[:, v], np.eye(d + 1)[d]) for v, d in enumerate(row))
        assert found[:, column] == pytest.approx(one * other, abs=1e-12)


def test_sums_over_pieces_are_those_of_all_increments_at_once():
    block, features = scaled(2 * PIECE + 77), Features(DOMAIN, rich_degrees(1, 3, 7), (False, False))

    def targets(part: Scaled) -> tuple[np.ndarray, np.ndarray]:
        return part.dx, 1 + part.points[:, :1] ** 2

    estimate = regress(pieces_of(block), features, [(0,)], targets, pooled=False)[0]
    functions = features.values(block.points)[()]
    weights = 1 + block.points[:, 0] ** 2
    assert estimate.precision == pytest.approx(functions.T @ (functions * weights[:, None]), rel=1e-11, abs=1e-8)
    assert evaluate([estimate], block.points)[:, 0] == pytest.approx(functions @ estimate.parameters, abs=1e-12)


def test_the_covariance_is_that_of_all_scores_at_once(monkeypatch):
    sde = lsn.SDE.parse("dx = -x dt + dW")
    data = sde.simulate(lambda rng, paths: rng.uniform(-1, 1, (paths, 1)), duration=1.0, step=0.05, paths=100, seed=2)
    surrogate = lsn.fit(data)

    def targets(part: Scaled) -> tuple[np.ndarray, np.ndarray]:
        return part.dx / part.dt[:, None], np.ones((len(part.dt), 1))

    regressions = [Regression(surrogate.drift_estimates, targets)]
    whole = parameter_errors(surrogate.overview, regressions).scatter
    monkeypatch.setattr("liestonet.surrogate.regression.PIECE", 100)
    pieces = parameter_errors(surrogate.overview, regressions).scatter
    covariance = whole @ whole.T
    assert pieces @ pieces.T == pytest.approx(covariance, abs=1e-9 * np.abs(covariance).max())


def test_intervals_and_p_values_are_those_of_chi_square():
    """One direction whose noise has equal variances in five directions: a χ² with five degrees of freedom."""
    scale, count, square = 0.01, 5, 0.03
    noise, cross = scale * np.eye(count)[None], np.zeros((count, 1))
    evidence = Evidence(
        np.ones((1, 1)), np.array([[square]]), noise, noise.sum(axis=0)[:1, :1], cross, np.eye(count), count, False
    )
    assert evidence.p_value() == pytest.approx(scipy.stats.chi2.sf(square / scale, count))
    upper = scipy.stats.gamma.ppf(
        0.95,
        (square + count * scale) ** 2 / (2 * count * scale**2),
        scale=2 * count * scale**2 / (square + count * scale),
    )
    assert evidence.interval(0, 0.95)[1] ** 2 == pytest.approx(upper)


@pytest.mark.parametrize("true", [0.0, 0.02, 0.1, 0.5])
def test_both_ends_of_an_interval_cover_the_true_residual(true: float):
    """Residuals drawn as the errors make them, r = ρu + Ag: each end is wrong in one of twenty, near zero and far."""
    rng = np.random.default_rng(4)
    errors = 0.04 * rng.standard_normal((30, 6)) * np.array([1.0, 0.7, 0.5, 0.3, 0.2, 0.1]) / np.sqrt(30)
    # along the largest error, where leaving its product with the residual out would be worst
    direction = true * errors[:, 0] / np.linalg.norm(errors[:, 0])
    noise, below, above, runs = (errors.T @ errors)[None], 0, 0, 1000
    for _ in range(runs):
        seen = direction + errors @ rng.standard_normal(6)
        cross, gram = (errors.T @ seen)[:, None], np.array([[seen @ seen]])
        evidence = Evidence(np.ones((1, 1)), gram, noise, noise.sum(axis=0)[:1, :1], cross, np.eye(6), 6, True)
        lower, upper = evidence.interval(0, 0.95)
        below, above = below + (lower > true), above + (upper < true)
    # three standard deviations of a count with chance 5 %, and a little for the χ² that stands in for the true law
    assert below / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs) + 0.01
    assert above / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs) + 0.01


class Endless:
    """Many blocks, made on demand and not stored."""

    dimension, names, periodic, measurement = 1, ("x",), NO_PERIODS, Measurement()

    def __init__(self, blocks: int) -> None:
        self.blocks = blocks

    def chunks(self, rows: int = BLOCK_ROWS) -> Iterator[Increments]:
        one = np.linspace(0, 1, rows)
        for number in range(self.blocks):
            moved = one[:, None] + number / self.blocks
            yield Increments(one.copy(), moved, one + 0.01, moved.copy(), np.full(rows, number))


def test_a_sample_does_not_keep_the_blocks_it_came_from():
    peaks = []
    for blocks in (20, 160):
        tracemalloc.start()
        overview = look_over(Endless(blocks))
        peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
        assert overview.count == blocks * BLOCK_ROWS
    # Kept by views, 140 blocks of 2.5 MB more would be there: 350 MB. Sums are joined in a tree, which holds a sample
    # of at most 10 MB for each of its levels, and has three more of them for eight times as many blocks.
    assert peaks[1] < peaks[0] + 40
