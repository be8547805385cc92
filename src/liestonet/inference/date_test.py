"""Does the law depend on the date? Score tests against slow trends, blocks of the recording and harmonics of the date.

On a clock that restarts in every window ∂t is a symmetry by construction. This test decides whether it is one of the
recording; the result is the row of ∂t on the ladder (docs/method.md §5.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import scipy.special
from jaxtyping import Float, Int

from liestonet.core.coefficients import JetOrder
from liestonet.core.domain import Domain
from liestonet.core.ladder import LadderRow
from liestonet.inference.date_scores import DateScores, Entry, date_scores
from liestonet.inference.tuning import DATE
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.symmetry.determining.kinds import ITO, Kind
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.verdicts import Criteria, verdict_of
from liestonet.trajectories.clock import Relabelled


@dataclass(frozen=True)
class DateFamily:
    """One of the tests: the name of its alternative, and its p-value."""

    against: str
    p_value: float


@dataclass(frozen=True)
class DateTest:
    """Whether drift and diffusion depend on the date: the p-value of the hypothesis that they do not, and the size.

    `families` are the tests that are combined; `period` is that of a cycle that stands out where they reject at
    `level`, None elsewhere. `row` is what the ladder says of ∂t. `values` and `errors` are coefficients,
    named by `labels`, estimated at each of the `dates` (middles of blocks).
    """

    p_value: float
    level: float
    families: tuple[DateFamily, ...]
    period: float | None
    row: LadderRow
    dates: Float[np.ndarray, " blocks"] = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    values: Float[np.ndarray, "blocks labels"] = field(repr=False)
    errors: Float[np.ndarray, "blocks labels"] = field(repr=False)

    @property
    def rejected(self) -> bool:
        """Whether the hypothesis that the law does not depend on the date is rejected."""
        return self.p_value <= self.level

    def at(self, tolerance: float) -> DateTest:
        """The same test with the row's verdict at another tolerance."""
        verdict = verdict_of(not self.rejected, self.rejected, self.row.lower, self.row.upper, tolerance)
        return replace(self, row=replace(self.row, verdict=verdict))


# Tested pairs (coefficient, function of the state), by position.
Columns = Sequence[tuple[int, int]]


def date_test(
    source: Relabelled, surrogate: FittedCoefficients, rate: float, kind: Kind, criteria: Criteria
) -> DateTest:
    """Test whether residuals of a fit on a relabelled clock depend on the date, for forces up to the rate `rate`."""
    scores = date_scores(source, surrogate, rate)
    level = criteria.level(kind, surrogate.dimension)
    force, other = _split(scores)
    trend, blocks = _slow_functions(scores)
    families = [DateFamily("slow trends", _joint(scores, trend, scores.columns))]
    families.append(DateFamily("blocks: force", _joint(scores, blocks, force)))
    families.append(DateFamily("blocks: stiffness and noise", _joint(scores, blocks, other)))
    skipped = None if source.autonomous else scores.span / source.period
    found = []
    for columns, name in ((force, "force"), (other, "stiffness and noise")):
        scan = _scan(scores, columns, skipped)
        families.append(DateFamily(f"harmonics: {name}", scan.p_value))
        found.append((columns, scan))
    smallest = min(family.p_value for family in families)
    p_value = _combined(smallest, len(families))
    harmonic = _standing_out(scores, found, smallest, skipped is None) if p_value <= level else None
    fast = harmonic if harmonic is not None and harmonic > DATE.blocks // 2 else None  # cosines show slow ones
    row = _row(scores, surrogate.domain, kind, fast, p_value, criteria)
    period = None if harmonic is None else scores.span / harmonic
    return DateTest(p_value, level, tuple(families), period, row, *_by_block(scores, surrogate))


def _combined(smallest: float, count: int) -> float:
    """p-value of the smallest of several p-values of tests in orthogonal directions, which are nearly independent."""
    return float(-np.expm1(count * np.log1p(-min(smallest, 1 - 1e-16))))


def _split(scores: DateScores) -> tuple[Columns, Columns]:
    """The columns of a force added to the drift, and all other columns."""
    force = [(place, k) for place, k in scores.columns if len(scores.entries[place]) == 1 and k == 0]
    return force, [column for column in scores.columns if column not in force]


def _slow_functions(scores: DateScores) -> tuple[Float[np.ndarray, "bins m"], Float[np.ndarray, "bins k"]]:
    """Trends, and blocks with the trends projected out, as functions of the bins with weighted mean zero."""
    weight = np.sqrt(scores.drift_weights[:, 0, 0])
    powers = np.polynomial.legendre.legvander(scores.dates, DATE.trend)
    block = np.minimum(np.arange(scores.bins) * DATE.blocks // scores.bins, DATE.blocks - 1)
    indicators = (block[:, None] == np.arange(DATE.blocks)).astype(float)
    basis, lengths, _ = np.linalg.svd(
        _outside(weight[:, None] * indicators, weight[:, None] * powers), full_matrices=False
    )
    used = weight[:, None] > 0
    inverse = np.where(used, 1 / np.where(used, weight[:, None], 1.0), 0.0)
    kept = basis[:, : len(lengths)][:, lengths > DATE.empty * lengths[0]]
    return _outside(weight[:, None] * powers[:, 1:], weight[:, None]) * inverse, kept * inverse


def _outside(columns: Float[np.ndarray, "bins m"], of: Float[np.ndarray, "bins k"]) -> Float[np.ndarray, "bins m"]:
    """The part of the columns orthogonal to other columns."""
    basis = np.linalg.qr(of)[0]
    return columns - basis @ (basis.T @ columns)


def _against(
    scores: DateScores, functions: Float[np.ndarray, "bins m"], columns: Columns
) -> Float[np.ndarray, "bins c"]:
    """Scores of every bin for products of functions of date and state, orthogonal to those constant in the date."""
    parts = []
    for place, k in columns:
        weights, own = scores.weights(scores.entries[place]), scores.centred[:, place]
        shared = np.linalg.lstsq(weights.sum(axis=0), np.einsum("bf,bm->fm", weights[:, k], functions), rcond=None)[0]
        parts.append(functions * own[:, k, None] - own @ shared)
    return np.concatenate(parts, axis=1)


def _joint(scores: DateScores, functions: Float[np.ndarray, "bins m"], columns: Columns) -> float:
    """p-value of a joint score test of all these changes, with constant coefficients projected out.

    The covariance is that of the scores before this projection. Sums of residuals over a block move the state of the
    block, and with it the projected part; the covariance given the states would therefore be too small.
    """
    statistic, freedom = 0.0, 0
    for kind in scores.kinds(columns):
        weights, own, mixing = kind.weights, kind.functions, kind.mixing
        total = np.einsum("bm,bc->mc", functions, kind.scores).reshape(-1)
        products = np.einsum("bm,bl,bcd->mcld", functions, functions, weights[:, own[:, None], own], optimize=True)
        spread = (products * mixing[:, None, :]).reshape([len(total)] * 2)
        square, rank = _square(spread, total)
        statistic, freedom = statistic + square, freedom + rank
    return float(scipy.special.chdtrc(freedom, statistic)) if freedom else 1.0


def _square(spread: Float[np.ndarray, "d d"], total: Float[np.ndarray, " d"]) -> tuple[float, int]:
    """totalᵀ spread⁻¹ total, and the rank of the spread."""
    scale = np.sqrt(np.maximum(np.diag(spread), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(spread / np.outer(scale, scale))
    seen = values > DATE.empty * values[-1]
    return float(np.sum((vectors.T[seen] @ (total / scale)) ** 2 / values[seen])), int(seen.sum())


@dataclass(frozen=True)
class _Scan:
    """The strongest of many harmonics: its number, its χ², and the p-value of there being none."""

    p_value: float
    harmonic: int = 0
    square: float = 0.0


def _scan(scores: DateScores, columns: Columns, skipped: float | None) -> _Scan:
    """The strongest harmonic among all that are faster than blocks."""
    harmonics = np.arange(DATE.blocks // 2 + 1, scores.bins // DATE.bins_in_period + 1)
    if skipped is not None:  # the period of the clock and its harmonics
        turns = harmonics / skipped
        harmonics = harmonics[np.abs(turns - np.round(turns)) * skipped > DATE.beside_period]
    if not len(harmonics):
        return _Scan(1.0)
    squares, freedom = _squares(scores, columns, harmonics)
    best = int(np.argmax(squares))
    p_value = _combined(float(scipy.special.chdtrc(freedom, squares[best])), len(harmonics))
    return _Scan(p_value, int(harmonics[best]), float(squares[best]))


def _squares(
    scores: DateScores, columns: Columns, harmonics: Int[np.ndarray, " m"]
) -> tuple[Float[np.ndarray, " m"], int]:
    """χ² of each harmonic, and its degrees of freedom."""
    squares, freedom = np.zeros(len(harmonics)), 0
    for kind in scores.kinds(columns):
        own = kind.functions
        lines = np.fft.rfft(kind.scores, axis=0)[harmonics]
        # variances of real and imaginary parts differ where the weights have a harmonic of twice the number
        weights = np.fft.rfft(kind.weights[:, own[:, None], own], axis=0)
        mean, twice = weights[0].real * kind.mixing, weights[2 * harmonics] * kind.mixing
        spread = np.block([[mean + twice.real, twice.imag], [twice.imag, mean - twice.real]]) / 2
        parts = np.concatenate([lines.real, lines.imag], axis=1)
        squares += np.sum(parts * np.linalg.solve(spread, parts[:, :, None])[:, :, 0], axis=1)
        freedom += parts.shape[1]
    return squares, freedom


def _standing_out(
    scores: DateScores, found: Sequence[tuple[Columns, _Scan]], smallest: float, slow: bool
) -> float | None:
    """The number of turns, not always whole, of a cycle that explains the change; None where there is none.

    What wanders without a period shows in the blocks more clearly than in any harmonic, and among slow cycles most in
    the slowest.
    """
    columns, scan = min(found, key=lambda one: (one[1].p_value, -one[1].square))
    best = (columns, scan.harmonic, scan.square) if scan.harmonic and scan.p_value <= smallest else None
    for other, _ in found if slow else ():
        harmonics = np.arange(1, DATE.blocks // 2 + 1)
        squares = _squares(scores, other, harmonics)[0]
        turns = 1 + int(np.argmax(squares))
        beside = (np.abs(harmonics - turns) > 1) & (harmonics % turns > 0)
        clear = turns >= DATE.least_turns and squares[turns - 1] > DATE.standing_out * squares[beside].max()
        if clear and squares[turns - 1] > (0.0 if best is None else best[2]):
            best = (other, turns, float(squares[turns - 1]))
    return None if best is None else _between_harmonics(scores, best[0], best[1])


def _between_harmonics(scores: DateScores, columns: Columns, harmonic: int) -> float:
    """The number of turns at which a cycle near a harmonic is strongest: few cycles fit into a recording as a whole."""
    turns = harmonic + np.linspace(-1, 1, DATE.between + 1)
    waves = np.exp(-2j * np.pi * np.outer(turns, np.arange(scores.bins)) / scores.bins)
    strength = np.zeros(len(turns))
    for kind in scores.kinds(columns):
        own = kind.functions
        lines = waves @ kind.scores
        mean = kind.weights.sum(axis=0)[own[:, None], own] * kind.mixing
        strength += np.sum(lines.conj() * np.linalg.solve(mean, lines.T).T, axis=1).real
    return float(turns[np.argmax(strength)])


def _row(
    scores: DateScores,
    domain: Domain,
    kind: Kind,
    harmonic: float | None,
    p_value: float,
    criteria: Criteria,
) -> LadderRow:
    """∂t on the ladder: the relative residual of docs/method.md §3.1 on the clock's box, with its interval."""
    cosines = np.arange(1, DATE.cosines + 1)
    frequencies = np.pi * cosines / scores.span
    functions = np.cos(np.pi / 2 * np.outer(scores.dates + 1, cosines))
    if harmonic is not None:
        angle = np.pi * harmonic * (scores.dates + 1)
        functions = np.column_stack([functions, np.cos(angle), np.sin(angle)])
        frequencies = np.append(frequencies, [2 * np.pi * harmonic / scores.span] * 2)
    weight, excluded = domain.half[0] * frequencies, p_value <= criteria.level(kind, domain.dimension)
    if excluded:  # a significant change counts with its whole size, however slow it is
        weight = np.maximum(weight, 1.0)
    residuals, errors = [], []
    for place, entry in enumerate(scores.entries):
        used = [(place, k) for other, k in scores.columns if other == place]
        weights = scores.weights(entry)[:, : len(used), : len(used)]
        against = _against(scores, functions, used)
        information = np.einsum("bm,bl,bjk->jmkl", functions, functions, weights).reshape([against.shape[1]] * 2)
        inverse = np.linalg.pinv(information, hermitian=True)
        total = weights.sum(axis=0)
        size = _size(scores, domain, kind, entry) * np.linalg.cholesky(total / total[0, 0]).T
        # the mean square of a cosine is 1/2, and that of its derivative 1/2 times the squared frequency
        scale = np.kron(size, np.diag(weight / np.sqrt(2)))
        residuals.append(scale @ inverse @ against.sum(axis=0))
        errors.append(scale @ inverse @ against.T)
    residual, changes = np.concatenate(residuals), np.concatenate(errors)
    values, vectors = np.linalg.eigh(changes @ changes.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    noise = root.T @ root
    evidence = Evidence(
        vectors=np.ones((1, 1)),
        residual_gram=np.array([[residual @ residual]]),
        noise=noise[None],
        mutual=np.array([[np.trace(noise)]]),
        cross=(root.T @ residual)[:, None],
        turn=np.eye(len(noise)),
        scattered=len(noise),
        complete=True,
    )
    lower, upper = evidence.interval(0, 1 - criteria.error_rate)
    lower = lower if excluded else 0.0
    verdict = verdict_of(not excluded, excluded, lower, upper, criteria.tolerance)
    return LadderRow(evidence.residual(0), lower, upper, evidence.noise_level(0), p_value, verdict)


def _size(scores: DateScores, domain: Domain, kind: Kind, entry: Entry) -> float:
    """The size of a relative change of one, in units of the clock's box, with the mean diffusion."""
    duration, half, mean = domain.half[0], domain.half[1:], scores.mean_diffusion
    own = np.sqrt(np.maximum(np.diagonal(mean), 0.0)) / half
    if len(entry) == 1:
        return float(duration * own[entry[0]])
    first, second = entry
    if kind is ITO:
        return float(np.sqrt(duration * own[first] * own[second]) / 2)
    return float(duration * own[first] * own[second])


def _by_block(
    scores: DateScores, surrogate: FittedCoefficients
) -> tuple[np.ndarray, tuple[str, ...], np.ndarray, np.ndarray]:
    """Drift, its slope along its own coordinate, and noise at the middle of the box, for every block of the date."""
    edges = np.linspace(0, scores.bins, DATE.blocks + 1).round().astype(int)
    dates = scores.first + scores.span * (edges[1:] + edges[:-1]) / 2 / scores.bins
    middle = surrogate.domain.centre[None]
    drift = surrogate.jet(middle[:, 0], middle[:, 1:], JetOrder(drift=0)).drift[()][0]
    labels, values, errors = [], [], []
    for place, entry in enumerate(scores.entries):
        if len(set(entry)) > 1:
            continue
        i, used = entry[0], range(scores.tested)
        found = [_in_block(scores, place, slice(*ends), len(used)) for ends in pairwise(edges.tolist())]
        change, error = (np.stack(parts) for parts in zip(*found, strict=True))
        unit, name = float(np.sqrt(scores.mean_diffusion[i, i])), surrogate.names[i]
        if len(entry) == 1:
            labels.append(f"drift of {name}")
            values.append(drift[i] + unit * change[:, 0])
            errors.append(unit * error[:, 0])
            if scores.tested > 1:
                half = surrogate.domain.half[1 + i]
                labels.append(f"change of the slope of the drift of {name}")
                values.append(unit / half * change[:, 1 + i])
                errors.append(unit / half * error[:, 1 + i])
        else:
            labels.append(f"noise of {name}, relative")
            values.append(np.sqrt(np.maximum(1 + change[:, 0], 0.0)))
            errors.append(error[:, 0] / 2)
    return dates, tuple(labels), np.stack(values, axis=1), np.stack(errors, axis=1)


def _in_block(scores: DateScores, place: int, rows: slice, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Least-squares estimates within one block, and standard errors from the scatter between its bins."""
    own = scores.centred[rows, place, :count]
    inverse = np.linalg.pinv(scores.weights(scores.entries[place])[rows, :count, :count].sum(axis=0), hermitian=True)
    change = inverse @ own.sum(axis=0)
    return change, np.sqrt(np.diag(inverse @ (own.T @ own) @ inverse))
