"""The training loop: compiled chunks of steps, evaluation of held-out data after each, and early stopping.

A problem is a static, hashable value and everything that changes is an argument, so that one compilation serves every
chunk, every fit and every seed of the same shapes. All random numbers of a step are drawn with its batch.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.neural.settings import Optimizer

# Compiled functions, by the problem and the shapes of all arguments.
COMPILED: dict[Any, Any] = {}

# Names of the fields of the weights that a step changes.
Move = tuple[str, ...]
Terms = dict[str, jax.Array]


class NotFinite(InputError):
    """A loss is not a number: the step, the terms (none: the gradient), and the last finite weights."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickling for other processes, without the weights."""
        return type(self), (self.step, self.terms, self.remedy, None)

    def __init__(self, step: int, terms: tuple[str, ...], remedy: str, weights: Any) -> None:
        self.step, self.terms, self.remedy, self.weights = step, terms, remedy, weights
        what = ", ".join(terms) or "the gradient of the losses"
        super().__init__(f"Training stopped at step {step}: {what} is not a number; {remedy}.")


@runtime_checkable
class TrainingProblem(Protocol):
    """A training problem: for every inner step the losses, the weights that change, and the optimiser."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """For every inner step the fields of the weights that it changes."""
        ...

    def losses(self, fixed: Any, weights: Any, batch: Any, step: int) -> tuple[jax.Array, Terms]:
        """The loss that inner step number `step` minimises, and its terms by name; `fixed` are constant arrays."""
        ...

    def optimizer(self, step: int) -> Optimizer:
        """Rate, number of updates and largest gradient of an inner step."""
        ...

    def remedy(self, terms: tuple[str, ...]) -> str:
        """Advice if these terms, or the gradient (no terms), are not numbers."""
        ...


@runtime_checkable
class Checked(TrainingProblem, Protocol):
    """A problem with a loss on held-out data."""

    def held_out(self, fixed: Any, weights: Any, batch: Any) -> jax.Array:
        """The held-out loss, used by early stopping."""
        ...


@dataclass(frozen=True)
class Material:
    """The data of a training: constant arrays, minibatches, and optionally the loss of weights on held-out data.

    `batches(first, steps)` draws for the steps from number `first` on; arrays have axes (steps, inner steps, …).
    """

    fixed: Any
    batches: Callable[[int, int], Any]
    held_out: Callable[[Any], float] | None = None


@dataclass(frozen=True)
class Plan:
    """The number of steps, the steps of a chunk, the patience of early stopping, and whether Ctrl-C keeps the state."""

    steps: int
    chunk: int
    patience: int | None = None
    interruptible: bool = False


class Best(NamedTuple):
    """The weights to use: those with the smallest held-out loss, or the last ones."""

    weights: Any
    held_out: float
    step: int


@dataclass(frozen=True)
class History:
    """Mean training loss of every chunk, held-out loss, and the step whose weights were used."""

    steps: tuple[int, ...]
    loss: Float[np.ndarray, " chunks"]
    held_out: Float[np.ndarray, " chunks"]
    taken: int


@dataclass(frozen=True)
class Trained:
    """Weights after some steps: the optimisers' states, the terms of every step, the seconds without compilation.

    `checks` are the steps at which the held-out loss was evaluated, with its values.
    """

    weights: Any
    optimizer_state: dict[Move, Any]
    terms: tuple[str, ...]
    history: Float[np.ndarray, "steps terms"]
    best: Best
    checks: tuple[tuple[int, float], ...] = ()
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def steps(self) -> int:
        return len(self.history)

    @property
    def loss(self) -> float:
        """Mean sum of all terms over the last chunk."""
        return float(self.summary.loss[-1])

    @property
    def summary(self) -> History:
        """The losses chunk by chunk."""
        ends = [step for step, _ in self.checks]
        loss = [rows.mean(axis=0).sum() for rows in np.split(self.history, ends)[:-1]]
        return History(tuple(ends), np.array(loss), np.array([value for _, value in self.checks]), self.best.step)

    def last(self, term: str) -> float:
        """Mean of a term over the last hundred steps; not-a-number where it was not evaluated."""
        if term not in self.terms or not self.steps:
            return float("nan")
        return float(np.mean(self.history[-100:, self.terms.index(term)]))


OnChunk = Callable[[Trained, float], None]
Progress = Callable[[str], None]


def silent(message: str) -> None:
    """Discard progress messages."""


def said(say: Progress, what: str, plan: Plan) -> OnChunk:
    """A callback that reports every chunk in one sentence."""
    return lambda trained, left: say(
        f"{what}: step {trained.steps} of {plan.steps}, loss {trained.loss:.5g}, {left:.0f} s left"
    )


def begin(problem: TrainingProblem, weights: Any, terms: tuple[str, ...] = ()) -> Trained:
    """The state before the first step; `terms` are the names of the losses, if known."""
    weights = jax.tree.map(jnp.asarray, weights)
    states = {
        move: optimizer_of(problem.optimizer(step)).init(_part(weights, move))
        for step, move in enumerate(problem.moves)
    }
    return Trained(weights, states, terms, np.zeros((0, len(terms))), Best(weights, np.inf, 0))


def train(
    problem: TrainingProblem, start: Trained, material: Material, plan: Plan, watch: OnChunk | None = None
) -> Trained:
    """Train to the end of the plan; `watch` is called after every chunk, with the seconds left."""
    trained = start
    try:
        for trained, left in _chunks(problem, start, material, plan):
            if watch is not None:
                watch(trained, left)
    except KeyboardInterrupt:
        if not plan.interruptible:
            raise
        return replace(trained, interrupted=True)
    return trained


def held_out_loss(problem: Checked, fixed: Any, batch: Any) -> Callable[[Any], float]:
    """A function of the weights: the loss on a fixed batch."""
    fixed, batch = jax.tree.map(jnp.asarray, (fixed, batch))

    def at(weights: Any) -> float:
        arguments = (fixed, weights, batch)
        return float(_compiled(_HeldOut(problem), arguments)(*arguments))

    return at


def _compiled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A hashable function compiled for arguments of these shapes, once."""
    leaves, structure = jax.tree.flatten(arguments)
    key = (function, structure, tuple((leaf.shape, str(leaf.dtype)) for leaf in leaves))
    if key not in COMPILED:
        COMPILED[key] = jax.jit(function).lower(*arguments).compile()
    return COMPILED[key]


@lru_cache(maxsize=32)
def optimizer_of(settings: Optimizer) -> optax.GradientTransformation:
    """Adam or AdamW with its schedule and, if limited, clipping of the gradient's norm."""
    steps = settings.steps
    if settings.schedule == "constant":
        rate: Any = settings.rate
    elif settings.schedule == "cosine":
        rate = optax.cosine_decay_schedule(settings.rate, steps, alpha=settings.final)
    else:
        warm = max(1, round(settings.warmup * steps))
        rate = optax.warmup_cosine_decay_schedule(
            0.0, settings.rate, warm, max(steps, warm + 1), settings.final * settings.rate
        )
    method = (optax.adam if settings.name == "adam" else optax.adamw)(rate)
    return method if settings.clip == np.inf else optax.chain(optax.clip_by_global_norm(settings.clip), method)


def _chunks(
    problem: TrainingProblem, start: Trained, material: Material, plan: Plan
) -> Iterator[tuple[Trained, float]]:
    """The state after every chunk, with the estimated seconds left, measured without compilation."""
    size = min(plan.chunk, plan.steps)
    fixed, chunk = jax.tree.map(jnp.asarray, material.fixed), _Chunk(problem)
    trained, spent, done = start, 0.0, 0
    for first in range(-(-start.steps // size) * size, plan.steps, size):
        steps = min(size, plan.steps - first)
        arguments = (fixed, trained.weights, trained.optimizer_state, material.batches(first, steps))
        run = _compiled(chunk, arguments)
        began = time.monotonic()
        weights, states, terms = jax.block_until_ready(run(*arguments))
        spent, done = spent + time.monotonic() - began, done + steps
        _require_finite(problem, trained, weights, terms)
        trained = _advanced(trained, weights, states, terms, material.held_out)
        trained = replace(trained, seconds=start.seconds + spent)
        yield trained, spent / done * (plan.steps - trained.steps)
        if plan.patience is not None and trained.steps - trained.best.step >= plan.patience:
            return


def _advanced(before: Trained, weights: Any, states: Any, terms: Terms, held_out: Any) -> Trained:
    """The state after one more chunk; a term is that of the last inner step of an iteration that has it."""
    rows = np.stack([np.asarray(values)[:, -1] for values in terms.values()], axis=1)
    history = np.concatenate([before.history, rows]) if before.steps else rows
    step = len(history)
    check = np.nan if held_out is None else held_out(weights)
    best = Best(weights, check, step) if held_out is None or check < before.best.held_out else before.best
    checks = (*before.checks, (step, check))
    return Trained(weights, states, tuple(terms), history, best, checks)


def _require_finite(problem: TrainingProblem, before: Trained, weights: Any, terms: Terms) -> None:
    """Raise an error at the first step with a term, or with final weights, that are not numbers."""
    wrong = np.stack([np.any(~np.isfinite(np.asarray(values)), axis=1) for values in terms.values()])
    if wrong.any():
        step = int(np.argmax(wrong.any(axis=0)))
        names = tuple(name for name, bad in zip(terms, wrong[:, step], strict=True) if bad)
        raise NotFinite(before.steps + step, names, problem.remedy(names), before.best.weights)
    if not all(np.isfinite(np.asarray(leaf)).all() for leaf in jax.tree.leaves(weights)):
        raise NotFinite(before.steps + wrong.shape[1] - 1, (), problem.remedy(()), before.best.weights)


@dataclass(frozen=True)
class _Chunk:
    """Several iterations in one call; terms are returned as (iterations, inner steps that have them)."""

    problem: TrainingProblem

    def __call__(self, fixed: Any, weights: Any, states: dict[Move, Any], batches: Any) -> tuple[Any, Any, Terms]:
        def iteration(carried: tuple[Any, Any], batch: Any) -> tuple[tuple[Any, Any], Terms]:
            seen: dict[str, list[jax.Array]] = {}
            for step in range(len(self.problem.moves)):
                part = jax.tree.map(lambda array, step=step: array[step], batch)
                carried, terms = _update(self.problem, fixed, carried, part, step)
                for name, value in terms.items():
                    seen.setdefault(name, []).append(value)
            return carried, {name: jnp.stack(values) for name, values in seen.items()}

        (weights, states), terms = jax.lax.scan(iteration, (weights, states), batches)
        return weights, states, terms


@dataclass(frozen=True)
class _HeldOut:
    """The held-out loss as a hashable function."""

    problem: Checked

    def __call__(self, fixed: Any, weights: Any, batch: Any) -> jax.Array:
        return self.problem.held_out(fixed, weights, batch)


def _update(problem: TrainingProblem, fixed: Any, carried: tuple[Any, Any], batch: Any, step: int) -> tuple[Any, Terms]:
    """One step of the optimiser on the weights that this inner step changes."""
    weights, states = carried
    move = problem.moves[step]

    def loss(part: tuple[Any, ...]) -> tuple[jax.Array, Terms]:
        return problem.losses(fixed, _with_part(weights, move, part), batch, step)

    part = _part(weights, move)
    gradient, terms = jax.grad(loss, has_aux=True)(part)
    changes, state = optimizer_of(problem.optimizer(step)).update(gradient, states[move], part)
    moved: Any = optax.apply_updates(part, changes)
    return (_with_part(weights, move, moved), {**states, move: state}), terms


def _part(weights: Any, move: Move) -> tuple[Any, ...]:
    return tuple(getattr(weights, name) for name in move)


def _with_part(weights: Any, move: Move, part: tuple[Any, ...]) -> Any:
    """A named tuple or frozen dataclass with some fields replaced."""
    changed = dict(zip(move, part, strict=True))
    return weights._replace(**changed) if hasattr(weights, "_replace") else dataclasses.replace(weights, **changed)
