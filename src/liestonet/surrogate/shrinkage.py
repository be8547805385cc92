"""How much each feature is shrunk: prior variances that fall with degree, sizes by marginal likelihood.

A model that leaves terms out invents symmetries (docs/method.md §4.2), so nothing is left out. Four groups of features
have a variance each: the constant (free), the linear terms, the higher powers and all terms that depend on time; where
there are several coordinates, each has a variance for its linear term and a factor in all others that it is in. The
next-richer terms (x², x³, t, tx) are shrunk as a whole, higher ones fall off at a rate that is also chosen by the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.optimize
from jaxtyping import Bool, Float, Int
from scipy.linalg import get_lapack_funcs

from liestonet.core.multiindex import Degrees
from liestonet.core.tuning import SHARED
from liestonet.surrogate.tuning import FIT


@dataclass(frozen=True)
class Shrinkage:
    """Prior variance of every feature, and the log evidence at these variances."""

    variances: Float[np.ndarray, " p"]
    log_evidence: Float[np.ndarray, " c"]


def log_evidence(
    precision: Float[np.ndarray, "p p"], moments: Float[np.ndarray, "p c"], variances: Float[np.ndarray, " p"]
) -> tuple[Float[np.ndarray, " c"], Float[np.ndarray, " p"]]:
    """Log marginal likelihood of y = Φθ + noise relative to θ = 0, from ΦᵀWΦ and ΦᵀWy; one y per column.

    Also the gradient of their sum in the variances' logarithms, ½ Σ_c (m_j² + S_jj)/v_j − 1 with posterior mean m and
    covariance S.
    """
    root = np.sqrt(variances)
    matrix = root[:, None] * precision * root
    matrix.flat[:: len(root) + 1] += 1.0
    # LAPACK itself: matrices are small and many, and what SciPy asks about them would take as long as the work
    factorise, solve = get_lapack_funcs(("potrf", "trtrs"), (matrix,))
    factor, wrong = factorise(matrix, lower=1, clean=1)
    if wrong:
        raise np.linalg.LinAlgError("The precision is not positive definite.")
    inverse, _ = solve(factor, np.eye(len(root)), lower=1)
    half = inverse @ (root[:, None] * moments)
    values = 0.5 * np.sum(half**2, axis=0) - np.log(np.diag(factor)).sum()
    # m_j²/v_j and S_jj/v_j in the variables scaled by the prior
    means, spreads = inverse.T @ half, np.sum(inverse**2, axis=0)
    return values, 0.5 * (np.sum(means**2, axis=1) + moments.shape[1] * (spreads - 1.0))


def log_variances(
    degrees: Degrees,
    released: Bool[np.ndarray, " p"] | None = None,
    polar: Int[np.ndarray, " p"] | None = None,
) -> tuple[Float[np.ndarray, "p k"], Float[np.ndarray, " p"]]:
    """The logarithms of the variances as a linear map of parameters, plus a constant.

    The parameters are the logarithms of the sizes (linear terms of every coordinate, powers, time), of how relevant
    each coordinate is to powers and time where there are several, of the sizes of a pole and of its square where
    `polar` marks such terms (1 and 2; terms marked −1 are practically left out), and of the decay (per degree of x, of
    t).
    """
    powers, order = degrees[:, 1:], degrees[:, 0]
    state, steady = powers.sum(axis=1), order == 0
    linear, rest = steady & (state == 1), steady & (state > 1)
    apart = 1 < powers.shape[1] <= SHARED.few_coordinates
    columns = [linear[:, None] & (powers > 0) if apart else linear[:, None], rest[:, None], ~steady[:, None]]
    columns += [~linear[:, None] & (powers > 0)] if apart else []
    falls = np.maximum(state - np.where(steady, FIT.next_richer, FIT.next_richer_in_time), 0), np.maximum(order - 1, 0)
    poles = np.zeros((len(degrees), 0)) if polar is None else np.stack([polar == 1, polar == 2], axis=1)
    poles = poles[:, poles.any(axis=0)]
    matrix = np.concatenate([*columns, poles, np.stack(falls, axis=1)], axis=1, dtype=float)
    constant = np.where(steady & (state == 0), np.log(FIT.free_variance), 0.0)
    if polar is not None:
        matrix[polar != 0, : -2 - poles.shape[1]], matrix[polar != 0, -2:] = 0.0, 0.0
        constant[polar < 0] = FIT.smallest_variance
    if released is not None and released.any():
        matrix[released], constant[released] = 0.0, np.log(FIT.released_variance)
    return matrix, constant


def choose_shrinkage(
    precision: Float[np.ndarray, "p p"],
    moments: Float[np.ndarray, "p c"],
    degrees: Degrees,
    released: Bool[np.ndarray, " p"] | None = None,
    polar: Int[np.ndarray, " p"] | None = None,
    near: Float[np.ndarray, " p"] | None = None,
) -> Shrinkage:
    """The prior variances, common to all columns, that maximise the penalised evidence.

    The search starts from several places, or from the variances `near`, those of similar data.
    """
    matrix, constant = log_variances(degrees, released, polar)
    sizes, told = matrix.shape[1] - 2, degrees.shape[1] - 1
    poles = 0 if polar is None else len(set(polar[polar > 0].tolist()))
    relevances = told if sizes - poles > 3 else 0
    slope = np.array([-FIT.boundary] * sizes + [1.0] * 2)

    def objective(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        values, gradient = log_evidence(precision, moments, np.exp(matrix @ parameters + constant))
        return float(slope @ parameters - values.sum()), slope - matrix.T @ gradient

    smallest, largest = FIT.smallest_variance, FIT.largest_variance
    noise = float(np.clip(np.log(np.median(1 / np.diag(precision))), smallest, largest))
    linear = sizes - 2 - relevances - poles
    bounds = [(smallest, largest)] * (linear + 2) + [(smallest, 0.0)] * relevances + [(smallest, largest)] * poles
    bounds += [(np.log(FIT.fastest_fall), np.log(FIT.slowest_fall))] * 2
    if near is None:
        triples = (0.0, 0.0, noise), (0.0, noise, noise), (noise, noise, noise), (0.0, 0.0, 0.0)
        starts = [
            [first] * linear + [second, third] + [-1.0] * relevances + [0.0, noise][:poles] + [-1.0] * 2
            for first, second, third in triples
        ]
    else:
        starts = [np.clip(np.linalg.lstsq(matrix, np.log(near) - constant)[0], *np.transpose(bounds))]
    found = [scipy.optimize.minimize(objective, start, method="L-BFGS-B", jac=True, bounds=bounds) for start in starts]
    variances = np.exp(matrix @ min(found, key=lambda result: result.fun).x + constant)
    return Shrinkage(variances, log_evidence(precision, moments, variances)[0])
