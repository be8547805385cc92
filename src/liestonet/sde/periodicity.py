"""Check that an equation is periodic in the coordinates declared as periodic."""

from __future__ import annotations

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.sde.tuning import BOX


def require_periodic(sde: SDE, domain: Domain) -> None:
    """Refuse coefficients whose values change after one period."""
    points = lattice_cloud(domain, BOX.periodic_points).points
    for variable in domain.periodic:
        shifted = points.copy()
        shifted[:, variable] += domain.periods[variable]
        for what in (sde.drift, sde.diffusion):
            here, there = (what(p[:, 0], p[:, 1:]) for p in (points, shifted))
            if np.abs(there - here).max(initial=0.0) > BOX.periodic_rounding * max(
                1.0, float(np.abs(here).max(initial=0.0))
            ):
                name = sde.names[variable - 1]
                raise InputError(
                    f"The {what.__name__} does not have the period {domain.periods[variable]:.10g} in {name}; give the "
                    f"period with all its digits (2 * math.pi, or 2pi on the command line), or leave {name} out of "
                    "`periodic`."
                )
