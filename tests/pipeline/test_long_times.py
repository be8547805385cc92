# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportOperatorIssue=false
"""Times that are long beside the equation's own rates: dimension, span and constants against exact algebra.

Exact generators are written with exponentials counted from the end of the box at which they are largest, so that they
are numbers of a computer there; a generator's factor is nobody's business.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special
import sympy as sp

import liestonet as lsn
from liestonet.core.domain import Domain
from liestonet.symmetry.analytic.gluing import glued
from liestonet.symmetry.analytic.timecourse import continued, shift_matrix
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields
from solve_exact import Case, case, exact_generators, worst_residual

t, x, y = sp.symbols("t x y", real=True)
LARGEST_ANGLE = 0.01


def decaying(end: float, kind: str) -> Case:
    """dx = −x dt + dW: ∂t, e^{−t}∂x, e^{−2t}(∂t − x∂x), and for Fokker–Planck three more."""
    ito = [("1", "0"), ("0", "exp(-t)"), ("exp(-2*t)", "-x*exp(-2*t)")]
    late = f"exp(t-{end})"
    fp = [
        ("1", "0", "0"),
        ("0", "exp(-t)", "0"),
        ("exp(-2*t)", "-x*exp(-2*t)", "exp(-2*t)"),
        ("0", late, f"-2*x*{late}"),
        (f"{late}^2", f"x*{late}^2", f"(-2*x^2)*{late}^2"),
        ("0", "0", "1"),
    ]
    return case("ou", "x", ["-x"], [["1"]], **{kind: ito if kind in ("ito", "law") else fp})


def growing(end: float, kind: str) -> Case:
    late = f"exp(t-{end})"
    ito = [("1", "0"), ("0", late), (f"{late}^2", f"x*{late}^2")]
    fp = [
        ("1", "0", "0"),
        ("0", late, "0"),
        (f"{late}^2", f"x*{late}^2", f"-{late}^2"),
        ("0", "exp(-t)", "2*x*exp(-t)"),
        ("exp(-2*t)", "-x*exp(-2*t)", "-2*x^2*exp(-2*t)"),
        ("0", "0", "1"),
    ]
    return case("growing", "x", ["x"], [["1"]], **{kind: ito if kind in ("ito", "law") else fp})


def driven(end: float, kind: str) -> Case:
    """x − (sin t − cos t)/2 is an Ornstein–Uhlenbeck process."""
    ito = [
        ("1", "(cos(t) + sin(t))/2"),
        ("0", "exp(-t)"),
        ("exp(-2*t)", "exp(-2*t)*((cos(t) + sin(t))/2 - (x - (sin(t) - cos(t))/2))"),
    ]
    return case("driven", "x", ["sin(t) - x"], [["1"]], **{kind: ito})


def oscillator(end: float, kind: str) -> Case:
    ito = [("1", "0", "0"), ("0", "sin(t)", "cos(t)"), ("0", "cos(t)", "-sin(t)")]
    return case("oscillator", "x y", ["y", "-x"], [["0"], ["1"]], **{kind: ito})


def two_rates(end: float, kind: str) -> Case:
    ito = [("1", "0", "0"), ("0", "exp(-t)", "0"), ("0", "0", "exp(-3*t)")]
    return case("two rates", "x y", ["-x", "-3*y"], [["1", "0"], ["0", "1"]], **{kind: ito})


ROWS = [
    (decaying, "ito", 1000),
    (decaying, "law", 300),
    (decaying, "fp", 1000),
    (growing, "ito", 1000),
    (growing, "fp", 200),
    (driven, "law", 1000),
    (oscillator, "law", 500),
    (two_rates, "ito", 50),
    (two_rates, "law", 200),
]


def largest_angle(result: Any, item: Case, kind: str) -> float:
    low, high = np.array(result.domain.intervals).T
    points = np.random.default_rng(3).uniform(low, high, (400, len(low)))
    # what decays or grows is seen next to an end of the box only
    points[:100, 0] = low[0] + np.geomspace(1e-2, 5, 100)
    points[100:200, 0] = high[0] - np.geomspace(1e-2, 5, 100)
    half = result.domain.half
    scales = (None, (half[0], list(half[1:])))
    exact = exact_generators(item, kind)
    return max(
        float(lsn.principal_angles(result.generators, exact, points[:, 0], points[:, 1:], scale=scale)[-1])
        for scale in scales
    )


# without formulas the rates of ∂t continue the generators
SERIES = [(decaying, "fp", 100), (growing, "ito", 1000), (oscillator, "law", 500), (two_rates, "ito", 50)]


@pytest.mark.parametrize(
    ("build", "short", "end", "formulas"), [(*row, True) for row in ROWS] + [(*row, False) for row in SERIES]
)
def test_dimension_and_span(build: Any, short: str, end: int, formulas: bool) -> None:
    item = build(end, short)
    kind = "fokker-planck" if short == "fp" else short
    assert worst_residual(item, kind, np.full((2, len(item.state) + 1), 0.3)) < 1e-14, "the table is wrong"
    result = lsn.solve(lsn.SDE.parse(item.text), kind, [(0, end), *[(-1, 1)] * len(item.state)], formulas=formulas)
    assert result.dimension == len(item.answers[kind])
    assert largest_angle(result, item, kind) < LARGEST_ANGLE
    assert "long-time" in [flag.code for flag in result.flags]


@pytest.mark.parametrize("end", [1000])
@pytest.mark.parametrize("equation", ["dx = -x dt + dW", "dx = x dt + dW", "dx = (sin(t) - x) dt + dW"])
def test_structure_constants_are_those_of_the_formulas(equation: str, end: int) -> None:
    """Every bracket by SymPy, however large or small the generators are on the box."""
    result = lsn.solve(lsn.SDE.parse(equation), domain=[(0, end), (-1, 1)])
    rows = [(row.tau, row.xi[0]) for row in result.formulas()]
    assert [row.status for row in result.formulas()] == ["proved"] * 3
    along = lambda field, g: field[0] * sp.diff(g, t) + field[1] * sp.diff(g, x)  # noqa: E731
    point = {t: sp.Rational(7, 10) * end, x: sp.Rational(1, 3)}
    for i in range(3):
        for j in range(3):
            for c in range(2):
                exact = along(rows[i], rows[j][c]) - along(rows[j], rows[i][c])
                shown = sum(
                    (
                        sp.Rational(float(number)) * rows[k][c]
                        for k, number in enumerate(result.algebra.structure_constants[i, j])
                    ),
                    sp.Integer(0),
                )
                left, right = (sp.N(sp.sympify(e).subs(point), 30) for e in (exact, shown))
                assert abs(left - right) <= 1e-12 * max(abs(left), abs(right))


def test_formulas_are_numbers_on_the_box() -> None:
    """e^{2t} over a thousand units of time is no number of a computer; a multiple of it is."""
    result = lsn.solve(lsn.SDE.parse("dx = x dt + dW"), domain=[(0, 1000), (-1, 1)])
    time = np.linspace(0, 1000, 41)
    tau, xi = result.generators(time, np.full((41, 1), 0.5))
    assert np.isfinite(tau).all()
    assert np.isfinite(xi).all()
    values = np.concatenate([tau, xi[:, :, 0]], axis=1)
    assert (np.abs(values).max(axis=1) > 1e-3).all()


def test_symmetries_of_part_of_the_time_are_not_claimed() -> None:
    """dx = t dW: with s = t³/3 it is Brownian motion, but t^{−2}∂t and (t/3)∂t + … only the latter is smooth at 0."""
    result = lsn.solve(lsn.SDE.parse("dx = t dW"), domain=[(-1, 1), (-1, 1)])
    later = lsn.solve(lsn.SDE.parse("dx = t dW"), domain=[(0.5, 1.5), (-1, 1)])
    assert later.dimension == 3
    assert result.dimension == 2


def _window_fields(functions: list[Any], window: tuple[float, float]) -> Fields:
    """Fields g(t)∂x on a window as series, by projection of the exact functions."""
    domain = Domain((window, (-1.0, 1.0)))
    degrees = np.column_stack([np.arange(24), np.zeros(24, dtype=int)])
    basis = Basis(domain, np.array([domain.half[0], 1.0]), (degrees[:0], degrees))
    times, weights = domain.coordinates[0].quadrature(40)
    table = domain.coordinates[0].table(times, 23, 0)[0] * weights[:, None]
    return Fields(basis, np.column_stack([table.T @ function(times) for function in functions]))


def test_shift_matrix_is_the_time_derivative() -> None:
    fields = _window_fields([np.sin, np.cos, lambda s: np.exp(-2 * s)], (0.0, 4.0))
    np.testing.assert_allclose(shift_matrix(fields), [[0, -1, 0], [1, 0, 0], [0, 0, -2]], atol=1e-11)


def test_continuation_from_a_mixed_basis() -> None:
    """Sums of e^{−t}, e^{2t} and sin are told apart before they are continued."""
    parts = [lambda s: np.exp(-s), lambda s: np.exp(2 * s), np.sin, np.cos]
    mixing = np.random.default_rng(0).standard_normal((4, 4))
    functions = [lambda s, row=row: sum(c * f(s) for c, f in zip(row, parts, strict=True)) for row in mixing]
    found = continued(_window_fields(functions, (0.0, 4.0)), Domain(((0.0, 60.0), (-1.0, 1.0))))
    assert found.resolved
    times = np.append(np.linspace(0, 3, 60), np.append(np.linspace(5, 55, 80), np.linspace(57, 60, 60)))
    exact = np.stack([np.exp(-times), np.exp(2 * (times - 60)), np.sin(times), np.cos(times)])
    given = lambda s, state: (np.zeros((4, len(s))), exact[:, :, None])  # noqa: E731
    assert lsn.principal_angles(found.box, given, times, np.zeros((len(times), 1)))[-1] < 1e-4


def test_gluing_keeps_what_all_windows_have() -> None:
    """Two functions on overlapping windows give the span; a third that differs between windows makes it fail."""
    windows = [(0.0, 4.0), (3.0, 7.0), (6.0, 10.0)]
    domain = Domain(((0.0, 10.0), (-1.0, 1.0)))
    both = [_window_fields([np.sin, lambda s: np.exp(-s)], window) for window in windows]
    box = glued(both, domain)
    assert box is not None
    times = np.linspace(0, 10, 200)
    exact = np.stack([np.sin(times), np.exp(-times)])
    given = lambda s, state: (np.zeros((2, len(s))), exact[:, :, None])  # noqa: E731
    assert lsn.principal_angles(box, given, times, np.zeros((200, 1)))[-1] < 1e-5
    odd = _window_fields([np.sin, lambda s: np.exp(-2 * s)], windows[1])
    assert glued([both[0], odd, both[2]], domain) is None


def brownian_in_its_own_time(times: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """dx = t x dt + dW is x = e^{t²/2} y, y Brownian motion in the time s with s' = e^{−t²}, counted from its end.

    Its generators are ∂s, ∂y and 2s∂s + y∂y.
    """
    z, end = states[:, 0], times.max()
    late, clock = np.exp(times**2 - end**2), -np.sqrt(np.pi) * scipy.special.erfcx(times)
    tau = np.stack([late, 0 * late, clock])
    xi = np.stack([times * z * late, np.exp((times**2 - end**2) / 2), clock * times * z + z])
    return tau, xi[:, :, None]


def brownian_stretched(times: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x = (1+t)² y + sin 5t with y Brownian motion: ∂t, ∂y and 2t∂t + y∂y carried along."""
    z = states[:, 0]
    along = 2 * (z - np.sin(5 * times)) / (1 + times) + 5 * np.cos(5 * times)
    tau = np.stack([np.ones_like(z), np.zeros_like(z), 2 * times])
    return tau, np.stack([along, (1 + times) ** 2, 2 * times * along + z - np.sin(5 * times)])[:, :, None]


@pytest.mark.parametrize(
    ("text", "end", "exact"),
    [
        ("dx = t*x dt + dW", 5.0, brownian_in_its_own_time),
        pytest.param(
            "dx = (2*x + 5*(1+t)*cos(5*t) - 2*sin(5*t))/(1+t) dt + (1+t)^2 dW",
            10.0,
            brownian_stretched,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_formulas_with_error_functions_and_integrals(text: str, end: float, exact: Any) -> None:
    result = lsn.solve(lsn.SDE.parse(text), "ito", [(0, end), (-1, 1)])
    assert result.dimension == 3
    assert "nothing in the equation depends on time" not in next(
        f.message for f in result.flags if f.code == "long-time"
    )
    rng = np.random.default_rng(3)
    times, states = rng.uniform(0, end, 400), rng.uniform(-1, 1, (400, 1))
    assert lsn.principal_angles(result.generators, exact, times, states).max() < LARGEST_ANGLE


def test_a_moment_long_after_the_start() -> None:
    """Where every exponential has long vanished there is still an algebra, and formulas are sought in vain."""
    assert lsn.solve(lsn.SDE.parse("dx = -x dt + dW"), "ito", [(1000, 1000.001), (0, 0.001)]).dimension == 3
