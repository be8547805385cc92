"""Corrections for the step against the exact moments of an Ornstein–Uhlenbeck process."""

import numpy as np

import liestonet as lsn
from liestonet.surrogate.discretisation import step_corrections


def test_corrections_are_the_next_terms_of_the_exact_moments():
    rate, noise, step = 1.0, 1.0, 0.05
    data = lsn.catalogue["ornstein-uhlenbeck"].simulate(paths=64, seed=0)
    surrogate = lsn.fit(data)
    points = np.column_stack([np.full(50, 1.0), np.linspace(-1, 1, 50)])
    # with the surrogate's own linear coefficients, which the corrections are built from
    drift, squared = step_corrections(surrogate, points, np.full(50, step))
    slope = np.polyfit(points[:, 1], surrogate.drift(points[:, 0], points[:, 1:])[:, 0], 1)[0]
    variance = surrogate.diffusion_squared(points[:, 0], points[:, 1:])[:, 0, 0].mean()
    exact_drift = ((np.exp(slope * step) - 1) / step - slope) * points[:, 1]
    exact_variance = variance * ((np.exp(2 * slope * step) - 1) / (2 * slope * step) - 1)
    assert abs(slope + rate) < 0.5
    assert abs(variance - noise) < 0.1
    # the surrogate is not exactly linear: a tenth of the correction's size is its noise
    assert np.abs(drift[:, 0] - exact_drift).max() < 0.3 * np.abs(exact_drift).max()
    assert np.abs(squared[:, 0, 0] - exact_variance).mean() < 0.3 * abs(exact_variance)
