"""Cells where steps arrive: derivatives against differences, level, and structure finer than a step (method §5.8)."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.inference.adequacy import CELLS, adequacy_of
from liestonet.inference.arrivals import Arrivals
from liestonet.inference.clock import choose_clock
from liestonet.inference.tuning import ADEQUACY
from liestonet.surrogate.filter import Told
from liestonet.surrogate.overview import look_over
from liestonet.surrogate.spectral_fit import fit_spectral

SIZE, PARAMETERS = 400, 3


def cells(rng: np.random.Generator, place: int) -> Arrivals:
    """Of a coordinate that is uniform between −1 and 1."""
    edges = np.linspace(-1, 1, ADEQUACY.arrival_cells + 1)[1:-1]
    fine = np.linalg.qr(rng.standard_normal((len(edges) + 1, 5)))[0]
    return Arrivals(place, place, edges, fine)


def told(rng: np.random.Generator, dimension: int) -> tuple[Told, np.ndarray, np.ndarray, np.ndarray]:
    """Random steps, with their means, covariances and ends in every coordinate."""
    entries = [(i, j) for i in range(dimension) for j in range(i + 1)]
    lower = np.tril(0.1 * rng.standard_normal((SIZE, dimension, dimension))) + 0.3 * np.eye(dimension)
    root = np.linalg.inv(lower)
    standard = rng.standard_normal((SIZE, dimension))
    rows = rng.standard_normal((dimension + len(entries), SIZE, PARAMETERS))
    squares = [(np.sqrt(0.5) if i == j else 1.0) * (standard[:, i] * standard[:, j] - (i == j)) for i, j in entries]
    values = np.concatenate([standard.T, squares])
    mean = rng.uniform(-0.8, 0.8, (SIZE, dimension))
    steps = np.arange(SIZE)
    given = Told(rows.reshape(-1, PARAMETERS), values.ravel(), steps, np.zeros(SIZE, dtype=np.int64), root)
    return given, mean, lower, mean + np.einsum("bij,bj->bi", lower, standard)


@pytest.mark.parametrize("dimension", [1, 2])
def test_derivatives(dimension: int) -> None:
    """How the expected counts change with the parameters, for means and covariances that change as the steps say."""
    rng = np.random.default_rng(dimension)
    steps, mean, lower, ends = told(rng, dimension)
    place = dimension - 1
    asked, kept = cells(rng, place), np.ones(SIZE, dtype=bool)
    nuisance = np.zeros((PARAMETERS, PARAMETERS))
    joint = np.zeros((SIZE, PARAMETERS))
    gram, score, scatter = asked.sums(steps, kept, ends[:, place], joint, (nuisance, nuisance))
    rows = steps.rows.reshape(-1, SIZE, PARAMETERS)
    entries = [(i, j) for i in range(dimension) for j in range(i + 1)]

    def counts(change: np.ndarray) -> np.ndarray:
        moved = mean + np.einsum("bij,jb->bi", lower, rows[:dimension] @ change)
        inner = np.zeros((SIZE, dimension, dimension))
        for (i, j), row in zip(entries, rows[dimension:] @ change, strict=True):
            inner[:, i, j] = inner[:, j, i] = row * (np.sqrt(2) if i == j else 1.0)
        covariance = lower @ (np.eye(dimension) + inner) @ np.swapaxes(lower, 1, 2)
        spread = np.sqrt(covariance[:, place, place])
        limits = (asked.edges - moved[:, place, None]) / spread[:, None]
        return np.diff(scipy.stats.norm.cdf(limits), axis=1, prepend=0.0, append=1.0).sum(axis=0)

    h = 1e-6
    for k, change in enumerate(h * np.eye(PARAMETERS)):
        expected = asked.fine.T @ (counts(change) - counts(-change)) / (2 * h)
        assert gram[:5, 5 + k] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    observed = np.bincount(np.searchsorted(asked.edges, ends[:, place]), minlength=ADEQUACY.arrival_cells)
    assert score[:5] == pytest.approx(asked.fine.T @ (observed - counts(np.zeros(PARAMETERS))))
    # what is expected of the scatter is the Gram matrix
    assert np.trace(scatter[:5, :5]) == pytest.approx(np.trace(gram[:5, :5]), rel=0.15)


def recording(step: float, size: float, points: int, seed: int) -> lsn.Trajectories:
    """dx = (−x + size sin 14x) dt + dW, of which nothing is known but the points."""
    rng, fine, x = np.random.default_rng(seed), 10, 0.0
    path = []
    for kicks in np.sqrt(step / fine) * rng.standard_normal((points, fine)):
        for kick in kicks.tolist():
            x += step / fine * (-x + size * np.sin(14 * x)) + kick
        path.append(x)
    return lsn.Trajectories.from_arrays([step * np.arange(points)], [np.array(path)[:, None]])


def test_structure_that_a_step_averages_over() -> None:
    """Wells are narrower than a step: means of steps show little of the force, the density does.

    Without the force a test rejects by chance in 0.1 % of recordings.
    """
    for size, rejected in ((0.9, True), (0.0, False)):
        source = choose_clock(recording(0.1, size, 15_000, seed=1), "restart")[0]
        found = {test.name: test for test in adequacy_of(source, fit_spectral(source))}
        assert found[CELLS].rejected == rejected


def test_rounded_points_and_angles_are_not_asked() -> None:
    data = recording(0.1, 0.0, 3000, seed=2)
    domain = Domain(((0.0, 1.0), (-2.0, 2.0)))
    overview = look_over(data, domain)
    assert Arrivals.of(overview, domain, 0, 0) is not None
    assert Arrivals.of(overview, domain.with_periods({1: 4.0}), 0, 0) is None
    rounded = lsn.Trajectories.from_arrays(data.times, [np.round(x, 2) for x in data.states])
    assert Arrivals.of(look_over(rounded, domain), domain, 0, 0) is None
