"""A mirror about an unknown centre, x → 2c − x: the centre, its standard error, and whether the mirror is a symmetry.

The equations of the mirror, r(c) + noise = 0, are solved for c with fixed weights w = K⁻¹ r'(c), K the covariance of
the noise: that is consistent whatever the weights are, and its variance is 1/(r'ᵀ K⁻¹ r'). The slope r' comes from the
shrunk fit, which has little noise of its own. The part of r that is not along r' is the evidence against every centre,
with one degree of freedom less (docs/method.md §14.6).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.points import PointCloud
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.tuning import JUDGING
from liestonet.validation.bartlett import NullLaw, unshrunk_residuals
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.maps.affine import AffineMap
from liestonet.validation.maps.discrete import Centre
from liestonet.validation.maps.map_residuals import put_map
from liestonet.validation.maps.map_test import Prepared, imposed_cloud
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.maps.shared_laws import Claim, without_errors
from liestonet.validation.tuning import DISCRETE


@dataclass(frozen=True, eq=False)
class Family:
    """The maps x → M x + c (1 − M) e with one unknown number c: mirrors of coordinate `coordinate` (from 0)."""

    prepared: Prepared
    matrix: Float[np.ndarray, "n n"]
    coordinate: int

    def at(self, centre: float) -> AffineMap:
        """The map with this centre."""
        n = len(self.matrix)
        place = np.zeros(n)
        place[self.coordinate] = centre
        offset = place - self.matrix @ place
        periods = [0.0, *(p if np.isfinite(p) else 0.0 for p in self.prepared.surrogate.domain.periods[1:])]
        rows = [[round(entry) for entry in row] for row in self.matrix.tolist()]
        return AffineMap.of(rows, offset.tolist(), 0, periods)

    def map_at(self, centre: float) -> PointMap:
        return self.at(centre).as_map(self.prepared.surrogate.names)


@dataclass(frozen=True, eq=False)
class FoundCentre:
    """The best centre with its standard error, and the claim that the mirror about it is a symmetry."""

    family: Family
    value: float
    error: float
    claim: Claim

    def interval(self, laws: list[NullLaw], error_rate: float) -> Centre:
        """The centre with an interval, scaled by the null law's mean deviance."""
        widened = self.error * float(np.sqrt(max(law.mean for law in laws)))
        reach = float(scipy.special.ndtri(1 - error_rate / 2)) * widened
        name = self.family.prepared.surrogate.names[self.family.coordinate]
        return Centre(name, self.value, widened, self.value - reach, self.value + reach)


def find_centre(family: Family) -> FoundCentre | None:
    """The centre with the smallest residual, refined; None where the data cover both sides of no centre."""
    domain, v = family.prepared.surrogate.domain, family.coordinate + 1
    middle, half = float(domain.centre[v]), float(domain.half[v])
    tried = middle + half * DISCRETE.farthest_centre * np.linspace(-1, 1, DISCRETE.tried_centres)
    plain = without_errors(family.prepared.surrogate)
    costs = [(cost, centre) for centre in tried.tolist() if (cost := _cost(family, centre, plain)) is not None]
    if not costs:
        return None
    value, error = min(costs)[1], half
    for _ in range(DISCRETE.centre_steps):
        found = _step(family, value)
        if found is None:
            return None
        step, error = found
        value = float(np.clip(value + np.clip(step, -half / 10, half / 10), middle - half, middle + half))
        if abs(step) < DISCRETE.centre_settled * error:
            break
    return FoundCentre(family, value, error, _claim(family, value))


def _cost(family: Family, centre: float, plain: Surrogate) -> float | None:
    """The residual of the shrunk fit for a mirror about a centre; None where too little is covered."""
    made = family.map_at(centre)
    cloud = imposed_cloud(family.prepared, made, family.prepared.surrogate)
    if cloud is None:
        return None
    return float(np.linalg.norm(put_map(made, plain, cloud, plain.domain).residual))


def _step(family: Family, centre: float) -> tuple[float, float] | None:
    """A step to a better centre and the standard error, by least squares with fixed weights."""
    surrogate = family.prepared.surrogate
    made = family.map_at(centre)
    cloud = imposed_cloud(family.prepared, made, surrogate)
    if cloud is None:
        return None
    found = unshrunk_residuals(partial(_put, made), surrogate, cloud)
    slope = _slope(family, centre, surrogate, cloud)
    left, sizes, _ = np.linalg.svd(found.changes[0], full_matrices=False)
    noise = sizes**2 + JUDGING.model_error**2
    seen = sizes > JUDGING.model_error / 3
    along, moved = (left.T @ found.residual[0])[seen], (left.T @ slope)[seen]
    information = float(np.sum(moved**2 / noise[seen]))
    if information <= 0:
        return None
    return -float(np.sum(moved * along / noise[seen])) / information, 1 / np.sqrt(information)


def _put(made: PointMap, surrogate: Surrogate, cloud: PointCloud) -> GivenResiduals:
    return put_map(made, surrogate, cloud, surrogate.domain)


def _slope(family: Family, centre: float, surrogate: Surrogate, cloud: PointCloud) -> Float[np.ndarray, " rows"]:
    """The derivative of the shrunk fit's residuals in the centre."""
    surrogate = without_errors(surrogate)
    step = DISCRETE.centre_difference * float(surrogate.domain.half[family.coordinate + 1])
    above, below = (
        put_map(family.map_at(centre + sign * step), surrogate, cloud, surrogate.domain) for sign in (1, -1)
    )
    return (above.residual[0] - below.residual[0]) / (2 * step)


def _claim(family: Family, centre: float) -> Claim:
    """The claim that the mirror about this centre is a symmetry, where the centre was estimated."""
    made = family.map_at(centre)
    prepared = family.prepared

    def put(surrogate: Surrogate, cloud: PointCloud) -> GivenResiduals:
        return without_direction(_put(made, surrogate, cloud), _slope(family, centre, prepared.surrogate, cloud))

    def imposed(surrogate: Surrogate) -> PointCloud:
        cloud = imposed_cloud(prepared, made, surrogate)
        return prepared_cloud(prepared) if cloud is None else cloud

    return Claim(made.text, put, imposed)


def prepared_cloud(prepared: Prepared) -> PointCloud:
    """Points of the data, thinned, with equal weights."""
    points = prepared.surrogate.overview.points[:: max(1, len(prepared.surrogate.overview.points) // 300)]
    return PointCloud(points, np.full(len(points), 1 / len(points)))


def without_direction(found: GivenResiduals, direction: Float[np.ndarray, " rows"]) -> GivenResiduals:
    """Residuals and changes without their part along a direction, which an estimated number absorbs."""
    unit = direction / max(float(np.linalg.norm(direction)), np.finfo(float).tiny)
    smooth = found.smooth
    return replace(
        found,
        residual=found.residual - (found.residual @ unit)[:, None] * unit,
        changes=found.changes - unit[:, None] * np.einsum("krs,r->ks", found.changes, unit)[:, None, :],
        smooth=None if smooth is None else smooth - np.outer(unit, unit @ smooth),
    )
