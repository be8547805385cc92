"""The longest wave that may escape the data: against the error of its size in a regression, and what it does to E1."""

import numpy as np
import pytest

import liestonet as lsn
from liestonet.inference.resolution import resolution
from liestonet.surrogate.spectral_fit import fit_spectral

PATHS, DURATION = 60, 2.0


@pytest.fixture(scope="module")
def recording() -> lsn.Trajectories:
    sde = lsn.SDE.parse("dx = -x dt + 0.7 dW")
    return sde.simulate(initial=lambda rng, n: rng.uniform(-1, 1, (n, 1)), duration=DURATION, step=0.02, paths=PATHS)


def test_a_wave_of_that_length_is_as_uncertain_as_the_tolerance_allows(recording: lsn.Trajectories):
    surrogate = fit_spectral(recording)
    (length,) = resolution(surrogate, 2.0).values()  # the tolerance is large, so that several waves fit the box
    number, steps = 2 * np.pi / length, recording.increments()
    low, high = surrogate.domain.intervals[1]
    inside = (steps.x[:, 0] > low) & (steps.x[:, 0] < high)
    # least squares of a force with this wave number, of either phase on average; residual ξ ∂f of ξ = L, times T/L
    waves = np.stack([np.cos(number * steps.x[inside, 0]), np.sin(number * steps.x[inside, 0])], axis=1)
    errors = np.sqrt(0.7**2 / np.sum(waves**2 * steps.dt[inside, None], axis=0))
    residual = surrogate.domain.half[0] * number * 2 * np.sqrt(np.mean(errors**2)) / np.sqrt(2)
    averaged = np.sqrt(1 + number**2 * 0.7**2 * 0.02 / 4)
    assert residual * averaged == pytest.approx(2.0, rel=0.05)


def test_more_data_show_finer_waves_and_units_do_not_matter(recording: lsn.Trajectories):
    sde = lsn.SDE.parse("dx = -x dt + 70 dW")

    def initial(rng: np.random.Generator, count: int) -> np.ndarray:
        return rng.uniform(-100, 100, (count, 1))

    more = sde.simulate(initial=initial, duration=DURATION, step=0.02, paths=16 * PATHS)
    (few,), (many,) = (resolution(fit_spectral(data), 0.1).values() for data in (recording, more))
    assert many / 100 == pytest.approx(few / 4, rel=0.1)


def test_steps_average_over_fine_waves(recording: lsn.Trajectories):
    surrogate = fit_spectral(recording)
    thinned = fit_spectral(recording.thin(10))
    assert resolution(thinned, 2.0)["x"] > 1.2 * resolution(surrogate, 2.0)["x"]
