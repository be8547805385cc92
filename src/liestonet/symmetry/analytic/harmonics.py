"""Which waves of a periodic variable the coefficients couple: a drift with eight periods couples cos x to cos 9x."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from liestonet.core.coefficients import Coefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.symmetry.analytic.tuning import TURN


def harmonics_of(source: Coefficients, domain: Domain) -> Mapping[int, int]:
    """The step in frequency between waves that the coefficients couple: the common divisor of their own frequencies."""
    found = {}
    for variable in domain.periodic:
        points = np.repeat(lattice_cloud(domain, TURN.circles, shift=0.317).points, TURN.samples, axis=0)
        low, period = domain.intervals[variable][0], domain.periods[variable]
        points[:, variable] = low + period * np.tile(np.arange(TURN.samples) / TURN.samples, TURN.circles)
        jet = source.jet(points[:, 0], points[:, 1:], JetOrder(drift=0, diffusion=0, diffusion_squared=0))
        divisor = 0
        for part in (jet.drift, jet.diffusion, jet.diffusion_squared):
            if () in part:
                waves = np.abs(np.fft.rfft(part[()].reshape(TURN.circles, TURN.samples, -1), axis=1))
                largest = waves.max(axis=(0, 2))
                present = largest > TURN.absent * max(float(largest.max()), np.finfo(float).tiny)
                divisor = int(np.gcd.reduce(np.append(np.flatnonzero(present[1:]) + 1, divisor)))
        found[variable] = divisor
    return found
