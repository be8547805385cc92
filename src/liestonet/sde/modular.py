"""Power series of formulas in exact arithmetic modulo a prime, at a random point, without rounding errors.

The prime is p = 2q + 1 with q prime: every square has exactly one root of each order that is a square, as every
positive number has one positive root. Exponentials of functions that are linearly independent over the rational
numbers are algebraically independent (Ax), so each gets a random value, and exponentials of sums are products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int

from liestonet.core.power_series import SeriesRing
from liestonet.sde.taylor import UnknownFunctionError

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

# All primes up to 43 are squares, so that the usual constants √2, √3, √10, … exist.
PRIME = 2146664519
# Random points tried until every root in the formulas exists; each distinct root halves the probability.
TRIES = 64
# Angles may be multiples of 1/12, 1/11, … of each other.
PARTS = 27720

ExactSeries = Int[np.ndarray, " coefficients"]
Turn = tuple[int, int]


class NoRootError(Exception):
    """The argument of a root is not a square at this point; at another point it may be."""


def residue(number: Fraction | float, prime: int = PRIME) -> int:
    """A rational number as an element of the field."""
    exact = Fraction(number)
    return exact.numerator * pow(exact.denominator, -1, prime) % prime


def exact_series(
    coefficients: SymbolicCoefficients, ring: SeriesRing, names: set[str], fixed: Mapping[str, int] | None = None
) -> dict[str, np.ndarray] | None:
    """Series of some coefficients in the shapes of `coefficient_series`; None if a formula has no exact series.

    Parameters without a value get those in `fixed`, elements of the field, or else random ones.
    """
    for seed in range(TRIES):
        variables = (coefficients.time, *coefficients.state)
        point = _Point(ring, variables, np.random.default_rng(seed), fixed=dict(fixed or {}))
        try:
            found = {name: point.expand(getattr(coefficients, name)) for name in sorted(names)}
        except NoRootError:
            continue
        except (UnknownFunctionError, ZeroDivisionError, ValueError):
            return None
        return {name: series[:, 0] if name == "drift" else series for name, series in found.items()}
    return None


@dataclass
class _Point:
    """A point with random values of the variables and of all transcendental numbers, and series around it."""

    ring: SeriesRing
    symbols: tuple[Any, ...]
    random: np.random.Generator
    known: dict[Any, ExactSeries] = field(default_factory=dict)
    values: dict[Any, int] = field(default_factory=dict)
    turns: dict[Any, Turn] = field(default_factory=dict)
    only_under: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for position, symbol in enumerate(self.symbols):
            series = self._constant(self._draw())
            series[self.ring.find(np.eye(self.ring.variables, dtype=int)[[position]])] = 1
            self.known[symbol] = series

    def expand(self, matrix: Any) -> np.ndarray:
        """Series of all entries of a matrix."""
        return np.array([self._series(entry) for entry in matrix]).reshape(*matrix.shape, self.ring.size)

    def _draw(self) -> int:
        return int(self.random.integers(2, PRIME - 1))

    def _constant(self, value: int) -> ExactSeries:
        series = np.zeros(self.ring.size, dtype=np.int64)
        series[0] = value % PRIME
        return series

    def _multiply(self, a: ExactSeries, b: ExactSeries) -> ExactSeries:
        if not a[1:].any() or not b[1:].any():
            return (a[0] * b if not a[1:].any() else b[0] * a) % PRIME
        left, right, target = self.ring.products
        # sums of a million numbers below 2^31 are still exact in floating point
        terms = a[left] * b[right] % PRIME
        return np.bincount(target, weights=terms, minlength=self.ring.size).astype(np.int64) % PRIME

    def _compose(self, outer: list[int], inner: ExactSeries) -> ExactSeries:
        """Σ_k outer[k] · (inner − inner(0))^k."""
        small = inner.copy()
        small[0] = 0
        result = self._constant(outer[-1])
        for number in outer[-2::-1]:
            result = self._multiply(result, small)
            result[0] = (result[0] + number) % PRIME
        return result

    def _series(self, node: Any) -> ExactSeries:
        if node not in self.known:
            self.known[node] = self._combine(node)
        return self.known[node]

    def _combine(self, node: Any) -> ExactSeries:
        name = type(node).__name__
        if node.is_Rational:
            return self._constant(residue(_fraction(node)))
        if node.is_Add:
            return np.sum([self._series(part) for part in node.args], axis=0) % PRIME
        if node.is_Mul:
            result = self._series(node.args[0])
            for part in node.args[1:]:
                result = self._multiply(result, self._series(part))
            return result
        if node.is_Pow and node.exp.is_Rational:
            return self._power(self._series(node.base), _fraction(node.exp))
        if node.is_Symbol:
            return self._constant(self.fixed.setdefault(node.name, self._draw()))
        if node.is_Pow:
            return self.exponential(_exponent(node))
        if name == "Pi":
            return self._constant(self.values.setdefault(name, self._draw()))
        if name == "Exp1":
            return self.exponential(node**0)
        if name not in ELEMENTARY:
            raise UnknownFunctionError(name)
        return ELEMENTARY[name](self, node.args[0])

    def _power(self, base: ExactSeries, exponent: Fraction) -> ExactSeries:
        """base^exponent by the binomial series; the root of the constant term is the one that is a square."""
        value = int(base[0])
        if value == 0:
            raise NoRootError
        numbers, inverse = [root_of(value, exponent)], pow(value, -1, PRIME)
        for k in range(self.ring.degree):
            numbers.append(numbers[-1] * residue((exponent - k) / (k + 1)) * inverse % PRIME)
        return self._compose(numbers, base)

    def exponential(self, argument: Any, sign: int = 1) -> ExactSeries:
        """exp(± argument)."""
        value = 1
        for number, term in independent_parts(argument):
            if term not in self.values:
                self.values[term] = pow(self._draw(), 2, PRIME)
            value = value * root_of(self.values[term], number * sign) % PRIME
        return self._compose(over_factorials([value, sign * value], self.ring.degree), self._series(argument))

    def hyperbolic(self, argument: Any, sign: int) -> ExactSeries:
        """cosh for the sign +, sinh for −."""
        both = self.exponential(argument) + sign * self.exponential(argument, -1)
        return both * residue(Fraction(1, 2)) % PRIME

    def circular(self, argument: Any, quarter: int) -> ExactSeries:
        """The quarter-th derivative of sin: sin itself for 0, cos for 1."""
        turn: Turn = (1, 0)
        for number, term in independent_parts(argument):
            if term not in self.turns:
                self.turns[term] = random_turn(self._draw())
            if (number * PARTS).denominator != 1:
                raise UnknownFunctionError(str(argument))
            turn = turned(turn, turn_power(self.turns[term], int(number * PARTS)))
        cosine, sine = turn
        cycle = [sine, cosine, -sine, -cosine]
        numbers = over_factorials(cycle[quarter:] + cycle[:quarter], self.ring.degree)
        return self._compose(numbers, self._series(argument))

    def logarithm(self, argument: Any) -> ExactSeries:
        """log; logarithms of two different functions are refused, because they might be dependent."""
        if self.only_under.setdefault("log", argument) != argument:
            raise UnknownFunctionError(str(argument))
        inner = self._series(argument)
        if inner[0] == 0:
            raise NoRootError
        inverse = pow(int(inner[0]), -1, PRIME)
        numbers = [self.values.setdefault("log", self._draw())]
        numbers += [-pow(-inverse, k, PRIME) * pow(k, -1, PRIME) for k in range(1, self.ring.degree + 1)]
        return self._compose(numbers, inner)

    def error_function(self, argument: Any, complement: bool = False) -> ExactSeries:
        """erf, or erfc = 1 − erf, of one polynomial only: its value is then independent of all other numbers.

        Its derivative by s at v is 2/√π exp(−v²) g with g = exp(−2 v s − s²), hence g' = −2 (v + s) g.
        """
        if not argument.is_polynomial() or self.only_under.setdefault("erf", argument) != argument:
            raise UnknownFunctionError(str(argument))
        inner, pi = self._series(argument), self.values.setdefault("Pi", self._draw())
        value, factor = int(inner[0]), int(self.exponential(argument**2, -1)[0])
        factor = 2 * factor * pow(root_of(pi, Fraction(1, 2)), -1, PRIME) % PRIME
        numbers, before, now = [self.values.setdefault("erf", self._draw())], 0, 1
        for k in range(self.ring.degree):
            inverse = pow(k + 1, -1, PRIME)
            numbers.append(factor * now * inverse % PRIME)
            before, now = now, -2 * (value * now + before) * inverse % PRIME
        series = self._compose(numbers, inner)
        return (self._constant(1) - series) % PRIME if complement else series

    def ratio(self, above: ExactSeries, below: ExactSeries) -> ExactSeries:
        """above / below."""
        return self._multiply(above, self._power(below, Fraction(-1)))


def _exponent(power: Any) -> Any:
    """The argument of the exponential to which a power with a symbol in its exponent is equal."""
    import sympy

    return power.exp * sympy.log(power.base)


def _fraction(number: Any) -> Fraction:
    """A rational number of SymPy's as one of Python's."""
    return Fraction(int(number.p), int(number.q))


def independent_parts(argument: Any) -> list[tuple[Fraction, Any]]:
    """An argument as a sum of rational multiples of terms that are linearly independent."""
    parts = [part.as_coeff_Mul(rational=True) for part in argument.expand().as_ordered_terms()]
    return [(_fraction(number), term) for number, term in parts]


def root_of(value: int, exponent: Fraction, prime: int = PRIME) -> int:
    """value^exponent; for roots the value must be a square, and the result is one too."""
    if exponent.denominator == 1:
        return pow(value, int(exponent), prime)
    squares = (prime - 1) // 2
    if pow(value, squares, prime) != 1:
        raise NoRootError
    return pow(value, exponent.numerator * pow(exponent.denominator, -1, squares) % squares, prime)


def over_factorials(cycle: list[int], degree: int, prime: int = PRIME) -> list[int]:
    """Taylor coefficients of a function whose derivatives repeat in a cycle."""
    numbers, inverse = [], 1
    for k in range(degree + 1):
        inverse = inverse * pow(max(k, 1), -1, prime) % prime
        numbers.append(cycle[k % len(cycle)] * inverse % prime)
    return numbers


def random_turn(tangent: int, prime: int = PRIME) -> Turn:
    """A point (cos, sin) of the circle; −1 is not a square in the field, so the denominator is never zero."""
    below = pow(1 + tangent * tangent, -1, prime)
    return (1 - tangent * tangent) * below % prime, 2 * tangent * below % prime


def turned(one: Turn, other: Turn, prime: int = PRIME) -> Turn:
    """Sum of two angles."""
    return (one[0] * other[0] - one[1] * other[1]) % prime, (one[0] * other[1] + one[1] * other[0]) % prime


def turn_power(turn: Turn, times: int, prime: int = PRIME) -> Turn:
    """A multiple of an angle."""
    turn, times = (turn, times) if times >= 0 else ((turn[0], -turn[1]), -times)
    result: Turn = (1, 0)
    while times:
        result = turned(result, turn, prime) if times & 1 else result
        turn, times = turned(turn, turn, prime), times >> 1
    return result


ELEMENTARY: dict[str, Callable[[_Point, Any], ExactSeries]] = {
    "exp": _Point.exponential,
    "log": _Point.logarithm,
    "cosh": lambda point, u: point.hyperbolic(u, 1),
    "sinh": lambda point, u: point.hyperbolic(u, -1),
    "tanh": lambda point, u: point.ratio(point.hyperbolic(u, -1), point.hyperbolic(u, 1)),
    "sin": lambda point, u: point.circular(u, 0),
    "cos": lambda point, u: point.circular(u, 1),
    "erf": _Point.error_function,
    "erfc": lambda point, u: point.error_function(u, complement=True),
    "tan": lambda point, u: point.ratio(point.circular(u, 0), point.circular(u, 1)),
}
