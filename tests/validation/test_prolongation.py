"""Motions of positions and what they do to velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

from liestonet.validation.formulas import prolonged
from liestonet.validation.generator_input import parse_generators


def test_known_prolongations() -> None:
    # of the Galilean boost, of scalings of x and of t, and of a generator that names velocities itself
    given = parse_generators("t d_x; x d_x; t d_t; x^2 d_x; x d_x + 5 d_v", ["x", "v"])
    _, x, v = given.variables
    assert [row[2] for row in prolonged(given).rows] == [1, v, -v, 2 * x * v, 5]


def test_pushed_paths_have_the_pushed_velocities() -> None:
    # by finite differences along a path x(t): its image under the flow to first order, and the slope of the image
    given = prolonged(
        parse_generators("(1 + t^2) d_t + (sin(t) x y + t) d_x + (x^2 - t y) d_y", ["x", "y", "v_x", "v_y"])
    )
    path = [sympy.sin(2 * given.variables[0]), sympy.cos(given.variables[0])]
    t = given.variables[0]
    epsilon = sympy.Symbol("epsilon")
    states: Any = dict(zip(given.variables[1:], [*path, *(each.diff(t) for each in path)], strict=True))
    tau, *xi = (part.subs(states) for part in given.rows[0])
    for k in range(2):
        image = (path[k] + epsilon * xi[k]).diff(t) / (t + epsilon * tau).diff(t)
        moved = image.diff(epsilon).subs(epsilon, 0)
        found = sympy.lambdify(t, [moved, xi[2 + k]])(np.float64(0.7))
        assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize(("first", "second"), [("t^2 d_t + t x d_x", "x^2 d_x"), ("t d_x", "t d_t - x d_x")])
def test_prolongation_keeps_brackets(first: str, second: str) -> None:
    given = parse_generators(f"{first}; {second}", ["x", "v"])
    t, x, v = given.variables

    def bracket(a: tuple[sympy.Expr, ...], b: tuple[sympy.Expr, ...]) -> list[sympy.Expr]:
        def along(field: tuple[sympy.Expr, ...], f: sympy.Expr) -> sympy.Expr:
            return sum((part * f.diff(var) for part, var in zip(field, (t, x, v), strict=True)), sympy.Integer(0))

        return [sympy.expand(along(a, q) - along(b, p)) for p, q in zip(a, b, strict=True)]

    long = bracket(*prolonged(given).rows)
    short = bracket(*given.rows)
    again = prolonged(type(given)(given.variables, ((short[0], short[1], sympy.Integer(0)),)))
    assert sympy.expand(long[2] - again.rows[0][2]) == 0
