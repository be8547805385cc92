"""The deviance of a claim in two parts, against the quadratic forms written out with all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

from liestonet.validation.generator_residuals import GivenResiduals


def test_two_parts_of_the_deviance_are_projections_of_the_whitened_residual():
    """r = C z with Gaussian z: d₁ = |P K^(−½) r|² with P on K^(½) Ψ, d₂ the rest, and both together |z|²."""
    rng = np.random.default_rng(3)
    changes, smooth, z = rng.standard_normal((60, 12)), rng.standard_normal((60, 4)), rng.standard_normal(12)
    smooth /= np.linalg.norm(smooth, axis=0)
    residual = changes @ z
    given = GivenResiduals(residual[None], changes[None], 12, True, smooth)
    (first, few), (second, others) = given.split_deviances()
    covariance = changes @ changes.T
    range_of = scipy.linalg.orth(changes)
    root: Any = scipy.linalg.sqrtm(range_of.T @ covariance @ range_of)
    columns = scipy.linalg.orth(root @ range_of.T @ smooth)
    white = np.linalg.solve(root, range_of.T @ residual)
    along = columns.T @ white
    assert (few, others) == (pytest.approx(4, rel=1e-4), pytest.approx(8, rel=1e-4))
    assert first == pytest.approx(along @ along, rel=1e-4)
    assert first + second == pytest.approx(z @ z, rel=1e-4)


def test_what_no_error_explains_counts_in_the_second_part():
    rng = np.random.default_rng(4)
    changes = np.zeros((1, 20, 3))
    changes[0, :10] = rng.standard_normal((10, 3))
    smooth = np.eye(20)[:, :1]
    explained = (changes[0] @ rng.standard_normal(3))[None]
    (first, _), (second, _) = GivenResiduals(explained, changes, 3, True, smooth).split_deviances()
    beyond = explained + 0.5 * np.eye(20)[15]
    (same, _), (larger, _) = GivenResiduals(beyond, changes, 3, True, smooth).split_deviances()
    assert same == pytest.approx(first)
    assert larger > second + 100
