"""Ends of the state space: whether paths reach them, and the boundary behaviour there (docs/method.md §16.4).

Near an end at a finite height e, the drift of h is A/(h − e), and paths reach the end if A < ½. For |A| < ½ they may be
reflected or absorbed, which the user must choose; for A ≤ −½ they can only be absorbed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath
import sympy

from liestonet.densities.numbers import Expression
from liestonet.densities.precision import evaluated
from liestonet.densities.state_space import INFINITE, ScalarEquation
from liestonet.densities.tuning import BOUNDARY, STATE_SPACE
from liestonet.errors import InputError

CHOICES = ("reflecting", "absorbing")


@dataclass(frozen=True)
class End:
    """One end of the state space: its place, whether its height is finite, and A there."""

    point: Expression
    upper: bool
    finite: bool
    exponent: float = 0.0

    @property
    def reached(self) -> bool:
        """Whether paths that are not killed before reach it."""
        return self.finite and self.exponent < 0.5 - BOUNDARY.nearest

    @property
    def explosion(self) -> bool:
        """Whether paths become infinite in finite time."""
        return self.reached and self.point in INFINITE


def ends_of(equation: ScalarEquation) -> tuple[End, End]:
    """The lower and the upper end, for the drawn values of the parameters."""
    return _end(equation, False), _end(equation, True)


def _end(equation: ScalarEquation, upper: bool) -> End:
    """One end, from the behaviour of noise and drift next to it: σ like |x − e|^p, f/a like B/(x − e)."""
    drawn = equation.drawn
    point = drawn.high if upper else drawn.low
    slope = equation.function(sympy.diff(equation.noise, equation.state) / equation.noise)
    pull = equation.function(equation.drift / equation.squared)
    time = next(equation.times())
    found = []
    for place, offset in _places(point, upper):
        p, b = offset * slope(time, place), offset * pull(time, place)
        if not (mpmath.isfinite(p) and mpmath.isfinite(b)):
            raise InputError(
                f"What happens at {equation.state} = {point} could not be computed; give a domain without it."
            )
        found.append((p, b))
    (coarse, _), (p, b) = found
    finite = bool(p > 1 + BOUNDARY.rounding) if point in INFINITE else bool(p < 1 - BOUNDARY.rounding)
    if abs(p - 1) < BOUNDARY.slowly and abs(p - 1) > BOUNDARY.rounding and abs(coarse - p) > BOUNDARY.rounding:
        raise InputError(
            f"Near {equation.state} = {point} the noise is not a power of the distance, so whether paths arrive "
            "there is not known; give a domain without it."
        )
    return End(point, upper, finite, float((b - p / 2) / (1 - p)) if finite else 0.0)


def is_even(equation: ScalarEquation, height: Expression, exponent: Expression, end: End) -> bool:
    """Whether g − A/h is an odd function of the distance h from an end: only then can paths be reflected there."""
    rest = equation.function(_drift(equation, height) - exponent / height)
    distance = equation.function(height)
    for time in equation.times():
        ratios = [rest(time, place) / distance(time, place) for place, _ in _places(end.point, end.upper)]
        if not abs(ratios[0] - ratios[1]) <= BOUNDARY.even * (1 + abs(ratios[0])):
            return False
    return True


def places_near(end: End) -> list[Any]:
    """Points that converge to an end."""
    return [place for place, _ in _places(end.point, end.upper)]


def _places(point: Expression, upper: bool) -> list[tuple[Any, Any]]:
    """Points that converge to an end, with their distances from it; distances from zero if the end is infinite."""
    found = []
    with mpmath.workdps(STATE_SPACE.digits):
        for distance in BOUNDARY.distances:
            away = mpmath.mpf(distance)
            if point in INFINITE:
                found.append(((1 if upper else -1) / away,) * 2)
            else:
                offset = -away if upper else away
                found.append((evaluated(point) + offset, offset))
    return found


def _drift(equation: ScalarEquation, height: Expression) -> Expression:
    """The drift of a function of time and state, by Itô's formula."""
    t, x = equation.time, equation.state
    slope = sympy.diff(height, x)
    return sympy.diff(height, t) + equation.drift * slope + equation.squared * sympy.diff(slope, x) / 2
