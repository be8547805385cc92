"""How fine a force may be and still escape the data: the assumption under which residuals have their intervals.

No test can exclude a force that is weak and fine enough, but it can change a residual by any amount, because
derivatives of the drift enter it. Drift and diffusion are therefore taken as smooth, and what is finer than the length
given here is excluded by that alone. See docs/method.md §5.10.
"""

from __future__ import annotations

import numpy as np

from liestonet.inference.tuning import ADEQUACY
from liestonet.surrogate.surrogate import Surrogate


def resolution(surrogate: Surrogate, tolerance: float) -> dict[str, float]:
    """For each noisy coordinate the longest wave of a force that may escape and change a residual by the tolerance."""
    overview, domain = surrogate.overview, surrogate.domain
    rows = np.linspace(0, len(overview.sample.dt) - 1, min(ADEQUACY.looked_at, len(overview.sample.dt))).astype(int)
    points, step = overview.points[rows], float(np.mean(overview.sample.dt))
    variances = np.mean(np.diagonal(surrogate.diffusion_squared(points[:, 0], points[:, 1:]), axis1=1, axis2=2), axis=0)
    result = {}
    for name, variance, noisy in zip(surrogate.names, variances.tolist(), surrogate.noisy.tolist(), strict=True):
        if noisy:
            # the wave number k at which k · (what escapes) is √2 · tolerance / T; a step averages over waves
            sure = overview.inside * step / (2 * variance)
            bound = np.sqrt(2 * sure) * tolerance / (ADEQUACY.escapes * domain.half[0])
            spread = variance * step
            square = 2 * (np.sqrt(1 + bound**2 * spread) - 1) / spread
            result[name] = float(2 * np.pi / np.sqrt(square))
    return result
