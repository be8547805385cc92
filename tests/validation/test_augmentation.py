"""Augmented paths: copies obey the law, stay in their path's cluster, and never shrink an error."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import liestonet as lsn
from liestonet.errors import InputError
from liestonet.result import Result
from liestonet.trajectories.augmented import Augmented

OU = lsn.SDE.parse("dx = -x dt + dW")


@pytest.fixture(scope="module")
def symmetries() -> Result:
    return lsn.solve(OU)


@pytest.fixture(scope="module")
def data() -> lsn.Trajectories:
    return OU.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 1)), duration=1.0, step=0.02, paths=40, seed=1)


@pytest.fixture(scope="module")
def copies(data, symmetries) -> Augmented:
    return data.augmented(symmetries, copies=4, seed=3)


def test_copies_are_whole_paths_with_steps_of_their_own(data, copies):
    assert len(copies) == len(copies.clusters) > 4 * len(data)
    assert np.array_equal(np.diff(copies.offsets), np.diff(data.offsets)[copies.clusters])
    assert np.array_equal(copies.copied, np.arange(len(copies)) >= len(data))
    steps = copies.increments().dt
    assert (steps > 0).all()
    assert len(np.unique(np.round(steps, 6))) > 100


def test_copies_have_the_law_of_the_equation(data, copies):
    # whitened increments of 160 pushed paths: mean 0, variance 1; beyond five standard errors by chance once in 10⁶.
    # A symmetry changes the step with the noise, dx̃ + x̃ dt̃ = √(dt̃/dt) e^{…}(dx + x dt), up to terms of the step's order
    steps = copies.take(np.flatnonzero(copies.copied)).increments()
    whitened = (steps.dx[:, 0] + steps.x[:, 0] * steps.dt) / np.sqrt(steps.dt)
    clusters = len(data) * 50
    assert abs(whitened.mean()) < 5 / np.sqrt(clusters)
    assert abs(whitened.var() - 1) < 5 * np.sqrt(2 / clusters) + 0.02


def test_errors_are_those_of_the_recorded_paths(data, copies):
    alone, all_of_it = lsn.fit(data), lsn.fit(copies)
    assert np.array_equal(alone.parameter_covariance, all_of_it.parameter_covariance)
    model = "dx = -k*x dt + s dW"
    once, more = lsn.fit(data, model), lsn.fit(copies, model)
    assert np.array_equal(once.covariance, more.covariance)
    assert np.array_equal(copies.recorded.flat_states, data.flat_states)
    assert "not new observations" in " ".join(copies.recorded.remarks)


def test_parts_keep_clusters_together(copies):
    first, second = copies.split(0.5, seed=2)
    assert not set(first.clusters) & set(second.clusters)
    assert len(first) + len(second) == len(copies)
    some = copies.take([0, 50])
    assert some.clusters.tolist() == copies.clusters[[0, 50]].tolist()
    again = pickle.loads(pickle.dumps(copies))
    assert np.array_equal(again.clusters, copies.clusters)
    assert np.array_equal(again.flat_states, copies.flat_states)


def test_the_seed_decides(data, symmetries, copies):
    again, other = (data.augmented(symmetries, copies=4, seed=seed) for seed in (3, 4))
    assert np.array_equal(again.flat_states, copies.flat_states)
    assert again.flat_states.shape != other.flat_states.shape or not np.array_equal(
        other.flat_states, copies.flat_states
    )


def test_copies_of_copies_are_copies_of_the_recorded_paths(symmetries, copies):
    assert copies.augmented(symmetries, copies=1).clusters.max() == copies.clusters.max()


def recording(cube: float, paths: int) -> lsn.Trajectories:
    sde = lsn.SDE.parse(f"dx = (-x - {cube}*x^3) dt + dW")
    return sde.simulate(lambda rng, k: rng.uniform(-2, 2, (k, 1)), 1.0, 0.05, paths, seed=7, substeps=20)


def test_symmetries_that_were_discovered_push_the_data_that_they_were_found_in():
    """All data reach the edge of the box they were found on; formulas go on beyond it."""
    data = recording(0, 400)
    found = lsn.discover(data)
    more = data.augmented(found, copies=2, seed=1)
    assert len(more) > 2.8 * len(data)
    steps = more.take(np.flatnonzero(more.copied)).increments()
    whitened = (steps.dx[:, 0] + steps.x[:, 0] * steps.dt) / np.sqrt(steps.dt)
    assert abs(whitened.var() - 1) < 0.1


def test_the_note_bounds_the_residuals_of_discovered_symmetries(data, copies):
    near = recording(0.02, 1000)
    found = lsn.discover(near)
    upper = max(row.upper for row in list(found.ladder)[: int(found.dimension)])
    remarks = near.take(np.arange(200)).augmented(found, copies=1).remarks
    assert any(f"residuals of these symmetries are below {upper:.2g}" in remark for remark in remarks)
    assert not any("copies can be wrong" in remark for remark in copies.remarks)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda data, found, more: data.augmented(3), "result of solve or discover"),
        (lambda data, found, more: data.augmented(found, copies=0), "number of copies"),
        (lambda data, found, more: data.augmented(found, seed=-1), "seed"),
        (lambda data, found, more: more.windows(10), "first, then augment"),
        (lambda data, found, more: more.write("copies.csv"), "data.recorded"),
    ],
)
def test_wrong_input_ends_in_one_sentence(data, symmetries, copies, wrong, words):
    with pytest.raises(InputError, match=words):
        wrong(data, symmetries, copies)


def test_a_result_of_another_dimension_is_refused(symmetries):
    plane = lsn.SDE.parse("dx = dW1; dy = dW2").simulate([0, 0], 1.0, 0.1, 2)
    with pytest.raises(InputError, match="both must agree"):
        plane.augmented(symmetries)
