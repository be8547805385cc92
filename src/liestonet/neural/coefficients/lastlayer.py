"""The last layers, solved exactly on all increments, and the covariance of what was found.

Given the hidden layers, the likelihood of the drift's last layer is a weighted least-squares problem and that of the
diffusion's is solved by Fisher scoring. Both have an information matrix I = Σ φφᵀ ⊗ F with F the information about the
outputs at a point: this is the generalised Gauss–Newton matrix of the Laplace approximation, exact for the drift. Prior
variances come from the marginal likelihood, kept off zero as in `surrogate.evidence`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.optimize
from jaxtyping import Float, Int

from liestonet.neural.coefficients.jets import parameter_vector
from liestonet.neural.coefficients.likelihood import Batch, whitened
from liestonet.neural.coefficients.networks import SHIFT, Form, Units, Weights, both_features, scored, triangle
from liestonet.surrogate.covariance import MOST_JOINT, SCORED, SKETCHED, Errors, compressed, positive_root, sketch
from liestonet.surrogate.evidence import BOUNDARY, FREE, LARGEST, SMALLEST, log_evidence

# Increments a piece; fewer where there are many outputs.
PIECE, PIECE_BEYOND, FEW_OUTPUTS = 8192, 1024, 10
# Rounds of Fisher scoring on this many increments, before one on all.
ROUNDS, TRIED = 4, 60_000
# A coordinate without noise is known no better than this part of its drift's size.
ROUNDING = 1e-8
# The least part of its mean that a diagonal of the information is lifted by: features that coincide.
RIDGE = 1e-10


@dataclass(frozen=True)
class Block:
    """Information (outputs, outputs, features, features) and score (outputs, features) of one network's last layer.

    Where outputs are many only the diagonal is there: information (outputs, 1, features, features).
    """

    information: Float[np.ndarray, "k l p p"]
    score: Float[np.ndarray, "k p"]

    @property
    def joint(self) -> bool:
        return self.information.shape[0] == self.information.shape[1]

    def own(self, output: int) -> Float[np.ndarray, "p p"]:
        """Information about one output's features."""
        return self.information[output, output if self.joint else 0]

    def blocks(self) -> list[Float[np.ndarray, "m m"]]:
        """The information as independent blocks, each in the order output by output."""
        count, _, size, _ = self.information.shape
        if self.joint:
            return [self.information.transpose(0, 2, 1, 3).reshape(count * size, count * size)]
        return [self.own(output) for output in range(count)]


def settle(form: Form, units: Units, weights: Weights, data: Batch, polish: bool) -> tuple[Weights, Errors]:
    """Solve both last layers where asked for, and give the covariance of all parameters."""
    few = Batch(*(array[:: max(1, len(data.dt) // TRIED)] for array in data))
    level = _still_level(form, units, weights, few)
    groups = feature_groups(form, np.shape(weights.drift.last)[0])
    drift = _sums(form, units, weights, level, data, drift=True)
    if polish:
        weights = _with_drift(weights, _solved(drift, weights.drift.last, groups))
        if len(form.active) < form.dimension:
            # coordinates without noise have become much better known
            level = _still_level(form, units, weights, few)
            drift = _sums(form, units, weights, level, data, drift=True)
            weights = _with_drift(weights, _solved(drift, weights.drift.last, groups))
            level = _still_level(form, units, weights, few)
            drift = _sums(form, units, weights, level, data, drift=True)
        for sample in [few] * ROUNDS + [data]:
            block = _sums(form, units, weights, level, sample, drift=False)
            last = _solved(block, weights.diffusion.last, groups)
            weights = weights._replace(diffusion=weights.diffusion._replace(last=last))
    diffusion = _sums(form, units, weights, level, data, drift=False)
    priors = [_priors(drift, weights.drift.last, groups), _priors(diffusion, weights.diffusion.last, groups)]
    return weights, _errors(form, units, weights, level, data, (drift, diffusion), priors)


def _with_drift(weights: Weights, last: Float[np.ndarray, "p n"]) -> Weights:
    return weights._replace(drift=weights.drift._replace(last=last))


def feature_groups(form: Form, features: int) -> Int[np.ndarray, " p"]:
    """Which prior variance each feature has: −1 the constant (free), then linear in x, linear in t, hidden units."""
    groups = np.full(features, 2)
    groups[0] = -1
    if form.skip:
        groups[1 : 1 + form.inputs] = 0
        if form.time_dependent:
            groups[1] = 1
    return groups


def _still_level(form: Form, units: Units, weights: Weights, data: Batch) -> Float[np.ndarray, " n"]:
    """Root mean square of what the drift of each coordinate leaves of Δx/Δt, in the drift's units."""
    drift, _ = both_features(form, weights, scored(form, units, jnp.asarray(data.points)))
    rest = data.dx / (data.dt[:, None] * units.drift) - np.asarray(drift @ weights.drift.last)
    return np.maximum(np.sqrt(np.mean(rest**2, axis=0)), ROUNDING)


def _sums(form: Form, units: Units, weights: Weights, level: Any, data: Batch, drift: bool) -> Block:
    """Information and score of one last layer over all increments, piece by piece."""
    outputs = form.dimension if drift else len(form.entries)
    features = np.shape(weights.drift.last)[0]
    joint = outputs * features <= MOST_JOINT
    piece = PIECE if outputs <= FEW_OUTPUTS else PIECE_BEYOND
    information, score = np.zeros((outputs, outputs if joint else 1, features, features)), np.zeros((outputs, features))
    for first in range(0, len(data.dt), piece):
        part, present = _filled(data, first, piece)
        more = _piece_sums(form, drift, joint, units, weights, level, part, present)
        information += np.asarray(more[0])
        score += np.asarray(more[1])
    return Block(information, score)


def _filled(data: Batch, first: int, size: int) -> tuple[Batch, np.ndarray]:
    """A piece of fixed size, its last row repeated where the data end, and which rows count."""
    rows = np.minimum(np.arange(first, first + size), len(data.dt) - 1)
    return Batch(*(array[rows] for array in data)), (np.arange(first, first + size) < len(data.dt)).astype(float)


@partial(jax.jit, static_argnums=(0, 1, 2))
def _piece_sums(
    form: Form, drift: bool, joint: bool, units: Units, weights: Weights, level: Any, data: Batch, present: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Σ F_kl φφᵀ and Σ s_k φ of one piece."""
    shared, matrix, score = _pointwise(form, drift, units, weights, level, data)
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
    form: Form, drift: bool, units: Units, weights: Weights, level: Any, data: Batch
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Features (b, p), information about the outputs (b, k, k) and score (b, k) at every increment."""
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
        return first, *_drift_information(form, units, level, data.dt, rest, inverse, white)
    return second, *_diffusion_information(form, outputs, inverse, white)


def _drift_information(
    form: Form, units: Units, level: Any, dt: jax.Array, rest: jax.Array, inverse: jax.Array, white: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """JᵀJ and Jᵀy with y the whitened increment, J its derivative in f; one weight for coordinates without noise."""
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


def _solved(block: Block, last: Any, groups: Int[np.ndarray, " p"]) -> Float[np.ndarray, "p k"]:
    """One step of penalised Fisher scoring: (I + Λ) θ' = I θ + score."""
    prior = _priors(block, last, groups)
    theta = np.asarray(last).T
    size = theta.shape[1]
    if not block.joint:
        parts = [
            np.linalg.solve(_lifted(block.own(k)) + np.diag(1 / prior[k]), block.own(k) @ theta[k] + block.score[k])
            for k in range(len(theta))
        ]
        return np.array(parts).reshape(-1, size).T
    if not len(theta):
        return np.asarray(last)
    (matrix,) = block.blocks()
    moment = matrix @ theta.ravel() + block.score.ravel()
    return np.linalg.solve(_lifted(matrix) + np.diag(1 / prior.ravel()), moment).reshape(-1, size).T


def _lifted(matrix: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    return matrix + RIDGE * np.trace(matrix) / max(len(matrix), 1) * np.eye(len(matrix))


def _priors(block: Block, last: Any, groups: Int[np.ndarray, " p"]) -> Float[np.ndarray, "k p"]:
    """Prior variances of every output's features."""
    theta = np.asarray(last).T
    found = [
        choose_variances(_lifted(block.own(k)), block.own(k) @ theta[k] + block.score[k], groups)
        for k in range(len(theta))
    ]
    return np.array(found).reshape(len(theta), len(groups))


def choose_variances(
    precision: Float[np.ndarray, "p p"], moment: Float[np.ndarray, " p"], groups: Int[np.ndarray, " p"]
) -> Float[np.ndarray, " p"]:
    """One variance per group of features, the constant's free: those that make the data most likely."""
    present = np.unique(groups[groups >= 0])
    matrix = (groups[:, None] == present).astype(float)
    constant = np.where(groups < 0, np.log(FREE), 0.0)

    def objective(sizes: np.ndarray) -> tuple[float, np.ndarray]:
        values, gradient = log_evidence(precision, moment[:, None], np.exp(matrix @ sizes + constant))
        return float(-BOUNDARY * sizes.sum() - values.sum()), -BOUNDARY - matrix.T @ gradient

    noise = float(np.clip(np.log(np.median(1 / np.diag(precision))), SMALLEST, LARGEST))
    bounds = [(SMALLEST, LARGEST)] * len(present)
    found = [
        scipy.optimize.minimize(objective, np.full(len(present), start), method="L-BFGS-B", jac=True, bounds=bounds)
        for start in (0.0, noise)
    ]
    return np.exp(matrix @ min(found, key=lambda result: result.fun).x + constant)


def _errors(
    form: Form,
    units: Units,
    weights: Weights,
    level: Any,
    data: Batch,
    found: tuple[Block, Block],
    priors: list[Float[np.ndarray, "k p"]],
) -> Errors:
    """Sandwich H⁻¹MH⁻¹ for the scatter, H⁻¹ΛH⁻¹ for the prior's part, in the order of `parameter_vector`."""
    blocks = [matrix for block in found for matrix in block.blocks()]
    sizes = [len(matrix) for matrix in blocks]
    prior = np.split(np.concatenate([variances.ravel() for variances in priors]), np.cumsum(sizes)[:-1])
    inverses = [_inverse(_lifted(matrix) + np.diag(1 / own)) for matrix, own in zip(blocks, prior, strict=True)]
    order = _order(weights)
    added = [inverse / np.sqrt(own) for inverse, own in zip(inverses, prior, strict=True)]
    if len(order) > MOST_JOINT:
        scatters = [inverse @ positive_root(_lifted(matrix)) for inverse, matrix in zip(inverses, blocks, strict=True)]
        return Errors(sketch(scatters, SKETCHED[0], 0)[order], sketch(added, SKETCHED[1], 1)[order], complete=False)
    root = _score_root(form, units, weights, level, data)
    scatter = np.asarray(scipy.linalg.block_diag(*inverses)) @ root
    return Errors(compressed(scatter)[order], compressed(np.asarray(scipy.linalg.block_diag(*added)))[order])


def _order(weights: Weights) -> Int[np.ndarray, " p"]:
    """Positions of `parameter_vector`'s entries among those counted output by output."""
    places, start = [], 0
    for network in weights:
        features, outputs = np.shape(network.last)
        places.append(start + np.arange(features * outputs).reshape(outputs, features).T.ravel())
        start += features * outputs
    return np.concatenate(places)


def _score_root(form: Form, units: Units, weights: Weights, level: Any, data: Batch) -> Float[np.ndarray, "p p"]:
    """A root of the covariance of the summed score, from a sample of increments."""
    few = Batch(*(array[:: max(1, len(data.dt) // SCORED)] for array in data))
    size = len(parameter_vector(weights))
    triangle_of_scores = np.zeros((0, size))
    for first in range(0, len(few.dt), PIECE):
        part, present = _filled(few, first, PIECE)
        columns = []
        for drift in (True, False):
            shared, _, score = _scores(form, drift, units, weights, level, part)
            columns.append((np.asarray(score)[:, :, None] * np.asarray(shared)[:, None, :]).reshape(len(part.dt), -1))
        scores = np.concatenate(columns, axis=1)[present > 0]
        triangle_of_scores = np.asarray(np.linalg.qr(np.concatenate([triangle_of_scores, scores]), mode="r"))
    return triangle_of_scores.T * np.sqrt(len(data.dt) / len(few.dt))


_scores = jax.jit(_pointwise, static_argnums=(0, 1))


def _inverse(matrix: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """Inverse of a positive definite matrix, scaled to a unit diagonal first."""
    scale = 1 / np.sqrt(np.diag(matrix))
    factor = scipy.linalg.cho_factor(matrix * scale[:, None] * scale, check_finite=False)
    return scipy.linalg.cho_solve(factor, np.diag(scale), check_finite=False) * scale[:, None]
