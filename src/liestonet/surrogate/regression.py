"""Weighted least squares on increments, each with its own Δt, accumulated block by block (docs/method.md §4.1).

Internally, everything is in units of the box: f^i in L_i/T, a^{ij} in L_i L_j/T, so that one prior fits all units. A
regression needs only sums over increments; memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.coefficients import Derivative
from liestonet.core.domain import Domain
from liestonet.core.uncertainty import Block, Folds, inverse
from liestonet.surrogate.features import Features
from liestonet.surrogate.overview import inside_domain
from liestonet.surrogate.shrinkage import choose_shrinkage
from liestonet.surrogate.tuning import FIT
from liestonet.trajectories.block_sums import Place, summed
from liestonet.trajectories.increments import BLOCK_ROWS, Increments, IncrementSource

Entry = tuple[int, ...]

# Increments are worked on so many at a time: all features of a piece stay in the processor's cache.
PIECE = 8192
# Products of features are formed of so many numbers at a time, which stay in a smaller cache; at least so many rows.
STRIP, LEAST_STRIP = 65_536, 256


@dataclass(frozen=True, eq=False)
class Scaled:
    """A block of increments in units of the box: starting points (t, x) in the data's units, steps and displacements.

    `tables` caches the values of features at the points, because several regressions need them.
    """

    points: Float[np.ndarray, "b v"]
    dt: Float[np.ndarray, " b"]
    dx: Float[np.ndarray, "b n"]
    tables: dict[Features, Float[np.ndarray, "b p"]] = field(default_factory=dict)

    def functions(self, features: Features) -> Float[np.ndarray, "b p"]:
        """The features at the points; of a large block none is kept."""
        if len(self.points) > PIECE:
            return features.values(self.points)[()]
        if features not in self.tables:
            self.tables[features] = features.values(self.points)[()]
        return self.tables[features]


# Values to be explained and their weights (inverse variances), one column per coefficient.
Targets = Callable[[Scaled], tuple[Float[np.ndarray, "b c"], Float[np.ndarray, "b c"]]]


@dataclass(frozen=True)
class Estimate:
    """One coefficient in units of the box: its features, their parameters, and the precision of data and of prior.

    `folds` are the sums by parts of the data; they are not saved in files.
    """

    entry: Entry
    features: Features
    parameters: Float[np.ndarray, " p"]
    precision: Float[np.ndarray, "p p"]
    prior: Float[np.ndarray, " p"]
    log_evidence: float
    folds: Folds | None = None

    def offset(self, points: Float[np.ndarray, "b v"], derivative: Derivative = ()) -> Float[np.ndarray, " b"]:
        """The term that the coefficient has in addition to the series of its features."""
        return self.features.offset(points, derivative) if len(self.entry) == 1 else np.zeros(len(points))

    @property
    def posterior(self) -> Float[np.ndarray, "p p"]:
        """Covariance of the parameters given data and prior."""
        return inverse(self.precision + np.diag(1 / self.prior))

    @property
    def free(self) -> Float[np.ndarray, "p p"]:
        """Covariance of the parameters given the data alone; a very weak prior keeps it finite."""
        return inverse(self.precision + np.diag(FIT.unseen * np.diag(self.precision)))

    @property
    def linear_terms(self) -> Bool[np.ndarray, " p"]:
        """Which parameters belong to the constant, to linear terms or to simple waves, without time or a pole."""
        orders, polar = self.features.orders, self.features.polar(self.entry)
        found = (orders[:, 0] == 0) & (orders[:, 1:].sum(axis=1) <= 1)
        return found if polar is None else found & (polar == 0)

    def block(self, noisy: Bool[np.ndarray, " n"]) -> Block:
        """Parameters, precision and prior, for code that need not know which coefficient they belong to."""
        known = (self.parameters, self.precision, self.prior, self.features.degrees)
        return Block(*known, bool(noisy[list(self.entry)].all()), self.folds)

    def unshrunk(self) -> Estimate:
        """The least-squares estimate, as if there were no prior."""
        moments = self.precision @ self.parameters + self.parameters / self.prior
        return replace(self, parameters=self.free @ moments)


def scaled_block(block: Increments, domain: Domain) -> Scaled:
    """Increments in units of the box."""
    return Scaled(np.column_stack([block.t, block.x]), block.dt / domain.half[0], block.dx / domain.half[1:])


def _scaled_pieces(block: Increments, domain: Domain) -> Iterator[Scaled]:
    """The increments that begin inside the domain, in pieces; a piece ends with a path where a path ends inside it."""
    inside = inside_domain(domain, block)
    kept = block if inside.all() else Increments(*(array[inside] for array in block))
    scaled = scaled_block(kept, domain)
    for rows in _between_paths(kept.trajectory):
        yield Scaled(scaled.points[rows], scaled.dt[rows], scaled.dx[rows])


def _between_paths(trajectory: Int[np.ndarray, " m"]) -> Iterator[slice]:
    """At least as many pieces as there are folds, cut between paths where a path ends inside the piece."""
    count = len(trajectory)
    size = min(PIECE, -(-count // FIT.folds)) if count else 1
    ends, first = np.flatnonzero(np.diff(trajectory)) + 1, 0
    while first < count:
        last = min(first + size, count)
        before = int(np.searchsorted(ends, last, side="right")) - 1
        if last < count and before >= 0 and ends[before] > first:
            last = int(ends[before])
        yield slice(first, last)
        first = last


def pieces_of(block: Scaled) -> Iterator[Scaled]:
    """The increments in small pieces, without a copy."""
    for first in range(0, len(block.dt), PIECE):
        rows = slice(first, first + PIECE)
        yield Scaled(block.points[rows], block.dt[rows], block.dx[rows])


def regress(
    blocks: Iterable[Scaled], features: Features, entries: Sequence[Entry], targets: Targets, pooled: bool
) -> list[Estimate]:
    """Estimate one coefficient per entry.

    `pooled` says that the weights of different entries are proportional: their sums are then formed once, and the
    entries share the sizes of their priors.
    """
    own, explained, alike = without_shapes(features, entries, targets, pooled)
    sums = Sums(features.plain, len(entries), alike)
    for block in blocks:
        sums.add(block, *explained(block))
    return sums.estimates(entries, own)


def without_shapes(
    features: Features, entries: Sequence[Entry], targets: Targets, pooled: bool
) -> tuple[list[Features], Targets, bool]:
    """The features of every entry, targets and weights without factors, and whether weights are proportional."""
    own = [features.of(entry) for entry in entries]
    if not any(each.factors for each in own):
        return own, targets, pooled
    return own, _OverShapes(targets, tuple(own), tuple(entries)), False


@dataclass(frozen=True, eq=False)
class _OverShapes:
    """Targets less the offset, divided by the factor of their features, with weights to match."""

    targets: Targets
    own: tuple[Features, ...]
    entries: tuple[Entry, ...]

    def __call__(self, block: Scaled) -> tuple[Float[np.ndarray, "b c"], Float[np.ndarray, "b c"]]:
        values, weights = (array.copy() for array in self.targets(block))
        for column, (features, entry) in enumerate(zip(self.own, self.entries, strict=True)):
            if features.factors:
                factor = features.factor(block.points)
                if len(entry) == 1:
                    values[:, column] -= features.offset(block.points)
                values[:, column] /= factor
                weights[:, column] *= factor**2
        return values, weights


def regress_on(
    source: IncrementSource,
    domain: Domain,
    features: Features,
    entries: Sequence[Entry],
    targets: Targets,
    pooled: bool,
    like: Sequence[Estimate] = (),
) -> list[Estimate]:
    """Estimate one coefficient per entry from all increments of a source that begin inside the domain.

    `like`, an estimate for each entry from similar data, gives starting values for the priors.
    """
    own, explained, alike = without_shapes(features, entries, targets, pooled)
    found = summed(source, _Regression(domain, explained, Sums(features.plain, len(entries), alike)))
    return found.sums.estimates(entries, own, [estimate.prior for estimate in like])


class _Regression:
    """The sums of a regression over blocks of increments."""

    rows = BLOCK_ROWS

    def __init__(self, domain: Domain, targets: Targets, sums: Sums) -> None:
        self.domain, self.targets, self.sums = domain, targets, sums

    def empty(self) -> _Regression:
        """Empty sums with the same settings."""
        return _Regression(self.domain, self.targets, self.sums.empty())

    def take(self, block: Increments, place: Place) -> None:
        """Add one block."""
        for piece in _scaled_pieces(block, self.domain):
            self.sums.add(piece, *self.targets(piece))

    def join(self, later: _Regression) -> None:
        """Add the sums over the blocks that come next."""
        self.sums.join(later.sums)


class Sums:
    """ΦᵀWΦ and ΦᵀWy of all entries in one set of features, by parts of the data."""

    def __init__(self, features: Features, entries: int, pooled: bool) -> None:
        self.features, self.pooled, self.blocks = features, pooled, 0
        size = features.size
        self.precisions = np.zeros((FIT.folds, 1 if pooled else entries, size, size))
        self.moments = np.zeros((FIT.folds, size, entries))
        self.scales = np.ones(entries)

    def add(self, block: Scaled, values: Float[np.ndarray, "b c"], weights: Float[np.ndarray, "b c"]) -> None:
        """Add one block."""
        fold = self.blocks % FIT.folds
        functions = block.functions(self.features)
        roots, strip = np.sqrt(weights), max(LEAST_STRIP, STRIP // self.features.size)
        for first in range(0, len(functions), strip):
            rows = slice(first, first + strip)
            for position, precision in enumerate(self.precisions[fold]):
                weighted = functions[rows] * roots[rows, position, None]
                precision += weighted.T @ weighted
        self.moments[fold] += functions.T @ (values * weights)
        if self.pooled and len(weights):
            self.scales = weights[0] / weights[0, 0]
        self.blocks += 1

    def empty(self) -> Sums:
        """Empty sums with the same settings."""
        return Sums(self.features, len(self.scales), self.pooled)

    def join(self, later: Sums) -> None:
        """Add the sums over the blocks that come next; their numbering continues from these."""
        self.precisions += np.roll(later.precisions, self.blocks, axis=0)
        self.moments += np.roll(later.moments, self.blocks, axis=0)
        self.blocks += later.blocks
        if later.blocks:
            self.scales = later.scales

    def estimates(
        self,
        entries: Sequence[Entry],
        own: Sequence[Features] | None = None,
        near: Sequence[Float[np.ndarray, " p"]] = (),
    ) -> list[Estimate]:
        """Posterior mean of each entry's parameters, with the most likely prior, searched from `near`."""
        precisions, moments = self.precisions.sum(axis=0), self.moments.sum(axis=0)
        known = near or [None] * len(entries)
        if not self.pooled:
            features = own or [self.features] * len(entries)
            parts = zip(entries, precisions, moments.T, features, known, strict=True)
            found = [
                replace(self._estimate([entry], precision, moment[:, None], each.released, start)[0], features=each)
                for entry, precision, moment, each, start in parts
            ]
        else:
            # in units of its own noise every entry has the same precision
            start = known[0] * self.scales[0] if known[0] is not None else None
            unit = self._estimate(entries, precisions[0], moments / np.sqrt(self.scales), near=start)
            found = [
                Estimate(e.entry, e.features, e.parameters / np.sqrt(s), e.precision * s, e.prior / s, e.log_evidence)
                for e, s in zip(unit, self.scales, strict=True)
            ]
        return [replace(estimate, folds=self._folds(place)) for place, estimate in enumerate(found)]

    def _folds(self, entry: int) -> Folds:
        precisions = self.precisions[:, 0] * self.scales[entry] if self.pooled else self.precisions[:, entry]
        return Folds(precisions, self.moments[:, :, entry])

    def _estimate(
        self,
        entries: Sequence[Entry],
        precision: Float[np.ndarray, "p p"],
        moments: Float[np.ndarray, "p c"],
        released: Bool[np.ndarray, " p"] | None = None,
        near: Float[np.ndarray, " p"] | None = None,
    ) -> list[Estimate]:
        polar = self.features.polar(entries[0])
        shrinkage = choose_shrinkage(precision, moments, self.features.shrunk_orders, released, polar, near)
        parameters = inverse(precision + np.diag(1 / shrinkage.variances)) @ moments
        return [
            Estimate(entry, self.features, parameters[:, j], precision, shrinkage.variances, float(evidence))
            for j, (entry, evidence) in enumerate(zip(entries, shrinkage.log_evidence, strict=True))
        ]


def evaluate(estimates: Sequence[Estimate], points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b c"]:
    """Values of estimated coefficients, in units of the box, at points."""
    pieces = (points[first : first + PIECE] for first in range(0, len(points), PIECE))
    parts = [evaluate_block(estimates, Scaled(piece, piece[:, 0], piece[:, 1:])) for piece in pieces]
    return np.concatenate(parts) if parts else np.empty((0, len(estimates)))


def evaluate_block(estimates: Sequence[Estimate], block: Scaled) -> Float[np.ndarray, "b c"]:
    """The same at the points of a block; features that they share are evaluated once."""
    if len(block.points) > PIECE:
        return evaluate(estimates, block.points)
    result = np.empty((len(block.points), len(estimates)))
    for features in {estimate.features: None for estimate in estimates}:
        columns = [column for column, estimate in enumerate(estimates) if estimate.features is features]
        parameters = np.stack([estimates[column].parameters for column in columns], axis=1)
        result[:, columns] = block.functions(features) @ parameters
    for column, estimate in enumerate(estimates):
        if estimate.features.factors:
            result[:, column] += estimate.offset(block.points)
    return result
