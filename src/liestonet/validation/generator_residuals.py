"""Residuals of given generators in the determining equations, and how the coefficients' errors change them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import EstimatedCoefficients
from liestonet.core.domain import Domain
from liestonet.core.generators import Generators
from liestonet.core.points import PointCloud
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING
from liestonet.validation.inner_products import InnerProducts, scaled_deviance, unexplained


@dataclass(frozen=True)
class GivenResiduals:
    """DX of k generators of unit length, equation by equation and point by point, and D(δ_s)X for s errors.

    It also holds residuals of other claims whose equations are affine in the coefficients, such as those of a map. The
    columns `smooth` are then functions of a low degree: the part of the residual along them is tested separately.
    """

    residual: Float[np.ndarray, "k rows"]
    changes: Float[np.ndarray, "k rows s"]
    scattered: int
    complete: bool
    smooth: Float[np.ndarray, "rows q"] | None = None

    def alone(self, k: int) -> GivenResiduals:
        """The residuals of one generator."""
        return replace(self, residual=self.residual[k : k + 1], changes=self.changes[k : k + 1])

    def evidence(self) -> Evidence:
        """Inner products of residuals and noise, for intervals; the generators are not free to turn."""
        noise = np.einsum("krs,krt->kst", self.changes, self.changes, optimize=True)
        mutual = np.einsum("krs,lrs->kl", self.changes, self.changes, optimize=True)
        cross = np.einsum("krs,kr->sk", self.changes, self.residual, optimize=True)
        count = len(self.residual)
        gram = self.residual @ self.residual.T
        return Evidence(np.eye(count), gram, noise, mutual, cross, np.eye(len(cross)), self.scattered, self.complete)

    def deviances(self) -> list[tuple[float, float]]:
        """Deviance and degrees of freedom of all generators together, then of each alone."""
        together, count = self.deviance(), len(self.residual)
        return [together, *([together] if count == 1 else [self.alone(k).deviance() for k in range(count)])]

    def deviance(self) -> tuple[float, float]:
        """Least |z|² with DX + Σ z_s D(δ_s)X = 0, and the number of conditions: the likelihood ratio.

        z are the errors in units of their standard deviations; the least |z|² is twice the log likelihood lost by
        imposing the equations. The model error counts as noise too, so that weakly visible conditions weigh less; both
        numbers are scaled to the χ² with the same mean and variance. A residual that no z explains, as where a
        coordinate has no noise, is added if it exceeds a small part of the generator.
        """
        matrix, flat = self._flat()
        left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
        sizes, left = sizes[sizes > JUDGING.model_error / 3], left[:, sizes > JUDGING.model_error / 3]
        along = left.T @ flat
        return scaled_deviance(along, sizes, np.eye(len(sizes)), unexplained(float(flat @ flat), along))

    def split_deviances(self) -> list[tuple[float, float]]:
        """The deviance in two independent parts: of the few smooth functions, and of all others."""
        return self.inner_products().split_deviances()

    def inner_products(self) -> InnerProducts:
        """All that tests of all generators together need, by normal equations: rounding is far below relevant noise."""
        matrix, flat = self._flat()
        smooth = None if self.smooth is None else matrix.T @ self.smooth
        square, gram = float(flat @ flat), matrix.T @ matrix
        return InnerProducts(square, matrix.T @ flat, gram, smooth, self.scattered, self.complete)

    def _flat(self) -> tuple[Float[np.ndarray, "rows s"], Float[np.ndarray, " rows"]]:
        """The changes and the residuals of all generators, one below the other."""
        return self.changes.reshape(-1, self.changes.shape[2]), self.residual.reshape(-1)


def put_in(
    kind: Kind, source: EstimatedCoefficients, given: Generators, cloud: PointCloud, domain: Domain
) -> GivenResiduals:
    """The residuals of these generators, with the source's coefficients, in the equations of a kind on a cloud."""
    table = kind.equations(source.dimension, source.noise)
    constant = np.zeros((1, source.dimension + 1), dtype=np.int64)
    scales = table.unknown_scales(domain.half)
    basis = Basis(domain, scales, (constant,) * len(table.unknowns))
    operator = NoisyOperator(kind, source, basis, cloud, joint=False)
    values = given.components(cloud.points, {derivative for _, derivative in operator.slots} | {()})
    lengths = _lengths(values[()], scales, cloud)
    count, points = len(lengths), len(cloud.points)
    residual = np.zeros((count, len(operator.equations), points))
    changes = np.zeros((count, len(operator.equations), points, operator.directions))
    for row, equation in enumerate(operator.equations):
        for (unknown, derivative), factor in equation.factors.items():
            residual[:, row] += factor * values[derivative][:, :, unknown]
        for place, (unknown, derivative) in enumerate(equation.slots):
            changes[:, row] += values[derivative][:, :, unknown, None] * equation.changes[:, place]
    return GivenResiduals(
        (residual / lengths[:, None, None]).reshape(count, -1),
        (changes / lengths[:, None, None, None]).reshape(count, -1, operator.directions),
        operator.scattered,
        operator.complete,
    )


def _lengths(
    values: Float[np.ndarray, "m b components"], scales: Float[np.ndarray, " components"], cloud: PointCloud
) -> Float[np.ndarray, " m"]:
    """‖X‖ of docs/method.md §3.1 on the cloud."""
    scaled = values[:, :, : len(scales)] / scales
    return np.sqrt(np.einsum("mbc,b->m", scaled**2, cloud.weights))
