"""Moments of a whole step against exact ones of linear equations and against simulated paths."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.surrogate.features import Features
from liestonet.surrogate.one_step import Dynamics, OneStep, one_step


def features_in(dimension: int, degree: int) -> Features:
    domain = Domain(((0.0, 2.0), *[(-1.0, 1.0)] * dimension))
    degrees = total_degree(range(1, dimension + 1), dimension + 1, degree)
    return Features(domain, degrees, (False,) * (dimension + 1))


def fitted(features: Features, values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Parameters of functions that the features contain."""
    return np.linalg.lstsq(features.values(points)[()], values, rcond=None)[0]


def test_linear_equations() -> None:
    """dx = Bx dt + dW: mean e^{BΔ}x, covariance ∫e^{Bs} a e^{Bᵀs}ds; in units of the box T = 1, L = 1."""
    rng = np.random.default_rng(0)
    features = features_in(2, 1)
    cloud = np.column_stack([np.zeros(50), rng.uniform(-1, 1, (50, 2))])
    matrix, a = np.array([[-0.7, 1.5], [-1.5, -0.7]]), np.array([[0.02, 0.006], [0.006, 0.01]])
    drift = fitted(features, cloud[:, 1:] @ matrix.T, cloud)
    diffusion = fitted(features, np.tile([a[0, 0], a[0, 1], a[1, 1]], (50, 1)), cloud)
    points, dt = cloud[:5] * 0.3, np.array([0.05, 0.2, 0.4, 0.8, 1.2])
    found = one_step(
        Dynamics(features, ((0, 0), (0, 1), (1, 1)), drift, diffusion, np.full(2, 1e-9)),
        points,
        dt,
        np.zeros((5, 2, 2)),
    )
    for k, step in enumerate(dt):
        flow = scipy.linalg.expm(matrix * step)
        times = np.linspace(0, step, 2001)
        flows = np.array([scipy.linalg.expm(matrix * s) for s in times])
        covariance = np.trapezoid(flows @ a @ np.swapaxes(flows, 1, 2), times, axis=0)
        assert found.mean[k] == pytest.approx((flow - np.eye(2)) @ points[k, 1:], abs=2e-4)
        assert found.covariance[k] == pytest.approx(covariance, abs=2e-5)


def test_a_cubic_drift_against_paths() -> None:
    """Double well: mean and covariance of 80,000 simulated steps, within five standard errors and the closure's."""
    features = features_in(1, 3)
    cloud = np.column_stack([np.zeros(40), np.linspace(-1, 1, 40)])
    drift = fitted(features, (2 * cloud[:, 1] - 4 * cloud[:, 1] ** 3)[:, None], cloud)
    diffusion = fitted(features, np.full((40, 1), 0.15), cloud)
    dt, rng = 0.1, np.random.default_rng(2)
    for start in (-0.6, 0.0, 0.5):
        point = np.array([[0.0, start]])
        found = one_step(
            Dynamics(features, ((0, 0),), drift, diffusion, np.array([1e-9])),
            point,
            np.array([dt]),
            np.zeros((1, 1, 1)),
        )
        x = np.full(80_000, start)
        for _ in range(100):
            x = x + (2 * x - 4 * x**3) * dt / 100 + np.sqrt(0.15 * dt / 100) * rng.standard_normal(len(x))
        error = x.std() / np.sqrt(len(x))
        assert abs(found.mean[0, 0] - (x.mean() - start)) < 5 * error + 2e-4
        assert found.covariance[0, 0, 0] == pytest.approx(x.var(), rel=5 * np.sqrt(2 / len(x)) + 0.005)


def test_changes_with_the_parameters() -> None:
    """Derivatives against differences, in the drift and in the diffusion."""
    features, rng = features_in(1, 2), np.random.default_rng(4)
    drift, diffusion = rng.normal(size=(3, 1)) * 0.3, np.array([[0.08], [0.01], [0.005]])
    points, dt = np.array([[0.0, -0.2], [0.0, 0.3]]), np.array([0.2, 0.3])

    def steps(drift: np.ndarray, diffusion: np.ndarray) -> OneStep:
        model = Dynamics(features, ((0, 0),), drift, diffusion, np.array([1e-9]))
        return one_step(model, points, dt, np.full((2, 1, 1), 0.01))

    found = steps(drift, diffusion)
    for column in range(6):
        change = np.zeros((2, 3, 1))
        change.reshape(-1)[column] = 1e-5
        forth, back = (steps(drift + sign * change[0], diffusion + sign * change[1]) for sign in (1, -1))
        mean = (forth.mean - back.mean) / 2e-5
        covariance = (forth.covariance - back.covariance) / 2e-5
        # the part of third derivatives is left out: none for a quadratic drift
        assert found.mean_change[:, :, column] == pytest.approx(mean, rel=5e-3, abs=2e-5)
        assert found.covariance_change[:, :, :, column] == pytest.approx(covariance, rel=2e-2, abs=1e-4)
