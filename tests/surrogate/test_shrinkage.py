"""Marginal likelihood against the Gaussian density it stands for, and its gradient against differences."""

import numpy as np

from liestonet.surrogate.features import rich_degrees
from liestonet.surrogate.shrinkage import choose_shrinkage, log_evidence, log_variances
from liestonet.surrogate.tuning import FIT

DEGREE_SET = rich_degrees(1, *FIT.degrees[0][0])


def _data(columns=1, rows=60, seed=0):
    rng = np.random.default_rng(seed)
    functions = rng.standard_normal((rows, len(DEGREE_SET)))
    return functions, rng.standard_normal((rows, columns))


def test_evidence_is_the_density_of_the_data_relative_to_no_coefficients():
    functions, values = _data()
    variances = np.random.default_rng(1).uniform(0.01, 2.0, len(DEGREE_SET))
    covariance = np.eye(len(functions)) + functions * variances @ functions.T
    y = values[:, 0]
    expected = (y @ y - y @ np.linalg.solve(covariance, y) - np.linalg.slogdet(covariance)[1]) / 2
    found, _ = log_evidence(functions.T @ functions, functions.T @ values, variances)
    np.testing.assert_allclose(found, [expected], rtol=1e-10)


def test_gradient_is_that_of_the_sum():
    functions, values = _data(columns=3)
    matrix, constant = log_variances(DEGREE_SET)
    at = np.array([0.3, -1.0, -2.0, -1.5, -0.9])

    def total(parameters):
        return log_evidence(functions.T @ functions, functions.T @ values, np.exp(matrix @ parameters + constant))

    found = matrix.T @ total(at)[1]
    differences = [(total(at + e)[0].sum() - total(at - e)[0].sum()) / 2e-5 for e in 1e-5 * np.eye(5)]
    np.testing.assert_allclose(found, differences, rtol=1e-6, atol=1e-6)


def test_what_is_not_in_the_data_is_shrunk_but_not_away():
    functions, noise = _data(rows=5000, seed=3)
    linear = int(np.flatnonzero((DEGREE_SET == (0, 1)).all(axis=1))[0])
    values = 0.5 * functions[:, [linear]] + noise
    shrinkage = choose_shrinkage(functions.T @ functions, functions.T @ values, DEGREE_SET)
    standard_error = 1 / np.sqrt(5000)
    cubic = int(np.flatnonzero((DEGREE_SET == (0, 3)).all(axis=1))[0])
    assert np.sqrt(shrinkage.variances[linear]) > 10 * standard_error
    assert 0.05 * standard_error < np.sqrt(shrinkage.variances[cubic]) < 5 * standard_error


def test_a_search_near_variances_of_much_the_same_data_ends_where_the_search_from_everywhere_does():
    functions, noise = _data(rows=2000, seed=4)
    linear = int(np.flatnonzero((DEGREE_SET == (0, 1)).all(axis=1))[0])
    values = 0.2 * functions[:, [linear]] + noise
    others = values + 0.5 * np.random.default_rng(5).standard_normal(values.shape)
    precision = functions.T @ functions
    near = choose_shrinkage(precision, functions.T @ others, DEGREE_SET).variances
    everywhere = choose_shrinkage(precision, functions.T @ values, DEGREE_SET)
    found = choose_shrinkage(precision, functions.T @ values, DEGREE_SET, near=near)
    np.testing.assert_allclose(found.log_evidence, everywhere.log_evidence, rtol=1e-5)
    kept = everywhere.variances > 1e-6
    np.testing.assert_allclose(found.variances[kept], everywhere.variances[kept], rtol=0.02)
