"""Does the law of the data survive a finite push? Standardised Euler–Maruyama residuals before and after.

For a symmetry, z̃ = (ã Δt̃)^{−½}(Δx̃ − f̃ Δt̃) at the pushed points has the law that z had before. The change is
measured by ΔNLL, a Kolmogorov–Smirnov and an energy distance, compared with random pushes of equal displacement, and
tested by a parametric bootstrap under the model in which the generator is exact. Of long recordings a random part of
the increments is pushed, at most `PUSH.most_increments` (docs/method.md §8.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.stats
from jaxtyping import Bool, Float

from liestonet.core.domain import Domain
from liestonet.core.generators import GeneratorFunction, Generators
from liestonet.errors import InputError
from liestonet.pipeline.discover import fit
from liestonet.surrogate.overview import inside_domain
from liestonet.surrogate.spectral_fit import fit_again
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, LAW, Kind
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories import Trajectories
from liestonet.trajectories.increments import Increments
from liestonet.validation.flows import Reach, flow, one_generator
from liestonet.validation.generator_input import read_generators
from liestonet.validation.null_model import as_pairs, draw, null_model, stream
from liestonet.validation.tuning import PUSH


@runtime_checkable
class Standard(Protocol):
    """Drift and diffusion by which steps are standardised, on a box; `noisy` says which coordinates have noise."""

    @property
    def domain(self) -> Domain: ...

    @property
    def noisy(self) -> Bool[np.ndarray, " n"]: ...

    def drift(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "b n"]: ...

    def diffusion_squared(
        self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"]
    ) -> Float[np.ndarray, "b n n"]: ...


STATISTICS = ("delta_nll", "kolmogorov_smirnov", "energy")


@dataclass(frozen=True)
class InvarianceRow:
    """One generator pushed by one ε.

    `delta_nll` is NLL after minus before, per increment, `control` the same of random pushes of equal displacement,
    `floor` its median size over the bootstrap draws, for which the generator is exact. The p-values are of |ΔNLL|, the
    Kolmogorov–Smirnov and the energy distance, `p_value` of the three together; not-a-number where too little of the
    data stays in the box. `used` is the number of increments that stayed, `blew_up` that of points whose flow blew up,
    `draws` that of bootstrap samples.
    """

    generator: int
    epsilon: float
    delta_nll: float
    control: tuple[float, ...]
    kolmogorov_smirnov: float
    energy: float
    p_delta_nll: float
    p_kolmogorov_smirnov: float
    p_energy: float
    displacement: float
    used: int
    blew_up: int
    p_value: float = float("nan")
    draws: int = 0
    floor: float = float("nan")


@dataclass(frozen=True)
class Invariance:
    """All generators and ε, and for each generator the interval in which the largest ε not rejected lies.

    `p_values` has one for each generator, of all its pushes together; `increments` is the number of pushed increments.
    `level` is that of the test of a single push, which gave `largest`.
    """

    rows: tuple[InvarianceRow, ...]
    largest: tuple[tuple[float, float], ...]
    draws: int
    p_values: tuple[float, ...] = ()
    increments: int = 0
    level: float = Criteria().error_rate


def invariance(
    data: Trajectories,
    generators: object,
    epsilons: Sequence[float] = PUSH.epsilons,
    *,
    kind: Kind = LAW,
    surrogate: Surrogate | None = None,
    draws: int | None = None,
    seed: int = 0,
    error_rate: float = Criteria().error_rate,
    progress: Callable[[str], None] | None = None,
) -> Invariance:
    """Push the data's increments along every generator and compare residuals before and after.

    `error_rate` is the level at which a push is rejected. `draws` is the largest number of bootstrap samples for each
    generator; without one, enough to reject any of them at the error rate of all together.
    """
    say = progress or (lambda message: None)
    amounts = sorted(float(epsilon) for epsilon in epsilons)
    fitted = fit(data, clock="recorded") if surrogate is None else surrogate
    given = read_generators(generators, fitted.names, fitted.domain)
    begin = some_increments(data, fitted.domain, stream(seed, "increments"))
    most = _usual_draws(given.count, error_rate) if draws is None else draws
    pushes, families = _Pushes(_own_fit(fitted, begin), begin, amounts, kind, most), []
    for k in range(given.count):
        say(f"pushing along generator {k + 1} of {given.count}")
        families.append(_pushed(pushes, given, k, stream(seed, f"generator {k}")))
    rows = tuple(row for family in families for row in family[0])
    largest = tuple(_largest(family[0], error_rate) for family in families)
    return Invariance(rows, largest, most, tuple(family[1] for family in families), len(begin.t), error_rate)


def fewest_draws(level: float) -> int:
    """The number of bootstrap samples with which a p-value, at least 1/(number + 1), can be as small as a level."""
    ranks = math.floor(1 / level)
    while 1 / ranks > level:
        ranks += 1
    return ranks - 1


def _usual_draws(count: int, error_rate: float) -> int:
    """Enough draws for the p-value of each of `count` generators to fall to its share of an error rate."""
    return max(PUSH.draws, fewest_draws(min(error_rate, Criteria().error_rate) / max(count, 1)))


def _own_fit(surrogate: Surrogate, begin: Increments) -> Surrogate:
    """A fit to the increments alone, keeping which coordinates have noise: single increments do not show that."""
    pairs = as_pairs(begin, surrogate.names, surrogate.domain)
    return fit(pairs, clock="recorded") if surrogate.noisy.all() else fit_again(surrogate, pairs)


def some_increments(data: Trajectories, domain: Domain, rng: np.random.Generator) -> Increments:
    """Increments that begin inside a domain, a random part of them if there are many."""
    block = data.increments()
    rows = np.flatnonzero(inside_domain(domain, block))
    if len(rows) < PUSH.least_increments:
        raise InputError(
            f"Only {len(rows)} increments begin inside the box of the result; at least {PUSH.least_increments} are "
            "needed."
        )
    if len(rows) > PUSH.most_increments:
        rows = np.sort(rng.choice(rows, PUSH.most_increments, replace=False))
    return Increments(*(array[rows] for array in block))


@dataclass(frozen=True)
class _Pushes:
    """Shared by all generators: the fit to the increments, the increments, the pushes, and the number of draws."""

    own: Surrogate
    begin: Increments
    epsilons: Sequence[float]
    kind: Kind
    draws: int


def _pushed(pushes: _Pushes, given: Generators, k: int, rng: np.random.Generator) -> tuple[list[InvarianceRow], float]:
    """Push along one generator by every ε, and compute the p-value of all pushes together."""
    own, begin, epsilons = pushes.own, pushes.begin, pushes.epsilons
    alone = one_generator(given, k)
    starts = trail(alone, begin.t, begin.x, epsilons, own.domain)
    observed = _compared(own, alone, starts, begin, epsilons)
    model = null_model(LAW if pushes.kind is FOKKER_PLANCK else pushes.kind, own, _One(given, k))

    def replica() -> list[Comparison]:
        drawn = draw(model, begin, own.names, rng)
        return _compared(fit_again(own, drawn), alone, starts, drawn.increments(), epsilons)

    replicas = [replica() for _ in range(min(pushes.draws, PUSH.first_draws))]
    if not together(observed, replicas) > PUSH.clear:
        replicas += [replica() for _ in range(pushes.draws - len(replicas))]
    rows = []
    for position, (epsilon, seen) in enumerate(zip(epsilons, observed, strict=True)):
        drawn = [replica[position] for replica in replicas]
        controls = control_pushes(own, begin, seen.displacement, rng)
        rows.append(
            InvarianceRow(
                generator=k,
                epsilon=epsilon,
                delta_nll=seen.delta_nll,
                control=tuple(_compared(own, field, None, begin, (1.0,))[0].delta_nll for field in controls),
                kolmogorov_smirnov=seen.kolmogorov_smirnov,
                energy=seen.energy,
                p_delta_nll=_rank(seen, drawn, "delta_nll"),
                p_kolmogorov_smirnov=_rank(seen, drawn, "kolmogorov_smirnov"),
                p_energy=_rank(seen, drawn, "energy"),
                displacement=seen.displacement,
                used=seen.used,
                blew_up=seen.blew_up,
                p_value=together([seen], [[one] for one in drawn]),
                draws=len(drawn),
                floor=float(np.nanmedian([abs(one.delta_nll) for one in drawn])) if drawn else UNKNOWN,
            )
        )
    return rows, together(observed, replicas)


def together(observed: Sequence[Comparison], replicas: Sequence[Sequence[Comparison]]) -> float:
    """P-value of several pushes and all statistics together, the rank of the data among the draws.

    Every statistic is measured in its own standard deviations over data and draws together, and the largest counts.
    Data and draws are treated alike, so the rank is exact however the statistics depend on each other.
    """
    table = np.abs([[[getattr(c, name) for name in STATISTICS] for c in each] for each in (observed, *replicas)])
    table = table.reshape(len(table), -1)
    table = table[:, np.isfinite(table[0])]
    if not table.shape[1]:
        return UNKNOWN
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = (table - np.nanmean(table, axis=0)) / np.maximum(np.nanstd(table, axis=0), np.finfo(float).tiny)
    worst = np.where(np.isnan(sizes), np.inf, sizes).max(axis=1)  # a draw that failed counts against rejecting
    return float(np.mean(worst >= worst[0]))


def _compared(
    fitted: Surrogate,
    alone: GeneratorFunction,
    starts: Sequence[PushedPlaces] | None,
    steps: Increments,
    epsilons: Sequence[float],
) -> list[Comparison]:
    """Residuals before and after each push; `starts` where the increments' first points have been pushed already."""
    first = trail(alone, steps.t, steps.x, epsilons, fitted.domain) if starts is None else starts
    last = trail(alone, steps.t + steps.dt, steps.x + steps.dx, epsilons, fitted.domain)
    return [compare(fitted, steps, start, end) for start, end in zip(first, last, strict=True)]


@dataclass(frozen=True)
class _One:
    """One generator out of several, with derivatives."""

    base: Generators
    k: int

    @property
    def count(self) -> int:
        return 1

    @property
    def has_beta(self) -> bool:
        return self.base.has_beta

    def __call__(self, t: Any, x: Any) -> tuple[np.ndarray, ...]:
        return tuple(part[self.k : self.k + 1] for part in self.base(t, x))

    def components(self, points: Any, derivatives: Any) -> dict[Any, np.ndarray]:
        """Derivatives of all components."""
        table = self.base.components(points, derivatives)
        return {derivative: values[self.k : self.k + 1] for derivative, values in table.items()}


@dataclass(frozen=True)
class Comparison:
    """Residuals before and after one push."""

    delta_nll: float
    kolmogorov_smirnov: float
    energy: float
    displacement: float
    used: int
    blew_up: int


UNKNOWN = float("nan")


@dataclass(frozen=True)
class PushedPlaces:
    """Where points are after a push; not-a-number where they did not arrive."""

    t: Float[np.ndarray, " b"]
    x: Float[np.ndarray, "b n"]

    @property
    def arrived(self) -> Bool[np.ndarray, " b"]:
        return np.isfinite(self.t)


def trail(
    generator: GeneratorFunction,
    t: Float[np.ndarray, " b"],
    x: Float[np.ndarray, "b n"],
    epsilons: Sequence[float],
    domain: Domain,
) -> list[PushedPlaces]:
    """Where points are after every ε, each flow continuing the one before; points far outside are lost."""
    places, here, before = [], PushedPlaces(t, x), 0.0
    reach = Reach(domain, PUSH.margin, PUSH.tolerance)
    for epsilon in epsilons:
        alive = here.arrived
        next_t, next_x = np.full_like(t, np.nan), np.full_like(x, np.nan)
        if alive.any():
            moved = flow(generator, here.t[alive], here.x[alive], epsilon - before, reach=reach)
            next_t[alive], next_x[alive] = moved.t, moved.x
        here, before = PushedPlaces(next_t, next_x), epsilon
        places.append(here)
    return places


def compare(surrogate: Standard, steps: Increments, start: PushedPlaces, end: PushedPlaces) -> Comparison:
    """ΔNLL and distances of the residuals of the same increments, before and after a push of both their ends."""
    before, known = standardised(surrogate, steps)
    moved, usable = moved_steps(steps, start, end, surrogate.domain)
    after, positive = standardised(surrogate, moved)
    used, blew_up = known & usable & positive, int(np.count_nonzero(~start.arrived))
    displacement = mean_displacement(steps, start, surrogate.domain)
    if np.count_nonzero(used) < PUSH.least_increments:
        return Comparison(UNKNOWN, UNKNOWN, UNKNOWN, displacement, int(np.count_nonzero(used)), blew_up)
    z, pushed = before[used], after[used]
    change = 0.5 * (np.sum(pushed**2, axis=1) - np.sum(z**2, axis=1))
    columns = list(zip(pushed.T, z.T, strict=True))
    return Comparison(
        float(np.mean(change)),
        max(_largest_gap(a, b) for a, b in columns),
        float(sum(scipy.stats.energy_distance(a, b) for a, b in columns)),
        displacement,
        int(np.count_nonzero(used)),
        blew_up,
    )


def _largest_gap(first: Float[np.ndarray, " b"], second: Float[np.ndarray, " b"]) -> float:
    """Kolmogorov–Smirnov distance of two samples of one size."""
    pooled = np.concatenate([first, second])
    counts = [np.searchsorted(np.sort(sample), pooled, side="right") for sample in (first, second)]
    return float(np.max(np.abs(counts[0] - counts[1])) / len(first))


def moved_steps(
    steps: Increments, start: PushedPlaces, end: PushedPlaces, domain: Domain
) -> tuple[Increments, Bool[np.ndarray, " b"]]:
    """The pushed increments, and which of them exist and still begin in the domain."""
    with np.errstate(invalid="ignore"):
        exist = start.arrived & end.arrived & (end.t > start.t)
    t, dt = np.where(exist, start.t, domain.centre[0]), np.where(exist, end.t - start.t, 1.0)
    x = np.where(exist[:, None], start.x, domain.centre[1:])
    dx = np.where(exist[:, None], end.x - start.x, 0.0)
    low, high = domain.intervals[0]
    moved = Increments(t, x, dt, dx, steps.trajectory)
    inside = exist & inside_domain(domain, moved) & (t >= low) & (t <= high)
    # what is not used is put where the coefficients are known
    t, x = np.where(inside, t, domain.centre[0]), np.where(inside[:, None], x, domain.centre[1:])
    return Increments(t, x, dt, dx, steps.trajectory), inside


def mean_displacement(steps: Increments, start: PushedPlaces, domain: Domain) -> float:
    """Root mean square displacement of the first points, in units of the box."""
    if not start.arrived.any():
        return UNKNOWN
    way = np.column_stack([(start.t - steps.t) / domain.half[0], (start.x - steps.x) / domain.half[1:]])
    return float(np.sqrt(np.mean(np.sum(way[start.arrived] ** 2, axis=1))))


def standardised(surrogate: Standard, steps: Increments) -> tuple[Float[np.ndarray, "b r"], Bool[np.ndarray, " b"]]:
    """Residuals of the noisy coordinates in units of the noise, and where the noise is known to be positive."""
    noisy = np.flatnonzero(surrogate.noisy)
    rest = (steps.dx - surrogate.drift(steps.t, steps.x) * steps.dt[:, None])[:, noisy]
    a = surrogate.diffusion_squared(steps.t, steps.x)[:, noisy][:, :, noisy]
    values, vectors = np.linalg.eigh(a)
    good = values[:, 0] > PUSH.positive * np.median(values[:, -1])
    root = np.sqrt(np.where(good[:, None], values, 1.0) * steps.dt[:, None])
    # the symmetric root: components stay near their own coordinates
    turned = np.einsum("bij,bi->bj", vectors, rest) / root
    return np.einsum("bij,bj->bi", vectors, turned), good


def control_pushes(
    surrogate: Standard, steps: Increments, displacement: float, rng: np.random.Generator
) -> list[GeneratorFunction]:
    """Random smooth fields whose flow by 1 moves the data as far as a given push did."""
    if not np.isfinite(displacement) or displacement <= 0:
        return []
    fields = []
    part = Increments(*(array[:: max(1, len(steps.t) // 500)] for array in steps))
    for _ in range(PUSH.controls):
        field = random_field(surrogate.domain, rng)
        size = displacement
        for _ in range(3):
            moved = trail(_scaled(field, size), part.t, part.x, (1.0,), surrogate.domain)[0]
            reached = mean_displacement(part, moved, surrogate.domain)
            size *= displacement / reached if np.isfinite(reached) and reached > 0 else 0.5
        fields.append(_scaled(field, size))
    return fields


def random_field(domain: Domain, rng: np.random.Generator) -> GeneratorFunction:
    """τ and ξ as random quadratic functions in units of the box, of unit mean square on it."""
    n = domain.dimension
    first, second = rng.standard_normal(3), rng.standard_normal((n, 1 + 2 * (n + 1)))
    size = np.sqrt(
        np.sum(first**2 / np.array([1, 3, 5])) + np.sum(second**2 / np.array([1, *[3] * (n + 1), *[5] * (n + 1)]))
    )

    def generators(t: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s = (np.column_stack([t, x]) - domain.centre) / domain.half
        powers = np.column_stack([np.ones(len(s)), s, s**2])
        tau = np.column_stack([np.ones(len(s)), s[:, 0], s[:, 0] ** 2]) @ first
        return domain.half[0] * tau[None] / size, (domain.half[1:] * (powers @ second.T) / size)[None]

    return generators


def _scaled(field: GeneratorFunction, size: float) -> GeneratorFunction:
    return lambda t, x: tuple(size * part for part in field(t, x))


def _rank(seen: Comparison, drawn: Sequence[Comparison], name: str) -> float:
    """Share of draws at least as extreme as the data, which are counted too; for ΔNLL by absolute value."""
    value = abs(getattr(seen, name))
    others = np.abs([getattr(replica, name) for replica in drawn])
    if not np.isfinite(value):
        return UNKNOWN
    return float((1 + np.sum(others >= value) + np.sum(np.isnan(others))) / (len(others) + 1))


def _largest(rows: Sequence[InvarianceRow], level: float) -> tuple[float, float]:
    """The last ε before the first rejection, and the ε of that rejection; infinity where none is rejected."""
    low = 0.0
    for row in rows:
        if row.p_value <= level:
            return low, row.epsilon
        if np.isfinite(row.p_value):
            low = row.epsilon
    return low, float("inf")


def warp_speed(
    data: Trajectories, generators: Any, epsilon: float, seed: int, draws: int = 1
) -> tuple[dict[str, float], list[dict[str, float]]]:
    """The statistics of a data set and of few bootstrap draws from it, for a warp-speed study."""
    fitted = fit(data, clock="recorded")
    given = read_generators(generators, fitted.names, fitted.domain)
    begin = some_increments(data, fitted.domain, stream(seed, "increments"))
    own, alone, rng = _own_fit(fitted, begin), one_generator(given, 0), stream(seed, "generator 0")
    starts = trail(alone, begin.t, begin.x, (epsilon,), own.domain)
    found = [_compared(own, alone, starts, begin, (epsilon,))[0]]
    model = null_model(LAW, own, _One(given, 0))
    for _ in range(draws):
        replica = draw(model, begin, own.names, rng)
        found += _compared(fit_again(own, replica), alone, starts, replica.increments(), (epsilon,))
    first, *others = ({name: abs(getattr(each, name)) for name in STATISTICS} for each in found)
    return first, others
