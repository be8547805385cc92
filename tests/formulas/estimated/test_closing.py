"""Formulas of one span must close: wrong functions near the span are found out by their brackets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy

from known_symmetries import polynomial_fields
from liestonet.algebra.structure import find_algebra
from liestonet.core.domain import Domain
from liestonet.core.points import lattice_cloud
from liestonet.formulas.estimated.closing import Closing, not_closing
from liestonet.formulas.formula import Constant

t, x, S, k = sympy.symbols("t x S k1", real=True)
POINTS = np.random.default_rng(0).uniform((0, 50), (1, 250), (400, 2))
SCALES = np.array([0.5, 100.0])


def flat(*functions):
    """Functions by component, with their sizes in units of the component."""
    found = []
    for component, function in functions:
        values = sympy.lambdify([t, S], function.subs(k, -2), "numpy")(*POINTS.T) * np.ones(len(POINTS))
        found.append((component, function, float(np.sqrt(np.mean(values**2)) / SCALES[component])))
    return found


def scaling(function, factor):
    """∂t, t ∂t + factor·function ∂S and S ∂S as functions and factors."""
    functions = flat((0, sympy.Integer(1)), (0, t), (1, function), (1, S))
    matrix = np.zeros((4, 3))
    matrix[0, 0] = matrix[1, 1] = matrix[3, 2] = 1.0
    matrix[2, 1] = factor
    scatter = np.zeros((4, 3))
    scatter[2, 1] = 0.05 * abs(factor)
    return functions, matrix, scatter


def test_the_scaling_of_geometric_brownian_motion_closes_for_any_factor():
    functions, matrix, scatter = scaling(S * sympy.log(S), 0.47)
    assert not Closing(functions, (t, S), {}, POINTS, SCALES).excess(matrix, scatter).any()


def test_a_root_near_it_does_not_close():
    # [t ∂t + c √S ∂S, S ∂S] = c/2 √S ∂S
    functions, matrix, scatter = scaling(sympy.sqrt(S), -12.0)
    excess = Closing(functions, (t, S), {}, POINTS, SCALES).excess(matrix, scatter)
    assert excess[1, 2] == pytest.approx(excess[2, 1])
    assert excess[1, 2] > 10
    assert excess[0, 1] < 1e-3
    assert excess[0, 2] < 1e-3
    assert not_closing(excess, [True] * 3, [1, 2, 1], 3.0) == [1]
    assert not_closing(excess, [True, False, True], [1, 2, 1], 3.0) == []


@pytest.mark.parametrize(("rate", "closes"), [(-1.9, True), (-1.2, False)])
def test_constants_that_the_algebra_ties_may_differ_within_their_errors(rate, closes):
    # [e^{kt}(∂t + a S ∂S), e^{bt} ∂S] = (b − a) e^{(k + b)t} ∂S vanishes for a = b only
    functions = flat((0, sympy.exp(k * t)), (1, sympy.exp(k * t) * S), (1, sympy.exp(-t)))
    matrix = np.array([[1.0, 0.0], [rate / 2, 0.0], [0.0, 1.0]])
    scatter = np.array([[0.0, 0.0], [0.05, 0.0], [0.0, 0.0]])
    constants = {k: Constant(k, -2.0, 0.1)}
    excess = Closing(functions, (t, S), constants, POINTS, SCALES).excess(matrix, scatter)
    assert (excess[0, 1] < 3) == closes


@pytest.mark.parametrize("skew", [0.0, 0.9, 0.99])
def test_the_name_does_not_depend_on_how_skew_the_generators_are(skew):
    # ∂t, ∂x and 2t ∂t + x ∂x, the last two made nearly parallel, and an error that would hide what tells them apart
    domain = Domain(((0.0, 1.0), (-1.0, 1.0)))
    straight = polynomial_fields([[1, 0], [0, 1], [2 * t, x]], domain, 2, False)
    mixing = np.eye(3)
    mixing[1, 2], mixing[2, 2] = 10 * skew, 1 - skew
    cloud = lattice_cloud(domain, 300)
    algebra = replace(find_algebra(straight.mixed(mixing), cloud.points, cloud.weights), error=0.02)
    assert algebra.name == "Bianchi VI, h = −9"
