"""The functions of time in a density: growth and variance, or the solutions of m″ = 2q₂m, between t₀ and t.

Closed forms if coefficients do not depend on time or their integrals are known, else a differential equation that is
solved once for each pair (t₀, t). docs/method.md §16.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy
from scipy.special import exprel
from sympy import Symbol

from liestonet.densities.compiled import Compiled, compiled
from liestonet.densities.numbers import Expression, Numbers
from liestonet.densities.quadratures import over_time, tidy
from liestonet.densities.state_space import ScalarEquation
from liestonet.densities.structure import Structure
from liestonet.densities.tuning import CLOCK
from liestonet.errors import InputError

ZERO = sympy.Integer(0)


class Free(NamedTuple):
    """For dh = (α + bh) dt + dW or dh = (A/h + bh) dt + dW: ∫b, variance, mean from h = 0, ∫killing."""

    growth: Any
    variance: Any
    shift: Any
    loss: Any


class Bound(NamedTuple):
    """For a potential: log m, 1/m, (m′ − 1)/m, (l − 1)/m, the centre's position and speed at t, and the action.

    At t₀ the centre is `start` and at rest.
    """

    log_m: Any
    inverse: Any
    further: Any
    earlier: Any
    middle: Any
    speed: Any
    start: Any
    action: Any


Clock = Callable[..., Any]


def free_clock(structure: Structure) -> Clock:
    """Growth, variance, shift and loss as a function of t, t₀ and the free parameters."""
    b, t = structure.rate, structure.equation.time
    alpha = structure.forcing if structure.forcing is not None else ZERO
    loss = structure.uniform if structure.uniform is not None else ZERO
    if b is None:
        raise ValueError("the drift is not simple")
    parts = compiled(_variables(structure.equation), [b, alpha, loss])
    if not any(part.has(t) for part in (b, alpha, loss)):
        return lambda t, t0, *values: _steady_free(parts, t, t0, values)
    closed = _closed_free(structure.equation, b, alpha, loss)

    def clock(t: Numbers, t0: Numbers, *values: float) -> Free:
        if closed is not None:
            found = Free(*closed(t, t0, *values))
            if all(np.isfinite(part).all() for part in found) and bool((np.asarray(found.variance) > 0).all()):
                return found
        return Free(*_solved(_free_field(parts, values), np.zeros(4), t, t0))

    return clock


def _variables(equation: ScalarEquation) -> list[Symbol]:
    return [equation.time, *equation.free]


def _steady_free(parts: Compiled, t: Numbers, t0: Numbers, values: Sequence[float]) -> Free:
    b, alpha, loss = (float(part) for part in parts(0.0, *values))
    span = t - t0
    with np.errstate(all="ignore"):
        return Free(b * span, span * exprel(2 * b * span), alpha * span * exprel(b * span), loss * span)


def free_integrals(
    equation: ScalarEquation, b: Expression, alpha: Expression, loss: Expression
) -> tuple[Expression, Expression, Expression, Expression] | None:
    """β = ∫b, ∫e^{−2β}, ∫αe^{−β} and ∫killing as functions of time, or None."""
    beta = over_time(equation, b)
    if beta is None:
        return None
    spread = over_time(equation, tidy(sympy.exp(-2 * beta)))
    shift = ZERO if alpha == 0 else over_time(equation, tidy(alpha * sympy.exp(-beta)))
    lost = over_time(equation, loss)
    return None if spread is None or shift is None or lost is None else (beta, spread, shift, lost)


def _closed_free(equation: ScalarEquation, b: Expression, alpha: Expression, loss: Expression) -> Compiled | None:
    found = free_integrals(equation, b, alpha, loss)
    if found is None:
        return None
    t, start = equation.time, Symbol("t0", real=True)
    beta, spread, shift, lost = found

    def between(primitive: Expression) -> Expression:
        return primitive - primitive.subs(t, start)

    parts = [
        between(beta),
        sympy.exp(2 * beta) * between(spread),
        sympy.exp(beta) * between(shift),
        between(lost),
    ]
    return compiled([t, start, *equation.free], parts)


def _free_field(parts: Compiled, values: Sequence[float]) -> Callable[[Numbers, Numbers], Numbers]:
    def field(time: Numbers, state: Numbers) -> Numbers:
        b, alpha, loss = parts(time, *values)
        return np.stack([b, 2 * b * state[1] + 1, b * state[2] + alpha, loss])

    return field


def bound_clock(structure: Structure) -> Clock:
    """m, l and the action as a function of t, t₀ and the free parameters."""
    parts = compiled(_variables(structure.equation), [structure.q2, structure.q1, structure.q0])
    if structure.steady:
        return lambda t, t0, *values: _steady_bound(parts(0.0, *values), t - t0)

    def clock(t: Numbers, t0: Numbers, *values: float) -> Bound:
        m, rate, even, _, middle, speed, action = _solved(_bound_field(parts, values), np.zeros(7), t, t0)
        _require_positive(m)
        return Bound(np.log(m), 1 / m, rate / m, even / m, middle, speed, np.zeros_like(m), action)

    return clock


def _bound_field(parts: Compiled, values: Sequence[float]) -> Callable[[Numbers, Numbers], Numbers]:
    def field(time: Numbers, state: Numbers) -> Numbers:
        """The derivatives of m, m′ − 1, l − 1, l′, δ, δ′ and the action, which are all zero at t₀."""
        q2, q1, q0 = parts(time, *values)
        m, rate, even, slope, place, speed, _ = state
        action = speed**2 / 2 + q2 * place**2 + q1 * place + q0
        return np.stack([1 + rate, 2 * q2 * m, slope, 2 * q2 * (1 + even), speed, 2 * q2 * place + q1, action])

    return field


@np.errstate(all="ignore")
def _steady_bound(potential: Sequence[Numbers], elapsed: Numbers) -> Bound:
    """m = sinh(ωT)/ω and l = cosh(ωT), ω² = 2q₂; circular functions for q₂ < 0, up to half a turn."""
    q2, q1, q0 = (float(part) for part in potential)
    span = np.asarray(elapsed, dtype=float)
    zero = np.zeros_like(span)
    square = 2 * q2 * span**2
    size = np.sqrt(np.abs(square))
    if q2 == 0:
        # the centre moves from rest with constant acceleration: δ = q₁T²/2
        middle, speed = q1 * span**2 / 2, q1 * span
        action = q1**2 * span**3 / 6 + q1**2 * span**3 / 6 + q0 * span
        return Bound(np.log(span), 1 / span, zero, zero, middle, speed, zero, action)
    place = -q1 / (2 * q2)
    action = (q0 - q1**2 / (4 * q2)) * span
    if q2 < 0:
        _require_positive(np.where(size < np.pi, 1.0, -1.0))
        ratio, rest = np.sinc(size / np.pi), -size * np.tan(size / 2) / span
        return Bound(np.log(span * ratio), 1 / (ratio * span), rest, rest, place + zero, zero, place + zero, action)
    # m = T e^{ωT} (1 − e^{−2ωT})/(2ωT)
    ratio, rest = exprel(-2 * size), size * np.tanh(size / 2) / span
    log_m, inverse = np.log(span) + size + np.log(ratio), np.exp(-size) / (ratio * span)
    return Bound(log_m, inverse, rest, rest, place + zero, zero, place + zero, action)


def _require_positive(m: Numbers) -> None:
    if not bool((np.asarray(m) > 0).all()):
        raise InputError(
            "The expectation is infinite at this time, because the potential is not bounded below; "
            "take a shorter time or another killing."
        )


def _solved(field: Callable[[Numbers, Numbers], Numbers], start: Numbers, t: Numbers, t0: Numbers) -> Numbers:
    """The solution of the differential equation from t₀ to t, once for each distinct pair, all pairs at once."""
    from scipy.integrate import solve_ivp

    end, begin = np.broadcast_arrays(np.asarray(t, dtype=float), np.asarray(t0, dtype=float))
    pairs, back = np.unique(end.reshape(-1) + 1j * begin.reshape(-1), return_inverse=True)
    span, count = pairs.real - pairs.imag, len(pairs)

    def stacked(part: float, state: Numbers) -> Numbers:
        slope = field(pairs.imag + part * span, state.reshape(len(start), count))
        return (span * slope).reshape(-1)

    first = np.repeat(start, count)
    found = solve_ivp(
        stacked, (0.0, 1.0), first, method="DOP853", rtol=CLOCK.relative, atol=CLOCK.absolute, t_eval=[1.0]
    )
    if not found.success:
        raise InputError(f"The time dependence could not be integrated ({found.message}); take a shorter time.")
    values = found.y[:, -1].reshape(len(start), count)
    return values[:, back.reshape(-1)].reshape(len(start), *end.shape)
