"""All steps at once where points have no error: the same as the filter step by step, for any series."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.surrogate.exact_points import all_steps
from liestonet.surrogate.features import Features
from liestonet.surrogate.filter import Segments, StepModel, Sums, filtered
from liestonet.surrogate.tuning import RECORDING


def model_of(rng: np.random.Generator, dimension: int) -> StepModel:
    """Random series of drift and diffusion that depend on time; a differs from A."""
    domain = Domain(((0.0, 2.0), *[(-1.0, 1.0)] * dimension))
    features = Features(domain, total_degree(range(dimension + 1), dimension + 1, 2), (False,) * (dimension + 1))
    entries = tuple((i, j) for i in range(dimension) for j in range(i, dimension))
    diffusion = 0.05 * rng.normal(size=(features.size, len(entries)))
    diffusion[0] = [0.9 if i == j else 0.1 for i, j in entries]
    drift = rng.normal(size=(features.size, dimension))
    least = np.full(dimension, 1e-6)
    back = np.eye(diffusion.size)
    return StepModel(features, entries, drift, diffusion, 1.1 * diffusion, np.zeros(dimension), 0.0, least, back)


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("paths", [1, 7, 400])
def test_the_same_as_step_by_step(dimension: int, paths: int) -> None:
    """Points outside the box and steps that do not count are among them; steps are cut into several parts."""
    rng, steps = np.random.default_rng(paths), 40
    model = model_of(rng, dimension)
    assert model.points_are_exact
    counted = rng.random((steps, paths)) < 0.8
    y = np.cumsum(0.2 * rng.standard_normal((steps + 1, paths, dimension)), axis=0)
    dt = rng.uniform(0.05, 0.2, (steps, paths))
    rows = np.arange(steps * paths).reshape(steps, paths)
    segments = Segments(np.cumsum(dt, axis=0), dt, y, counted, rows, np.arange(paths) % 16)
    whole, parts = Sums(model.size), Sums(model.size)
    expected, found = filtered(model, segments, whole), all_steps(model, segments, parts)
    whole.finish()
    parts.finish()
    assert paths < 400 or steps * paths * model.size * (dimension + len(model.entries)) > RECORDING.summed_at_once
    assert whole.count == parts.count < counted.sum() <= rows.size
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(all_steps(model, segments), expected, atol=1e-12)
    for name in ("score", "information", "outer"):
        wanted = getattr(whole, name)
        np.testing.assert_allclose(getattr(parts, name), wanted, atol=1e-10 * np.abs(wanted).max())
