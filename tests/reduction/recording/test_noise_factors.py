"""Constants of σ in place of those of a: the same a, and derivatives against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

from liestonet.reduction.recording.candidate_terms import Term
from liestonet.reduction.recording.noise_factors import noise_factors, triangular_root

x, y = sympy.symbols("x y", real=True)


POSITIVE = (x, y)
SINGLE = [((0, 0), x**2), ((0, 1), x * y), ((1, 1), y**2)]


def terms(*rows: tuple[tuple[int, int], Any]) -> list[Term]:
    return [Term(entry, sympy.sympify(function), np.ones(1)) for entry, function in rows]


def test_single_terms_become_factors_of_sigma():
    factors = np.array([0.09, -0.03, 0.05])
    (found,) = noise_factors(terms(*SINGLE), factors, POSITIVE)
    root = np.zeros((2, 2))
    for (i, j), value in zip(found.entries, found.values, strict=True):
        root[i, j] = value
    np.testing.assert_allclose(root @ root.T, [[0.09, -0.03], [-0.03, 0.05]])
    assert found.sizes == {0: x, 1: y}
    for k in range(3):
        step = 1e-6 * np.eye(3)[k]
        (up,), (down,) = (list(noise_factors(terms(*SINGLE), factors + s, POSITIVE)) for s in (step, -step))
        np.testing.assert_allclose(found.slopes[:, k], (up.values - down.values) / 2e-6, rtol=1e-6, atol=1e-9)


def test_coordinates_without_common_noise_have_factors_of_their_own():
    one, other = noise_factors(terms(((0, 0), 1), ((1, 1), y)), np.array([4.0, 9.0]), POSITIVE)
    assert [one.values.tolist(), other.values.tolist()] == [[2.0], [3.0]]
    assert [one.places, other.places] == [(0,), (1,)]


@pytest.mark.parametrize(
    ("rows", "factors"),
    [
        ([((0, 0), 1), ((0, 0), x**2)], [1.0, 1.0]),  # two terms in one entry
        ([((0, 0), x**2), ((0, 1), 1), ((1, 1), y**2)], [1.0, 0.1, 1.0]),  # no product
        ([((0, 0), 1), ((0, 1), 1), ((1, 1), 1)], [1.0, 2.0, 1.0]),  # no covariance
    ],
)
def test_other_noise_keeps_the_constants_of_a(rows, factors):
    assert list(noise_factors(terms(*rows), np.array(factors), POSITIVE)) == []


def test_the_root_in_formulas_has_the_square_that_was_asked_for():
    squared = sympy.Matrix([[x**2 + 1, x], [x, y**2 + 2]])
    root = triangular_root(squared, [0, 1], POSITIVE)
    assert root[0, 1] == 0
    assert (root * root.T - squared).applyfunc(sympy.simplify) == sympy.zeros(2, 2)
