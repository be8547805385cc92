"""Candidate generators of scalar equations: the noise equation holds for each, and the known ones are among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.formulas.proved.one_coordinate import scalar_fields
from liestonet.formulas.proved.proofs import is_zero
from liestonet.symmetry.determining.kinds import KINDS

t, x = sympy.symbols("t x", real=True)
DOMAIN = Domain(((0.0, 1.0), (0.5, 2.0)))


def coefficients(text: str) -> Any:
    return lsn.SDE.parse(text).symbolic


@pytest.mark.parametrize(
    ("equation", "times"),
    [
        ("dx = (x/2 - x*log(x)) dt + x dW", [sympy.Integer(1), sympy.exp(-t), sympy.exp(-2 * t)]),
        ("dx = (1/x + t*x) dt + dW", None),
        pytest.param("dx = -x dt + cos(t) dW", None, marks=pytest.mark.slow),
    ],
)
def test_first_order_equations_hold_for_all(equation, times):
    # Q of Fokker–Planck (F1) has no unknown function of time left; F2 neither, as β is made to fit
    given = coefficients(equation)
    equations = KINDS["fokker-planck"].equations(1, 1)
    fields = scalar_fields(given, DOMAIN, times, True)
    assert len(fields) == 9
    for field in fields:
        for residual in equations.residuals(given, field)[:2]:
            assert is_zero(residual)


def test_the_generators_of_a_linear_drift_with_explicit_time():
    # G = exp(t²/2): G ∂x and G²(∂t + t x ∂x)
    fields = scalar_fields(coefficients("dx = t*x dt + dW"), DOMAIN, None, False)
    growth = sympy.exp(t**2 / 2)
    assert (0, growth) in fields
    assert (growth**2, t * x * growth**2) in fields


def test_noise_that_is_no_product_has_none():
    assert scalar_fields(coefficients("dx = sqrt(1 + t + x^2) dW"), DOMAIN, None, False) == []


def test_two_noises_make_one():
    # a = 1 + x²: y = asinh x
    fields = scalar_fields(coefficients("dx = x/2 dt + dW1 + x dW2"), DOMAIN, [sympy.Integer(1), t], False)
    values = [float(sympy.sympify(xi).subs({t: 0.3, x: 0.7})) for tau, xi in fields if tau == 0]
    assert np.isclose(values, np.sqrt(1 + 0.7**2)).any()
