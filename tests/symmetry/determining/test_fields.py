"""Generators as functions: shapes, derivatives, and a readable basis of the same span."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from known_symmetries import BROWNIAN, PLANE, invertible, polynomial_fields
from liestonet.core.angles import principal_angles
from liestonet.core.domain import Domain
from liestonet.core.multiindex import total_degree
from liestonet.core.points import points_of
from liestonet.errors import InputError
from liestonet.symmetry.analytic.nullspace import find_null_space
from liestonet.symmetry.determining import fields as fields_module
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields, readable_basis
from liestonet.symmetry.determining.kinds import KINDS

t, x, y = sp.symbols("t x y", real=True)
BOX = Domain(((0.0, 2.0), (-1.0, 3.0), (1.0, 2.0)))
POLYNOMIALS = [[1 + t**2, x * y - t, y**3], [t, x**2 * t, 1], [0, 1, x + y]]


def points(count: int = 7) -> np.ndarray:
    return BOX.centre + BOX.half * np.random.default_rng(0).uniform(-1, 1, (count, 3))


def random_fields(beta: bool, seed: int = 0) -> Fields:
    full, time = total_degree(range(3), 3, 4), total_degree([0], 3, 4)
    degrees = (time, full, full, *([full] if beta else []))
    basis = Basis(BOX, np.array([1.0, 2.0, 0.5, 1.0][: len(degrees)]), degrees)
    return Fields(basis, np.random.default_rng(seed).standard_normal((basis.size, 2)), beta)


def test_values_are_the_polynomials():
    fields, where = polynomial_fields(POLYNOMIALS, BOX, 3), points()
    tau, xi = fields(where[:, 0], where[:, 1:])
    assert (tau.shape, xi.shape) == ((3, 7), (3, 7, 2))
    for i, (a, b, c) in enumerate(POLYNOMIALS):
        for found, formula in ((tau[i], a), (xi[i, :, 0], b), (xi[i, :, 1], c)):
            exact = sp.lambdify((t, x, y), sp.sympify(formula), "numpy")(*where.T)
            np.testing.assert_allclose(found, np.broadcast_to(exact, 7), atol=1e-12)


def test_beta_comes_third():
    where = points()
    values = random_fields(beta=True)(where[:, 0], where[:, 1:])
    assert [part.shape for part in values] == [(2, 7), (2, 7, 2), (2, 7)]
    assert len(random_fields(beta=False)(where[:, 0], where[:, 1:])) == 2


def test_no_points_and_no_fields():
    fields = random_fields(beta=False)
    tau, xi = fields(np.zeros(0), np.zeros((0, 2)))
    assert (tau.shape, xi.shape) == ((2, 0), (2, 0, 2))
    tau, xi = fields.mixed(np.zeros((2, 0)))(np.zeros(3), np.zeros((3, 2)))
    assert (tau.shape, xi.shape) == ((0, 3), (0, 3, 2))


def test_derivatives_agree_with_finite_differences():
    """Central differences of step h miss by h² times the third derivative."""
    fields, where, h = random_fields(beta=True), points(), 1e-4
    lower = [(), (0,), (1,), (2,), (1, 2)]
    wanted = fields.components(where, [*lower, *[tuple(sorted((*d, v))) for d in lower for v in range(3)]])
    for derivative in lower:
        for v in range(3):
            step = h * np.eye(3)[v]
            sides = [fields.components(where + s * step, [derivative])[derivative] for s in (1, -1)]
            expected = (sides[0] - sides[1]) / (2 * h)
            found = wanted[tuple(sorted((*derivative, v)))]
            np.testing.assert_allclose(found, expected, atol=1e-5 * max(np.abs(expected).max(), 1))


def test_chunks_change_nothing(monkeypatch):
    fields, where = random_fields(beta=True), points(23)
    whole = fields.components(where, [(), (1,)])
    monkeypatch.setattr(fields_module, "CHUNK", 5)
    for derivative, values in fields.components(where, [(), (1,)]).items():
        np.testing.assert_allclose(values, whole[derivative], atol=1e-12)


@given(arrays(float, (2, 3), elements=st.floats(-5, 5)))
def test_mixing_is_linear(matrix):
    fields, where = random_fields(beta=True), points()
    before = fields(where[:, 0], where[:, 1:])
    after = fields.mixed(matrix)(where[:, 0], where[:, 1:])
    for a, b in zip(before, after, strict=True):
        np.testing.assert_allclose(b, np.tensordot(matrix.T, a, axes=1), atol=1e-9)


@pytest.mark.parametrize(
    ("time", "state"),
    [
        (0.0, [[1.0, 2.0]]),
        ([0.0, 1.0], [[1.0, 2.0]]),
        ([[0.0]], [[1.0, 2.0]]),
        ([0.0], [1.0, 2.0]),
        ([0.0], [[1.0, 2.0, 3.0]]),
        ([0.0], [[1.0]]),
        ([0.0], 1.0),
    ],
)
def test_points_of_other_shapes_are_refused(time, state):
    with pytest.raises(InputError, match=r"t of shape \(B,\) and x of shape \(B, 2\)"):
        points_of(time, state, 2)


def test_points_stand_side_by_side():
    assert points_of([1, 2], [[3, 4], [5, 6]], 2).tolist() == [[1, 3, 4], [2, 5, 6]]


@given(st.integers(0, 10_000))
def test_a_readable_basis_spans_the_same(seed):
    """Whatever basis it is given."""
    generators = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [2 * t, x, y], [0, -y, x]]
    fields = polynomial_fields(generators, BOX, 2)
    readable = readable_basis(fields.mixed(invertible(seed, 5)))
    where = points(40)
    angles = principal_angles(fields, readable, where[:, 0], where[:, 1:])
    assert angles.max() < 1e-11
    # and it does not depend on the basis given
    again = readable_basis(fields)
    for a, b in zip(readable(where[:, 0], where[:, 1:]), again(where[:, 0], where[:, 1:]), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.parametrize(
    ("known", "kind", "constants"), [(BROWNIAN, "ito", 2), (PLANE, "law", 3), (BROWNIAN, "fokker-planck", 2)]
)
def test_translations_come_first(known, kind, constants):
    """∂t, then ∂x (and ∂y), each with the coefficient one and nothing else."""
    null = find_null_space(KINDS[kind], known.source, known.domain, len(known.generators[kind]))
    span = Fields(null.directions.basis, null.directions.coefficients[:, : null.count], kind == "fokker-planck")
    readable = readable_basis(span)
    rng = np.random.default_rng(0)
    where = known.domain.centre + known.domain.half * rng.uniform(-1, 1, (20, len(known.domain.half)))
    values = readable.components(where, [()])[()]
    for i in range(constants):
        expected = np.zeros(values.shape[2])
        expected[i] = 1
        np.testing.assert_allclose(values[i], np.tile(expected, (20, 1)), atol=1e-9)
    before, after = (f(where[:, 0], where[:, 1:]) for f in (span, readable))
    assert principal_angles(lambda *_: before, lambda *_: after, where[:, 0], where[:, 1:]).max() < 1e-8


def test_values_summed_variable_by_variable_are_those_of_the_functions():
    """Values alone take another way than values beside derivatives; outside the box and for several unknowns too."""
    fields = random_fields(beta=True)
    where = BOX.centre + 1.5 * BOX.half * np.random.default_rng(1).uniform(-1, 1, (300, 3))
    alone, beside = fields.components(where, [()])[()], fields.components(where, [(), (1,)])[()]
    np.testing.assert_allclose(alone, beside, rtol=1e-10, atol=1e-10 * np.abs(beside).max())
