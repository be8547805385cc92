"""Power series of formulas at a simple point, exact, with coefficients that are polynomials in the parameters.

As in `modular`, but the parameters stay free: the results hold for all their values except those at which an
auxiliary inverse does not exist.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.power_series import SeriesRing
from liestonet.sde.modular import (
    TRIES,
    NoRootError,
    independent_parts,
    over_factorials,
    random_turn,
    root_of,
    turn_power,
    turned,
)
from liestonet.sde.polynomials import PRIME, Poly, PolynomialRing, added, as_residue, scaled
from liestonet.sde.taylor import UnknownFunctionError

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients

PolySeries = list[Poly]
SMALL = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
LARGEST_ROOT = 12


def parametric_series(
    coefficients: SymbolicCoefficients, ring: SeriesRing, names: set[str], seed: int
) -> tuple[PolynomialRing, dict[str, dict[tuple[int, ...], PolySeries]]] | None:
    """Series of the entries of some coefficients; None if a formula has no exact series in free parameters."""
    for attempt in range(TRIES):
        polynomials = PolynomialRing(coefficients.parameters)
        variables = (coefficients.time, *coefficients.state)
        point = _Point(ring, polynomials, variables, np.random.default_rng([seed, attempt]), _roots(coefficients))
        try:
            found = {name: _entries(point, name, getattr(coefficients, name)) for name in sorted(names)}
        except NoRootError:
            continue
        except (UnknownFunctionError, ZeroDivisionError, ValueError):
            return None
        return polynomials, found
    return None


def _roots(coefficients: SymbolicCoefficients) -> int:
    """The power to which the point's coordinates are raised, so that the roots in the formulas are whole numbers."""
    powers = [node for matrix in _matrices(coefficients) for node in matrix.atoms() | _powers(matrix)]
    orders = [int(node.exp.q) for node in powers if getattr(node, "is_Pow", False) and node.exp.is_Rational]
    return min(math.lcm(1, *orders), LARGEST_ROOT)


def _matrices(coefficients: SymbolicCoefficients) -> list[Any]:
    return [coefficients.drift, coefficients.diffusion, coefficients.killing]


def _powers(matrix: Any) -> set[Any]:
    import sympy

    return matrix.atoms(sympy.Pow)


def _entries(point: _Point, name: str, matrix: Any) -> dict[tuple[int, ...], PolySeries]:
    rows, columns = matrix.shape
    entries = {(i, j): point.series(matrix[i, j]) for i in range(rows) for j in range(columns)}
    return {(i,): series for (i, _), series in entries.items()} if name == "drift" else entries


@dataclass
class _Point:
    """A point with random values of the variables and of all transcendental numbers, and series around it."""

    ring: SeriesRing
    polynomials: PolynomialRing
    symbols: tuple[Any, ...]
    random: np.random.Generator
    root: int
    known: dict[Any, PolySeries] = field(default_factory=dict)
    values: dict[Any, int] = field(default_factory=dict)
    turns: dict[Any, tuple[int, int]] = field(default_factory=dict)
    only_under: dict[str, Any] = field(default_factory=dict)
    drawn: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for position, symbol in enumerate(self.symbols):
            series = self._constant({0: self._draw() ** self.root})
            series[int(self.ring.find(np.eye(self.ring.variables, dtype=int)[[position]])[0])] = {0: 1}
            self.known[symbol] = series

    def _draw(self) -> int:
        """A small prime not drawn before: values at the point remain fractions with small numbers."""
        while True:
            found = int(self.random.choice(SMALL))
            if found not in self.drawn:
                self.drawn.add(found)
                return found

    def _constant(self, value: Poly) -> PolySeries:
        return [value, *({} for _ in range(self.ring.size - 1))]

    def series(self, node: Any) -> PolySeries:
        """The series of an expression."""
        if node not in self.known:
            self.known[node] = self._combine(node)
        return self.known[node]

    def _multiply(self, a: PolySeries, b: PolySeries) -> PolySeries:
        result: PolySeries = [{} for _ in range(self.ring.size)]
        left, right, target = self.ring.products
        for i, j, k in zip(left.tolist(), right.tolist(), target.tolist(), strict=True):
            if a[i] and b[j]:
                result[k] = added(result[k], self.polynomials.multiply(a[i], b[j]))
        return result

    def _compose(self, outer: list[Poly], inner: PolySeries) -> PolySeries:
        """Σ_k outer[k] · (inner − inner(0))^k."""
        small = [{}, *inner[1:]]
        result = self._constant(outer[-1])
        for number in outer[-2::-1]:
            result = self._multiply(result, small)
            result[0] = added(result[0], number)
        return result

    def _combine(self, node: Any) -> PolySeries:
        name = type(node).__name__
        if node.is_Rational:
            return self._constant(self.polynomials.constant(as_residue(Fraction(int(node.p), int(node.q)))))
        if node.is_Symbol:
            return self._constant(self.polynomials.variable(node.name))
        if node.is_Add:
            parts = [self.series(part) for part in node.args]
            total = parts[0]
            for part in parts[1:]:
                total = [added(a, b) for a, b in zip(total, part, strict=True)]
            return total
        if node.is_Mul:
            result = self.series(node.args[0])
            for part in node.args[1:]:
                result = self._multiply(result, self.series(part))
            return result
        if node.is_Pow and node.exp.is_Rational:
            return self._power(self.series(node.base), Fraction(int(node.exp.p), int(node.exp.q)))
        if node.is_Pow:
            import sympy

            return self.exponential(node.exp * sympy.log(node.base))
        if name == "Pi":
            return self._constant({0: self.values.setdefault(name, self._draw())})
        if name not in ELEMENTARY:
            raise UnknownFunctionError(name)
        return ELEMENTARY[name](self, node.args[0])

    def _power(self, base: PolySeries, exponent: Fraction) -> PolySeries:
        """base^exponent by the binomial series."""
        if not base[0]:
            raise NoRootError
        if exponent.denominator == 1 and exponent >= 0:
            result = self._constant({0: 1})
            for _ in range(int(exponent)):
                result = self._multiply(result, base)
            return result
        number = self.polynomials.power(base[0], exponent)
        if not any(base[1:]):
            return self._constant(number)
        inverse, numbers = self.polynomials.power(base[0], Fraction(-1)), [number]
        for k in range(self.ring.degree):
            factor = as_residue((exponent - k) / (k + 1))
            numbers.append(scaled(self.polynomials.multiply(numbers[-1], inverse), factor))
        return self._compose(numbers, base)

    def exponential(self, argument: Any, sign: int = 1) -> PolySeries:
        """exp(± argument)."""
        value = 1
        for number, term in independent_parts(argument):
            if term not in self.values:
                self.values[term] = pow(self._draw(), 2, PRIME)
            value = value * root_of(self.values[term], number * sign, PRIME) % PRIME
        numbers = over_factorials([value, sign * value], self.ring.degree, PRIME)
        return self._compose([self.polynomials.constant(n) for n in numbers], self.series(argument))

    def hyperbolic(self, argument: Any, sign: int) -> PolySeries:
        """cosh for the sign +, sinh for −."""
        up, down, half = self.exponential(argument), self.exponential(argument, -1), as_residue(Fraction(1, 2))
        return [scaled(added(a, b, sign), half) for a, b in zip(up, down, strict=True)]

    def circular(self, argument: Any, quarter: int) -> PolySeries:
        """The quarter-th derivative of sin: sin itself for 0, cos for 1."""
        turn = (1, 0)
        for number, term in independent_parts(argument):
            if number.denominator != 1:
                raise UnknownFunctionError(str(argument))
            if term not in self.turns:
                self.turns[term] = random_turn(self._draw(), PRIME)
            turn = turned(turn, turn_power(self.turns[term], int(number), PRIME), PRIME)
        cosine, sine = turn
        cycle = [sine, cosine, -sine, -cosine]
        numbers = over_factorials(cycle[quarter:] + cycle[:quarter], self.ring.degree, PRIME)
        return self._compose([self.polynomials.constant(n) for n in numbers], self.series(argument))

    def logarithm(self, argument: Any) -> PolySeries:
        """log; logarithms of two different functions are refused."""
        if self.only_under.setdefault("log", argument) != argument:
            raise UnknownFunctionError(str(argument))
        inner = self.series(argument)
        inverse = self.polynomials.power(inner[0], Fraction(-1))
        numbers: list[Poly] = [{0: self.values.setdefault("log", self._draw())}]
        power: Poly = {0: 1}
        for k in range(1, self.ring.degree + 1):
            power = self.polynomials.multiply(power, inverse)
            numbers.append(scaled(power, as_residue(Fraction((-1) ** (k + 1), k))))
        return self._compose(numbers, inner)

    def ratio(self, above: PolySeries, below: PolySeries) -> PolySeries:
        """above / below."""
        return self._multiply(above, self._power(below, Fraction(-1)))


ELEMENTARY: dict[str, Callable[[_Point, Any], PolySeries]] = {
    "exp": _Point.exponential,
    "log": _Point.logarithm,
    "cosh": lambda point, u: point.hyperbolic(u, 1),
    "sinh": lambda point, u: point.hyperbolic(u, -1),
    "tanh": lambda point, u: point.ratio(point.hyperbolic(u, -1), point.hyperbolic(u, 1)),
    "sin": lambda point, u: point.circular(u, 0),
    "cos": lambda point, u: point.circular(u, 1),
    "tan": lambda point, u: point.ratio(point.circular(u, 0), point.circular(u, 1)),
}
