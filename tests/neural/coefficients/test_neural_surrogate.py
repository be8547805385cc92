"""The neural surrogate as a coefficient source: values, derivatives and errors, each computed another way as well."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from liestonet.core.coefficients import JetOrder, derivatives
from liestonet.neural.coefficients.coefficient_networks import place
from liestonet.neural.coefficients.stepsize import _output_changes
from liestonet.symmetry.determining.kinds import kind_named
from liestonet.symmetry.statistical.search import search
from liestonet.symmetry.statistical.verdicts import Criteria


def plain_network(surrogate, points):
    """f and σ in NumPy, written down again."""
    z = (points - surrogate.centre) / surrogate.spread

    def features(layers):
        hidden = z
        for layer in layers:
            hidden = np.tanh(hidden @ layer.weights + layer.bias)
        return np.column_stack([np.ones(len(z)), z, hidden])

    drift = features(surrogate.drift_layers) @ surrogate.drift_last * surrogate.drift_unit
    outputs = features(surrogate.diffusion_layers or surrogate.drift_layers) @ surrogate.diffusion_last
    rank = surrogate.noise
    sigma = np.zeros((len(z), surrogate.dimension, rank))
    rows = np.flatnonzero(surrogate.noisy)
    places = [(i, j) for i in range(rank) for j in range(i + 1)]
    for column, (i, j) in enumerate(places):
        value = outputs[:, column]
        if i == j:
            value = np.log1p(np.exp(value + np.log(np.e - 1))) + surrogate.settings.floor
        sigma[:, rows[i], j] = surrogate.diffusion_unit[i] * value
    return drift, sigma @ np.swapaxes(sigma, 1, 2)


@pytest.mark.parametrize("name", ["scalar", pytest.param("planar", marks=pytest.mark.slow), "langevin"])
def test_values_are_those_of_the_written_network(name, request):
    surrogate = request.getfixturevalue(name)
    points = np.random.default_rng(1).uniform(-1, 1, (150, 1 + surrogate.dimension))
    drift, squared = plain_network(surrogate, points)
    assert surrogate.drift(points[:, 0], points[:, 1:]) == pytest.approx(drift, rel=1e-12, abs=1e-12)
    assert surrogate.diffusion_squared(points[:, 0], points[:, 1:]) == pytest.approx(squared, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["scalar", pytest.param("planar", marks=pytest.mark.slow)])
def test_derivatives_are_slopes_of_the_next_lower_ones(name, request):
    surrogate = request.getfixturevalue(name)
    points = np.random.default_rng(2).uniform(-1, 1, (20, 1 + surrogate.dimension))
    order, step = JetOrder(drift=2, diffusion_squared=3), 1e-5
    jet, _ = surrogate.jet_and_directions(points, order, None)
    for variable in range(points.shape[1]):
        shift = step * np.eye(points.shape[1])[variable]
        above, _ = surrogate.jet_and_directions(points + shift, order, None)
        below, _ = surrogate.jet_and_directions(points - shift, order, None)
        for attribute, highest in (("drift", 2), ("diffusion_squared", 3)):
            found, high, low = (getattr(value, attribute) for value in (jet, above, below))
            for derivative in derivatives(points.shape[1], highest - 1):
                slope = (high[derivative] - low[derivative]) / (2 * step)
                further = found[tuple(sorted((*derivative, variable)))]
                assert further == pytest.approx(slope, rel=1e-5, abs=1e-6 * (1 + np.abs(slope).max()))


@pytest.mark.parametrize("name", ["scalar", pytest.param("planar", marks=pytest.mark.slow)])
def test_directions_are_changes_with_the_parameters(name, request):
    surrogate = request.getfixturevalue(name)
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (10, 1 + surrogate.dimension))
    directions = rng.standard_normal((len(surrogate.parameters), 3))
    order, step = JetOrder(drift=1, diffusion=1, diffusion_squared=2), 1e-6
    _, changes = surrogate.jet_and_directions(points, order, directions)
    for column in range(3):
        moved = [
            surrogate.with_parameters(surrogate.parameters + sign * step * directions[:, column]).jet(
                points[:, 0], points[:, 1:], order
            )
            for sign in (1, -1)
        ]
        for attribute in ("drift", "diffusion", "diffusion_squared"):
            for derivative, array in getattr(changes, attribute).items():
                high, low = (getattr(jet, attribute)[derivative] for jet in moved)
                slope = (high - low) / (2 * step)
                assert array[..., column] == pytest.approx(slope, rel=1e-4, abs=1e-5 * (1 + np.abs(slope).max()))


def test_a_coordinate_without_noise_is_recognised(langevin):
    assert langevin.noisy.tolist() == [False, True]
    points = np.random.default_rng(4).uniform(-1, 1, (50, 3))
    drift = langevin.drift(points[:, 0], points[:, 1:])
    squared = langevin.diffusion_squared(points[:, 0], points[:, 1:])
    assert drift[:, 0] == pytest.approx(points[:, 2], abs=1e-5)  # dx = y dt
    assert not squared[:, 0].any()
    assert not squared[:, :, 0].any()
    assert squared[:, 1, 1] == pytest.approx(2.0, rel=0.15)
    assert np.isfinite(langevin.parameter_covariance).all()


def test_the_covariance_is_positive_and_of_all_parameters(scalar):
    covariance = scalar.parameter_covariance
    assert covariance.shape == (len(scalar.parameters),) * 2
    assert np.linalg.eigvalsh(covariance).min() > -1e-12 * np.trace(covariance)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("langevin", "ito"),
        pytest.param("planar", "law", marks=pytest.mark.slow),
        pytest.param("scalar", "fokker-planck", marks=pytest.mark.slow),
    ],
)
def test_the_search_takes_it_like_any_other_source(name, kind, request):
    surrogate = request.getfixturevalue(name)
    found = search(kind_named(kind), surrogate, surrogate.domain, surrogate.overview.points, Criteria())
    assert all(np.isfinite([row.residual, row.noise, row.upper, row.p_value]).all() for row in found.rows)
    assert found.rows[0].residual < found.rows[-1].residual


def test_it_is_made_of_values_that_can_be_stored(scalar):
    def leaves(value):
        if isinstance(value, np.ndarray | str | int | float | bool | None):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                yield from leaves(item)
        else:
            assert value.__dataclass_params__.frozen, type(value)
            for name in value.__dataclass_fields__:
                yield from leaves(getattr(value, name))

    assert all(not isinstance(leaf, np.ndarray) or leaf.dtype != object for leaf in leaves(scalar))


@pytest.mark.slow
def test_a_change_of_a_is_made_by_the_outputs_change(planar):
    rng = np.random.default_rng(6)
    change = rng.standard_normal((30, 2, 2))
    change = change + np.swapaxes(change, 1, 2)
    outputs = rng.normal(0, 0.3, (30, 3))
    root = np.asarray(jax.jit(place, static_argnums=0)(planar.form, planar.units, outputs))
    moved = _output_changes(planar.form, planar.units, root @ np.swapaxes(root, 1, 2), outputs, change)
    step = 1e-6
    above, below = (
        np.asarray(jax.jit(place, static_argnums=0)(planar.form, planar.units, outputs + sign * step * moved))
        for sign in (1, -1)
    )
    slope = (above @ np.swapaxes(above, 1, 2) - below @ np.swapaxes(below, 1, 2)) / (2 * step)
    assert slope == pytest.approx(change, rel=1e-6, abs=1e-6)
