"""Marginal likelihood against the Gaussian density it stands for, and its gradient against differences."""

import numpy as np

from liestonet.core.domain import Domain
from liestonet.surrogate.covariance import prior_root
from liestonet.surrogate.features import Features, rich_degrees
from liestonet.surrogate.regression import Estimate
from liestonet.surrogate.shrinkage import choose_shrinkage, log_evidence, log_variances, loosened, sized
from liestonet.surrogate.tuning import FIT

DEGREE_SET = rich_degrees(1, *FIT.degrees[0][0])
BOX = Domain(((0.0, 1.0), (-1.0, 1.0)))


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


def test_larger_variances_are_those_that_the_evidence_just_allows():
    functions, values = _data(rows=400, seed=6)
    precision, moments = functions.T @ functions, functions.T @ values
    variances = choose_shrinkage(precision, moments, DEGREE_SET).variances
    chosen = sized(DEGREE_SET)
    assert not chosen[DEGREE_SET.sum(axis=1) == 0].any()
    assert chosen[DEGREE_SET.sum(axis=1) > 0].all()
    found = loosened(precision, moments[:, 0], variances, chosen)
    factors = found / variances
    np.testing.assert_array_equal(factors[~chosen], 1.0)
    np.testing.assert_allclose(factors[chosen], factors[chosen][0])
    lost = log_evidence(precision, moments, variances)[0] - log_evidence(precision, moments, found)[0]
    np.testing.assert_allclose(lost, FIT.evidence_lost, rtol=0.02)


def test_an_error_that_the_likeliest_prior_hides_is_covered():
    # one parameter two standard errors from zero beside many that are zero: its likeliest prior is small, and so is the
    # error that goes with it
    rng, features = np.random.default_rng(7), Features(BOX, DEGREE_SET, (False, False))
    places = np.flatnonzero((DEGREE_SET[:, 0] == 0) & (DEGREE_SET[:, 1] > 0) & (DEGREE_SET[:, 1] <= 3))
    precision = 400.0 * np.eye(len(DEGREE_SET))
    truth = np.zeros(len(DEGREE_SET))
    truth[places[-1]] = 2 / np.sqrt(400)
    covered = np.zeros(2, dtype=int)
    for _ in range(50):
        moments = precision @ truth + np.sqrt(400) * rng.standard_normal(len(truth))
        prior = choose_shrinkage(precision, moments[:, None], DEGREE_SET).variances
        posterior = np.diag(1 / (400 + 1 / prior))
        parameters = posterior @ moments
        estimate = Estimate((0,), features, parameters, precision, prior, 0.0)
        scatter = posterior @ precision @ posterior
        for place, root in enumerate(
            (posterior / np.sqrt(prior), prior_root(posterior, precision, parameters, prior, [estimate]))
        ):
            error = np.sqrt((scatter + root @ root.T)[places[-1], places[-1]])
            covered[place] += abs(parameters - truth)[places[-1]] < 1.96 * error
    assert covered[1] >= 38, covered
    assert covered[0] <= covered[1] - 4, covered
