"""Anatomy against exact ranks, and the properties that each part must have."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import exact_algebras as exact
from liestonet.algebra.anatomy import Anatomy, anatomy
from liestonet.algebra.ensemble import change_basis
from liestonet.errors import InputError

EXACT = 1e-10

# name: constants, (derived series, lower central series, centre, radical, nilradical)
KNOWN = {
    "abelian": (exact.abelian(4), ((4, 0), (4, 0), 4, 4, 4)),
    "aff(1)": (exact.almost_abelian([[1.0]]), ((2, 1, 0), (2, 1), 0, 2, 1)),
    "Heisenberg h_5": (exact.heisenberg(2), ((5, 1, 0), (5, 1, 0), 1, 5, 5)),
    "filiform": (exact.almost_abelian(np.eye(3, k=1)), ((4, 2, 0), (4, 2, 1, 0), 1, 4, 4)),
    "e(2)": (exact.euclidean(2), ((3, 2, 0), (3, 2), 0, 3, 2)),
    "e(3)": (exact.euclidean(3), ((6,), (6,), 0, 3, 3)),
    "gl(2)": (exact.from_matrices([*exact.sl_matrices(2), np.eye(2)]), ((4, 3), (4, 3), 1, 1, 1)),
    "sl(3)": (exact.sl(3), ((8,), (8,), 0, 0, 0)),
    "heat equation": (exact.schroedinger(1), ((6,), (6,), 1, 3, 3)),
    "heat equation in 2-D": (exact.schroedinger(2), ((9, 8), (9, 8), 1, 6, 5)),
    "Brownian, 2-D law": (exact.brownian_law(2), ((5, 3, 0), (5, 3), 0, 5, 3)),
    "Brownian, 3-D law": (exact.brownian_law(3), ((8, 7, 6), (8, 7), 0, 5, 4)),
    "order-5 rotation": (exact.almost_abelian(np.roll(np.eye(5), 1, axis=0)), ((6, 5, 0), (6, 5), 0, 6, 5)),
}


def dimensions(found: Anatomy) -> tuple:
    spaces = (found.centre, found.radical, found.nilradical)
    return (found.derived_dimensions, found.lower_central_dimensions, *[space.shape[1] for space in spaces])


def random_basis(seed: int, m: int, condition: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.standard_normal((m, m)))[0] for _ in range(2))
    return (left * np.geomspace(1, 1 / condition, m)) @ right


@pytest.mark.parametrize("name", KNOWN)
@given(seed=st.integers(0, 10**6), condition=st.floats(1, 1e3))
def test_dimensions_in_any_basis(name: str, seed: int, condition: float):
    constants, expected = KNOWN[name]
    if name == "order-5 rotation":  # seen only by the fifth power of ad, which a bad basis drowns in rounding
        condition = min(condition, 30.0)
    c = change_basis(constants, random_basis(seed, len(constants), condition))
    found = anatomy(c, EXACT * max(np.max(np.abs(c)), 1e-3) / 100)
    assert dimensions(found) == expected
    assert found.resolved


@pytest.mark.parametrize("name", KNOWN)
def test_ranks_agree_with_exact_arithmetic(name: str):
    """Derived algebra, centre, Killing rank and radical by SymPy over the rationals, in an integer basis."""
    constants, m = KNOWN[name][0], len(KNOWN[name][0])
    rng = np.random.default_rng(3)
    lower, upper = np.tril(rng.integers(-1, 2, (m, m)), -1), np.triu(rng.integers(-1, 2, (m, m)), 1)
    basis = (np.eye(m) + lower) @ (np.eye(m) + upper)  # determinant 1, so the constants stay integers
    c = change_basis(constants, basis)
    rational = np.rint(c * 4).astype(int)
    assert np.allclose(rational, c * 4, atol=1e-6)
    brackets = sympy.Matrix(rational.reshape(m * m, m).tolist())
    adjoints = sympy.Matrix(rational.transpose(1, 2, 0).reshape(m * m, m).tolist())
    killing = sympy.Matrix(np.einsum("ajk,bkj->ab", rational, rational).tolist())
    found = anatomy(c, EXACT)
    assert dimensions(found)[0][1:2] == ((brackets.rank(),) if brackets.rank() < m else ())
    assert found.centre.shape[1] == m - adjoints.rank()
    assert found.killing_signature[2] == m - killing.rank()
    assert found.radical.shape[1] == m - (brackets * killing).rank()
    values = np.linalg.eigvalsh(found.killing)
    large = np.abs(values) > 1e-8 * np.max(np.abs(values), initial=1.0)
    assert found.killing_signature[:2] == (np.sum(values[large] > 0), np.sum(values[large] < 0))


@pytest.mark.parametrize("name", ["e(3)", "gl(2)", "heat equation", "heat equation in 2-D", "Brownian, 3-D law"])
def test_levi_factor_is_a_subalgebra_and_a_complement(name: str):
    constants = KNOWN[name][0]
    c = change_basis(constants, random_basis(5, len(constants), 20.0))
    found = anatomy(c, EXACT)
    levi, m = found.levi_factor, len(c)
    assert levi.shape[1] + found.radical.shape[1] == m
    assert np.linalg.svd(np.hstack([levi, found.radical]))[1].min() > 1e-6
    brackets = np.einsum("ai,bj,abk->ijk", levi, levi, c).reshape(-1, m).T
    outside = brackets - levi @ (levi.T @ brackets)
    assert np.max(np.abs(outside)) < 1e-8 * np.max(np.abs(brackets))
    inside = np.einsum("ai,bj,abk,kl->ijl", levi, levi, c, levi)
    assert np.linalg.matrix_rank(np.einsum("ajk,bkj->ab", inside, inside)) == levi.shape[1]


def test_levi_factor_through_a_radical_that_is_not_abelian():
    """A wrong start in the Heisenberg radical has to be corrected in two steps."""
    c = exact.schroedinger(2)
    shear = np.eye(9)
    shear[:3, 4:] = np.random.default_rng(1).standard_normal((3, 5))
    levi = anatomy(change_basis(c, shear), EXACT).levi_factor
    c = change_basis(c, shear)
    brackets = np.einsum("ai,bj,abk->ijk", levi, levi, c).reshape(-1, 9).T
    assert np.max(np.abs(brackets - levi @ (levi.T @ brackets))) < 1e-8


@pytest.mark.parametrize("name", ["e(3)", "heat equation in 2-D", "Brownian, 2-D law", "order-5 rotation"])
def test_nilradical_is_a_nilpotent_ideal(name: str):
    c, found = KNOWN[name][0], anatomy(KNOWN[name][0], EXACT)
    nil, m = found.nilradical, len(c)
    images = np.einsum("abk,bj->ajk", c, nil).reshape(-1, m).T
    assert np.max(np.abs(images - nil @ (nil.T @ images))) < 1e-9
    for direction in nil.T:
        assert np.max(np.abs(np.linalg.eigvals(np.einsum("a,ajk->kj", direction, c)))) < 1e-2


def test_types():
    flags = ("abelian", "nilpotent", "solvable", "semisimple", "reductive")

    def types(constants: np.ndarray) -> set[str]:
        found = anatomy(constants, EXACT)
        return {flag for flag in flags if getattr(found, flag)}

    assert types(exact.abelian(0)) == {"abelian", "nilpotent", "solvable", "reductive"}
    assert types(exact.abelian(3)) == {"abelian", "nilpotent", "solvable", "reductive"}
    assert types(exact.heisenberg(1)) == {"nilpotent", "solvable"}
    assert types(exact.euclidean(2)) == {"solvable"}
    assert types(exact.so(4)) == {"semisimple", "reductive"}
    assert types(KNOWN["gl(2)"][0]) == {"reductive"}
    assert types(exact.euclidean(3)) == set()


def test_wrong_input_ends_in_our_error():
    with pytest.raises(InputError, match="c\\[i,j,k\\]"):
        anatomy(np.ones((2, 2, 2)), EXACT)
    with pytest.raises(InputError, match="finite"):
        anatomy(np.full((2, 2, 2), np.nan), EXACT)
    with pytest.raises(InputError, match="uncertainty"):
        anatomy(np.zeros((2, 2, 2)), -1.0)
