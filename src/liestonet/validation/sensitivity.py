"""The effect of an error of the surrogate: angle and residual by its size, and the C¹ bound of docs/method.md §9."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from liestonet.core.angles import principal_angles
from liestonet.core.coefficients import JetOrder
from liestonet.core.domain import Domain
from liestonet.core.generators import Generators
from liestonet.core.points import PointCloud
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, LAW, Kind
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import mixed_cloud
from liestonet.validation.generator_residuals import put_in
from liestonet.validation.tuning import GATES

if TYPE_CHECKING:
    from liestonet.surrogate.fitted import FittedCoefficients

SHAPES = ("sine", "network")


@dataclass(frozen=True)
class SensitivityRow:
    """A perturbation of the surrogate: the angle of the span, the generators' residual, and a bound on the residual."""

    shape: str
    amplitude: float
    angle: float
    residual: float
    bound: float


def sensitivity(
    surrogate: Surrogate,
    fields: Fields,
    kind: Kind = LAW,
    amplitudes: Sequence[float] = GATES.amplitudes,
    shapes: Sequence[str] = SHAPES,
    seed: int = 0,
) -> tuple[SensitivityRow, ...]:
    """Perturb the surrogate and measure the effect on the generators found with it.

    `residual` is the largest relative residual of the original generators on the perturbed coefficients; `bound` is
    that of docs/method.md §9: their residual on the original ones plus C(X) times the perturbation's C¹ norm.
    """
    domain, points = surrogate.domain, surrogate.overview.points
    cloud = mixed_cloud(domain, points, GATES.sensitivity_points)
    before = relative_residuals(kind, surrogate, fields, cloud)
    rows = []
    for shape in shapes:
        for amplitude in amplitudes:
            changed = surrogate.perturb(amplitude, shape, seed)
            after = relative_residuals(kind, changed, fields, cloud)
            bounds = before + change_bound(kind, surrogate, changed, fields, cloud)
            worst = int(np.argmax(after))
            rows.append(
                SensitivityRow(
                    shape, float(amplitude), _angle(kind, changed, fields, cloud), float(after[worst]),
                    float(bounds[worst]),
                )
            )  # fmt: skip
    return tuple(rows)


def relative_residuals(
    kind: Kind, surrogate: FittedCoefficients, given: Generators, cloud: PointCloud
) -> Float[np.ndarray, " k"]:
    """‖DX‖/‖X‖ of every generator (docs/method.md §3.1)."""
    return np.linalg.norm(put_in(kind, surrogate, given, cloud, surrogate.domain).residual, axis=1)


def perturbed_span(kind: Kind, changed: Surrogate, fields: Fields, cloud: PointCloud) -> Fields:
    """The lowest directions of the perturbed equations, as many as there are fields."""
    operator = NoisyOperator(kind, changed, fields.basis, cloud)
    return Fields(fields.basis, operator.whitening @ operator.lowest(fields.count), kind.has_beta)


def _angle(kind: Kind, changed: Surrogate, fields: Fields, cloud: PointCloud) -> float:
    """Largest unit-free angle between the span and that of the perturbed equations."""
    found = perturbed_span(kind, changed, fields, cloud)
    half = changed.domain.half
    angles = principal_angles(found, fields, cloud.points[:, 0], cloud.points[:, 1:], scale=(half[0], half[1:]))
    return float(angles[-1])


def change_bound(
    kind: Kind, before: Surrogate, after: Surrogate, given: Generators, cloud: PointCloud
) -> Float[np.ndarray, " k"]:
    """C(X) ‖change‖ for every generator of unit length: a bound on the change of its residual.

    The equations are linear in the coefficients (for law and Fokker–Planck; Itô is bounded by its law part, with one
    noise they are the same), so at every point the change of an equation is at most the sum over its terms of
    |∂X|·‖δ‖ with the largest value of each derivative of δf and δa on the cloud.
    """
    linear = LAW if kind is not FOKKER_PLANCK else kind
    table, domain = linear.equations(before.dimension, before.noise), before.domain
    order = JetOrder(drift=linear.jet_order.drift, diffusion_squared=linear.jet_order.diffusion_squared)
    points = cloud.points
    jets = [source.jet(points[:, 0], points[:, 1:], order) for source in (before, after)]
    derivatives = {term.derivative for term in table.terms} | {()}
    values = given.components(points, derivatives)
    lengths = _lengths(values[()], domain, cloud, len(table.unknowns))
    sums = np.zeros((given.count, len(table.rows), len(points)))
    scales = table.row_scales(domain.half)
    for term in table.terms:
        if term.coefficient is not None:
            name, entry, derivative = term.coefficient
            arrays = [getattr(jet, name)[derivative][(slice(None), *entry)] for jet in jets]
            largest = float(np.max(np.abs(arrays[1] - arrays[0])))
            size = abs(term.factor) * scales[term.row] * largest
            sums[:, term.row] += size * np.abs(values[term.derivative][:, :, term.unknown])
    return np.sqrt(np.einsum("krb,b->k", sums**2, cloud.weights)) / lengths


def _lengths(values: np.ndarray, domain: Domain, cloud: PointCloud, unknowns: int) -> Float[np.ndarray, " k"]:
    scales = np.concatenate([domain.half, [1.0]])[:unknowns]
    return np.sqrt(np.einsum("mbc,b->m", (values[:, :, :unknowns] / scales) ** 2, cloud.weights))
