"""Systems like those of the catalogue with other parameters and nonlinearities: dimension and name by theory, formulas.

Scalar ones follow docs/method.md §2.6; the others are images of Brownian motion, linear drifts whose eigenvalues give
the name, or systems with nothing but shifts. Every formula must be proved, and be the generator beside it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy

import liestonet as lsn

SCALAR = {0: "trivial", 1: "R", 2: "aff(1)", 3: "Bianchi VI, h = −9"}
DENSITY = {1: "R", 2: "R^2", 4: "sl(2,R) ⊕ R", 6: "sl(2,R) ⋉ h_3"}
FLAT_ITO, FLAT_LAW = "R ⋉ R^3 with weights (2, 1, 1)", "(so(2) ⊕ R) ⋉ R^3 with weights (2, 1, 1)"
FLAT_DENSITY = "(sl(2,R) ⊕ so(2)) ⋉ h_5"
INTEGRATED = "R ⋉ h_3 with weights (2, 1)"

# equation, Itô dimension, Fokker–Planck dimension
SCALARS = [
    # images of Brownian motion: sinh, cube, tangent, exponential with and without return
    ("dx = (x/2 + 3*sqrt(1 + x^2)) dt + sqrt(1 + x^2) dW", 3, 6),
    ("dx = 12*x^(1/3) dt + 6*x^(2/3) dW", 3, 6),
    ("dx = x*(1 + x^2) dt + (1 + x^2) dW", 3, 6),
    ("dx = x*(1/2 - 3*log(x)) dt + x dW", 3, 6),
    # clocks and growth factors that are integrals: elementary, error functions, and integrals that are kept
    ("dx = -x/(1 + t) dt + dW", 3, 6),
    ("dx = -x/(1 - t/2) dt + dW", 3, 6),
    ("dx = x/(3 + 2*t) dt + sqrt(1 + t) dW", 3, 6),
    ("dx = -3*x/4 dt + sqrt(2)*exp(-t/3) dW", 3, 6),
    ("dx = (t - 2*x) dt + exp(-t) dW", 3, 6),
    ("dx = exp(t)*x dt + exp(t/2) dW", 3, 6),
    ("dx = -x dt + cos(t) dW", 3, 6),
    ("dx = sqrt(1 + t^2) dW", 3, 6),
    ("dx = -x*log(x)*t dt + x dW", 3, 6),
    ("dx = (x + 1)*log(x + 1)*t dt + (x + 1) dW", 3, 6),
    ("dx = t^2*x dt + dW", 3, 6),
    ("dx = (cos(t)*x + 1) dt + dW", 3, 6),
    ("dx = sqrt(1 + x^4) ∘ dW", 3, 6),
    # A/y + b(t)y: six for the density at A = 1, else four
    ("dx = (2/x - x/3) dt + dW", 2, 4),
    ("dx = (1/x + t*x) dt + dW", 2, 6),
    ("dx = (1/x - t*x/2) dt + dW", 2, 6),
    ("dx = (1/x + sin(t)*x) dt + dW", 2, 6),
    ("dx = cos(t)^2/x dt + cos(t) dW", 2, 6),
    ("dx = (1/3 - 2*x) dt + sqrt(x)/2 dW", 2, 4),
    ("dx = x/5 dt + x^(2/3) dW", 2, 4),
    ("dx = x/10 dt + x^(1/3) dW", 2, 4),
    ("dx = -x/7 dt + x^(5/4)/3 dW", 2, 4),
    # g² + g' decides for the density: constant for coth and for Jacobi with these rates
    ("dx = coth(x) dt + dW", 1, 6),
    ("dx = 3*(1/2 - x) dt + sqrt(2*x*(1 - x)) dW", 1, 6),
    ("dx = 2*(1/3 - x) dt + sqrt(x*(1 - x)) dW", 1, 2),
    ("dx = x*(2 - x) dt + x/3 dW", 1, 2),
    ("dx = (x - 2*x^3) dt + (1 + x^2) dW", 1, 2),
    ("dx = exp(-x) dt + dW", 1, 2),
    ("dx = sin(x)*exp(-2*t) dt + exp(-t) dW", 1, 2),
    ("dx = t/x dt + dW", 0, 1),
]

# equation, then (kind, dimension, name)
SEVERAL = [
    ("dx = (-x + 2*y) dt + dW1; dy = (-2*x - y) dt + dW2", "ito", 3, "Bianchi VII, h = 1/4"),
    ("dx = (-x + 2*y) dt + dW1; dy = (-2*x - y) dt + dW2", "law", 5, FLAT_LAW),
    ("dx = (-x + y) dt + dW1; dy = -3*y dt + 2 dW2", "ito", 3, "Bianchi VI, h = −4"),
    ("dx = (-x + y) dt + dW1; dy = -3*y dt + 2 dW2", "fokker-planck", 6, "R ⋉ h_5 with weights (3, 1, −1, −3)"),
    ("dx = -2*x dt + dW1; dy = -3*y dt + 1/2 dW1 + dW2", "ito", 3, "Bianchi VI, h = −25"),
    ("dx = -x/3 dt + dW1; dy = -y/3 dt + 1/2 dW1 + 3/2 dW2", "law", 5, FLAT_LAW),
    ("dx = (x + y) dt + dW1; dy = y dt + dW2", "ito", 3, "Bianchi IV"),
    ("dx = y dt; dy = (-3/4*x - 2*y) dt + dW", "ito", 4, INTEGRATED),
    ("dx = y dt; dy = (-3/4*x - 2*y) dt + dW", "fokker-planck", 8, "sl(2,R) ⋉ h_5, acting as 4"),
    ("dx = y dt; dy = (cos(t) - y) dt + dW", "ito", 3, "Bianchi III (aff(1) ⊕ R)"),
    ("dx = t*x dt + dW1; dy = t*y dt + dW2", "law", 5, FLAT_LAW),
    ("dx = cos(t)*x dt + dW1; dy = cos(t)*y dt + dW2", "ito", 4, FLAT_ITO),
    ("dx = t*x dt + dW1; dy = -y dt + dW2", "ito", 2, "R^2"),
    ("dx = x/3 dt + x/2 dW1; dy = dW2", "fokker-planck", 9, FLAT_DENSITY),
    ("dx = 1/x dt + dW1; dy = -dt + 2 dW2", "fokker-planck", 9, FLAT_DENSITY),
    ("dx = 3/x dt + dW1; dy = 2/y dt + dW2", "fokker-planck", 4, "sl(2,R) ⊕ R"),
    ("dx = y^2 dt + dW1; dy = dW2", "fokker-planck", 3, "Bianchi I (R^3)"),
    ("dx = -x dt + dW1; dy = -2*y dt + dW2; dz = -3*z dt + dW3", "ito", 4, "R ⋉ R^3 with weights (3, 2, 1)"),
    ("dx = -y dt + dW1; dy = x dt + dW2; dz = dW3", "ito", 4, "e(2) ⊕ R"),
]
# these take a second or two, and have a like among the others
LONG = {
    "dx = -x dt + cos(t) dW",
    "dx = (cos(t)*x + 1) dt + dW",
    "dx = (x + 1)*log(x + 1)*t dt + (x + 1) dW",
    "dx = x/(3 + 2*t) dt + sqrt(1 + t) dW",
    "dx = (1/x - t*x/2) dt + dW",
}
QUICK = {"dx = (x + y) dt + dW1; dy = y dt + dW2", "dx = t*x dt + dW1; dy = -y dt + dW2"}


@cache
def solved(equation: str, kind: str = "ito") -> lsn.Result:
    return lsn.solve(lsn.SDE.parse(equation), kind)


def assert_solved(equation: str, kind: str, dimension: int, name: str) -> None:
    """Dimension and name are right, and every formula is proved and is the generator beside it."""
    result = solved(equation, kind)
    assert (result.dimension, result.algebra.name) == (dimension, name)
    assert [row.status for row in result.formulas()] == ["proved"] * dimension
    u = np.random.default_rng(3).uniform(-0.9, 0.9, (3, len(result.domain.half)))
    points = result.domain.centre + result.domain.half * u
    values = result.generators(points[:, 0], points[:, 1:])
    stacked = np.concatenate([v[:, :, None] if v.ndim == 2 else v for v in values], axis=2)
    symbols = [sympy.Symbol(name, real=True) for name in ("t", *result.names)]
    for row, field in zip(result.formulas(), stacked, strict=True):
        components = [row.tau, *row.xi, row.beta][: stacked.shape[2]]
        # evalf also knows integrals that are kept
        exact = [
            [float(sympy.sympify(c).subs(dict(zip(symbols, p, strict=True))).evalf()) for c in components]
            for p in points.tolist()
        ]
        np.testing.assert_allclose(field, exact, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize(
    ("equation", "dimension"),
    [pytest.param(row[0], row[1], marks=[pytest.mark.slow] * (row[0] in LONG)) for row in SCALARS],
)
def test_paths_of_scalar_systems(equation, dimension):
    assert_solved(equation, "ito", dimension, SCALAR[dimension])


@pytest.mark.slow
@pytest.mark.parametrize(("equation", "dimension"), [(row[0], row[2]) for row in SCALARS])
def test_densities_of_scalar_systems(equation, dimension):
    assert_solved(equation, "fokker-planck", dimension, DENSITY[dimension])


@pytest.mark.parametrize(
    ("equation", "kind", "dimension", "name"),
    [pytest.param(*row, marks=[] if row[0] in QUICK else [pytest.mark.slow]) for row in SEVERAL],
)
def test_systems_of_several_coordinates(equation, kind, dimension, name):
    assert_solved(equation, kind, dimension, name)


def test_a_kept_integral_appears_where_there_is_no_closed_one():
    # τ' = 2bτ + c with b = sin t: e^{−2 cos t} and its multiple by the integral of e^{2 cos t}
    t, x = sympy.symbols("t x", real=True)
    rows = solved("dx = (1/x + sin(t)*x) dt + dW").formulas()
    assert rows[0].tau == sympy.exp(-2 * sympy.cos(t))
    ratio = sympy.simplify(sympy.diff(rows[1].tau / rows[0].tau, t) / sympy.exp(2 * sympy.cos(t)))
    assert ratio.is_number
    assert not rows[1].tau.has(x)


def test_formulas_are_written_shortly():
    rows = solved("dx = -x/(1 + t) dt + dW").formulas()
    assert max(sympy.count_ops(c) for row in rows for c in (row.tau, *row.xi)) <= 5
