"""Infinite families: how many functions are constant along every path, and how they begin."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.formulas.proved.invariants import closed_invariants
from liestonet.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.symmetry.analytic.dimension_bound import generic_point
from liestonet.symmetry.analytic.families import Family, count_invariants, find_family
from liestonet.symmetry.analytic.nullspace import residuals_elsewhere
from liestonet.symmetry.analytic.orbit import orbit_dimension
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import INVARIANT, KINDS

t, x, y, z = sp.symbols("t x y z", real=True)

# text, and the invariants as formulas
SYSTEMS = [
    ("dx = dW", []),
    ("dx = dW; dy = x dt", []),
    ("dx = (x - x^3) dt + dW", []),
    ("dx = dW1; dy = x dW2", []),
    ("dx = dW; dy = y dt", [y * sp.exp(-t)]),
    ("dx = dW; dy = dW", [x - y]),
    ("dx = -x/2 dt - y dW; dy = -y/2 dt + x dW", [x**2 + y**2]),
    ("dx = x dt + 0 dW", [x * sp.exp(-t)]),
    ("dx = dW; dy = 2*x dW + dt", [y - x**2]),
    ("dx = dW; dy = y dt; dz = -z dt", [y * sp.exp(-t), z * sp.exp(t)]),
    ("dx = dW; dy = dW + dt; dz = z dt", [x - y + t, z * sp.exp(-t)]),
    # drift and noise commute: what the drift brings beyond its start is rounding
    ("dx = -y dt + x dW; dy = x dt + y dW", [sp.atan(y / x) - t]),
    ("dx = y dW; dy = -x dW", [(x**2 + y**2) * sp.exp(-t)]),
]


def setup(text: str) -> tuple[SymbolicCoefficients, Domain]:
    source = SDE.parse(text).symbolic
    assert source is not None
    return source, Domain(((0.0, 1.0), *[(1.0, 2.0)] * source.dimension))


@cache
def family_of(text: str, kind: str) -> Family | None:
    source, domain = setup(text)
    names = ("x", "y", "z")[: source.dimension]
    return find_family(KINDS[kind], source, domain, names, count_invariants(source, domain) or 0)


@pytest.mark.parametrize(("text", "invariants"), SYSTEMS)
def test_the_formulas_are_invariants(text, invariants):
    """Itô's formula by hand: no dt and no dW part."""
    source, _ = setup(text)
    f, a, sigma = source.drift, source.diffusion * source.diffusion.T, source.diffusion
    for value in invariants:
        slopes = [value.diff(v) for v in source.state]
        gradient = sp.Matrix(slopes)
        second = sum(a[i, j] * slopes[i].diff(v) for i in range(len(f)) for j, v in enumerate(source.state))
        assert sp.simplify(value.diff(t) + (f.T * gradient)[0] + second / 2) == 0
        assert sp.simplify(sigma.T * gradient).is_zero_matrix
        assert all(
            sp.simplify(row) == 0 for row in INVARIANT.equations(len(f), source.noise).residuals(source, [value])
        )


@pytest.mark.parametrize(("text", "invariants"), SYSTEMS)
def test_invariants_are_counted(text, invariants):
    assert count_invariants(*setup(text)) == len(invariants)


TERM = re.compile(r"\((\w) [−+] ([\d.e-]+)\)(?:\^(\d))?")


def read_expansion(text: str) -> dict[tuple[int, ...], float]:
    """Coefficients by exponent from text such as `(t − 0.49) − 0.7·(y − 1.46)^2 + …`."""
    assert text.endswith(" + …")
    body = text.removesuffix(" + …").replace("(t − ", "(t _ ")
    pieces = re.split(r" (?=[+−] )(?![+−] [\d.]+\))", body)
    result = {}
    for piece in pieces:
        plain = piece.replace("(t _ ", "(t − ").strip()
        sign = -1.0 if plain.startswith("−") else 1.0
        exponent = [0, 0, 0, 0]
        for name, _, power in TERM.findall(plain):
            exponent["txyz".index(name)] += int(power or 1)
        size = re.match(r"[\d.e-]+(?=·)", plain.lstrip("+− "))
        result[tuple(exponent)] = sign * (float(size.group()) if size else 1.0)
    return result


def expansion(formula: sp.Expr, point: np.ndarray) -> dict[tuple[int, ...], float]:
    """Taylor coefficients of degree one and two."""
    variables = (t, x, y, z)
    here = dict(zip(variables, [*point, *[0.0] * (4 - len(point))], strict=True))
    result = {}
    for exponent in np.ndindex(3, 3, 3, 3):
        if 0 < sum(exponent) <= 2:
            derivative = formula
            for variable, power in zip(variables, exponent, strict=True):
                derivative = derivative.diff(variable, power) / sp.factorial(power)
            value = float(derivative.subs(here))
            if abs(value) > 1e-9:
                result[exponent] = value
    return result


# the same invariant, rescaled so that it is one coordinate where all others are held fixed
FORMS = [
    (SYSTEMS[4], [lambda p: {"t": t - sp.log(y), "y": y * sp.exp(p[0] - t)}]),
    (SYSTEMS[5], [lambda p: {"x": x - y, "y": y - x}]),
    (SYSTEMS[6], [lambda p: {"x": sp.sqrt(x**2 + y**2 - p[2] ** 2), "y": sp.sqrt(x**2 + y**2 - p[1] ** 2)}]),
    (SYSTEMS[8], [lambda p: {"x": sp.sqrt(x**2 - y + p[2]), "y": y - x**2}]),
]


@pytest.mark.parametrize(("system", "forms"), FORMS)
def test_the_expansion_shown_is_the_invariants(system, forms):
    text, _ = system
    point = generic_point(setup(text)[1])
    family = family_of(text, "ito")
    assert family is not None
    assert family.invariants == len(family.expansions) == 1
    shown = read_expansion(family.expansions[0])
    candidates = [expansion(form, point) for form in forms[0](point).values()]
    # printed in three digits
    assert any(shown == pytest.approx(candidate, rel=6e-3, abs=1e-8) for candidate in candidates), shown


def test_two_expansions_are_two_invariants():
    """z e^t as t + log z, and yz, each with the other's coordinate held fixed."""
    text, _ = SYSTEMS[9]
    point = generic_point(setup(text)[1])
    family = family_of(text, "ito")
    assert family is not None
    shown = [read_expansion(text) for text in family.expansions]
    pairs = {
        "ty": [t + sp.log(z), y * z / point[3]],
        "tz": [t - sp.log(y), z * y / point[2]],
        "yz": [y * sp.exp(point[0] - t), z * sp.exp(t - point[0])],
    }
    fits = [
        all(any(s == pytest.approx(expansion(f, point), rel=6e-3, abs=1e-8) for f in pair) for s in shown)
        for pair in pairs.values()
    ]
    assert sum(fits) == 1


@pytest.mark.parametrize(
    ("text", "kind", "representatives"),
    [
        ("dx = dW; dy = y dt", "ito", 2),  # ∂x and y∂y
        ("dx = dW; dy = y dt", "law", 2),
        ("dx = dW; dy = y dt", "fokker-planck", 4),  # and u∂u, t∂x − x u∂u
        ("dx = -y dt + x dW; dy = x dt + y dW", "ito", 2),
        pytest.param("dx = -y dt + x dW; dy = x dt + y dW", "law", 2, marks=pytest.mark.slow),
        ("dx = dW; dy = dW", "ito", 2),
        ("dx = -x/2 dt - y dW; dy = -y/2 dt + x dW", "ito", 2),  # rotation and stretching
        ("dx = dW; dy = y dt; dz = -z dt", "ito", 3),
    ],
)
def test_the_family_is_built_on_true_symmetries_without_time(text, kind, representatives):
    source, domain = setup(text)
    family = family_of(text, kind)
    assert family is not None
    fields = timeless(family)
    assert fields.count == representatives
    assert residuals_elsewhere(KINDS[kind], source, domain, fields).max() < 1e-8


def timeless(family: Family) -> Fields:
    """Of what the family is built on, the fields without time component."""
    chosen = family.built_on(family.pool, range(family.pool.count))
    fields = family.pool.mixed(np.eye(family.pool.count)[:, chosen])
    still = np.abs(fields.coefficients[fields.basis.columns(0)]).max(axis=0) < 1e-9
    return fields.mixed(np.eye(fields.count)[:, still])


def test_the_boost_of_a_family_is_shown_by_its_formula():
    """Fokker–Planck of dx = dW, dy = y dt: t∂x − x u∂u is no multiple of ∂x and u∂u by functions of y e^{−t}."""
    result = lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt"), "fokker-planck")
    rows = [(row.tau, *row.xi, row.beta) for row in result.formulas()]
    assert [row.status for row in result.formulas()] == ["proved"] * 7
    assert any(
        row[0] == 0 and row[2] == 0 and sp.simplify(row[3] * t + row[1] * x) == 0 and row[3] != 0 for row in rows
    )
    message = next(flag.message for flag in result.flags if flag.code == "infinite")
    assert ",." not in message


@pytest.mark.parametrize(
    ("text", "kind"),
    [("dx = -x dt + dW; dy = -2*y dt", "fokker-planck"), ("dx = y dW; dy = 0 dt", "law"), ("dx = x dt", "ito")],
)
def test_generators_of_families_are_proved(text, kind):
    result = lsn.solve(lsn.SDE.parse(text), kind)
    assert result.dimension == np.inf
    assert {row.status for row in result.formulas()} == {"proved"}


def test_brackets_with_functions_as_factors_are_refused():
    """[∂t, t y²∂x − x u∂u] = y²∂x is a function times ∂x, and no number times anything shown."""
    result = lsn.solve(lsn.SDE.parse("dx = y dW; dy = 0 dt"), "fokker-planck")
    assert result.dimension == np.inf
    with pytest.raises(InputError, match="functions of its"):
        result.brackets()
    finite = lsn.solve(lsn.SDE.parse("dx = -x dt + dW; dy = -2*y dt"))
    assert finite.brackets()


def test_an_invariant_alone_makes_no_family():
    """y is constant, but no symmetry of dx = (x − x³ + y)dt + dW has τ = 0; for Fokker–Planck h(y)u∂u has."""
    text = "dx = (x - x^3 + y) dt + dW; dy = 0 dt"
    assert count_invariants(*setup(text)) == 1
    assert family_of(text, "ito") is None
    assert family_of(text, "law") is None
    family = family_of(text, "fokker-planck")
    assert family is not None
    assert timeless(family).count == 1


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.extended])
def test_no_invariant_no_family(kind):
    assert family_of("dx = dW; dy = x dt", kind) is None


@pytest.mark.slow
def test_long_chains_of_integrators_have_no_invariant():
    """Kalman rank 5: every coordinate feels the noise, so nothing but constants stays constant."""
    sde = lsn.SDE.parse("dx1 = x2 dt; dx2 = x3 dt; dx3 = x4 dt; dx4 = x5 dt; dx5 = dW")
    assert lsn.solve(sde, formulas=False).dimension == 7


def chain(length: int) -> str:
    """Integrators one behind the other, the last one driven by noise, which reaches all of them."""
    return "; ".join([f"dx{i} = x{i + 1} dt" for i in range(1, length)] + [f"dx{length} = dW"])


@pytest.mark.parametrize("length", [5, 7, 9, 11])
def test_long_chains_have_no_invariants(length):
    """Rank of the controllability matrix: noise reaches every coordinate, so none may be claimed."""
    matrix, driven = np.diag(np.ones(length - 1), 1), np.eye(length)[:, -1:]
    columns = [np.linalg.matrix_power(matrix, k) @ driven for k in range(length)]
    assert np.linalg.matrix_rank(np.column_stack(columns)) == length
    assert not count_invariants(*setup(chain(length)))


def test_invariants_beside_a_chain_are_not_overcounted():
    """x, y, z from noise through two integrators, u free: u e^{-t} alone is constant."""
    assert count_invariants(*setup("dx = y dt; dy = z dt; dz = dW; du = u dt")) == 1


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("dx = dW; dy = x dt", 3),
        ("dx = dW; dy = y dt", 2),
        ("dx = dW; dy = dW; dz = (x - y) dt", 2),
        ("dx = dW1; dy = x dW2", 3),
        ("dx = -y/2 dW - x/8 dt; dy = x/2 dW - y/8 dt", 2),
        ("dx = -y dt + x dW; dy = x dt + y dW", 2),
        ("dx = y dW; dy = -x dW", 2),
    ],
)
def test_what_paths_reach_is_the_rank_of_all_brackets(text, dimension):
    """By hand: brackets of ∂t + drift (Stratonovich) and the noise fields, to third order, at one point."""
    source, domain = setup(text)
    variables = (t, *source.state)
    first = sp.Matrix([1, *source.drift])
    sigma = sp.Matrix(source.diffusion)
    for k in range(source.noise):
        column = sp.Matrix(sigma.col(k))
        first -= sp.Matrix([0, *(column.jacobian(list(source.state)) * column / 2)])
    fields = [first, *(sp.Matrix([0, *sigma.col(k)]) for k in range(source.noise))]
    span = list(fields)
    for _ in range(3):
        span += [b.jacobian(variables) * a - a.jacobian(variables) * b for a in fields for b in span]
    at: dict[Any, Any] = {variable: sp.Rational(7 + 2 * i, 5 + i) for i, variable in enumerate(variables)}
    assert sp.Matrix.hstack(*span).subs(at).rank() == dimension
    assert orbit_dimension(source, generic_point(domain), domain) == dimension


# an angle is shown by its first terms only
ELEMENTARY = [row for row in SYSTEMS if row[1] and not any(value.has(sp.atan) for value in row[1])]


@pytest.mark.parametrize(("text", "invariants"), ELEMENTARY)
def test_invariants_in_closed_form(text, invariants):
    """Each found is constant along every path, and together they are functions of the known ones and no fewer."""
    source, domain = setup(text)
    found = closed_invariants(source, domain, ("x", "y", "z")[: source.dimension], len(invariants))
    assert len(found) == len(invariants)
    variables = (t, *source.state)
    equations = INVARIANT.equations(source.dimension, source.noise)
    for value in found:
        assert all(sp.simplify(row) == 0 for row in equations.residuals(source, [value]))
    at: dict[Any, Any] = {variable: sp.Rational(7 + 2 * i, 5 + i) for i, variable in enumerate(variables)}

    def rank(functions):
        return sp.Matrix([[sp.diff(f, v).subs(at) for v in variables] for f in functions]).rank(simplify=True)

    assert rank(found) == rank((*found, *invariants)) == len(invariants)


def test_symmetries_that_move_time_are_listed():
    """dx = dW, dy = y dt has ∂t and 2t ∂t + x ∂x + 2ty ∂y beside h(y e^{-t}) ∂x and h(y e^{-t}) y ∂y."""
    result = lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt"))
    assert all(row.status == "proved" for row in result.formulas())
    moving = {(row.tau, *row.xi) for row in result.formulas() if row.tau != 0}
    assert moving == {(sp.Integer(1), 0, 0), (2 * t, x, 2 * t * y)}
    assert {(row.xi) for row in result.formulas() if row.tau == 0} == {(1, 0), (0, y)}
    message = next(flag.message for flag in result.flags if flag.code == "infinite")
    assert "I = y exp(-t)" in message
