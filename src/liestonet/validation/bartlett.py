"""The law of the deviance where generators are exact: not quite χ², as paths depend on their own noise.

Bartlett's correction, with the mean of the deviance over a few recordings, drawn from the fit with the generators
imposed and fitted again like the data (docs/method.md §7.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.core.points import PointCloud
from liestonet.core.uncertainty import Errors
from liestonet.errors import InputError
from liestonet.inference.refit import refit_exactly
from liestonet.inference.tuning import REFIT
from liestonet.surrogate.least_squares import without_prior
from liestonet.surrogate.spectral_fit import fit_again
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.trajectories import Trajectories
from liestonet.validation.generator_residuals import GivenResiduals
from liestonet.validation.null_model import stream_of
from liestonet.validation.simulated import design_of, draw_paths
from liestonet.validation.tuning import RATIO

# Residuals of the generators, and of their errors, for these coefficients on this cloud.
PutIn = Callable[[Surrogate, PointCloud], GivenResiduals]


@dataclass(frozen=True)
class NullLaw:
    """The law of deviance over degrees of freedom where the generators are exact: a χ² scaled to the mean of draws.

    `draws` is the equivalent number of recordings of the data's own size behind the mean; infinite where it is exact.
    `note` says why there is no correction where one was wanted. `freedom` is the fraction of the degrees of freedom
    that scatter: conditions that the data hardly affect add little to the mean and nothing to the scatter.
    """

    mean: float = 1.0
    draws: float = float("inf")
    note: str | None = None
    freedom: float = 1.0

    def p_value(self, deviance: float, dof: float | int) -> float:
        """Probability of a deviance at least this large: an F law, as the mean comes from a few deviances itself."""
        if not dof:
            return 1.0
        if not np.isfinite(self.draws):
            return float(scipy.special.chdtrc(dof, deviance))
        scattered = dof * self.freedom
        return float(scipy.special.fdtrc(scattered, scattered * self.draws, deviance / (dof * self.mean)))

    @classmethod
    def of_part(cls, mean: float, draws: float) -> NullLaw:
        """The law of a part of the conditions: a mean below one is taken as the fraction of conditions that scatter."""
        return cls(mean, draws, freedom=min(mean, 1.0))


@dataclass(frozen=True)
class Costs:
    """The deviances of residuals with their degrees of freedom, and whether they are combined in one p-value."""

    of: Callable[[GivenResiduals], list[tuple[float, float]]] = GivenResiduals.deviances
    joined: bool = False


def null_laws(
    observed: Sequence[tuple[float, float | int]],
    data: Trajectories,
    surrogate: Surrogate,
    evidence: Evidence,
    put_in: PutIn,
    cloud_of: Callable[[Surrogate], PointCloud],
    costs: Costs,
) -> list[NullLaw]:
    """Laws of the observed deviances (with degrees of freedom), which `costs` computes from the residuals.

    If all of them are combined in one p-value, nothing is drawn when a single deviance decides it.
    """
    design, part = design_of(data)
    settled = [NullLaw().p_value(*each) < RATIO.hopeless for each in observed]
    hopeless = any(settled) if costs.joined else all(settled)
    # what a coordinate without noise leaves is no diffusion, and nothing to draw
    if part < RATIO.least_part or hopeless or not surrogate.noisy.all():
        return [NullLaw()] * len(observed)
    wanted = RATIO.drawn_freedom / max(observed[0][1], 1.0)
    null, count = _imposed(surrogate, evidence), int(np.clip(wanted, RATIO.fewest_drawn, RATIO.most_drawn))
    rng = stream_of(data, "likelihood ratio")
    recordings, ratios = draw_paths(null, design, count, rng), []
    for drawn in _drawn(null, surrogate, recordings, put_in, cloud_of, rng):
        ratios.append([deviance / dof if dof else 1.0 for deviance, dof in costs.of(drawn)])
    if len(ratios) < RATIO.least_fitted * count:
        return [NullLaw(note=too_few(len(ratios), count))] * len(observed)
    # what exceeds χ² falls with the size of the data, and so does the error of what is known of it
    means = [mean_ratio(each, dof) for each, (_, dof) in zip(np.transpose(ratios), observed, strict=True)]
    law = NullLaw.of_part if costs.joined else NullLaw
    return [law(1 + part * (mean - 1), len(ratios) / part**2) for mean in means]


def mean_ratio(ratios: Float[np.ndarray, " draws"], dof: float | int) -> float:
    """Mean without draws too large for any χ²: in these the diffusion was estimated as nearly zero."""
    usual = float(np.median(ratios))
    return float(np.mean(ratios[ratios <= usual * (1 + RATIO.far_out * np.sqrt(2 / max(dof, 1.0)))]))


def safely_noisy(surrogate: Surrogate, points: Float[np.ndarray, "b v"]) -> PointCloud:
    """The points without those where the diffusion is estimated as nearly zero."""
    noisy = np.flatnonzero(surrogate.noisy)
    squared = surrogate.diffusion_squared(points[:, 0], points[:, 1:])[:, noisy][:, :, noisy]
    units = np.sqrt(np.median(np.abs(np.diagonal(squared, axis1=1, axis2=2)), axis=0))
    least = np.linalg.eigvalsh(squared / units / units[:, None])[:, 0]
    kept = points[least >= RATIO.nearly_zero * np.median(least)]
    return PointCloud(kept, np.full(len(kept), 1 / len(kept)))


def unshrunk_residuals(put_in: PutIn, surrogate: Surrogate, cloud: PointCloud) -> GivenResiduals:
    """Residuals of the plain least-squares fit, whose only error is noise, to first order around the shrunk fit.

    σ is a root of the diffusion, and the unshrunk one may come near zero where there are few data.
    """
    free = without_prior(surrogate)
    shift = (free.parameters - surrogate.parameters)[:, None]
    errors = Errors(np.concatenate([free.errors.scatter, shift], axis=1), free.errors.prior)
    found = put_in(replace(surrogate, errors=errors), cloud)
    place = free.errors.scatter.shape[1]
    residual = found.residual + found.changes[:, :, place]
    return replace(found, residual=residual, changes=np.delete(found.changes, place, axis=2), scattered=place)


def too_few(fitted: int, count: int) -> str:
    return (
        f"The p-value is asymptotic (χ²): of {count} recordings simulated from the fit only {fitted} stay in the box "
        "long enough to be fitted, too few for Bartlett's correction; record more paths."
    )


def _imposed(surrogate: Surrogate, evidence: Evidence) -> Surrogate:
    """The fit with generators imposed up to their own errors, without errors of its own, as the truth to draw from.

    Residuals of second order in the errors are left: removing them would need coefficients far away.
    """
    errors = surrogate.errors
    turns = np.zeros((len(errors.prior), evidence.noise.shape[1] - errors.root.shape[1]))  # change no coefficient
    padded = replace(errors, prior=np.concatenate([errors.prior, turns], axis=1))
    noise = evidence.noise.sum(axis=0)
    neglected = evidence.second_order() / len(noise) / max(float(np.linalg.eigvalsh(noise)[-1]), np.finfo(float).tiny)
    exact = refit_exactly(replace(surrogate, errors=padded), evidence, max(neglected, REFIT.exact_slack))
    return replace(exact, errors=Errors(np.zeros((len(turns), 1)), np.zeros((len(turns), 0))))


def _drawn(
    null: Surrogate,
    surrogate: Surrogate,
    recordings: Sequence[Trajectories],
    put_in: PutIn,
    cloud_of: Callable[[Surrogate], PointCloud],
    rng: np.random.Generator,
) -> Iterator[GivenResiduals]:
    """Residuals in drawn recordings, less those of the model itself; errors of the generators are drawn as well."""
    for recording in recordings:
        try:
            again = fit_again(surrogate, recording)
        except InputError:  # it left the box, as the data did not
            continue
        cloud = safely_noisy(null, cloud_of(again).points)
        found, exact = unshrunk_residuals(put_in, again, cloud), put_in(null, cloud)
        turned = found.changes[:, :, found.scattered :]
        turns = turned @ rng.standard_normal(turned.shape[2])
        yield replace(found, residual=found.residual - exact.residual + turns)
