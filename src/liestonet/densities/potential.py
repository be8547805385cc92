"""The potential V in ψ_t = ½ψ_yy − Vψ, to which the forward equation is transformed, and whether it has a kernel.

With y = ∫dx/σ, dy = g dt + dW, p = e^Γ ψ/σ and Γ_y = g, V = ½(g² + g_y) + Γ_t + k. The Fokker–Planck algebra has
dimension 6 where V is quadratic in y, 4 where it is c/u² + q₂u² + δ″u + q₀ with u = y − δ(t), and at most 2 otherwise
(docs/method.md §16.2). Derivatives of V by y at one point distinguish the cases; they come from power series in x,
without inverting y(x).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Symbol

from liestonet.densities.numbers import Expression
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.timed_numbers import Timed, expansions
from liestonet.densities.tuning import POTENTIAL

Series = list[Any]  # Taylor coefficients in x − b, each a function of time
Rate = Callable[[Any], Any]
HIGHEST = 5  # the test needs five derivatives of V


@dataclass(frozen=True)
class Gauge:
    """y and y_t (at fixed x) at the base point; zero if y is an integral from there."""

    height: Any = 0
    height_rate: Any = 0


@dataclass(frozen=True)
class Jets:
    """Derivatives of V by y at the base point, and of the drift g of y; Γ is an integral from the base point."""

    potential: tuple[Any, ...]
    drift: tuple[Any, ...]


def jets_at(equation: ScalarEquation, gauge: Gauge, highest: int, clean: Callable[[Any], Any]) -> Jets:
    """V and g with their derivatives by y up to `highest` at the base point, as exact functions of time."""
    order = highest + 2
    entries = (equation.noise, equation.drift, equation.killing)
    sigma, drift, killing = (_taylor(entry, equation.state, equation.base, order, clean) for entry in entries)
    return _jets((sigma, drift, killing), gauge, highest, lambda number: sympy.diff(number, equation.time), clean)


def dimension_of(equation: ScalarEquation) -> int:
    """The dimension 6, 4 or 2 (at most 2), by high-precision numbers at generic points."""
    found = {_dimension_at(equation, place, time) for place in equation.inside() for time in equation.times()}
    return min(found, default=2)


def vanishing(equation: ScalarEquation, part: Callable[[Jets, Any], Any], extra: Expression | None = None) -> bool:
    """Whether an expression in the derivatives of V and g, and in `extra`, vanishes identically."""
    for place in equation.inside():
        for time in equation.times():
            pair = [_numbers(equation, place, time, step, extra) for step in POTENTIAL.steps]
            coarse, fine = (part(jets, value) for jets, value in pair)
            if not _vanishes(fine, coarse):
                return False
    return True


def _numbers(
    equation: ScalarEquation, place: Any, time: Any, step: str, extra: Expression | None = None
) -> tuple[Jets, Any]:
    """V and g with their derivatives at one point and time, as numbers; `extra` at the same point."""
    order = HIGHEST + 2
    entries = [equation.noise, equation.drift, equation.killing, *([] if extra is None else [extra])]
    sigma, drift, killing, *more = expansions(equation, entries, place, time, order, step)
    jets = _jets((sigma, drift, killing), Gauge(), HIGHEST, Timed.rate, _unchanged)
    return jets, more[0][0] if more else None


def _dimension_at(equation: ScalarEquation, place: Any, time: Any) -> int:
    """The dimension by the derivatives of V at one point."""
    coarse, fine = (_numbers(equation, place, time, step)[0].potential for step in POTENTIAL.steps)
    if _vanishes(fine[3], coarse[3]):
        return 6
    _, first, second, third, fourth, fifth = fine
    if not _is_small(5 * third * fifth - 6 * fourth * fourth, 5 * third * fifth, 6 * fourth * fourth):
        return 2
    u = -5 * third / fourth
    square = u * u
    c = -1 * third * square * square * u / 24
    q2 = (second - 6 * c / (square * square)) / 2
    terms = first, 2 * c / (square * u), -2 * q2 * u, u.rate().rate()
    return 4 if _is_small(c.rate(), c) and _is_small(terms[0] + terms[1] + terms[2] + terms[3], *terms) else 2


def _vanishes(fine: Timed, coarse: Timed) -> bool:
    """Whether a number is zero: the error of a zero falls with the step of its differences, other numbers do not."""
    return bool(abs(fine.value) < max(POTENTIAL.fallen * abs(coarse.value), POTENTIAL.rounding))


def _is_small(value: Timed, *terms: Timed) -> bool:
    """Whether the terms of a number cancel."""
    size = sum(abs(term.value) for term in terms)
    return bool(abs(value.value) <= POTENTIAL.cancelled * size) or size == 0


def _unchanged(number: Any) -> Any:
    return number


def _jets(
    given: tuple[Series, Series, Series], gauge: Gauge, highest: int, rate: Rate, clean: Callable[[Any], Any]
) -> Jets:
    """The derivatives from Taylor coefficients of the noise, the drift and the killing."""
    sigma, drift, killing = given

    def cleaned(series: Series) -> Series:
        return [clean(number) for number in series]

    inverse = cleaned(_inverse(sigma))
    turning = [-1 * rate(number) for number in sigma]
    moving = cleaned(_integrated(_product(turning, _product(inverse, inverse)), 0 * sigma[0] + gauge.height_rate))
    g = cleaned(_sum(_sum(moving, _product(drift, inverse)), [-1 * number / 2 for number in _differentiated(sigma)]))
    changes = _integrated([rate(number) for number in _product(g, inverse)], 0 * sigma[0])
    slope = _product(sigma, _differentiated(g))
    kinetic = [number / 2 for number in _sum(_product(g, g), slope)]
    carried = [-1 * number for number in _product(moving, g)]
    potential = cleaned(_sum(_sum(kinetic, killing), _sum(changes, carried)))
    return Jets(
        tuple(clean(number) for number in _along(potential, sigma, highest)),
        tuple(clean(number) for number in _along(g, sigma, highest)),
    )


def _taylor(entry: Any, x: Symbol, base: Expression, order: int, clean: Callable[[Any], Any]) -> Series:
    series, factorial = [], 1
    for k in range(order + 1):
        factorial *= max(k, 1)
        series.append(clean(entry.subs(x, base) / factorial))
        entry = sympy.diff(entry, x) if entry.has(x) else sympy.Integer(0)
    return series


def _sum(one: Series, other: Series) -> Series:
    return [a + b for a, b in zip(one, other, strict=False)]


def _product(one: Series, other: Series) -> Series:
    return [sum(one[i] * other[k - i] for i in range(k + 1)) for k in range(min(len(one), len(other)))]


def _inverse(series: Series) -> Series:
    found = [1 / series[0]]
    for k in range(1, len(series)):
        found.append(-1 * found[0] * sum(series[i] * found[k - i] for i in range(1, k + 1)))
    return found


def _differentiated(series: Series) -> Series:
    return [k * number for k, number in enumerate(series)][1:]


def _integrated(series: Series, start: Any) -> Series:
    return [start, *(number / (k + 1) for k, number in enumerate(series))]


def _along(series: Series, sigma: Series, highest: int) -> list[Any]:
    """A function and its derivatives D = σ∂_x at the base point."""
    found = [series[0]]
    for _ in range(min(highest, len(series) - 1)):
        series = _product(sigma, _differentiated(series))
        found.append(series[0])
    return found
