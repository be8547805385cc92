"""Tests of equal constants against least squares, NumPy's fits, hand-made p-values and their null law."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from liestonet.groups.shared_constants import equal_alone, equal_together, holm, trends


def covariances(rng: np.random.Generator, groups: int, count: int) -> np.ndarray:
    """Random covariances that are well conditioned."""
    roots = rng.normal(size=(groups, count, count)) + 2 * np.eye(count)
    return roots @ roots.transpose(0, 2, 1)


def test_the_joint_test_is_generalised_least_squares():
    rng = np.random.default_rng(1)
    values, matrices = rng.normal(size=(4, 3)), covariances(rng, 4, 3)
    found = equal_together(values, matrices)
    roots = [np.linalg.inv(np.linalg.cholesky(matrix)) for matrix in matrices]
    design, wanted = np.concatenate(roots), np.concatenate([r @ v for r, v in zip(roots, values, strict=True)])
    residual = np.linalg.lstsq(design, wanted, rcond=None)[1][0]
    assert found.statistic == pytest.approx(residual, rel=1e-10)
    assert found.freedom == 9
    assert found.p_value == pytest.approx(scipy.stats.chi2.sf(residual, 9))


def test_the_joint_test_does_not_depend_on_units_order_or_a_basis_of_the_constants():
    rng = np.random.default_rng(2)
    values, matrices = rng.normal(size=(5, 2)), covariances(rng, 5, 2)
    known = equal_together(values, matrices).statistic
    turn = np.array([[1e6, 3.0], [0.0, 1e-5]])
    turned = equal_together(values @ turn.T, turn @ matrices @ turn.T)
    assert turned.statistic == pytest.approx(known, rel=1e-6)
    order = [3, 1, 4, 0, 2]
    assert equal_together(values[order], matrices[order]).statistic == pytest.approx(known)
    assert equal_together(values + 7, matrices).statistic == pytest.approx(known)


def test_one_constant_alone_is_the_joint_test_of_one():
    rng = np.random.default_rng(3)
    values, errors = rng.normal(size=(6, 1)), rng.uniform(0.5, 2, (6, 1))
    row = equal_alone(values, errors)[0]
    joint = equal_together(values, (errors**2)[:, :, None])
    assert (row.statistic, row.freedom) == (pytest.approx(joint.statistic), joint.freedom)
    assert row.mean == pytest.approx(np.average(values[:, 0], weights=errors[:, 0] ** -2))
    assert row.error == pytest.approx((errors**-2).sum() ** -0.5)


def test_p_values_of_equal_groups_are_uniform():
    rng = np.random.default_rng(11)
    matrices = covariances(rng, 4, 2)
    roots = np.linalg.cholesky(matrices)
    draws = np.einsum("gcd,ngd->ngc", roots, rng.normal(size=(500, 4, 2)))
    p_values = [equal_together(values, matrices).p_value for values in draws]
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 1e-3
    errors = np.sqrt(np.einsum("gcc->gc", matrices))
    rejected = [min(row.adjusted for row in equal_alone(values, errors)) <= 0.05 for values in draws]
    assert np.mean(rejected) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 500)


def test_a_trend_is_the_line_of_weighted_least_squares():
    rng = np.random.default_rng(4)
    places = np.array([300.0, 310.0, 325.0, 330.0, 345.0])
    values, errors = rng.normal(size=(5, 2)), rng.uniform(0.5, 2, (5, 2))
    for k, line in enumerate(trends(values, errors, places)):
        fit, matrix = np.polyfit(places, values[:, k], 1, w=1 / errors[:, k], cov="unscaled")
        assert line.slope == pytest.approx(fit[0], rel=1e-8)
        assert line.error == pytest.approx(np.sqrt(matrix[0, 0]), rel=1e-8)
        assert line.level - line.slope * line.centre == pytest.approx(fit[1], rel=1e-8)
        left = np.sum(((values[:, k] - np.polyval(fit, places)) / errors[:, k]) ** 2)
        assert line.rest == pytest.approx(scipy.stats.chi2.sf(left, 3))


def test_a_line_through_two_groups_is_always_enough():
    (line,) = trends(np.array([[1.0], [2.0]]), np.array([[0.1], [0.1]]), np.array([0.0, 4.0]))
    assert line.rest is None
    assert line.slope == pytest.approx(0.25)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_constants_that_depend_on_each_other_count_once():
    values = np.array([[1.0, 2.0], [1.5, 3.0]])
    matrix = 0.04 * np.array([[1.0, 2.0], [2.0, 4.0]])
    found = equal_together(values, np.array([matrix, matrix]))
    assert found.freedom == 1
    assert found.statistic == pytest.approx(0.5**2 / 0.08)
