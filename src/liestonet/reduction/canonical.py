"""Canonical coordinates of a scalar equation: a new state and a new time in which it is Brownian motion.

If the new equation is dy = f(t) dt + g(t) dW, y − ∫f dt is a Brownian motion in the time ∫g² dt (docs/method.md §18.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from liestonet.reduction.reduction import Reduction
from liestonet.result import Result

if TYPE_CHECKING:
    import sympy


@dataclass(frozen=True)
class Canonical:
    """The time s and the state y in which an equation is dy = dW(s), as formulas in t and the old coordinate."""

    clock: sympy.Expr
    state: sympy.Expr
    symbols: tuple[sympy.Symbol, ...]
    reduction: Reduction


def canonical_coordinates(result: Result) -> Canonical | None:
    """Canonical coordinates of a scalar equation, or a recording's fitted one, that one proved generator integrates.

    None if they are not known, or if finding them would take too long for a picture.
    """
    found = _reduced(result)
    if found is None or found.kind != "solved" or not found.is_whole or found.sde.symbolic is None:
        return None
    return _as_brownian(found)


def _reduced(result: Result) -> Reduction | None:
    """The reduction by a shift along the state."""
    from liestonet.pipeline.solve import solve
    from liestonet.reduction.recording.equation_fit import readable_equation
    from liestonet.reduction.reduce import reduce

    if len(result.names) > 1 or result.dimension < 1:
        return None
    if result.estimated is not None:
        fitted = readable_equation(result)
        if fitted is None or fitted.sde.symbolic is None:
            return None
        result = solve(fitted.sde, domain=result.domain.intervals)
    simple = any(row.status == "proved" and row.tau == 0 for row in result.formulas())
    if not simple or not math.isfinite(result.dimension):
        return None
    made = reduce(result)
    return made.with_parameters(result.draw) if result.draw else made


def _as_brownian(found: Reduction) -> Canonical | None:
    """The time ∫g² dt and the state y − ∫f dt, if f and g depend on time alone and the integrals have closed forms."""
    import sympy

    symbolic = found.sde.symbolic
    if symbolic is None or symbolic.noise != 1:
        return None
    drift: Any = sympy.sympify(symbolic.drift[0])
    noise: Any = sympy.sympify(symbolic.diffusion[0])
    time, state = symbolic.time, symbolic.state[0]
    if state in drift.free_symbols | noise.free_symbols or noise == 0:
        return None
    shift, clock = sympy.integrate(drift, time), sympy.integrate(noise**2, time)
    if shift.has(sympy.Integral) or clock.has(sympy.Integral):
        return None
    old = found.equation.symbolic
    if old is None:
        return None
    new_time, new_state = list(found.coordinates.values())
    beginning = clock.subs(time, 0)
    clock = clock - beginning if beginning.is_finite else clock
    return Canonical(clock.subs(time, new_time), new_state - shift.subs(time, new_time), (old.time, *old.state), found)
