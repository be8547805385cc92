"""The last layers, solved exactly on all increments, and their covariance.

Given the hidden layers, the likelihood of the drift's last layer is a weighted least-squares problem, and that of the
diffusion's is solved by Fisher scoring. Shrinkage is chosen by the marginal likelihood. The covariance includes the
shrunk directions, and the leading nonlinear functions are shrunk only to about their standard error, so that shrinkage
creates no symmetry. The covariance does not include what the hidden layers cannot represent: errors are valid for
networks that are wide enough (the default's are; a dozen units are too few for a double well).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
import scipy.linalg
import scipy.optimize
from jaxtyping import Float, Int

from liestonet.core.uncertainty import Errors
from liestonet.neural.coefficients.coefficient_networks import CoefficientWeights, Form, Layers, Units, features, scored
from liestonet.neural.coefficients.information import CurrentFit, LayerInformation, score_root, sums
from liestonet.neural.coefficients.likelihood import IncrementBatch
from liestonet.neural.tuning import LEARNT
from liestonet.surrogate.covariance import compressed, positive_root, sketch
from liestonet.surrogate.shrinkage import log_evidence
from liestonet.surrogate.tuning import ERRORS, FIT


@dataclass(frozen=True)
class Prior:
    """Functions of unit size spanned by the features, and the structure of their prior variances.

    Columns of `turn` are the constant, the inputs, and the principal functions of the hidden units orthogonal to these.
    `group` is −1 for the constant (free), 0 for x, 1 for t, 2 for the rest; `offset` the decrease of the log-variance.
    """

    turn: Float[np.ndarray, "p q"]
    group: Int[np.ndarray, " q"]
    offset: Float[np.ndarray, " q"]

    @property
    def present(self) -> Int[np.ndarray, " g"]:
        return np.unique(self.group[self.group >= 0])


def settle(
    form: Form, units: Units, weights: CoefficientWeights, data: IncrementBatch, polish: bool
) -> tuple[CoefficientWeights, Errors]:
    """Solve both last layers if asked for, and return the weights with the covariance of all parameters."""
    few = IncrementBatch(*(array[:: max(1, len(data.dt) // LEARNT.tried)] for array in data))
    drift_prior = _prior(form, units, weights.drift.layers, few)
    own = weights.diffusion.layers
    diffusion_prior = _prior(form, units, own, few) if own else drift_prior
    level = _still_level(form, units, weights, few)
    drift = sums(form, CurrentFit(units, weights, level), data, drift=True)
    if polish:
        weights = _with_drift(weights, _solved(drift, weights.drift.last, drift_prior))
        if len(form.active) < form.dimension:
            # the drift of coordinates without noise is now known much more accurately
            level = _still_level(form, units, weights, few)
            drift = sums(form, CurrentFit(units, weights, level), data, drift=True)
            weights = _with_drift(weights, _solved(drift, weights.drift.last, drift_prior))
            level = _still_level(form, units, weights, few)
            drift = sums(form, CurrentFit(units, weights, level), data, drift=True)
        for sample in [few] * LEARNT.rounds + [data]:
            block = sums(form, CurrentFit(units, weights, level), sample, drift=False)
            last = _solved(block, weights.diffusion.last, diffusion_prior)
            weights = weights._replace(diffusion=weights.diffusion._replace(last=last))
    diffusion = sums(form, CurrentFit(units, weights, level), data, drift=False)
    root = None
    if np.size(weights.drift.last) + np.size(weights.diffusion.last) <= ERRORS.most_joint:
        root = score_root(form, CurrentFit(units, weights, level), data)
    pairs = [(drift, weights.drift.last, drift_prior), (diffusion, weights.diffusion.last, diffusion_prior)]
    return weights, _errors(pairs, root)


def _with_drift(weights: CoefficientWeights, last: Float[np.ndarray, "p n"]) -> CoefficientWeights:
    return weights._replace(drift=weights.drift._replace(last=last))


def _prior(form: Form, units: Units, layers: Layers, data: IncrementBatch) -> Prior:
    """Principal functions of the hidden units on the data, without their constant and linear parts."""
    values = feature_values(form, units, layers, data.points)
    plain = 1 + form.inputs * form.skip
    known, hidden = values[:, :plain], values[:, plain:]
    shadow = np.linalg.lstsq(known, hidden, rcond=None)[0]
    rest = hidden - known @ shadow
    sizes, directions = np.linalg.eigh(rest.T @ rest / len(rest))
    sizes, directions = sizes[::-1], directions[:, ::-1]
    kept = sizes > LEARNT.negligible * max(float(np.mean(hidden**2)), np.finfo(float).tiny)
    sizes, directions = sizes[kept], directions[:, kept] / np.sqrt(sizes[kept])
    turn = np.zeros((values.shape[1], plain + len(sizes)))
    turn[:plain, :plain] = np.eye(plain)
    turn[:plain, plain:], turn[plain:, plain:] = -shadow @ directions, directions
    group = np.concatenate([[-1], np.zeros(plain - 1, dtype=int), np.full(len(sizes), 2)])
    if form.skip and form.time_dependent:
        group[1] = 1
    leading = sizes[min(LEARNT.leading * form.inputs, len(sizes)) - 1] if len(sizes) else 1.0
    offset = np.concatenate([np.zeros(plain), np.minimum(np.log(sizes / leading), 0.0)])
    return Prior(turn, group, offset)


def _still_level(
    form: Form, units: Units, weights: CoefficientWeights, data: IncrementBatch
) -> Float[np.ndarray, " n"]:
    """Root mean square of each coordinate's residual of Δx/Δt, in the drift's units."""
    values = feature_values(form, units, weights.drift.layers, data.points)
    rest = data.dx / (data.dt[:, None] * units.drift) - values @ np.asarray(weights.drift.last)
    return np.maximum(np.sqrt(np.mean(rest**2, axis=0)), LEARNT.rounding)


def feature_values(form: Form, units: Units, layers: Layers, points: Any) -> Float[np.ndarray, "b p"]:
    """Features at all points, as NumPy."""
    return np.asarray(_features(form, units, layers, points))


@partial(jax.jit, static_argnums=0)
def _features(form: Form, units: Units, layers: Layers, points: jax.Array) -> jax.Array:
    return features(form, layers, scored(form, units, points))


def _turned(block: LayerInformation, last: Any, prior: Prior) -> LayerInformation:
    """The information on the prior's functions, and as score the moment I θ + s, from which θ is solved."""
    information = np.einsum("pi,klpq,qj->klij", prior.turn, block.information, prior.turn, optimize=True)
    theta = np.asarray(last).T
    if block.joint:
        moment = np.einsum("klpq,lq->kp", block.information, theta)
    else:
        moment = np.einsum("kpq,kq->kp", block.information[:, 0], theta)
    return LayerInformation(information, (moment + block.score) @ prior.turn)


def _variances(turned: LayerInformation, prior: Prior) -> Float[np.ndarray, "k q"]:
    """Prior variances of every output's functions."""
    count, size = turned.score.shape
    if turned.joint:
        # subtract the contribution of the other outputs to the moment
        theta = _solve(_matrix(turned), turned.score.ravel()).reshape(count, size) if count else turned.score
        moments = [turned.own(k) @ theta[k] for k in range(count)]
    else:
        moments = list(turned.score)
    found = [choose_variances(_lifted(turned.own(k)), moments[k], prior) for k in range(count)]
    return np.array(found).reshape(count, size)


def _solved(block: LayerInformation, last: Any, prior: Prior) -> Float[np.ndarray, "p k"]:
    """One step of penalised Fisher scoring: (I + Λ) θ' = I θ + score."""
    turned = _turned(block, last, prior)
    variances = _variances(turned, prior)
    if not len(variances):
        return np.asarray(last)
    if turned.joint:
        found = np.linalg.solve(_matrix(turned) + np.diag(1 / variances.ravel()), turned.score.ravel())
        return prior.turn @ found.reshape(variances.shape).T
    parts = [np.linalg.solve(turned.own(k) + np.diag(1 / own), turned.score[k]) for k, own in enumerate(variances)]
    return prior.turn @ np.array(parts).T


def _matrix(turned: LayerInformation) -> Float[np.ndarray, "m m"]:
    """The joint information, output by output."""
    return turned.blocks()[0]


def _solve(matrix: Float[np.ndarray, "m m"], moment: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    return np.linalg.solve(_lifted(matrix), moment)


def _lifted(matrix: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    return matrix + LEARNT.ridge * np.trace(matrix) / max(len(matrix), 1) * np.eye(len(matrix))


def choose_variances(
    precision: Float[np.ndarray, "q q"], moment: Float[np.ndarray, " q"], prior: Prior
) -> Float[np.ndarray, " q"]:
    """One prior size per group of functions, without one for the constant, by maximum marginal likelihood."""
    matrix = (prior.group[:, None] == prior.present).astype(float)
    constant = prior.offset + np.where(prior.group < 0, np.log(FIT.free_variance), 0.0)

    def objective(sizes: np.ndarray) -> tuple[float, np.ndarray]:
        values, gradient = log_evidence(precision, moment[:, None], np.exp(matrix @ sizes + constant))
        return float(-FIT.boundary * sizes.sum() - values.sum()), -FIT.boundary - matrix.T @ gradient

    noise = float(np.clip(np.log(np.median(1 / np.diag(precision))), FIT.smallest_variance, FIT.largest_variance))
    bounds = [(FIT.smallest_variance, FIT.largest_variance)] * len(prior.present)
    found = [
        scipy.optimize.minimize(
            objective, np.full(len(prior.present), start), method="L-BFGS-B", jac=True, bounds=bounds
        )
        for start in (0.0, noise)
    ]
    return np.exp(matrix @ min(found, key=lambda result: result.fun).x + constant)


def _errors(pairs: list[tuple[LayerInformation, Any, Prior]], score: Float[np.ndarray, "p p"] | None) -> Errors:
    """Sandwich H⁻¹MH⁻¹ for the scatter, H⁻¹ΛH⁻¹ for the prior's part, in the order of `parameter_vector`.

    M is the covariance of the summed scores if it is known, else the information itself.
    """
    order, turns, inverses, added, roots = [], [], [], [], []
    start = 0
    for block, last, prior in pairs:
        turned = _turned(block, last, prior)
        variances = _variances(turned, prior)
        count = len(variances)
        owns = [variances.ravel()] if turned.joint else list(variances)
        for matrix, own in zip(turned.blocks() if count else [], owns, strict=False):
            inverses.append(_inverse(matrix + np.diag(1 / own)))
            added.append(inverses[-1] / np.sqrt(own))
            roots.append(inverses[-1] @ positive_root(_lifted(matrix)))
        turns += [prior.turn] * count
        features = len(prior.turn)
        order.append(start + np.arange(features * count).reshape(count, features).T.ravel())
        start += features * count
    back, places = np.asarray(scipy.linalg.block_diag(*turns)), np.concatenate(order)
    if score is None:
        scatter, prior_part = sketch(roots, ERRORS.sketched[0], 0), sketch(added, ERRORS.sketched[1], 1)
        return Errors((back @ scatter)[places], (back @ prior_part)[places], complete=False)
    scatter = np.asarray(scipy.linalg.block_diag(*inverses)) @ (back.T @ score)
    prior_part = np.asarray(scipy.linalg.block_diag(*added))
    return Errors((back @ compressed(scatter))[places], (back @ compressed(prior_part))[places])


def _inverse(matrix: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """Inverse of a positive definite matrix, scaled to a unit diagonal first."""
    scale = 1 / np.sqrt(np.diag(matrix))
    factor = scipy.linalg.cho_factor(matrix * scale[:, None] * scale, check_finite=False)
    return scipy.linalg.cho_solve(factor, np.diag(scale), check_finite=False) * scale[:, None]
