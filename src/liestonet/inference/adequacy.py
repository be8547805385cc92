"""Goodness of fit of a recording: score tests for dependence on cells of the state, on the path, and on the past.

Standardised steps of a diffusion cannot be predicted from anything known before the step. Effects of the fit's own
parameters are projected out, so that errors of the estimates do not cause a rejection (docs/method.md §5.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse
import scipy.special
from jaxtyping import Float, Int

from liestonet.core.coefficients import JetOrder
from liestonet.core.domain import Domain
from liestonet.inference.arrivals import Arrivals
from liestonet.inference.path_sums import PathSums
from liestonet.inference.tuning import ADEQUACY
from liestonet.surrogate.filter import Told
from liestonet.surrogate.overview import inside_domain, quantile_edges
from liestonet.surrogate.recording_fit import collect_steps, step_in_relaxations
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.block_sums import some_blocks
from liestonet.trajectories.increments import Increments, IncrementSource

CELLS, PATHS, MEMORY = "cells", "paths", "memory"


@dataclass(frozen=True)
class FitTest:
    """One of the tests: its p-value, and the coefficient with the strongest deviation and its size.

    `name` is "cells", "paths" or "memory". `size` is a change of the drift or the diffusion relative to its own size;
    `of` names the coefficient. `time` is the lag at which memory is strongest.
    """

    name: str
    p_value: float
    size: float
    of: str
    time: float | None = None

    @property
    def rejected(self) -> bool:
        """Whether the fit is not adequate: a significant deviation that is not negligible."""
        return self.p_value < ADEQUACY.level and self.size > ADEQUACY.material


@dataclass(frozen=True)
class FitQuality:
    """Whether the fit is adequate: the series follows the data, all paths have one law, and there is no memory.

    `tests` are in the order in which they should be read; none where nothing was tested. `resolution` is for each noisy
    coordinate the length below which waves of a force may escape the data and yet break a symmetry by the tolerance.
    """

    tests: tuple[FitTest, ...] = ()
    resolution: Mapping[str, float] = field(default_factory=dict)

    @property
    def first(self) -> FitTest | None:
        """The first test that rejects; rejections by later tests may be a consequence."""
        return next((test for test in self.tests if test.rejected), None)

    @property
    def rejected(self) -> bool:
        """Whether the fit is not adequate, so that no symmetry is confirmed."""
        return self.first is not None

    @property
    def p_value(self) -> float | None:
        """The p-value of all tests together, Bonferroni-corrected; None if nothing was tested."""
        return min(1.0, len(self.tests) * min(test.p_value for test in self.tests)) if self.tests else None

    @property
    def misfit(self) -> float | None:
        """The size of the structure that the series misses, relative to drift or diffusion."""
        return self._size(CELLS)

    @property
    def offsets(self) -> float | None:
        """How much paths differ from each other, relative to drift or diffusion; None for a single path."""
        return self._size(PATHS)

    @property
    def memory(self) -> float | None:
        """The lag at which the past beyond the present state predicts steps best; None if no memory is detected."""
        return next((test.time for test in self.tests if test.name == MEMORY and test.rejected), None)

    def _size(self, name: str) -> float | None:
        return next((test.size for test in self.tests if test.name == name), None)


@dataclass(frozen=True)
class _Part:
    """Sums for the test of one coefficient: Gram matrix of test functions and derivatives, scores and their covariance.

    The derivatives in the fit's parameters come last; their products and scores are summed over all coefficients.
    """

    of: str
    gram: Float[np.ndarray, "u u"]
    score: Float[np.ndarray, " u"]
    scatter: Float[np.ndarray, "u u"]
    reference: float
    steps: int = 0


def adequacy_of(source: IncrementSource, surrogate: Surrogate) -> tuple[FitTest, ...]:
    """The tests in the order in which they should be read: a misfit of the series can cause the others to reject."""
    functions = _Functions.of(surrogate)
    every = max(1, min(surrogate.overview.count, ADEQUACY.most_steps) // ADEQUACY.most_arrivals)
    collected = [
        _Collected(surrogate, block, functions, arriving=number % every == 0)
        for number, block in enumerate(_blocks(source, surrogate))
    ]
    parts = _parts(surrogate, functions, collected)
    if not parts:
        return ()
    arrived = list(_arrived(surrogate, functions, collected))
    nuisance = np.arange(functions.size, len(parts[0].score))
    tests: dict[str, FitTest] = {}
    for name in (CELLS, MEMORY, PATHS):
        columns = functions.columns(name)
        if not len(columns):
            continue
        beside = nuisance if name == CELLS else np.concatenate([functions.columns(CELLS), nuisance])
        found = [(*_score_test(part, columns, beside), part) for part in parts]
        if name == CELLS:
            found += [(*_fine_test(part, len(nuisance)), part) for part in arrived]
        p_value, size, part = min(found, key=lambda each: (each[0], -each[1]))
        time = functions.strongest_lag(part, beside) * _step(surrogate) if name == MEMORY else None
        tests[name] = FitTest(name, min(1.0, len(found) * p_value), size, part.of, time)
    if PATHS not in tests and (differ := _many_paths(parts, collected, tests[MEMORY].rejected)):
        tests[PATHS] = differ
    return tuple(tests[name] for name in (CELLS, PATHS, MEMORY) if name in tests)


def _many_paths(parts: Sequence[_Part], collected: Sequence[_Collected], remembering: bool) -> FitTest | None:
    """The test for differences between paths that are too many for one function each; None if they are too few."""
    found = []
    for key, part in enumerate(parts):
        sums = PathSums.together([each.by_path(key) for each in collected if key in each.scores])
        if len(sums.squares) < ADEQUACY.least_paths:
            return None
        p_value, share = sums.differ(remembering)
        size = np.sqrt(share * part.steps / max(part.reference, np.finfo(float).tiny))
        found.append((p_value, float(size), part.of))
    p_value, size, of = min(found, key=lambda each: (each[0], -each[1]))
    return FitTest(PATHS, min(1.0, len(found) * p_value), size, of)


def _blocks(source: IncrementSource, surrogate: Surrogate) -> Iterator[Increments]:
    """Blocks of increments; of a long recording, some of them, evenly spaced."""
    every = max(1, surrogate.overview.count // ADEQUACY.most_steps)
    for block in some_blocks(source, ADEQUACY.block, every):
        if len(block.t) > ADEQUACY.lags[-1]:
            yield block


def _step(surrogate: Surrogate) -> float:
    return float(np.median(surrogate.overview.sample.dt))


@dataclass(frozen=True)
class _Functions:
    """Test functions that might predict a step: indicators of cells of the state and of paths, and past steps."""

    domain: Domain
    edges: tuple[Float[np.ndarray, " edges"], ...]
    joint: bool
    paths: int
    spread: Float[np.ndarray, " n"]
    arrivals: tuple[Arrivals, ...]

    @classmethod
    def of(cls, surrogate: Surrogate) -> _Functions:
        """Functions with cells of equally many points; in more than two coordinates, cells of each coordinate alone."""
        overview, n = surrogate.overview, surrogate.dimension
        cells = ADEQUACY.cells[min(n, len(ADEQUACY.cells)) - 1]
        edges = tuple(quantile_edges(overview.sample.x[:, i], cells) for i in range(n))
        paths = int(overview.sample.trajectory.max()) + 1
        spread = np.sqrt(np.mean(overview.consecutive.dx**2, axis=0))
        few = paths if 1 < paths <= ADEQUACY.most_paths else 0
        asked = n <= 2 and not surrogate.from_positions and step_in_relaxations(surrogate) < ADEQUACY.longest_arrival
        noisy = np.flatnonzero(surrogate.noisy).tolist() if asked else []
        ends = (Arrivals.of(overview, surrogate.domain, i, place) for place, i in enumerate(noisy))
        return cls(surrogate.domain, edges, n <= 2, few, spread, tuple(each for each in ends if each is not None))

    @property
    def cells(self) -> int:
        """Number of indicators of cells."""
        sizes = [len(edges) + 1 for edges in self.edges]
        return int(np.prod(sizes)) if self.joint else sum(sizes)

    @property
    def past(self) -> int:
        """Number of functions of the past."""
        return 2 * len(ADEQUACY.lags) * len(self.edges)

    @property
    def size(self) -> int:
        return self.cells + self.paths + self.past

    def columns(self, name: str) -> Int[np.ndarray, " k"]:
        """Columns of the functions of one test."""
        ends = np.cumsum([0, self.cells, self.paths, self.past])
        place = (CELLS, PATHS, MEMORY).index(name)
        return np.arange(ends[place], ends[place + 1])

    def values(self, block: Increments, rows: Int[np.ndarray, " s"]) -> _Values:
        """All functions at the beginning of these steps, each of which must have a long enough past."""
        x = block.x[rows]
        places = [np.searchsorted(edges, x[:, i], side="right") for i, edges in enumerate(self.edges)]
        sizes = [len(edges) + 1 for edges in self.edges]
        if self.joint:
            marked = [np.ravel_multi_index(tuple(places), sizes)]
        else:
            starts = np.cumsum([0, *sizes]).tolist()
            marked = [start + place for start, place in zip(starts, places, strict=False)]
        if self.paths:
            marked.append(self.cells + block.trajectory[rows])
        scaled = (x - self.domain.centre[1:]) / self.domain.half[1:]
        past = []
        for lag in ADEQUACY.lags:
            moved = (x - block.x[rows - lag]) / (self.spread * np.sqrt(lag))
            clipped = np.clip(moved, -ADEQUACY.clip, ADEQUACY.clip)
            past += [clipped, clipped * scaled]
        ends = len(marked) * np.arange(len(rows) + 1)
        columns = np.stack(marked, axis=1).ravel()
        shape = len(rows), self.cells + self.paths
        indicators = scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)
        return _Values(indicators, np.concatenate(past, axis=1), len(self.edges))

    def strongest_lag(self, part: _Part, beside: Int[np.ndarray, " k"]) -> int:
        """The lag whose functions alone predict best."""
        columns = self.columns(MEMORY).reshape(len(ADEQUACY.lags), -1)
        chances = [_score_test(part, own, beside)[0] for own in columns]
        return ADEQUACY.lags[int(np.argmin(chances))]


@dataclass(frozen=True)
class _Values:
    """Values of all functions at some steps: indicators of cells and paths, then the past of `dimension` coordinates.

    Most indicators are zero, so they are stored sparsely.
    """

    indicators: scipy.sparse.csr_array
    past: Float[np.ndarray, "s k"]
    dimension: int

    @property
    def squares(self) -> _Values:
        """The functions for the diffusion: past steps squared, and their products with the state squared with sign."""
        squares = np.sign(self.past) * self.past**2
        for place in range(0, self.past.shape[1], 2 * self.dimension):
            squares[:, place : place + self.dimension] = self.past[:, place : place + self.dimension] ** 2
        return replace(self, past=squares)

    def scaled(self, by: Float[np.ndarray, " s"]) -> _Values:
        """The functions with every step multiplied by its own number."""
        indicators = self.indicators.copy()
        indicators.data = indicators.data * np.repeat(by, np.diff(indicators.indptr))
        return replace(self, indicators=indicators, past=self.past * by[:, None])

    def onto(self, columns: Float[np.ndarray, "s p"]) -> Float[np.ndarray, "q p"]:
        """Sums over the steps of every function times every column."""
        return np.concatenate([self.indicators.T @ columns, self.past.T @ columns])

    @property
    def gram(self) -> Float[np.ndarray, "q q"]:
        """Sums over the steps of every function times every other."""
        shared = self.indicators.T @ self.past
        return _symmetric((self.indicators.T @ self.indicators).toarray(), shared, self.past.T @ self.past)


@dataclass(frozen=True)
class _Rows:
    """Derivatives in the parameters without the columns that are zero; most belong to one coefficient alone."""

    used: Int[np.ndarray, " c"]
    values: Float[np.ndarray, "s c"]

    @classmethod
    def of(cls, rows: Float[np.ndarray, "s p"]) -> _Rows:
        used = np.flatnonzero(rows.any(axis=0))
        return cls(used, rows[:, used])


def _symmetric(
    first: Float[np.ndarray, "a a"], shared: Float[np.ndarray, "a b"], second: Float[np.ndarray, "b b"]
) -> Float[np.ndarray, "c c"]:
    """A symmetric matrix from its blocks."""
    return np.block([[first, shared], [shared.T, second]])


def _accumulate(
    sums: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]],
    key: int,
    added: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Add sums under a key."""
    known = sums.get(key)
    sums[key] = added if known is None else (known[0] + added[0], known[1] + added[1], known[2] + added[2])


class _Collected:
    """Scores of the steps of one block, by coefficient, with the test functions for them."""

    def __init__(self, surrogate: Surrogate, block: Increments, functions: _Functions, arriving: bool) -> None:
        self.block, self.functions = block, functions
        self.arrivals = functions.arrivals if arriving else ()
        same = np.zeros(len(block.t), dtype=bool)
        longest = ADEQUACY.lags[-1]
        same[longest:] = block.trajectory[longest:] == block.trajectory[:-longest]
        self.usable = same & inside_domain(surrogate.domain, block)
        self.sums: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self.arrived: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self.scores: dict[int, np.ndarray] = {}
        self.counts = 0
        self.noisy = np.flatnonzero(surrogate.noisy)
        if surrogate.recorded is not None:
            collect_steps(surrogate, block, self)
        else:
            self._plain(surrogate)

    def add(self, told: Told) -> None:
        """Add steps that have a long enough past."""
        count, n = len(told.steps), len(self.noisy)
        kept = self.usable[told.steps]
        if not kept.any():
            return
        values = self.functions.values(self.block, told.steps[kept])
        squares = values.squares
        self.counts += int(kept.sum())
        entries = [(i, j) for i in range(n) for j in range(i + 1)]
        places = [*range(n), *(n + entries.index((i, i)) for i in range(n))]
        limits = np.repeat([ADEQUACY.clip, ADEQUACY.clip_squares], [n, len(entries)])[:, None]
        scores = np.clip(told.values.reshape(-1, count)[:, kept], -limits, limits)
        rows = [_Rows.of(row[kept]) for row in told.rows.reshape(len(scores), count, -1)]
        # a step has information on the parameters through its mean and through its covariance
        size = told.rows.shape[1]
        joint, information = np.zeros((len(scores[0]), size)), np.zeros((size, size))
        for row, score in zip(rows, scores, strict=True):
            joint[:, row.used] += row.values * score[:, None]
            information[row.used[:, None], row.used] += row.values.T @ row.values
        scatter = joint.T @ joint
        for key, cells in enumerate(self.arrivals):
            rows_of, i = told.steps[kept], cells.coordinate
            ends = (self.block.x[rows_of, i] + self.block.dx[rows_of, i]) / self.functions.domain.half[1 + i]
            _accumulate(self.arrived, key, cells.sums(told, kept, ends, joint, (information, scatter)))
        for key, place in enumerate(places):
            asked, score = values if key < n else squares, scores[place]
            own = asked.onto(rows[place].values)
            shared = np.zeros((len(own), size))
            shared[:, rows[place].used] = own
            scored, total = asked.scaled(score), np.concatenate([asked.onto(score[:, None])[:, 0], joint.sum(axis=0)])
            added = (
                _symmetric(asked.gram, shared, information),
                total,
                _symmetric(scored.gram, scored.onto(joint), scatter),
            )
            _accumulate(self.sums, key, added)
            self.scores.setdefault(key, np.zeros(len(self.block.t)))[told.steps[kept]] = score

    def by_path(self, key: int) -> PathSums:
        """Sums over the paths of the block for one coefficient."""
        return PathSums.of(self.block.trajectory, self.scores[key])

    def _plain(self, surrogate: Surrogate) -> None:
        """Add increments of a recording without errors: residuals, and derivatives in the fit's parameters."""
        steps = np.flatnonzero(self.usable)
        for low in range(0, len(steps), ADEQUACY.piece):
            self.add(_plainly_told(surrogate, self.block, steps[low : low + ADEQUACY.piece]))


def _plainly_told(surrogate: Surrogate, block: Increments, steps: Int[np.ndarray, " s"]) -> Told:
    """Standardised steps and derivatives where the recording has no errors."""
    t, x, dt = block.t[steps], block.x[steps], block.dt[steps]
    jet = surrogate.jet(t, x, JetOrder(drift=0, diffusion_squared=0))
    noisy = np.flatnonzero(surrogate.noisy)
    own = np.diagonal(jet.diffusion_squared[()], axis1=1, axis2=2)[:, noisy]
    variance = np.maximum(own, ADEQUACY.least_diffusion * own.mean(axis=0)) * dt[:, None]
    z = (block.dx[steps] - jet.drift[()] * dt[:, None])[:, noisy] / np.sqrt(variance)
    points = np.column_stack([t, x])
    drift = [surrogate.drift_estimates[i].features.values(points)[()] for i in noisy]
    diffusion = {e.entry: e.features.values(points)[()] for e in surrogate.diffusion_estimates}
    widths = [table.shape[1] for table in (*drift, *diffusion.values())]
    starts = np.cumsum([0, *widths])
    rows, values = [], []
    for k, table in enumerate(drift):
        row = np.zeros((len(steps), starts[-1]))
        row[:, starts[k] : starts[k + 1]] = table * (dt / np.sqrt(variance[:, k]))[:, None]
        rows.append(row)
        values.append(z[:, k])
    names = list(diffusion)
    for a in range(len(noisy)):
        for b in range(a + 1):
            entry = next(e for e in names if set(e) == {int(noisy[a]), int(noisy[b])})
            place = len(drift) + names.index(entry)
            row = np.zeros((len(steps), starts[-1]))
            size = np.sqrt(variance[:, a] * variance[:, b])
            row[:, starts[place] : starts[place + 1]] = diffusion[entry] * (dt / size)[:, None]
            rows.append(row)
            values.append(np.sqrt(0.5) * (z[:, a] * z[:, b] - (a == b)))
    folds = np.zeros(len(steps), dtype=np.int64)
    root = surrogate.domain.half[1 + noisy] / np.sqrt(variance)
    return Told(np.concatenate(rows), np.concatenate(values), steps, folds, root[:, :, None] * np.eye(len(noisy)))


def _parts(surrogate: Surrogate, functions: _Functions, collected: Sequence[_Collected]) -> list[_Part]:
    """Sums over all blocks, for the drift of every noisy coordinate, then for the diffusions."""
    steps = sum(each.counts for each in collected)
    if steps < ADEQUACY.least_steps:
        return []
    noisy = np.flatnonzero(surrogate.noisy).tolist()
    parts = []
    for key in range(2 * len(noisy)):
        gram, score, scatter = _summed([each.sums.get(key) for each in collected])
        i, squared = noisy[key % len(noisy)], key >= len(noisy)
        of = f"{'diffusion' if squared else 'drift'} of {surrogate.names[i]}"
        reference = 0.5 * steps if squared else steps * _drift_signal(surrogate, i)
        parts.append(_Part(of, gram, score, scatter, reference, steps))
    return parts


def _arrived(surrogate: Surrogate, functions: _Functions, collected: Sequence[_Collected]) -> Iterator[_Part]:
    """Sums over all blocks for the cells in which steps end."""
    steps = sum(each.counts for each in collected if each.arrived)
    for key, cells in enumerate(functions.arrivals if steps else ()):
        gram, score, scatter = _summed([each.arrived.get(key) for each in collected])
        i = cells.coordinate
        relative = _drift_signal(surrogate, i) / (cells.slope**2 * _noise_signal(surrogate, i) / 4)
        yield _Part(f"drift of {surrogate.names[i]}", gram, score, scatter, steps * relative, steps)


def _summed(parts: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray] | None]) -> Sequence[np.ndarray]:
    """Gram matrix, score and its covariance, summed over all blocks that have them."""
    return [np.sum(each, axis=0) for each in zip(*(part for part in parts if part is not None), strict=True)]


def _noise_signal(surrogate: Surrogate, i: int) -> float:
    """Mean of a Δt in squared units of the box."""
    sample, half = surrogate.overview.sample, surrogate.domain.half[1 + i]
    a = surrogate.diffusion_squared(sample.t, sample.x)[:, i, i]
    return float(np.mean(np.maximum(a, 0.0) * sample.dt)) / half**2


def _drift_signal(surrogate: Surrogate, i: int) -> float:
    """Mean square of the change by the drift in one step, in units of the noise.

    The velocity with which the noise crosses the box is added, so that it is not zero without drift.
    """
    points = surrogate.overview.points[:: max(1, len(surrogate.overview.points) // ADEQUACY.least_steps)]
    dt = surrogate.overview.sample.dt[:: max(1, len(surrogate.overview.points) // ADEQUACY.least_steps)]
    jet = surrogate.jet(points[:, 0], points[:, 1:], JetOrder(drift=0, diffusion_squared=0))
    a = jet.diffusion_squared[()][:, i, i]
    a = np.maximum(a, ADEQUACY.least_diffusion * a.mean())
    crossing = a / surrogate.domain.half[1 + i]
    return float(np.mean((jet.drift[()][:, i] ** 2 + crossing**2) * dt / a))


def _fine_test(part: _Part, parameters: int) -> tuple[float, float]:
    """The score test of the cells in which steps end; the parameters, which come last, are projected out."""
    own = len(part.score) - parameters
    return _score_test(part, np.arange(own), np.arange(own, len(part.score)))


def _score_test(part: _Part, columns: Int[np.ndarray, " q"], beside: Int[np.ndarray, " p"]) -> tuple[float, float]:
    """P-value of the hypothesis that these functions predict nothing beyond others, and the size of the effect."""
    turn = _beside_others(part, columns, beside)
    left, variance = turn.T @ part.score, turn.T @ part.scatter @ turn
    size = np.sqrt(np.maximum(np.diag(variance), 0.0))
    seen = size > 0
    if not seen.any():
        return 1.0, 0.0
    values, vectors = np.linalg.eigh(variance[np.ix_(seen, seen)] / np.outer(size[seen], size[seen]))
    clear = values > ADEQUACY.rounding
    along = vectors[:, clear].T @ (left[seen] / size[seen])
    statistic, freedom = float(np.sum(along**2 / values[clear])), int(clear.sum())
    excess = max(statistic - freedom, 0.0)
    return float(scipy.special.chdtrc(freedom, statistic)), float(np.sqrt(excess / max(part.reference, 1e-300)))


def _beside_others(
    part: _Part, columns: Int[np.ndarray, " q"], beside: Int[np.ndarray, " p"]
) -> Float[np.ndarray, "u k"]:
    """Combinations of these functions, with the others projected out; those that the others explain well are left out.

    So little remains of these that the errors of the filter's approximation would decide.
    """
    scale = np.sqrt(np.maximum(np.diag(part.gram), np.finfo(float).tiny))
    gram = part.gram / np.outer(scale, scale)
    own, shared = gram[np.ix_(columns, columns)], gram[np.ix_(beside, columns)]
    explained = np.linalg.pinv(gram[np.ix_(beside, beside)], rcond=ADEQUACY.empty, hermitian=True) @ shared
    values, vectors = np.linalg.eigh(own)
    whole = values > ADEQUACY.rounding * values[-1]
    white = vectors[:, whole] / np.sqrt(values[whole])
    remaining, axes = np.linalg.eigh(white.T @ (own - shared.T @ explained) @ white)
    kept = white @ axes[:, remaining > ADEQUACY.least_unexplained]
    turn = np.zeros((len(scale), kept.shape[1]))
    turn[columns], turn[beside] = kept, -explained @ kept
    return turn / scale[:, None]
