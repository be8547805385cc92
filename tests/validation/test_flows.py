"""Finite flows against exact ones, their group property, and what becomes of points that do not arrive."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.validation.flows import Outcome, Reach, flow
from liestonet.validation.push import push

RNG = np.random.default_rng(3)
T, X = RNG.uniform(0, 2, 500), RNG.uniform(-2, 2, (500, 2))


def exact_generators(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """∂t, the scaling 2t∂t + x·∂x, e^{2t}(∂t + x·∂x) and the rotation −y∂x + x∂y."""
    zero, grown = np.zeros_like(t), np.exp(2 * t)
    tau = np.stack([np.ones_like(t), 2 * t, grown, zero])
    turned = np.stack([-x[:, 1], x[:, 0]], axis=1)
    return tau, np.stack([np.zeros_like(x), x, grown[:, None] * x, turned])


def exact_flow(index: int, t: np.ndarray, x: np.ndarray, eps: float) -> tuple[np.ndarray, np.ndarray]:
    """The same by hand; e^{−2t} falls by 2ε along the third, on which x e^{−t} is constant."""
    if index == 0:
        return t + eps, x
    if index == 1:
        return np.exp(2 * eps) * t, np.exp(eps) * x
    if index == 2:
        moved = -0.5 * np.log(np.exp(-2 * t) - 2 * eps)
        return moved, x * np.exp(moved - t)[:, None]
    c, s = np.cos(eps), np.sin(eps)
    return t, np.stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1]], axis=1)


@pytest.mark.parametrize("index", [0, 1, 2, 3])
@pytest.mark.parametrize("eps", [-1.3, -0.008, 0.0, 0.008, 1.7])
def test_flows_are_exact(index: int, eps: float):
    alive = np.full(len(T), True) if index != 2 else np.exp(-2 * T) > 2 * eps
    found = flow(exact_generators, T, X, eps, index)
    np.testing.assert_array_equal(found.arrived, alive)
    t, x = exact_flow(index, T[alive], X[alive], eps)
    np.testing.assert_allclose(found.t[alive], t, rtol=2e-7, atol=2e-7)
    np.testing.assert_allclose(found.x[alive], x, rtol=2e-7, atol=2e-7)


def test_flows_that_end_just_before_and_just_behind_epsilon_are_told_apart():
    """x²∂x from x ends at ε = 1/x: starting points on either side of it, down to a part in a million."""
    gaps = np.concatenate([s * np.geomspace(1e-6, 0.5, 40) for s in (-1.0, 1.0)])
    x = 1 / (1 + gaps)
    found = flow(lambda t, x: (np.zeros((1, len(t))), x[None] ** 2), np.zeros(len(x)), x[:, None], 1.0)
    np.testing.assert_array_equal(found.arrived, gaps > 0)
    far = gaps > 1e-3
    np.testing.assert_allclose(found.x[far, 0], 1 / gaps[far], rtol=1e-4)


def test_blow_up_is_counted_and_never_a_huge_number():
    """e^{2t}(∂t + x∂x) from t exists for ε < ½e^{−2t}: 200 starting times on either side of it."""
    eps = 0.05
    found = flow(exact_generators, T, X, eps, 2)
    expected = 0.5 * np.exp(-2 * T) <= eps
    assert 100 < expected.sum() < 400
    assert found.blew_up == expected.sum()
    assert found.left == 0
    assert np.isnan(found.t[expected]).all()
    assert np.isnan(found.x[expected]).all()
    assert np.isfinite(found.t[~expected]).all()


@given(st.integers(0, 3), st.floats(-0.4, 0.004), st.floats(-0.4, 0.004))
def test_inverse_and_composition(index: int, first: float, second: float):
    t, x = T[:40], X[:40]
    once = flow(exact_generators, t, x, first, index)
    twice = flow(exact_generators, once.t, once.x, second, index)
    both = flow(exact_generators, t, x, first + second, index)
    back = flow(exact_generators, once.t, once.x, -first, index)
    for found, expected in ((twice.t, both.t), (twice.x, both.x), (back.t, t), (back.x, x)):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_tolerance_is_kept():
    """Ten times a smaller tolerance makes the error smaller in proportion, roughly."""
    t, x = exact_flow(1, T, X, 2.0)
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        found = flow(exact_generators, T, X, 2.0, 1, Reach(tolerance=tolerance))
        errors.append(max(np.max(np.abs(found.t - t)), np.max(np.abs(found.x - x))))
    assert errors[0] > 10 * errors[1] > 100 * errors[2] > 1000 * errors[3]
    assert errors[3] < 1e-6


def test_growth_is_the_integral_of_beta():
    """β = x along ∂x: log u grows by εx + ε²/2."""

    def generators(t, x):
        return np.zeros((1, len(t))), np.ones((1, *x.shape)), x[None, :, 0]

    found = flow(generators, T, X[:, :1], 1.5)
    assert found.growth is not None
    np.testing.assert_allclose(found.growth, 1.5 * X[:, 0] + 1.5**2 / 2, atol=1e-7)


def test_combinations_flow_along_the_sum():
    found = flow(exact_generators, T, X, 0.3, [1.0, 0.0, 0.0, 2.0])
    _, turned = exact_flow(3, T, X, 0.6)
    np.testing.assert_allclose(found.t, T + 0.3, atol=1e-7)
    np.testing.assert_allclose(found.x, turned, atol=1e-6)


def test_leaving_the_domain_is_counted():
    domain = Domain(((0.0, 2.0), (-2.0, 2.0), (-2.0, 2.0)))
    found = flow(exact_generators, T, X, 0.5, 0, Reach(domain))
    np.testing.assert_array_equal(found.outcome == Outcome.LEFT, T + 0.5 > 2.0)
    wider = flow(exact_generators, T, X, 0.5, 0, Reach(domain, 0.3))
    np.testing.assert_array_equal(wider.outcome == Outcome.LEFT, T + 0.5 > 2.3)


def test_a_singular_point_is_not_crossed():
    """1/x ∂x backwards reaches zero after ε = x²/2."""

    def generators(t, x):
        return np.zeros((1, len(t))), 1 / x[None]

    x = np.linspace(0.1, 2.0, 100)[:, None]
    found = flow(generators, np.zeros(100), x, -0.5)
    alive = x[:, 0] > 1.0
    np.testing.assert_array_equal(found.arrived, alive)
    np.testing.assert_allclose(found.x[alive, 0], np.sqrt(x[alive, 0] ** 2 - 1.0), atol=1e-4)


def test_points_do_not_depend_on_their_neighbours():
    whole = flow(exact_generators, T, X, 0.02, 2)
    part = flow(exact_generators, T[:7], X[:7], 0.02, 2)
    np.testing.assert_allclose(part.t, whole.t[:7], atol=1e-7)
    np.testing.assert_array_equal(part.outcome, whole.outcome[:7])


def test_paths_keep_their_order_and_get_steps_of_their_own():
    """τ is affine for Brownian motion, so every step changes by e^{ετ'}."""
    sde = lsn.SDE.parse("dx = dW")
    data = sde.simulate(initial=[0.0], duration=1.0, step=0.01, paths=5, seed=1)
    result = lsn.solve(sde, formulas=False)
    tau = result.generators(np.array([0.0, 1.0]), np.zeros((2, 1)))[0]
    slopes = tau[:, 1] - tau[:, 0]
    scaling = int(np.argmax(np.abs(slopes)))
    pushed = result.push(data, scaling, 0.4, margin=None)
    assert pushed.left == pushed.blew_up == 0
    assert len(pushed) == len(data)
    np.testing.assert_allclose(np.diff(pushed.times[0]) / np.diff(data.times[0]), np.exp(0.4 * slopes[scaling]), 1e-5)
    assert lsn.fit(pushed).overview.count == data.points - len(data)


def test_lost_points_split_paths():
    times, states = np.linspace(0, 2, 21), np.zeros((3, 21, 2)) + np.arange(21)[:, None]
    data = lsn.Trajectories.from_arrays(times, states)
    pushed = push(exact_generators, data, 2, 0.05)
    alive = np.exp(-2 * times) > 0.1
    assert pushed.points == 3 * alive.sum()
    assert pushed.blew_up == 3 * (~alive).sum()
    assert len(pushed) == 3
    assert "blew up" in pushed.notes[-1]

    def holes(t, x):
        """∂t and ∂x, undefined at the times with index 5, 6 and 13."""
        hole = np.where(np.isin(np.round(10 * t), (5, 6, 13)), np.nan, 1.0)
        return np.ones((1, len(t))), hole[None, :, None] * np.ones((1, *x.shape))

    split = push(holes, data, 0, 1e-6)
    assert len(split) == 9
    assert [len(path) for path in split.times[:3]] == [5, 6, 7]


def test_pushed_points_keep_what_is_known_of_their_errors():
    """Points without error have none after a push; the size of other errors changes from place to place."""
    exact = lsn.SDE.parse("dx = dW").simulate([0.0], 1.0, 0.1, 3, 0)
    pushed = push(lambda t, x: (np.zeros((1, len(t))), x[None]), exact, 0, 0.1)
    assert pushed.measurement == lsn.Measurement(noise=0.0, exposure=0.0, steps="continuous")
    assert copy.copy(pushed).measurement == pushed.measurement
    noisy = dataclasses.replace(exact, measurement=lsn.Measurement(noise=0.02, exposure=0.5))
    assert push(lambda t, x: (np.zeros((1, len(t))), x[None]), noisy, 0, 0.1).measurement.noise == "auto"


def test_wrong_input_is_named():
    data = lsn.Trajectories.from_arrays([0.0, 1.0], np.zeros((1, 2, 2)))
    with pytest.raises(lsn.InputError, match="no generator 4"):
        flow(exact_generators, T, X, 1.0, 4)
    with pytest.raises(lsn.InputError, match="finite"):
        flow(exact_generators, np.array([np.nan]), X[:1], 1.0)
    with pytest.raises(lsn.InputError, match="push less far"):
        push(exact_generators, data, 2, 100.0)
    with pytest.raises(lsn.InputError, match="Trajectories"):
        push(exact_generators, X, 0, 1.0)
    with pytest.raises(lsn.InputError, match="ε"):
        flow(exact_generators, T, X, float("nan"))
