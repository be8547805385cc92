"""Scalar equations: the determining equations solved by quadrature, up to functions of time.

For dx = f dt + c(t)s(x) dW put y = ∫dx/s, whose drift is b(t)y + f₀(t) + a rest, w = (y − p)/G with G' = bG and
p' = bp + f₀, and the clock θ = ∫(c/G)²dt. Then dw = g dθ + dB with unit noise. The noise equation gives
ξ = ½τ'w + h, the second Fokker–Planck equation β = ½τ'wg + hg − ¼τ''w² − h'w + k (docs/method.md §10.1). Unknown remain
τ, h and k, functions of θ alone: candidates are tried, and the equations decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.formulas.blocks import resolved
from liestonet.formulas.quadrature import antiderivative
from liestonet.formulas.shortest import shortest

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from liestonet.sde.symbolic import SymbolicCoefficients

Field = tuple[Any, ...]  # τ, ξ and, for Fokker–Planck, β
Times = tuple[Any, Any, Any]  # a function of the clock and its first two derivatives


@dataclass(frozen=True)
class Frame:
    """An equation in the coordinate w and the clock θ, everything written in t and x.

    `speed` is dθ/dt, `noise` s(x), `growth` G, `rate` b, `forcing` f₀, `place` w, `height` y and `drift` g.
    """

    clock: Any
    speed: Any
    noise: Any
    growth: Any
    rate: Any
    forcing: Any
    place: Any
    height: Any
    drift: Any

    def fields(self, times: list[Times], x: Any, has_beta: bool) -> list[Field]:
        """The generators in which τ, or h, or k is one of some functions of the clock; all in t and x."""
        import sympy

        zero = sympy.Integer(0)
        found = []
        for e, slope, bend in times:
            beta = slope * self.place * self.drift / 2 - bend * self.place**2 / 4
            found.append(self._carried(e, slope * self.place / 2, beta, x))
        found += [self._carried(zero, e, e * self.drift - slope * self.place, x) for e, slope, _ in times]
        if has_beta:
            found += [(zero, zero, e) for e, _, _ in times]
        width = 3 if has_beta else 2
        return [tuple(shortest(c) for c in field[:width]) for field in found]

    def _carried(self, tau: Any, xi: Any, beta: Any, x: Any) -> Field:
        """A generator in θ and w, transformed to t and x; the density gets the factor s·G."""
        import sympy

        tau = tau / self.speed
        moved = self.growth * xi + tau * (self.rate * self.height + self.forcing)
        return tau, self.noise * moved, beta - tau * self.rate - moved * sympy.diff(self.noise, x)


def scalar_fields(
    coefficients: SymbolicCoefficients, domain: Domain, exponentials: list[Any] | None, has_beta: bool
) -> list[Field]:
    """Candidate generators of a scalar equation, to be combined; none if the noise is not a product c(t)s(x).

    `exponentials` are the functions of time of a span that is invariant under ∂t, else None.
    """
    import sympy

    parts = _noise_parts(coefficients, domain)
    if parts is None:
        return []
    t, x = coefficients.time, coefficients.state[0]
    frame = _plain_frame(coefficients, domain, parts) if exponentials is not None else None
    if frame is not None and exponentials is not None:
        return frame.fields([(e, e.diff(t), e.diff(t, 2)) for e in exponentials], x, has_beta)
    frame = _moving_frame(coefficients, domain, parts)
    if frame is None:
        return []
    one, clock = sympy.Integer(1), frame.clock
    powers = [(one, 0 * one, 0 * one), (clock, one, 0 * one), (clock**2, 2 * clock, 2 * one)]
    return frame.fields(powers, x, has_beta)


def _noise_parts(coefficients: SymbolicCoefficients, domain: Domain) -> tuple[Any, Any] | None:
    """c(t) and s(x) with c s = √a, numerical factors in s; None if √a is not such a product."""
    import sympy

    t, x = coefficients.time, coefficients.state[0]
    diffusion: Any = coefficients.diffusion
    squared: Any = coefficients.diffusion_squared
    entries = [entry for entry in diffusion if entry != 0]
    if not entries:
        return None
    root: Any = sympy.factor(entries[0]) if len(entries) == 1 else sympy.sqrt(sympy.factor(squared[0, 0]))
    root = real_on(root, (t, x), domain.intervals)
    of_time, of_state = root.as_independent(x, as_Add=False)
    if of_state.has(t):
        return None
    number, of_time = of_time.as_independent(t, as_Add=False)
    return of_time, number * of_state


def real_on(expression: Expr, symbols: tuple[Symbol, ...], intervals: tuple[tuple[float, float], ...]) -> Expr:
    """The expression with moduli and roots of squares resolved by the signs on a box."""
    import sympy

    if expression.is_number or expression.has(sympy.Integral):
        return expression
    low, high = np.array(intervals).T
    return resolved(expression, symbols, np.random.default_rng(5).uniform(low, high, (200, len(low))))


def _height(coefficients: SymbolicCoefficients, domain: Domain, noise: Any) -> Any:
    """y = ∫dx/s, as an unevaluated integral if there is no closed form."""
    x = coefficients.state[0]
    height = antiderivative(shortest(1 / noise), x, domain.intervals[1], ("t",))
    return None if height is None else real_on(height, (x,), domain.intervals[1:])


def _drift_of_height(coefficients: SymbolicCoefficients, parts: tuple[Any, Any]) -> Any:
    """The drift of y by Itô's formula: f/s − ½c²s'."""
    import sympy

    drift: Any = coefficients.drift
    of_time, noise = parts
    return shortest(drift[0] / noise - of_time**2 * sympy.diff(noise, coefficients.state[0]) / 2)


def _plain_frame(coefficients: SymbolicCoefficients, domain: Domain, parts: tuple[Any, Any]) -> Frame | None:
    """The frame in which only the noise is scaled to one; None if the noise depends on time."""
    import sympy

    one, zero = sympy.Integer(1), sympy.Integer(0)
    height = _height(coefficients, domain, parts[1]) if parts[0] == 1 else None
    drift = _drift_of_height(coefficients, parts)
    if height is None or drift.has(coefficients.time):
        return None
    return Frame(coefficients.time, one, parts[1], one, zero, zero, height, height, drift)


def _moving_frame(coefficients: SymbolicCoefficients, domain: Domain, parts: tuple[Any, Any]) -> Frame | None:
    """The frame without linear growth, forcing and time-dependent noise; None if an integral is not found."""
    import sympy

    t, x = coefficients.time, coefficients.state[0]
    height = _height(coefficients, domain, parts[1])
    if height is None:
        return None
    drift = _drift_of_height(coefficients, parts)
    rate, forcing = _linear_part(drift, height, parts[1], t, x)
    interval, taken = domain.intervals[0], (x.name,)
    exponent = antiderivative(rate, t, interval, taken)
    if exponent is None:
        return None
    growth = shortest(real_on(sympy.exp(exponent), (t,), domain.intervals[:1]))
    path = antiderivative(shortest(forcing / growth), t, interval, taken)
    speed = shortest((parts[0] / growth) ** 2)
    clock = antiderivative(speed, t, interval, taken)
    if path is None or clock is None:
        return None
    clock = real_on(clock, (t,), domain.intervals[:1])
    place = shortest(height / growth) - path
    rest = shortest(drift - rate * height - forcing)
    return Frame(clock, speed, parts[1], growth, rate, forcing, place, height, shortest(rest / growth / speed))


def _linear_part(drift: Any, height: Any, noise: Any, t: Any, x: Any) -> tuple[Any, Any]:
    """b(t) and f₀(t) of a drift b y + f₀ + rest, from the whole drift if it is affine in y, else from its terms."""
    import sympy

    slope = shortest(noise * sympy.diff(drift, x))
    if not slope.has(x):
        forcing = shortest(drift - slope * height)
        if not forcing.has(x):
            return slope, forcing
    rate, forcing = sympy.Integer(0), sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(drift)):
        ratio = shortest(term / height)
        if not term.has(x):
            forcing += term
        elif not ratio.has(x):
            rate += ratio
    return rate, forcing
