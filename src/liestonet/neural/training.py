"""Training: Adam on minibatches of a tabulated cloud, many steps in one compiled call.

The cloud is an argument, so one compilation serves every cloud of the same shape. Which points a step sees is drawn in
NumPy from the seed and the number of the chunk, so that a run that was stopped goes on to the same numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float

from liestonet.errors import InputError
from liestonet.neural.networks import Networks
from liestonet.neural.objective import Losses
from liestonet.neural.settings import Neural, Objective, Optimizer

# How often the step was traced, by what it was traced for: a second time would be a recompilation.
TRACES: dict[Any, int] = {}
# Compiled chunks by what they were compiled for: losses, optimiser, and the shapes of all arguments.
COMPILED: dict[Any, Any] = {}


@dataclass(frozen=True)
class Trained:
    """Networks after some steps: the optimiser's state, the losses so far, and the seconds without compilation."""

    networks: Networks
    optimizer_state: Any
    history: Float[np.ndarray, "steps terms"]
    terms: tuple[int, ...]
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def steps(self) -> int:
        return len(self.history)

    def last(self, number: int) -> float:
        """Mean of a loss over the last hundred steps; not-a-number where it was not evaluated."""
        if number not in self.terms or not self.steps:
            return float("nan")
        return float(np.mean(self.history[-100:, self.terms.index(number)]))


@lru_cache(maxsize=32)
def optimizer_of(settings: Optimizer) -> optax.GradientTransformation:
    """Clipped gradient, then Adam or AdamW with its schedule."""
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
    method = optax.adam if settings.name == "adam" else optax.adamw
    return optax.chain(optax.clip_by_global_norm(settings.clip), method(rate))


def compiled_chunk(kind: str, objective: Objective, optimizer: Optimizer, arguments: tuple[Any, ...]) -> Any:
    """Some steps in one call, compiled for arguments of these shapes, once."""
    leaves, structure = jax.tree.flatten(arguments)
    key = (kind, objective, optimizer, structure, tuple((leaf.shape, str(leaf.dtype)) for leaf in leaves))
    if key not in COMPILED:
        COMPILED[key] = jax.jit(_chunk_of(kind, objective, optimizer)).lower(*arguments).compile()
    return COMPILED[key]


def _chunk_of(kind: str, objective: Objective, optimizer: Optimizer) -> Callable[..., Any]:
    """Networks, state, cloud, batches and the number of the first step in, all updated out."""
    losses, method = Losses(objective, kind), optimizer_of(optimizer)

    def step(table: dict[str, Array], seed: Array, carry: Any, at: tuple[Array, Array]) -> tuple[Any, Array]:
        networks, state = carry
        number, rows = at
        batch = {name: values[rows] for name, values in table.items()}
        key = jax.random.fold_in(jax.random.key(seed), number)
        (_, terms), gradient = jax.value_and_grad(losses.total, has_aux=True)(
            networks, batch, key, number / optimizer.steps
        )
        updates, state = method.update(gradient, state, networks)
        return (eqx.apply_updates(networks, updates), state), terms

    def chunk(networks: Networks, state: Any, table: dict[str, Array], seed: Array, first: Array, rows: Array) -> Any:
        signature = (kind, objective, optimizer, networks.count, networks.dimension, rows.shape, table["points"].shape)
        TRACES[signature] = TRACES.get(signature, 0) + 1
        numbers = first + jnp.arange(rows.shape[0])
        (networks, state), terms = jax.lax.scan(
            lambda carry, at: step(table, seed, carry, at), (networks, state), (numbers, rows)
        )
        return networks, state, terms

    return chunk


def batches(points: int, batch: int, steps: int, seed: int, chunk: int) -> np.ndarray:
    """Row numbers of `steps` batches: each drawn without replacement, and none seen twice in one pass."""
    rng = np.random.default_rng([seed, chunk])
    batch = min(batch, points)
    passes = points // batch
    drawn = [rng.permutation(points)[: passes * batch].reshape(passes, batch) for _ in range(-(-steps // passes))]
    return np.concatenate(drawn)[:steps].astype(np.int32)


def begin(networks: Networks, settings: Neural, kind: str) -> Trained:
    """Networks before their first step."""
    terms = settings.objective.active(kind == "fokker-planck")
    state = optimizer_of(settings.optimizer).init(cast(Any, networks))
    return Trained(networks, state, np.zeros((0, len(terms))), terms)


def train(
    start: Trained,
    settings: Neural,
    kind: str,
    table: dict[str, np.ndarray],
    seed: int,
    watch: Callable[[Trained, float], None] | None = None,
) -> Trained:
    """Train to the number of steps in the settings; Ctrl-C keeps what was reached.

    `watch` is told of every chunk, with the seconds left.
    """
    trained = start
    try:
        for trained, left in _chunks(start, settings, kind, table, seed):
            if watch is not None:
                watch(trained, left)
        return trained
    except KeyboardInterrupt:
        return replace(trained, interrupted=True)


def _chunks(
    start: Trained, settings: Neural, kind: str, table: dict[str, np.ndarray], seed: int
) -> Iterator[tuple[Trained, float]]:
    """Training chunk by chunk, with the seconds left; the clock runs after compilation."""
    total, size = settings.optimizer.steps, min(settings.running.chunk, settings.optimizer.steps)
    device = {name: jnp.asarray(values) for name, values in table.items()}
    trained, spent, done = start, 0.0, 0
    for number in range(-(-start.steps // size), -(-total // size)):
        steps = min(size, total - number * size)
        rows = jnp.asarray(batches(len(table["points"]), settings.optimizer.batch, steps, seed, number))
        place = (jnp.asarray(seed), jnp.asarray(number * size))
        arguments = (trained.networks, trained.optimizer_state, device, *place, rows)
        run = compiled_chunk(kind, settings.objective, settings.optimizer, arguments)
        began = time.monotonic()
        networks, state, terms = jax.block_until_ready(run(*arguments))
        spent, done = spent + time.monotonic() - began, done + steps
        history = np.asarray(terms)
        check_finite(history, trained.terms, number * size)
        check_weights(networks, number * size + steps - 1)
        trained = Trained(
            networks, state, np.concatenate([trained.history, history]), trained.terms, start.seconds + spent
        )
        yield trained, spent / done * (total - trained.steps)


def check_finite(history: Float[np.ndarray, "steps terms"], terms: tuple[int, ...], first: int) -> None:
    """Stop where a loss is no number, and say when, which and what to try."""
    wrong = ~np.isfinite(history)
    if not wrong.any():
        return
    step = int(np.argmax(wrong.any(axis=1)))
    names = ", ".join(f"L{number}" for number, bad in zip(terms, wrong[step], strict=True) if bad)
    remedy = (
        "lower the flow's step (objective.flow)"
        if {7, 9} & {n for n, bad in zip(terms, wrong[step], strict=True) if bad}
        else "lower the learning rate (optimizer.rate) or the clipping (optimizer.clip)"
    )
    raise InputError(
        f"Training stopped at step {first + step}: {names} is not a number; {remedy}. The last checkpoint, if one was "
        "asked for, is still good."
    )


def check_weights(networks: Networks, step: int) -> None:
    """Stop where the last step of a chunk has left weights that are no numbers, before they are kept."""
    if not all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(networks)):
        raise InputError(
            f"Training stopped at step {step}: the gradient of the losses is not a number; lower the learning rate "
            "(optimizer.rate) or the clipping (optimizer.clip). The last checkpoint, if one was asked for, is still "
            "good."
        )
