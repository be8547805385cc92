"""Score and information of the last layers against derivatives of the likelihood, and against its own scatter."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from liestonet.neural.coefficients.coefficient_networks import Form, triangle
from liestonet.neural.coefficients.information import CurrentFit, _diffusion_information, sums
from liestonet.neural.coefficients.likelihood import IncrementBatch, likelihood_terms
from neural_cases import quick


def increments(surrogate, count: int, seed: int = 0) -> IncrementBatch:
    """Increments with steps of their own."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (count, 1 + surrogate.dimension))
    dt = rng.uniform(0.001, 0.1, count)
    dx = rng.standard_normal((count, surrogate.dimension)) * np.sqrt(dt)[:, None]
    return IncrementBatch(*(jnp.asarray(array) for array in (points, dt, dx)))


@pytest.mark.parametrize("name", ["scalar", pytest.param("planar", marks=pytest.mark.slow)])
def test_score_and_information_are_derivatives_of_the_likelihood(name, request):
    surrogate = request.getfixturevalue(name)
    form, units, weights, data = surrogate.form, surrogate.units, surrogate.weights, increments(surrogate, 300)
    level = np.ones(surrogate.dimension)

    def loss(which: str, last: jax.Array) -> jax.Array:
        changed = weights._replace(**{which: getattr(weights, which)._replace(last=last)})
        return -300 * likelihood_terms(form, units, changed, data)[0]["likelihood"]

    for which, drift in (("drift", True), ("diffusion", False)):
        last = jnp.asarray(getattr(weights, which).last)
        block = sums(form, CurrentFit(units, weights, level), data, drift=drift)
        assert (
            pytest.approx(np.asarray(jax.jit(jax.grad(partial(loss, which)))(last)), rel=1e-9, abs=1e-7)
            == block.score.T
        )
        if drift:  # the likelihood is quadratic in the drift: its second derivative is the information
            hessian = np.asarray(jax.jit(jax.hessian(partial(loss, which)))(last)).transpose(1, 3, 0, 2)
            assert block.information == pytest.approx(-hessian, rel=1e-8, abs=1e-6 * np.abs(hessian).max())


@pytest.mark.slow  # 250 MB
def test_information_about_the_diffusion_is_the_scatter_of_its_score():
    settings = quick()
    form = Form(2, (0, 1), False, settings.activation, settings.skip, settings.time_dependent, settings.floor)
    outputs = np.array([[0.3, -0.4, 0.2]])
    rng = np.random.default_rng(1)
    white = jnp.asarray(rng.standard_normal((400_000, 2)))
    inverse = np.linalg.inv(np.asarray(triangle(form, jnp.asarray(outputs))))
    many = jnp.broadcast_to(jnp.asarray(outputs), (len(white), 3))
    matrix, score = _diffusion_information(form, many, jnp.broadcast_to(inverse, (len(white), 2, 2)), white)
    found = np.asarray(score).T @ np.asarray(score) / len(white)
    assert found == pytest.approx(np.asarray(matrix[0]), rel=0.02, abs=0.02)
