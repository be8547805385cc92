"""Factors from the determining equations: exact where the functions suffice, refused where they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import liestonet as lsn
from liestonet.formulas.proved.refinement import Refiner
from liestonet.symmetry.determining.kinds import KINDS

t, x = sympy.symbols("t x", real=True)
LOG = sympy.log(x)


GEOMETRIC: Any = lsn.SDE.parse("dx = x/5 dt + x/2 dW").symbolic
POINTS = np.random.default_rng(0).uniform([0, 0.5], [1, 2], (60, 2))
SCALING = [(t, 0), (0, x * LOG), (0, t * x)]


@pytest.fixture(scope="module")
def refiner():
    """Itô symmetries of geometric Brownian motion."""
    return Refiner(KINDS["ito"].equations(1, 1), GEOMETRIC, POINTS)


def test_exact_factors(refiner):
    # in y = log x: t ∂t + y/2 ∂y + (μ − σ²/2) t/2 ∂y with μ = 1/5 and σ = 1/2
    assert refiner.coefficients(SCALING, 0) == [1, sympy.Rational(1, 2), sympy.Rational(3, 80)]
    assert refiner.coefficients(SCALING, 1) == [2, 1, sympy.Rational(3, 40)]


def test_superfluous_functions_get_the_factor_zero(refiner):
    assert refiner.coefficients([*SCALING, (0, x**2), (t**2, 0)], 0)[-2:] == [0, 0]


def test_too_few_functions_solve_nothing(refiner):
    assert refiner.coefficients([(t, 0), (0, x * LOG)], 0) is None
    assert refiner.coefficients([(0, x**2)], 0) is None


def test_dependent_functions_are_refused(refiner):
    assert refiner.coefficients([*SCALING, (0, 2 * t * x)], 0) is None


def test_an_answer_that_is_one_of_many_is_refused():
    # for Fokker–Planck the boost t x ∂x − (4 log x + 7 t/10) u∂u is made of the same functions
    refiner = Refiner(KINDS["fokker-planck"].equations(1, 1), GEOMETRIC, POINTS)
    assert refiner.coefficients([*((*field, 0) for field in SCALING), (0, 0, LOG), (0, 0, t)], 0) is None
