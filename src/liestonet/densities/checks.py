"""Checks of a density: a proof of the potential, the forward equation to sixty digits, and a count of symmetries."""

from __future__ import annotations

from typing import Any

import mpmath
import sympy

from liestonet.core.domain import Domain
from liestonet.densities.formula import density_formula, names_of
from liestonet.densities.numbers import Expression
from liestonet.densities.plan import Plan
from liestonet.densities.precision import evaluated, function_of
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.structure import Structure
from liestonet.densities.tuning import CHECKS
from liestonet.formulas.proved.proofs import is_zero
from liestonet.sde.sde import SDE
from liestonet.symmetry.analytic.dimension_bound import formal_counts
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, KILLED


class DisagreementError(RuntimeError):
    """Two computations of the same quantity differ, which is an internal error."""


def counted_dimension(sde: SDE, equation: ScalarEquation) -> int | None:
    """The dimension of the Fokker–Planck algebra by power series, as in `solve`; None where a series does not exist."""
    numeric = sde
    if equation.draw:
        numeric = sde.with_parameters({symbol.name: value for symbol, value in equation.draw.items()})
    first, *_ = equation.inside()
    place, time = float(first), float(next(equation.times()))
    width = CHECKS.part * _room(equation, place)
    box = Domain(((time - CHECKS.duration, time + CHECKS.duration), (place - width, place + width)))
    kind = FOKKER_PLANCK if sde.killing is None else KILLED
    counts = formal_counts(kind, numeric.coefficients(box), box, repeats=2)
    return counts[-1].bound if counts else None


def _room(equation: ScalarEquation, place: float) -> float:
    """The distance to the nearest end, at most one."""
    ends = [float(evaluated(end)) for end in (equation.drawn.low, equation.drawn.high)]
    return min([1.0, *(abs(place - end) for end in ends if end not in (float("inf"), float("-inf")))])


def potential_is_proved(structure: Structure) -> bool:
    """Whether SymPy shows that h has unit noise, that Γ is the integral of its drift, and that V is as stated."""
    equation = structure.equation
    t, x, h, gamma = equation.time, equation.state, structure.height, structure.gamma
    slope = sympy.diff(h, x)
    g = sympy.diff(h, t) + equation.drift * slope + equation.squared * sympy.diff(slope, x) / 2
    rate = sympy.diff(gamma, t) - sympy.diff(gamma, x) * sympy.diff(h, t) / slope
    potential = (g**2 + sympy.diff(g, x) / slope) / 2 + rate + equation.killing
    stated = structure.c / h**2 + structure.q2 * h**2 + structure.q1 * h + structure.q0
    identities = (equation.squared * slope**2 - 1, sympy.diff(gamma, x) - g * slope, potential - stated)
    return all(is_zero(identity) for identity in identities)


def forward_residual(plan: Plan) -> float | None:
    """The largest relative residual of the forward equation at ten points, to sixty digits.

    None where a function of time has no closed form that could be evaluated to so many digits.
    """
    equation = plan.structure.equation
    formula = density_formula(plan)
    if formula.has(sympy.Integral, sympy.core.function.AppliedUndef):
        return None
    t, x, t0, x0 = names_of(plan)
    density = function_of((t, x, t0, x0), _summed(formula), equation.draw, CHECKS.digits)
    worst = 0.0
    for row in _samples(equation):
        worst = max(worst, _residual_at(equation, density, *row))
    return worst


def _summed(formula: Expression) -> Expression:
    """An infinite sum over images, truncated to the terms that are not negligible."""

    def terms(term: Expression, limits: Any) -> Expression:
        return sympy.Add(*(term.subs(limits[0], k) for k in range(-CHECKS.images, CHECKS.images + 1)))

    return formula.replace(sympy.Sum, terms)


def _samples(equation: ScalarEquation) -> list[tuple[Any, Any, Any, Any]]:
    """Ten rows t, x, t0, x0: all pairs of places, with short differences of time."""
    places, times = list(equation.inside()), list(equation.times())
    rows = [
        (times[k % len(times)], one, other) for k, (one, other) in enumerate((a, b) for a in places for b in places)
    ]
    rows.append((times[0], places[0], places[-1]))
    with mpmath.workdps(CHECKS.digits):
        return [(start + mpmath.mpf(CHECKS.duration) / (3 + k), x, start, x0) for k, (start, x, x0) in enumerate(rows)]


def _residual_at(equation: ScalarEquation, density: Any, t: Any, x: Any, t0: Any, x0: Any) -> float:
    """|p_t + (fp)_x − ½(ap)_xx + kp| over the sum of its terms."""
    symbol = equation.state
    parts = [equation.drift, sympy.diff(equation.drift, symbol), equation.squared]
    parts += [sympy.diff(equation.squared, symbol), sympy.diff(equation.squared, symbol, 2), equation.killing]
    f, slope, a, bend, curve, k = (equation.function(part, CHECKS.digits)(t, x) for part in parts)
    with mpmath.workdps(CHECKS.digits):
        h = mpmath.mpf(CHECKS.step)

        def p(moved: Any, later: Any = 0) -> Any:
            return density(t + later, x + moved, t0, x0)

        middle = p(0)
        # differences of fourth order
        rate = (8 * (p(0, h) - p(0, -h)) - (p(0, 2 * h) - p(0, -2 * h))) / (12 * h)
        first = (8 * (p(h) - p(-h)) - (p(2 * h) - p(-2 * h))) / (12 * h)
        second = (16 * (p(h) + p(-h)) - (p(2 * h) + p(-2 * h)) - 30 * middle) / (12 * h**2)
        terms = [rate, slope * middle, f * first, -curve * middle / 2, -bend * first, -a * second / 2, k * middle]
        size = sum(abs(term) for term in terms)
        return float(abs(sum(terms)) / size) if size else 0.0
