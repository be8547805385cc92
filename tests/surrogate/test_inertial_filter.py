"""The filter for positions beside an exact Kalman filter of the same linear system, and its derivatives."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

import liestonet as lsn
from inertia import positions
from liestonet.core.domain import Domain
from liestonet.surrogate.filter import Sums
from liestonet.surrogate.inertial_filter import InertialModel, followed, inertial_segments
from liestonet.surrogate.spectral_fit import _fitted_ahead
from liestonet.trajectories.velocities import with_velocities

STEP, FORCE = 0.05, np.array([0.3, -1.0, -2.0])  # dv = (0.3 − x − 2v) dt + √a dW


@pytest.fixture(scope="module")
def recorded():
    """Positions, a box and functions for them, and the factors of 1, x and v in these functions."""
    data = positions(lambda x, v: 0.3 - x - 2 * v, paths=20, points=150, step=STEP, seed=41, noise=0.004)
    source = with_velocities(replace(data, measurement=lsn.Measurement(order=2)))
    return source, features_of(source)


def features_of(source):
    """Functions on a box so wide that no state leaves it: beyond it the force is a constant."""
    found = _fitted_ahead(source, lambda stage: None, False).drift_estimates[0].features
    time, *states = found.domain.intervals
    return replace(found, domain=Domain((time, *((4 * low, 4 * high) for low, high in states))))


def model_of(features, a, error):
    """The linear system in units of the box; its functions hold 1, x and v."""
    half, domain = features.domain.half, features.domain
    points = np.random.default_rng(0).uniform(-1, 1, (200, 3)) * half + domain.centre
    values = features.values(points)[()]
    force = np.column_stack([np.ones(len(points)), points[:, 1:]]) @ FORCE
    drift = np.linalg.lstsq(values, force * half[0] / half[2], rcond=None)[0]
    diffusion = np.linalg.lstsq(values, np.full(len(points), a) * half[0] / half[2] ** 2, rcond=None)[0]
    carried = half[2:] * half[0] / half[1:2]
    stage = 0.02 / half[0]
    parts = features, ((0, 0),), drift[:, None], diffusion[:, None]
    return InertialModel(*parts, np.array([error / half[1] ** 2]), np.array([1e-9]), carried, stage, False)


def kalman(segments, domain, a, error, begun):
    """Predictions and variances of every position by an exact filter; `begun` are a and Λ of its beginning."""
    matrix = np.array([[0.0, 1.0], FORCE[1:]])
    noise = np.zeros((2, 2))
    noise[1, 1] = a
    both = scipy.linalg.expm(np.block([[-matrix, noise], [np.zeros((2, 2)), matrix.T]]) * STEP)
    turn = both[2:, 2:].T
    added = turn @ both[:2, 2:]
    pushed = np.block([[matrix, np.array([[0.0], [FORCE[0]]])], [np.zeros((1, 3))]])
    push = scipy.linalg.expm(pushed * STEP)[:2, 2]
    y = segments.y[:, :, 0] * domain.half[1]
    speed = (y[1] - y[0]) / STEP
    state = np.stack([y[1], speed + STEP / 2 * (FORCE[0] + FORCE[1] * y[1] + FORCE[2] * speed)], axis=1)
    first, known = begun
    p = np.array([[known, known / STEP], [known / STEP, 2 * known / STEP**2 + first * STEP / 3]])
    means, variances = np.zeros(y[1:].shape), np.ones(len(y) - 1)
    for k in range(1, len(y) - 1):
        state, p = state @ turn.T + push, turn @ p @ turn.T + added
        means[k], variances[k] = state[:, 0], p[0, 0] + error
        gain = p[:, 0] / variances[k]
        state = state + (y[k + 1] - means[k])[:, None] * gain
        p = p - np.outer(gain, gain) * variances[k]
    return (y[1:] - means), variances


@pytest.mark.parametrize("error", [0.0, 1.6e-5])
def test_innovations_are_those_of_an_exact_filter(recorded, error):
    # stages of 0.02 leave (2 · 0.02)³ of a prediction's own change
    source, features = recorded
    model = model_of(features, 1.0, error)
    segments = next(iter(inertial_segments(source, features.domain)))
    found = followed(model, segments).innovations[:, :, 0]
    rest, variances = kalman(segments, features.domain, 1.0, error, (1.0, error))
    counted = found != 0
    assert counted.mean() > 0.7
    assert found[counted] == pytest.approx((rest / np.sqrt(variances)[:, None])[counted], abs=2e-3)


@pytest.mark.parametrize("which", ["a", "error"])
def test_scores_of_noise_and_error_are_derivatives_of_the_likelihood(recorded, which):
    source, features = recorded
    a, error, half = 0.8, 3e-5, features.domain.half
    model = model_of(features, a, error)
    segments = next(iter(inertial_segments(source, features.domain)))
    sums = Sums(model.size)
    counted = followed(model, segments, sums).innovations[:, :, 0] != 0
    sums.finish()

    def likelihood(a_, error_):
        rest, variances = kalman(segments, features.domain, a_, error_, (a, error))
        each = -0.5 * rest**2 / variances[:, None] - 0.5 * np.log(variances)[:, None]
        return float(np.sum(each[counted]))

    score = sums.score.sum(axis=0)
    if which == "a":
        own = score[model.drift.size : -1] @ model.diffusion[:, 0]
        wanted = (likelihood(1.001 * a, error) - likelihood(0.999 * a, error)) / 0.002
    else:
        own = score[-1] * error / half[1] ** 2
        wanted = (likelihood(a, 1.001 * error) - likelihood(a, 0.999 * error)) / 0.002
    # one standard deviation of a score is the root of the information, about √(steps/2)
    assert own == pytest.approx(wanted, abs=0.02 * np.sqrt(counted.sum()))


def test_euler_steps_reveal_the_velocity():
    # x_{n+1} = x_n + v_n Δ without error: the innovation of a position is the last kick of the velocity
    data = positions(lambda x, v: 0.3 - x - 2 * v, paths=10, points=60, step=STEP, seed=43, fine=1)
    source = with_velocities(replace(data, measurement=lsn.Measurement(0, 0, "euler", 2)))
    features = features_of(source)
    model = replace(model_of(features, 1.0, 0.0), euler=True)
    for segments in inertial_segments(source, features.domain):
        found = followed(model, segments).innovations[:, :, 0]
        y = segments.y[:, :, 0] * features.domain.half[1]
        v = np.diff(y, axis=0) / STEP
        kicks = (v[1:] - v[:-1] - STEP * (FORCE[0] + FORCE[1] * y[:-2] + FORCE[2] * v[:-1])) / np.sqrt(STEP)
        counted = found[1:] != 0
        assert found[1:][counted] == pytest.approx(kicks[counted], abs=1e-6)
