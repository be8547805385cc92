"""Residuals of a map are affine in the parameters of a fit: inner products against rows that come from jets."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.core.coefficients import JetOrder
from liestonet.core.points import PointCloud
from liestonet.core.uncertainty import Errors
from liestonet.surrogate.surrogate import Surrogate
from liestonet.validation.maps.map_equations import drift_rows, squared_rows, stacked
from liestonet.validation.maps.map_input import parse_map
from liestonet.validation.maps.map_residuals import map_rows
from liestonet.validation.maps.point_map import PointMap

ORDER = JetOrder(drift=0, diffusion_squared=0)


@pytest.fixture(scope="module")
def fitted() -> Surrogate:
    sde = lsn.SDE.parse("dx = (x - x^3 - y/2) dt + 0.7 dW1; dy = -y dt + sqrt(1 + x^2/2)/2 dW2")
    starts = np.random.default_rng(5).uniform(-1.5, 1.5, (40, 2))
    return lsn.fit(sde.simulate(starts, duration=1.0, step=0.02, paths=40, seed=5))


def from_jets(made: PointMap, fit: Surrogate, cloud: PointCloud) -> tuple[np.ndarray, np.ndarray]:
    """T E/L and T Q/(LL) at the points and their change with each parameter, from the values of f and a alone."""
    one_each, jet = np.eye(len(fit.parameters)), made.jet(cloud.points)
    (here, moved), (there, carried) = (
        fit.jet_and_directions(points, ORDER, one_each) for points in (cloud.points, jet.images)
    )
    assert moved is not None
    assert carried is not None
    sides = []
    for first, second, own in ((here, there, jet.drift), (moved, carried, 0.0)):
        f, a = (first.drift[()], second.drift[()]), (first.diffusion_squared[()], second.diffusion_squared[()])
        rows = stacked(own + drift_rows(jet, f[0], a[0], f[1]), squared_rows(jet, a[0], a[1]), fit.domain)
        weighted = np.moveaxis(rows, 1, 0) * np.sqrt(cloud.weights).reshape(1, -1, *[1] * (rows.ndim - 2))
        sides.append(weighted.reshape(-1, *rows.shape[2:]))
    return sides[0], sides[1]


@pytest.mark.parametrize("text", ["x, y -> -y, x", "t, x, y -> 2*t, x + y^2/5, y*exp(t/4) - x*y/9"])
def test_inner_products_are_those_of_the_rows(fitted: Surrogate, text: str):
    made = parse_map(text, fitted.names)
    points = fitted.overview.points[::50]
    cloud = PointCloud(points, np.full(len(points), 1 / len(points)))
    residual, changes = from_jets(made, fitted, cloud)
    rows = map_rows(made, fitted, cloud)
    size = float(np.linalg.norm(residual) / np.linalg.norm(rows.residual))
    np.testing.assert_allclose(rows.residual * size, residual, rtol=1e-9, atol=1e-12)
    found = rows.products()
    changes = changes / size
    scale = np.abs(found.gram).max()
    np.testing.assert_allclose(found.gram, changes.T @ changes, atol=1e-12 * scale)
    np.testing.assert_allclose(found.cross, changes.T @ rows.residual, atol=1e-12 * scale)
    np.testing.assert_allclose(found.smooth, changes.T @ rows.smooth, atol=1e-12 * np.sqrt(scale))

    rng = np.random.default_rng(1)
    step = 0.1 * rng.standard_normal(len(fitted.parameters))
    after, alone = rows.residual + changes @ step, changes @ step
    for made_of, seen in ((found.moved(step), after), (found.changes(step), alone)):
        assert made_of.square == pytest.approx(seen @ seen, rel=1e-9)
        np.testing.assert_allclose(made_of.cross, changes.T @ seen, atol=1e-11 * scale)

    direction = rng.standard_normal(len(residual))
    unit = direction / np.linalg.norm(direction)
    left = rows.residual - unit * (unit @ rows.residual)
    kept = changes - np.outer(unit, unit @ changes)
    without = rows.products(direction)
    assert without.square == pytest.approx(left @ left, rel=1e-9)
    np.testing.assert_allclose(without.gram, kept.T @ kept, atol=1e-12 * scale)
    np.testing.assert_allclose(without.cross, kept.T @ left, atol=1e-12 * scale)

    root = rng.standard_normal((len(step), 3))
    errors = found.under(Errors(root[:, :2], root[:, 2:]))
    np.testing.assert_allclose(errors.gram, root.T @ changes.T @ changes @ root, rtol=1e-9)
    assert errors.scattered == 2
