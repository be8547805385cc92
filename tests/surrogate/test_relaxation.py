"""The rate of a recording's state, from a linear drift, and whether the recording is long beside it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import liestonet as lsn
from liestonet.surrogate.relaxation import recorded_times


def relaxing(rate: float = 1.0, step: float = 0.02, count: int = 40_000, seed: int = 0) -> np.ndarray:
    """x of dx = −rate·x dt + dW at equal steps, by its exact transition."""
    kept = np.exp(-rate * step)
    noise = np.sqrt((1 - kept**2) / (2 * rate)) * np.random.default_rng(seed).standard_normal(count)
    return np.asarray(scipy.signal.lfilter([1.0], [1.0, -kept], noise))


def one_path(x: np.ndarray, step: float = 0.02) -> lsn.Trajectories:
    return lsn.Trajectories.from_arrays([step * np.arange(len(x))], [x.reshape(len(x), -1)])


def test_the_rate_of_an_ornstein_uhlenbeck_process() -> None:
    found = recorded_times(one_path(relaxing(rate=1.5)))
    # the standard error of a rate k from a recording of length T is √(2k/T), here 0.06
    assert found.rate == pytest.approx(1.5, abs=0.25)
    assert found.long
    assert found.relaxations == pytest.approx(800 * found.rate, rel=1e-3)


@pytest.mark.parametrize("unit", [2.0**-20, 1e-6, 3600.0])
def test_units_do_not_matter(unit: float) -> None:
    x = relaxing()
    here, there = recorded_times(one_path(x)), recorded_times(one_path(1e3 * x, 0.02 * unit))
    assert there.rate * unit == pytest.approx(here.rate, rel=1e-9)
    assert there.window / unit == pytest.approx(here.window, rel=1e-9)
    assert there.long == here.long


def test_independent_errors_of_the_values_do_not_count() -> None:
    x = relaxing()
    noisy = x + 0.1 * np.random.default_rng(1).standard_normal(len(x))  # about one step's own size
    assert recorded_times(one_path(noisy)).rate == pytest.approx(recorded_times(one_path(x)).rate, rel=0.1)


def test_a_slow_force_does_not_hide_the_rate() -> None:
    x = relaxing()
    moved = x + 3 * np.sin(2 * np.pi * 3 * np.arange(len(x)) / len(x))
    assert recorded_times(one_path(moved)).rate > 0.3  # 0.05 without levels for parts of the recording


def test_the_fastest_coordinate_decides() -> None:
    both = np.column_stack([relaxing(0.2, seed=1), relaxing(2.0, seed=2)])
    assert recorded_times(one_path(both)).rate == pytest.approx(2.0, abs=0.3)


def test_what_is_not_long() -> None:
    """A path that never returns, in one coordinate and in three; many short paths; single increments."""
    rng = np.random.default_rng(3)
    for n in (1, 3):
        walks = [one_path(np.cumsum(rng.standard_normal((20_000, n)), axis=0)) for _ in range(20)]
        assert not any(recorded_times(walk).long for walk in walks)
    x = relaxing()
    short = lsn.Trajectories.from_arrays(0.02 * np.arange(200), x.reshape(200, 200, 1))
    assert not recorded_times(short).long
    pairs = lsn.Trajectories.from_arrays(0.02 * np.arange(2), x.reshape(-1, 2, 1))
    assert recorded_times(pairs).rate == 0
    # many long ones are long too, and share the dates
    many = lsn.Trajectories.from_arrays(0.02 * np.arange(2500), np.tile(x.reshape(16, 2500, 1), (4, 1, 1)))
    few = recorded_times(many.take(range(16)))
    assert few.long
    assert not few.shared
    assert recorded_times(many).long
    # a path that never returns looks as if it did, many of them together do not
    assert recorded_times(many.take(range(16)), together=True).rate > few.rate
    assert recorded_times(many).shared


def test_windows_grow_with_the_recording_up_to_two_relaxation_times() -> None:
    found = [recorded_times(one_path(relaxing(count=count))) for count in (10_000, 40_000, 250_000)]
    lasting = [times.window * times.rate for times in found]
    assert lasting == sorted(lasting)
    assert lasting[0] >= 0.4
    assert lasting[-1] <= 2.0


def test_a_column_of_frames_is_refused_before_the_clock_restarts() -> None:
    x, frames = relaxing(), np.arange(40_000.0)
    assert recorded_times(one_path(np.column_stack([x, 3 * frames - 5]))).dated == ("y",)
    assert recorded_times(one_path(np.column_stack([x, relaxing(seed=5)]))).dated == ()
    with pytest.raises(lsn.InputError, match=r"y is a function of the time.*state=\['x'\]"):
        lsn.discover(one_path(np.column_stack([x, frames])))
