"""Equations with parameters that have no value: dimension for generic ones, formulas and brackets in symbols."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from findings import of_equation
from liestonet.errors import InputError
from liestonet.symmetry.determining.kinds import kind_named

# Dimensions for generic parameters follow from docs/method.md §2.6.
SYSTEMS = {
    "Ornstein–Uhlenbeck": ("dx = -k*x dt + s dW", "ito", 3),
    "Ornstein–Uhlenbeck, density": ("dx = -k*x dt + s dW", "fokker-planck", 6),
    "geometric Brownian": ("dx = mu*x dt + sigma*x dW", "ito", 3),
    "CIR": ("dx = kappa*(theta - x) dt + sigma*sqrt(x) dW", "ito", 2),
    "CIR, density": ("dx = kappa*(theta - x) dt + sigma*sqrt(x) dW", "fokker-planck", 4),
    "Langevin": ("dx = y dt; dy = -g*y dt + s dW", "ito", 3),
    "Brownian with drift": ("dx = m dt + s dW", "ito", 3),
    "double well": ("dx = (a*x - b*x^3) dt + dW", "ito", 1),
    "constant elasticity": ("dx = mu*x dt + s*x^b dW", "ito", 2),
    "forced": ("dx = (a*sin(w*t) - x) dt + s dW", "ito", 3),
    "growth in time": ("dx = a*t*x dt + s dW", "ito", 3),
}


LONG = {"CIR, density", "forced"}  # two seconds each; another density and another time are among the others


@pytest.fixture(
    scope="module",
    params=[pytest.param(case, id=name, marks=[pytest.mark.slow] * (name in LONG)) for name, case in SYSTEMS.items()],
)
def solved(request):
    text, kind, dimension = request.param
    sde = lsn.SDE.parse(text)
    return sde, kind, dimension, lsn.solve(sde, kind)


def test_dimension_and_formulas_hold_for_all_parameters(solved):
    sde, kind, dimension, result = solved
    assert result.dimension == dimension
    assert {row.status for row in result.formulas()} == {"proved"}
    equations = kind_named(kind).equations(sde.dimension, sde.noise)
    # other values than any that were drawn, put into coefficients and formulas alike, at a point
    others = {sympy.Symbol(name, real=True): sympy.Rational(3 + 2 * i, 4) for i, name in enumerate(sde.parameters)}
    numeric = sde.with_parameters({str(name): value for name, value in others.items()})
    assert numeric.symbolic is not None
    point: Any = {sympy.Symbol(name, real=True): 0.6 + 0.1 * i for i, name in enumerate(("t", *sde.names))}
    for row in result.formulas():
        components = [c.subs(others) for c in (row.tau, *row.xi, row.beta)][: len(equations.unknowns)]
        assert any(c != 0 for c in components)
        for residual in equations.residuals(numeric.symbolic, components):
            assert abs(complex(residual.evalf(30, subs=point))) < 1e-12


def test_formulas_at_the_draw_are_the_generators(solved):
    sde, _, _, result = solved
    draw = {sympy.Symbol(name, real=True): sympy.Rational(value) for name, value in result.draw.items()}
    middle = result.domain.centre[None] + 0.1
    values = result.generators(middle[:, 0], middle[:, 1:])
    point = {
        sympy.Symbol(name, real=True): float(v) for name, v in zip(("t", *sde.names), middle[0].tolist(), strict=True)
    }
    for position, row in enumerate(result.formulas()):
        parts = [row.tau, *row.xi, *([row.beta] if len(values) == 3 else [])]
        exact = np.array([float(part.subs(draw).subs(point)) for part in parts])
        found = np.concatenate([values[0][position], values[1][position, 0], *(v[position] for v in values[2:])])
        np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-6 * np.abs(exact).max())


def test_brackets_at_the_draw_are_the_structure_constants(solved):
    _, _, _, result = solved
    draw = {sympy.Symbol(name, real=True): sympy.Rational(value) for name, value in result.draw.items()}
    constants = result.algebra.structure_constants
    assert of_equation(result).parametric_brackets is not None
    for i in range(len(constants)):
        for j in range(i + 1, len(constants)):
            value = result.brackets().get((i, j), sympy.Integer(0)).subs(draw)
            exact = [float(value.coeff(sympy.Symbol(f"X{k + 1}"))) for k in range(len(constants))]
            np.testing.assert_allclose(constants[i, j], exact, atol=1e-5 * (1 + np.abs(constants).max()))


def test_special_values_are_not_claimed(solved):
    sde, _, _, result = solved
    (flag,) = [flag for flag in result.flags if flag.code == "generic-parameters"]
    assert "Special values can have more symmetries" in flag.message
    assert all(
        f"{name} = {value}" in flag.message for draw in of_equation(result).draws for name, value in draw.items()
    )
    written = json.loads(result.to_json())
    assert written["draws"] == list(of_equation(result).draws)
    assert written["equation"] == str(sde)
    assert r"\begin{align*}" in result.latex()


def test_without_closed_form_the_draw_is_named():
    result = lsn.solve(lsn.SDE.parse("dx = x/(1 + a*t^4) dt + dW"))
    assert result.dimension == 3
    (flag,) = [flag for flag in result.flags if flag.code == "formulas-at-draw"]
    assert f"a = {of_equation(result).draws[0]['a']}" in flag.message
    assert "proved" not in {row.status for row in result.formulas()}


def test_a_sign_that_the_coefficients_need_is_found():
    result = lsn.solve(lsn.SDE.parse("dx = sqrt(-k - x^2) dW"), domain=[(0, 1), (-0.5, 0.5)], formulas=False)
    assert all(sympy.Rational(draw["k"]) < 0 for draw in of_equation(result).draws)


def test_too_many_parameters_are_refused():
    with pytest.raises(InputError, match="at most 6"):
        lsn.solve(lsn.SDE.parse("dx = (a + b*x + c*x^2 + f*x^3 + g*x^4 + h*x^5 + k*x^6) dt + dW"))
