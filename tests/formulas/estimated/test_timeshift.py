"""Rates from the matrix of ∂t: known spectra, with errors of known size."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.formulas.estimated.separation import separated
from liestonet.formulas.estimated.timeshift import shift_rates

# matrices of ∂t with the first column zero: real rates, a double rate with t, one without, polynomials, a turning pair
REAL = np.array([[0.0, 0, 0], [0, 1, 0], [0, 0, 2]])
JORDAN = np.array([[0.0, 0, 0], [0, -1, 1], [0, 0, -1]])
EQUAL = np.array([[0.0, 0, 0], [0, -1, 0], [0, 0, -1]])
POLYNOMIAL = np.array([[0.0, 1, 0], [0, 0, 1], [0, 0, 0]])
STILL = np.zeros((3, 3))
TURNING = np.array([[0.0, 0, 0], [0, -1, 2], [0, -2, -1]])


def noisy(matrix: np.ndarray, error: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A draw of the matrix, and its errors: every entry but the first column on its own."""
    size = len(matrix)
    changes = np.zeros((size * (size - 1), size, size))
    for k, (i, j) in enumerate((i, j) for i in range(size) for j in range(1, size)):
        changes[k, i, j] = error
    rng = np.random.default_rng(seed)
    mixing = np.linalg.qr(rng.standard_normal((size - 1, size - 1)))[0]
    turn = np.eye(size)
    turn[1:, 1:] = mixing
    return turn.T @ matrix @ turn + np.tensordot(rng.standard_normal(len(changes)), changes, axes=1), changes


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (REAL, [(0, 0, 1, 1), (1, 0, 1, 1), (2, 0, 1, 1)]),
        (JORDAN, [(0, 0, 1, 1), (-1, 0, 2, 2)]),
        (EQUAL, [(0, 0, 1, 1), (-1, 0, 1, 2)]),
        (POLYNOMIAL, [(0, 0, 3, 3)]),
        (STILL, [(0, 0, 1, 3)]),
        (TURNING, [(0, 0, 1, 1), (-1, 2, 1, 2)]),
    ],
)
def test_known_spectra_are_found(matrix, expected, seed):
    unit = 2.5
    draw, changes = noisy(matrix, 0.01, seed)
    found = shift_rates(draw / unit, changes / unit, unit)[0]
    assert [(rate.multiplicity, rate.generators) for rate in found] == [row[2:] for row in expected]
    for rate, (decay, turn, *_) in zip(found, expected, strict=True):
        assert abs(rate.decay - decay / unit) <= 4 * rate.uncertainty
        assert abs(rate.turn - turn / unit) <= 4 * rate.turn_uncertainty


def test_uncertainties_cover_the_truth():
    distances = []
    for seed in range(200):
        draw, changes = noisy(REAL, 0.03, seed)
        found = shift_rates(draw, changes, 1.0)[0]
        distances += [(rate.decay - true) / rate.uncertainty for rate, true in zip(found[1:], (1, 2), strict=True)]
    inside = np.mean(np.abs(distances) < 1)
    # 400 draws, correlated in pairs: 68 % within 10 %
    assert 0.58 < inside < 0.78


def test_generators_are_told_apart_by_their_functions():
    rng = np.random.default_rng(0)
    blocks = np.zeros((5, 3))
    blocks[:2, 0], blocks[2:, 1:] = rng.standard_normal(2), rng.standard_normal((3, 2))
    mixed = blocks @ rng.standard_normal((3, 3))
    found, changes, mixing = separated(mixed, np.zeros((1, 5, 3)), [0, 0, 1, 1, 1], [1, 2])
    np.testing.assert_allclose(found, mixed @ mixing, atol=1e-10)
    assert not found[2:, 0].any()
    assert not found[:2, 1:].any()
    assert changes.shape == (1, 5, 3)
    assert np.linalg.matrix_rank(found) == 3
