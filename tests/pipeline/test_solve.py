"""`solve` against systems whose symmetries are known exactly: dimension and span, for each kind.

The table is in solve_cases_*.py; its generators are first put into the determining equations, written out in
solve_exact.py independently of the software.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import liestonet as lsn
import solve_cases_1d
import solve_cases_2d
import solve_cases_images
import solve_cases_more
import solve_cases_nd
from solve_exact import Case, Later, exact_generators, linear, t, worst_residual

# Hundreds of systems, some of them known to be beyond what solve can do; `make test-slow` runs them. The examples that
# everything rests on are in test_paper_examples.py.
pytestmark = pytest.mark.slow

LARGEST_ANGLE = 0.01
# Two seconds and more, whatever the kind.
SLOW = {
    "tiny box",
    "tiny box far away",
    "polar",
    "ou polar",
    "gbm 3",
    "ou isotropic long",
    "coupled duffing",
    "sinh pair",
}
POINTS = 400


# Fokker–Planck in two dimensions, and three dimensions and more, take seconds; these stay in the quick part.
QUICK = {
    "langevin",
    "bessel-drift",
    "plane bm",
    "ou rotating",
    "correlated bm",
    "integrated bm",
    "space bm",
    "bm 4",
    "a constant",
}


def rows() -> Iterator[Any]:
    """Every case and kind; what takes more than a second or two is marked slow."""
    for table in (solve_cases_1d, solve_cases_images, solve_cases_2d, solve_cases_more, solve_cases_nd):
        for item in table.CASES:
            for kind in item.answers:
                many = table is solve_cases_nd or (
                    kind == "fokker-planck" and table not in (solve_cases_1d, solve_cases_images)
                )
                heavy = table is solve_cases_nd or (many and item.name not in QUICK)
                marks = [pytest.mark.slow] if heavy or kind in item.slow or item.name in SLOW else []
                yield pytest.param(item, kind, marks=marks, id=f"{item.name}-{kind}")


def equation(item: Case) -> lsn.SDE:
    """The system as a user would give it."""
    if item.via == "callable":
        drift, diffusion = item.numeric()
        return lsn.SDE(drift, diffusion, dimension=len(item.state), names=[s.name for s in item.state])
    if item.via == "sympy":
        return lsn.SDE.from_sympy(list(item.drift), sp.Matrix(item.diffusion), list(item.state), t)
    return lsn.SDE.parse(item.text)


def angles(result: Any, item: Case, kind: str, points: np.ndarray) -> tuple[float, float]:
    """Largest principal angle between the answer and the exact generators: raw, and unit-free."""
    half = result.domain.half
    exact, time, state = exact_generators(item, kind), points[:, 0], points[:, 1:]
    raw = lsn.principal_angles(result.generators, exact, time, state)
    scaled = lsn.principal_angles(result.generators, exact, time, state, scale=(half[0], list(half[1:])))
    return float(raw[-1]), float(scaled[-1])


def rounding_of_the_span(result: Any) -> float:
    """The angle, in the units of the box, by which a thousand units in the last place can turn the generators.

    A direction that is none, but has a small residual, is hard to tell from them.
    """
    beyond = [row.residual for row in result.ladder[result.dimension :]]
    return float(np.degrees(1000 * np.finfo(float).eps / beyond[0])) if beyond and beyond[0] else 0.0


def random_points(result: Any) -> np.ndarray:
    low, high = np.array(result.domain.intervals).T
    return np.random.default_rng(7).uniform(low, high, (POINTS, len(low)))


@pytest.mark.parametrize(("given_case", "kind"), list(rows()))
def test_dimension_and_span(given_case: Case | Later, kind: str) -> None:
    item = given_case.build() if isinstance(given_case, Later) else given_case
    result = lsn.solve(equation(item), kind, item.domain, formulas=False)
    answer = item.answers[kind]
    points = random_points(result)
    if isinstance(answer, (int, float)):
        assert result.dimension == answer
        return
    assert worst_residual(item, kind, points[:2]) < 1e-14, "the table is wrong"
    assert result.dimension == len(answer), [row.residual for row in result.ladder]
    if answer:
        raw, scaled = angles(result, item, kind, points)
        known = rounding_of_the_span(result)
        assert scaled < max(known, LARGEST_ANGLE)
        assert known > LARGEST_ANGLE or raw < LARGEST_ANGLE  # in other units rounding can be anything


@pytest.mark.parametrize("kind", ["ito", "fokker-planck"])
@settings(max_examples=8)
@given(
    start=st.floats(-50, 50),
    duration=st.sampled_from([1e-3, 1.0, 3600.0]),
    length=st.sampled_from([1e-6, 1.0, 1e5]),
    centre=st.floats(-2, 2),
)
def test_units_and_clock_do_not_matter(kind: str, start: float, duration: float, length: float, centre: float) -> None:
    """An Ornstein–Uhlenbeck process in other units, from another time on: the same dimension, the exact span."""
    rate, noise = sp.nsimplify(-1 / duration), sp.nsimplify(length) / sp.sqrt(sp.nsimplify(duration))
    item = linear(rate, 0, noise)
    box = ((start * duration, (start + 1) * duration), ((centre - 1) * length, (centre + 1) * length))
    result = lsn.solve(equation(item), kind, box, formulas=False)
    assert result.dimension == len(item.answers[kind])
    half = result.domain.half
    # the exact generators grow like exp of the time; counted from the start they stay tame
    shifted = item.named("shifted", answers={kind: _from(item.answers[kind], box[0][0])})
    points = random_points(result)
    found = lsn.principal_angles(
        result.generators, exact_generators(shifted, kind), points[:, 0], points[:, 1:], scale=(half[0], half[1])
    )
    assert found[-1] < LARGEST_ANGLE


def _from(generators: list[Any], start: float) -> list[Any]:
    clock = t - sp.nsimplify(start)
    return [tuple(sp.sympify(e).subs(t, clock) for e in g) for g in generators]


def test_time_shift_of_a_forced_system() -> None:
    """x → the same system ten time units later has the same algebra, moved along."""
    early = lsn.solve(lsn.SDE.parse("dx = (sin(t) - x) dt + dW"), "ito", [(0, 1), (-1, 1)])
    late = lsn.solve(lsn.SDE.parse("dx = (sin(t - 10) - x) dt + dW"), "ito", [(10, 11), (-1, 1)])
    points = random_points(early)
    later = lambda time, state: late.generators(time + 10, state)  # noqa: E731
    assert early.dimension == late.dimension == 3
    assert lsn.principal_angles(early.generators, later, points[:, 0], points[:, 1:])[-1] < LARGEST_ANGLE


def test_infinite_families_show_their_generators() -> None:
    """What is listed for an infinite algebra is made of symmetries."""
    result = lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt"), "ito")
    assert result.dimension == math.inf
    assert all(row.residual < 1e-9 for row in result.ladder)
