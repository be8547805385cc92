"""Simple functions recognised in spaces that are known only by values."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from liestonet.formulas.functionspace import evaluate, independent, members, orthonormal_span

t = sympy.Symbol("t", real=True)
GRID = np.linspace(0.1, 1.3, 40)[:, None]
CANDIDATES = [sympy.Integer(1), t, t**2, sympy.exp(t), sympy.exp(-t), sympy.sin(t), sympy.cos(t), t * sympy.exp(t)]


def space_of(*expressions, mixing=None):
    columns = np.column_stack(evaluate(expressions, (t,), GRID))
    if mixing is not None:
        columns = columns @ mixing
    return orthonormal_span(columns, 1e-9)


@given(st.integers(0, 2**32 - 1))
def test_members_do_not_depend_on_the_basis_of_the_space(seed):
    mixing = np.random.default_rng(seed).standard_normal((3, 3)) + 3 * np.eye(3)
    found = members(space_of(t, sympy.exp(t), sympy.cos(t), mixing=mixing), evaluate(CANDIDATES, (t,), GRID), 1, 1e-8)
    assert found is not None
    assert [CANDIDATES[j] for j in found] == [t, sympy.exp(t), sympy.cos(t)]


def test_sums_are_found_where_single_functions_do_not_do():
    columns = evaluate(CANDIDATES, (t,), GRID)
    space = space_of(sympy.Integer(1), sympy.sin(t) + 2 * sympy.cos(t))
    assert members(space, columns, 1, 1e-8) is None
    found = members(space, columns, 2, 1e-8)
    assert found is not None
    assert {CANDIDATES[j] for j in found} == {1, sympy.sin(t), sympy.cos(t)}


def test_a_function_outside_the_candidates_is_not_explained():
    assert members(space_of(1 / (1 + t**2)), evaluate(CANDIDATES, (t,), GRID), 3, 1e-8) is None


@pytest.mark.parametrize("expression", [sympy.log(t - 5), 1 / (t - t), sympy.sqrt(-t)])
def test_functions_that_are_not_real_and_finite_are_never_candidates(expression):
    assert not np.any(evaluate([expression], (t,), GRID)[0])


def test_combinations_of_earlier_columns_are_left_out():
    t = np.linspace(0, 3, 50)
    columns = [np.ones(50), np.sin(t) ** 2, np.cos(t) ** 2, np.zeros(50), t, np.cos(2 * t), np.exp(t)]
    assert independent(columns) == [0, 1, 4, 6]
    assert independent([]) == []
