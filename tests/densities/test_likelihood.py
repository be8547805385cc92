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


@pytest.mark.parametrize(("size", "span"), [(1.0, 1.0), (1e-9, 1e-6), (1e7, 86_400.0)])
def test_constants_have_any_unit(size, span):
    """The same recording in other units of the state and of time: the same constants in those units."""
    plain = recording()
    steps = np.diff(plain.offsets)[0]
    exact = lsn.Measurement.exact(steps="continuous")
    states = size * plain.flat_states.reshape(len(plain), steps, 1)
    data = lsn.Trajectories.from_arrays(span * np.arange(float(steps)), states, measurement=exact)
    model = "dx = k*(m - x) dt + s dW"
    usual, found = lsn.fit(plain, model), lsn.fit(data, model)
    for name, unit in (("k", 1 / span), ("m", size), ("s", size / np.sqrt(span))):
        assert found[name].value == pytest.approx(unit * usual[name].value, rel=1e-4)
        assert found[name].error == pytest.approx(unit * usual[name].error, rel=1e-3)


@pytest.mark.parametrize("power", [0.5, 1.5])
def test_an_exponent_on_either_side_of_one(power):
    """Below one paths can reach zero, above one infinity is far: two kernels of one equation."""
    rng = np.random.default_rng(8)
    size, step = 0.2 * 100 ** (1 - power), 1 / 252
    states = [np.full(4, 100.0)]
    for _ in range(300):
        x = states[-1]
        for _ in range(10):
            x = x + 0.05 * x * step / 10 + size * x**power * np.sqrt(step / 10) * rng.standard_normal(4)
        states.append(x)
    exact = lsn.Measurement.exact(steps="continuous")
    data = lsn.Trajectories.from_arrays(step * np.arange(301), np.stack(states, axis=1)[:, :, None], measurement=exact)
    found = lsn.fit(data, "dx = mu*x dt + s*x^g dW", boundary="absorbing")
    assert abs(found["g"].value - power) < 4 * found["g"].error < 1
    assert found.density.parameters == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: lsn.fit([1, 2, 3], "dx = k*x dt + s dW"), "needs Trajectories"),
        (lambda: lsn.fit(recording(), "dx = k*(m - x) dt + s dW", start="k=1"), "a value for each constant"),
        (lambda: lsn.fit(recording(), "dx = k*(m - x) dt + s dW", start={"k": 1}), "no number for m"),
        (lambda: lsn.fit(constant(2), "dx = k*(m - x) dt + s dW"), "do not determine k and m and s"),
        (lambda: lsn.fit(constant(30), "dx = k*(m - x) dt + s dW"), "do not determine k and m and s"),
        (lambda: lsn.fit(recording(), "dx = k*(m - x) dt + s*sqrt(x) dW"), "outside the state space"),
    ],
)
def test_what_cannot_be_fitted_ends_in_one_sentence(given, words):
    with pytest.raises(lsn.InputError, match=words) as problem:
        given()
    assert "\n" not in str(problem.value)


def constant(points: int) -> lsn.Trajectories:
    return lsn.Trajectories.from_arrays(np.arange(float(points)), np.ones((1, points, 1)))
