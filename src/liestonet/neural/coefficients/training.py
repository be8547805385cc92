"""Minibatch training in compiled chunks, with early stopping on what was held out and a stop where a number is no more.

A problem is a static, hashable value with `terms(weights, batch, key)`; everything that changes is an argument, so one
compilation serves every chunk, every fit and every seed of the same shapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.neural.coefficients.settings import Cosine, Schedule

# How often each function was traced: a recompilation inside a fit is a failure, and a test looks here.
TRACES: Counter[str] = Counter()

Progress = Callable[[str], None]


class NotFinite(InputError):
    """A loss became infinite or undefined: the step, the term, and the last weights that were good."""

    def __reduce__(self) -> tuple[Any, ...]:
        """As another process gets it: without the weights."""
        return type(self), (self.step, self.term, None)

    def __init__(self, step: int, term: str, weights: Any) -> None:
        self.step, self.term, self.weights = step, term, weights
        super().__init__(
            f"The term '{term}' of the surrogate's loss is not finite at step {step}; lower the learning rate, set "
            "clip=1.0, or look for extreme values in the data."
        )


@runtime_checkable
class Problem(Protocol):
    """What is trained: named terms of a loss, which weights each of the inner steps moves, and how fast."""

    @property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """For every inner step of an iteration the fields of the weights that it changes."""
        ...

    def terms(self, fixed: Any, weights: Any, batch: Any, key: jax.Array, step: int) -> dict[str, jax.Array]:
        """All terms of the loss of inner step number `step`; `fixed` are arrays that are not trained."""
        ...

    def held_out(self, fixed: Any, weights: Any, batch: Any) -> jax.Array:
        """The loss that early stopping looks at."""
        ...

    def schedule(self, step: int) -> tuple[Schedule, int, float | None]:
        """Learning rate of an inner step, number of its updates, and largest gradient."""
        ...


class State(NamedTuple):
    """Weights, one optimiser state per set of weights that is moved, and the random key."""

    weights: Any
    optimisers: dict[tuple[str, ...], Any]
    key: jax.Array


@dataclass(frozen=True)
class History:
    """Mean training loss of every chunk, loss on what was held out, and the step whose weights were taken."""

    steps: tuple[int, ...]
    loss: Float[np.ndarray, " chunks"]
    held_out: Float[np.ndarray, " chunks"]
    taken: int


@dataclass(frozen=True)
class Plan:
    """How long to train, how often to look, and how long to wait for progress."""

    steps: int
    check_every: int
    patience: int | None


def train(
    problem: Problem,
    fixed: Any,
    weights: Any,
    batches: Callable[[int], Any],
    held_out: Any | None,
    plan: Plan,
    key: jax.Array,
    progress: Progress,
) -> tuple[Any, History]:
    """Train chunk by chunk; `batches(k)` gives the minibatches of the next k iterations, stacked."""
    state = State(weights, {move: _optimiser(problem, move).init(_part(weights, move)) for move in problem.moves}, key)
    best, best_loss, taken = weights, np.inf, 0
    steps, losses, checks = [], [], []
    done = 0
    while done < plan.steps:
        # the last chunk may run over, so that there is one shape only
        state, terms = _chunk(problem, fixed, state, batches(plan.check_every))
        _require_finite(terms, done, best)
        done += plan.check_every
        check = float(_held_out(problem, fixed, state.weights, held_out)) if held_out is not None else -done
        if check < best_loss:
            best, best_loss, taken = state.weights, check, done
        steps.append(done)
        losses.append(float(sum(values[:, -1].mean() for values in terms.values())))
        checks.append(check if held_out is not None else np.nan)
        progress(f"step {done} of {plan.steps}, loss {losses[-1]:.5g}")
        if plan.patience is not None and done - taken >= plan.patience:
            break
    return best, History(tuple(steps), np.array(losses), np.array(checks), taken)


def _require_finite(terms: dict[str, jax.Array], done: int, weights: Any) -> None:
    """Name the first step and term that is not finite."""
    wrong = {name: ~np.isfinite(np.asarray(values)).all(axis=1) for name, values in terms.items()}
    first = {name: int(np.argmax(rows)) for name, rows in wrong.items() if rows.any()}
    if first:
        name = min(first, key=lambda term: first[term])
        raise NotFinite(done + first[name] + 1, name, weights)


def _part(weights: Any, move: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(weights, name) for name in move)


def _optimiser(problem: Problem, move: tuple[str, ...]) -> optax.GradientTransformation:
    """Adam, behind a limit on the gradient's norm where one is set; AdamW without decay is the same."""
    schedule, updates, clip = problem.schedule(problem.moves.index(move))
    rate = optax.cosine_decay_schedule(schedule.rate, updates) if isinstance(schedule, Cosine) else schedule.rate
    return optax.adam(rate) if clip is None else optax.chain(optax.clip_by_global_norm(clip), optax.adam(rate))


@partial(jax.jit, static_argnums=0)
def _chunk(problem: Problem, fixed: Any, state: State, batches: Any) -> tuple[State, dict[str, jax.Array]]:
    """A chunk of iterations; terms come back as (iterations, inner steps that have them)."""
    TRACES["chunk"] += 1

    def iteration(carried: State, batch: Any) -> tuple[State, dict[str, jax.Array]]:
        seen: dict[str, list[jax.Array]] = {}
        for step in range(len(problem.moves)):
            part = jax.tree.map(lambda array, step=step: array[step], batch)
            carried, terms = _update(problem, fixed, carried, part, step)
            for name, value in terms.items():
                seen.setdefault(name, []).append(value)
        return carried, {name: jnp.stack(values) for name, values in seen.items()}

    return jax.lax.scan(iteration, state, batches)


def _update(problem: Problem, fixed: Any, state: State, batch: Any, step: int) -> tuple[State, dict[str, jax.Array]]:
    """One step of the optimiser on the weights that this inner step moves."""
    move = problem.moves[step]
    key, used = jax.random.split(state.key)

    def loss(part: tuple[Any, ...]) -> tuple[jax.Array, dict[str, jax.Array]]:
        weights = state.weights._replace(**dict(zip(move, part, strict=True)))
        terms = problem.terms(fixed, weights, batch, used, step)
        return sum(terms.values(), jnp.zeros(())), terms

    part = _part(state.weights, move)
    gradient, terms = jax.grad(loss, has_aux=True)(part)
    changes, inner = _optimiser(problem, move).update(gradient, state.optimisers[move], part)
    moved: Any = optax.apply_updates(part, changes)
    weights = state.weights._replace(**dict(zip(move, moved, strict=True)))
    return State(weights, {**state.optimisers, move: inner}, key), terms


@partial(jax.jit, static_argnums=0)
def _held_out(problem: Problem, fixed: Any, weights: Any, batch: Any) -> jax.Array:
    TRACES["held out"] += 1
    return problem.held_out(fixed, weights, batch)
