"""The test against the date: exact sums, its level on stationary paths, and its power."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import liestonet as lsn
from liestonet.inference.date_scores import date_scores
from liestonet.inference.date_test import DateTest, date_test
from liestonet.surrogate.relaxation import recorded_times
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.symmetry.determining.kinds import ITO, LAW
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.clock import Relabelled

STEP, COUNT = 0.05, 10_000
EXACT = lsn.Measurement.exact(steps="euler")
SPAN = STEP * COUNT


def recording(seed: int, force: np.ndarray | float = 0.0, noise: np.ndarray | float = 1.0) -> lsn.Trajectories:
    """Euler steps of dx = (−x + force(t)) dt + noise(t) dW."""
    steps = noise * np.sqrt(STEP) * np.random.default_rng(seed).standard_normal(COUNT) + force * STEP
    x = np.append(0.0, scipy.signal.lfilter([1.0], [1.0, STEP - 1], steps))
    made = lsn.Measurement.exact(steps="euler")
    return lsn.Trajectories.from_arrays([STEP * np.arange(COUNT + 1)], [x[:, None]], measurement=made)


def asked(data: lsn.Trajectories, period: float | None = None) -> DateTest:
    times = recorded_times(data)
    source = Relabelled(data, period or times.window, times.first, period is None)
    return date_test(source, fit_spectral(source), times.rate, ITO, Criteria())


def dates() -> np.ndarray:
    return STEP * np.arange(COUNT)


def test_the_sums_are_those_of_a_loop() -> None:
    data = recording(1)
    source = Relabelled(data, 1.0, 0.0, True)
    surrogate = fit_spectral(source)
    scores = date_scores(source, surrogate, 1.0)
    t, x, dt, dx, _ = data.increments()
    (low, high), half, centre = surrogate.domain.intervals[1], surrogate.domain.half[1], surrogate.domain.centre[1]
    f, a = surrogate.drift(t % 1.0, x)[:, 0], surrogate.diffusion_squared(t % 1.0, x)[:, 0, 0]
    z = (dx[:, 0] - f * dt) / np.sqrt(a * dt)
    inside = (x[:, 0] >= low) & (x[:, 0] <= high)
    place = np.minimum(((t + dt / 2) / SPAN * scores.bins).astype(int), scores.bins - 1)
    u = (x[:, 0] - centre) / half
    chosen = 17
    rows = inside & (place == chosen)
    for k in range(4):
        assert scores.sums[chosen, 0, k] == pytest.approx(np.sum((z * np.sqrt(dt) * u**k)[rows]))
        assert scores.sums[chosen, 1, k] == pytest.approx(np.sum((np.minimum(z**2, 16) * u**k)[rows]))
        assert scores.drift_weights[chosen, k, 1] == pytest.approx(np.sum((dt * u ** (k + 1))[rows]))
    np.testing.assert_allclose(scores.centred.sum(axis=0), 0, atol=1e-6)


@pytest.mark.slow
def test_p_values_of_stationary_paths_are_uniform() -> None:
    """Fixed seeds; a uniform p-value fails each of the three checks with a chance below 2e-3."""
    p_values = np.sort([asked(recording(seed)).p_value for seed in range(100, 140)])
    assert np.abs(p_values - (np.arange(40) + 0.5) / 40).max() < 0.29
    assert np.mean(p_values < 0.05) < 0.2
    assert p_values[0] > 1e-4


def test_a_slow_force_is_found() -> None:
    found = asked(recording(2, 0.6 * np.sin(2 * np.pi * 3 * dates() / SPAN)))
    assert found.rejected
    assert found.period == pytest.approx(SPAN / 3, rel=0.1)  # three standard errors
    assert {family.against: family.p_value for family in found.families}["blocks: force"] < 1e-4
    # within a window it hardly changes: ∂t is near, and zero is excluded
    assert found.row.verdict == "near-symmetry"
    assert 0 < found.row.lower < found.row.residual < found.row.upper
    level = found.values[:, found.labels.index("drift of x")]
    expected = np.sin(2 * np.pi * 3 * found.dates / SPAN)
    assert np.corrcoef(level, expected)[0, 1] > 0.8


def test_a_fast_force_is_found_with_its_period() -> None:
    period = SPAN / 120
    found = asked(recording(3, 1.0 * np.sin(2 * np.pi * dates() / period)))
    assert found.rejected
    assert found.period == pytest.approx(period, rel=2e-3)
    assert found.row.verdict != "symmetry"


@pytest.mark.parametrize(("turns", "within"), [(5.4, 0.03), (120.4, 0.002)])
def test_periods_that_do_not_divide_the_recording(turns: float, within: float) -> None:
    found = asked(recording(7, np.sin(2 * np.pi * turns * dates() / SPAN)))
    assert found.period == pytest.approx(SPAN / turns, rel=within)


@pytest.mark.parametrize("seed", [8, 9, 10])
def test_what_wanders_has_no_period(seed: int) -> None:
    """Fixed seeds: a random walk is strongest at its third turn or a faster one in a few of a hundred."""
    count = len(dates())
    walk = np.cumsum(np.random.default_rng(seed).normal(size=count)) / np.sqrt(count)
    found = asked(recording(seed, 2 * walk))
    assert found.rejected
    assert found.period is None


def test_noise_that_grows_is_found() -> None:
    found = asked(recording(4, noise=1 + 0.3 * dates() / SPAN))
    assert found.rejected
    noise = found.values[:, found.labels.index("noise of x, relative")]
    slope = np.polyfit(found.dates / SPAN, noise, 1)[0]
    assert slope == pytest.approx(0.3 / 1.15, abs=0.1)


def test_on_a_clock_with_the_period_of_the_force_nothing_is_left() -> None:
    """Fixed seed; a uniform p-value is below 0.01 with that chance."""
    period = SPAN / 40
    data = recording(5, 0.8 * np.sin(2 * np.pi * dates() / period))
    assert asked(data).p_value < 1e-4
    assert asked(data, period).p_value > 0.01
    assert asked(data, period * 1.37).p_value < 1e-3


@pytest.mark.parametrize("unit", [2.0**-20, 3600.0, 1e-6])
def test_units_of_time_do_not_matter(unit: float) -> None:
    data = recording(6, 0.3 * np.sin(2 * np.pi * 3 * dates() / SPAN))
    scaled = lsn.Trajectories.from_arrays([unit * data.times[0]], [data.states[0]], measurement=data.measurement)
    here, there = asked(data), asked(scaled)
    assert there.p_value == pytest.approx(here.p_value, rel=1e-6)
    assert there.row.residual == pytest.approx(here.row.residual, rel=1e-6)
    assert there.row.verdict == here.row.verdict


@pytest.mark.parametrize(
    "measurement",
    [
        pytest.param(lsn.Measurement.exact(steps="euler"), id="exact"),
        # errors of points in two coordinates take ten seconds
        pytest.param(None, id="with errors", marks=pytest.mark.slow),
    ],
)
def test_two_coordinates_with_correlated_noise(measurement: lsn.Measurement | None) -> None:
    """Fixed seed; a uniform p-value is below 0.001 with that chance."""
    rng = np.random.default_rng(7)
    steps = np.sqrt(STEP) * rng.standard_normal((COUNT, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    x = scipy.signal.lfilter([1.0], [1.0, STEP - 1], steps, axis=0)
    data = lsn.Trajectories.from_arrays([STEP * np.arange(COUNT)], [x], measurement=measurement)
    times = recorded_times(data)
    source = Relabelled(data, times.window, times.first, True)
    found = date_test(source, fit_spectral(source), times.rate, LAW, Criteria())
    assert found.p_value > 1e-3
    assert len(found.labels) == 6


def test_blocks_of_a_few_relaxation_times_are_no_dates() -> None:
    """Stationary paths of 100 relaxation times: a test given the states would reject a fifth of them."""
    found = []
    for seed in range(40):
        data = recording(1000 + seed)
        part = lsn.Trajectories.from_arrays([data.times[0][:2001]], [data.states[0][:2001]], measurement=EXACT)
        families = {family.against: family.p_value for family in asked(part).families}
        found.append(families["blocks: force"])
    assert np.mean(np.array(found) < 0.05) <= 0.1
