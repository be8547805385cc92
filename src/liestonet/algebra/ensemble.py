"""Structure constants with their uncertainty: one estimate and a fixed set of perturbed copies.

Every quantity derived from the constants is computed for every copy, and the scatter of the copies is its noise, in any
basis. Copy 0 is always the estimate. Only this module makes and transforms ensembles.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from liestonet.algebra.tuning import ALGEBRA
from liestonet.errors import InputError

Constants = Float[np.ndarray, "m m m"]
Ensemble = Float[np.ndarray, "copies m m m"]


def checked_constants(constants: Constants, uncertainty: float) -> Constants:
    """The constants, exactly antisymmetric; an error if they cannot be structure constants."""
    if not (math.isfinite(uncertainty) and uncertainty >= 0):
        raise InputError(f"The uncertainty is a standard error, finite and not negative, not {uncertainty}.")
    if not np.isfinite(constants).all():
        raise InputError("Structure constants must be finite numbers; here is a NaN or an infinity.")
    largest = float(np.max(np.abs(constants), initial=0.0))
    broken = float(np.max(np.abs(constants + np.swapaxes(constants, 0, 1)), initial=0.0))
    if broken > 1e-6 * largest + 20 * uncertainty:
        raise InputError(
            f"c[i,j,k] = −c[j,i,k] fails by {broken:.2g}, far above the uncertainty {uncertainty:.2g}: "
            "these are not structure constants. The order of the indices is [X_i, X_j] = Σ_k c[i,j,k] X_k."
        )
    return (constants - np.swapaxes(constants, 0, 1)) / 2


def make_ensemble(constants: Constants, uncertainty: float) -> tuple[Ensemble, Float[np.ndarray, "m m"]]:
    """The ensemble in a balanced basis, and the matrix whose rows are that basis in the user's coordinates.

    The noise is drawn in the user's basis, where every entry has the same standard error, and transformed with the
    constants, so decisions do not depend on the balanced basis.
    """
    c = checked_constants(constants, uncertainty)
    m = len(c)
    copies = ALGEBRA.copies if m <= ALGEBRA.large_dimension else ALGEBRA.copies_when_large
    error = max(uncertainty, ALGEBRA.rounding * float(np.max(np.abs(c), initial=0.0)))
    noise = np.random.default_rng(0).standard_normal((copies, m, m, m)) * error / math.sqrt(2)
    noise -= np.swapaxes(noise, 1, 2)
    noise[0] = 0.0
    basis = balanced_basis(c, error)
    return change_basis(c + noise, basis), basis


def change_basis(constants: np.ndarray, basis: Float[np.ndarray, "m m"]) -> np.ndarray:
    """Structure constants of the basis whose rows are given, for one algebra or an ensemble."""
    lower = np.einsum("ia,...abk->...ibk", basis, constants)
    lower = np.einsum("jb,...ibk->...ijk", basis, lower)
    return lower @ np.linalg.inv(basis)


def balanced_basis(constants: Constants, error: float) -> Float[np.ndarray, "m m"]:
    """A basis in which the constants of all generators are of similar size, of order one.

    Gradient descent on log‖c‖² over all bases (the gradient is the moment map of the change-of-basis group), without
    the part that only rescales all generators. Noise is smallest in the user's basis, so the descent is limited once
    the noise is not far below the constants.
    """
    m = len(constants)
    basis, c = np.eye(m), constants
    allowed = max(ALGEBRA.worth_balancing, ALGEBRA.noise_growth * _relative_noise(c, basis, error))
    for _ in range(ALGEBRA.balancing_steps if m <= ALGEBRA.large_dimension else ALGEBRA.balancing_steps // 6):
        size = float(np.vdot(c, c))
        if size <= (10 * error) ** 2 * m**3:
            break
        inputs = np.einsum("ajk,bjk->ab", c, c) / size
        outputs = np.einsum("ija,ijb->ab", c, c) / size
        step = -(2 * inputs - outputs)
        change = np.einsum("ia,ajk->ijk", step, c)
        change = change - np.swapaxes(change, 0, 1) - np.einsum("ijk,ka->ija", c, step)
        change -= c * (np.vdot(change, c) / size)
        if np.vdot(change, change) < ALGEBRA.balanced**2 * size:
            break
        values, vectors = np.linalg.eigh(step)
        move = (vectors * np.exp(0.4 * values)) @ vectors.T
        moved, balanced = move @ basis, change_basis(c, move)
        if _relative_noise(balanced, moved, error) > allowed:
            break
        basis, c = moved, balanced
    adjoint = math.sqrt(float(np.vdot(c, c)) / max(m, 1))
    return basis / adjoint if adjoint > 0 else basis


def _relative_noise(constants: Constants, basis: Float[np.ndarray, "m m"], error: float) -> float:
    """Noise of the constants in this basis, relative to their size, both as root sums of squares."""
    size = float(np.linalg.norm(constants))
    grown = float(np.linalg.norm(basis)) ** 2 * float(np.linalg.norm(np.linalg.inv(basis)))
    return error * grown / size if size else math.inf


def compress(ensemble: Ensemble, frame: Float[np.ndarray, "copies m r"]) -> Float[np.ndarray, "copies r r r"]:
    """Constants of the subalgebra that the orthonormal columns span, or of the quotient by their complement."""
    lower = np.einsum("sai,sabk->sibk", frame, ensemble, optimize=True)
    return np.einsum("sbj,sibk->sijk", frame, lower, optimize=True) @ frame[:, None]


def adjoint(ensemble: Ensemble, vectors: Float[np.ndarray, "copies m r"]) -> Float[np.ndarray, "copies r m m"]:
    """ad of each column as a matrix: ad[s, x, k, j] is the k-th component of [x, X_j]."""
    return np.einsum("sax,sajk->sxkj", vectors, ensemble, optimize=True)


def killing_form(ensemble: Ensemble) -> Float[np.ndarray, "copies m m"]:
    """K(x, y) = tr(ad_x ad_y)."""
    copies, m = ensemble.shape[:2]
    flipped = np.swapaxes(ensemble, 2, 3).reshape(copies, m, m * m)
    return ensemble.reshape(copies, m, m * m) @ np.swapaxes(flipped, 1, 2)


def jacobi_tensor(ensemble: Ensemble) -> Float[np.ndarray, "copies entries"]:
    """[X_i,[X_j,X_k]] + cyclic, flattened."""
    nested = np.einsum("sjkl,silm->sijkm", ensemble, ensemble, optimize=True)
    cyclic = nested + np.transpose(nested, (0, 2, 3, 1, 4)) + np.transpose(nested, (0, 3, 1, 2, 4))
    return cyclic.reshape(len(ensemble), -1)
