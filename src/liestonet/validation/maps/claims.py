"""Claims about the law of data: residuals with intervals, and p-values whose null laws share one set of recordings.

Bartlett's correction (docs/method.md §7.2) needs the mean deviance where a claim holds. Recordings are drawn from the
fit, and the fit's own residual in the equations of a claim is subtracted from that of each recording: the difference is
the noise in the claim's deviance. So the p-value of a claim does not depend on the claims that are tested with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from liestonet.core.points import PointCloud
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.surrogate.least_squares import without_prior
from liestonet.surrogate.spectral_fit import fit_again
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories import Trajectories
from liestonet.validation.bartlett import NullLaw, mean_ratio, too_few
from liestonet.validation.intervals import interval, with_own_bias
from liestonet.validation.maps.map_residuals import MapResiduals
from liestonet.validation.null_model import stream_of
from liestonet.validation.simulated import design_of, draw_paths
from liestonet.validation.tuning import RATIO

# Deviances of a claim with their degrees of freedom: of smooth functions, and of all others.
Costs = Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim about the law: how its residuals are computed, where they are measured, and imposed on a fit."""

    text: str
    put: Callable[[Surrogate, PointCloud], MapResiduals]
    measured: PointCloud
    imposed: Callable[[Surrogate], PointCloud]

    def costs(self, surrogate: Surrogate) -> Costs:
        """Deviances of imposing the claim on an unshrunk fit; where errors are incomplete, those of the residual.

        The unshrunk fit is taken to first order around the shrunk one.
        """
        if not surrogate.errors.complete:
            return self.put(surrogate, self.measured).under(surrogate.errors).split_deviances()
        free, put = without_prior(surrogate), self.put(surrogate, self.imposed(surrogate))
        return put.moved(free.parameters - surrogate.parameters).under(free.errors).split_deviances()

    def drawn_costs(self, again: Surrogate, model: Surrogate) -> Costs:
        """The same for a recording drawn from a model: of the difference of the two, which is noise."""
        free, put = without_prior(again), self.put(again, self.imposed(again))
        return put.changes(free.parameters - model.parameters).under(free.errors).split_deviances()


@dataclass(frozen=True)
class Judged:
    """A claim on data: the residual with its interval and the p-value.

    Where all errors are known there are the deviances and the null laws that the p-value comes from.
    """

    residual: float
    lower: float
    upper: float
    p_value: float
    costs: Costs = ()
    laws: Sequence[NullLaw] = (NullLaw(), NullLaw())


def judge(
    claims: Sequence[Claim], data: Trajectories, surrogate: Surrogate, error_rate: float, say: Progress
) -> list[Judged]:
    """Test each of the claims; in many dimensions, where errors are a sample, by its residual alone."""
    found = [_measured(claim, surrogate, 1 - error_rate) for claim in claims]
    if not surrogate.errors.complete:
        return found
    observed = [claim.costs(surrogate) for claim in claims]
    laws = shared_laws(claims, observed, data, surrogate, say)
    return [
        replace(
            each,
            p_value=joined([law.p_value(*cost) for law, cost in zip(own, costs, strict=True)], costs),
            costs=costs,
            laws=own,
        )
        for each, costs, own in zip(found, observed, laws, strict=True)
    ]


def _measured(claim: Claim, surrogate: Surrogate, confidence: float) -> Judged:
    """The residual over all that the data cover: with cautious errors, and with the estimate's own bias."""
    put = claim.put(surrogate, claim.measured)
    cautious = own = put.under(surrogate.errors).evidence()
    if surrogate.errors.complete:
        own = put.under(with_own_bias(surrogate).errors).evidence()
    p_value = 1.0 if surrogate.errors.complete else cautious.p_value()
    return Judged(cautious.residual(0), *interval(cautious, own, 0, confidence), p_value)


def joined(p_values: Sequence[float], costs: Sequence[tuple[float, float | int]]) -> float:
    """One p-value from several independent tests, each with its deviance: that of the smallest (Šidák).

    Tests without degrees of freedom are ignored.
    """
    made = [p_value for p_value, (_, dof) in zip(p_values, costs, strict=True) if dof > 0]
    least = min(made, default=1.0)
    return 1.0 if least >= 1 else float(-np.expm1(len(made) * np.log1p(-least)))


def shared_laws(
    claims: Sequence[Claim], observed: Sequence[Costs], data: Trajectories, surrogate: Surrogate, say: Progress
) -> list[list[NullLaw]]:
    """For every claim the laws of its observed deviances; a plain χ² where no correction is needed or possible."""
    laws = [[NullLaw()] * len(costs) for costs in observed]
    if not surrogate.noisy.all():
        return laws
    design, part = design_of(data)
    doubtful = [k for k, costs in enumerate(observed) if all(NullLaw().p_value(*c) > RATIO.hopeless for c in costs)]
    if part < RATIO.least_part or not doubtful:
        return laws
    say("drawing recordings for the null law")
    ratios: dict[int, list[list[float]]] = {k: [] for k in doubtful}
    recordings = draw_paths(surrogate, design, RATIO.most_drawn, stream_of(data, "maps"))
    for recording in recordings:
        try:
            again = fit_again(surrogate, recording)
        except InputError:  # it left the box, as the data did not
            continue
        for k in doubtful:
            costs = claims[k].drawn_costs(again, surrogate)
            ratios[k].append([deviance / dof if dof else 1.0 for deviance, dof in costs])
    for k in doubtful:
        laws[k] = _laws(ratios[k], observed[k], part)
    return laws


def _laws(ratios: list[list[float]], observed: Costs, part: float) -> list[NullLaw]:
    usable = [row for row in ratios if len(row) == len(observed)]
    if len(usable) < RATIO.least_fitted * RATIO.most_drawn:
        return [NullLaw(note=too_few(len(usable), RATIO.most_drawn))] * len(observed)
    means = [mean_ratio(column, dof) for column, (_, dof) in zip(np.transpose(usable), observed, strict=True)]
    return [NullLaw.of_part(1 + part * (mean - 1), len(usable) / part**2) for mean in means]
