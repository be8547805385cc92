"""Constants that act only together are refused by name; others are found at steps as long as the relaxation time."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import liestonet as lsn


@cache
def recording() -> lsn.Trajectories:
    """An Ornstein–Uhlenbeck process with rate 1, mean ½ and noise 1, drawn from its exact law at Δt = 1."""
    rng = np.random.default_rng(5)
    states = [np.full(30, 0.5)]
    for _ in range(30):
        pulled = 0.5 + np.exp(-1) * (states[-1] - 0.5)
        states.append(pulled + np.sqrt((1 - np.exp(-2)) / 2) * rng.standard_normal(30))
    exact = lsn.Measurement.exact(steps="continuous")
    return lsn.Trajectories.from_arrays(np.arange(31.0), np.stack(states, axis=1)[:, :, None], measurement=exact)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("dx = k*l*(m - x) dt + s dW", "No data determine k and l together"),
        ("dx = (k + l - x) dt + s dW", "No data determine k and l together"),
        ("dx = k*(m - x) dt + s dW1 + r dW2", "No data determine r and s together"),
        ("dx = k*(m - x) dt + a*b^2*c dW", "No data determine a and b and c together.*all but one"),
    ],
)
def test_constants_that_act_only_together_are_refused_by_name(model, words):
    with pytest.raises(lsn.InputError, match=words):
        lsn.fit(recording(), model)


def test_the_maximum_is_that_of_the_linear_regression():
    """For a Gaussian step the maximum of the likelihood is the least-squares line of next states on states."""
    found = lsn.fit(recording(), "dx = k*(m - x) dt + s dW")
    steps = recording().increments()
    x, y = steps.x[:, 0], steps.x[:, 0] + steps.dx[:, 0]
    slope, constant = np.polyfit(x, y, 1)
    rate = -np.log(slope)
    spread = np.mean((y - slope * x - constant) ** 2)
    expected = [rate, constant / (1 - slope), np.sqrt(spread * 2 * rate / (1 - slope**2))]
    np.testing.assert_allclose([found[name].value for name in "kms"], expected, rtol=1e-5)
    error = np.sqrt(spread / np.sum((x - x.mean()) ** 2)) / slope
    assert found["k"].error == pytest.approx(error, rel=0.02)
