"""Information and score of the last layers, summed over increments in pieces.

I = Σ φφᵀ ⊗ F with F the information about the outputs at a point: the generalised Gauss–Newton matrix of the Laplace
approximation, exact for the drift, expected (Fisher) information for the diffusion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from liestonet.neural.coefficients.coefficient_networks import (
    SHIFT,
    CoefficientWeights,
    Form,
    Units,
    both_features,
    scored,
    triangle,
)
from liestonet.neural.coefficients.likelihood import IncrementBatch, whitened
from liestonet.surrogate.tuning import ERRORS

# Increments per piece; fewer if there are many outputs.
PIECE, PIECE_BEYOND, FEW_OUTPUTS = 8192, 1024, 10


class CurrentFit(NamedTuple):
    """Units, weights, and the size of each coordinate's residual of Δx/Δt, in the drift's units."""

    units: Units
    weights: CoefficientWeights
    level: Any


@dataclass(frozen=True)
class LayerInformation:
    """Information (outputs, outputs, features, features) and score (outputs, features) of one network's last layer.

    For many outputs only the diagonal is kept: information (outputs, 1, features, features).
    """

    information: Float[np.ndarray, "k l p p"]
    score: Float[np.ndarray, "k p"]

    @property
    def joint(self) -> bool:
        return self.information.shape[0] == self.information.shape[1]

    def own(self, output: int) -> Float[np.ndarray, "p p"]:
        """The information on one output's weights."""
        return self.information[output, output if self.joint else 0]

    def blocks(self) -> list[Float[np.ndarray, "m m"]]:
        """The information as independent blocks, each ordered by output."""
        count, _, size, _ = self.information.shape
        if self.joint:
            return [self.information.transpose(0, 2, 1, 3).reshape(count * size, count * size)]
        return [self.own(output) for output in range(count)]


def sums(form: Form, fit: CurrentFit, data: IncrementBatch, drift: bool) -> LayerInformation:
    """Information and score of one last layer, summed over all increments in pieces."""
    outputs = form.dimension if drift else len(form.entries)
    features = np.shape(fit.weights.drift.last)[0]
    joint = outputs * features <= ERRORS.most_joint
    piece = PIECE if outputs <= FEW_OUTPUTS else PIECE_BEYOND
    information, score = np.zeros((outputs, outputs if joint else 1, features, features)), np.zeros((outputs, features))
    for first in range(0, len(data.dt), piece):
        part, present = _filled(data, first, piece)
        more = _piece_sums(form, drift, joint, fit, part, present)
        information += np.asarray(more[0])
        score += np.asarray(more[1])
    return LayerInformation(information, score)


def _filled(data: IncrementBatch, first: int, size: int) -> tuple[IncrementBatch, np.ndarray]:
    """A piece of fixed size, padded with its last row, and a mask of the valid rows."""
    rows = np.minimum(np.arange(first, first + size), len(data.dt) - 1)
    return IncrementBatch(*(array[rows] for array in data)), (np.arange(first, first + size) < len(data.dt)).astype(
        float
    )


@partial(jax.jit, static_argnums=(0, 1, 2))
def _piece_sums(
    form: Form, drift: bool, joint: bool, fit: CurrentFit, data: IncrementBatch, present: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Σ F_kl φφᵀ and Σ s_k φ of one piece."""
    shared, matrix, score = _pointwise(form, drift, fit, data)
    if not joint:
        matrix = jnp.diagonal(matrix, axis1=1, axis2=2)[..., None]
    matrix = matrix * present[:, None, None]

    def entry(weight: jax.Array) -> jax.Array:
        return shared.T @ (shared * weight[:, None])

    count, other = matrix.shape[1:]
    rows = [jnp.stack([entry(matrix[:, i, j]) for j in range(other)]) for i in range(count)]
    empty = jnp.zeros((count, other, shared.shape[1], shared.shape[1]))
    return jnp.stack(rows) if rows else empty, (score * present[:, None]).T @ shared


def _pointwise(
    form: Form, drift: bool, fit: CurrentFit, data: IncrementBatch
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Features (b, p), information about the outputs (b, k, k) and score (b, k) at every increment."""
    units, weights = fit.units, fit.weights
    first, second = both_features(form, weights, scored(form, units, data.points))
    outputs = second @ weights.diffusion.last
    lower = triangle(form, outputs)
    rank = len(form.active)
    inverse = jnp.stack([whitened(lower, jnp.eye(rank)[i]) for i in range(rank)], axis=-1) if rank else lower
    noisy = np.array(form.active, dtype=int)
    rest = data.dx - units.drift * (first @ weights.drift.last) * data.dt[:, None]
    scaled = rest[:, noisy] / (units.diffusion * jnp.sqrt(data.dt)[:, None])
    white = jnp.einsum("bij,bj->bi", inverse, scaled)
    if drift:
        return first, *_drift_information(form, fit, data.dt, rest, inverse, white)
    return second, *_diffusion_information(form, outputs, inverse, white)


def _drift_information(
    form: Form, fit: CurrentFit, dt: jax.Array, rest: jax.Array, inverse: jax.Array, white: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """JᵀJ and Jᵀy with y the whitened increment, J its derivative in f; one weight for coordinates without noise."""
    units, level = fit.units, fit.level
    noisy = np.array(form.active, dtype=int)
    still = np.setdiff1d(np.arange(form.dimension), noisy)
    slope = inverse * (units.drift[noisy] / units.diffusion) * jnp.sqrt(dt)[:, None, None]
    matrix = jnp.zeros((len(dt), form.dimension, form.dimension))
    matrix = matrix.at[:, noisy[:, None], noisy].set(jnp.einsum("bij,bik->bjk", slope, slope))
    matrix = matrix.at[:, still, still].set(1 / level[still] ** 2)
    score = jnp.zeros((len(dt), form.dimension)).at[:, noisy].set(jnp.einsum("bij,bi->bj", slope, white))
    relative = rest[:, still] / (dt[:, None] * units.drift[still])
    return matrix, score.at[:, still].set(relative / level[still] ** 2)


def _diffusion_information(
    form: Form, outputs: jax.Array, inverse: jax.Array, white: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """With U_c = σ⁻¹ ∂σ/∂g_c: F = tr(U_c U_d) + tr(U_c U_dᵀ), score yᵀU_c y − tr U_c; U_c has one column."""
    row, column = (np.array([entry[k] for entry in form.entries], dtype=int) for k in (0, 1))
    slope = jnp.where(row == column, jax.nn.sigmoid(outputs + SHIFT), 1.0)
    columns = inverse[:, :, row] * slope[:, None, :]
    picked = columns[:, column, :]  # (b, c, d): entry j_c of the column of U_d
    same = (column[:, None] == column).astype(float)
    matrix = picked * jnp.swapaxes(picked, 1, 2) + same * jnp.einsum("bic,bid->bcd", columns, columns)
    score = jnp.einsum("bi,bic->bc", white, columns) * white[:, column]
    return matrix, score - jnp.diagonal(picked, axis1=1, axis2=2)


def score_root(form: Form, fit: CurrentFit, data: IncrementBatch) -> Float[np.ndarray, "p p"]:
    """A root of the covariance of the summed score, from a sample of increments."""
    few = IncrementBatch(*(array[:: max(1, len(data.dt) // ERRORS.scored)] for array in data))
    size = np.size(fit.weights.drift.last) + np.size(fit.weights.diffusion.last)
    triangle_of_scores = np.zeros((0, size))
    for first in range(0, len(few.dt), PIECE):
        part, present = _filled(few, first, PIECE)
        columns = []
        for drift in (True, False):
            shared, _, score = _scores(form, drift, fit, part)
            columns.append((np.asarray(score)[:, :, None] * np.asarray(shared)[:, None, :]).reshape(len(part.dt), -1))
        scores = np.concatenate(columns, axis=1)[present > 0]
        triangle_of_scores = np.asarray(np.linalg.qr(np.concatenate([triangle_of_scores, scores]), mode="r"))
    return triangle_of_scores.T * np.sqrt(len(data.dt) / len(few.dt))


_scores = jax.jit(_pointwise, static_argnums=(0, 1))
