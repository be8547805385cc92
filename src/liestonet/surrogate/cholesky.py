"""The gauge of Itô symmetries found from data: σ is the lower triangular root of a, with its derivatives and errors.

Trajectories determine only a (docs/method.md §2.5). σ = chol(a) in the order of the coordinates, without the rows and
columns of those that have no noise. With Φ = lower triangle with halved diagonal, δσ = σ Φ(σ⁻¹ δa σ⁻ᵀ).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Derivative
from liestonet.surrogate.tuning import FIT

Sigmas = dict[Derivative, np.ndarray]


def cholesky_jet(
    squared: Mapping[Derivative, Float[np.ndarray, "b n n s"]], noisy: Bool[np.ndarray, " n"]
) -> tuple[Sigmas, Sigmas]:
    """σ and its first derivatives (b, n, r), and their changes (b, n, r, s − 1) along the further columns of a."""
    active = np.flatnonzero(noisy)
    a = {d: array[:, active][:, :, active] for d, array in squared.items() if len(d) <= 1}
    root = np.linalg.cholesky(_positive(a[()][..., 0]))
    inverse = np.linalg.inv(root)
    change = _factor_change(root, inverse, a[()][..., 1:])
    sigma: Sigmas = {(): root}
    directions: Sigmas = {(): change}
    for derivative in a:
        if derivative:
            inner = inverse @ a[derivative][..., 0] @ np.swapaxes(inverse, 1, 2)
            sigma[derivative] = root @ _half_triangle(inner)
            directions[derivative] = _second_change(root, inverse, change, inner, a[derivative][..., 1:])
    count = len(noisy)
    return (
        {d: _placed(array, active, count) for d, array in sigma.items()},
        {d: _placed(array, active, count) for d, array in directions.items()},
    )


def root_change(root: Float[np.ndarray, "b r r"], change: Float[np.ndarray, "b r r"]) -> Float[np.ndarray, "b r r"]:
    """The change δσ of σ = chol(a) caused by a change of a."""
    return _factor_change(root, np.linalg.inv(root), change[..., None])[..., 0]


def _second_change(
    root: Float[np.ndarray, "b r r"],
    inverse: Float[np.ndarray, "b r r"],
    change: Float[np.ndarray, "b r r s"],
    inner: Float[np.ndarray, "b r r"],
    derivative_change: Float[np.ndarray, "b r r s"],
) -> Float[np.ndarray, "b r r s"]:
    """The change of ∂σ = σ Φ(X), X = σ⁻¹ ∂a σ⁻ᵀ, caused by a change of a: δσ Φ(X) + σ Φ(δX)."""
    relative = _after(_before(inverse, change), inner)
    moved = _turned(inverse, derivative_change) - relative - np.swapaxes(relative, 1, 2)
    return _after(change, _half_triangle(inner)) + _before(root, _half_triangles(moved))


def _factor_change(root: np.ndarray, inverse: np.ndarray, change: Float[np.ndarray, "b r r s"]) -> np.ndarray:
    """δσ = σ Φ(σ⁻¹ δa σ⁻ᵀ)."""
    return _before(root, _half_triangles(_turned(inverse, change)))


def _turned(inverse: Float[np.ndarray, "b r r"], matrices: Float[np.ndarray, "b r r s"]) -> np.ndarray:
    """σ⁻¹ A σ⁻ᵀ."""
    return _after(_before(inverse, matrices), np.swapaxes(inverse, 1, 2))


def _before(factor: Float[np.ndarray, "b r r"], matrices: Float[np.ndarray, "b r r s"]) -> np.ndarray:
    """Products of one matrix, on the left, with many, whose index is the last in memory."""
    shape = matrices.shape
    return (factor @ matrices.reshape(*shape[:2], shape[2] * shape[3])).reshape(shape)


def _after(matrices: Float[np.ndarray, "b r r s"], factor: Float[np.ndarray, "b r r"]) -> np.ndarray:
    """Products of many matrices with one matrix on the right."""
    return np.swapaxes(factor, 1, 2)[:, None] @ matrices


def _half_triangle(matrix: Float[np.ndarray, "b r r"]) -> np.ndarray:
    """Φ: the lower triangle with halved diagonal."""
    return matrix * _halves(matrix.shape[-1])


def _half_triangles(matrices: Float[np.ndarray, "b r r s"]) -> np.ndarray:
    return matrices * _halves(matrices.shape[1])[:, :, None]


def _halves(size: int) -> Float[np.ndarray, "r r"]:
    return np.tril(np.ones((size, size))) - np.eye(size) / 2


def _positive(matrix: Float[np.ndarray, "b r r"]) -> Float[np.ndarray, "b r r"]:
    """The matrix; where it is not safely positive, with eigenvalues raised, in units of its diagonal."""
    diagonal = np.median(np.abs(np.diagonal(matrix, axis1=1, axis2=2)), axis=0)
    units = np.sqrt(np.maximum(diagonal, np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(matrix / units / units[:, None])
    floor = FIT.least_eigenvalue * max(float(np.median(np.abs(values[:, -1]))), np.finfo(float).tiny)
    lifted = np.einsum("bij,bj,bkj->bik", vectors, np.maximum(values, floor), vectors) * units * units[:, None]
    return np.where((values[:, :1] < floor)[:, :, None], lifted, matrix)


def _placed(array: np.ndarray, active: np.ndarray, coordinates: int) -> np.ndarray:
    """The rows of σ at the noisy coordinates, zeros elsewhere."""
    if len(active) == coordinates:
        return array
    result = np.zeros((len(array), coordinates, *array.shape[2:]))
    result[:, active] = array
    return result
