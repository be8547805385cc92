"""The Gaussian likelihood of increments, each with its own Δt, and the paper's penalties on σ; every term by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from liestonet.neural.coefficients.coefficient_networks import (
    CoefficientWeights,
    Form,
    Units,
    both_features,
    scored,
    triangle,
)
from liestonet.neural.coefficients.settings import Cholesky
from liestonet.neural.tuning import LEARNT


class IncrementBatch(NamedTuple):
    """Increments: where they begin (t, x), how long they take, how far they go."""

    points: Any
    dt: Any
    dx: Any


class Minibatch(NamedTuple):
    """Increments of one step, and the key of what its penalties draw."""

    increments: IncrementBatch
    key: Any


def whitened(lower: jax.Array, values: jax.Array) -> jax.Array:
    """σ⁻¹ v by forward substitution, unrolled: r is small, and a library call per point is not."""
    rows: list[jax.Array] = []
    for i in range(lower.shape[-1]):
        known = sum((lower[..., i, j] * rows[j] for j in range(i)), jnp.zeros(()))
        rows.append((values[..., i] - known) / lower[..., i, i])
    return jnp.stack(rows, axis=-1) if rows else values


def residuals(form: Form, units: Units, drift: jax.Array, batch: IncrementBatch) -> tuple[jax.Array, jax.Array]:
    """Increments without drift: of noisy coordinates in units of σ √Δt, of the others in units of their drift."""
    rest = batch.dx - drift * batch.dt[:, None]
    noisy = np.array(form.active, dtype=int)
    still = np.setdiff1d(np.arange(form.dimension), noisy)
    moving = rest[:, noisy] / (units.diffusion * jnp.sqrt(batch.dt)[:, None])
    return moving, rest[:, still] / (LEARNT.noiseless_part * units.drift[still] * batch.dt[:, None])


def likelihood_terms(
    form: Form, units: Units, weights: CoefficientWeights, batch: IncrementBatch
) -> tuple[dict[str, jax.Array], jax.Array]:
    """Mean negative log-likelihood (constants dropped), least squares of coordinates without noise; whitened rest."""
    drift, diffusion = both_features(form, weights, scored(form, units, batch.points))
    lower = triangle(form, diffusion @ weights.diffusion.last)
    moving, still = residuals(form, units, units.drift * (drift @ weights.drift.last), batch)
    rest = whitened(lower, moving)
    diagonal = jnp.diagonal(lower, axis1=-2, axis2=-1)
    terms = {
        "likelihood": jnp.mean(0.5 * jnp.sum(rest**2, axis=1) + jnp.sum(jnp.log(diagonal), axis=1)),
        "coordinates without noise": jnp.mean(0.5 * jnp.sum(still**2, axis=1)),
    }
    return terms, rest


def diffusion_penalties(
    structure: Cholesky, form: Form, units: Units, weights: CoefficientWeights, batch: Minibatch, rest: jax.Array
) -> dict[str, jax.Array]:
    """JVP smoothness and variance of σ, and whitening of the increments (paper, Example 4); only those asked for."""
    inputs = scored(form, units, batch.increments.points)

    def lower(z: jax.Array) -> jax.Array:
        return triangle(form, both_features(form, weights, z)[1] @ weights.diffusion.last)

    terms = {}
    if structure.smoothness or structure.variance:
        values, slopes = jax.jvp(lower, (inputs,), (jax.random.normal(batch.key, inputs.shape),))
        diagonal = jnp.diagonal(values, axis1=-2, axis2=-1)
        terms["smoothness"] = structure.smoothness * jnp.mean(jnp.sum(slopes**2, axis=(1, 2)))
        terms["variance"] = structure.variance * jnp.sum(jnp.var(diagonal, axis=0))
    if structure.whitening:
        mean, covariance = jnp.mean(rest, axis=0), rest.T @ rest / rest.shape[0]
        distance = jnp.sum(mean**2) + jnp.sum((covariance - jnp.eye(rest.shape[1])) ** 2)
        terms["whitening"] = structure.whitening * distance
    return terms


def squared_sum(weights: CoefficientWeights) -> jax.Array:
    """Σ θ² over all weights, the explicit L2 term."""
    return sum((jnp.sum(leaf**2) for leaf in jax.tree.leaves(weights)), jnp.zeros(()))
