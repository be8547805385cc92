"""The number of generators: trainings for m = 1, 2, …, and two rules that choose m from their losses.

The paper takes the first minimum of the closure loss L1(m). L1 is an empty sum at m = 1 and zero for every subalgebra,
so that rule can stop anywhere below the true number; LieStoNet takes the largest m before the residual of the
determining equations jumps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.inference.engine import AttemptSummary
from liestonet.neural.channels import Layer
from liestonet.neural.generator_networks import Networks
from liestonet.neural.losses_l6_l8 import determining_residuals
from liestonet.neural.tuning import GENERATORS

CHUNK = 2048

RULE_NAMES = {
    "paper": "first non-trivial minimum of the closure loss L1",
    "jump": "largest span before the jump of the determining equations",
}


@dataclass(frozen=True)
class Rung:
    """The outcome of training m generators: losses, and the residuals of the directions in ascending order."""

    count: int
    losses: dict[int, float]
    residuals: tuple[float, ...]

    @property
    def worst(self) -> float:
        """Largest relative residual ‖DX‖/‖X‖ of any X in the span."""
        return self.residuals[-1]

    def to_dictionary(self) -> AttemptSummary:
        losses = {f"L{number}": value for number, value in self.losses.items()}
        return {"count": self.count, "losses": losses, "residuals": list(self.residuals)}


def paper_rule(rungs: tuple[Rung, ...]) -> int:
    """The first m ≥ 2 at which L1 is no larger than at its neighbours; 1 if nothing else was tried."""
    curve = {rung.count: rung.losses[1] for rung in rungs if rung.count >= 2 and 1 in rung.losses}
    counts = sorted(curve)
    for m in counts:
        if all(curve[m] <= curve[k] for k in (m - 1, m + 1) if k in curve):
            return m
    return counts[-1] if counts else max((rung.count for rung in rungs), default=0)


def jump_rule(rungs: tuple[Rung, ...]) -> int:
    """The largest m before the worst residual of the span jumps."""
    chosen, before = 0, GENERATORS.trained_to
    for rung in sorted(rungs, key=lambda rung: rung.count):
        if rung.worst > min(GENERATORS.jump * before, GENERATORS.largest_residual):
            break
        chosen, before = rung.count, max(rung.worst, before)
    return chosen


RULES: dict[str, Callable[[tuple[Rung, ...]], int]] = {"paper": paper_rule, "jump": jump_rule}


def span_residuals(kind: str, networks: Networks, table: dict[str, np.ndarray]) -> Float[np.ndarray, " m"]:
    """Relative residuals of the directions of a span, ascending: generalised singular values on the whole cloud."""
    m, total = networks.count, len(table["points"])
    upper, lower = np.zeros((m, m)), np.zeros((m, m))
    for start in range(0, total, CHUNK):
        part = {name: jnp.asarray(values[start : start + CHUNK]) for name, values in table.items()}
        above, below = _grams(kind, networks, part)
        upper, lower = upper + np.asarray(above), lower + np.asarray(below)
    floor = GENERATORS.lift * np.trace(lower) / m * np.eye(m)
    return np.sqrt(np.maximum(scipy.linalg.eigh(upper, lower + floor, eigvals_only=True), 0.0))


def _grams(kind: str, networks: Networks, batch: Any) -> tuple[Any, Any]:
    """Inner products of the residuals and of the generators, summed over points."""
    fields = _evaluate(networks, batch["points"], batch["squared"])
    residuals = determining_residuals(kind, fields, batch)
    upper = sum(jnp.einsum("ip,jp->ij", *[part.reshape(part.shape[0], -1)] * 2) for part in residuals)
    return upper, jnp.einsum("ibc,jbc->ij", fields.values, fields.values)


_evaluate = jax.jit(lambda networks, points, squared: networks(points, squared))


def warm_start(larger: Networks, smaller: Networks) -> Networks:
    """Networks for more generators, initialised with the networks of fewer."""

    def layer(fresh: Layer, old: Layer) -> Layer:
        return jax.tree.map(lambda new, known: _placed(new, known), fresh, old)

    def stack(name: str) -> tuple[Layer, ...]:
        pairs = zip(getattr(larger, name), getattr(smaller, name), strict=True)
        return tuple(layer(fresh, old) for fresh, old in pairs)

    return Networks(stack("tau"), stack("xi"), stack("beta"), larger.count, larger.dimension, larger.activation)


def _placed(new: Any, known: Any) -> Any:
    """A larger array with a smaller one copied into its beginning."""
    return new.at[tuple(slice(0, size) for size in known.shape)].set(known)
