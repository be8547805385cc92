"""The filter against the exact likelihood of a linear process, and its derivatives against differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.surrogate.features import Features
from liestonet.surrogate.filter import Segments, StepModel, Sums, filtered, segments_in
from liestonet.surrogate.tuning import RECORDING
from liestonet.trajectories.increments import increments_of

STEPS = 7


def features_in(dimension: int, degree: int) -> Features:
    """Functions that do not depend on time, on the box from −1 to 1."""
    domain = Domain(((0.0, 2.0), *[(-1.0, 1.0)] * dimension))
    degrees = total_degree(range(1, dimension + 1), dimension + 1, degree)
    return Features(domain, degrees, (False,) * (dimension + 1))


def linear_model(error: float, blur: float) -> StepModel:
    """F = 0.1 − 0.8 x and A = 0.3, in one coordinate."""
    features = features_in(1, 1)
    points = np.array([[0.0, -0.5], [0.0, 0.5]])
    values = features.values(points)[()]
    drift = np.linalg.solve(values, 0.1 - 0.8 * points[:, 1])[:, None]
    diffusion = np.linalg.solve(values, np.full(2, 0.3))[:, None]
    return StepModel(
        features, ((0, 0),), drift, diffusion, diffusion, np.array([error]), blur, np.array([1e-6]), np.eye(2)
    )


def segments_from(rng: np.random.Generator, dimension: int, paths: int = 1) -> Segments:
    """Random points near the middle of the box, all of which count."""
    y = 0.3 * rng.standard_normal((STEPS + 1, paths, dimension))
    dt = rng.uniform(0.05, 0.2, (STEPS, paths))
    rows = np.arange(STEPS * paths).reshape(STEPS, paths)
    return Segments(np.zeros((STEPS, paths)), dt, y, np.ones((STEPS, paths), dtype=bool), rows, np.arange(paths))


@pytest.mark.parametrize(("error", "blur"), [(0.0, 0.0), (0.02, 0.0), (0.0, 0.15), (0.03, 0.1)])
def test_likelihood_of_a_linear_process(error: float, blur: float) -> None:
    """y_{n+1} − y_n − ΔF(y_n) is Gaussian: variance ΔA + L_{n+1} + M²L_n, covariance −M L_{n+1} of neighbours."""
    model, segments = linear_model(error, blur), segments_from(np.random.default_rng(3), 1)
    standard = filtered(model, segments)[:, 0, 0]
    y, dt = segments.y[:, 0, 0], segments.dt[:, 0]
    rest = np.diff(y) - dt * (0.1 - 0.8 * y[:-1])
    slope = 1 - 0.8 * dt
    own = np.concatenate([[error], error - blur * 0.3 * dt])  # of every point; the first has no step before it
    covariance = np.diag(0.3 * dt + own[1:] + slope**2 * own[:-1])
    for n in range(STEPS - 1):
        covariance[n, n + 1] = covariance[n + 1, n] = -slope[n + 1] * own[n + 1]
    assert np.sum(standard**2) == pytest.approx(rest @ np.linalg.solve(covariance, rest), rel=1e-9)
    # each innovation, too: the rows of the inverse Cholesky factor
    assert standard == pytest.approx(np.linalg.solve(np.linalg.cholesky(covariance), rest), rel=1e-9)


def test_a_point_is_smeared_where_it_is_predicted() -> None:
    """The first step from a known point has the variance ΔA(y) − RΔ a(y + ΔF(y)); a grows with the state."""
    model, segments = linear_model(0.0, 0.15), segments_from(np.random.default_rng(4), 1)
    points = np.array([[0.0, -0.5], [0.0, 0.5]])
    rising = np.linalg.solve(model.features.values(points)[()], 0.3 + 0.2 * points[:, 1])[:, None]
    standard = filtered(replace(model, instant=rising), segments)[0, 0, 0]
    (y, ends), dt = segments.y[:2, 0, 0], segments.dt[0, 0]
    predicted = y + dt * (0.1 - 0.8 * y)
    variance = dt * (0.3 - 0.15 * (0.3 + 0.2 * predicted))
    assert standard == pytest.approx((ends - predicted) / np.sqrt(variance), rel=1e-12)


@pytest.mark.parametrize("dimension", [1, 2])
def test_derivatives(dimension: int) -> None:
    """The score is the gradient of the likelihood, but for what the slope of F does to covariances: none at F' = 0."""
    rng = np.random.default_rng(5)
    features = features_in(dimension, 2)
    entries = tuple((i, j) for i in range(dimension) for j in range(i, dimension))
    drift, diffusion = np.zeros((features.size, dimension)), np.zeros((features.size, len(entries)))
    drift[0] = rng.normal(size=dimension)
    diffusion[0] = [0.6 if i == j else 0.1 for i, j in entries]
    error = rng.uniform(0.01, 0.03, dimension)
    model = StepModel(
        features, entries, drift, diffusion, diffusion, error, 0.05, np.full(dimension, 1e-6), np.eye(diffusion.size)
    )
    segments = segments_from(rng, dimension, 3)
    sums = Sums(model.size)
    filtered(model, segments, sums)
    sums.finish()

    def changed(column: int, by: float) -> StepModel:
        flat = np.concatenate([model.drift.T.ravel(), model.diffusion.T.ravel(), model.error, [model.blur]])
        flat[column] += by
        first, second = model.drift.size, model.drift.size + model.diffusion.size
        diffusion = flat[first:second].reshape(len(entries), -1).T
        return replace(
            model,
            drift=flat[:first].reshape(dimension, -1).T,
            diffusion=diffusion,
            instant=diffusion,
            error=flat[second:-1],
            blur=float(flat[-1]),
        )

    # constants of F and A, Λ and R: parameters that keep F and A the same everywhere
    width = features.size
    columns = [i * width for i in range(dimension + len(entries))]
    columns += list(range(model.size - dimension - 1, model.size))
    score = sums.score.sum(axis=0)
    for column in columns:
        forth, back = (_log_likelihood(changed(column, by), segments) for by in (1e-5, -1e-5))
        assert score[column] == pytest.approx((forth - back) / 2e-5, rel=1e-4, abs=1e-4)


def _log_likelihood(model: StepModel, segments: Segments) -> float:
    """By the covariance of all points of a path together, F and A being constant."""
    n, total = len(model.error), 0.0
    points = np.zeros((1, n + 1))
    value = model.features.values(points)[()]
    drift, entries = (value @ model.drift)[0], (value @ model.diffusion)[0]
    a = np.zeros((n, n))
    for (i, j), entry in zip(model.entries, entries, strict=True):
        a[i, j] = a[j, i] = entry
    for path in range(segments.y.shape[1]):
        y, dt = segments.y[:, path], segments.dt[:, path]
        rest = np.diff(y, axis=0) - dt[:, None] * drift
        own = [np.diag(model.error), *(np.diag(model.error) - model.blur * a * step for step in dt)]
        covariance = np.zeros((STEPS, n, STEPS, n))
        for k in range(STEPS):
            covariance[k, :, k] = a * dt[k] + own[k] + own[k + 1]
            if k + 1 < STEPS:
                covariance[k, :, k + 1] = covariance[k + 1, :, k] = -own[k + 1]
        size = STEPS * n
        root = np.linalg.cholesky(covariance.reshape(size, size))
        standard = np.linalg.solve(root, rest.ravel())
        total -= 0.5 * float(standard @ standard) + float(np.log(np.diag(root)).sum())
    return total


def test_every_step_counts_once() -> None:
    """Pieces cover every path but its first steps, whatever its length, and no step twice."""
    rng = np.random.default_rng(1)
    lengths = np.array([400, 3, 60, 2, 150])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    times = np.concatenate([np.arange(length) * 0.1 for length in lengths])
    block = increments_of(times, rng.standard_normal((offsets[-1], 1)), offsets)
    counts = np.zeros(len(block.t), dtype=int)
    for segments in segments_in(block, Domain(((0.0, 2.0), (-1.0, 1.0)))):
        np.add.at(counts, segments.rows[segments.counted], 1)
        ends = block.x[segments.rows] + block.dx[segments.rows]
        assert np.array_equal(segments.y[1:][segments.counted], ends[segments.counted])
    for path, length in enumerate(lengths):
        own = counts[block.trajectory == path]
        skipped = min(RECORDING.settling, (length - 1) // 4)
        assert own.tolist() == [0] * skipped + [1] * (length - 1 - skipped)
