"""The places that data have visited, where images of the data can be compared with the data themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.domain import Domain
from liestonet.validation.tuning import MAPS

Points = Float[np.ndarray, "b v"]


@dataclass(frozen=True, eq=False)
class Visited:
    """The places (t, x) near recorded ones, inside the box; time only has to be inside.

    `reach` is the largest distance of neighbours, in units of the data's scatter, where angles count as points of a
    circle.
    """

    domain: Domain
    tree: Any
    centre: Float[np.ndarray, " v"]
    scales: Float[np.ndarray, " v"]
    reach: float

    @classmethod
    def by(cls, points: Points, domain: Domain) -> Visited:
        """The places visited by these points."""
        from scipy.spatial import KDTree

        rows = np.linspace(0, len(points) - 1, min(MAPS.visited_points, len(points))).astype(int)
        chosen = points[rows]
        scales = np.maximum(chosen.std(axis=0), np.finfo(float).tiny)
        centre = np.array([low for low, _ in domain.intervals])
        made = cls(domain, None, centre, scales, np.inf)
        places = made._placed(chosen)
        tree = KDTree(places)
        count = min(MAPS.neighbours + 1, len(places))
        distances = np.asarray(tree.query(places, k=count)[0]).reshape(len(places), -1)[:, -1]
        return cls(domain, tree, centre, scales, MAPS.farther * float(np.quantile(distances, MAPS.usual_part)))

    def _placed(self, points: Points) -> Float[np.ndarray, "b q"]:
        """Coordinates in units of their scatter; an angle becomes a point of a circle."""
        columns = []
        for variable in range(1, points.shape[1]):
            if variable in self.domain.periodic:
                phase = 2 * np.pi * points[:, variable] / self.domain.periods[variable]
                columns += [np.cos(phase), np.sin(phase)]
            else:
                columns.append((points[:, variable] - self.centre[variable]) / self.scales[variable])
        return np.column_stack(columns)

    def __call__(self, points: Points) -> Bool[np.ndarray, " b"]:
        """Which of these places are visited."""
        low, high = np.array(self.domain.intervals).T
        slack = MAPS.same_place * (high - low)
        endless = np.isfinite(self.domain.periods)
        inside = ((points >= low - slack) & (points <= high + slack) | endless).all(axis=1)
        inside &= np.isfinite(points).all(axis=1)
        found = np.zeros(len(points), dtype=bool)
        if inside.any():
            places = self._placed(points[inside])
            count = min(MAPS.neighbours, self.tree.n)
            distances = np.asarray(self.tree.query(places, k=count)[0]).reshape(len(places), -1)[:, -1]
            found[inside] = distances <= self.reach
        return found
