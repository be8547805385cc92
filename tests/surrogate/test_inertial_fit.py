"""Drift and diffusion from positions alone, against the equation that made them.

Every run is fixed by its seed. Bounds are four of the fit's own standard errors, which a right fit exceeds in 0.006 %
of comparisons with other seeds.
"""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from inertia import positions
from liestonet.core.coefficients import JetOrder
from liestonet.surrogate.recording_fit import innovations
from liestonet.surrogate.surrogate import Surrogate


def force(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -x - 2 * v


def told(surrogate: Surrogate) -> tuple[np.ndarray, np.ndarray]:
    """Factors of x and v in the drift of v and the mean diffusion, and their standard errors."""
    rng, half = np.random.default_rng(0), surrogate.domain.half
    points = surrogate.domain.centre + 0.6 * half * rng.uniform(-1, 1, (200, 3))
    order = JetOrder(drift=0, diffusion_squared=0)
    jet, changes = surrogate.jet_and_directions(points, order, surrogate.errors.root)
    assert changes is not None
    fit = np.linalg.pinv(np.column_stack([np.ones(200), points[:, 1:]]))[1:]
    values = np.append(fit @ jet.drift[()][:, 1], jet.diffusion_squared[()][:, 1, 1].mean())
    moved = np.vstack([fit @ changes.drift[()][:, 1], changes.diffusion_squared[()][:, 1, 1].mean(axis=0)])
    return values, np.linalg.norm(moved, axis=1)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_friction_and_noise_are_those_of_the_equation(noise: float) -> None:
    # differences in the place of velocities would give a friction of 1.3 and a diffusion of 0.67
    data = positions(force, paths=1, points=5000, step=0.1, seed=51, noise=noise)
    surrogate = lsn.fit(data, measurement=lsn.Measurement(order=2))
    values, errors = told(surrogate)
    assert (np.abs(values - [-1.0, -2.0, 1.0]) < 4 * errors).all()
    assert (errors < [0.3, 0.3, 0.1]).all()
    assert surrogate.recorded is not None
    level = surrogate.recorded.noise[0]
    assert level is not None
    assert abs(level.value - noise) < 4 * level.error


def test_the_drift_of_a_position_is_its_velocity() -> None:
    data = positions(force, paths=1, points=1500, step=0.1, seed=52)
    surrogate = lsn.fit(data, measurement=lsn.Measurement(order=2))
    x = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    t = np.full(50, 0.3)
    assert surrogate.names == ("x", "v")
    assert surrogate.drift(t, x)[:, 0] == pytest.approx(x[:, 1], abs=1e-9)
    assert (surrogate.diffusion_squared(t, x)[:, 0] == 0).all()
    assert (surrogate.errors.root[: surrogate.drift_estimates[0].features.size] == 0).all()


def test_innovations_of_neighbours_are_uncorrelated() -> None:
    # of 3,000 steps: four standard errors of a correlation, and of a variance, of independent normal numbers
    data = positions(force, paths=1, points=3400, step=0.1, seed=53)
    surrogate = lsn.fit(data, measurement=lsn.Measurement(order=2))
    z = innovations(surrogate, surrogate.overview.consecutive)[0][:, 1]
    z, pairs = z[z != 0], z[:-1] * z[1:]
    pairs = pairs[pairs != 0]
    assert abs(np.mean(z**2) - 1) < 4 * np.sqrt(2 / len(z))
    assert abs(np.mean(pairs)) < 4 / np.sqrt(len(pairs))


def test_euler_steps_are_fitted_as_such() -> None:
    data = positions(force, paths=1, points=3000, step=0.1, seed=54, fine=1)
    values, errors = told(lsn.fit(data, measurement=lsn.Measurement(0, 0, "euler", 2)))
    assert (np.abs(values - [-1.0, -2.0, 1.0]) < 4 * errors).all()


def test_a_process_without_velocity_is_refused() -> None:
    rng = np.random.default_rng(55)
    x = np.cumsum(0.1 * rng.standard_normal((60, 8)), axis=0)
    times = 0.01 * np.arange(60)
    data = lsn.Trajectories.from_arrays([times] * 8, [path[:, None] for path in x.T])
    with pytest.raises(lsn.InputError, match="order=1"):
        lsn.fit(data, measurement=lsn.Measurement(order=2))
