"""Functions of angles that formulas may have."""

from __future__ import annotations

import math

import pytest
import sympy

from liestonet.core.domain import Domain
from liestonet.formulas.blocks import general_blocks
from liestonet.formulas.waves import coordinate_blocks, is_periodic, plain_blocks, waves

T, A, X = sympy.symbols("t a x", real=True)
CYLINDER = Domain(((0.0, 1.0), (0.0, 2 * math.pi), (-1.0, 1.0)), periodic=(1,))


@pytest.mark.parametrize(
    ("period", "first"),
    [(2 * math.pi, sympy.cos(A)), (360.0, sympy.cos(sympy.pi * A / 180)), (1.0, sympy.cos(2 * sympy.pi * A))],
)
def test_waves_have_exact_numbers(period: float, first: sympy.Expr) -> None:
    assert waves(A, period)[0] == first


def test_blocks_of_each_coordinate() -> None:
    assert coordinate_blocks(CYLINDER, (T, A, X)) == [waves(A, 2 * math.pi), general_blocks(X)]
    assert plain_blocks(CYLINDER, (T, A, X)) == [*waves(A, 2 * math.pi), X]


@pytest.mark.parametrize(
    ("component", "periodic"),
    [(sympy.exp(sympy.cos(A)) * X, True), (A, False), (sympy.sin(A / 2), False), (X**2 * T, True), (A * T, False)],
)
def test_fields_are_periodic_or_not(component: sympy.Expr, periodic: bool) -> None:
    assert is_periodic((sympy.Integer(1), component, sympy.Integer(0)), CYLINDER, (T, A, X)) is periodic
