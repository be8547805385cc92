"""Is the fit of a long recording adequate? Score tests against what it leaves out: cells of the state, paths, memory.

Standardised steps of a diffusion, each given all before it, cannot be predicted by anything that was known before the
step. What the fit's own parameters explain is projected out, so that errors of the estimates do not count
(docs/method.md §5.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Float, Int

from liestonet.core.coefficients import JetOrder
from liestonet.core.domain import Domain
from liestonet.inference.tuning import ADEQUACY
from liestonet.surrogate.filter import Told
from liestonet.surrogate.overview import inside_domain, quantile_edges
from liestonet.surrogate.recording_fit import collect_steps
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.clock import Relabelled
from liestonet.trajectories.increments import Increments

CELLS, PATHS, MEMORY = "cells", "paths", "memory"


@dataclass(frozen=True)
class FitTest:
    """One of the tests: its p-value, the size of what it detects, and where it was strongest.

    `name` is "cells", "paths" or "memory". `size` is a change of the drift relative to its own size, or of the
    diffusion relative to itself; `of` says of which coefficient. `time` is the lag at which memory is strongest.
    """

    name: str
    p_value: float
    size: float
    of: str
    time: float | None = None

    @property
    def rejected(self) -> bool:
        """Whether the fit is not adequate: a deviation beyond chance that is not negligible."""
        return self.p_value < ADEQUACY.level and self.size > ADEQUACY.material


@dataclass(frozen=True)
class _Part:
    """Sums for one coefficient: products of extra functions and derivatives, with scores and their scatter."""

    of: str
    gram: Float[np.ndarray, "u u"]
    score: Float[np.ndarray, " u"]
    scatter: Float[np.ndarray, "u u"]
    reference: float


def adequacy_of(source: Relabelled, surrogate: Surrogate) -> tuple[FitTest, ...]:
    """The tests in the order in which they should be read: a misfit of the series can look like what comes after it."""
    functions = _Functions.of(surrogate)
    collected = [_Collected(surrogate, block, functions) for block in _blocks(source, surrogate)]
    parts = _parts(surrogate, functions, collected)
    nuisance = np.arange(functions.size, len(parts[0].score)) if parts else np.zeros(0, dtype=int)
    tests = []
    for name, columns in functions.tests:
        beside = nuisance if name == CELLS else np.concatenate([functions.columns(CELLS), nuisance])
        found = [(*_score_test(part, columns, beside), part) for part in parts]
        if not found or not len(columns):
            continue
        p_value, size, part = min(found, key=lambda each: (each[0], -each[1]))
        time = functions.strongest_lag(part, beside) * _step(surrogate) if name == MEMORY else None
        tests.append(FitTest(name, min(1.0, len(found) * p_value), size, part.of, time))
    return tuple(tests)


def _blocks(source: Relabelled, surrogate: Surrogate) -> Iterator[Increments]:
    """Blocks of increments, evenly over the recording where there are more than enough."""
    every = max(1, surrogate.overview.count // ADEQUACY.most_steps)
    for number, block in enumerate(source.chunks(ADEQUACY.block)):
        if number % every == 0 and len(block.t) > ADEQUACY.lags[-1]:
            yield block


def _step(surrogate: Surrogate) -> float:
    return float(np.median(surrogate.overview.sample.dt))


@dataclass(frozen=True)
class _Functions:
    """What could predict a step: indicators of cells of the state, of paths, and steps of the past."""

    domain: Domain
    edges: tuple[Float[np.ndarray, " edges"], ...]
    joint: bool
    paths: int
    spread: Float[np.ndarray, " n"]

    @classmethod
    def of(cls, surrogate: Surrogate) -> _Functions:
        """Cells with as many points each, by the sample; in more than two coordinates, of each coordinate alone."""
        overview, n = surrogate.overview, surrogate.dimension
        cells = ADEQUACY.cells[min(n, len(ADEQUACY.cells)) - 1]
        edges = tuple(quantile_edges(overview.sample.x[:, i], cells) for i in range(n))
        paths = int(overview.sample.trajectory.max()) + 1
        spread = np.sqrt(np.mean(overview.consecutive.dx**2, axis=0))
        few = paths if 1 < paths <= ADEQUACY.most_paths else 0
        return cls(surrogate.domain, edges, n <= 2, few, spread)

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

    @property
    def tests(self) -> tuple[tuple[str, Int[np.ndarray, " k"]], ...]:
        """The tests and their columns."""
        return tuple((name, self.columns(name)) for name in (CELLS, PATHS, MEMORY))

    def columns(self, name: str) -> Int[np.ndarray, " k"]:
        """Places of the functions of one test."""
        ends = np.cumsum([0, self.cells, self.paths, self.past])
        place = (CELLS, PATHS, MEMORY).index(name)
        return np.arange(ends[place], ends[place + 1])

    def values(self, block: Increments, rows: Int[np.ndarray, " s"]) -> Float[np.ndarray, "s q"]:
        """All functions at the beginning of these steps, each of which has a long enough past."""
        x = block.x[rows]
        places = [np.searchsorted(edges, x[:, i], side="right") for i, edges in enumerate(self.edges)]
        sizes = [len(edges) + 1 for edges in self.edges]
        if self.joint:
            cells = np.eye(self.cells)[np.ravel_multi_index(tuple(places), sizes)]
        else:
            cells = np.concatenate([np.eye(size)[place] for place, size in zip(places, sizes, strict=True)], axis=1)
        paths = (block.trajectory[rows][:, None] == np.arange(self.paths)).astype(float)
        scaled = (x - self.domain.centre[1:]) / self.domain.half[1:]
        past = []
        for lag in ADEQUACY.lags:
            moved = (x - block.x[rows - lag]) / (self.spread * np.sqrt(lag))
            clipped = np.clip(moved, -ADEQUACY.clip, ADEQUACY.clip)
            past += [clipped, clipped * scaled]
        return np.concatenate([cells, paths, *past], axis=1)

    def squares(self, values: Float[np.ndarray, "s q"]) -> Float[np.ndarray, "s q"]:
        """For the diffusion: the past by its squares."""
        result = values.copy()
        past = self.columns(MEMORY)
        result[:, past] = np.sign(values[:, past]) * values[:, past] ** 2
        n = len(self.edges)
        for place in range(0, self.past, 2 * n):
            own = past[place : place + n]
            result[:, own] = values[:, own] ** 2
        return result

    def strongest_lag(self, part: _Part, beside: Int[np.ndarray, " k"]) -> int:
        """The lag whose functions alone predict most."""
        columns = self.columns(MEMORY).reshape(len(ADEQUACY.lags), -1)
        chances = [_score_test(part, own, beside)[0] for own in columns]
        return ADEQUACY.lags[int(np.argmin(chances))]


class _Collected:
    """What the steps of one block tell, by coefficient, with the functions that could predict them."""

    def __init__(self, surrogate: Surrogate, block: Increments, functions: _Functions) -> None:
        self.block, self.functions = block, functions
        same = np.zeros(len(block.t), dtype=bool)
        longest = ADEQUACY.lags[-1]
        same[longest:] = block.trajectory[longest:] == block.trajectory[:-longest]
        self.usable = same & inside_domain(surrogate.domain, block)
        self.sums: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
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
        squares = self.functions.squares(values)
        self.counts += int(kept.sum())
        entries = [(i, j) for i in range(n) for j in range(i + 1)]
        places = [*range(n), *(n + entries.index((i, i)) for i in range(n))]
        for key, place in enumerate(places):
            own = slice(place * count, (place + 1) * count)
            clip = ADEQUACY.clip if key < n else ADEQUACY.clip_squares
            score = np.clip(told.values[own][kept], -clip, clip)
            row = np.concatenate([values if key < n else squares, told.rows[own][kept]], axis=1)
            scored = row * score[:, None]
            gram, total, scatter = self.sums.get(key, (0.0, 0.0, 0.0))
            self.sums[key] = gram + row.T @ row, total + scored.sum(axis=0), scatter + scored.T @ scored

    def _plain(self, surrogate: Surrogate) -> None:
        """Increments as they are: what is left of them, and the functions of the fit."""
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
        rows.append(row / max(np.sqrt(np.mean(row**2)), np.finfo(float).tiny))
        values.append(z[:, k])
    names = list(diffusion)
    for a in range(len(noisy)):
        for b in range(a + 1):
            entry = next(e for e in names if set(e) == {int(noisy[a]), int(noisy[b])})
            place = len(drift) + names.index(entry)
            row = np.zeros((len(steps), starts[-1]))
            size = np.sqrt(variance[:, a] * variance[:, b])
            row[:, starts[place] : starts[place + 1]] = diffusion[entry] * (dt / size)[:, None]
            rows.append(row / max(np.sqrt(np.mean(row**2)), np.finfo(float).tiny))
            values.append(np.sqrt(0.5) * (z[:, a] * z[:, b] - (a == b)))
    return Told(np.concatenate(rows), np.concatenate(values), steps)


def _parts(surrogate: Surrogate, functions: _Functions, collected: Sequence[_Collected]) -> list[_Part]:
    """Sums over all blocks: of the drift of every noisy coordinate, then of its diffusion."""
    steps = sum(each.counts for each in collected)
    if steps < ADEQUACY.least_steps:
        return []
    noisy = np.flatnonzero(surrogate.noisy).tolist()
    parts = []
    for key in range(2 * len(noisy)):
        gram, score, scatter = (sum(each.sums[key][k] for each in collected if key in each.sums) for k in range(3))
        i, squared = noisy[key % len(noisy)], key >= len(noisy)
        of = f"{'diffusion' if squared else 'drift'} of {surrogate.names[i]}"
        reference = 0.5 * steps if squared else steps * _drift_signal(surrogate, i)
        parts.append(_Part(of, np.asarray(gram), np.asarray(score), np.asarray(scatter), reference))
    return parts


def _drift_signal(surrogate: Surrogate, i: int) -> float:
    """Mean square of what the drift does in a step, in units of the noise.

    Where there is no drift, that of the velocity with which the noise crosses the box.
    """
    points = surrogate.overview.points[:: max(1, len(surrogate.overview.points) // ADEQUACY.least_steps)]
    dt = surrogate.overview.sample.dt[:: max(1, len(surrogate.overview.points) // ADEQUACY.least_steps)]
    jet = surrogate.jet(points[:, 0], points[:, 1:], JetOrder(drift=0, diffusion_squared=0))
    a = jet.diffusion_squared[()][:, i, i]
    a = np.maximum(a, ADEQUACY.least_diffusion * a.mean())
    crossing = a / surrogate.domain.half[1 + i]
    return float(np.mean((jet.drift[()][:, i] ** 2 + crossing**2) * dt / a))


def _score_test(part: _Part, columns: Int[np.ndarray, " q"], beside: Int[np.ndarray, " p"]) -> tuple[float, float]:
    """P-value that these functions predict nothing beside others, and the size of what they predict."""
    inner = part.gram[np.ix_(beside, beside)]
    explained = np.linalg.pinv(inner, rcond=ADEQUACY.empty, hermitian=True) @ part.gram[np.ix_(beside, columns)]
    turn = np.zeros((len(part.score), len(columns)))
    turn[columns, np.arange(len(columns))] = 1.0
    turn[beside] -= explained
    left, variance = turn.T @ part.score, turn.T @ part.scatter @ turn
    information = np.diag(turn.T @ part.gram @ turn)
    own = np.diag(part.gram)[columns]
    size = np.sqrt(np.where(information > ADEQUACY.empty * own, np.maximum(np.diag(variance), 0.0), 0.0))
    seen = size > 0
    if not seen.any():
        return 1.0, 0.0
    values, vectors = np.linalg.eigh(variance[np.ix_(seen, seen)] / np.outer(size[seen], size[seen]))
    clear = values > ADEQUACY.rounding
    along = vectors[:, clear].T @ (left[seen] / size[seen])
    statistic, freedom = float(np.sum(along**2 / values[clear])), int(clear.sum())
    excess = max(statistic - freedom, 0.0)
    return float(scipy.special.chdtrc(freedom, statistic)), float(np.sqrt(excess / max(part.reference, 1e-300)))
