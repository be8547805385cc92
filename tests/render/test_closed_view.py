"""What is said to be known in closed form is: densities against `density`, mirrors against `test`."""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
from liestonet.render.closed_view import known_density, known_mirrors
from liestonet.render.html import render_page
from report_results import made


@pytest.mark.parametrize(
    "text", ["dx = -x dt + dW", "dx = (1 - x) dt + sqrt(x) dW", "dx = m*x dt + s*x dW", "dx = -x dt + exp(-t) dW"]
)
def test_the_density_on_the_page_is_that_of_the_equation(text):
    sde = lsn.SDE.parse(text)
    known = known_density(lsn.solve(sde))
    assert known is not None
    values = {name: 0.3 + 0.2 * k for k, name in enumerate(sde.parameters)}
    symbols = [*known.variables, *known.start]
    numbers = [0.8, 0.5, 0.9, 0.2][: len(symbols)]  # x, t and the start
    point = {symbol: value for symbol, value in zip(symbols, numbers, strict=True)}
    point |= {s: values[s.name] for s in known.formula.free_symbols if s.name in values}
    start = 0.0 if len(symbols) == 3 else 0.2
    expected = lsn.density(sde)(0.5, 0.8, start, 0.9, **values)
    assert float(known.formula.subs(point).evalf()) == pytest.approx(float(expected), rel=1e-9)


def test_the_density_of_a_fitted_equation_has_its_constants_to_three_digits():
    result = made("1-D")
    known = known_density(result)
    assert known is not None
    assert "fitted" in known.remark
    point = dict(zip([*known.variables, *known.start], [0.4, 0.5, 0.9], strict=True))
    expected = lsn.density(result.equation().sde)(0.5, 0.4, 0.0, 0.9)
    assert float(known.formula.subs(point).evalf()) == pytest.approx(float(expected), rel=0.02)


def test_nothing_is_said_where_nothing_is_known():
    for text in ("dx = (x - x^3) dt + dW", "dx = v dt; dv = -v dt + dW"):
        assert known_density(lsn.solve(lsn.SDE.parse(text))) is None
    rotor = lsn.SDE.parse("dx = dW").with_periods({"x": 2 * np.pi})
    assert known_density(lsn.solve(rotor)) is None  # that of the line is not that of the turn
    assert known_mirrors(lsn.solve(lsn.SDE.parse("dx = (1 - x) dt + sqrt(x) dW"))) == ()
    # x -> -x maps this equation to itself, and the box to one on the other side of 0
    assert known_mirrors(lsn.solve(lsn.SDE.parse("dx = x dt + x dW"))) == ()


def test_mirrors_are_proved():
    sde = lsn.SDE.parse("dx = (x - x^3) dt + dW")
    (found,) = known_mirrors(lsn.solve(sde))
    assert found == "x -> -x"
    assert lsn.test(sde, found).verdict == "symmetry"


@pytest.mark.usefixtures("undrawn")
def test_the_page_has_them():
    page = render_page(lsn.solve(lsn.SDE.parse("dx = -x dt + dW")), tolerances=())
    for text in ("In closed form", "transition density", "x -&gt; -x"):
        assert text in page
    assert "In closed form" not in render_page(made("undecided"), tolerances=())
