"""Equations without ordinary symmetries, solved by random ones: Itô's formula, and paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.formulas.proved.random_quadrature import random_quadrature
from liestonet.formulas.proved.random_scalar import scalar_answer
from liestonet.sde.domain_choice import choose_domain
from liestonet.sde.extended import extended

t, x, w = sp.symbols("t x w", real=True)


def solved(text: str) -> tuple[lsn.SDE, Any]:
    sde = lsn.SDE.parse(text)
    larger = extended(sde)
    phis = [row.xi for row in lsn.solve(sde, symmetry="random").formulas()] if sde.dimension > 1 else []
    source: Any = larger.symbolic
    return sde, random_quadrature(source, choose_domain(larger), phis)


SCALAR = [
    "dx = (x - x^2) dt + x dW",
    "dx = (2*x - 3*x^4) dt + x/2 dW",
    "dx = (2*x + 1) dt + (x + 3) dW",
    "dx = (1/2 - 3*exp(2*x)) dt + 3/4 dW",
    "dx = (t*x - x^2/(1 + t)) dt + x dW",
]


@pytest.mark.parametrize("text", SCALAR)
def test_solution_is_a_riemann_integral(text: str):
    """u has no noise left, and x(u) solves the equation along a fine path of the noise."""
    sde, found = solved(text)
    source: Any = sde.symbolic
    assert found.noise == ((0,),)
    (drift,), (inverse,), (height,) = found.drift, found.inverse, found.heights
    assert not drift.has(x)
    rng, n, dt = np.random.default_rng(5), 40_000, 1e-5
    times = dt * np.arange(n + 1)
    noise = np.concatenate([[0.0], np.cumsum(np.sqrt(dt) * rng.standard_normal(n))])
    start = 0.8
    path = np.empty(n + 1)
    path[0] = start
    f, sigma = (sp.lambdify((t, x), e, "math") for e in (source.drift[0], source.diffusion[0]))
    slope = sp.lambdify((t, x), sp.diff(source.diffusion[0], x), "math")
    for k in range(n):  # Milstein's step
        dw, here = noise[k + 1] - noise[k], path[k]
        s = sigma(times[k], here)
        path[k + 1] = here + f(times[k], here) * dt + s * dw + s * slope(times[k], here) * (dw**2 - dt) / 2
    p = np.broadcast_to(sp.lambdify((t, w), drift, "numpy")(times, noise), n + 1)
    begin = float(found.coordinates[0].subs({t: 0, w: 0, x: start}))
    u = begin + np.concatenate([[0.0], np.cumsum((p[1:] + p[:-1]) / 2) * dt])
    exact = sp.lambdify((t, w, height), inverse, "numpy")(times, noise, u)
    np.testing.assert_allclose(exact, path, rtol=2e-3, atol=1e-3)


def test_two_noises_leave_an_ito_integral():
    _, found = solved("dx = (x + 1) dt + dW1 + x dW2")
    w2 = sp.Symbol("w2", real=True)
    assert found.noise == ((sp.exp(-t / 2 - w2), 0),)


@pytest.mark.slow
def test_linear_systems_by_their_fundamental_matrix():
    _, found = solved("dx = (x + 1) dt + (x + y) dW; dy = y dt + (y - x + 1) dW")
    assert found.status == "proved"
    y = sp.Symbol("y", real=True)
    assert not any(part.has(x, y) for part in (*found.drift, *(e for row in found.noise for e in row)))
    u = dict(zip(found.heights, found.coordinates, strict=True))
    back = [sp.simplify(part.subs(u)) for part in found.inverse]
    assert back == [x, y]


def test_equations_without_a_random_symmetry_have_no_quadrature():
    assert solved("dx = (x - x^3) dt + dW")[1] is None
    assert solved("dx = (1 - x) dt + sqrt(x) dW")[1] is None


def test_scalar_theory_says_one_none_or_all():
    box = Domain(((0.0, 1.0), (0.5, 2.0), (-1.0, 1.0)))

    def answer(text: str) -> Any:
        source: Any = extended(lsn.SDE.parse(text)).symbolic
        return scalar_answer(source, box)

    assert answer("dx = (x - x^2) dt + x dW").rates == (-1,)
    none = answer("dx = (x - x^2 + x^3) dt + x dW")
    assert (none.phi, none.invariant) == (None, None)
    assert answer("dx = 3*x dt + x dW").invariant is not None
