"""Scores of drift and diffusion by date: derivatives of the log-likelihood for changes of the law at a date.

With z^i = (Δx^i − f^iΔt)/√(a^{ii}Δt), the score of a change √a^{ii}θψ(x) of f^i is z^i√Δt ψ, and that of a change
a^{ij}ηψ(x) of a^{ij} is z^i z^j ψ minus its mean. If the law does not depend on the date, they are martingale
differences. The test needs only their sums over bins of the date; see docs/method.md §5.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.coefficients import JetOrder
from liestonet.core.multiindex import total_degree
from liestonet.core.tuning import SHARED, by_dimension
from liestonet.inference.tuning import DATE
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.surrogate.overview import inside_domain
from liestonet.surrogate.recording_fit import innovations
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.block_sums import Place, summed
from liestonet.trajectories.clock import Relabelled, on_clock
from liestonet.trajectories.increments import BLOCK_ROWS, Increments

# A coefficient: (i,) for the drift of a coordinate, (i, j) for an entry of the diffusion.
Entry = tuple[int, ...]


@dataclass(frozen=True)
class ScoreKind:
    """Scores of drift, or of diffusion: one column for each tested pair of a coefficient and a function of the state.

    In a bin, columns c and d have the covariance `mixing[c, d]` times the weight of their `functions`.
    """

    scores: Float[np.ndarray, "bins columns"]
    weights: Float[np.ndarray, "bins functions functions"]
    functions: Int[np.ndarray, " columns"]
    mixing: Float[np.ndarray, "columns columns"]


@dataclass(frozen=True)
class DateScores:
    """Sums of scores over bins of the date, for each coefficient in `entries` and each function of the state.

    The first `tested` functions are 1 and the coordinates in units of the box. `drift_weights` and `diffusion_weights`
    are sums of products of functions with the weights of the scores; `mean_diffusion` is the mean of every a^{ij}.
    """

    first: float
    last: float
    entries: tuple[Entry, ...]
    tested: int
    sums: Float[np.ndarray, "bins entries functions"]
    drift_weights: Float[np.ndarray, "bins functions functions"]
    diffusion_weights: Float[np.ndarray, "bins functions functions"]
    mean_diffusion: Float[np.ndarray, "n n"]

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.sums)

    @property
    def span(self) -> float:
        """Time from the first date to the last."""
        return self.last - self.first

    @cached_property
    def dates(self) -> Float[np.ndarray, " bins"]:
        """Middle of every bin; dates are scaled to [−1, 1] over the recording."""
        return (2 * np.arange(self.bins) + 1) / self.bins - 1

    def weights(self, entry: Entry) -> Float[np.ndarray, "bins functions functions"]:
        """Information of each bin about a change of a coefficient."""
        return self.drift_weights if len(entry) == 1 else self.diffusion_weights

    @cached_property
    def centred(self) -> Float[np.ndarray, "bins entries functions"]:
        """The sums with changes that are constant in the date projected out."""
        result = np.empty_like(self.sums)
        for place, entry in enumerate(self.entries):
            weights = self.weights(entry)
            constant = np.linalg.lstsq(weights.sum(axis=0), self.sums[:, place].sum(axis=0), rcond=None)[0]
            result[:, place] = self.sums[:, place] - weights @ constant
        return result

    @property
    def columns(self) -> tuple[tuple[int, int], ...]:
        """The tested pairs (coefficient, function), by position; of mixed entries of the diffusion only their size."""
        return tuple(
            (place, function)
            for place, entry in enumerate(self.entries)
            for function in range(self.tested if len(set(entry)) == 1 else 1)
        )

    def kinds(self, columns: Sequence[tuple[int, int]]) -> Iterator[ScoreKind]:
        """Columns of the drift, then of the diffusion, whose scores are uncorrelated for Gaussian residuals."""
        for length in (1, 2):
            chosen = [(place, k) for place, k in columns if len(self.entries[place]) == length]
            if not chosen:
                continue
            places, functions = np.array(chosen).T
            scores = self.centred[:, places, functions]
            weights = self.weights(self.entries[places[0]])
            size = np.sqrt(np.sum(scores**2, axis=0) / weights.sum(axis=0)[functions, functions])
            plain = self.centred[:, :, 0]
            spread = plain.T @ plain
            correlation = spread / np.sqrt(np.outer(np.diag(spread), np.diag(spread)))
            yield ScoreKind(scores, weights, functions, np.outer(size, size) * correlation[np.ix_(places, places)])


def date_scores(source: Relabelled, surrogate: FittedCoefficients, rate: float) -> DateScores:
    """Sum the scores of all increments by date, in one pass."""
    first, last = source.dates()
    domain, noisy = surrogate.domain, np.flatnonzero(surrogate.noisy).tolist()
    few = domain.dimension <= SHARED.few_coordinates
    pairs = combinations_with_replacement(noisy, 2) if few else ((i, i) for i in noisy)
    entries: tuple[Entry, ...] = (*((i,) for i in noisy), *pairs)
    degrees = total_degree(
        range(domain.dimension), domain.dimension, by_dimension(DATE.constant_degree, domain.dimension)
    )
    bins = _bins(surrogate.overview.count, (last - first) * rate)
    mean = _mean_diffusion(surrogate)
    asked = _Asked(_travelling(surrogate), (source.period, source.origin), (first, last), entries, degrees, mean)
    found = summed(source.source, _DateSums(asked, bins))
    drift, diffusion = found.drift, found.diffusion
    for j, k in combinations_with_replacement(range(len(degrees)), 2):
        drift[:, k, j], diffusion[:, k, j] = drift[:, j, k], diffusion[:, j, k]
    tested = domain.dimension + 1 if few else 1
    return DateScores(first, last, entries, tested, found.sums, drift, diffusion, mean)


def _travelling(surrogate: FittedCoefficients) -> FittedCoefficients:
    """The surrogate without the parts that scores do not need, as it may be sent to other processes."""
    if not isinstance(surrogate, Surrogate) or surrogate.recorded is not None:
        return surrogate
    empty = Increments(*(array[:0] for array in surrogate.overview.sample))
    overview = replace(surrogate.overview, sample=empty, consecutive=empty, pairs=surrogate.overview.pairs[:0])
    parts = (surrogate.drift_estimates, surrogate.diffusion_estimates)
    drift, diffusion = (tuple(replace(estimate, folds=None) for estimate in part) for part in parts)
    return replace(surrogate, overview=overview, drift_estimates=drift, diffusion_estimates=diffusion)


@dataclass(frozen=True)
class _Asked:
    """The fit, its clock, the first and the last date, and which functions of the state go with each entry."""

    surrogate: FittedCoefficients
    clock: tuple[float, float]
    dates: tuple[float, float]
    entries: tuple[Entry, ...]
    degrees: Int[np.ndarray, "functions n"]
    mean: Float[np.ndarray, "n n"]


class _DateSums:
    """The sums by date, collected block by block with their recorded times."""

    rows = BLOCK_ROWS

    def __init__(self, asked: _Asked, bins: int) -> None:
        self.asked = asked
        shape = bins, len(asked.degrees), len(asked.degrees)
        self.sums, self.drift = np.zeros((bins, len(asked.entries), len(asked.degrees))), np.zeros(shape)
        self.diffusion = np.zeros(shape)

    def empty(self) -> _DateSums:
        """The same sums over no data."""
        return _DateSums(self.asked, len(self.sums))

    def join(self, later: _DateSums) -> None:
        """Add the sums over later blocks."""
        for mine, other in ((self.sums, later.sums), (self.drift, later.drift), (self.diffusion, later.diffusion)):
            mine += other

    def take(self, block: Increments, place: Place) -> None:
        """Add one block."""
        asked, bins = self.asked, len(self.sums)
        (first, last), domain = asked.dates, asked.surrogate.domain
        dates, block = block.t, on_clock(block, *asked.clock)
        standard, settled = _standardised(asked.surrogate, block, asked.mean)
        inside = inside_domain(domain, block) & settled
        kept, z = Increments(*(array[inside] for array in block)), standard[inside]
        middle = dates[inside] - first + kept.dt / 2  # middles, because equal steps might begin at edges of bins
        bin_of = np.clip((bins * (middle / (last - first))).astype(np.int64), 0, bins - 1)
        state = (kept.x - domain.centre[1:]) / domain.half[1:]
        functions = np.prod(state[:, None, :] ** asked.degrees, axis=2)
        for position, entry in enumerate(asked.entries):
            if len(entry) == 1:
                scores = z[:, entry[0]] * np.sqrt(kept.dt)
            else:
                scores = np.clip(z[:, entry[0]] * z[:, entry[1]], -DATE.clip, DATE.clip)
            for k, function in enumerate(functions.T):
                self.sums[:, position, k] += np.bincount(bin_of, weights=scores * function, minlength=bins)
        for j, k in combinations_with_replacement(range(len(asked.degrees)), 2):
            product = functions[:, j] * functions[:, k]
            self.drift[:, j, k] += np.bincount(bin_of, weights=product * kept.dt, minlength=bins)
            self.diffusion[:, j, k] += np.bincount(bin_of, weights=product, minlength=bins)


def _bins(increments: int, relaxations: float) -> int:
    wanted = max(DATE.least_bins, int(np.ceil(DATE.bins * relaxations)))
    return max(2 * DATE.blocks, min(wanted, DATE.most_bins, increments // DATE.least_in_bin))


def _mean_diffusion(surrogate: FittedCoefficients) -> Float[np.ndarray, "n n"]:
    points = surrogate.overview.points
    points = points[:: max(1, len(points) // DATE.least_bins)]
    return surrogate.jet(points[:, 0], points[:, 1:], JetOrder(diffusion_squared=0)).diffusion_squared[()].mean(axis=0)


def _standardised(
    surrogate: FittedCoefficients, block: Increments, mean: Float[np.ndarray, "n n"]
) -> tuple[Float[np.ndarray, "b n"], Bool[np.ndarray, " b"]]:
    """Residuals over their standard deviations, zero in coordinates without noise, and a mask of those that count.

    If measurement error is modelled, each residual is that of the filter given all points before, because plain
    residuals of neighbouring steps would be correlated.
    """
    if isinstance(surrogate, Surrogate) and surrogate.recorded is not None:
        return innovations(surrogate, block)
    jet = surrogate.jet(block.t, block.x, JetOrder(drift=0, diffusion_squared=0))
    own = np.diagonal(jet.diffusion_squared[()], axis1=1, axis2=2)
    usual = np.where(surrogate.noisy, np.diagonal(mean), 1.0)
    variance = np.maximum(own, DATE.least_diffusion * usual) * block.dt[:, None]
    rest = (block.dx - jet.drift[()] * block.dt[:, None]) / np.sqrt(variance)
    return np.where(surrogate.noisy, rest, 0.0), np.ones(len(rest), dtype=bool)
