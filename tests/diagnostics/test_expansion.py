"""What a step adds to the coefficients, against SymPy and against exact moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from liestonet.core.coefficients import derivatives
from liestonet.core.domain import Domain
from liestonet.diagnostics.expansion import step_terms, what_is_known
from liestonet.sde.sde import SDE
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.trajectories import Trajectories
from liestonet.trajectories.measurement import Measurement

t, x, y = sp.symbols("t x y", real=True)


def test_terms_are_those_of_the_expansion_of_the_conditional_moments() -> None:
    """E[Δ] and Cov[Δ] to second order are ½h²L²x and ½h²(L²(xxᵀ) − …), computed here from L alone."""
    f = sp.Matrix([t * y - x**2, x * y + t])
    a = sp.Matrix([[1 + x**2, x * y * t / 4], [x * y * t / 4, 2 + y**2 + t**2]])
    state = (x, y)

    def generator(g: sp.Expr) -> sp.Expr:
        return sum(
            (f[i] * g.diff(state[i]) for i in range(2)),
            g.diff(t) + sum(a[i, j] * g.diff(state[i], state[j]) for i in range(2) for j in range(2)) / 2,
        )

    mean = [generator(generator(s)) / 2 for s in state]
    # Cov = E[xy] − E[x]E[y]; its h² coefficient from L²(xy)/2 and the products of the means' series
    covariance = [
        [
            generator(generator(u * v)) / 2 - u * mean[j] - v * mean[i] - generator(u) * generator(v)
            for j, v in enumerate(state)
        ]
        for i, u in enumerate(state)
    ]
    place = {t: 0.3, x: -0.7, y: 1.2}
    keys = list(derivatives(3, 2))
    variables = (t, x, y)

    def at(expression: Any) -> float:
        return float(expression.subs(place))

    def jets(matrix: sp.Matrix, shape: tuple[int, ...]) -> dict:
        return {
            key: np.array(
                [at(sp.diff(entry, *(variables[v] for v in key)) if key else entry) for entry in matrix]
            ).reshape((1, *shape, 1))
            for key in keys
        }

    domain = Domain(((0.0, 4.0), (-3.0, 3.0), (0.0, 1.0)))  # halves 2, 3 and ½
    h = np.array([0.01])
    terms = step_terms(domain, np.array([True, True]), h, jets(f, (2,)), jets(a, (2, 2)))
    unit = 2.0 / np.array([3.0, 0.5])
    expected = 0.01 * np.array([at(m) for m in mean]) * unit
    np.testing.assert_allclose(terms.drift_added[0, :, 0], expected, rtol=1e-10)
    square = 2.0 / np.outer([3.0, 0.5], [3.0, 0.5])
    expected = 0.01 * np.array([[at(c) for c in row] for row in covariance]) * square
    np.testing.assert_allclose(terms.diffusion_added[0, :, 0], expected.reshape(-1), rtol=1e-10)


@pytest.mark.parametrize(("rate", "step"), [(1.0, 0.2), (4.0, 0.1)])
def test_the_size_found_from_data_is_that_of_ornstein_and_uhlenbeck(rate: float, step: float) -> None:
    """dx = −kx dt + dW seen every h: the drift is −(1 − e^{−kh})x/h, whose own expansion adds ½kh of it."""
    sde = SDE.parse(f"dx = -{rate}*x dt + dW")
    data = sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 1)), 12.0, step, 300, seed=5, substeps=20)
    plain = Trajectories.from_arrays(data.times, data.states, measurement=Measurement.exact(steps="euler"))
    surrogate = fit_spectral(plain)  # whole steps are not part of the model, so that their bias shows
    known = what_is_known(surrogate, surrogate.overview.sample, 0.995)
    apparent = (1 - np.exp(-rate * step)) / step  # the rate that an estimate from such steps sees
    assert known.drift_added == pytest.approx(apparent * step / 2, rel=0.1)
    assert known.diffusion_added == pytest.approx(apparent * step, rel=0.1)


def test_brownian_motion_adds_nothing() -> None:
    sde = SDE.parse("dx = dW")
    sizes = []
    for seed in range(4):
        surrogate = fit_spectral(sde.simulate(lambda rng, n: rng.uniform(-2, 2, (n, 1)), 2.0, 0.1, 100, seed=seed))
        known = what_is_known(surrogate, surrogate.overview.sample, 0.995)
        sizes.append(max(known.drift_added, known.diffusion_added))
    assert max(sizes) < 0.07  # the flag's own limit; noise alone reaches the bound with a chance of 0.5 %
