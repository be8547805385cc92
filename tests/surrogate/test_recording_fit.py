"""Drift and diffusion from recordings with errors, blur and coarse steps, against the equation that made them.

Every run is fixed by its seed. Bounds are three of the fit's own standard errors, which a right fit exceeds in 0.3 % of
comparisons with other seeds, plus the bias that the docs state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import liestonet as lsn
from liestonet.inference.clock import choose_clock
from liestonet.surrogate import recording_fit
from liestonet.surrogate.recording_fit import RecordingFit, innovations, is_modelled
from liestonet.surrogate.spectral_fit import fit_again, fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import RECORDING

RATE = 1.0


def ornstein_uhlenbeck(step: float, noise: float, blurred: bool, seed: int, points: int = 12_000) -> np.ndarray:
    """dx = −x dt + dW by exact fine steps; noise in units of a step, points means over their whole step or not."""
    rng, fine = np.random.default_rng(seed), 16
    decay = np.exp(-RATE * step / fine)
    kicks = np.sqrt((1 - decay**2) / 2) * rng.standard_normal(points * fine)
    x = np.empty(points * fine)
    x[0] = rng.standard_normal() / np.sqrt(2)
    for k in range(1, len(x)):
        x[k] = decay * x[k - 1] + kicks[k]
    y = x.reshape(points, fine).mean(axis=1) if blurred else x[::fine]
    return y + noise * np.std(np.diff(x[::fine])) * rng.standard_normal(points)


def recording(values: np.ndarray, step: float) -> lsn.Trajectories:
    return lsn.Trajectories.from_arrays([np.arange(len(values)) * step], [values[:, None]])


def slope_and_size(surrogate: Surrogate) -> tuple[np.ndarray, np.ndarray]:
    """Slope of the drift and mean of the diffusion at ±0.7 and 0, and their standard errors."""
    t, x = np.zeros(3), np.array([-0.7, 0.0, 0.7])[:, None]

    def both(fit: Surrogate) -> np.ndarray:
        drift, squared = fit.drift(t, x)[:, 0], fit.diffusion_squared(t, x)[:, 0, 0]
        return np.array([(drift[2] - drift[0]) / 1.4, squared.mean()])

    middle, root = both(surrogate), surrogate.errors.root
    changes = [both(surrogate.with_parameters(surrogate.parameters + 1e-3 * column)) - middle for column in root.T]
    return middle, np.sqrt(np.sum((np.array(changes) / 1e-3) ** 2, axis=0))


@pytest.mark.filterwarnings("error")
def test_a_fit_that_runs_away_begins_again_nearly_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    """dx = (0.5 − x) dt + dW at kΔ = 1, by its exact law: with this seed Gauss–Newton overflows at first."""
    begun_again, usual = [], RecordingFit.nearly_linear

    def nearly_linear(*given: Any) -> Any:
        begun_again.append(True)
        return usual(*given)

    monkeypatch.setattr(RecordingFit, "nearly_linear", nearly_linear)
    rng, decay = np.random.default_rng(500), np.exp(-1.0)
    states = [np.full(20, 0.5)]
    for _ in range(50):
        states.append(0.5 + decay * (states[-1] - 0.5) + np.sqrt((1 - decay**2) / 2) * rng.standard_normal(20))
    measurement = lsn.Measurement(noise=0, exposure=0, steps="continuous")
    data = lsn.Trajectories.from_arrays(np.arange(51.0), np.stack(states, axis=1)[:, :, None], measurement=measurement)
    surrogate = fit_spectral(data)
    assert begun_again
    assert surrogate.recorded is not None
    found, errors = slope_and_size(surrogate)
    assert np.all(np.abs(found - [-1, 1]) < 3 * errors)


def noisy_files(folder: Path, sizes: Sequence[float]) -> None:
    """A file of 80 short paths of dx = −x dt + dW for each size of the points' errors."""
    sde = lsn.SDE.parse("dx = -x dt + dW")
    for number, size in enumerate(sizes):
        data = sde.simulate(
            lambda rng, n: rng.normal(0, 0.7, (n, 1)), duration=2.5, step=0.05, paths=80, seed=70 + number, substeps=5
        )
        errors = size * np.random.default_rng(170 + number).standard_normal(data.flat_states.shape)
        measured = replace(data, flat_states=data.flat_states + errors, measurement=lsn.Measurement(exposure=0))
        measured.write(folder / f"{number}.parquet")


def test_files_may_have_errors_of_their_own(tmp_path: Path) -> None:
    """Sizes are found within three standard errors, and each file's steps are standardised with its own."""
    sizes = (0.03, 0.15)
    noisy_files(tmp_path, sizes)
    source = lsn.Trajectories.scan(tmp_path, own_errors=True)
    surrogate = fit_spectral(source)
    recorded = surrogate.recorded
    assert recorded is not None
    assert recorded.first_paths == (0, 80)
    for size, own in zip(sizes, recorded.each, strict=True):
        level = own.noise[0]
        assert level is not None
        assert abs(level.value - size) < 3 * level.error
    found, errors = slope_and_size(surrogate)
    assert np.all(np.abs(found - [-1, 1]) < 3 * errors)
    (block,) = source.chunks()
    standard, settled = innovations(surrogate, block)
    for of_file in (block.trajectory < 80, block.trajectory >= 80):
        own = standard[settled & of_file]
        assert abs(np.mean(own**2) - 1) < 3 * np.sqrt(2 / len(own))
    together = fit_spectral(lsn.Trajectories.scan(tmp_path)).recorded
    assert together is not None
    assert not together.each
    assert together.noise[0] is not None
    assert sizes[0] < together.noise[0].value < sizes[1]


def test_one_file_has_the_errors_of_all(tmp_path: Path) -> None:
    noisy_files(tmp_path, (0.1,))
    own, all_together = (fit_spectral(lsn.Trajectories.scan(tmp_path, own_errors=own)) for own in (True, False))
    assert own.recorded == all_together.recorded
    assert np.array_equal(own.parameters, all_together.parameters)


@pytest.mark.parametrize(
    ("step", "noise", "blurred"), [(0.1, 0.0, False), (0.1, 1.0, False), (0.3, 0.5, False), (0.3, 0.0, True)]
)
def test_faults_are_removed(step: float, noise: float, blurred: bool) -> None:
    values = ornstein_uhlenbeck(step, noise, blurred, seed=3)
    surrogate = fit_spectral(choose_clock(recording(values, step), "restart")[0])
    assert surrogate.recorded is not None
    found, errors = slope_and_size(surrogate)
    assert np.all(np.abs(found - [-RATE, 1.0]) < 3 * errors + 0.03)
    assert errors[0] < 0.1
    assert errors[1] < 0.1
    level = surrogate.recorded.noise[0]
    assert level is not None
    true = noise * np.sqrt(1 - np.exp(-RATE * step))
    assert abs(level.value - true) < 3 * level.error + 0.02


def test_innovations_are_white() -> None:
    """Correlations of neighbours within four standard errors of 0, where the increments' own is −1/3."""
    data = recording(ornstein_uhlenbeck(0.1, 1.0, False, seed=5), 0.1)
    surrogate = fit_spectral(choose_clock(data, "restart")[0])
    increments = data.increments()
    standard, settled = innovations(surrogate, increments)
    z = standard[settled, 0]
    own = np.corrcoef(increments.dx[:-1, 0], increments.dx[1:, 0])[0, 1]
    assert own < -0.25
    assert abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 4 / np.sqrt(len(z))
    assert np.std(z) == pytest.approx(1.0, abs=4 / np.sqrt(2 * len(z)))


def test_units_do_not_matter() -> None:
    """The same recording in other units of time and length has the same noise in parts of a step."""
    values = ornstein_uhlenbeck(0.2, 0.5, False, seed=6, points=6000)
    ratios = []
    for time, length in ((1.0, 1.0), (3600.0, 1e-6)):
        data = recording(values * length, 0.2 * time)
        recorded = fit_spectral(choose_clock(data, "restart")[0]).recorded
        assert recorded is not None
        level = recorded.noise[0]
        assert level is not None
        ratios.append(level.value / length)
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-3)


def test_what_is_modelled() -> None:
    """Marked Euler steps are left alone, other data drawn on the design of a fit, fine steps of exact points too."""
    data = recording(ornstein_uhlenbeck(0.1, 0.0, False, seed=7, points=4000), 0.1)
    source = choose_clock(data, "restart")[0]
    modelled = fit_spectral(source)
    assert modelled.recorded is not None
    assert fit_again(modelled, source).recorded is None
    marked = lsn.fit(data, measurement=lsn.Measurement.exact(), clock="restart")
    assert marked.recorded is None
    assert is_modelled(marked, choose_clock(data, "recorded")[0])
    exact = lsn.Measurement.exact(steps="continuous")
    for step, coarse in ((0.05, False), (0.3, True)):
        values = ornstein_uhlenbeck(step, 0.0, False, seed=7, points=4000)
        times = [np.arange(40) * step] * 100
        paths = lsn.Trajectories.from_arrays(times, list(values.reshape(100, 40, 1)), measurement=exact)
        assert is_modelled(lsn.fit(paths, measurement=lsn.Measurement.exact()), paths) == coarse


def test_many_short_paths_on_the_recorded_clock() -> None:
    """The increments alone would give a slope of −9 and a diffusion of 2.9."""
    rng, step = np.random.default_rng(4), 0.1
    decay = np.exp(-RATE * step)
    x = np.empty((300, 60))
    x[:, 0] = rng.uniform(-2, 2, 300)
    for k in range(1, 60):
        x[:, k] = decay * x[:, k - 1] + np.sqrt((1 - decay**2) / 2) * rng.standard_normal(300)
    y = x + np.sqrt((1 - decay**2) / 2) * rng.standard_normal(x.shape)
    surrogate = lsn.fit(lsn.Trajectories.from_arrays([np.arange(60) * step] * 300, list(y[:, :, None])))
    assert surrogate.recorded is not None
    found, errors = slope_and_size(surrogate)
    assert np.all(np.abs(found - [-RATE, 1.0]) < 3 * errors + 0.03)


def test_noise_that_grows_with_the_state() -> None:
    """dx = x/5 dt + x/2 dW over three decades of a: marked exact it is fitted by the shape of its noise.

    By default errors of the points are fitted too, in series without that shape.
    """
    rng, step = np.random.default_rng(1), 0.02
    moves = (0.2 - 0.125) * step + 0.5 * np.sqrt(step) * rng.standard_normal((200, 100))
    x = np.exp(np.cumsum(np.column_stack([rng.uniform(-0.7, 0.7, 200), moves]), axis=1))
    paths = lsn.Trajectories.from_arrays([np.arange(101) * step] * 200, list(x[:, :, None]))
    marked, default = lsn.fit(paths, measurement=lsn.Measurement.exact()), lsn.fit(paths)
    assert marked.drift_estimates[0].features.shapes is not None
    assert default.recorded is not None
    assert default.domain.intervals[1][1] > 10 * default.domain.intervals[1][0]
    at = np.quantile(x, [0.05, 0.3, 0.5, 0.7, 0.95])[:, None]
    t = np.full(5, 1.0)

    def both(fit: Surrogate) -> np.ndarray:
        return np.concatenate([fit.drift(t, at)[:, 0], fit.diffusion_squared(t, at)[:, 0, 0]])

    middle = both(default)
    changes = [
        both(default.with_parameters(default.parameters + 1e-3 * column)) - middle for column in default.errors.root.T
    ]
    error = np.sqrt(np.sum((np.array(changes) / 1e-3) ** 2, axis=0))
    true = np.concatenate([at[:, 0] / 5, at[:, 0] ** 2 / 4])
    assert np.all(np.abs(middle - true) < 4 * error)
    assert np.all(error[5:] < 0.1 * true[5:])


def test_small_errors_at_first_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of a tenth of a step's: the filter without them, by its derivatives, and with them give the same."""
    data = recording(ornstein_uhlenbeck(0.05, 0.1, False, seed=11), 0.05)
    source = choose_clock(data, "restart")[0]
    near = fit_spectral(source)
    monkeypatch.setattr(RecordingFit, "enters_at_first_order", lambda *_: False)
    other = fit_spectral(source)
    assert near.recorded is not None
    assert other.recorded is not None
    assert near.recorded.first_order
    assert not other.recorded.first_order
    values, errors = slope_and_size(other)
    assert np.all(np.abs(slope_and_size(near)[0] - values) < 0.1 * errors)
    (one,), (two,) = near.recorded.noise, other.recorded.noise
    assert one is not None
    assert two is not None
    assert abs(one.value**2 - two.value**2) < 0.1 * ((two.value + two.error) ** 2 - two.value**2)


def test_a_fit_that_goes_on_keeps_the_shrinkage_of_the_increments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that seem to go on for as long as the shrinkage is that of the filter's evidence."""
    step, priors = recording_fit._next, list[np.ndarray]()

    def going_on(fit, now, *rest):
        priors.append(now.prior)
        found, moved = step(fit, now, *rest)
        return found, moved if len(priors) > RECORDING.rounds else 0.3

    monkeypatch.setattr(recording_fit, "_next", going_on)
    data = recording(ornstein_uhlenbeck(0.1, 1.0, False, seed=6, points=3000), 0.1)
    surrogate = fit_spectral(choose_clock(data, "restart")[0])
    assert RECORDING.rounds < len(priors) <= RECORDING.rounds + RECORDING.later_rounds
    assert not np.array_equal(priors[RECORDING.rounds - 1], priors[0])
    assert np.array_equal(priors[RECORDING.rounds], priors[0])
    assert surrogate.joint is not None
    assert np.array_equal(surrogate.joint.prior, priors[0])


def test_exposure_is_identified_where_the_diffusion_changes() -> None:
    """A whole exposure over 0.3 relaxation times of dx = (1.5 − x) dt + 0.8 √x dW."""
    rng, step, fine = np.random.default_rng(2), 0.3, 16
    x, points = rng.uniform(0.3, 3.0, 400), np.zeros((100, 400))
    for point in points:
        for _ in range(fine):
            h = step / fine
            x = x + h * (1.5 - x) + 0.8 * np.sqrt(np.abs(x) * h) * rng.standard_normal(400)
            point += x / fine
    data = lsn.Trajectories.from_arrays([np.arange(100) * step] * 400, list(points.T[:, :, None]))
    surrogate = lsn.fit(data, measurement=lsn.Measurement(noise=0))
    recorded = surrogate.recorded
    assert recorded is not None
    assert recorded.exposure is not None
    assert abs(recorded.exposure.value - 1) < 3 * recorded.exposure.error + 0.03
    # taken as smeared at the point before, a would be too small by a tenth where the drift goes up
    x = np.quantile(points, [0.05, 0.25, 0.5, 0.75, 0.95])[:, None]
    t = np.full(5, 0.5 * data.times[0][-1])

    def diffusion(fit: Surrogate) -> np.ndarray:
        return fit.diffusion_squared(t, x)[:, 0, 0]

    columns = surrogate.errors.root.T
    changes = [diffusion(surrogate.with_parameters(surrogate.parameters + 1e-3 * each)) for each in columns]
    errors = np.sqrt(np.sum((np.array(changes) - diffusion(surrogate)) ** 2, axis=0)) / 1e-3
    assert np.all(np.abs(diffusion(surrogate) - 0.64 * x[:, 0]) < 3 * errors + 0.03)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("seed", range(3))
def test_points_without_any_dynamics(seed: int) -> None:
    """Independent points are errors alone; what is fitted to them stays finite, with a noise that is not lost."""
    points = np.random.default_rng(seed).standard_normal((400, 3, 1))
    surrogate = lsn.fit(lsn.Trajectories.from_arrays(np.arange(3.0), points))
    place = np.zeros((1, 1))
    assert np.isfinite(surrogate.parameters).all()
    assert np.isfinite(surrogate.drift(np.ones(1), place)).all()
    assert np.isfinite(surrogate.diffusion_squared(np.ones(1), place)).all()


def test_said_in_the_result(tmp_path) -> None:
    """Noise and exposure with errors: in the result, in JSON, in a saved file and in words."""
    result = lsn.discover(recording(ornstein_uhlenbeck(0.1, 1.0, False, seed=8), 0.1), formulas=False)
    level = (
        result.measurement.noise["x1"]
        if "x1" in result.measurement.noise
        else next(iter(result.measurement.noise.values()))
    )
    assert abs(level.value - np.sqrt(1 - np.exp(-0.1))) < 3 * level.error + 0.02
    assert result.measurement.steps == "continuous"
    file = tmp_path / "run.lsn"
    result.save(file)
    again = lsn.load(file)
    assert again.measurement.noise == result.measurement.noise
    assert again.surrogate.parameters == pytest.approx(result.surrogate.parameters)
    assert "Measurement error" in result.report(tmp_path / "page.html").read_text(encoding="utf-8")
