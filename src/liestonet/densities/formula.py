"""The density as one SymPy expression in t, x, t0, x0 and the free parameters.

Functions of time without a closed form remain integrals, or the functions m and l of docs/method.md §16.3.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Symbol

from liestonet.densities.clocks import free_integrals
from liestonet.densities.numbers import Expression
from liestonet.densities.plan import Plan
from liestonet.densities.quadratures import tidy
from liestonet.densities.structure import HALF, Structure

ZERO, ONE = sympy.Integer(0), sympy.Integer(1)


def names_of(plan: Plan) -> tuple[Symbol, Symbol, Symbol, Symbol]:
    """t, x, t0 and x0, as the formula has them: t0 and x0 are named after time and state, as no parameter is."""
    equation = plan.structure.equation
    signs = equation.state.assumptions0
    kept: Any = {key: signs[key] for key in ("positive", "negative") if signs.get(key)} or {"real": True}
    start = Symbol(equation.unused(f"{equation.state.name}0"), **kept)
    return equation.time, equation.state, Symbol(equation.unused(f"{equation.time.name}0"), real=True), start


def density_formula(plan: Plan) -> Expression:
    """p(t, x | t0, x0) in symbols with assumptions on their signs, which `ScalarEquation.written` removes."""
    return sympy.powsimp(_assembled(plan), combine="exp")


def _assembled(plan: Plan) -> Expression:
    structure = plan.structure
    t, x, t0, x0 = names_of(plan)
    h, h0 = structure.height, structure.height.subs({x: x0, t: t0}, simultaneous=True)
    if structure.uniform is not None and plan.shape != "interval":
        return _free(plan, h, h0) / structure.equation.noise
    gamma = structure.gamma
    change = sympy.exp(tidy_exponent(gamma - gamma.subs({x: x0, t: t0}, simultaneous=True)))
    if plan.shape == "interval":
        return change * _images(plan, h, h0) / structure.equation.noise
    return change * _bound(plan, h, h0) / structure.equation.noise


def tidy_exponent(exponent: Expression) -> Expression:
    """An exponent with its logarithms combined."""
    return sympy.logcombine(sympy.expand(exponent), force=True)


def _free(plan: Plan, h: Expression, h0: Expression) -> Expression:
    """A normal density, or that of a Bessel process, in h."""
    growth, variance, shift, loss = free_times(plan)
    carried = (tidy(sympy.exp(growth)) if growth.has(sympy.log) else sympy.exp(growth)) * h0
    if plan.shape == "line":
        return sympy.exp(-((h - carried - shift) ** 2) / (2 * variance) - loss) / sympy.sqrt(2 * sympy.pi * variance)
    exponent = plan.structure.exponent if plan.structure.exponent is not None else ZERO
    z = h * carried / variance
    wave = _bessel(plan.order, z)
    factor = (h / carried) ** exponent * sympy.sqrt(h * carried) / variance
    return factor * sympy.exp(-(h**2 + carried**2) / (2 * variance) - loss) * wave


def _bessel(order: Expression, z: Expression) -> Expression:
    """I_ν(z), by hyperbolic functions for ν = ±½."""
    if order == HALF:
        return sympy.sqrt(2 / (sympy.pi * z)) * sympy.sinh(z)
    if order == -HALF:
        return sympy.sqrt(2 / (sympy.pi * z)) * sympy.cosh(z)
    return sympy.besseli(order, z)


def free_times(plan: Plan) -> tuple[Expression, Expression, Expression, Expression]:
    """∫b, variance, mean from zero and ∫killing between t0 and t."""
    structure = plan.structure
    t, _, t0, _ = names_of(plan)
    b = structure.rate if structure.rate is not None else ZERO
    alpha = structure.forcing if structure.forcing is not None else ZERO
    loss = structure.uniform if structure.uniform is not None else ZERO
    span = t - t0
    if not any(part.has(t) for part in (b, alpha, loss)):
        if b == 0:
            return ZERO, span, alpha * span, loss * span
        # of two equal forms, the one that subtracts a decaying exponential from one
        sign = -1 if b.could_extract_minus_sign() else 1
        grown, spread = sign * (sympy.exp(b * span) - 1), sign * (sympy.exp(2 * b * span) - 1)
        return b * span, spread / (2 * sign * b), alpha * grown / (sign * b), loss * span
    found = free_integrals(structure.equation, b, alpha, loss)
    if found is not None:
        beta, spread, moved, lost = (tidy(primitive - primitive.subs(t, t0)) for primitive in found)
        until = found[0]
        return beta, tidy(sympy.exp(2 * until)) * spread, tidy(sympy.exp(until)) * moved, lost
    s, r = (Symbol(structure.equation.unused(name), real=True) for name in ("s", "r"))

    def integral(integrand: Expression, low: Any, high: Any, variable: Symbol) -> Expression:
        return (
            sympy.Integral(integrand.subs(t, variable), (variable, low, high))
            if integrand.has(t)
            else integrand * (high - low)
        )

    rest = integral(b, s, t, r)
    variance = sympy.Integral(sympy.exp(2 * rest), (s, t0, t))
    shift = ZERO if alpha == 0 else sympy.Integral(alpha.subs(t, s) * sympy.exp(rest), (s, t0, t))
    return integral(b, t0, t, s), variance, shift, integral(loss, t0, t, s)


def _bound(plan: Plan, h: Expression, h0: Expression) -> Expression:
    """The kernel of a potential, on a line or from a point."""
    m, rate, even, middle, speed, start, action = bound_times(plan)
    if plan.shape == "line":
        w, w0 = h - middle, h0 - start
        exponent = -(rate * w**2 - 2 * w * w0 + even * w0**2) / (2 * m) - speed * w - action
        return sympy.exp(exponent) / sympy.sqrt(2 * sympy.pi * m)
    wave = _bessel(plan.order, h * h0 / m)
    exponent = -(rate * h**2 + even * h0**2) / (2 * m) - action
    return sympy.sqrt(h * h0) / m * sympy.exp(exponent) * wave


def bound_times(
    plan: Plan,
) -> tuple[Expression, Expression, Expression, Expression, Expression, Expression, Expression]:
    """m, m′, l, the centre and its speed at t, its position at t0, and the action."""
    structure = plan.structure
    t, _, t0, _ = names_of(plan)
    q2, q1, q0, span = structure.q2, structure.q1, structure.q0, t - t0
    if not structure.steady:
        return _unknown_times(structure, t, t0)
    if q2 == 0:
        action = q1**2 * span**3 / 3 + q0 * span
        return span, ONE, ONE, q1 * span**2 / 2, q1 * span, ZERO, action
    omega = sympy.sqrt(sympy.factor(2 * q2))
    place = tidy(-q1 / (2 * q2))
    action = tidy(q0 - q1**2 / (4 * q2)) * span
    wave, slope = (sympy.sinh, sympy.cosh)
    return wave(omega * span) / omega, slope(omega * span), slope(omega * span), place, ZERO, place, action


def _unknown_times(structure: Structure, t: Symbol, t0: Symbol) -> tuple[Any, ...]:
    """Functions m, l and δ of t and t0, for which no closed form is known: m″ = 2q₂m, l″ = 2q₂l, δ″ = 2q₂δ + q₁."""
    names = (structure.equation.unused(name) for name in ("m", "l", "delta", "S"))
    m, even, middle, action = (sympy.Function(name)(t, t0) for name in names)
    if structure.q1 == 0:
        middle = ZERO
        action = sympy.Integral(structure.q0, (t, t0, t)) if structure.q0.has(t) else structure.q0 * (t - t0)
    return m, sympy.diff(m, t), even, middle, sympy.diff(middle, t), ZERO, action


def _images(plan: Plan, h: Expression, h0: Expression) -> Expression:
    """Brownian motion between two ends, as a sum over images."""
    structure = plan.structure
    t, _, t0, _ = names_of(plan)
    k, span = Symbol(structure.equation.unused("k"), integer=True), t - t0
    lower, upper = plan.signs
    width: Any = plan.width

    def bell(away: Expression) -> Expression:
        return sympy.exp(-(away**2) / (2 * span))

    turned = ONE if lower * upper > 0 else (-1) ** k
    term = turned * (bell(h - h0 - 2 * k * width) + lower * bell(h + h0 - 2 * k * width))
    total = sympy.Sum(term, (k, -sympy.oo, sympy.oo)) * sympy.exp(-structure.q0 * span)
    return total / sympy.sqrt(2 * sympy.pi * span)
