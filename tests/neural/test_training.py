"""Training: one compilation, the same bits again, after a stop too; what happens when it goes wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.neural import generator_training as training
from liestonet.neural.frame import TrainingFrame, tabulate
from liestonet.neural.generator_networks import make_networks
from liestonet.neural.running import TrainingRun, Watch, begin_losses
from liestonet.neural.settings import Architecture, Neural, Objective, Optimizer, Running
from liestonet.neural.sweep import Rung, jump_rule, paper_rule, span_residuals, warm_start
from liestonet.neural.training import COMPILED
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, ITO
from neural_cases import at_once, csv_columns

SMALL = Neural(
    architecture=Architecture(tau=(8,), xi=(8, 8)),
    optimizer=Optimizer(batch=32, steps=60, rate=1e-2),
    running=Running(chunk=20),
)
RUN = TrainingRun("ito", 3, 5)


@lru_cache(maxsize=1)
def brownian_table():
    system = lsn.catalogue["brownian"]
    domain = Domain.from_pairs(system.box, 1)
    low, high = np.array(domain.intervals).T
    points = np.random.default_rng(0).uniform(low, high, size=(200, 2))
    return tabulate(ITO, system.sde.coefficients(domain), TrainingFrame.of(domain, True), points)


def with_second_derivatives():
    system = lsn.catalogue["brownian"]
    domain = Domain.from_pairs(system.box, 1)
    frame, points = TrainingFrame.of(domain, True), brownian_table()["points"]
    table = tabulate(ITO, system.sde.coefficients(domain), frame, frame.centre + frame.half * points, second=True)
    return table | {"time_step": np.full(len(points), 0.01)}


def fresh(count=3, settings=SMALL, kind="ito"):
    networks = make_networks(jax.random.key(0), settings.architecture, count, 1, kind == "fokker-planck")
    return training.begin(networks, settings, kind)


def leaves(trained):
    return [np.asarray(leaf) for leaf in jax.tree.leaves((trained.weights, trained.optimizer_state))]


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(leaves(first), leaves(second), strict=True))


@pytest.mark.slow
def test_training_is_reproducible_compiled_once_and_lowers_the_loss():
    COMPILED.clear()
    first = training.train(fresh(), SMALL, "ito", brownian_table(), 5)
    second = training.train(fresh(), SMALL, "ito", brownian_table(), 5)
    other = training.train(fresh(), SMALL, "ito", brownian_table(), 6)
    assert same(first, second)
    assert not same(first, other)
    assert len(COMPILED) == 1
    assert first.history.shape == (60, 4)
    assert first.history[-10:].sum(axis=1).mean() < 0.5 * first.history[:10].sum(axis=1).mean()


def test_a_killed_run_goes_on_to_the_same_numbers(tmp_path):
    settings = SMALL.with_running(checkpoint=str(tmp_path), losses=str(tmp_path / "losses.csv"))
    whole = training.train(fresh(), SMALL, "ito", brownian_table(), 5)

    class Killed(Exception):
        pass

    begin_losses(settings)
    watch = Watch(settings, RUN, lambda text: None)

    def killed(trained, left):
        watch(trained, left)
        if trained.steps == 40:
            raise Killed

    with pytest.raises(Killed):
        training.train(fresh(), settings, "ito", brownian_table(), 5, killed)
    said = []
    begin_losses(settings)
    again = Watch(settings, RUN, said.append)
    start = again.resumed(fresh())
    assert start.steps == 40
    resumed = training.train(start, settings, "ito", brownian_table(), 5, again)
    assert same(whole, resumed)
    np.testing.assert_array_equal(whole.history, resumed.history)
    assert "step 60 of 60" in said[-1]
    table = csv_columns(tmp_path / "losses.csv")
    np.testing.assert_array_equal(table["step"], np.arange(60))
    np.testing.assert_allclose(table["L6"], whole.history[:, 3], rtol=1e-6)


def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(tmp_path):
    settings = SMALL.with_running(checkpoint=str(tmp_path))
    Watch(settings, RUN, lambda text: None)(replace(fresh(), history=np.zeros((20, 4))), 0.0)
    with pytest.raises(lsn.InputError, match="other data or settings"):
        Watch(settings, replace(RUN, seed=6), lambda text: None).resumed(fresh())
    file = next(tmp_path.glob("*.safetensors"))
    content = bytearray(file.read_bytes())
    content[-5] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(lsn.InputError, match="damaged"):
        Watch(settings, RUN, lambda text: None).resumed(fresh())


def test_interruption_keeps_what_was_reached():
    def stop(trained, left):
        if trained.steps == 20:
            raise KeyboardInterrupt

    partial = training.train(fresh(), SMALL, "ito", brownian_table(), 5, stop)
    assert partial.interrupted
    assert partial.steps == 20


def test_what_is_not_a_number_stops_with_step_term_and_remedy():
    broken = brownian_table() | {"drift_gradient": np.full_like(brownian_table()["drift_gradient"], np.nan)}
    with pytest.raises(lsn.InputError, match=r"step 0: L6 .*optimizer\.rate"):
        training.train(fresh(), SMALL, "ito", broken, 5)


def test_a_run_that_breaks_keeps_its_last_good_checkpoint(tmp_path):
    settings = SMALL.with_running(checkpoint=str(tmp_path))
    watch = Watch(settings, RUN, lambda text: None)

    def stop(trained, left):
        watch(trained, left)
        if trained.steps == 20:
            raise KeyboardInterrupt

    good = training.train(fresh(), settings, "ito", brownian_table(), 5, stop)
    broken = brownian_table() | {"drift": np.full_like(brownian_table()["drift"], np.inf)}
    with pytest.raises(lsn.InputError, match="step 20: L6"):
        training.train(watch.resumed(fresh()), settings, "ito", broken, 5, watch)
    assert same(watch.resumed(fresh()), good)


@pytest.mark.slow
def test_a_flow_that_runs_away_is_named_with_its_remedy():
    objective = Objective(weights=(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0), flow=1e200)
    settings = replace(SMALL, objective=objective)
    table = dict(with_second_derivatives())
    with pytest.raises(lsn.InputError, match=r"step 0: L7 .*objective\.flow"):
        training.train(fresh(settings=settings), settings, "ito", table, 5)


@pytest.mark.slow
def test_a_density_that_runs_away_is_named_with_its_remedy():
    objective = Objective(weights=(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), flow=1e200)
    settings = replace(SMALL, objective=objective)
    system = lsn.catalogue["brownian"]
    domain = Domain.from_pairs(system.box, 1)
    frame, points = TrainingFrame.of(domain, True), brownian_table()["points"]
    table = tabulate(
        FOKKER_PLANCK, system.sde.coefficients(domain), frame, frame.centre + frame.half * points, second=True
    )
    rows = len(points)
    density = {
        "density": np.ones(rows),
        "density_gradient": np.ones((rows, 2)),
        "density_hessian": np.ones((rows, 2, 2)),
    }
    with pytest.raises(lsn.InputError, match=r"step 0: L9 .*objective\.flow"):
        training.train(fresh(settings=settings, kind="fokker-planck"), settings, "fokker-planck", table | density, 5)


def test_batches_are_drawn_without_replacement():
    rows = training.chosen_rows(100, 30, 7, (1, 0))
    assert rows.shape == (7, 30)
    assert all(len(set(row)) == 30 for row in rows.tolist())
    assert len(set(rows[:3].ravel().tolist())) == 90
    assert not np.array_equal(rows, training.chosen_rows(100, 30, 7, (1, 1)))


def test_warm_start_begins_with_what_was_learnt():
    small, large = fresh(2).weights, fresh(3).weights
    points = jnp.asarray(np.random.default_rng(1).uniform(-1, 1, (5, 2)))
    squared = jnp.ones((5, 1, 1))
    warm = warm_start(large, small)
    found, known = (at_once(lambda p, s, n=n: n(p, s).values, points, squared) for n in (warm, small))
    np.testing.assert_allclose(found[:2], known, atol=1e-14)
    assert warm.count == 3


def rungs(closure, residuals):
    return tuple(
        Rung(m, {1: l1}, (worst,)) for m, (l1, worst) in enumerate(zip(closure, residuals, strict=True), start=1)
    )


def test_rules_read_the_curves():
    """The curves of Example 1 as measured: L1 is smallest at 2, the residual jumps after 3."""
    curves = rungs([0.0, 2e-6, 4e-6, 6e-4, 1e-3], [5e-4, 7e-4, 2e-3, 0.68, 0.7])
    assert paper_rule(curves) == 2
    assert jump_rule(curves) == 3
    assert jump_rule(rungs([0.0], [0.9])) == 0
    # what training leaves of e^{2t}∂t beside an exact ∂t is no jump
    assert jump_rule(rungs([0.0, 1e-6, 1e-6], [5e-4, 0.02, 0.11])) == 3
    assert paper_rule(rungs([0.0], [0.1])) == 1


def test_span_residuals_do_not_depend_on_the_basis():
    networks = fresh(2).weights
    before = span_residuals("ito", networks, brownian_table())
    last = networks.xi[-1]
    mixing = np.array([[1.0, 2.0], [-0.5, 1.0]])

    def mixed(layers):
        final = layers[-1]
        return (*layers[:-1], type(final)(final.weight @ mixing, final.bias @ mixing))

    turned = type(networks)(mixed(networks.tau), mixed(networks.xi), (), 2, 1, "tanh")
    assert last.weight.shape[-1] == 2
    np.testing.assert_allclose(span_residuals("ito", turned, brownian_table()), before, rtol=1e-9)
