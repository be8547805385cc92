"""The training loop on problems small enough to know the answer: steps, chunks, early stopping, what is no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from liestonet.neural.settings import Optimizer
from liestonet.neural.training import COMPILED, Material, NotFinite, Plan, begin, held_out_loss, train


class Pair(NamedTuple):
    first: float
    second: float


@dataclass(frozen=True)
class Parabola:
    """(first − batch)² and (second − batch)², one after the other, each with a rate of its own."""

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        return (("first",), ("second",))

    def losses(self, fixed, weights, batch, step):
        value = fixed * jnp.sum((getattr(weights, self.moves[step][0]) - batch) ** 2)
        return value, {self.moves[step][0]: value}

    def held_out(self, fixed, weights, batch):
        return jnp.sum((weights.first - batch) ** 2)

    def optimizer(self, step):
        return Optimizer(rate=(0.1, 0.01)[step], schedule="constant", clip=np.inf)

    def remedy(self, terms):
        return "think again"


@dataclass(frozen=True)
class Cusp(Parabola):
    """√x² is 0 at 0 and its gradient is none there."""

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        return (("first",),)

    def losses(self, fixed, weights, batch, step):
        value = jnp.sqrt(weights.first**2) + 0 * jnp.sum(batch)
        return value, {"cusp": value}


START = Pair(0.0, 0.0)


def ones(first, steps):
    """Batches (steps, inner steps, points) of ones."""
    return np.ones((steps, 2, 1))


def trained(plan, material=None, watch=None):
    problem = Parabola()
    return train(problem, begin(problem, START), material or Material(2.0, ones), plan, watch)


def test_inner_steps_move_their_own_weights_as_adam_does():
    found = trained(Plan(7, 3))
    for name, rate in (("first", 0.1), ("second", 0.01)):
        adam = optax.adam(rate)
        value, state, losses = jnp.zeros(()), adam.init(jnp.zeros(())), []
        for _ in range(7):
            losses.append(float(2 * (value - 1) ** 2))
            change, state = adam.update(4 * (value - 1), state)
            value = value + jnp.asarray(change)
        assert float(getattr(found.weights, name)) == pytest.approx(float(value), rel=1e-12)
        np.testing.assert_allclose(found.history[:, found.terms.index(name)], losses, rtol=1e-12)


def test_steps_that_no_chunk_divides_are_made_and_no_more():
    asked, seen = [], []
    material = Material(2.0, lambda first, steps: asked.append((first, steps)) or ones(first, steps))
    found = trained(Plan(10, 4), material, lambda one, left: seen.append((one.steps, left)))
    assert asked == [(0, 4), (4, 4), (8, 2)]
    assert found.steps == 10
    assert [steps for steps, _ in seen] == [4, 8, 10]
    assert seen[-1][1] == 0
    assert found.summary.steps == (4, 8, 10)
    np.testing.assert_allclose(found.summary.loss[-1], found.history[8:].sum(axis=1).mean(), rtol=1e-12)


def test_the_weights_that_were_best_on_what_was_held_out_are_taken():
    """Held out is 0.25, trained on is 1: the way to 1 passes it after the third step of 0.1 or so."""
    problem = Parabola()
    material = Material(2.0, ones, held_out_loss(problem, 2.0, np.full(1, 0.25)))
    found = trained(Plan(50, 1, patience=4), material)
    values = [value for _, value in found.checks]
    assert found.best.step == 1 + int(np.argmin(values))
    assert float(found.best.weights.first) == pytest.approx(0.25, abs=0.06)
    assert found.steps == found.best.step + 4
    assert min(values) == pytest.approx((float(found.best.weights.first) - 0.25) ** 2)


def test_without_anything_held_out_the_last_weights_are_taken():
    found = trained(Plan(6, 2, patience=2))
    assert found.steps == found.best.step == 6
    assert found.best.weights == found.weights


def test_equal_problems_share_one_compilation():
    COMPILED.clear()
    for _ in range(2):
        problem = Parabola()
        material = Material(2.0, ones, held_out_loss(problem, 2.0, np.ones(1)))
        train(problem, begin(problem, START), material, Plan(6, 2))
    assert len(COMPILED) == 2  # a chunk, and the look at what was held out


def test_a_gradient_that_is_no_number_stops_training_before_weights_are_kept():
    problem = Cusp()
    with pytest.raises(NotFinite, match="step 0: the gradient of the losses is not a number; think again") as caught:
        train(problem, begin(problem, START), Material(1.0, lambda first, steps: np.ones((steps, 1, 1))), Plan(1, 1))
    assert caught.value.weights == START


def test_an_interrupt_of_a_training_is_raised_unless_the_plan_keeps_the_state():
    def stop(one, left):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(Plan(6, 2), watch=stop)
    found = trained(Plan(6, 2, interruptible=True), watch=stop)
    assert found.interrupted
    assert found.steps == 2
