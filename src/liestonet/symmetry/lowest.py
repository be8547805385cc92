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
    gram = matrix.gram()
    # Scaling by the columns' own size keeps high derivatives from swamping the small singular values.
    scale = 1 / np.sqrt(np.diag(gram) + 1)
    scaled = gram * scale[:, None] * scale + JITTER * basis.size * np.eye(basis.size)
    factor = scipy.linalg.cho_factor(scaled, overwrite_a=True, check_finite=False)

    def solve(right: np.ndarray) -> np.ndarray:
        return scale[:, None] * scipy.linalg.cho_solve(factor, scale[:, None] * right, check_finite=False)

    block = _start_block(basis.size, count, start)
    for _ in range(ITERATIONS):
        block = np.linalg.qr(solve(block))[0]
    residuals, block, images = _ritz(matrix, block)
    small = residuals < REFINED
    if small.any():
        # One more step with DᵀD applied as two products, so that the rounding of the Gram matrix drops out.
        block[:, small] -= solve(matrix.transposed(images[:, small]))
        residuals, block, _ = _ritz(matrix, np.linalg.qr(block)[0])
    return Directions(basis, residuals, block, np.sqrt(np.diag(gram)))


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
