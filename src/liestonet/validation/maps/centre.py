"""A mirror about an unknown centre, x → 2c − x: the centre, its standard error, and whether the mirror is a symmetry.

The equations of the mirror, r(c) + noise = 0, are solved for c with fixed weights w = K⁻¹ r'(c), K the covariance of
the noise: that is consistent whatever the weights are, and its variance is 1/(r'ᵀ K⁻¹ r'). The slope r' comes from the
shrunk fit, which has little noise of its own. The part of r that is not along r' is the evidence against every centre,
with one degree of freedom less (docs/method.md §14.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.points import PointCloud
from liestonet.errors import InputError
from liestonet.surrogate.least_squares import without_prior
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.tuning import JUDGING
from liestonet.validation.bartlett import NullLaw
from liestonet.validation.maps.affine import AffineMap
from liestonet.validation.maps.claims import Claim
from liestonet.validation.maps.discrete import Centre
from liestonet.validation.maps.map_residuals import MapResiduals, map_rows, residual_of
from liestonet.validation.maps.map_test import Prepared, imposed_cloud, map_claim
from liestonet.validation.maps.point_map import PointMap
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

    def interval(self, laws: Sequence[NullLaw], error_rate: float) -> Centre:
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
    costs = [(cost, centre) for centre in tried.tolist() if (cost := _cost(family, centre)) is not None]
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
    claim = _claim(family, value)
    return None if claim is None else FoundCentre(family, value, error, claim)


def _cost(family: Family, centre: float) -> float | None:
    """The residual of the shrunk fit for a mirror about a centre; None where too little is covered."""
    made, surrogate = family.map_at(centre), family.prepared.surrogate
    cloud = imposed_cloud(family.prepared, made, surrogate)
    return None if cloud is None else float(np.linalg.norm(residual_of(made, surrogate, cloud)))


def _step(family: Family, centre: float) -> tuple[float, float] | None:
    """A step to a better centre and the standard error, by least squares with fixed weights."""
    surrogate = family.prepared.surrogate
    made = family.map_at(centre)
    cloud = imposed_cloud(family.prepared, made, surrogate)
    if cloud is None:
        return None
    free, rows = without_prior(surrogate), map_rows(made, surrogate, cloud)
    found = rows.products().moved(free.parameters - surrogate.parameters).under(free.errors)
    sizes, turns = found.conditions()
    slope = free.errors.root.T @ rows.transposed(_slope(family, centre, cloud)[:, None])
    noise, along, moved = sizes**2 + JUDGING.model_error**2, turns.T @ found.cross, turns.T @ slope[:, 0]
    information = float(np.sum(moved**2 / noise))
    if information <= 0:
        return None
    return -float(np.sum(moved * along / noise)) / information, 1 / np.sqrt(information)


def _slope(family: Family, centre: float, cloud: PointCloud) -> Float[np.ndarray, " rows"]:
    """The derivative of the shrunk fit's residuals in the centre."""
    surrogate = family.prepared.surrogate
    step = DISCRETE.centre_difference * float(surrogate.domain.half[family.coordinate + 1])
    above, below = (residual_of(family.map_at(centre + sign * step), surrogate, cloud) for sign in (1, -1))
    return (above - below) / (2 * step)


def _claim(family: Family, centre: float) -> Claim | None:
    """The claim that the mirror about this centre is a symmetry, where the centre was estimated; None if unvisited.

    What a change of the centre does to the residuals is no evidence against the mirror.
    """
    made = family.map_at(centre)
    try:
        plain, _ = map_claim(family.prepared, made)
    except InputError:
        return None

    def put(surrogate: Surrogate, cloud: PointCloud) -> MapResiduals:
        return map_rows(made, surrogate, cloud).products(_slope(family, centre, cloud))

    return replace(plain, put=put)
