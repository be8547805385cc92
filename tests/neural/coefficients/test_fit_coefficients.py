"""Training: what is held out, that nothing is left to chance, that it compiles once, and that it stops when it must."""

from __future__ import annotations

import dataclasses
import json

import jax
import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.neural.coefficients.batches import minibatches, split_by_path
from liestonet.neural.coefficients.coefficient_networks import initial_weights
from liestonet.neural.coefficients.fit_coefficients import fit_coefficients
from liestonet.neural.coefficients.jets import jets
from liestonet.neural.coefficients.likelihood import IncrementBatch
from liestonet.neural.coefficients.settings import PAPER, Cholesky, CoefficientSettings, Constant, DensitySettings
from liestonet.neural.training import COMPILED, NotFinite
from neural_cases import quick, simulated


def test_paths_are_held_out_whole(scalar_data):
    increments = scalar_data.increments()
    split = split_by_path(increments, 0.25, np.random.default_rng(0))
    trained, held_out = (set(increments.trajectory[rows].tolist()) for rows in (split.trained, split.held_out))
    assert not trained & held_out
    assert len(held_out) == 32
    assert len(split.trained) + len(split.held_out) == len(increments.t)


def test_of_one_path_stretches_are_held_out():
    increments = simulated("dx = -x dt + dW", 0, paths=1, duration=20.0).increments()
    split = split_by_path(increments, 0.2, np.random.default_rng(0))
    assert len(split.held_out) == pytest.approx(0.2 * len(increments.t), rel=0.1)
    assert np.sum(np.diff(split.held_out) > 1) < 8


def test_minibatches_do_not_repeat_a_row():
    arrays = IncrementBatch(np.arange(50.0), np.arange(50.0), np.arange(50.0))
    drawn = minibatches(arrays, np.arange(10, 50), 2, 30, np.random.default_rng(0))(3)
    assert drawn.dt.shape == (3, 2, 30)
    assert all(len(np.unique(row)) == 30 for rows in drawn.dt for row in rows)
    assert drawn.dt.min() >= 10


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits_and_one_compilation(scalar_data, scalar):
    fit_coefficients(scalar_data, quick(), seed=3)  # what was compiled for the fixture may have been forgotten since
    before = set(COMPILED)
    again = fit_coefficients(scalar_data, quick(), seed=3)
    assert before == set(COMPILED)
    assert np.array_equal(again.parameters, scalar.parameters)
    assert np.array_equal(again.errors.root, scalar.errors.root)
    other = fit_coefficients(scalar_data, quick(), seed=4)
    assert before == set(COMPILED)
    assert not np.array_equal(other.parameters, scalar.parameters)


def test_a_number_that_is_none_stops_training_with_step_term_and_remedy(scalar_data):
    settings = quick(schedule=Constant(1e200), polish=False)
    with pytest.raises(NotFinite, match=r"step \d+: .*likelihood.* is not a number; lower the learning rate") as caught:
        fit_coefficients(scalar_data, settings, seed=0)
    assert 0 <= caught.value.step < 50
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(caught.value.weights))


def test_early_stopping_takes_the_weights_that_were_best_on_held_out_paths(scalar_data):
    history = fit_coefficients(scalar_data, quick(patience=50), seed=0).history
    assert history.taken == history.steps[int(np.argmin(history.held_out))]
    assert history.steps[-1] - history.taken <= 50


def test_each_increment_has_its_own_step():
    rng = np.random.default_rng(5)
    states, times = [], []
    for _ in range(200):
        dt = rng.choice([0.002, 0.05], 60)
        x = [rng.normal()]
        for step in dt:
            x.append(x[-1] + 1.5 * step + 0.6 * np.sqrt(step) * rng.normal())
        times.append(np.concatenate([[0.0], np.cumsum(dt)]))
        states.append(np.array(x)[:, None])
    found = fit_coefficients(lsn.Trajectories.from_arrays(times, states), quick(), seed=0)
    t, x = np.full(50, 0.8), np.linspace(-0.5, 2.5, 50)[:, None]
    total = sum(time[-1] for time in times)
    assert found.drift(t, x).mean() == pytest.approx(1.5, abs=5 * 0.6 / np.sqrt(total))
    assert found.diffusion_squared(t, x).mean() == pytest.approx(0.36, rel=0.06)


def test_without_time_nothing_changes_in_time(scalar):
    form = dataclasses.replace(scalar.form, time_dependent=False)
    rng = np.random.default_rng(0)
    weights = initial_weights(form, (5,), rng)
    last = rng.standard_normal(weights.drift.last.shape)
    weights = weights._replace(drift=weights.drift._replace(last=last))
    points = rng.uniform(-1, 1, (20, 2))
    later = points + np.array([1.0, 0.0])
    here, there = (jets(form, scalar.units, weights, where, (0, 0), None) for where in (points, later))
    assert np.array_equal(here[0][()], there[0][()])
    assert np.std(here[0][()]) > 0
    assert np.array_equal(here[1][()], there[1][()])


def test_settings_are_plain_values():
    for settings in (CoefficientSettings(), CoefficientSettings(Cholesky()), DensitySettings(), *PAPER.values()):
        assert json.loads(json.dumps(dataclasses.asdict(settings)))
        assert hash(settings) == hash(dataclasses.replace(settings))


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"widths": [0]},
        {"widths": 64},
        {"activation": "relu"},
        {"schedule": 1e-3},
        {"held_out": 1.0},
        {"floor": -1.0},
    ],
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        CoefficientSettings(**wrong)


def test_single_precision_is_refused(scalar_data):
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(InputError, match="jax_enable_x64"):
            fit_coefficients(scalar_data, quick(), seed=0)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_wrong_data_are_refused():
    with pytest.raises(InputError, match="Trajectories"):
        fit_coefficients(np.zeros((3, 2)), quick(), seed=0)
