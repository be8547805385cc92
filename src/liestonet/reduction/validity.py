"""How long new coordinates and a solution formula hold: until a coordinate reaches an end of its range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from liestonet.reduction.state_space import Space, end_text
from liestonet.reduction.tuning import REDUCTION
from liestonet.sde.singularities import Singularity, singular_parts


@dataclass(frozen=True)
class Reached:
    """An end of a coordinate's interval at which the new coordinate is finite, so that paths can reach it.

    `value` is the new coordinate there at one time, `level` at all times.
    """

    text: str
    value: float
    level: Any


def reached_ends(height: Any, x: sympy.Symbol, space: Space, values: dict[sympy.Symbol, Any]) -> list[Reached]:
    """The ends of the state space at which y(x) has a finite limit, for given `values` of all other symbols."""
    found = []
    function = _precise(height, x, values)
    ends: list[tuple[Any, int]] = [(space.exact_low, 1), (space.exact_high, -1)]
    for end, side in ends:
        limit = _limit(function, None if end is None else end.subs(values), side)
        if limit is not None:
            name = end_text(end) if end is not None or side < 0 else "minus infinity"
            found.append(Reached(name, limit, _level(height, x, end, side, limit)))
    return found


def _level(height: Any, x: sympy.Symbol, end: Any, side: int, value: float) -> Any:
    """The new coordinate at an end as a function of time."""
    if end is not None:
        level = height.subs(x, end)
        return level if not level.has(sympy.zoo, sympy.nan, sympy.oo) else sympy.Float(value)
    try:
        level = sympy.limit(height, x, -side * sympy.oo)
    except (NotImplementedError, ValueError, TypeError):
        return sympy.Float(value)
    return level if level.is_finite is not False and not level.has(sympy.zoo, sympy.nan, x) else sympy.Float(value)


def _precise(expression: Any, x: sympy.Symbol, values: dict[sympy.Symbol, Any]) -> Any:
    import mpmath

    others = sorted(expression.free_symbols - {x}, key=str)
    function = sympy.lambdify([x, *others], expression, "mpmath")

    def at(place: Any) -> Any:
        return function(place, *(sympy.N(values[s], REDUCTION.range_digits)._to_mpmath(mpmath.mp.prec) for s in others))

    return at


def _limit(function: Any, end: Any, side: int) -> float | None:
    """The limit of a function towards an end, or towards infinity; None if it is infinite."""
    import mpmath

    near, nearer = REDUCTION.approach
    with mpmath.workdps(REDUCTION.range_digits):
        ten = mpmath.mpf(10)
        if end is None:
            places = [-side * ten**near, -side * ten**nearer]
        else:
            place = sympy.N(end, REDUCTION.range_digits)._to_mpmath(mpmath.mp.prec)
            places = [place + side * ten**-near, place + side * ten**-nearer]
        try:
            first, second = (mpmath.re(function(place)) for place in places)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError, ArithmeticError):
            return None
        if not (mpmath.isfinite(first) and mpmath.isfinite(second)):
            return None
        settled = abs(second - first) <= mpmath.mpf(10) ** -3 * (1 + abs(first))
        return float(second) if settled else None


def is_everywhere(coordinates: dict[Any, Any], inverse: dict[Any, Any], values: dict[Any, Any]) -> bool:
    """Whether new coordinates take all real values: the inverse is defined everywhere, and returns to them."""
    import mpmath

    new = list(coordinates)
    rng = np.random.default_rng(17)
    with mpmath.workdps(REDUCTION.range_digits):
        for scale in (1.0, 5.0, 30.0):
            for _ in range(4):
                drawn = {s: mpmath.mpf(v) for s, v in zip(new, scale * rng.standard_normal(len(new)), strict=True)}
                if not _returns(coordinates, inverse, drawn, values):
                    return False
    return True


def poles_reached(inverse: dict[Any, Any], values: dict[Any, Any]) -> list[Any]:
    """Expressions in the new coordinates that have either sign, and at whose zeros an old coordinate has a pole."""
    rng = np.random.default_rng(19)
    found = []
    for expression in inverse.values():
        for part, kind in singular_parts(sympy.sympify(expression)):
            symbols = sorted(part.free_symbols - values.keys(), key=str)
            if kind is not Singularity.POLE or not symbols or part in found:
                continue
            function = sympy.lambdify(symbols, part.subs(values), "numpy")
            with np.errstate(all="ignore"):
                drawn = np.asarray(function(*5 * rng.standard_normal((len(symbols), 200))), dtype=float)
            if np.nanmin(drawn) < 0 < np.nanmax(drawn):
                found.append(part)
    return found


def _returns(coordinates: Any, inverse: Any, drawn: Any, values: Any) -> bool:
    import mpmath

    try:
        given = {**values, **drawn}
        old = {s: _at(e, given) for s, e in inverse.items()}
        back = {s: _at(e, {**values, **old}) for s, e in coordinates.items()}
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return False
    small = mpmath.mpf(10) ** -15
    angles = {s for s, e in coordinates.items() if e.has(sympy.atan2)}
    return all(
        abs(mpmath.im(back[s])) < small and (s in angles or abs(back[s] - drawn[s]) < small * (1 + abs(drawn[s])))
        for s in coordinates
    )


def _at(expression: Any, values: Any) -> Any:
    symbols = sorted(expression.free_symbols, key=str)
    return sympy.lambdify(symbols, expression, "mpmath")(*(values[s] for s in symbols))


def is_smooth(expression: Any, x: sympy.Symbol) -> bool:
    """Whether a formula has no singular point in a variable: no roots, logarithms, poles or kinks."""
    return not any(x in part.free_symbols for part, _ in singular_parts(sympy.sympify(expression)))
