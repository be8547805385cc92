"""Determining equations with given generators put in, and how the coefficients' errors change what is left."""

from __future__ import annotations

from dataclasses import dataclass

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
from liestonet.validation.tuning import RATIO


@dataclass(frozen=True)
class GivenResiduals:
    """DX of k generators of unit length, equation by equation and point by point, and D(δ_s)X for s errors."""

    residual: Float[np.ndarray, "k rows"]
    changes: Float[np.ndarray, "k rows s"]
    scattered: int
    complete: bool

    def alone(self, k: int) -> GivenResiduals:
        """The same of one generator."""
        return GivenResiduals(self.residual[k : k + 1], self.changes[k : k + 1], self.scattered, self.complete)

    def evidence(self) -> Evidence:
        """The same as inner products, for intervals; the generators are not free to turn."""
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
        """Least |z|² with DX + Σ z_s D(δ_s)X = 0, and how many conditions that are: the likelihood ratio.

        z are the errors in units of their standard deviations; imposing the equations on the coefficients costs this
        much likelihood. The model's own error counts as noise too, so that the conditions seen weakly weigh less; both
        numbers are scaled to the χ² with the same mean and variance. What no z explains, as where a coordinate has no
        noise, counts beyond a small part of the generator.
        """
        matrix = self.changes.reshape(-1, self.changes.shape[2])
        left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
        sizes, left = sizes[sizes > JUDGING.model_error / 3], left[:, sizes > JUDGING.model_error / 3]
        flat = self.residual.reshape(-1)
        along = left.T @ flat
        rest = max(float(flat @ flat - along @ along) / RATIO.unexplained**2 - 1.0, 0.0)
        if not len(sizes):
            return rest, float(rest > 0)
        total = sizes**2 + JUDGING.model_error**2
        square = float(np.sum(along**2 / total)) + rest
        # what the data's scatter alone would make of each; all of it where the model's error may be as large
        expected = np.where(sizes > JUDGING.model_error, sizes**2 / total, 1.0)
        mean, spread = float(expected.sum()), float(np.sum(expected**2))
        return square * mean / spread, mean**2 / spread


def put_in(
    kind: Kind, source: EstimatedCoefficients, given: Generators, cloud: PointCloud, domain: Domain
) -> GivenResiduals:
    """The equations of a kind, with the source's coefficients and these generators, on a cloud."""
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
