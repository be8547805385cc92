"""Velocities beside positions: names, increments, and what contradicts order 2."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from inertia import positions
from liestonet.trajectories.velocities import WithVelocities, looking_ahead, state_names, with_velocities

ORDER_TWO = lsn.Measurement(order=2)


def force(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    return -x - v


def of(paths: list[np.ndarray], times: np.ndarray, **more: object) -> lsn.Trajectories:
    return lsn.Trajectories.from_arrays([times] * len(paths), paths, measurement=ORDER_TWO, **more)


def test_names_of_velocities() -> None:
    assert state_names(("x",)) == ("x", "v")
    assert state_names(("v",)) == ("v", "v_v")
    assert state_names(("x", "y")) == ("x", "y", "v_x", "v_y")


def test_other_data_are_left_as_they_are() -> None:
    data = positions(force, paths=3, points=50, step=0.1, seed=1)
    assert with_velocities(data) is data


def test_increments_of_positions_and_of_differences() -> None:
    times = np.cumsum(np.random.default_rng(2).uniform(0.05, 0.15, 60))
    rng = np.random.default_rng(3)
    paths = [np.cumsum(np.cumsum(rng.standard_normal((60, 1)), axis=0), axis=0) for _ in range(4)]
    source = with_velocities(of(paths, times))
    assert isinstance(source, WithVelocities)
    assert source.back == 1
    block = next(iter(source.chunks()))
    assert len(block.t) == 4 * 58  # the first step of a path has none before it
    speed = np.diff(paths[0][:, 0]) / np.diff(times)
    assert block.t[:58] == pytest.approx(times[1:-1])
    assert block.x[:58] == pytest.approx(np.column_stack([paths[0][1:-1, 0], speed[:-1]]))
    assert block.dx[:58] == pytest.approx(np.column_stack([np.diff(paths[0][1:, 0]), np.diff(speed)]))
    assert (np.diff(block.trajectory) >= 0).all()


def test_looking_ahead_is_exact_where_acceleration_is_constant() -> None:
    times = np.cumsum(np.random.default_rng(4).uniform(0.05, 0.15, 80))
    wiggle = 1e-9 * np.random.default_rng(5).standard_normal((80, 2))
    paths = [(k * times**2 / 2)[:, None] + wiggle[:, k - 1 : k] for k in (1, 2)]
    block = next(iter(looking_ahead(with_velocities(of(paths, times))).chunks()))
    assert block.dx[:, 1] / block.dt == pytest.approx(1.0 + block.trajectory, abs=1e-3)


@pytest.mark.parametrize(
    ("columns", "measurement", "told"),
    [
        (2, ORDER_TWO, "v is the velocity of x"),
        (1, lsn.Measurement(exposure=0.5, order=2), "exposure"),
    ],
)
def test_contradictions_are_refused_in_a_sentence(columns: int, measurement: lsn.Measurement, told: str) -> None:
    data = positions(force, paths=3, points=100, step=0.05, seed=6, with_velocities=columns == 2)
    with pytest.raises(lsn.InputError, match=told):
        lsn.fit(data, measurement=measurement)


def test_too_many_positions_and_too_short_paths_are_refused() -> None:
    rng = np.random.default_rng(7)
    three = of([rng.standard_normal((100, 3)) for _ in range(2)], np.arange(100.0))
    with pytest.raises(lsn.InputError, match="at most 2 positions"):
        lsn.discover(three)
    pairs = of([rng.standard_normal((2, 1)) for _ in range(300)], np.arange(2.0))
    with pytest.raises(lsn.InputError, match="longer paths"):
        lsn.discover(pairs)
