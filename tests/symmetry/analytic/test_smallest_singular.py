"""The lowest directions against a dense singular value decomposition of the assembled matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from known_symmetries import SYSTEMS
from liestonet.symmetry.analytic.nullspace import cloud_for, start_basis
from liestonet.symmetry.analytic.smallest_singular import lowest_directions
from liestonet.symmetry.determining import operator as operator_module
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import KINDS
from liestonet.symmetry.determining.operator import Operator

CASES = [
    ("Ornstein-Uhlenbeck", "ito"),
    ("geometric Brownian motion", "law"),
    ("double well", "fokker-planck"),
    ("Example 3", "ito"),
    ("Kolmogorov", "ito"),
]


def problem(name: str, kind: str) -> tuple[Operator, Basis]:
    known = SYSTEMS[name]
    basis = start_basis(KINDS[kind], known.source, known.domain, None)
    return Operator(KINDS[kind], known.source, known.domain, cloud_for(basis, known.domain)), basis


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_lowest_singular_values_and_vectors(name, kind):
    operator, basis = problem(name, kind)
    matrix = operator.assemble(basis).apply(np.eye(basis.size))
    _, values, right = np.linalg.svd(np.linalg.qr(matrix, mode="r"))
    values, right = values[::-1], right[::-1]
    directions = lowest_directions(operator, basis, 12)
    found = directions.residuals
    np.testing.assert_allclose(directions.coefficients.T @ directions.coefficients, np.eye(12), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(matrix @ directions.coefficients, axis=0), found, atol=1e-13 * values[-1])
    np.testing.assert_allclose(directions.column_norms, np.linalg.norm(matrix, axis=0), rtol=1e-12, atol=1e-13)
    assert (np.diff(found) >= 0).all()
    rounding = 1e-14 * values[-1]
    # a block's values are never below the true ones; the first half of the block has converged
    assert (found >= values[:12] - rounding).all()
    np.testing.assert_allclose(found[:6], values[:6], rtol=1e-4, atol=rounding)
    for k in range(1, 7):
        if values[k] > max(3 * values[k - 1], 10 * rounding):
            angles = scipy.linalg.subspace_angles(directions.coefficients[:, :k], right[:k].T)
            assert angles.max() < max(1e-3 * values[k - 1], rounding) / values[k], k


def test_small_residuals_are_good_to_rounding_of_the_matrix():
    """∂x and ∂t of Brownian motion: zero to 1e-15, where the eigenvalues of DᵀD alone would give 1e-8."""
    operator, basis = problem("Brownian motion", "ito")
    assert lowest_directions(operator, basis, 5).residuals[:3].max() < 1e-14


def test_a_start_changes_nothing_but_the_way():
    operator, basis = problem("Ornstein-Uhlenbeck", "ito")
    cold = lowest_directions(operator, basis, 9)
    warm = lowest_directions(operator, basis, 9, cold.coefficients[:, :4])
    np.testing.assert_allclose(warm.residuals[:5], cold.residuals[:5], rtol=1e-4, atol=1e-12)
    assert scipy.linalg.subspace_angles(warm.coefficients[:, :3], cold.coefficients[:, :3]).max() < 1e-7


def test_recomputed_blocks_are_the_same(monkeypatch):
    operator, basis = problem("Example 3", "ito")
    kept = lowest_directions(operator, basis, 8)
    monkeypatch.setattr(operator_module, "KEPT_BYTES", 0)
    anew = lowest_directions(operator, basis, 8)
    np.testing.assert_array_equal(kept.residuals, anew.residuals)


def test_no_more_directions_than_the_basis_holds():
    operator, basis = problem("Brownian motion", "ito")
    directions = lowest_directions(operator, basis, 10_000)
    matrix = operator.assemble(basis).apply(np.eye(basis.size))
    assert directions.coefficients.shape == (basis.size, basis.size)
    values = np.linalg.svd(matrix, compute_uv=False)[::-1]
    np.testing.assert_allclose(directions.residuals, values, atol=1e-13 * values[-1])
