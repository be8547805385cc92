"""Closed forms against the fields they stand for, exact brackets, and changes that must change nothing but names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.formulas.notation import field_latex, field_text

SYSTEMS = [
    ("dx = dW", "ito"),
    ("dx = x dt + dW", "fokker-planck"),
    ("dx = y dt; dy = -y dt + sqrt(2) dW", "ito"),
    ("dx = y dt; dy = (-2 x - y) dt + dW", "ito"),
    ("dx = 1/x dt + dW1; dy = dt + dW2", "ito"),
    ("dx = x/4 dt + x dW", "fokker-planck"),
    ("dx = (1/4 - x) dt + sqrt(x) dW", "fokker-planck"),
    ("dx = x/2 dt + sqrt(1 + x^2) dW", "ito"),
    ("dx = x log(x) dt + x dW", "ito"),
    ("dx = t x dt + dW", "ito"),
    ("dx = x/(1 + t) dt + dW", "ito"),
    ("dx = sin(t) dt + exp(-t) dW", "ito"),
    ("dx = (x - 0.3) dt + 0.7 dW", "ito"),
    ("dx = -y dt + dW1; dy = x dt + dW2", "law"),
    ("dx = x/4 dt + x dW1; dy = y/3 dt + y/2 dW1 + y dW2", "law"),
    ("dx = (x - x^3) dt + dW", "fokker-planck"),
    ("dx = t x dt + dW", "fokker-planck"),
    ("dx = -x/(1 + t) dt + sqrt(1 + t) dW", "fokker-planck"),
    ("dx = (sin(2 t) - x/2) dt + dW", "ito"),
    ("dx = exp(-t) x dt + dW", "ito"),
    ("dx = sinh(2 x)/4 dt + cosh(x) dW", "ito"),
    ("dx = sqrt(2) x dt + pi dW", "fokker-planck"),
    ("dx = (0.37 x + 0.21 y) dt + dW1; dy = (0.5 x - 0.83 y) dt + dW2", "ito"),
]


# these have a like among the others, or the same equation from its paths
LONG = {"dx = t x dt + dW (fokker-planck)", "dx = -x/(1 + t) dt + sqrt(1 + t) dW (fokker-planck)"}


def named(text: str, kind: str) -> Any:
    name = f"{text} ({kind})"
    return pytest.param((text, kind), id=name, marks=[pytest.mark.slow] * (name in LONG))


@pytest.fixture(scope="module", params=[named(*case) for case in SYSTEMS])
def result(request):
    text, kind = request.param
    return lsn.solve(lsn.SDE.parse(text), kind)


def symbols_of(result):
    return [sympy.Symbol(name, real=True) for name in ("t", *result.names)]


def components(row, result):
    return [row.tau, *row.xi, *([row.beta] if result.fields.has_beta else [])]


def test_every_formula_is_proved_and_is_the_generator_beside_it(result):
    rows = result.formulas()
    assert [row.status for row in rows] == ["proved"] * result.dimension
    u = np.random.default_rng(3).uniform(-1, 1, (50, len(result.domain.half)))
    points = result.domain.centre + result.domain.half * u
    values = result.generators(points[:, 0], points[:, 1:])
    stacked = np.concatenate([v[:, :, None] if v.ndim == 2 else v for v in values], axis=2)
    for row, field in zip(rows, stacked, strict=True):
        exact = np.column_stack(
            [
                np.broadcast_to(sympy.lambdify(symbols_of(result), c, ["scipy", "numpy"])(*points.T), len(points))
                for c in components(row, result)
            ]
        )
        # the span is known to about 1e-7 of its size
        np.testing.assert_allclose(field, exact, atol=1e-5 * np.abs(exact).max())


def test_structure_constants_are_the_brackets_of_the_formulas(result):
    variables = symbols_of(result)
    rows = [components(row, result) for row in result.formulas()]

    def along(row, expression):
        return sympy.Add(*(c * sympy.diff(expression, v) for c, v in zip(row, variables, strict=False)))

    constants = result.algebra.structure_constants
    values = (result.domain.centre + 0.1 * result.domain.half).tolist()
    point: Any = dict(zip(variables, values, strict=True))
    for i, first in enumerate(rows):
        for j, second in enumerate(rows):
            for c, (a, b) in enumerate(zip(first, second, strict=True)):
                bracket = float((along(first, b) - along(second, a)).subs(point))
                span = sum(constants[i, j, k] * float(sympy.sympify(row[c]).subs(point)) for k, row in enumerate(rows))
                assert bracket == pytest.approx(span, abs=1e-4 * (1 + abs(bracket)))


@pytest.mark.parametrize("kind", ["ito", pytest.param("law", marks=pytest.mark.slow)])
def test_permuting_and_renaming_coordinates_changes_only_names(kind):
    first = lsn.solve(lsn.SDE.parse("dx = y dt; dy = -y dt + sqrt(2) dW"), kind)
    second = lsn.solve(lsn.SDE.parse("dv = -v dt + sqrt(2) dW; dq = v dt"), kind)
    x, y, v, q = sympy.symbols("x y v q", real=True)
    renamed = [
        (row.tau, *(sympy.sympify(c).subs({x: q, y: v}, simultaneous=True) for c in row.xi[::-1]))
        for row in first.formulas()
    ]
    # a generator may come with the other sign
    own = {(row.tau, *row.xi) for row in second.formulas()}
    own |= {tuple(-c for c in row) for row in own}
    assert set(renamed) <= own


def test_units_of_length_change_only_constants():
    # x = 10 z: dz = z dt + dW/10 has the generators of dx = x dt + dW
    rows = lsn.solve(lsn.SDE.parse("dz = z dt + 1/10 dW")).formulas()
    z, t = sympy.symbols("z t", real=True)
    assert {(row.tau, row.xi) for row in rows} == {
        (1, (0,)),
        (0, (sympy.exp(t),)),
        (sympy.exp(2 * t), (z * sympy.exp(2 * t),)),
    }


def test_no_formula_is_invented_where_there_is_none():
    # the time change of this growth factor has no elementary integral
    result = lsn.solve(lsn.SDE.parse("dx = x/(1 + t^4) dt + dW"))
    assert result.dimension == 3
    for row in result.formulas():
        assert row.status in {"proved", "numerical"}


def test_callables_give_consistent_formulas_but_no_proof():
    sde = lsn.SDE(lambda t, x: x, lambda t, x: np.ones((len(t), 1, 1)), dimension=1)
    rows = lsn.solve(sde).formulas()
    x, t = sympy.symbols("x t", real=True)
    assert {row.status for row in rows} == {"consistent"}
    assert (sympy.exp(2 * t), (x * sympy.exp(2 * t),)) in {(row.tau, row.xi) for row in rows}


def test_notation():
    rows = lsn.solve(lsn.SDE.parse("dx = x dt + dW")).formulas()
    assert [field_text(row, ("x",)) for row in rows] == ["∂t", "exp(t) ∂x", "exp(2 t) (∂t + x ∂x)"]
    assert field_latex(rows[2], ("x",)) == r"e^{2 t}\,\left(\partial_t + x\,\partial_{x}\right)"


# x has the generator exp(∫ cos t³ dt) ∂x, for which no formula is known
PARTLY = [
    pytest.param(
        "dx = cos(t^3)*x dt + dW1; dy = dW2; dz = dW3", "law", ["z ∂y - y ∂z", "∂y", "∂z"], marks=pytest.mark.slow
    ),
    ("dx = cos(t^3)*x dt + dW1; dy = dW2", "ito", ["∂y"]),
    ("dx = cos(t^3)*x dt + dW", "fokker-planck", ["u∂u"]),
]


@pytest.mark.parametrize(("text", "kind", "proved"), PARTLY)
def test_one_generator_without_a_formula_leaves_the_others_theirs(text: str, kind: str, proved: list[str]) -> None:
    sde = lsn.SDE.parse(text)
    with_formulas, without = (lsn.solve(sde, symmetry=kind, formulas=wanted) for wanted in (True, False))
    rows = with_formulas.formulas()
    assert sorted(field_text(row, sde.names) for row in rows if row.status == "proved") == proved
    assert {row.status for row in rows} == {"proved", "numerical"}
    # the same span: both bases are in one basis of functions
    both = [np.linalg.qr(result.fields.coefficients)[0] for result in (with_formulas, without)]
    np.testing.assert_allclose(np.linalg.svd(both[0].T @ both[1])[1], 1.0, atol=1e-9)
    # and in it each generator is what its formula says, up to a factor
    points = np.random.default_rng(3).uniform(0.1, 0.9, (20, 1 + sde.dimension))
    values = with_formulas.fields.components(points, [()])[()]
    symbols = [sympy.Symbol(name, real=True) for name in ("t", *sde.names)]
    for row, found in zip(rows, values, strict=True):
        if row.status == "proved":
            parts = [row.tau, *row.xi, *([row.beta] if kind == "fokker-planck" else [])]
            told = np.column_stack([np.broadcast_to(sympy.lambdify(symbols, e)(*points.T), 20) for e in parts])
            factor = np.vdot(told, found) / np.vdot(told, told)
            np.testing.assert_allclose(found, factor * told, atol=1e-6 * np.abs(found).max())
