"""Is this map a symmetry of the law of my data? A likelihood ratio, as for generators (docs/method.md §14.3).

The equations of a map are affine in drift and diffusion, so imposing them is a linear restriction of the estimated
coefficients. Points whose images the data have not visited carry no information and are left out; if these are most of
the points, the test is refused. A randomisation check, exact where the design allows it, is reported beside the ratio.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.flags import Flag
from liestonet.core.p_values import p_clause
from liestonet.core.points import PointCloud
from liestonet.core.progress import Progress, silent
from liestonet.diagnostics.report import data_flags
from liestonet.errors import InputError
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import LAW
from liestonet.symmetry.statistical.search import mixed_cloud
from liestonet.symmetry.statistical.verdicts import Criteria, verdict_of
from liestonet.trajectories import Trajectories
from liestonet.trajectories.clock import RESTART
from liestonet.trajectories.measurement import marked
from liestonet.trajectories.velocities import require_state
from liestonet.validation.bartlett import NullLaw, safely_noisy, unshrunk_residuals
from liestonet.validation.clocked import Clocked, on_clock
from liestonet.validation.formulas import Formulas
from liestonet.validation.generator_residuals import GivenResiduals, put_in
from liestonet.validation.lack_of_fit import DOUBTFUL
from liestonet.validation.maps.claims import Claim, judge
from liestonet.validation.maps.map_input import read_map
from liestonet.validation.maps.map_residuals import MapResiduals, map_rows
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.maps.randomisation import Randomisation, randomised
from liestonet.validation.maps.visited import Visited
from liestonet.validation.ratio import data_cloud
from liestonet.validation.tuning import MAPS, RATIO
from liestonet.validation.written import deviance_text, map_verdict, percent, percent_range


def without_date(p_value: float) -> str:
    """The note that the law was assumed not to depend on time, with the p-value of that test."""
    return f"Assumed: the law does not depend on time (not rejected, {p_clause(p_value)})."


@dataclass(frozen=True)
class MapTest:
    """The result of testing a map as a symmetry of the law of data.

    `residual` is the part of drift and diffusion that the map changes, relative to their size; its interval misses the
    truth with `error_rate`. `deviance` is twice the log likelihood lost by imposing the map, `dof` the number of
    conditions, `expected` the mean deviance if it is exact. `p_value` is the probability of at least this deviance in
    that case: it combines two independent tests, one in the few smooth functions and one in all others. `verdict` is as
    on the ladder. `visited` is the part of the data whose images the data have visited; the rest is not tested.
    `randomisation` is a check that needs no model, where the design allows it. `doubts` are problems with the data;
    with any, all else is conditional. `uncorrected` says why the null law is χ² where it should be corrected.
    `autonomous` is the p-value for a law that does not depend on time, where that was not rejected and was assumed.
    """

    map: str
    p_value: float
    deviance: float
    dof: float
    residual: float
    lower: float
    upper: float
    verdict: str
    increments: int
    visited: float
    expected: float
    error_rate: float = Criteria().error_rate
    randomisation: Randomisation | None = None
    doubts: tuple[Flag, ...] = ()
    uncorrected: str | None = None
    autonomous: float | None = None
    symmetry: str = "law"

    @property
    def rejected(self) -> bool:
        """Whether the test rejects that the map is an exact symmetry."""
        return self.p_value <= self.error_rate

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """The outcome in words, the verdict first."""
        doubt = self.doubts[0].code if self.doubts else ""
        start = f"Provided that the data are a diffusion, which is in doubt ({doubt}): the" if doubt else "The"
        said = "rejects" if self.rejected else "does not reject"
        costs = deviance_text(self.deviance, self.dof, self.expected)
        confidence = f"{100 * (1 - self.error_rate):g} %"
        lines = [
            f"{start} likelihood-ratio test {said} {self.map} as a symmetry of the law "
            f"({p_clause(self.p_value)}; {costs}; {self.increments:,} increments).",
            f"{self.map}: {map_verdict(self.verdict)}; residual {percent(self.residual)}, {confidence} "
            f"interval {percent_range(self.lower, self.upper)}.",
        ]
        if self.visited < MAPS.nearly_all:
            lines.append(
                f"{100 * self.visited:.0f} % of the points have an image where there are data; only these are used."
            )
        notes = [self.uncorrected] if self.uncorrected else []
        if self.autonomous is not None:
            notes.append(without_date(self.autonomous))
        notes += [str(self.randomisation)] if self.randomisation is not None else []
        return [*lines, *notes, *(flag.message for flag in self.doubts)]


def map_on_data(
    data: Trajectories,
    given: Any,
    *,
    seed: Any = 0,
    measurement: Any = None,
    clock: Any = "auto",
    error_rate: float = Criteria().error_rate,
    tolerance: float = Criteria().tolerance,
    progress: Progress | None = None,
) -> MapTest:
    """The likelihood-ratio test of a map on data."""
    say = progress or silent
    prepared = prepare(data, measurement, clock, say)
    made = read_map(given, prepared.surrogate.names, prepared.surrogate.domain)
    prepared = prepared if moves_time(made, prepared.surrogate) else without_time(prepared)
    outcome = judged(prepared, made, Criteria(tolerance, error_rate), say)
    check = randomised(prepared.recorded, made, prepared.surrogate, seed)
    return replace(outcome, randomisation=check)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data prepared for tests of maps: on their clock, fitted once, with the places that they visited."""

    recorded: Trajectories
    clocked: Clocked
    tried: Trajectories
    surrogate: Surrogate
    visited: Visited
    doubts: tuple[Flag, ...]
    autonomous: float | None = None

    @cached_property
    def cloud(self) -> Float[np.ndarray, "b v"]:
        """The visited points, over the box and over the data, at which residuals are measured."""
        points = mixed_cloud(self.surrogate.domain, self.surrogate.overview.points, RATIO.measured_points).points
        return points[self.visited(points)]


def moves_time(made: PointMap, surrogate: Surrogate) -> bool:
    """Whether a map changes times, or depends on time."""
    points = surrogate.overview.points[: MAPS.checked_points]
    jet, half = made.jet(points), surrogate.domain.half
    later = np.abs(jet.images[:, 0] - points[:, 0]).max() > MAPS.same_place * half[0]
    return bool(later or np.abs(jet.drift * half[0] / half[1:]).max() > MAPS.same_place)


def without_time(prepared: Prepared) -> Prepared:
    """The fit with a law that does not depend on time, if a likelihood ratio does not reject that.

    Terms in time would cost most of the power of all other tests; `autonomous` keeps the p-value.
    """
    surrogate = prepared.surrogate
    features = surrogate.drift_estimates[0].features
    if not features.degrees[:, 0].any() or not surrogate.errors.complete:
        return prepared
    import sympy

    names = tuple(sympy.Symbol(name, real=True) for name in ("t", *surrogate.names))
    shift = Formulas(names, ((sympy.Integer(1), *[sympy.Integer(0)] * surrogate.dimension),))

    def put(fit: Surrogate, cloud: PointCloud) -> GivenResiduals:
        return put_in(LAW, fit, shift, cloud, fit.domain)

    cost = unshrunk_residuals(put, surrogate, data_cloud(surrogate)).deviance()
    p_value = NullLaw().p_value(*cost)
    if p_value <= MAPS.autonomous_level:
        return prepared
    plain = fit_spectral(prepared.clocked.source(None), autonomous=True)
    return replace(prepared, surrogate=plain, autonomous=p_value)


def prepare(data: Trajectories, measurement: Any, clock: Any, say: Progress) -> Prepared:
    """Fit data for tests of maps."""
    data = require_state(marked(data, measurement), "This test")
    say("estimating drift and diffusion")
    clocked = on_clock(data, clock, None)
    surrogate = fit_spectral(clocked.source(None))
    visited = Visited.by(surrogate.overview.points, surrogate.domain)
    doubts = (*clocked.doubts(), *(flag for flag in data_flags(surrogate) if flag.code in DOUBTFUL))
    tried = clocked.paths if clocked.restarted else data
    return Prepared(data, clocked, tried, surrogate, visited, doubts)


def judged(prepared: Prepared, made: PointMap, criteria: Criteria, say: Progress = silent) -> MapTest:
    """The test of a map: the deviance of imposing it, its null law, and the size of the residual."""
    claim, part = map_claim(prepared, on_its_clock(prepared, made))
    (found,) = judge([claim], prepared.tried, prepared.surrogate, criteria.error_rate, say)
    costs, rejected = found.costs or claim.costs(prepared.surrogate), found.p_value <= criteria.error_rate
    return MapTest(
        map=claim.text,
        p_value=found.p_value,
        deviance=sum(deviance for deviance, _ in costs),
        dof=sum(dof for _, dof in costs),
        residual=found.residual,
        lower=found.lower,
        upper=found.upper,
        verdict=verdict_of(not rejected, rejected, found.lower, found.upper, criteria.tolerance),
        increments=prepared.surrogate.overview.count,
        visited=part,
        expected=sum(law.mean * dof for law, (_, dof) in zip(found.laws, costs, strict=True)),
        error_rate=criteria.error_rate,
        doubts=prepared.doubts,
        uncorrected=found.laws[0].note,
        autonomous=prepared.autonomous,
    )


def map_claim(prepared: Prepared, made: PointMap) -> tuple[Claim, float]:
    """The claim that a map is a symmetry, and the fraction of the data with visited images, refused if too small."""
    cloud, part = covered(prepared, made)
    first = imposed_cloud(prepared, made, prepared.surrogate)
    if first is None:
        raise InputError(_unvisited(made, part))

    def imposed(fit: Surrogate) -> PointCloud:
        return imposed_cloud(prepared, made, fit) or first

    return Claim(made.text, partial(put_map, made), cloud, imposed), part


def put_map(made: PointMap, surrogate: Surrogate, cloud: PointCloud) -> MapResiduals:
    """The equations of a map on a cloud."""
    return map_rows(made, surrogate, cloud).products()


def on_its_clock(prepared: Prepared, made: PointMap) -> PointMap:
    """The map with times that stay on a clock: fixed where the clock restarts, wrapped where it has a period."""
    clock = prepared.clocked.clock
    if clock.window is None:
        return made
    begin = prepared.surrogate.domain.intervals[0][0]
    return replace(made, source=OnClock(made.source, begin, clock.window, clock.kind == RESTART))


@dataclass(frozen=True)
class OnClock:
    """A map with new times wrapped round a clock; where the clock restarts, the law has no date, and time is fixed."""

    base: Any
    begin: float
    window: float
    restarts: bool

    def components(self, points: np.ndarray, derivatives: Any) -> Any:
        """The components of the map, times wrapped."""
        table = self.base.components(points, derivatives)
        if () in table:
            times = table[()][:, :, 0]
            table[()][:, :, 0] = points[:, 0] if self.restarts else self.begin + np.mod(times - self.begin, self.window)
        return table


def covered(prepared: Prepared, made: PointMap) -> tuple[PointCloud, float]:
    """The measured points that have visited images, and the fraction of the data with such images."""
    points, cloud = prepared.surrogate.overview.points, prepared.cloud
    part = float(np.mean(prepared.visited(made(points[:: max(1, len(points) // MAPS.visited_points)]))))
    kept = prepared.visited(made(cloud))
    if part < MAPS.least_visited or kept.sum() < MAPS.fewest_points:
        raise InputError(_unvisited(made, part))
    return _even(cloud[kept]), part


def _unvisited(made: PointMap, part: float) -> str:
    return (
        f"The map {made.text} leads away from the data: only {100 * part:.0f} % of the images lie where "
        "there are data, "
        f"and {100 * MAPS.least_visited:.0f} % are needed. Give a map between recorded places, or record more."
    )


def _even(points: np.ndarray) -> PointCloud:
    return PointCloud(points, np.full(len(points), 1 / len(points)))


def imposed_cloud(prepared: Prepared, made: PointMap, surrogate: Surrogate) -> PointCloud | None:
    """Points of a fit at which a map is imposed: their images are visited, and both have noise; None if too few."""
    points = surrogate.overview.points
    points = points[np.linspace(0, len(points) - 1, min(4 * RATIO.imposed_points, len(points))).astype(int)]
    points = points[prepared.visited(made(points))]
    if len(points) < MAPS.fewest_points:
        return None
    points = points[np.linspace(0, len(points) - 1, min(RATIO.imposed_points, len(points))).astype(int)]
    points = safely_noisy(surrogate, points).points
    noisy = np.flatnonzero(surrogate.noisy)
    if len(noisy):
        least = [
            np.linalg.eigvalsh(surrogate.diffusion_squared(at[:, 0], at[:, 1:])[:, noisy][:, :, noisy])[:, 0]
            for at in (points, made(points))
        ]
        points = points[least[1] >= RATIO.nearly_zero * np.median(least[0])]
    return _even(points) if len(points) >= MAPS.fewest_points else None
