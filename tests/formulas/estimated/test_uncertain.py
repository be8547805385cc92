"""Closed forms of spans with an error: the right family, true constants within the uncertainties, no invented digits.

The exact span is moved by a random smooth field of known relative size. A formula is of the right family if some choice
of its uncertain constants makes it an exact symmetry; that choice is then the truth to compare with.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import least_squares

import liestonet as lsn
from known_symmetries import polynomial_fields
from liestonet.core.domain import Domain
from liestonet.formulas.closed_forms import find_formulas
from liestonet.formulas.estimated.simple_numbers import simple_number, simple_rates
from liestonet.formulas.estimated.uncertain import told_apart
from liestonet.formulas.formula import Constant, Formula
from liestonet.formulas.notation import field_latex, field_text
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import KINDS
from uncertain_spans import perturbed

CASES = [
    ("brownian", "ito"),
    ("linear", "ito"),
    ("langevin", "ito"),
    ("bessel-drift", "ito"),
    ("cir", "ito"),
    ("geometric-brownian", "ito"),
    ("ornstein-uhlenbeck-rotating", "ito"),
    ("ornstein-uhlenbeck-affine", "ito"),
    ("harmonic", "ito"),
    ("brownian-2d", "law"),
    ("brownian", "fokker-planck"),
]


@cache
def exact(key: str, kind: str) -> Fields:
    system = lsn.catalogue[key]
    return lsn.solve(system.sde, kind, system.box, formulas=False).fields


def found(key: str, kind: str, error: float, seed: int) -> tuple[Fields, tuple[Formula, ...]]:
    sde = lsn.catalogue[key].sde
    equations = KINDS[kind].equations(sde.dimension, sde.noise)
    return find_formulas(perturbed(exact(key, kind), error, seed), equations, None, sde.names, error)


def distance(key: str, kind: str, row: Formula):
    """A function from values of the constants to what lies outside the exact span, the field having length one."""
    fields, names = exact(key, kind), lsn.catalogue[key].sde.names
    low, high = np.array(lsn.catalogue[key].box, dtype=float).T
    points = np.random.default_rng(8).uniform(low, high, (150, len(low)))
    span = np.linalg.qr((fields.components(points, [()])[()] / fields.basis.scales).reshape(fields.count, -1).T)[0]
    symbols = [sympy.Symbol(name, real=True) for name in ("t", *names)]
    components = [row.tau, *row.xi, *([row.beta] if fields.has_beta else [])]
    function = sympy.lambdify([*symbols, *(c.symbol for c in row.constants)], components, "numpy")

    def outside(values: Any) -> np.ndarray:
        columns = [np.broadcast_to(column, len(points)) for column in function(*points.T, *values)]
        vector = (np.column_stack(columns) / fields.basis.scales).ravel()
        vector = vector / np.linalg.norm(vector)
        return vector - span @ (span.T @ vector)

    return outside


# geometric Brownian motion's term in t x is smaller than an error of 1e-2, so a formula without it is consistent there
WITH_ERRORS = [
    (key, kind, error)
    for key, kind in CASES
    for error in (1e-3, 3e-3, 1e-2)
    if (key, error) != ("geometric-brownian", 1e-2)
]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("key", "kind", "error"), WITH_ERRORS)
def test_right_family_and_constants_within_three_uncertainties(key, kind, error, seed):
    fields, rows = found(key, kind, error, seed)
    assert len(rows) == fields.count == exact(key, kind).count
    for row in rows:
        assert row.status in ({"consistent"} if error == 1e-3 else {"consistent", "numerical"})
        if row.status == "numerical":
            continue
        outside, values = distance(key, kind, row), [c.value for c in row.constants]
        assert np.linalg.norm(outside(values)) <= 4 * error
        truth = least_squares(outside, values, xtol=1e-14, ftol=1e-14, gtol=1e-14).x if values else np.array([])
        assert np.linalg.norm(outside(truth)) < 1e-5, field_text(row, lsn.catalogue[key].sde.names)
        for constant, true in zip(row.constants, truth, strict=True):
            assert abs(constant.value - true) <= 3 * constant.uncertainty


def test_a_constant_that_is_not_simple_keeps_its_uncertainty():
    # ξ = t x (μ − σ²/2)/2 + …, with μ = 1/5 and σ = 1/2
    _, rows = found("geometric-brownian", "ito", 1e-3, 0)
    (constant,) = [c for row in rows for c in row.constants]
    assert abs(constant.value - 0.0375) <= 3 * constant.uncertainty
    assert constant.uncertainty < 0.02


def test_nothing_is_claimed_where_the_functions_are_not_known():
    sde = lsn.SDE.parse("dx = x/(1 + t^4) dt + dW")
    fields = lsn.solve(sde, domain=[(0, 3), (-1, 1)], formulas=False).fields
    equations = KINDS["ito"].equations(1, 1)
    _, rows = find_formulas(perturbed(fields, 1e-4, 0), equations, None, ("x",), 1e-4)
    assert "proved" not in {row.status for row in rows}
    assert "numerical" in {row.status for row in rows}


@pytest.mark.parametrize("error", [1e-4, 1e-3])
def test_a_generator_without_known_functions_leaves_the_others_their_formulas(error):
    sde = lsn.SDE.parse("dx = cos(t^3)*x dt + dW1; dy = dW2; dz = dW3")
    box = [(0, 2), (-1, 1), (-1, 1), (-1, 1)]
    fields = perturbed(lsn.solve(sde, symmetry="law", domain=box, formulas=False).fields, error, 0)
    same, rows = find_formulas(fields, KINDS["law"].equations(3, 3), None, sde.names, error)
    consistent = [field_text(row, sde.names) for row in rows if row.status == "consistent"]
    assert sorted(consistent) == ["z ∂y - y ∂z", "∂y", "∂z"]
    assert [row.status for row in rows].count("numerical") == 1
    both = [np.linalg.qr(each.coefficients)[0] for each in (fields, same)]
    np.testing.assert_allclose(np.linalg.svd(both[0].T @ both[1])[1], 1.0, atol=1e-9)


@pytest.mark.parametrize(
    ("value", "uncertainty", "exact"),
    [
        (1.02, 0.02, 1),
        (-1.06, 0.04, None),  # one random number in six would lie so near to a whole one
        (1.02, 0.005, None),
        (0.505, 0.005, sympy.Rational(1, 2)),
        (0.51, 0.01, None),
        (0.51, 0.1, None),
        (-0.334, 0.001, sympy.Rational(-1, 3)),
        (2.3, 0.5, None),
        (0.0375, 0.001, None),
    ],
)
def test_simple_numbers_are_consistent_and_simple(value, uncertainty, exact):
    assert simple_number(value, uncertainty) == exact


def test_notation_shows_the_uncertainty():
    t, x, k = sympy.symbols("t x k1", real=True)
    row = Formula(sympy.exp(k * t), (x,), sympy.Integer(0), "consistent", 0.01, (Constant(k, 1.0234, 0.031),))
    assert field_text(row, ("x",)) == "exp((1.023 ± 0.031) t) ∂t + x ∂x"
    assert r"\pm" in field_latex(row, ("x",))


@pytest.mark.parametrize("seed", range(6))
def test_a_root_is_not_taken_for_the_logarithm_beside_it(seed):
    # on so short an interval √S lies within a few errors of the span of S and S log S, but its brackets do not close
    sde = lsn.SDE.parse("dS = S/10 dt + S/5 dW")
    fields = lsn.solve(sde, domain=[(0, 1), (48, 260)], formulas=False).fields
    moved = perturbed(fields, 0.01, seed)
    _, rows = find_formulas(moved, KINDS["ito"].equations(1, 1), None, ("S",), 0.01)
    components = [entry for row in rows if row.status == "consistent" for entry in (row.tau, *row.xi)]
    assert components
    t, S = sympy.symbols("t S", real=True)
    for entry in components:
        free = entry.subs({c.symbol: 1 for row in rows for c in row.constants})
        assert sympy.expand(free).as_coefficients_dict().keys() <= {sympy.Integer(1), t, S, S * t, S * sympy.log(S)}


def test_generators_without_a_formula_are_shown_as_what_they_are():
    # e^{−t/50} ∂t is nearly ∂t: beside it, only what is different says anything
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    t, x = sympy.symbols("t x", real=True)
    fields = polynomial_fields([[1, 0], [1 - t / 50 + t**2 / 5000, x**3 / 50]], domain, 3, False)
    unknown = Formula(t, (x,), sympy.Integer(0), "numerical", 0.0)
    apart = told_apart(fields, [unknown, None])
    first, second = (apart.coefficients[:, k] / np.linalg.norm(apart.coefficients[:, k]) for k in (0, 1))
    assert abs(first @ second) < 1e-10


@pytest.mark.parametrize(
    ("rates", "exact"),
    [
        # k and 2k: the first says what both are
        ([(0.0, 0.0), (-0.99, 0.02), (-1.946, 0.088)], [0, -1, -2]),
        # the double says it if that is known better
        ([(-1.03, 0.05), (-2.01, 0.03)], [-1, -2]),
        # one simple, the other no multiple of it: neither
        ([(-1.01, 0.02), (-1.5, 0.06)], [None, None]),
        # a triple of nothing
        ([(-3.06, 0.06)], [None]),
        # both known too badly
        ([(-1.06, 0.04), (-2.1, 0.08)], [None, None]),
        # a pair that turns without decay
        ([(0.01, 0.04), (1.3, 0.04)], [0, None]),
        ([(0.5, 0.3), (1.3, 0.04)], [None, None]),
        ([(-1.0, 0.01), (2.51, 0.005)], [-1, sympy.Rational(5, 2)]),
    ],
)
def test_rates_of_one_span_are_rounded_together_or_not_at_all(rates, exact):
    assert simple_rates(rates) == exact
