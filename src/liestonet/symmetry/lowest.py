"""The directions with the smallest relative residual: the bottom of the operator's singular values.

Inverse subspace iteration on DᵀD finds the subspace; the singular values come from D itself, so that they are
good to rounding of D and not of its square.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.symmetry.basis import Basis
from liestonet.symmetry.operator import Assembled, Operator

ITERATIONS = 4
# Relative to the diagonal of DᵀD: above the rounding of a Cholesky factor, far below any residual squared.
JITTER = 1e-13
# Rows times columns squared: below the first number D itself is factorised at once; below the second, where even the
# last direction asked for is not this far above the jitter, so that the Gram matrix does not tell directions apart.
LITTLE_WORK, MUCH_WORK, BLURRED = 3e8, 4e9, 10.0
# Directions below this are refined: they may be null vectors, and the Gram matrix knows them to about 1e-9 only.
REFINED = 1e-3


@dataclass(frozen=True)
class Directions:
    """Orthonormal coefficient vectors in ascending order of relative residual, and the length of D's columns."""

    basis: Basis
    residuals: Float[np.ndarray, " k"]
    coefficients: Float[np.ndarray, "m k"]
    column_norms: Float[np.ndarray, " m"]


def lowest_directions(
    operator: Operator, basis: Basis, count: int, start: Float[np.ndarray, "m k"] | None = None
) -> Directions:
    """The `count` directions with the smallest ‖DX‖/‖X‖ that the basis holds."""
    count = min(count, basis.size)
    matrix = operator.assemble(basis)
    norms = matrix.column_norms()
    # Scaling by the columns' own size keeps high derivatives from swamping the small singular values.
    scale = 1 / np.sqrt(norms**2 + 1)
    block, work = _start_block(basis.size, count, start), matrix.rows * basis.size**2
    if work > LITTLE_WORK:
        jitter = JITTER * basis.size
        gram = matrix.gram() * scale[:, None] * scale + jitter * np.eye(basis.size)
        triangle = scipy.linalg.cholesky(gram, overwrite_a=True, check_finite=False)
        residuals, block = _iterate(matrix, triangle, scale, block)
        blurred = residuals[-1] < BLURRED * np.sqrt(jitter) * np.linalg.norm(block[:, -1] / scale)
        if not blurred or work > MUCH_WORK:
            return Directions(basis, residuals, block, norms)
    residuals, block = _iterate(matrix, _orthogonal_triangle(matrix, scale), scale, block)
    return Directions(basis, residuals, block, norms)


def _iterate(
    matrix: Assembled, triangle: np.ndarray, scale: np.ndarray, block: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Inverse subspace iteration with the triangle R of D (columns scaled): residuals and directions."""

    def solve(right: np.ndarray) -> np.ndarray:
        return scale[:, None] * scipy.linalg.cho_solve((triangle, False), scale[:, None] * right, check_finite=False)

    for _ in range(ITERATIONS):
        block = np.linalg.qr(solve(block))[0]
    residuals, block, images = _ritz(matrix, block)
    small = residuals < REFINED
    if small.any():
        # One more step with DᵀD applied as two products, so that the rounding of the triangle drops out.
        block[:, small] -= solve(matrix.transposed(images[:, small]))
        residuals, block, _ = _ritz(matrix, np.linalg.qr(block)[0])
    return residuals, block


def _orthogonal_triangle(matrix: Assembled, scale: np.ndarray) -> np.ndarray:
    """R with RᵀR = DᵀD, columns scaled, from D itself: small singular values as sharp as D's entries."""
    dense = matrix.dense() * scale
    triangle = scipy.linalg.qr(dense, mode="r", overwrite_a=True, check_finite=False)[0][: matrix.basis.size]
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
