"""How an estimated equation is written, and forecasts against known laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from liestonet.errors import InputError
from liestonet.reduction.recording.estimated_equation import EstimatedEquation, FittedConstant, in_brackets

x = sympy.Symbol("x", real=True)
c, s = sympy.Symbol("c1", real=True), sympy.Symbol("s2", positive=True)


def equation(error: float = 0.0) -> EstimatedEquation:
    constants = (FittedConstant(c, -1.0, error), FittedConstant(s, 1.0, 0.0))
    return EstimatedEquation(("x",), (c * x,), ((s,),), constants, np.diag([error**2, 0.0]), "family", 1.0, 0.01)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (-1.0, 0.03, "−1.00(3)"),
        (1.0, 0.012, "1.000(12)"),
        (0.5018, 0.0017, "0.5018(17)"),
        (1234.0, 25.0, "1230(20)"),
        (1.0, 0.0, "1"),
        (2.0, 0.0996, "2.00(10)"),
    ],
)
def test_errors_stand_in_brackets(value, error, text):
    assert in_brackets(value, error) == text


def test_an_equation_is_written_with_its_errors():
    made = equation(0.03)
    assert str(made) == "dx = −1.00(3) x dt + 1 dW"
    assert made.latex().startswith("\\begin{align}\ndx &= ")
    assert [str(row) for row in made.constants] == ["c1 = −1.00(3)", "s2 = 1"]


def test_several_terms_are_in_brackets():
    a, b = sympy.symbols("c2 c3", real=True)
    constants = (FittedConstant(c, 1.0, 0.1), FittedConstant(a, -2.0, 0.1), FittedConstant(b, 0.5, 0.1))
    made = EstimatedEquation(
        ("x",), (c * x + a * x**3,), ((sympy.sqrt(1 + b * x**2),),), constants, np.eye(3), "closed form", 1.0, 0.01
    )
    assert str(made) == "dx = (1.00(10) x − 2.00(10) x^3) dt + sqrt(1 + 0.50(10) x^2) dW"


def test_a_forecast_is_the_known_law():
    made = equation().forecast(1.0, [0.5, 1.0], paths=4000, seed=1)
    deviation = math.sqrt((1 - math.exp(-2)) / 2)
    # six standard errors of a median and of a quantile at 2.5 %
    assert made.median[-1, 0] == pytest.approx(math.exp(-1), abs=6 * 1.26 * deviation / math.sqrt(4000))
    assert made.upper[-1, 0] == pytest.approx(
        math.exp(-1) + 1.96 * deviation, abs=6 * 2.7 * deviation / math.sqrt(4000)
    )
    assert made.states.shape == (4000, 2, 1)


def test_errors_of_constants_widen_a_forecast():
    narrow, wide = (equation(error).forecast(3.0, [1.0], paths=2000, seed=2) for error in (0.0, 0.5))
    assert (wide.upper - wide.lower)[0, 0] > 1.2 * (narrow.upper - narrow.lower)[0, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"times": [-1.0]}, "from 0 on"),
        ({"times": "soon"}, "must be numbers"),
        ({"times": [1.0], "paths": 1}, "at least 2"),
        ({"times": [1.0], "level": 2}, "between 0 and 1"),
    ],
)
def test_wrong_questions_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        equation().forecast(1.0, **arguments)


def test_signs_of_products_and_quotients_of_constants_are_kept():
    a, b = sympy.symbols("c3 c4", real=True)
    constants = (FittedConstant(c, -1.0, 0.1), FittedConstant(a, 2.0, 0.1), FittedConstant(b, -3.0, 0.1))
    shown = {
        c * a * x: "−1.00(10) 2.00(10) x",
        c * b * x: "1.00(10) 3.00(10) x",
        -(c**2) / a: "−1.00(10)^2/2.00(10)",
        -2 * c * x: "2 1.00(10) x",
        sympy.sqrt(a - c**2 / a): "sqrt(−1.00(10)^2/2.00(10) + 2.00(10))",
    }
    for drift, text in shown.items():
        made = EstimatedEquation(("x",), (drift,), ((sympy.Integer(1),),), constants, np.eye(3), "family", 1.0, 0.01)
        assert str(made) == f"dx = {text} dt + 1 dW"
