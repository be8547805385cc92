"""The learnt density against the exact one of Brownian motion and of the Ornstein–Uhlenbeck process."""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
import pytest
import scipy.stats

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.neural.coefficients.density import EquationCoefficients as Known
from liestonet.neural.coefficients.density import equation_residual, fit_density
from liestonet.neural.coefficients.settings import DensitySettings

QUICK = DensitySettings(widths=(16, 16), steps=400, batch=1024, collocation=64)
DOMAIN = Domain(((0.0, 2.0), (-4.0, 4.0)))
RATES = {"brownian": 0.0, "ornstein-uhlenbeck": 1.0}


def exact(rate: float, t, x):
    """Density, slope and curvature in x, and derivative in time, from x₀ ~ N(0.5, 0.5²)."""
    mean = 0.5 * np.exp(-rate * t)
    variance = 0.25 + t if rate == 0 else 0.25 * np.exp(-2 * rate * t) + (1 - np.exp(-2 * rate * t)) / (2 * rate)
    u, z = scipy.stats.norm.pdf(x, mean, np.sqrt(variance)), x - mean
    slope, curvature = -z / variance * u, (z**2 / variance - 1) / variance * u
    return {(): u, (1,): slope, (1, 1): curvature, (0,): rate * (u + x * slope) + 0.5 * curvature}


def equation(rate: float) -> lsn.SDE:
    return lsn.SDE.parse("dx = dW" if rate == 0 else "dx = -x dt + dW")


@pytest.fixture(scope="module", params=list(RATES))
def learnt(request):
    rate = RATES[request.param]
    sde = equation(rate)
    data = sde.simulate(
        lambda rng, count: rng.normal(0.5, 0.5, (count, 1)), duration=2.0, step=0.02, paths=2000, seed=103
    )
    return rate, data, fit_density(data, QUICK, coefficients=sde.coefficients(DOMAIN), seed=0)


def test_it_is_the_exact_density_with_its_derivatives(learnt):
    rate, _, density = learnt
    rng = np.random.default_rng(0)
    t, x = rng.uniform(0.2, 1.8, 2000), rng.uniform(-1.5, 2.0, 2000)
    found, truth = density.jet(t, x[:, None]), exact(rate, t, x)
    assert (found[()] > 0).all()
    # 2000 independent paths know a density of this width to about 3 %, and its derivatives less well
    for derivative, most in (((), 0.05), ((1,), 0.1), ((1, 1), 0.2)):
        error = np.sqrt(np.mean((found[derivative] - truth[derivative]) ** 2) / np.mean(truth[derivative] ** 2))
        assert error < most, derivative


def test_its_integral_is_one_at_every_time(learnt):
    _, _, density = learnt
    x = np.linspace(-8, 8, 801)
    for time in (0.1, 1.0, 1.9):
        assert np.trapezoid(density(np.full(801, time), x[:, None]), x) == pytest.approx(1.0, abs=0.02)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits(learnt):
    rate, data, density = learnt
    again = fit_density(data, QUICK, coefficients=equation(rate).coefficients(DOMAIN), seed=0)
    assert np.array_equal(again.last, density.last)


def test_the_residual_is_that_of_the_fokker_planck_equation(learnt):
    rate, _, density = learnt
    points = np.column_stack([np.linspace(0.2, 1.8, 30), np.linspace(-1, 1.5, 30)])
    t, x = points.T
    jet = density.jet(t, x[:, None])
    # u_t = −(f u)_x + ½ u_xx with f = −rate·x
    wrong = jet[(0,)] - rate * (jet[()] + x * jet[(1,)]) - 0.5 * jet[(1, 1)]
    ones = np.ones(30)
    known = Known(points, -rate * x[:, None], -rate * ones, np.zeros((30, 1)), np.ones((30, 1, 1)))
    found = np.asarray(jax.jit(partial(equation_residual, "tanh"))(density.gaussian, density.ratio, known))
    parts = [jet[(0,)], rate * x * jet[(1,)], rate * jet[()], 0.5 * jet[(1, 1)]]
    size = np.sqrt(1 + sum((part / jet[()] * density.gaussian.half) ** 2 for part in parts))
    assert found * size == pytest.approx(density.gaussian.half * wrong / jet[()], abs=1e-9)


def test_too_few_states_are_refused():
    data = lsn.Trajectories.from_arrays(np.arange(20.0), np.random.default_rng(0).standard_normal((1, 20, 1)))
    with pytest.raises(InputError, match="states"):
        fit_density(data, QUICK, seed=0)


def test_single_steps_from_chosen_points_are_refused():
    rng = np.random.default_rng(0)
    start, initial = rng.uniform(0, 5, 500), rng.uniform(-2, 2, (500, 1))
    data = equation(1.0).simulate(initial=initial, duration=0.01, step=0.01, paths=500, seed=0, start=start)
    with pytest.raises(InputError, match="single steps"):
        fit_density(data, QUICK, seed=0)
