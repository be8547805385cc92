"""An equation with a kernel, in the coordinate of unit noise: all functions in the kernel, in exact form.

dh = g dt + dW with h = ±∫dx/σ and its origin such that V = c/h² + q₂h² + q₁h + q₀, where c = 0 or q₁ = 0. If g is
affine, or A/h + bh, its integral Γ needs no further quadrature (docs/method.md §16.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy

from liestonet.densities.boundaries import End, places_near
from liestonet.densities.numbers import Expression
from liestonet.densities.potential import Gauge, Jets, jets_at, vanishing
from liestonet.densities.quadratures import WAVES, negligible, over_state, tidy
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.tuning import BOUNDARY
from liestonet.errors import InputError

ZERO, HALF = sympy.Integer(0), sympy.Rational(1, 2)


@dataclass(frozen=True)
class Structure:
    """V = c/h² + q₂h² + q₁h + q₀ (functions of time, c a number), Γ with ∂_hΓ = g, and g in simple cases.

    `rate` and `forcing` are b and α of g = α + bh; `rate` and `exponent` b and A of g = A/h + bh. `uniform` is the
    killing where it depends on time at most, apart from a multiple of 1/h²: then the density is that of a time-changed
    Brownian motion or Bessel process.
    """

    equation: ScalarEquation
    dimension: int
    height: Expression
    gamma: Expression
    c: Expression
    q2: Expression
    q1: Expression
    q0: Expression
    exponent: Expression | None = None
    rate: Expression | None = None
    forcing: Expression | None = None
    uniform: Expression | None = None

    @property
    def steady(self) -> bool:
        """Whether V does not depend on time."""
        return not any(entry.has(self.equation.time) for entry in (self.q2, self.q1, self.q0))

    @property
    def order(self) -> Expression:
        """ν = √(2c + ¼), the order of the Bessel function up to its sign."""
        if self.exponent is not None and negligible(self.equation, 2 * self.c - self.exponent * (self.exponent - 1)):
            shifted = tidy(self.exponent - HALF)
            value = shifted.subs(self.equation.draw)
            return -shifted if value.is_negative else shifted
        return sympy.sqrt(sympy.factor(tidy(2 * self.c + sympy.Rational(1, 4))))


def structure_of(equation: ScalarEquation, dimension: int, ends: tuple[End, End]) -> Structure:
    """The structure of an equation whose potential has a kernel, with h measured from an end at finite distance."""
    plain = over_state(equation, 1 / equation.noise)
    near = [end for end in ends if end.finite]
    if dimension == 4:
        return _radial(equation, _from_singularity(equation, plain))
    if not near:
        return _flat(equation, plain)
    sign = -1 if near[0].upper else 1
    height = sign * (plain - limit_at(equation, plain, near[0]))
    if len(near) == 2:
        return _flat(equation, height)
    found = _flat(equation, height)
    return _radial(equation, height) if found.q1 == 0 else found


def _from_singularity(equation: ScalarEquation, plain: Expression) -> Expression:
    """The height measured from the singular point of the potential, positive on the state space."""
    jets = jets_at(equation, Gauge(), 4, tidy)
    distance = tidy(-5 * jets.potential[3] / jets.potential[4])
    height = plain + tidy(distance - _at(plain, equation, equation.base))
    return height if _is_positive(equation, height) else -height


def _is_positive(equation: ScalarEquation, height: Expression) -> bool:
    return bool(equation.function(height)(next(equation.times()), next(equation.inside())) > 0)


def limit_at(equation: ScalarEquation, plain: Expression, end: End) -> Expression:
    """The finite height of an end."""
    x, point = equation.state, equation.high if end.upper else equation.low
    if plain.has(sympy.Integral):
        found = plain.subs(x, point)
    else:
        found = sympy.limit(plain, x, point, "-" if end.upper else "+")
    time, place = next(equation.times()), places_near(end)[-1]
    near = equation.function(plain)(time, place)
    if not found.has(sympy.Integral, sympy.Limit) and abs(equation.function(found)(time, place) - near) < BOUNDARY.even:
        return found
    if found.has(sympy.Integral):
        return found
    raise InputError(f"Where {x} = {point} lies in the coordinate of unit noise could not be computed.")


def _flat(equation: ScalarEquation, height: Expression) -> Structure:
    """The structure with V quadratic in h."""
    base, t = equation.base, equation.time
    place = tidy(_at(height, equation, base))
    sign = 1 if _is_rising(equation, height) else -1
    jets = jets_at(equation, Gauge(sign * place, tidy(sign * sympy.diff(place, t))), 2, tidy)
    zeroth, first, second = jets.potential[0], sign * jets.potential[1], jets.potential[2]
    found = Structure(equation, 6, height, ZERO, ZERO, ZERO, ZERO, ZERO)
    if vanishing(equation, lambda jets, _: jets.drift[2]):
        rate = jets.drift[1]
        forcing = tidy(sign * jets.drift[0] - rate * place)
        found = replace(found, rate=rate, forcing=forcing, gamma=forcing * height + rate * height**2 / 2)
    else:
        found = replace(found, gamma=_gamma(equation, sign * height))
    zeroth = tidy(zeroth + _gamma_rate(found))
    q2, q1 = _cleaned(equation, second / 2), _cleaned(equation, first - second * place)
    found = replace(found, q2=q2, q1=q1, q0=_cleaned(equation, zeroth - q2 * place**2 - q1 * place))
    return replace(found, uniform=_uniform(found))


def _radial(equation: ScalarEquation, height: Expression) -> Structure:
    """The structure with V = c/h² + q₂h² + q₀ and h positive."""
    base, t = equation.base, equation.time
    distance = tidy(_at(height, equation, base))
    sign = 1 if _is_rising(equation, height) else -1
    jets = jets_at(equation, Gauge(sign * distance, tidy(sign * sympy.diff(distance, t))), 3, tidy)
    c = _cleaned(equation, -sign * jets.potential[3] * distance**5 / 24)
    q2 = _cleaned(equation, (jets.potential[2] - 6 * c / distance**4) / 2)
    found = Structure(equation, 4 if c != 0 else 6, height, ZERO, c, q2, ZERO, ZERO)
    if _is_simple(equation, height, sign, c != 0):
        slope, bend = jets.drift[1], sign * jets.drift[2]
        rate = tidy((bend * distance + 2 * slope) / 2)
        exponent = tidy(sign * jets.drift[0] * distance - rate * distance**2)
        gamma = exponent * sympy.log(height) + rate * height**2 / 2
        found = replace(found, exponent=exponent, rate=rate, gamma=gamma)
    else:
        found = replace(found, gamma=_gamma(equation, sign * height))
    zeroth = tidy(jets.potential[0] + _gamma_rate(found))
    found = replace(found, q0=_cleaned(equation, zeroth - c / distance**2 - q2 * distance**2))
    return replace(found, uniform=_uniform(found))


def _is_rising(equation: ScalarEquation, height: Expression) -> bool:
    slope = equation.function(sympy.diff(height, equation.state))
    return bool(slope(next(equation.times()), next(equation.inside())) > 0)


def _is_simple(equation: ScalarEquation, height: Expression, sign: int, singular: bool) -> bool:
    """Whether g = A/h + bh: then h g‴ + 3 g″ is zero, and h = −5V‴/V⁗ where V is singular."""

    def bend(jets: Jets, value: Any) -> Any:
        distance = -5 * jets.potential[3] / jets.potential[4] if singular else sign * value
        return jets.drift[3] * distance + 3 * jets.drift[2]

    def constant(jets: Jets, value: Any) -> Any:
        """The constant B in g = A/h + B + bh, which a regular potential does not determine."""
        place = sign * value
        return jets.drift[0] + place.rate() - place * jets.drift[1] - place * place * jets.drift[2]

    if singular:
        return vanishing(equation, bend)
    if height.has(sympy.Integral):
        return False
    return vanishing(equation, bend, height) and vanishing(equation, constant, height)


def _gamma(equation: ScalarEquation, height: Expression) -> Expression:
    """Γ = ∫ g dy by quadrature; `height` increases with the state."""
    turning = sympy.diff(height, equation.time)
    gamma = over_state(equation, tidy(equation.drift / equation.squared)) - sympy.log(equation.noise) / 2
    if turning == 0:
        return gamma
    if height.has(sympy.Integral):
        raise InputError(
            "The noise depends on time and ∫dx/σ has no closed form, so that no density was found; write the noise as "
            "a function of time times a function of the state."
        )
    return gamma + over_state(equation, tidy(turning / equation.noise))


def _gamma_rate(found: Structure) -> Expression:
    """∂_tΓ at fixed x, at the base point."""
    rate = sympy.diff(found.gamma, found.equation.time)
    return _at(rate, found.equation, found.equation.base) if rate != 0 else ZERO


def _uniform(found: Structure) -> Expression | None:
    """The part of the killing that depends on time alone, if the rest is zero or a multiple of 1/h²; else None."""
    b, t = found.rate, found.equation.time
    if b is None or not negligible(found.equation, sympy.expand(found.q2 - (b**2 + sympy.diff(b, t)) / 2)):
        return None
    if found.exponent is not None:
        return _cleaned(found.equation, found.q0 - b * (found.exponent + HALF))
    a = found.forcing if found.forcing is not None else ZERO
    if not negligible(found.equation, sympy.expand(found.q1 - a * b - sympy.diff(a, t))):
        return None
    return _cleaned(found.equation, found.q0 - (a**2 + b) / 2)


def _cleaned(equation: ScalarEquation, expression: Expression) -> Expression:
    """The expression tidied, and zero where it is."""
    if not expression.has(*WAVES) and negligible(equation, sympy.expand(expression)):
        return ZERO
    tidied = tidy(expression)
    return ZERO if negligible(equation, sympy.expand(tidied)) else tidied


def _at(expression: Expression, equation: ScalarEquation, place: Expression) -> Expression:
    """An expression at a point of the state space; an integral with equal limits is zero."""
    found = expression.subs(equation.state, place)
    empty = {node: ZERO for node in found.atoms(sympy.Integral) if node.limits[0][1] == node.limits[0][2]}
    return found.xreplace(empty)
