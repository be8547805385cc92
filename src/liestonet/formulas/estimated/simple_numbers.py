"""Exact numbers for constants with an uncertainty, if a simple number is unlikely to be that near by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from liestonet.formulas.estimated.tuning import ESTIMATED


def simple_number(value: float, uncertainty: float) -> Any:
    """The simple fraction within the uncertainty; None if such fractions are so dense that it may be chance."""
    import sympy

    near = max(ESTIMATED.within * uncertainty, ESTIMATED.rounding)
    for denominator in ESTIMATED.denominators:
        numerator = round(value * denominator)
        if abs(numerator / denominator - value) <= near:
            return sympy.Rational(numerator, denominator) if 2 * near * denominator**2 < ESTIMATED.chance else None
    return None


def simple_rates(rates: Sequence[tuple[float, float]]) -> list[Any]:
    """Exact numbers for rates given with their uncertainties: for all of them or, apart from zeros, for none.

    Rates of one algebra are related, often as integer multiples of one of them; rounding one alone would contradict the
    others.
    """
    import sympy

    # zero is more likely than other simple numbers
    ends = [(abs(value), ESTIMATED.within * width) for value, width in rates]
    zero = [size <= max(end, ESTIMATED.rounding) and end < ESTIMATED.chance for size, end in ends]
    found = [sympy.Integer(0) if vanishes else None for vanishes in zero]
    places = [place for place, number in enumerate(found) if number is None]
    alone = [simple_number(*rates[place]) for place in places]
    if None in alone:
        alone = _multiples([rates[place] for place in places])
    for place, number in zip(places, alone, strict=True):
        found[place] = number
    return found


def _multiples(rates: Sequence[tuple[float, float]]) -> list[Any]:
    """Rates as integer multiples of the simplest of them, each within its uncertainty; else None for all."""
    for value, width in rates:
        for divisor in ESTIMATED.multiples:
            unit = simple_number(value / divisor, width / divisor)
            if not unit:
                continue
            numbers = [unit * round(other / float(unit)) for other, _ in rates]
            near = [
                abs(other - float(number)) <= ESTIMATED.within * error
                and 1 <= abs(number / unit) <= ESTIMATED.multiples[-1]
                for number, (other, error) in zip(numbers, rates, strict=True)
            ]
            if all(near) and any(abs(number) == abs(unit) for number in numbers):
                return numbers
    return [None] * len(rates)
