"""Strategies of reduction for systems, each against an Itô formula or a law known otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

from liestonet.core.domain import Domain
from liestonet.formulas.formula import Formula
from liestonet.reduction.section import flows_of, on_section
from liestonet.reduction.start import start_of
from liestonet.sde.sde import SDE
from liestonet.validation.generator_input import read_formula_rows
from reductions import ito_mismatch, reduced, return_mismatch

# equation, generator, strong: orbits are circles, hyperbolas, parabolas, and those of a field that depends on time
SECTIONS = [
    ("dx = (x-y-x*(x^2+y^2)) dt + dW1; dy = (x+y-y*(x^2+y^2)) dt + dW2", "y*d_x - x*d_y", False),
    ("dx = (x + y) dt + y dW; dy = (x + y) dt + x dW", "y*d_x + x*d_y", True),
    ("dx = y dt + dW1; dy = 2*x dt + 2*x dW1", "d_x + 2*x*d_y", None),
    ("dx = y dt; dy = dW", "t*d_x + d_y", True),
]


@pytest.mark.parametrize(("equation", "generator", "strong"), SECTIONS)
def test_the_equation_on_a_section_is_that_of_its_coordinates(equation, generator, strong):
    """Itô's formula by differences of coordinates that are computed by flows, at points off the section."""
    sde = SDE.parse(equation)
    domain = Domain(((0.1, 0.9), (0.5, 0.9), (0.1, 0.4)))
    if strong is None:
        sde = invariant_along_parabolas()
    (row,) = read_formula_rows(generator, sde.names, ())
    field = Formula(row[0], tuple(row[1:]), sympy.Integer(0), "proved", 0.0)
    start = start_of(sde, domain, {}, [(field, "X1", strong is not False)], in_law=strong is False)
    section: Any = on_section(start.stage)
    flows, h = flows_of(section, start.stage), 1e-3
    places = np.array([[0.3, 0.6, 0.2], [0.7, 0.8, 0.35], [0.5, 0.55, 0.15]])

    def coordinates(moved: np.ndarray) -> np.ndarray:
        return flows.forward(moved[:, 0], moved[:, 1:])

    unit = h * np.eye(3)
    first = [(coordinates(places + u) - coordinates(places - u)) / (2 * h) for u in unit]
    second = [
        [
            (
                coordinates(places + u + v)
                - coordinates(places + u - v)
                - coordinates(places - u + v)
                + coordinates(places - u - v)
            )
            / (4 * h**2)
            for v in unit
        ]
        for u in unit
    ]
    t, x = places[:, 0], places[:, 1:]
    f, sigma = sde.drift(t, x), sde.diffusion(t, x)
    squared = np.einsum("bik,bjk->bij", sigma, sigma)
    drift = first[0] + sum(f[:, [i]] * first[1 + i] for i in range(2))
    drift = drift + sum(squared[:, i, j, None] * second[1 + i][1 + j] for i in range(2) for j in range(2)) / 2
    slopes = np.stack(first[1:], axis=2)
    covariance = np.einsum("bmi,bij,bnj->bmn", slopes, squared, slopes)
    symbols = (start.inner.time, *section.equation.state)
    now = np.column_stack([t, coordinates(places)])
    for b, values in enumerate(now):
        at = dict(zip(symbols, map(float, values), strict=True))
        wanted = [float(sympy.sympify(e).subs(at)) for e in section.equation.drift]
        noise = np.array([[float(sympy.sympify(e).subs(at)) for e in line] for line in section.equation.noise])
        np.testing.assert_allclose(drift[b], wanted, rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(covariance[b], noise @ noise.T, rtol=2e-4, atol=2e-4)


def invariant_along_parabolas() -> SDE:
    """An equation for (x, y) with the symmetry ∂x + 2x∂y: made of dx and of d(y − x²), neither with x in it."""
    x, y = sympy.symbols("x y", real=True)
    z = y - x**2
    drift, noise = [sympy.sin(z), -z], [[1, 0], [0, z + 1]]
    # y = z + x², so dy = dz + 2x dx + dt
    return SDE.from_sympy([drift[0], drift[1] + 2 * x * drift[0] + 1], [noise[0], [2 * x, z + 1]], [x, y])


def test_rotations_of_space_leave_a_bessel_process():
    """dx = −2x dt + dW in three dimensions: dr = (1/r − 2r) dt + dB, so that e^{2t} r is the Bessel process A = 1."""
    made = reduced(
        "dx = -2*x dt + dW1; dy = -2*y dt + dW2; dz = -2*z dt + dW3",
        "y*d_x - x*d_y; z*d_y - y*d_z; z*d_x - x*d_z",
        law=True,
    )
    assert (made.kind, made.status, made.level, made.closed) == ("reduced", "proved", "law", 1)
    assert made.bessel == 1
    t = sympy.Symbol("t", real=True)
    clock, place = made.coordinates.values()
    assert sympy.simplify(clock.diff(t) - sympy.exp(4 * t)) == 0
    x, y, z = sympy.symbols("x y z", real=True)
    assert float(place.subs({t: 0, x: 0.2, y: 0.3, z: 0.6})) == pytest.approx(0.7)


def test_what_is_left_may_have_symmetries_of_its_own():
    """(y, z) has ∂y and z∂z, which the equation of x has not."""
    made = reduced("dx = z*sin(y) dt + dW1; dy = dW2; dz = -z dt + z dW3", "d_x")
    assert (made.kind, made.status, made.level) == ("solved", "proved", "strong")
    assert any("alone" in str(step) for step in made.steps)
    assert ito_mismatch(made) < 1e-9
    assert return_mismatch(made) < 1e-9


TIMED = [
    "dx = (y + t) dt + dW1; dy = -x dt + t dW2",
    "dx = (y - x) dt + (1+t) dW1; dy = (cos(t) - y) dt + exp(-t) dW2",
]


@pytest.mark.parametrize("equation", TIMED)
def test_linear_drift_and_noise_that_depends_on_time(equation):
    made = reduced(equation)
    assert (made.kind, made.status) == ("solved", "proved")
    assert made.is_exact
    assert ito_mismatch(made) < 1e-9
    assert return_mismatch(made) < 1e-9
