"""Which points lie where an answer holds."""

from __future__ import annotations

import numpy as np

import liestonet as lsn


def test_the_box_with_its_ends() -> None:
    result = lsn.solve(lsn.SDE.parse("dx = dW"), domain=[(0, 2), (-1, 3)])
    t, x = np.array([0.0, 2.0, 1.0, 2.1, 1.0]), np.array([[-1.0], [3.0], [0.5], [0.0], [3.1]])
    assert result.inside(t, x).tolist() == [True, True, True, False, False]


def test_an_angle_is_inside_wherever_it_is() -> None:
    equation = lsn.SDE.parse("dtheta = dW").with_periods({"theta": 2 * np.pi})
    result = lsn.solve(equation, domain=[(0, 1), None])
    assert result.inside(np.array([0.5, 0.5]), np.array([[-40.0], [40.0]])).all()
