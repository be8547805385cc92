"""How much each feature is shrunk: prior variances that fall with degree, sizes by marginal likelihood.

Trap (1) of MATH.md §3: a model that leaves terms out invents symmetries. So nothing is left out. Four groups of
features have a variance each: the constant (free), the linear terms, the further powers and whatever depends on time.
The next-richer terms (x², x³, t, tx) are shrunk as a whole, higher ones fall off at a rate that the data choose too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize
from jaxtyping import Float

from liestonet.multiindex import Degrees

# Prior variance of the constant, in units of the box: as good as unknown.
FREE = 1e2
# A variance that the likelihood would set to zero is kept near one standard error by a prior sd^(2·this), the
# boundary-avoiding prior of Chung et al. (Psychometrika 78, 2013) in a weak form.
BOUNDARY = 0.1
# By how much a variance falls per degree: coefficients are smooth functions, and smoother ones are preferred.
SLOWEST_FALL, FASTEST_FALL = np.log(0.5), np.log(0.03)
SMALLEST, LARGEST = -30.0, 8.0
# Degrees of the coordinates that are shrunk as a whole; from there on the variances fall.
NEXT_RICHER, NEXT_RICHER_IN_TIME = 3, 1
# LAPACK itself: called some thousand times on small matrices, the checks around it would cost more than the work.
CHOLESKY, TRIANGULAR = scipy.linalg.get_lapack_funcs(("potrf", "trtrs"), dtype=np.float64)


@dataclass(frozen=True)
class Shrinkage:
    """Prior variance of every feature, and the log evidence they were chosen by."""

    variances: Float[np.ndarray, " p"]
    log_evidence: Float[np.ndarray, " c"]


def log_evidence(
    precision: Float[np.ndarray, "p p"], moments: Float[np.ndarray, "p c"], variances: Float[np.ndarray, " p"]
) -> Float[np.ndarray, " c"]:
    """Log marginal likelihood of y = Φθ + noise relative to θ = 0, from ΦᵀWΦ and ΦᵀWy; one y per column."""
    root = np.sqrt(variances)
    matrix = root[:, None] * precision * root
    matrix[np.diag_indices_from(matrix)] += 1.0
    factor, failed = CHOLESKY(matrix.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("The matrix of an evidence is not positive definite.")
    half = TRIANGULAR(factor, root[:, None] * moments, lower=1)[0]
    return 0.5 * np.sum(half**2, axis=0) - np.log(np.diag(factor)).sum()


def prior_variances(degrees: Degrees, parameters: Float[np.ndarray, "5"]) -> Float[np.ndarray, " p"]:
    """Variances from the logarithms of three sizes (linear, powers, time) and two falls (per degree of x, of t)."""
    linear, powers, time, fall, time_fall = parameters
    state, order = degrees[:, 1:].sum(axis=1), degrees[:, 0]
    steady = np.where(state == 1, linear, powers + fall * np.maximum(state - NEXT_RICHER, 0))
    moving = time + fall * np.maximum(state - NEXT_RICHER_IN_TIME, 0) + time_fall * (order - 1)
    logarithms = np.where(order > 0, moving, np.where(state == 0, np.log(FREE), steady))
    return np.exp(logarithms)


def choose_shrinkage(
    precision: Float[np.ndarray, "p p"], moments: Float[np.ndarray, "p c"], degrees: Degrees
) -> Shrinkage:
    """The prior variances, common to all columns, that the data make most likely, with the penalties above."""
    bounds = np.array([(SMALLEST, LARGEST)] * 3 + [(FASTEST_FALL, SLOWEST_FALL)] * 2)

    def objective(parameters: np.ndarray) -> float:
        inside = np.clip(parameters, bounds[:, 0], bounds[:, 1])
        outside = 1e3 * np.abs(parameters - inside).sum()
        evidence = log_evidence(precision, moments, prior_variances(degrees, inside)).sum()
        return -evidence - BOUNDARY * inside[:3].sum() + inside[3:].sum() + outside

    noise = float(np.clip(np.log(np.median(1 / np.diag(precision))), SMALLEST, LARGEST))
    starts = [(0.0, 0.0, noise, -1.0, -1.0), (0.0, noise, noise, -1.0, -1.0), (noise, noise, noise, -2.0, -2.0)]
    starts.append((0.0, 0.0, 0.0, -1.0, -1.0))
    steps = np.vstack([np.zeros(5), np.diag([2.0, 2.0, 2.0, -0.7, -0.7])])
    options = {"xatol": 0.05, "fatol": 0.05, "maxfev": 250}
    found = [
        scipy.optimize.minimize(
            objective, start, method="Nelder-Mead", options={**options, "initial_simplex": np.array(start) + steps}
        )
        for start in starts
    ]
    best = np.clip(min(found, key=lambda result: result.fun).x, bounds[:, 0], bounds[:, 1])
    variances = prior_variances(degrees, best)
    return Shrinkage(variances, log_evidence(precision, moments, variances))
