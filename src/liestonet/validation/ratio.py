"""The likelihood ratio of any claim that is affine in the coefficients: its deviance and its null law.

The claim is a function that puts coefficients into equations on a cloud of points (`PutIn`). The deviance of imposing
them is compared with that of data drawn where they hold (docs/method.md §7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from liestonet.core.points import PointCloud
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.trajectories import Trajectories
from liestonet.validation.bartlett import Costs, NullLaw, PutIn, null_laws, safely_noisy, unshrunk_residuals
from liestonet.validation.intervals import interval, with_own_bias
from liestonet.validation.tuning import RATIO


@dataclass(frozen=True)
class Clouds:
    """The points where residuals are measured, and the choice of points at which a claim is imposed on a fit."""

    measured: PointCloud
    imposed: Callable[[Surrogate], PointCloud]


@dataclass(frozen=True)
class Ratio:
    """Evidence on the residuals, deviances of imposing the claim with degrees of freedom, and their null laws.

    `own` is the evidence with the estimate's own bias in place of everything that a prior may hide.
    """

    evidence: Evidence
    own: Evidence
    costs: Sequence[tuple[float, float | int]]
    laws: Sequence[NullLaw]

    def p_values(self) -> list[float]:
        """The p-value of each deviance."""
        return [law.p_value(*cost) for law, cost in zip(self.laws, self.costs, strict=True)]

    def interval(self, k: int, confidence: float) -> tuple[float, float]:
        """Ends of the interval of one residual, wrong together with probability 1 − confidence."""
        return interval(self.evidence, self.own, k, confidence)


def likelihood_ratio(
    put: PutIn,
    put_claim: PutIn,
    data: Trajectories,
    surrogate: Surrogate,
    clouds: Clouds,
    costs: Costs | None = None,
) -> Ratio:
    """The ratio for a claim; `put` gives the residuals to measure, `put_claim` those to impose, often the same.

    `costs` says which deviances are tested; without it, all together and those of every row.
    """
    costs = Costs() if costs is None else costs
    measured = put(surrogate, clouds.measured)
    evidence = measured.evidence()
    if not surrogate.errors.complete:  # in many dimensions there is only a sample of the errors
        paid = costs.of(measured)
        return Ratio(evidence, evidence, paid, [NullLaw()] * len(paid))
    own = put(with_own_bias(surrogate), clouds.measured).evidence()
    paid = costs.of(unshrunk_residuals(put_claim, surrogate, clouds.imposed(surrogate)))
    claimed = put_claim(surrogate, clouds.measured).evidence()
    laws = null_laws(paid, data, surrogate, claimed, put_claim, clouds.imposed, costs)
    return Ratio(evidence, own, paid, laws)


def data_cloud(surrogate: Surrogate) -> PointCloud:
    """Points spread evenly over the data, where the diffusion is safely positive."""
    points = surrogate.overview.points
    points = points[np.linspace(0, len(points) - 1, min(RATIO.imposed_points, len(points))).astype(int)]
    return safely_noisy(surrogate, points)
