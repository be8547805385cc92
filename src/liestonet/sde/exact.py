"""SymPy expressions built step by step, each constant checked before SymPy computes it.

A user's formula may contain 9^9^9^9: sizes are estimated in floating point first, so that no step takes long, and
every accepted constant is real, finite and between 1e-100 and 1e100.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import sympy
from sympy import Expr

from liestonet.errors import InputError

LARGEST, MAX_BITS, MAX_POWER, MAX_EXPONENT_SIZE = 100, 4096, 64, 333  # decades, bits, x^64, 2^(333 x)
_LARGEST_PRIME = 2**15  # trial division ends here; the remaining factor counts as prime
_DEFINED: Mapping[Any, tuple[Callable[[float], float], Callable[[float], bool]]] = {
    sympy.exp: (math.exp, lambda x: abs(x) <= 230),
    sympy.log: (math.log, lambda x: x > 0),
    sympy.sinh: (math.sinh, lambda x: abs(x) <= 230),
    sympy.cosh: (math.cosh, lambda x: abs(x) <= 230),
    sympy.asin: (math.asin, lambda x: abs(x) <= 1),
    sympy.acos: (math.acos, lambda x: abs(x) <= 1),
    sympy.acosh: (math.acosh, lambda x: x >= 1),
    sympy.atanh: (math.atanh, lambda x: abs(x) < 1),
    **{
        getattr(sympy, name): (getattr(math, name), lambda x: True)
        for name in ("sin", "cos", "tan", "tanh", "atan", "asinh", "erf", "erfc", "floor")
    },
    sympy.Abs: (abs, lambda x: True),
    sympy.sign: (lambda x: math.copysign(1.0, x) if x else 0.0, lambda x: True),
    sympy.Heaviside: (lambda x: (x > 0) + 0.5 * (x == 0), lambda x: True),
}
FUNCTIONS = frozenset(_DEFINED)
_RECIPROCAL: Mapping[Any, Any] = {  # written as reciprocals; SymPy turns tan(x + π/2) into cot
    sympy.cot: sympy.tan,
    sympy.sec: sympy.cos,
    sympy.csc: sympy.sin,
    sympy.coth: sympy.tanh,
    sympy.sech: sympy.cosh,
    sympy.csch: sympy.sinh,
}


@lru_cache(maxsize=4096)
def approximate(constant: Expr) -> float:
    """A constant's floating-point value, computed from its parts: SymPy's own evaluation may take very long."""
    try:
        if isinstance(constant, sympy.Rational):
            return constant.p / constant.q
        parts = [approximate(part) for part in constant.args]
        if isinstance(constant, sympy.Add):
            return math.fsum(parts)
        if isinstance(constant, sympy.Mul):
            return math.prod(parts)
        if isinstance(constant, sympy.Pow):
            return math.pow(*parts)
        if constant.func in _DEFINED:
            return float(_DEFINED[constant.func][0](parts[0]))
        return float(constant)
    except (OverflowError, ValueError, TypeError, ZeroDivisionError):
        return math.nan


def number(value: object, what: str) -> Expr:
    """A user's number as an exact one, decimals as written: 0.1 is 1/10."""
    if isinstance(value, Expr) and value.is_number and value.is_real:
        return rebuild(value, {}, what)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{what} is {value!r}, which is not a real number; give a number such as 1.5.")
    try:
        exact = Fraction(int(value)) if isinstance(value, Integral) else None
        exact = exact or (Fraction(value) if isinstance(value, Fraction) else Fraction(repr(float(value))))
    except (ValueError, OverflowError) as problem:
        raise InputError(f"{what} is {value!r}, which is not a finite number; give one such as 1.5.") from problem
    return fraction(exact, what)


def fraction(value: Fraction, text: str) -> Expr:
    """An exact fraction as SymPy's Rational, if its size is sensible."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise InputError(f"{text} has too many digits, or is not between 1e-100 and 1e100; round it.")
    return _checked(sympy.Rational(value.numerator, value.denominator), text)


def add(terms: Iterable[Expr], text: str) -> Expr:
    """Sum of terms."""
    return _checked(sympy.Add(*terms), text)


def multiply(factors: Iterable[Expr], text: str) -> Expr:
    """Product of factors."""
    result: Expr = sympy.Integer(1)
    constants, others = [], []
    for factor in factors:
        (constants if factor.is_number else others).append(factor)
    for constant in constants:  # one at a time, so that every partial product is checked
        result = _checked(result * constant, text)
    return _checked(sympy.Mul(result, *others), text)


def power(base: Expr, exponent: Expr, text: str) -> Expr:
    """Base to the exponent, refused where it would be complex, undefined or huge."""
    if exponent.is_number:
        size = approximate(exponent)
        if base.is_number:
            _check_constant_power(base, exponent, size, text)
        else:
            _check_degree(exponent, text)
    elif base.is_number:
        value = approximate(base)
        if not value > 0:
            raise InputError(f"{text} has the base {base}, which gives no real function; the base must be positive.")
        _check_exponent(value, exponent, text)
    return _checked(_raised(base, exponent), text)


def _raised(base: Expr, exponent: Expr) -> Expr:
    """Base to the exponent, with a rational factor split into primes: SymPy computes 12^(p/q) from 2^(2p) and 3^p."""
    if not isinstance(exponent, sympy.Rational) or exponent.is_Integer:
        return sympy.Pow(base, exponent)
    coefficient, rest = base.as_coeff_Mul()
    size: Any = abs(coefficient)
    primes = {**sympy.factorint(size.p, limit=_LARGEST_PRIME)}
    for prime, multiplicity in sympy.factorint(size.q, limit=_LARGEST_PRIME).items():
        primes[prime] = -multiplicity
    factors = []
    for prime, multiplicity in primes.items():
        whole, part = divmod(multiplicity * exponent, 1)
        factors += [sympy.Pow(prime, whole), sympy.Pow(prime, part)]
    return sympy.Mul(*factors, sympy.Pow(sympy.sign(coefficient) * rest, exponent))


def apply(function: Any, argument: Expr, text: str) -> Expr:
    """A function of one argument; sec, csc and the like become reciprocals."""
    if function in _RECIPROCAL:
        return power(apply(_RECIPROCAL[function], argument, text), sympy.Integer(-1), text)
    if argument.is_number:
        value = approximate(argument)
        if not _DEFINED[function][1](value):
            large = function in (sympy.exp, sympy.sinh, sympy.cosh)
            raise InputError(
                f"{text} is beyond 1e-100 to 1e100; choose smaller numbers."
                if large
                else f"{text} is complex or undefined, as {function.__name__} is at {value:g}; change it."
            )
    if function in (sympy.Abs, sympy.sign) and not argument.is_extended_real:
        # SymPy would split arguments that may be complex (log of a real symbol) into real and imaginary parts.
        return function(argument, evaluate=False)
    result = function(argument)
    if isinstance(result, sympy.cot) or (result.is_Mul and result.has(sympy.cot)):
        result = result.replace(sympy.cot, lambda u: 1 / sympy.tan(u))
    return _checked(result, text)


def extreme(function: Any, arguments: Iterable[Expr], text: str) -> Expr:
    """The larger or the smaller of several expressions."""
    return _checked(function(*arguments), text)


def rebuild(expression: Expr, values: Mapping[sympy.Symbol, Expr], what: str) -> Expr:
    """The same expression with symbols replaced, its floats made exact and every constant checked again."""
    done: dict[Expr, Expr] = {}

    def visit(node: Any) -> Expr:
        if node not in done:
            done[node] = _rebuilt(node, visit, values, what)
        return done[node]

    try:
        return visit(expression)
    except RecursionError as problem:
        raise InputError(f"{what} is nested too deeply; simplify it.") from problem


def _rebuilt(node: Any, visit: Callable[[Any], Expr], values: Mapping[sympy.Symbol, Expr], what: str) -> Expr:
    shown = f"{what} ({_short(node)})"
    if isinstance(node, sympy.Symbol):
        return values.get(node, node)
    if isinstance(node, sympy.Float) and node.is_finite:
        # float() keeps the digits that the user typed; no constant needs more digits than it holds.
        return fraction(Fraction(repr(float(node))), shown)
    if isinstance(node, sympy.Rational) and node.is_finite:
        return _checked(node, shown)
    if isinstance(node, sympy.NumberSymbol):
        return node
    if isinstance(node, sympy.Add):
        return add(map(visit, node.args), shown)
    if isinstance(node, sympy.Mul):
        return multiply(map(visit, node.args), shown)
    if isinstance(node, sympy.Pow):
        return power(visit(node.base), visit(node.exp), shown)
    if isinstance(node, (sympy.Max, sympy.Min)):
        return extreme(node.func, map(visit, node.args), shown)
    if node.func in FUNCTIONS or node.func in _RECIPROCAL:
        return apply(node.func, visit(node.args[0]), shown)
    if node.has(sympy.I):
        raise InputError(f"{what} contains the imaginary unit in {_short(node)}; coefficients must be real.")
    if node.is_number and not node.is_finite:
        raise InputError(f"{what} contains {_short(node)}, which is not a finite number; remove it.")
    raise InputError(
        f"{what} contains {_short(node)}, which is not supported; use elementary functions "
        "(exp, log, sin, ..., erf, Abs, sign, Heaviside, Max, Min, floor) or NumPy callables."
    )


def _short(node: object) -> str:
    text = str(node) if not isinstance(node, Expr) or node.count_ops() < 40 else f"{node.func.__name__}(...)"
    return text if len(text) <= 60 else text[:57] + "..."


def _check_constant_power(base: Expr, exponent: Expr, size: float, text: str) -> None:
    value = approximate(base)
    if value == 0 and not size > 0:
        raise InputError(f"{text} divides by zero; change it.")
    if value < 0 and not exponent.is_Integer:
        raise InputError(f"{text} is complex, because {value:g} is negative; coefficients must be real.")
    if value != 0 and not abs(size * math.log10(abs(value))) <= LARGEST:
        raise InputError(f"{text} is beyond 1e-100 to 1e100; choose smaller numbers.")
    if isinstance(base, sympy.Rational) and abs(value) not in (0, 1) and not _bits(base) * abs(size) <= MAX_BITS:
        raise InputError(f"{text} has too many digits to be computed exactly; choose smaller numbers.")


def _bits(rational: sympy.Rational) -> int:
    return max(int(rational.p).bit_length(), int(rational.q).bit_length())


def _check_exponent(base: float, exponent: Expr, text: str) -> None:
    """Refuse large numbers in an exponent with symbols: SymPy may cancel these later, as in 2^(x + 10^9) 2^(-x)."""
    for term in sympy.Add.make_args(exponent):
        coefficient = term.as_coeff_Mul()[0]
        if not abs(approximate(coefficient) * math.log2(base)) <= MAX_EXPONENT_SIZE:
            raise InputError(f"The exponent in {text} has too large a number in it; choose a smaller one.")


def _check_degree(exponent: Expr, text: str) -> None:
    if not abs(approximate(exponent)) <= MAX_POWER:
        raise InputError(f"An exponent in {text} is larger than {MAX_POWER}; choose a smaller one.")


def _checked(result: Any, text: str) -> Expr:
    """The result, if its constants are real, finite and of sensible size."""
    if result.is_number:
        if result.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
            raise InputError(f"{text} divides by zero or is not finite; change it.")
        if result.has(sympy.I):
            raise InputError(f"{text} is complex; coefficients must be real.")
        _check_size(result, text)
        return result
    for term in sympy.Add.make_args(result):
        _check_size(term.as_coeff_Mul()[0], text)
        for factor in sympy.Mul.make_args(term):
            if isinstance(factor, sympy.Pow) and factor.base.is_number and not factor.exp.is_number:
                _check_exponent(approximate(factor.base), factor.exp, text)
            elif isinstance(factor, sympy.Pow) and factor.exp.is_number and not factor.base.is_number:
                _check_degree(factor.exp, text)
    return result


def _check_size(constant: Expr, text: str) -> None:
    value = approximate(constant)
    # log(tanh(64)) is rounded to zero though it is not; only of exact numbers is it known that they are too small.
    known = isinstance(constant, sympy.Rational) or value != 0
    if constant != 0 and known and not -LARGEST <= math.log10(abs(value) or 1e-300) <= LARGEST:
        raise InputError(f"{text} is beyond 1e-100 to 1e100; choose numbers of a usual size.")
    if isinstance(constant, sympy.Rational) and _bits(constant) > 2 * MAX_BITS:
        raise InputError(f"{text} has too many digits; round its numbers.")
