"""Recognition of exact constants from decimals, if the error leaves no doubt.

A candidate is accepted only if so few equally simple ones exist that hitting one by chance is unlikely.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, isfinite, isqrt
from typing import TYPE_CHECKING, Any

from liestonet.formulas.tuning import FORMULAS

if TYPE_CHECKING:
    import sympy


def recognise(value: float, error: float) -> sympy.Expr | None:
    """The simplest exact number within the error: a fraction, or the square root or quadratic root of small ones.

    The error is often smaller than stated, so smaller tolerances are tried first: agreement in twelve digits is strong.
    """
    if not isfinite(value):
        return None
    least = max(4e-16, 1e-12 * abs(value))
    finer = [least * 10**k for k in range(0, 16, 2) if least * 10**k < error]
    for level in [*finer, max(error, least)]:
        found = _recognise(value, level)
        if found is not None:
            return found
    return None


def _recognise(value: float, error: float) -> sympy.Expr | None:
    """The simplest exact number within one given error."""
    import sympy

    fraction = _fraction(value, error)
    if fraction is not None:
        return sympy.Rational(fraction.numerator, fraction.denominator)
    square = _fraction(value * value, 2 * abs(value) * error + error * error)
    if square is not None:
        return sympy.sqrt(sympy.Rational(square.numerator, square.denominator)) * (1 if value > 0 else -1)
    return _quadratic_root(value, error)


def _fraction(value: float, error: float) -> Fraction | None:
    """The fraction with the smallest denominator within the error; None if it may be chance."""
    if abs(value) <= error:
        return Fraction(0)
    for limit in FORMULAS.denominators:
        candidate = Fraction(value).limit_denominator(limit)
        # about limit² fractions per unit length have denominators up to limit
        if abs(candidate - value) <= error and candidate != 0:
            return candidate if 2 * error * limit**2 < FORMULAS.chance or limit == 1 else None
    return None


def _quadratic_root(value: float, error: float) -> sympy.Expr | None:
    """A root of a x² + b x + c with small integers, in closed form."""
    import sympy

    size = 24
    if 2 * error * size**2 * 8 > FORMULAS.chance:
        return None
    for a in range(1, 9):
        for b in range(-size, size + 1):
            c = -round(a * value * value + b * value)
            discriminant = b * b - 4 * a * c
            if abs(c) > size or discriminant <= 0 or isqrt(discriminant) ** 2 == discriminant or gcd(a, gcd(b, c)) > 1:
                continue
            for sign in (1, -1):
                root = (-b + sign * discriminant**0.5) / (2 * a)
                if abs(root - value) <= error:
                    return sympy.nsimplify((-b + sign * sympy.sqrt(discriminant)) / (2 * a))
    return None


def recognise_precisely(value: Any, known: Sequence[Any] = ()) -> sympy.Expr | None:
    """The exact form of a number known to forty digits (mpmath): a fraction, its square root or a quadratic root.

    `known` are numbers such as π, contained in an equation, that may be a factor.
    """
    import mpmath
    import sympy

    if abs(value) < FORMULAS.precisely:
        return sympy.Integer(0)
    for factor in known:
        fraction = _precise_fraction(value / mpmath.mpf(sympy.N(factor, mpmath.mp.dps)))
        if fraction is not None:
            return factor * sympy.Rational(fraction.numerator, fraction.denominator)
    fraction = _precise_fraction(value)
    if fraction is not None:
        return sympy.Rational(fraction.numerator, fraction.denominator)
    square = _precise_fraction(value * value)
    if square is not None:
        return sympy.sqrt(sympy.Rational(square.numerator, square.denominator)) * (1 if value > 0 else -1)
    polynomial = mpmath.findpoly(value, 2, maxcoeff=FORMULAS.largest_coefficient, tol=FORMULAS.precisely)
    if polynomial is None or len(polynomial) != 3:
        return None
    x = sympy.Dummy()
    roots = sympy.solve(sum(int(c) * x ** (2 - k) for k, c in enumerate(polynomial)), x)
    return min(roots, key=lambda root: abs(sympy.N(root, 30) - sympy.Float(str(value), 30)))


def _precise_fraction(value: Any) -> Fraction | None:
    import mpmath

    exact = Fraction(str(mpmath.nstr(value, 45)))
    for largest, error in (
        (FORMULAS.largest_denominator, FORMULAS.precisely),
        (FORMULAS.larger_denominator, FORMULAS.more_precisely),
    ):
        candidate = exact.limit_denominator(largest)
        if abs(candidate - exact) <= Fraction(error) * max(1, abs(exact)):
            return candidate
    return None
