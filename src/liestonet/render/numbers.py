"""Numbers as text: plain numbers, orders of magnitude, percentages and intervals."""

from __future__ import annotations

from liestonet.render.limits import (
    LARGEST_PERCENTAGE,
    MOST_PERCENTAGE_DIGITS,
    PERCENTAGE_DIGITS,
    ROUNDING,
)


def number(value: float | int) -> str:
    """A number with up to four digits, with an exponent only if it is very small or large: 2, 0.5, -1.732, 3e-12."""
    text = f"{float(value):.4g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return "0" if text == "-0" else text


def short(value: float) -> str:
    """An order of magnitude: 2e-9, 0.52, < 1e-16, > 1e15."""
    if value < ROUNDING:
        return "< 1e-16"
    if value > 1e15:
        return "> 1e15"
    return number(float(f"{value:.1e}")) if 1e-3 <= value < 1e3 else number(float(f"{value:.0e}"))


def percent(value: float, digits: int = PERCENTAGE_DIGITS) -> str:
    """A relative residual: 0.02 %, 1.3 %, 48 %, 1200 %, > 10000 %."""
    if not value <= LARGEST_PERCENTAGE:
        return f"> {100 * LARGEST_PERCENTAGE:.0f} %"
    if value >= 9.995:  # without an exponent
        return f"{float(f'{100 * value:.{digits - 1}e}'):.0f} %"
    if value < 5e-5:
        return "0 %" if value == 0 else "< 0.01 %"
    return f"{number(float(f'{100 * value:.{digits - 1}e}'))} %"


def interval_digits(lower: float, upper: float) -> int:
    """The number of digits at which the ends of an interval differ: two, or more if it is narrow."""
    tried = range(PERCENTAGE_DIGITS, MOST_PERCENTAGE_DIGITS)
    return next((k for k in tried if percent(lower, k) != percent(upper, k)), MOST_PERCENTAGE_DIGITS)


def percent_interval(lower: float, upper: float, between: str = " – ") -> str:
    """An interval whose ends can be distinguished: 0 % – 2.9 %, 118 % – 121 %."""
    digits = interval_digits(lower, upper)
    return f"{percent(lower, digits)}{between}{percent(upper, digits)}"


def term(coefficient: float, factor: str) -> str:
    """A coefficient with its factor: `2 x`, `-x`."""
    text = number(coefficient)
    return f"{text.removesuffix('1')}{factor}" if text in ("1", "-1") else f"{text} {factor}"


def summed(terms: list[str]) -> str:
    """Terms with their signs between them."""
    return " + ".join(terms).replace("+ -", "- ")
