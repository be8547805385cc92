"""Calls and digitals of Bessel processes: ∫ h^{1+ν} and ∫ h^{1−ν} against their density are noncentral χ² laws.

With P = 1/variance and λ = κ²/P: ∫_a^∞ h^{ν+1} e^{−Ph²/2} I_ν(κh) dh = κ^ν P^{−ν−1} e^{λ/2} P(χ′²_{2ν+2}(λ) > Pa²) and
∫_a^∞ h^{1−ν} e^{−Ph²/2} I_ν(κh) dh = κ^{−ν} P^{ν−1} e^{λ/2} P(χ′²_{2ν}(Pa²) < λ) (docs/method.md §16.6; Schroder 1989).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from scipy.special import chndtr
from sympy import Symbol

from liestonet.densities.compiled import compiled
from liestonet.densities.formula import names_of
from liestonet.densities.gaussian_prices import bessel_form
from liestonet.densities.inverse import inverse_of
from liestonet.densities.kernels import Kernel
from liestonet.densities.payoffs import Payoff, Piece
from liestonet.densities.tuning import PRICE


@np.errstate(all="ignore")
def chi_square_price(kernel: Kernel, payoff: Payoff, t: float, t0: float, x0: float) -> tuple[float, float] | None:
    """The price and its error, if the payoff is a sum of these two powers; else None."""
    plan = kernel.plan
    equation = plan.structure.equation
    if plan.shape != "radial" or plan.structure.exponent is None or not payoff.pieces:
        return None
    inverse = inverse_of(equation, plan.structure.height)
    if inverse is None:
        return None
    names = names_of(plan)
    form = compiled([names[0], names[2], names[3]], [*bessel_form(plan), plan.order, plan.structure.exponent])
    factor, precision, pull, order, exponent = (np.float64(value) for value in form(t, t0, x0))
    total, size = 0.0, 0.0
    for piece in payoff.pieces:
        powers = _powers(piece, equation, *inverse)
        if powers is None:
            return None
        ends = _heights(kernel, piece, t)
        for number, power in powers:
            part = _between(power + exponent + 0.5, order, precision, pull, ends)
            if part is None:
                return None
            total += number * (part[1] - part[0])
            size += abs(number) * (abs(part[0]) + abs(part[1]))
    value, error = factor * total, PRICE.chi_square_rounding * abs(factor) * size
    return (float(value), float(error)) if np.isfinite(value) and np.isfinite(error) else None


def _powers(piece: Piece, equation: Any, h: Symbol, state: Any) -> list[tuple[float, float]] | None:
    """The payoff on a piece as a sum of multiples of powers of h."""
    if piece.value == 0:
        return []
    positive = Symbol("h", positive=True)
    named = {symbol: other for other, symbol in equation.named.items()}
    inside = piece.value.xreplace(named).subs(equation.state, state.subs(h, positive))
    if inside.free_symbols - {positive}:
        return None
    found = []
    for term in sympy.Add.make_args(sympy.expand(sympy.powsimp(inside))):
        number, dependent = sympy.powsimp(term).as_independent(positive, as_Add=False)
        base, power = dependent.as_base_exp() if dependent != 1 else (positive, sympy.Integer(0))
        if base != positive or power.has(positive):
            return None
        found.append((float(number), float(power)))
    return [row for row in found if row[0]]


def _heights(kernel: Kernel, piece: Piece, t: float) -> tuple[float, float]:
    """The ends of a piece as heights, ascending; zero and infinity at the ends of the state space."""
    low, high = kernel.interval()
    ends = []
    for point in (piece.low, piece.high):
        place = float(point)
        if low < place < high:
            ends.append(float(kernel.height(t, np.float64(place))))
        else:
            ends.append(0.0 if (place <= low) == (kernel.direction > 0) else np.inf)
    return min(ends), max(ends)


def _between(
    power: float, order: float, precision: float, pull: float, ends: tuple[float, float]
) -> tuple[float, float] | None:
    """Two numbers whose difference is ∫ h^power e^{−Ph²/2} I_ν(κh) dh between two heights."""
    centre = pull**2 / precision
    outer = np.exp(centre / 2)
    if abs(power - order - 1) < PRICE.same_power:
        scale = pull**order * precision ** (-order - 1)
        below = [1.0 if np.isinf(end) else float(chndtr(precision * end**2, 2 * order + 2, centre)) for end in ends]
        return float(scale * outer * below[0]), float(scale * outer * below[1])
    if abs(power + order - 1) < PRICE.same_power and order > 0:
        scale = pull ** (-order) * precision ** (order - 1)
        above = [0.0 if np.isinf(end) else float(chndtr(centre, 2 * order, precision * end**2)) for end in ends]
        return float(scale * outer * above[1]), float(scale * outer * above[0])
    return None
