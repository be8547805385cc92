"""Coefficients without the terms of some variables, against regressions that never had these terms."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.catalogue import catalogue
from liestonet.core.uncertainty import inverse
from liestonet.inference.translation_invariance import shift_invariant
from liestonet.surrogate.features import Features
from liestonet.surrogate.regression import Scaled, regress, scaled_block
from liestonet.surrogate.sparse_model import sparse_model
from liestonet.surrogate.spectral_fit import drift_targets, fit_spectral
from liestonet.surrogate.surrogate import Surrogate

# Chance that a deviance is above its bound under a right covariance; two systems are looked at.
FALSE_ALARM = 1e-4


@pytest.fixture(scope="module", params=["double-well", "brownian-parabola"])
def fitted(request: pytest.FixtureRequest) -> tuple[str, Surrogate]:
    name: str = request.param
    return name, fit_spectral(catalogue[name].simulate(paths=256, seed=11))


class TestTermsLeftOut:
    def test_depends_on_what_is_left_only(self, fitted: tuple[str, Surrogate]) -> None:
        surrogate = shift_invariant(fitted[1], [0])
        points = surrogate.overview.points[:50]
        later = points + np.eye(1, surrogate.dimension + 1) * 0.3
        for name in ("drift", "diffusion_squared"):
            values = getattr(surrogate, name)
            assert np.allclose(values(points[:, 0], points[:, 1:]), values(later[:, 0], later[:, 1:]), atol=1e-12)

    def test_no_variables_change_nothing(self, fitted: tuple[str, Surrogate]) -> None:
        surrogate = shift_invariant(fitted[1], [])
        assert np.allclose(surrogate.parameters, fitted[1].parameters, atol=1e-9)
        assert np.allclose(surrogate.errors.root, fitted[1].errors.root, atol=1e-9)

    def test_is_the_regression_without_these_terms(self, fitted: tuple[str, Surrogate]) -> None:
        surrogate = fitted[1]
        overview, estimate = surrogate.overview, surrogate.drift_estimates[0]
        features = estimate.features
        stay = features.degrees[:, 0] == 0
        fewer = Features(features.domain, features.degrees[stay], features.logarithmic)
        sample = scaled_block(overview.sample, overview.domain)
        targets = drift_targets(overview, sample.dx, surrogate.noisy, features)

        def first(block: Scaled) -> tuple[np.ndarray, np.ndarray]:
            values, weights = targets[0](block)
            return values[:, :1], weights[:, :1]

        alone = regress([sample], fewer, [(0,)], first, False)
        moments = alone[0].precision @ alone[0].parameters + alone[0].parameters / alone[0].prior
        expected = inverse(alone[0].precision + np.diag(1 / estimate.prior[stay])) @ moments
        got = shift_invariant(surrogate, [0]).drift_estimates[0].parameters
        assert np.allclose(got[stay], expected, atol=1e-8 * np.abs(expected).max())
        assert not got[~stay].any()

    def test_other_estimates(self, fitted: tuple[str, Surrogate]) -> None:
        surrogate = fitted[1]
        sparse = sparse_model(surrogate)
        first = shift_invariant(surrogate, [], sparse)
        assert np.allclose(first.parameters, sparse.parameters, atol=1e-9)


class TestErrorsLeft:
    def test_true_coefficients_are_within_the_errors(self, fitted: tuple[str, Surrogate]) -> None:
        # neither system depends on time; the true parameters are those of the exact coefficients in the features
        name, surrogate = fitted
        imposed = shift_invariant(surrogate, [0])
        change = imposed.parameters - _exact(name, surrogate)
        lengths = np.linalg.svd(imposed.errors.root, compute_uv=False)
        rank = int(np.sum(lengths > 1e-6 * lengths[0]))
        # shrunk parameters scatter less than their prior says, so that χ² is an upper bound
        bound = rank + 2 * np.sqrt(rank * np.log(1 / FALSE_ALARM)) + 2 * np.log(1 / FALSE_ALARM)
        assert np.sum((imposed.errors.back @ change) ** 2) < bound


def _exact(name: str, surrogate: Surrogate) -> np.ndarray:
    """Parameters of the true coefficients: both systems' are polynomials that the features hold."""
    sde, domain = catalogue[name].sde, surrogate.domain
    rows = surrogate.overview.points[::7]
    f, a = sde.drift(rows[:, 0], rows[:, 1:]), sde.diffusion_squared(rows[:, 0], rows[:, 1:])
    columns = []
    for estimate in (*surrogate.drift_estimates, *surrogate.diffusion_estimates):
        values = (f if len(estimate.entry) == 1 else a)[(slice(None), *estimate.entry)]
        unit = np.prod(domain.half[1:][list(estimate.entry)]) / domain.half[0]
        functions = estimate.features.values(rows)[()]
        found, *_ = np.linalg.lstsq(functions, values / unit, rcond=None)
        assert np.allclose(functions @ found, values / unit, atol=1e-9)
        columns.append(found)
    return np.concatenate(columns)


def test_errors_of_a_refit_are_a_linear_map_of_those_before() -> None:
    surrogate = fit_spectral(catalogue["brownian-tanh"].simulate(paths=256, seed=12))
    rng = np.random.default_rng(0)
    moved = surrogate.parameters + surrogate.errors.root @ rng.standard_normal(surrogate.errors.root.shape[1])
    start, other = shift_invariant(surrogate, [0]), shift_invariant(surrogate.with_parameters(moved), [0])
    expected = start.errors.root @ np.linalg.lstsq(surrogate.errors.root, moved - surrogate.parameters, rcond=None)[0]
    assert np.allclose(other.parameters - start.parameters, expected, atol=1e-9)
