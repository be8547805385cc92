"""The Gaussian likelihood of increments, each with its own Δt, and the paper's penalties on σ; every term by name."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from liestonet.neural.channels import ACTIVATIONS
from liestonet.neural.coefficients.coefficient_networks import (
    CoefficientWeights,
    Form,
    Network,
    Units,
    both_features,
    features,
    scored,
    triangle,
)
from liestonet.neural.coefficients.settings import Cholesky
from liestonet.neural.tuning import LEARNT

# Points per piece for networks with derivatives.
PIECE = 1024


class IncrementBatch(NamedTuple):
    """Increments: initial points (t, x), durations and displacements."""

    points: Any
    dt: Any
    dx: Any


class Minibatch(NamedTuple):
    """Increments of one step, and the random key for its penalties."""

    increments: IncrementBatch
    key: Any


def whitened(lower: jax.Array, values: jax.Array) -> jax.Array:
    """σ⁻¹ v by unrolled forward substitution: r is small, and library calls per point would be slow."""
    rows: list[jax.Array] = []
    for i in range(lower.shape[-1]):
        known = sum((lower[..., i, j] * rows[j] for j in range(i)), jnp.zeros(()))
        rows.append((values[..., i] - known) / lower[..., i, i])
    return jnp.stack(rows, axis=-1) if rows else values


def residuals(form: Form, units: Units, drift: jax.Array, batch: IncrementBatch) -> tuple[jax.Array, jax.Array]:
    """Increments minus drift: for noisy coordinates in units of σ √Δt, for the others in units of their drift."""
    rest = batch.dx - drift * batch.dt[:, None]
    noisy = np.array(form.active, dtype=int)
    still = np.setdiff1d(np.arange(form.dimension), noisy)
    moving = rest[:, noisy] / (units.diffusion * jnp.sqrt(batch.dt)[:, None])
    return moving, rest[:, still] / (LEARNT.noiseless_part * units.drift[still] * batch.dt[:, None])


def likelihood_terms(
    form: Form, units: Units, weights: CoefficientWeights, batch: IncrementBatch
) -> tuple[dict[str, jax.Array], jax.Array]:
    """Mean negative log-likelihood (constants dropped), squares of coordinates without noise; whitened residuals."""
    drift, diffusion = both_features(form, weights, scored(form, units, batch.points))
    return _terms(form, units, drift @ weights.drift.last, diffusion @ weights.diffusion.last, batch)


def _terms(
    form: Form, units: Units, drift: jax.Array, diffusion: jax.Array, batch: IncrementBatch
) -> tuple[dict[str, jax.Array], jax.Array]:
    """The terms from outputs of the networks."""
    lower = triangle(form, diffusion)
    moving, still = residuals(form, units, units.drift * drift, batch)
    rest = whitened(lower, moving)
    diagonal = jnp.diagonal(lower, axis1=-2, axis2=-1)
    terms = {
        "likelihood": jnp.mean(0.5 * jnp.sum(rest**2, axis=1) + jnp.sum(jnp.log(diagonal), axis=1)),
        "coordinates without noise": jnp.mean(0.5 * jnp.sum(still**2, axis=1)),
    }
    return terms, rest


def penalised_terms(
    structure: Cholesky, form: Form, units: Units, weights: CoefficientWeights, batch: Minibatch
) -> dict[str, jax.Array]:
    """The terms with the paper's penalties for Example 4: smoothness and variance of σ, whitening of increments."""
    inputs = scored(form, units, batch.increments.points)
    network = weights.diffusion if weights.diffusion.layers else Network(weights.drift.layers, weights.diffusion.last)
    along = jax.random.normal(batch.key, inputs.shape)
    outputs, slopes = _outputs_along(form, network, inputs, along)
    drift = features(form, weights.drift.layers, inputs) @ weights.drift.last
    terms, rest = _terms(form, units, drift, outputs, batch.increments)
    if structure.smoothness or structure.variance:
        values, bent = jax.jvp(partial(triangle, form), (outputs,), (slopes,))
        diagonal = jnp.diagonal(values, axis1=-2, axis2=-1)
        terms["smoothness"] = structure.smoothness * jnp.mean(jnp.sum(bent**2, axis=(1, 2)))
        terms["variance"] = structure.variance * jnp.sum(jnp.var(diagonal, axis=0))
    if structure.whitening:
        mean, covariance = jnp.mean(rest, axis=0), rest.T @ rest / rest.shape[0]
        distance = jnp.sum(mean**2) + jnp.sum((covariance - jnp.eye(rest.shape[1])) ** 2)
        terms["whitening"] = structure.whitening * distance
    return terms


def _outputs_along(form: Form, network: Network, inputs: jax.Array, along: jax.Array) -> tuple[jax.Array, jax.Array]:
    """A network's outputs and their derivative along given directions.

    Large batches are evaluated in pieces, so that hidden layers fit in the cache; they are recomputed for the gradient.
    """

    def piece(part: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        given, direction = part
        value, slope = given, direction
        for matrix, bias in network.layers:
            bent, first, _ = ACTIVATIONS[form.activation](value @ matrix + bias)
            value, slope = bent, first * (slope @ matrix)
        skipped = ([given], [direction]) if form.skip else ([], [])
        one = jnp.ones_like(given[:, :1])
        values, slopes = [one, *skipped[0], value], [jnp.zeros_like(one), *skipped[1], slope]
        return jnp.concatenate(values, axis=1) @ network.last, jnp.concatenate(slopes, axis=1) @ network.last

    if len(inputs) <= PIECE or len(inputs) % PIECE:
        return piece((inputs, along))
    parts = tuple(array.reshape(-1, PIECE, array.shape[1]) for array in (inputs, along))
    outputs, slopes = jax.lax.map(jax.checkpoint(piece), parts)
    return outputs.reshape(len(inputs), -1), slopes.reshape(len(inputs), -1)


def squared_sum(weights: CoefficientWeights) -> jax.Array:
    """Σ θ² over all weights, the explicit L2 term."""
    return sum((jnp.sum(leaf**2) for leaf in jax.tree.leaves(weights)), jnp.zeros(()))
