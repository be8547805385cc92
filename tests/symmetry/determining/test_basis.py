"""Products of orthonormal polynomials: against NumPy's own, and orthonormal in the norm of docs/method.md §3.1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import legendre

from liestonet.core.domain import Domain
from liestonet.core.multiindex import margin, total_degree, union
from liestonet.symmetry.determining.basis import Basis

BOX = Domain(((1.0, 4.0), (-2.0, -1.0), (0.0, 10.0)))


def basis_of(domain: Domain, scales: list[float]) -> Basis:
    variables = len(domain.intervals)
    sets = [total_degree([0], variables, 3), *[total_degree(range(variables), variables, 3)] * (variables - 1)]
    return Basis(domain, np.array(scales), tuple(sets))


def test_basis_is_orthonormal_in_the_scaled_norm():
    """E[(τ/T)² + Σ(ξ^i/L_i)²] on the box, by Gauss quadrature done here."""
    basis = basis_of(BOX, [1.5, 0.5, 5.0])
    nodes, weights = legendre.leggauss(5)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 3)
    rule = np.einsum("i,j,k->ijk", weights, weights, weights).ravel() / 8
    tables = basis.tables(BOX.centre + BOX.half * grid, 0)
    for unknown in range(3):
        values = basis.functions(tables, unknown, ()) / BOX.half[unknown]
        np.testing.assert_allclose(values.T @ (rule[:, None] * values), np.eye(values.shape[1]), atol=1e-13)


@pytest.mark.parametrize("derivative", [(), (0,), (1,), (2,), (0, 1), (1, 1), (2, 2), (1, 2), (0, 0, 2), (1, 1, 2)])
def test_functions_are_products_of_derivatives(derivative):
    basis = basis_of(BOX, [2.0, 3.0, 7.0])
    points = BOX.centre + BOX.half * np.random.default_rng(0).uniform(-1, 1, (9, 3))
    tables = basis.tables(points, 3)
    for unknown in range(3):
        found = basis.functions(tables, unknown, derivative)
        for column, row in enumerate(basis.degrees[unknown]):
            exact = np.full(9, basis.scales[unknown])
            for v, degree in enumerate(row):
                # NumPy's polynomials carry the map from the interval themselves
                polynomial = legendre.Legendre.basis(int(degree), domain=BOX.intervals[v]) * np.sqrt(2 * degree + 1)
                order = derivative.count(v)
                exact = exact * (polynomial.deriv(order) if order else polynomial)(points[:, v])
            np.testing.assert_allclose(found[:, column], exact, rtol=1e-11, atol=1e-11)


def test_columns_follow_each_other():
    basis = basis_of(BOX, [1.0, 1.0, 1.0])
    spans = [basis.columns(unknown) for unknown in range(3)]
    assert [(s.start, s.stop) for s in spans] == [(0, 4), (4, 24), (24, 44)]
    assert basis.size == 44
    assert basis.highest.tolist() == [3, 3, 3]


@given(st.integers(1, 4), st.integers(0, 5))
def test_total_degree_has_every_exponent_once(variables, degree):
    rows = total_degree(range(variables), variables, degree)
    brute = [r for r in np.ndindex(*[degree + 1] * variables) if sum(r) <= degree]
    assert sorted(map(tuple, rows.tolist())) == sorted(brute)
    assert (np.diff(rows.sum(axis=1)) >= 0).all()


def test_total_degree_in_some_variables_only():
    assert total_degree([2], 3, 2).tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 2]]


ROWS = st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=12, unique=True)


@given(ROWS, ROWS)
def test_union_holds_each_row_of_both_once(first, second):
    rows = union(np.array(first), np.array(second))
    assert sorted(map(tuple, rows.tolist())) == sorted({*first, *second})
    assert (np.diff(rows.sum(axis=1)) >= 0).all()


@given(ROWS, st.integers(1, 2))
def test_margin_lies_just_outside(rows, coupled):
    """New rows only, each a member moved up in one variable, by one or two unless that variable stands alone."""
    members = set(rows)
    found = [tuple(row) for row in margin(np.array(rows), range(3), coupled).tolist()]
    assert len(found) == len(set(found))
    assert not members & set(found)
    allowed: dict[tuple, int] = {}
    for row in rows:
        for v in range(3):
            for step in range(1, 4):
                if step <= 2 or (row[v] == sum(row) and step <= row[v] // 2):
                    allowed[(*row[:v], row[v] + step, *row[v + 1 :])] = step
    assert set(found) <= set(allowed)
    for row in rows:
        for v in range(3):
            opens = v > 0 and row[v] == 0 and sum(d > 0 for d in row[1:]) >= coupled
            for up in [(*row[:v], row[v] + step, *row[v + 1 :]) for step in (1, 2)]:
                assert opens or up in members or up in found
