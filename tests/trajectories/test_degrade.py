"""Degraded data have the defects they are asked to have, in the amount asked for."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.trajectories import Trajectories


@pytest.fixture(scope="module")
def motion() -> Trajectories:
    """Brownian motion in two coordinates of different size: 200 paths of 500 steps."""
    steps = np.random.default_rng(1).normal(size=(200, 500, 2)) * [1.0, 10.0]
    states = np.concatenate([np.zeros((200, 1, 2)), np.cumsum(steps, axis=1)], axis=1)
    return Trajectories.from_arrays(np.arange(501) * 0.1, states, units={"x": "um"})


def test_noise_has_the_size_asked_for_and_correlates_increments(motion):
    noisy = motion.degrade(noise={"x": 0.5})
    error = noisy.flat_states - motion.flat_states
    assert (error[:, 1] == 0).all()
    # 100,200 normal numbers: the sample deviation is within 4 of its standard errors, σ/√(2n).
    assert abs(error[:, 0].std() - 0.5) < 4 * 0.5 / np.sqrt(2 * motion.points)
    dx = np.stack(noisy.states)[:, 1:, 0] - np.stack(noisy.states)[:, :-1, 0]
    lag_one = (dx[:, 1:] * dx[:, :-1]).mean()
    assert lag_one == pytest.approx(-0.25, abs=0.03)  # -σ², the mark of measurement noise
    assert dict(noisy.units) == {"x": "um"}


def test_relative_noise_is_in_steps(motion):
    noisy = motion.degrade(noise=0.3, relative=True)
    size = (noisy.flat_states - motion.flat_states).std(axis=0)
    np.testing.assert_allclose(size, [0.3, 3.0], rtol=0.03)
    np.testing.assert_array_equal(noisy.flat_times, motion.flat_times)


def test_blur_is_the_mean_of_frames(motion):
    blurred = motion.degrade(blur=5)
    frames = np.stack(motion.states)[:, :500].reshape(200, 100, 5, 2)
    np.testing.assert_allclose(np.stack(blurred.states), frames.mean(axis=2), rtol=0, atol=1e-10)
    np.testing.assert_allclose(blurred.times[0], 0.5 * np.arange(100) + 0.2, rtol=1e-12)
    # A mean over k steps of Brownian motion moves by variance k(1 - (1 - 1/k²)/3) a step, not k.
    moved = np.diff(np.stack(blurred.states), axis=1)[..., 0].var()
    assert moved == pytest.approx(5 * (1 - (1 - 1 / 25) / 3), rel=0.04)


def test_dropped_frames_leave_the_others_untouched(motion):
    fewer = motion.degrade(drop=0.3, seed=7)
    lost = 1 - fewer.points / motion.points
    assert abs(lost - 0.3) < 4 * np.sqrt(0.21 / motion.points)
    assert len(fewer) == len(motion)
    for t, x, own_t, own_x in zip(motion.times, motion.states, fewer.times, fewer.states, strict=True):
        kept = np.searchsorted(t, own_t)
        np.testing.assert_array_equal(t[kept], own_t)
        np.testing.assert_array_equal(x[kept], own_x)
    assert fewer.increments().dt.max() > 0.25
    with_noise = motion.degrade(drop=0.3, noise=0.1, seed=7)
    np.testing.assert_array_equal(with_noise.flat_times, fewer.flat_times)


def test_a_path_that_loses_every_point_vanishes():
    data = Trajectories.from_arrays(np.arange(2.0), np.zeros((400, 2, 1)))
    fewer = data.degrade(drop=0.5)
    assert 200 < len(fewer) < 400  # a quarter of the paths loses both points
    assert np.diff(fewer.offsets).min() == 1


def test_keep_takes_whole_paths(motion):
    fewer = motion.degrade(keep=0.25, seed=2)
    assert len(fewer) == 50
    ends = {tuple(part[-1]) for part in motion.states}
    assert all(tuple(part[-1]) in ends for part in fewer.states)


def test_the_same_seed_gives_the_same_and_nothing_asked_changes_nothing(motion):
    arguments = {"noise": 0.1, "drop": 0.1, "blur": 2, "keep": 0.5}
    one, two = motion.degrade(**arguments, seed=5), motion.degrade(**arguments, seed=5)
    assert one.digest == two.digest
    assert motion.degrade(**arguments, seed=6).digest != one.digest
    assert motion.degrade().digest == motion.digest
    assert len(one.notes) == 3
