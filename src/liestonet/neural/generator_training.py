"""Stage 2: the networks of generators as a problem for the training loop.

The cloud stays on the device and a batch is a choice of its rows. The points of a step are drawn in NumPy from the seed
and the number of the chunk, so that a stopped run can be continued to the same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np

from liestonet.neural import training
from liestonet.neural.generator_networks import Networks
from liestonet.neural.objective import Losses, loss_names
from liestonet.neural.settings import Neural, Optimizer
from liestonet.neural.training import Material, Move, OnChunk, Plan, Terms, Trained


class Tabulated(NamedTuple):
    """The tabulated coefficients at every point, and the seed of the losses' random numbers."""

    table: dict[str, Any]
    seed: Any


class Rows(NamedTuple):
    """The rows of a batch, and the number of its step."""

    rows: Any
    number: Any


@dataclass(frozen=True)
class GeneratorProblem:
    """The problem of minimising the losses of one kind of symmetry; static for the compiler."""

    objective: Losses
    settings: Optimizer

    @property
    def moves(self) -> tuple[Move, ...]:
        """All networks at once."""
        return (("tau", "xi", "beta"),)

    def losses(self, fixed: Tabulated, weights: Networks, batch: Rows, step: int) -> tuple[jax.Array, Terms]:
        """The weighted sum of the losses, and each of them."""
        # only flows, on the first points of a batch, use second derivatives of coefficients
        flowed = batch.rows[: self.objective.objective.flow_points]
        points = {
            name: values[flowed if name.endswith("_hessian") else batch.rows] for name, values in fixed.table.items()
        }
        key = jax.random.fold_in(jax.random.key(fixed.seed), batch.number)
        return self.objective.total(weights, points, key, batch.number / self.settings.steps)

    def optimizer(self, step: int) -> Optimizer:
        return self.settings

    def remedy(self, terms: tuple[str, ...]) -> str:
        tried = (
            "lower the flow's step (objective.flow)"
            if {"L7", "L9"} & set(terms)
            else "lower the learning rate (optimizer.rate) or the clipping (optimizer.clip)"
        )
        return f"{tried}. The last checkpoint, if one was asked for, is still good"


def problem_of(settings: Neural, kind: str) -> GeneratorProblem:
    """The problem for given settings and kind."""
    return GeneratorProblem(Losses(settings.objective, kind), settings.optimizer)


def begin(networks: Networks, settings: Neural, kind: str) -> Trained:
    """Networks before their first step."""
    problem = problem_of(settings, kind)
    return training.begin(problem, networks, loss_names(problem.objective.active))


def train(
    start: Trained,
    settings: Neural,
    kind: str,
    table: dict[str, np.ndarray],
    seed: int,
    watch: OnChunk | None = None,
) -> Trained:
    """Train for the number of steps in the settings; Ctrl-C returns the present state."""
    optimizer = settings.optimizer
    chunk = min(settings.running.chunk, optimizer.steps)

    def batches(first: int, steps: int) -> Rows:
        rows = chosen_rows(len(table["points"]), optimizer.batch, steps, (seed, first // chunk))
        return Rows(rows[:, None], np.arange(first, first + steps)[:, None])

    material = Material(Tabulated(table, seed), batches)
    plan = Plan(optimizer.steps, chunk, interruptible=True)
    return training.train(problem_of(settings, kind), start, material, plan, watch)


def chosen_rows(points: int, batch: int, steps: int, seed: tuple[int, int]) -> np.ndarray:
    """Row numbers of `steps` batches: each drawn without replacement, and none seen twice in one pass."""
    rng = np.random.default_rng(seed)
    batch = min(batch, points)
    passes = points // batch
    drawn = [rng.permutation(points)[: passes * batch].reshape(passes, batch) for _ in range(-(-steps // passes))]
    return np.concatenate(drawn)[:steps].astype(np.int32)
