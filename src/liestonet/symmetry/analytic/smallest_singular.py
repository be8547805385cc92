"""The directions with the smallest relative residual: the bottom of the operator's singular values.

Inverse subspace iteration on DᵀD finds the subspace; the singular values come from D itself, so that they are accurate
to the rounding of D, not of its square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.symmetry.analytic.tuning import NULL_SPACE
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.operator import Assembled, Operator


@dataclass(frozen=True)
class Directions:
    """Orthonormal coefficient vectors in ascending order of relative residual, and the length of D's columns.

    `blur` is the residual, relative to `sizes`, below which the factorisation could not separate directions.
    """

    basis: Basis
    residuals: Float[np.ndarray, " k"]
    coefficients: Float[np.ndarray, "m k"]
    column_norms: Float[np.ndarray, " m"]
    blur: float = float(np.finfo(float).eps)

    @property
    def sizes(self) -> Float[np.ndarray, " k"]:
        """The size of the terms that cancel in each residual."""
        return np.linalg.norm(self.coefficients * np.sqrt(self.column_norms**2 + 1)[:, None], axis=0)


def lowest_directions(
    operator: Operator, basis: Basis, count: int, start: Float[np.ndarray, "m k"] | None = None
) -> Directions:
    """The `count` directions with the smallest ‖DX‖/‖X‖ that the basis holds."""
    count = min(count, basis.size)
    matrix = operator.assemble(basis)
    norms = matrix.column_norms()
    # Scaling by the columns' own size keeps high derivatives from swamping the small singular values.
    scale = 1 / np.sqrt(norms**2 + 1)
    jitter = NULL_SPACE.jitter * basis.size
    gram = matrix.gram() * scale[:, None] * scale + jitter * np.eye(basis.size)
    triangle = scipy.linalg.cholesky(gram, overwrite_a=True, check_finite=False)
    residuals, block = _iterate(matrix, _Inverse(triangle, scale), _start_block(basis.size, count, start))
    lengths = np.linalg.norm(block / scale[:, None], axis=0)
    exact, blur = (np.sqrt(number) * lengths for number in (NULL_SPACE.exact_square, jitter))
    blurred = bool(((residuals > exact) & (residuals < NULL_SPACE.blurred * blur)).any())
    if matrix.rows * basis.size**2 <= (NULL_SPACE.much_work if blurred else NULL_SPACE.little_work):
        residuals, block = _sharpen(matrix, _Inverse(_orthogonal_triangle(matrix, scale), scale), residuals, block)
        blurred = False
    return Directions(basis, residuals, block, norms, float(np.sqrt(jitter) if blurred else np.finfo(float).eps))


@dataclass(frozen=True)
class _Inverse:
    """(DᵀD)⁻¹ by the triangle R of D with scaled columns."""

    triangle: np.ndarray
    scale: np.ndarray

    def __call__(self, right: np.ndarray) -> np.ndarray:
        scale = self.scale[:, None]
        return scale * scipy.linalg.cho_solve((self.triangle, False), scale * right, check_finite=False)


def _iterate(matrix: Assembled, inverse: _Inverse, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverse subspace iteration: residuals and directions."""
    for _ in range(NULL_SPACE.iterations):
        block = np.linalg.qr(inverse(block))[0]
    residuals, block, images = _ritz(matrix, block)
    small = residuals < NULL_SPACE.refined
    if small.any():
        # One more step with DᵀD applied as two products, so that the rounding of the Gram matrix drops out.
        block[:, small] -= inverse(matrix.transposed(images[:, small]))
        residuals, block, _ = _ritz(matrix, np.linalg.qr(block)[0])
    return residuals, block


def _sharpen(
    matrix: Assembled, inverse: _Inverse, residuals: np.ndarray, block: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Better directions by an inverse so sharp that one application leaves nothing but null vectors.

    Those are set aside, and each round finds the smallest among the rest; old directions stay candidates.
    """
    count = block.shape[1]
    for _ in range(NULL_SPACE.layers):
        lengths = np.linalg.norm(block / inverse.scale[:, None], axis=0)
        found = block[:, residuals < np.sqrt(NULL_SPACE.exact_square) * lengths]
        fresh = inverse(block[:, found.shape[1] :] if found.shape[1] < count else block)
        best = np.concatenate([found, _outside(found, fresh / np.abs(fresh).max())], axis=1)
        candidates = np.concatenate([best, _outside(best, block)], axis=1)
        residuals, block, _ = (part[..., :count] for part in _ritz(matrix, candidates))
    return residuals, block


def _outside(known: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Orthonormal directions that a block adds to known ones, without those that are independent only by rounding."""
    for _ in range(2):
        block = block - known @ (known.T @ block)
    factors: Any = scipy.linalg.qr(block, mode="economic", pivoting=True, check_finite=False)
    orthonormal, triangle, _ = factors
    return orthonormal[:, np.abs(np.diag(triangle)) > NULL_SPACE.independent]


def _orthogonal_triangle(matrix: Assembled, scale: np.ndarray) -> np.ndarray:
    """R with RᵀR = DᵀD, columns scaled, computed from D itself: small singular values as accurate as D's entries."""
    dense = matrix.dense() * scale
    factors: Any = scipy.linalg.qr(dense, mode="r", overwrite_a=True, check_finite=False)
    triangle = factors[0][: matrix.basis.size]
    diagonal = np.diag(triangle)
    floor = np.finfo(float).eps * np.abs(diagonal).max()
    triangle[np.diag_indices(len(triangle))] = np.where(np.abs(diagonal) < floor, floor, diagonal)
    return triangle


def _ritz(matrix: Assembled, block: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rotate an orthonormal block so that its images are orthogonal: singular values ascending, vectors, images."""
    images, count = matrix.apply(block), block.shape[1]
    triangle = np.linalg.qr(images, mode="r") if len(images) > count else images
    _, values, right = np.linalg.svd(triangle, full_matrices=True)
    residuals = np.append(values, np.zeros(count - len(values)))[::-1]
    rotation = right.T[:, ::-1]
    return residuals, block @ rotation, images @ rotation


def _start_block(size: int, count: int, start: np.ndarray | None) -> np.ndarray:
    """A fixed random block, with known approximate directions put in front."""
    block = np.random.default_rng(0).standard_normal((size, count)) / np.sqrt(size)
    if start is not None:
        known = min(start.shape[1], count)
        block[:, :known] = start[:, :known]
    return block
