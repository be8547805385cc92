"""Every shape is a claim about the equation. Here each is proved by SymPy on the drift and the noise of the catalogue's
systems themselves, without the determining equations that the generators were found by.
"""

from __future__ import annotations

from typing import Any

import pytest
import sympy

import liestonet as lsn
from liestonet.formulas.formula import Formula
from liestonet.render.meaning import shapes as known

# Slow to simplify, and of forms that others have.
LEFT_OUT = {"brownian-10d", "ornstein-uhlenbeck-5d", "hyperbolic-plane", "brownian-polar"}
CASES = [
    (name, kind)
    for name in lsn.catalogue
    if name not in LEFT_OUT
    for kind in ("ito", "law")
    if kind in lsn.catalogue[name].kinds
]


class Equation:
    """Drift and what the kind keeps of the noise: its columns, or their covariance."""

    def __init__(self, name: str, kind: str) -> None:
        symbolic = lsn.catalogue[name].sde.symbolic
        assert symbolic is not None
        self.t, self.x = symbolic.time, tuple(symbolic.state)
        self.drift = sympy.Matrix(symbolic.drift)
        self.sigma = sympy.Matrix(symbolic.diffusion)
        self.covariance = self.sigma * self.sigma.T
        self.noise = self.sigma if kind == "ito" else self.covariance
        self.power = 1 if kind == "ito" else 2  # how often a change of unit enters

    def along(self, field, matrix):
        return sum((matrix.diff(x) * part for x, part in zip(self.x, field, strict=True)), sympy.zeros(*matrix.shape))

    def noise_of(self, jacobian, noise):
        """The noise after a linear map."""
        return jacobian * noise if self.power == 1 else jacobian * noise * jacobian.T

    def turned(self, matrix, noise):
        """The change of the noise under an infinitesimal linear map."""
        return matrix * noise if self.power == 1 else matrix * noise + noise * matrix.T


def zero(*matrices) -> bool:
    return all(sympy.simplify(entry) == 0 for matrix in matrices for entry in matrix)


def time_translation(shape, e):
    assert zero(e.drift.diff(e.t), e.noise.diff(e.t))


def moving_frame(shape, e):
    assert zero(*(m.diff(e.t) + e.along(shape.velocity, m) for m in (e.drift, e.noise)))


def shift(shape, e):
    assert zero(e.along(shape.direction, e.drift), e.along(shape.direction, e.noise))


def shared_shift(shape, e):
    column: Any = sympy.Matrix(shape.components)
    rate = shape.rate
    assert zero(e.along(shape.components, e.drift) - column.diff(e.t), e.along(shape.components, e.noise))
    if rate is not None and shape.frequency is None:
        assert zero(column.diff(e.t) - rate * column)
    if shape.frequency is not None:
        assert rate is not None
        square = (rate**2 + shape.frequency**2) * column
        assert zero(column.diff(e.t, 2) - 2 * rate * column.diff(e.t) + square)
    if shape.boost:
        assert zero(column.diff(e.t, 2))


def scaling(shape, e):
    field = tuple(w * (x - c) for w, x, c in zip(shape.weights, e.x, shape.centre, strict=True))
    matrix = sympy.diag(*shape.weights)
    assert zero(e.along(field, e.drift) - matrix * e.drift, e.along(field, e.noise) - e.turned(matrix, e.noise))


def rotation(shape, e):
    matrix: Any = sympy.zeros(len(e.x))
    (i, j), (upper, lower) = shape.plane, shape.factors
    matrix[i, j], matrix[j, i] = upper, lower
    assert upper * lower < 0
    field = tuple(matrix * (sympy.Matrix(e.x) - sympy.Matrix(shape.centre)))
    assert zero(e.along(field, e.drift) - matrix * e.drift)
    if e.power == 2:
        assert zero(e.along(field, e.noise) - e.turned(matrix, e.noise))


def curved_shift(shape, e):
    """Itô's formula for y: its noise and that of the others free of it, the drift linear in it."""
    i = shape.coordinate
    x, slope = e.x[i], 1 / shape.profile
    assert zero(sympy.Matrix([shape.straight.diff(x) - slope]))
    drift = e.drift[i] * slope + e.covariance[i, i] * slope.diff(x) / 2
    assert zero(sympy.Matrix([drift.diff(x) * shape.profile - shape.rate]))
    assert zero(
        (e.sigma[i, :] * slope).diff(x) if e.power == 1 else sympy.Matrix([e.covariance[i, i] * slope**2]).diff(x)
    )


def self_similar(shape, e):
    c = sympy.Symbol("c", positive=True)
    state, drift, covariance, exponents = e.x, e.drift, e.covariance, shape.exponents
    if shape.straight is not None:
        y, back = shape.straight, sympy.Symbol("y_new", positive=True)
        inverse = next(root for root in sympy.solve(y - back, e.x[0]) if root.is_real is not False)
        first, second = y.diff(e.x[0]), y.diff(e.x[0], 2)
        drift = (drift * first + covariance * second / 2).subs(e.x[0], inverse)
        covariance, state = (covariance * first**2).subs(e.x[0], inverse), (back,)
    moved = {x: m + c**h * (x - m) for x, m, h in zip(state, shape.centre, exponents, strict=True)}
    moved[e.t] = shape.origin + c * (e.t - shape.origin)
    unit = sympy.diag(*(c**h for h in exponents))
    for matrix, expected in ((drift, unit * drift / c), (covariance, unit * covariance * unit / c)):
        assert zero(sympy.powdenest(sympy.expand(matrix.xreplace(moved) - expected), force=True))


def other_clock(shape, e):
    """Drift and covariance of y on the clock s by Itô's formula, which must not change with t where y stays."""
    rate: Any = sympy.diff(shape.clock, e.t)
    column: Any = sympy.Matrix(shape.coordinates)
    slopes = column.jacobian(e.x)
    bent = sympy.Matrix(
        [y.diff(x, 2) * e.covariance[i, i] / 2 for i, (y, x) in enumerate(zip(column, e.x, strict=True))]
    )
    drift = (column.diff(e.t) + slopes * e.drift + bent) / rate
    covariance = slopes * e.covariance * slopes.T / rate
    still = tuple(-slopes.inv() * column.diff(e.t))  # the velocity of x where y stays
    assert zero(*(m.diff(e.t) + e.along(still, m) for m in (drift, covariance)))


CLAIMS = {
    known.TimeTranslation: time_translation,
    known.MovingFrame: moving_frame,
    known.Shift: shift,
    known.SharedShift: shared_shift,
    known.Scaling: scaling,
    known.Rotation: rotation,
    known.CurvedShift: curved_shift,
    known.SelfSimilar: self_similar,
    known.OtherClock: other_clock,
}


def shapes_of(name: str, kind: str):
    system = lsn.catalogue[name]
    rows = [Formula(row.tau, row.xi, row.beta or sympy.Integer(0), "proved", 0.0) for row in system.formulas(kind)]
    frame = known.frame_of(rows, system.sde.names, 0)
    return [(row, known.shape_of(row, frame)) for row in rows]


def few_noises(name: str) -> bool:
    """Whether the law says nothing new."""
    return lsn.catalogue[name].sde.noise == 1


PARAMETERS = [
    pytest.param(name, kind, marks=[pytest.mark.slow] * (kind == "law" and few_noises(name)), id=f"{name}-{kind}")
    for name, kind in CASES
]


@pytest.mark.parametrize(("name", "kind"), PARAMETERS)
def test_what_a_shape_claims_holds_for_the_equation(name, kind):
    equation = Equation(name, kind)
    symbols = {symbol.name: symbol for symbol in (equation.t, *equation.x)}
    for row, shape in shapes_of(name, kind):
        if shape is None:
            continue
        used: set[Any] = set().union(*(sympy.sympify(part).free_symbols for part in (row.tau, *row.xi)))
        renamed = {s: symbols[s.name] for s in used}
        assert all(old == new for old, new in renamed.items())
        CLAIMS[type(shape)](shape, equation)


@pytest.mark.slow
def test_most_generators_of_the_catalogue_have_a_shape():
    found = [shape for name, kind in CASES for _, shape in shapes_of(name, kind)]
    assert len(found) > 150
    assert sum(shape is None for shape in found) < 0.2 * len(found)
    assert {type(shape) for shape in found} >= set(CLAIMS)


def shape(tau, *xi, beta="0", names=("x", "y")):
    symbols: dict[str, Any] = {name: sympy.Symbol(name, real=True) for name in ("t", *names)}
    parts = [sympy.parse_expr(text, local_dict=symbols) for text in (tau, *xi, beta)]
    row = Formula(parts[0], tuple(parts[1:-1]), parts[-1], "proved", 0.0)
    return known.shape_of(row, known.frame_of([row], names, 0))


@pytest.mark.parametrize(
    ("components", "kind"),
    [
        (("0", "x*y", "0"), type(None)),  # a shift by y of ln x, but with a factor that depends on y
        (("0", "y", "x"), type(None)),  # hyperbolic, no rotation
        (("0", "y", "0"), type(None)),  # a shear
        (("0", "2*y", "-x"), known.Rotation),
        (("t**2", "t*x", "t*y"), known.OtherClock),  # no projective map of paths
        (("0", "t", "1"), known.SharedShift),
        (("0", "t**2", "1"), known.SharedShift),
        (("exp(t)", "sin(x)", "0"), type(None)),
        (("0", "x - 1", "0"), known.Scaling),
    ],
)
def test_shapes_near_others(components, kind):
    found = shape(*components)
    assert type(found) is kind
    if isinstance(found, known.SharedShift):
        assert found.boost == (components[1] == "t")


def test_parameters_stay_symbols():
    found = shape("exp(-2*k*t)", "-k*x*exp(-2*k*t)", names=("x",))
    assert isinstance(found, known.OtherClock)
    assert sympy.simplify(found.coordinates[0] / sympy.Symbol("x", real=True)).free_symbols
