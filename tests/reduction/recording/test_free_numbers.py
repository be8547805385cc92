"""Numbers of formulas as constants: put back, they give the formula again."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy.parsing.sympy_parser import parse_expr

from liestonet.formulas.formula import Constant, Formula
from liestonet.reduction.recording.free_numbers import with_free_numbers

t, x, y, rate = sympy.symbols("t x y k1", real=True)


@pytest.mark.parametrize(
    ("tau", "xi", "free"),
    [
        ("1", ("0", "0"), 0),
        ("0", ("x", "0"), 0),
        ("exp(-2*t)", ("-x*exp(-2*t)", "0"), 2),
        ("2*t", ("x", "y"), 2),
        ("0", ("exp(-t)*cos(2*t)", "exp(-t)*sin(2*t)"), 3),
        ("0", ("x - 3*x^2", "sqrt(x)*exp(k1*t)"), 3),
        ("0", ("0", "y*log(y) + t*y/3"), 1),
    ],
)
def test_constants_put_back_give_the_formula(tau: str, xi: tuple[str, str], free: int) -> None:
    names: dict[str, Any] = {"t": t, "x": x, "y": y, "k1": rate}
    parts = [parse_expr(text.replace("^", "**"), names) for text in (tau, *xi)]
    row = Formula(parts[0], tuple(parts[1:]), sympy.Integer(0), "consistent", 0.0, (Constant(rate, -0.5, 0.1),))
    found = with_free_numbers(row, (t, x, y), "c")
    assert len(found.constants) == free
    values = dict(zip(found.constants, found.values, strict=True))
    for part, own in zip(parts, (found.tau, *found.xi), strict=True):
        rest = (own.subs(values) - part.subs(rate, -0.5)).subs({t: 0.7, x: 1.3, y: 2.1})
        assert abs(float(rest)) < 1e-12
