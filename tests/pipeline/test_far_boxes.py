"""Long times and boxes far from the origin: generators, formulas and structure constants say the same there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import liestonet as lsn

t, x = sp.symbols("t x", real=True)
GROWING = "dx = x dt + dW"
DECAYING = "dx = -x dt + dW"


def points_in(result: Any, count: int = 50) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(result.domain.intervals).T
    points = np.random.default_rng(1).uniform(low, high, (count, len(low)))
    points[0], points[1] = low, high
    return points[:, 0], points[:, 1:]


def bracket(first: list[Any], second: list[Any]) -> list[Any]:
    """docs/method.md §1.2, for (τ, ξ) in one dimension."""

    def along(field: list[Any], g: Any) -> Any:
        return field[0] * sp.diff(g, t) + field[1] * sp.diff(g, x)

    return [along(first, b) - along(second, a) for a, b in zip(first, second, strict=True)]


@pytest.mark.parametrize(
    ("equation", "times", "sign"),
    [
        (GROWING, (0, 10), 1),
        (GROWING, (0, 15), 1),
        (GROWING, (0, 30), 1),
        (DECAYING, (-100, -99), -1),
        (GROWING, (300, 301), 1),
        (GROWING, (1e6, 1e6 + 1), 1),
    ],
)
def test_brackets_are_those_of_the_formulas(equation: str, times: tuple[float, float], sign: int) -> None:
    """dx = ±x dt + dW has ∂t, e^{±t} ∂x and e^{±2t}(∂t ± x ∂x); their brackets by SymPy, entry by entry."""
    result = lsn.solve(lsn.SDE.parse(equation), domain=[times, (-1, 1)])
    assert result.dimension == 3
    assert [row.status for row in result.formulas()] == ["proved"] * 3
    rows = [[row.tau, *row.xi] for row in result.formulas()]
    for row in rows:
        # each is a multiple of one of the three
        known = [
            [sp.Integer(1), 0],
            [sp.Integer(0), sp.exp(sign * t)],
            [sp.exp(2 * sign * t), sign * x * sp.exp(2 * sign * t)],
        ]
        assert any(sp.simplify(row[0] * g[1] - row[1] * g[0]) == 0 for g in known)
    constants = result.algebra.structure_constants
    for i in range(3):
        for j in range(3):
            combined = [sum(sp.nsimplify(c) * rows[k][a] for k, c in enumerate(constants[i, j])) for a in (0, 1)]
            missing = [
                sp.simplify(left - right) for left, right in zip(bracket(rows[i], rows[j]), combined, strict=True)
            ]
            assert missing == [0, 0]


@pytest.mark.parametrize("times", [(0, 15), (0, 30), (300, 301)])
def test_generators_are_what_the_formulas_say_at_every_point(times: tuple[float, float]) -> None:
    result = lsn.solve(lsn.SDE.parse(GROWING), domain=[times, (-1, 1)])
    time, state = points_in(result)
    tau, xi = result.generators(time, state)
    for k, row in enumerate(result.formulas()):
        for b in range(len(time)):
            at = {t: sp.Rational(time[b]), x: sp.Rational(state[b, 0])}
            exact = [float(sp.N(sp.sympify(e).subs(at), 30)) for e in (row.tau, row.xi[0])]
            np.testing.assert_allclose([tau[k, b], xi[k, b, 0]], exact, rtol=1e-9, atol=0)


def test_the_stored_series_show_the_formulas_too() -> None:
    """What is saved as coefficients is known relative to its largest value on the box, generator by generator."""
    result = lsn.solve(lsn.SDE.parse(GROWING), domain=[(0, 15), (-1, 1)])
    time, state = points_in(result)
    series, exact = (
        np.concatenate([tau, xi[:, :, 0]], axis=1)
        for tau, xi in (f(time, state) for f in (result.fields, result.generators))
    )
    assert (np.abs(series - exact).max(axis=1) <= 1e-5 * np.abs(exact).max(axis=1)).all()


def test_a_formula_on_a_far_box_is_proved_or_shows_what_varies() -> None:
    """√x e^t ∂x is no symmetry, though on x from 100000 to 100001 it is e^t ∂x to five digits."""
    result = lsn.solve(lsn.SDE.parse(GROWING), domain=[(0, 1), (1e5, 1e5 + 1)])
    time, state = points_in(result, 200)
    values = result.generators(time, state)
    for k, row in enumerate(result.formulas()):
        if row.status == "numerical":
            continue
        for component, series in zip((row.tau, row.xi[0]), (values[0][k], values[1][k, :, 0]), strict=True):
            shown = sp.lambdify((t, x), component, "numpy")(time, state[:, 0]) * np.ones(len(time))
            if row.status == "consistent" and np.ptp(series) > 1e-6 * np.abs(series).max():
                assert np.abs(shown - series).max() <= 1e-2 * np.ptp(series)
            assert not sp.sympify(component).has(sp.sqrt(x))


def test_brownian_motion_far_away() -> None:
    """Fokker–Planck symmetries of dx = dW on x from 100000 to 100001: all six proved, so that nothing is lost."""
    result = lsn.solve(lsn.SDE.parse("dx = dW"), "fokker-planck", [(0, 1), (1e5, 1e5 + 1)])
    assert result.dimension == 6
    assert [row.status for row in result.formulas()] == ["proved"] * 6
    assert result.algebra.name.startswith("sl(2,R)")


@pytest.mark.parametrize("low", [1e-2, 1e-6, 1e-12])
def test_a_box_that_nearly_touches_a_singular_point(low: float) -> None:
    """dx = √x dW has ∂t and t ∂t + x ∂x, however near to 0 the box begins."""
    result = lsn.solve(lsn.SDE.parse("dx = sqrt(x) dW"), domain=[(0, 1), (low, 1)], formulas=False)
    assert result.dimension == 2
    time, state = points_in(result)
    exact = lambda s, y: (np.stack([np.ones(len(s)), s]), np.stack([0 * y, y]))  # noqa: E731
    assert lsn.principal_angles(result.generators, exact, time, state)[-1] < 0.01
