"""Prices in closed form for Gaussian h or Bessel processes, and payoffs made of powers and exponentials of h.

E[h^n e^{λh}; a < h < b] of a normal h is elementary in Φ and φ; E[h^s] of a Bessel process is a hypergeometric
function, elementary where the boundary is not reached (docs/method.md §16.6).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy
from sympy import Symbol

from liestonet.densities.formula import bound_times, free_times, names_of
from liestonet.densities.inverse import inverse_of
from liestonet.densities.numbers import Expression
from liestonet.densities.payoffs import Payoff, Piece
from liestonet.densities.plan import Plan
from liestonet.densities.quadratures import negligible, tidy
from liestonet.densities.structure import HALF
from liestonet.densities.tuning import PRICE

ZERO = sympy.Integer(0)


class tail(sympy.Function):
    """P(Z > z) of a standard normal Z: erfc(z/√2)/2, which SymPy would turn into one minus another where z < 0.

    Its name is in lower case, like those of SymPy's functions.
    """

    def fdiff(self, argindex: int = 1) -> Expression:
        """The derivative by the argument."""
        z: Any = self.args[0]
        return -sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)

    def _eval_rewrite_as_erfc(self, z: Expression, **_: Any) -> Expression:
        return sympy.erfc(z / sympy.sqrt(2)) / 2


class Normal(NamedTuple):
    """The density of h: `mass` times a normal density."""

    mean: Expression
    variance: Expression
    mass: Expression


def closed_price(plan: Plan, payoff: Payoff) -> Expression | None:
    """The price as an expression in t, t0, x0; None for other densities or payoffs."""
    if not payoff.pieces or plan.shape == "interval":
        return None
    inverse = inverse_of(plan.structure.equation, plan.structure.height)
    if inverse is None:
        return None
    return _normal_price(plan, payoff, *inverse) if plan.shape == "line" else _bessel_price(plan, payoff, *inverse)


def _normal_price(plan: Plan, payoff: Payoff, h: Symbol, state: Expression) -> Expression | None:
    law = _normal(plan)
    if law is None:
        return None
    total: Any = ZERO
    for piece in payoff.pieces:
        terms = _terms(piece, plan, h, state)
        if terms is None:
            return None
        low, high = _heights(piece, plan)
        total += sum((factor * _partial(n, rate, low, high, law) for factor, n, rate in terms), ZERO)
    return law.mass * total


def _normal(plan: Plan) -> Normal | None:
    """The density of h if it is a multiple of a normal one, else None."""
    structure = plan.structure
    t, x, t0, x0 = names_of(plan)
    h0 = structure.height.subs({x: x0, t: t0}, simultaneous=True)
    if structure.uniform is not None:
        growth, variance, shift, loss = free_times(plan)
        return Normal(sympy.exp(growth) * h0 + shift, variance, sympy.exp(-loss))
    if structure.rate is None or structure.forcing is None or not structure.steady:
        return None
    if negligible(structure.equation, sympy.expand(structure.q2 - structure.rate**2 / 2)):
        return _linearly_killed(plan, h0, structure.rate, structure.forcing)
    m, rate, even, middle, speed, start, action = bound_times(plan)
    w0, b, a = h0 - start, structure.rate, structure.forcing
    # the exponent is −½P h² + Q h + R
    precision = rate / m - b
    pull = rate * middle / m + w0 / m - speed + a
    rest = -rate * middle**2 / (2 * m) - middle * w0 / m - even * w0**2 / (2 * m) + speed * middle - action
    rest -= a * h0 + b * h0**2 / 2
    mass = sympy.exp(rest + pull**2 / (2 * precision)) / sympy.sqrt(m * precision)
    return Normal(pull / precision, 1 / precision, mass)


def _linearly_killed(plan: Plan, h0: Expression, b: Expression, a: Expression) -> Normal:
    """The density with killing k₁h + k₀: h and its integral are jointly normal, and the exponential shifts the mean."""
    structure = plan.structure
    t, _, t0, _ = names_of(plan)
    linear, constant = tidy(structure.q1 - a * b), tidy(structure.q0 - (a**2 + b) / 2)
    span = t - t0
    if b == 0:
        reach, variance, total, spread, joint = span, span, a * span**2 / 2, span**3 / 3, span**2 / 2
    else:
        sign = -1 if b.could_extract_minus_sign() else 1
        reach, variance = (sign * (sympy.exp(k * b * span) - 1) / (k * sign * b) for k in (1, 2))
        total, spread = a * (reach - span) / b, (span - 2 * reach + variance) / b**2
        joint = (variance - reach) / b
    mean = h0 * sympy.exp(b * span) + a * reach
    mass = sympy.exp(-linear * (h0 * reach + total) + linear**2 * spread / 2 - constant * span)
    return Normal(mean - linear * joint, variance, mass)


def _terms(piece: Piece, plan: Plan, h: Symbol, state: Expression) -> list[tuple[Expression, int, Expression]] | None:
    """The payoff on a piece as a sum of c h^n e^{λh}; None if it is not such a sum."""
    if piece.value == 0:
        return []
    equation = plan.structure.equation
    named = {symbol: other for other, symbol in equation.named.items()}
    inside = piece.value.xreplace(named).subs(equation.state, state)
    if inside.has(equation.time):
        return None
    found = []
    plain = sympy.expand(sympy.powsimp(sympy.expand(inside, power_exp=False)), power_exp=False)
    for term in sympy.Add.make_args(plain):
        factor, dependent = sympy.powsimp(term).as_independent(h, as_Add=False)
        power, rate = 0, ZERO
        for part in sympy.Mul.make_args(dependent):
            base, exponent = part.as_base_exp()
            if part == 1:
                continue
            if base == h and exponent.is_Integer and 0 <= exponent <= PRICE.highest_power:
                power += int(exponent)
            elif isinstance(part, sympy.exp) and sympy.diff(part.args[0], h, 2) == 0:
                slope = sympy.diff(part.args[0], h)
                rate += slope
                factor *= sympy.exp(sympy.expand(part.args[0] - slope * h))
            else:
                return None
        found.append((factor, power, rate))
    return found


def _heights(piece: Piece, plan: Plan) -> tuple[Expression, Expression]:
    """The ends of a piece as heights, the smaller one first."""
    equation, height = plan.structure.equation, plan.structure.height
    named = {symbol: other for other, symbol in equation.named.items()}
    ends = []
    for point, outer, infinite in ((piece.low, equation.low, -sympy.oo), (piece.high, equation.high, sympy.oo)):
        inner = point.xreplace(named)
        ends.append(infinite if inner == outer else height.subs(equation.state, inner))
    return ends[0], ends[1]


def _partial(n: int, rate: Expression, low: Expression, high: Expression, law: Normal) -> Expression:
    """∫ h^n e^{λh} of a normal density between two points."""
    mean, variance = law.mean + rate * law.variance, law.variance
    root = sympy.sqrt(variance)
    ends = [(end - mean) / root if end not in (sympy.oo, -sympy.oo) else end for end in (low, high)]
    moments = _moments(n, *ends)
    total = sum((sympy.binomial(n, k) * mean ** (n - k) * root**k * moments[k] for k in range(n + 1)), ZERO)
    return sympy.exp(rate * law.mean + rate**2 * variance / 2) * total


def _moments(n: int, low: Expression, high: Expression) -> list[Expression]:
    """∫ z^k φ(z) dz between two points for k up to n."""

    def bell(z: Expression) -> Expression:
        return ZERO if z in (sympy.oo, -sympy.oo) else sympy.exp(-(z**2) / 2) / sympy.sqrt(2 * sympy.pi)

    def flank(k: int, z: Expression) -> Expression:
        return ZERO if z in (sympy.oo, -sympy.oo) else z**k * bell(z)

    if low == -sympy.oo:
        zeroth: Any = sympy.Integer(1) if high == sympy.oo else tail(-high)
    else:
        ends: list[Any] = [tail(end) for end in (low, high)]
        zeroth = ends[0] if high == sympy.oo else ends[0] - ends[1]
    found = [zeroth, bell(low) - bell(high)]
    for k in range(2, n + 1):
        found.append((k - 1) * found[k - 2] + flank(k - 1, low) - flank(k - 1, high))
    return found[: n + 1]


def _bessel_price(plan: Plan, payoff: Payoff, h: Symbol, state: Expression) -> Expression | None:
    """The price of a payoff that is a sum of powers of h on the whole half-line, for a Bessel process."""
    structure = plan.structure
    if structure.exponent is None or len(payoff.pieces) != 1:
        return None
    equation = structure.equation
    named = {symbol: other for other, symbol in equation.named.items()}
    positive = Symbol("h", positive=True)
    inside = payoff.pieces[0].value.xreplace(named).subs(equation.state, state.subs(h, positive))
    if inside.has(equation.time):
        return None
    form = bessel_form(plan)
    total: Any = ZERO
    for term in sympy.Add.make_args(sympy.expand(sympy.powsimp(inside))):
        factor, dependent = sympy.powsimp(term).as_independent(positive, as_Add=False)
        base, power = dependent.as_base_exp() if dependent != 1 else (positive, ZERO)
        if base != positive or power.has(positive):
            return None
        total += factor * _bessel_moment(plan, form, power)
    return total


def bessel_form(plan: Plan) -> tuple[Expression, Expression, Expression]:
    """C, P and κ of the density C h^{A+½} e^{−Ph²/2} I_ν(κh)."""
    structure = plan.structure
    t, x, t0, x0 = names_of(plan)
    h0 = structure.height.subs({x: x0, t: t0}, simultaneous=True)
    exponent = structure.exponent if structure.exponent is not None else ZERO
    if structure.uniform is not None:
        growth, variance, _, loss = free_times(plan)
        carried = sympy.exp(growth) * h0
        factor = carried ** (HALF - exponent) / variance * sympy.exp(-(carried**2) / (2 * variance) - loss)
        return factor, 1 / variance, carried / variance
    b: Any = structure.rate
    m, rate, even, _, _, _, action = bound_times(plan)
    start = b.subs(t, t0)
    factor = h0 ** (HALF - exponent) / m * sympy.exp(-(even / m + start) * h0**2 / 2 - action)
    return factor, rate / m - b, h0 / m


def _bessel_moment(plan: Plan, form: tuple[Expression, Expression, Expression], power: Expression) -> Expression:
    """∫ h^{s+A+½} e^{−Ph²/2} I_ν(κh) dh from zero on (Weber)."""
    factor, precision, pull = form
    order, exponent = plan.order, plan.structure.exponent
    if exponent is None:
        return sympy.nan
    top = tidy((power + exponent + sympy.Rational(3, 2) + order) / 2)
    bottom, z = order + 1, pull**2 / (2 * precision)
    value = top.subs(plan.structure.equation.draw)
    if value.is_number and not value > 0:
        return sympy.oo
    series = sympy.exp(z) if tidy(top - bottom) == 0 else sympy.hyper([top], [bottom], z)
    scale = sympy.gamma(top) / sympy.gamma(bottom) * 2 ** (top - order - 1) * precision ** (-top)
    return factor * pull**order * scale * series
