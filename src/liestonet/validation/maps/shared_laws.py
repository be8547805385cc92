"""Null laws of many claims from one set of drawn recordings.

Bartlett's correction (docs/method.md §7.2) needs the mean deviance where a claim holds. For a single claim recordings
are drawn from the fit with the claim imposed; for many, from the fit itself, and the fit's residual in the equations of
a claim is subtracted from that of each recording: the difference is the noise in the claim's deviance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from liestonet.core.points import PointCloud
from liestonet.core.progress import Progress
from liestonet.core.uncertainty import Errors
from liestonet.errors import InputError
from liestonet.surrogate.spectral_fit import fit_again
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories import Trajectories
from liestonet.validation.bartlett import NullLaw, PutIn, mean_ratio, too_few, unshrunk_residuals
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.null_model import stream_of
from liestonet.validation.simulated import design_of, draw_paths
from liestonet.validation.tuning import DISCRETE, RATIO


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim about the law: how its residuals are computed, and at which points of a fit it is imposed."""

    text: str
    put: PutIn
    imposed: Callable[[Surrogate], PointCloud]

    def costs(self, surrogate: Surrogate) -> list[tuple[float, float]]:
        """Deviances of imposing the claim on an unshrunk fit: for smooth functions, and for the others."""
        return unshrunk_residuals(self.put, surrogate, self.imposed(surrogate)).split_deviances()


def shared_laws(
    claims: Sequence[Claim],
    observed: Sequence[Sequence[tuple[float, float]]],
    data: Trajectories,
    surrogate: Surrogate,
    say: Progress,
) -> list[list[NullLaw]]:
    """For every claim the laws of its observed deviances; a plain χ² where no correction is needed or possible."""
    laws = [[NullLaw()] * len(costs) for costs in observed]
    if not surrogate.errors.complete or not surrogate.noisy.all():
        return laws
    design, part = design_of(data)
    doubtful = [k for k, costs in enumerate(observed) if all(NullLaw().p_value(*c) > DISCRETE.hopeless for c in costs)]
    if part < RATIO.least_part or not doubtful:
        return laws
    say("drawing recordings for the null law")
    plain = without_errors(surrogate)
    ratios: dict[int, list[list[float]]] = {k: [] for k in doubtful}
    recordings = draw_paths(plain, design, RATIO.fewest_drawn, stream_of(data, "maps"))
    for recording in recordings:
        try:
            again = fit_again(surrogate, recording)
        except InputError:  # it left the box, as the data did not
            continue
        for k in doubtful:
            drawn = _recentred(claims[k], again, plain)
            ratios[k].append([deviance / dof if dof else 1.0 for deviance, dof in drawn.split_deviances()])
    for k in doubtful:
        laws[k] = _laws(ratios[k], observed[k], part)
    return laws


def without_errors(surrogate: Surrogate) -> Surrogate:
    """The coefficients as exact values, without errors."""
    count = len(surrogate.parameters)
    return replace(surrogate, errors=Errors(np.zeros((count, 1)), np.zeros((count, 0))))


def _recentred(claim: Claim, again: Surrogate, plain: Surrogate) -> GivenResiduals:
    """The residuals of a drawn recording, less those of the model it was drawn from."""
    cloud = claim.imposed(again)
    found, exact = unshrunk_residuals(claim.put, again, cloud), claim.put(plain, cloud)
    return replace(found, residual=found.residual - exact.residual)


def _laws(ratios: list[list[float]], observed: Sequence[tuple[float, float]], part: float) -> list[NullLaw]:
    usable = [row for row in ratios if len(row) == len(observed)]
    if len(usable) < RATIO.least_fitted * RATIO.fewest_drawn:
        return [NullLaw(note=too_few(len(usable), RATIO.fewest_drawn))] * len(observed)
    means = [mean_ratio(column, dof) for column, (_, dof) in zip(np.transpose(usable), observed, strict=True)]
    return [NullLaw.of_part(1 + part * (mean - 1), len(usable) / part**2) for mean in means]
