"""Paths held out: sums by parts, what a constraint gains on data it has not seen, and the sparse model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize

import liestonet as lsn
from findings import of_data
from liestonet.inference.held_out import held_out
from liestonet.inference.refit import deviance
from liestonet.inference.translation_invariance import shift_invariant
from liestonet.surrogate.error_directions import resolved_errors
from liestonet.surrogate.regression import _between_paths
from liestonet.surrogate.sparse_model import sparse_model
from liestonet.surrogate.tuning import FIT


def _data(equation: str, paths: int = 200, seed: int = 1) -> lsn.Trajectories:
    sde = lsn.SDE.parse(equation)
    return sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 1)), duration=1.0, step=0.02, paths=paths, seed=seed)


@pytest.fixture(scope="module")
def surrogate():
    return lsn.fit(_data("dx = -x dt + dW"))


def _estimates(surrogate):
    return (*surrogate.drift_estimates, *surrogate.diffusion_estimates)


def test_parts_add_up_to_the_whole(surrogate):
    for estimate in _estimates(surrogate):
        total = estimate.folds.precisions.sum(axis=0)
        assert total == pytest.approx(estimate.precision, rel=1e-9, abs=1e-9 * np.abs(total).max())
        moments = estimate.precision @ estimate.parameters + estimate.parameters / estimate.prior
        scale = np.abs(moments).max()
        assert estimate.folds.moments.sum(axis=0) == pytest.approx(moments, abs=1e-6 * scale)
        assert (np.trace(estimate.folds.precisions, axis1=1, axis2=2) > 0).all()


def test_pieces_end_where_paths_end():
    """Paths of 30 increments, cut into at least as many pieces as there are folds."""
    trajectory = np.repeat(np.arange(100), 30)
    pieces = list(_between_paths(trajectory))
    assert len(pieces) >= FIT.folds
    assert [piece.start for piece in pieces[1:]] == [piece.stop for piece in pieces[:-1]]
    assert all(piece.stop % 30 == 0 for piece in pieces)
    assert pieces[-1].stop == 3000


def test_one_long_path_is_cut_all_the_same():
    pieces = list(_between_paths(np.zeros(1000, dtype=int)))
    assert len(pieces) >= FIT.folds
    assert sum(piece.stop - piece.start for piece in pieces) == 1000


def test_a_constraint_that_changes_nothing_gains_nothing(surrogate):
    gained = held_out(surrogate, surrogate.information, surrogate)
    assert np.abs(gained.gains).max() < 1e-9


def test_a_wrong_constraint_loses_and_by_how_much(surrogate):
    """The drift's sign turned round: the loss is that of the weighted squares, computed from the sums themselves."""
    turned = surrogate.parameters.copy()
    count = len(surrogate.drift_estimates[0].parameters)
    turned[:count] *= -1
    fixed = replace(surrogate.errors, scatter=0 * surrogate.errors.scatter, prior=0 * surrogate.errors.prior)
    plain = replace(surrogate, errors=replace(surrogate.errors, hidden=0))
    gained = held_out(plain, surrogate.information, replace(surrogate.with_parameters(turned), errors=fixed))
    drift = surrogate.drift_estimates[0]
    expected = 2 * drift.folds.moments.sum(axis=0) @ -drift.parameters
    # nearly: the parts foretold by the others differ a little from the whole
    assert gained.gain == pytest.approx(expected, rel=0.05)
    assert gained.loses(2.0)


def test_the_simpler_surrogate_keeps_significant_terms():
    """A linear drift and constant noise stay, a strong cubic stays too; chance does not."""
    points = np.linspace(-1.5, 1.5, 7)[:, None]
    t = np.full(7, 0.5)
    for equation, drift in (("dx = -x dt + dW", -points), ("dx = (x - 2*x^3) dt + dW", points - 2 * points**3)):
        fitted = lsn.fit(_data(equation, paths=2000))
        plain = shift_invariant(fitted, [], sparse_model(fitted))
        assert np.abs(plain.drift(t, points) - drift).max() < 0.35
        values = plain.diffusion_squared(t, points)[:, 0, 0]
        assert values == pytest.approx(np.ones(7), abs=0.05)
        # no dependence on time is left
        assert plain.drift(t, points) == pytest.approx(plain.drift(t - 0.4, points), abs=1e-9)


def test_errors_that_are_left_out_change_no_coefficient():
    sde = lsn.SDE.parse("dx = -x dt + dW1; dy = -y dt + dW2")
    data = sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 2)), duration=1.0, step=0.05, paths=200, seed=3)
    fitted = lsn.fit(data)
    again = resolved_errors(fitted)
    covariance = fitted.parameter_covariance
    assert again.root @ again.root.T == pytest.approx(covariance, abs=1e-6 * np.abs(covariance).max())
    assert again.hidden == fitted.errors.hidden == 2


def test_deviance_is_the_posterior_cost_with_the_cheapest_hidden_part() -> None:
    data = lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=200, seed=5)
    fitted = lsn.fit(data, measurement=lsn.Measurement.exact())
    assert deviance(fitted, fitted) == (0.0, 0.0)
    constrained = shift_invariant(fitted, [0])
    cost, freedom = deviance(fitted, constrained)
    change, seen = constrained.parameters - fitted.parameters, fitted.errors.scatter.shape[1] - fitted.errors.hidden
    hidden = fitted.errors.scatter[:, seen:]

    def total(share: np.ndarray) -> float:
        rest, begin, value = change - hidden @ share, 0, float(share @ share)
        for estimate in (*fitted.drift_estimates, *fitted.diffusion_estimates):
            part = rest[begin : begin + len(estimate.parameters)]
            begin += len(part)
            value += float(part @ estimate.precision @ part + np.sum(part**2 / estimate.prior))
        return value

    least = scipy.optimize.minimize(total, np.zeros(hidden.shape[1]), tol=1e-12)
    assert cost == pytest.approx(least.fun, rel=1e-5)
    # no more conditions than terms left out, of two coefficients
    assert 1 < freedom <= 2 * np.sum(fitted.drift_estimates[0].features.degrees[:, 0] > 0) + 1e-6


def test_a_refit_that_has_nothing_to_impose_stays_where_it_is() -> None:
    """With both shifts exact Brownian motion's coefficients are constants, and its scaling asks nothing more."""
    result = lsn.discover(lsn.catalogue["brownian"].simulate(paths=256, seed=6), formulas=False)
    assert result.dimension == 3
    refit = of_data(result).refit
    assert refit is not None
    assert refit.converged
    assert refit.deviance < 60
