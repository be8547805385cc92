"""Points recorded with errors and blur: a Gaussian filter along paths, and its derivatives in every parameter.

A step has mean Δt F(x) and covariance Δt A(x), both series in the state. A recorded point is the state plus an error of
variance Λ, averaged over a part of the step. Both together act as an error of variance L = Λ − R a Δt with R a sixth of
the exposure and a the diffusion itself, negative where blur prevails (docs/method.md §4.7). Everything is in units of
the box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.domain import Domain
from liestonet.surrogate.features import Features
from liestonet.surrogate.regression import Entry
from liestonet.surrogate.tuning import FIT, RECORDING
from liestonet.trajectories.increments import Increments, IncrementSource


@dataclass(frozen=True)
class Segments:
    """Pieces of paths side by side: times and steps, points, the steps that count, and their rows in the block.

    `folds` are the parts of the data that the pieces belong to; empty unless they are needed.
    """

    t: Float[np.ndarray, "k b"]
    dt: Float[np.ndarray, "k b"]
    y: Float[np.ndarray, "k1 b n"]
    counted: Bool[np.ndarray, "k b"]
    rows: Int[np.ndarray, "k b"]
    folds: Int[np.ndarray, " b"]


def segments_of(
    source: IncrementSource, domain: Domain, every: int = 1, settling: int = RECORDING.settling
) -> Iterator[Segments]:
    """All paths cut into pieces, of which one in `every` is kept.

    A filter needs some steps to forget its starting point; these do not count.
    """
    number = 0
    for block in source.chunks():
        for piece in _pieces(block, domain, settling, number, every):
            number += len(piece.folds) * every
            yield replace(piece, folds=piece.folds % FIT.folds)


def segments_in(
    block: Increments, domain: Domain, settling: int = RECORDING.settling, number: int = 0, every: int = 1
) -> Iterator[Segments]:
    """The pieces of one block of increments; `number` pieces (of which one in `every` was kept) came before."""
    yield from _pieces(block, domain, settling, number * every, every)


def _pieces(block: Increments, domain: Domain, settling: int, number: int = 0, every: int = 1) -> Iterator[Segments]:
    """The segments of one block, as many side by side as keep the derivatives in the processor's cache."""
    starts = np.flatnonzero(np.diff(block.trajectory, prepend=block.trajectory[:1] - 1))
    ends = np.append(starts[1:], len(block.t))
    begin, first, last = [], [], []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        unsettled = min(settling, (end - start) // 4)
        parts = max(1, round((end - start - unsettled) / RECORDING.segment))
        cuts = np.linspace(start + unsettled, end, parts + 1).astype(int)[:-1].tolist()
        begin += [max(cut - settling, start) for cut in cuts]
        first += cuts
        last += [*cuts[1:], end]
    begin, first, last, numbers = (
        np.array(each)[::every] for each in (begin, first, last, number + np.arange(len(begin)))
    )
    order = np.argsort(last - begin, kind="stable")
    begin, first, last, numbers = (each[order] for each in (begin, first, last, numbers // every))
    half = domain.half
    for low in range(0, len(begin), RECORDING.abreast):
        some = slice(low, low + RECORDING.abreast)
        steps = int((last[some] - begin[some]).max())
        rows = begin[some] + np.arange(steps)[:, None]
        there = rows < last[some]
        rows = np.where(there, rows, last[some] - 1)
        y = np.concatenate([block.x[rows[:1]], block.x[rows] + block.dx[rows]]) / half[1:]
        counted = there & (rows >= first[some])
        yield Segments(block.t[rows], block.dt[rows] / half[0], y, counted, rows, numbers[some])


@dataclass(frozen=True)
class StepModel:
    """F, A and a as series in the same functions, one column a coefficient, with Λ by coordinate and R.

    `back` is the derivative of a's coefficients in those of A.
    """

    features: Features
    entries: tuple[Entry, ...]
    drift: Float[np.ndarray, "c n"]
    diffusion: Float[np.ndarray, "c e"]
    instant: Float[np.ndarray, "c e"]
    error: Float[np.ndarray, " n"]
    blur: float
    least: Float[np.ndarray, " n"]
    back: Float[np.ndarray, "u u"]

    @property
    def size(self) -> int:
        """Number of parameters: those of F and of A, Λ and R."""
        return self.drift.size + self.diffusion.size + len(self.error) + 1

    @property
    def points_are_exact(self) -> bool:
        """Whether the model has neither errors of the points nor blur."""
        return self.blur == 0 and not self.error.any()


@dataclass(frozen=True)
class Told:
    """Contributions of steps: whitened derivatives of means, then of covariances, and the whitened values.

    All steps of the first coordinate come first, then those of the second, and so on; then, for every entry of the
    lower triangle of the covariance, all steps again. `steps` are their rows in the block of increments; `root`
    standardises innovations.
    """

    rows: Float[np.ndarray, "r q"]
    values: Float[np.ndarray, " r"]
    steps: Int[np.ndarray, " s"]
    folds: Int[np.ndarray, " s"]
    root: Float[np.ndarray, "s n n"]


@runtime_checkable
class Collector(Protocol):
    """Collects the contributions of steps."""

    def add(self, told: Told) -> None:
        """Add the steps at one time of every segment."""
        ...


class Sums:
    """Score and information of all parameters by folds, and the scatter of scores, after `finish`."""

    def __init__(self, size: int) -> None:
        self.score = np.zeros((FIT.folds, size))
        self.information = np.zeros((FIT.folds, size, size))
        self.outer = np.zeros((size, size))
        self.count, self._waiting, self._kept = 0, 0, list[Told]()

    def add(self, told: Told) -> None:
        """Add the steps at one time of every segment."""
        self._kept.append(told)
        self._waiting += told.rows.size
        self.count += len(told.steps)
        if self._waiting >= RECORDING.summed_at_once:
            self.finish()

    def finish(self) -> None:
        """Sum the contributions still waiting, many steps at once."""
        kept, self._kept, self._waiting = self._kept, [], 0
        if not kept:
            return
        size, folds = kept[0].rows.shape[1], np.concatenate([told.folds for told in kept])
        rows = [told.rows.reshape(-1, len(told.steps), size) for told in kept]
        values = [told.values.reshape(-1, len(told.steps)) for told in kept]
        rows, values = (parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1) for parts in (rows, values))
        if (np.diff(folds) < 0).any():
            order = np.argsort(folds, kind="stable")
            rows, values, folds = rows[:, order], values[:, order], folds[order]
        ends = np.searchsorted(folds, np.arange(FIT.folds + 1)).tolist()
        scores = values[0][:, None] * rows[0]
        for row, value in zip(rows[1:], values[1:], strict=True):
            scores += value[:, None] * row
        self.outer += scores.T @ scores
        for fold, (first, last) in enumerate(pairwise(ends)):
            self.score[fold] += scores[first:last].sum(axis=0)
        for row in rows:
            used = np.flatnonzero(row.any(axis=0))  # means do not change with A where points have no error
            some = row[:, used]
            grams = np.stack([some[first:last].T @ some[first:last] for first, last in pairwise(ends)])
            self.information[:, used[:, None], used] += grams

    def scaled(self, factor: int) -> Sums:
        """Multiply the sums by a factor, as if there were that many times as many steps."""
        self.score *= factor
        self.information *= factor
        self.outer *= factor
        return self


def filtered(model: StepModel, segments: Segments, sums: Collector | None = None) -> Float[np.ndarray, "k b n"]:
    """Run along segments, add to the sums if given, and return standardised innovations (0 if not counted).

    Derivatives neglect how the covariance depends on F's derivative; the weights are then nearly optimal.
    """
    n, entries = len(model.error), model.entries
    variables, half = variables_of(n), model.features.domain.half
    low, high = bounds_of(model.features.domain)
    width, size = model.features.size, model.size
    m, paths = segments.y[0], segments.y.shape[1]
    slope = np.zeros((paths, n, size))
    # what the last step leaves for the next: gain, how it changes, and over how long the point was smeared
    gain, dgain = np.broadcast_to(np.eye(n), (paths, n, n)), np.zeros((paths, n, n, size - n * width))
    smeared_for = np.zeros(paths)
    innovations = np.zeros(segments.y[1:].shape)
    for k in range(len(segments.t)):
        dt = segments.dt[k]
        x = m * half[1:]
        inside = ((x >= low) & (x <= high)).all(axis=1)
        points = np.column_stack([segments.t[k], np.clip(x, low, high)])
        tables = model.features.values(points, ((), *variables))
        values = tables[()]
        jacobian = np.stack([tables[j] @ model.drift * half[j[0]] for j in variables], axis=2)
        noise = dt[:, None, None] * matrices(values @ model.diffusion, entries, model.least)
        instant = matrices(values @ model.instant, entries, model.least)
        step = flow(jacobian, dt)
        predicted = m + dt[:, None] * (values @ model.drift)
        before = np.diag(model.error) - model.blur * smeared_for[:, None, None] * instant
        covariance = _symmetric(gain @ before)
        moved = np.einsum("bij,bjk,blk->bil", step, covariance, step) + noise
        ahead = smeared_at(model, segments.t[k] + dt * half[0], predicted)
        smeared = matrices(ahead @ model.instant, entries, model.least)
        error = np.diag(model.error) - model.blur * dt[:, None, None] * smeared
        # a series far from the truth may predict less than no covariance; the filter begins anew there
        lost = _smallest(moved + error) < RECORDING.least_left * _smallest(noise)
        moved, error = (np.where(lost[:, None, None], b, a) for a, b in ((moved, noise), (error, np.diag(model.error))))
        whole = moved + error
        inverse, root = inverses(whole)
        new_gain = moved @ inverse
        rest = segments.y[k + 1] - predicted
        counted = segments.counted[k] & inside
        standard = np.einsum("bij,bj->bi", root, rest)
        innovations[k] = np.where(counted[:, None], standard, 0.0)
        if sums is not None:
            dmean = _turned(step, slope)
            for i in range(n):
                dmean[:, i, i * width : (i + 1) * width] += dt[:, None] * values
            added, erred = _added(model, values, dt), _erred(model, ahead, dt, smeared)
            spread = _turned_after(dgain, before)
            spread += _turned(gain, _erred(model, values, smeared_for, instant))
            dmoved = _turned_after(_turned(step, spread), np.swapaxes(step, 1, 2)) + added
            dwhole = dmoved + erred
            following = dmoved - _turned(new_gain, dwhole)
            dgain = _turned_after(following, inverse)
            collect(sums, segments, k, counted, StepScores(root, standard, dmean, dwhole, n * width))
            slope = dmean - _turned(new_gain, dmean)
            slope[:, :, n * width :] += _turned_after(dgain, rest[:, :, None])[:, :, 0]
        gain = new_gain
        m = predicted + np.einsum("bij,bj->bi", gain, rest)
        smeared_for = np.where(lost, 0.0, dt)
    return innovations


def variables_of(dimension: int) -> tuple[tuple[int], ...]:
    """The first derivatives in every coordinate, as indices."""
    return tuple((j,) for j in range(1, dimension + 1))


def bounds_of(domain: Domain) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Ends of the box; an angle has none."""
    low, high = np.array(domain.intervals[1:]).T
    turns = np.isfinite(domain.periods[1:])
    return np.where(turns, -np.inf, low), np.where(turns, np.inf, high)


def _symmetric(matrix: Float[np.ndarray, "b n n"]) -> Float[np.ndarray, "b n n"]:
    """The symmetric part."""
    return matrix if matrix.shape[1] == 1 else (matrix + np.swapaxes(matrix, 1, 2)) / 2


def _turned(matrix: Float[np.ndarray, "b n n"], derivatives: np.ndarray) -> np.ndarray:
    """A matrix times derivatives of vectors (b, n, q), or of matrices (b, n, n, q)."""
    n = matrix.shape[1]
    columns = [matrix[:, :, j].reshape(len(matrix), n, *[1] * (derivatives.ndim - 2)) for j in range(n)]
    return sum((columns[j] * derivatives[:, j, None] for j in range(1, n)), columns[0] * derivatives[:, 0, None])


def _turned_after(derivatives: np.ndarray, matrix: Float[np.ndarray, "b n k"]) -> np.ndarray:
    """Derivatives of matrices (b, n, n, q) times a matrix."""
    rows = [matrix[:, j, None, :, None] for j in range(matrix.shape[1])]
    parts = (derivatives[:, :, j, None] * rows[j] for j in range(1, len(rows)))
    return sum(parts, derivatives[:, :, 0, None] * rows[0])


def _smallest(matrix: Float[np.ndarray, "b n n"]) -> Float[np.ndarray, " b"]:
    """The smallest eigenvalue."""
    return matrix[:, 0, 0] if matrix.shape[1] == 1 else np.linalg.eigvalsh(matrix)[:, 0]


def inverses(matrix: Float[np.ndarray, "b n n"]) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of a matrix, and the inverse of its Cholesky factor."""
    if matrix.shape[1] == 1:
        return 1 / matrix, 1 / np.sqrt(matrix)
    return np.linalg.inv(matrix), np.linalg.inv(np.linalg.cholesky(matrix))


def flow(jacobian: Float[np.ndarray, "b n n"], dt: Float[np.ndarray, " b"]) -> Float[np.ndarray, "b n n"]:
    """The derivative of the state after a step in the state before; limited in size, since a series may diverge."""
    change = dt[:, None, None] * jacobian
    size = np.sqrt(np.sum(change**2, axis=(1, 2)))
    limit = np.minimum(1.0, RECORDING.largest_flow / np.maximum(size, np.finfo(float).tiny))
    return np.eye(jacobian.shape[1]) + limit[:, None, None] * change


def matrices(
    values: Float[np.ndarray, "b e"], entries: Sequence[Entry], least: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "b n n"]:
    """The matrix A from its entries, with small eigenvalues raised to a part of the usual size."""
    n = len(least)
    result = np.zeros((len(values), n, n))
    for column, (i, j) in enumerate(entries):
        result[:, i, j] = result[:, j, i] = values[:, column]
    if n == 1:
        return np.maximum(result, least[0])
    size = np.sqrt(least)
    eigenvalues, vectors = np.linalg.eigh(result / np.outer(size, size))
    lifted = np.einsum("bij,bj,bkj->bik", vectors, np.maximum(eigenvalues, 1.0), vectors)
    return lifted * np.outer(size, size)


def smeared_at(
    model: StepModel, t: Float[np.ndarray, " b"], predicted: Float[np.ndarray, "b n"]
) -> Float[np.ndarray, "b c"]:
    """The functions at the predicted point, where blur averages the path.

    A recorded mean over part of a step is the state in the middle of that part plus noise from either side, and the
    prediction is for that middle: the noise there sets the variance of the point's error.
    """
    low, high = bounds_of(model.features.domain)
    return model.features.values(np.column_stack([t, np.clip(predicted * model.features.domain.half[1:], low, high)]))[
        ()
    ]


def _added(model: StepModel, values: Float[np.ndarray, "b c"], dt: Float[np.ndarray, " b"]) -> np.ndarray:
    """The derivative of a step's covariance in the parameters of A, in Λ and in R."""
    n, width = len(model.error), model.features.size
    added = np.zeros((len(dt), n, n, width * len(model.entries) + n + 1))
    for place, (i, j) in enumerate(model.entries):
        columns = slice(place * width, (place + 1) * width)
        added[:, i, j, columns] = added[:, j, i, columns] = dt[:, None] * values
    return added


def _erred(
    model: StepModel, values: Float[np.ndarray, "b c"], dt: Float[np.ndarray, " b"], instant: np.ndarray
) -> np.ndarray:
    """The derivative of the covariance of a point's error, given the functions' values and the diffusion there."""
    n, width = len(model.error), model.features.size
    count = width * len(model.entries)
    erred = np.zeros((len(dt), n, n, count + n + 1))
    for place, (i, j) in enumerate(model.entries):
        change = -model.blur * dt[:, None] * (values @ model.back[place * width : (place + 1) * width])
        erred[:, i, j, :count] = erred[:, j, i, :count] = change
    for i in range(n):
        erred[:, i, i, count + i] = 1.0
    erred[..., -1] = -dt[:, None, None] * instant
    return erred


@dataclass(frozen=True)
class StepScores:
    """One step of all paths: the inverse root of its covariance, the standardised residual, and derivatives.

    The derivatives are those of the predicted mean in all parameters, and of the covariance in those from `first` on.
    """

    root: np.ndarray
    standard: np.ndarray
    mean_change: np.ndarray
    covariance_change: np.ndarray
    first: int


def collect(
    sums: Collector,
    segments: Segments,
    k: int,
    counted: Bool[np.ndarray, " b"],
    step: StepScores,
) -> None:
    """Add the counted steps: their means, then their covariances (each off-diagonal twice)."""
    n, count = step.standard.shape[1], int(counted.sum())
    if not count:
        return
    root, standard = step.root[counted], step.standard[counted]
    means = _turned(root, step.mean_change[counted])
    turned = _turned_after(_turned(root, step.covariance_change[counted]), np.swapaxes(root, 1, 2))
    rows, values = [means[:, i] for i in range(n)], [standard[:, i] for i in range(n)]
    for i in range(n):
        for j in range(i + 1):
            scale = np.sqrt(0.5) if i == j else 1.0
            row = np.zeros((count, means.shape[2]))
            row[:, step.first :] = scale * turned[:, i, j]
            rows.append(row)
            values.append(scale * (standard[:, i] * standard[:, j] - (i == j)))
    steps, folds = segments.rows[k][counted], segments.folds[counted]
    sums.add(Told(np.concatenate(rows), np.concatenate(values), steps, folds, root))
