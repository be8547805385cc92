"""Sparse polynomials in parameters: the entries of exact conditions when parameters stay free.

Numbers are residues modulo a prime so large that every fraction that occurs is determined by its residue (`rational`):
the arithmetic is that of fractions, but numbers do not grow.

A monomial is one integer that contains its exponents, so that products of monomials are sums; exponents may be
negative. Inverses and square roots of other polynomials are auxiliary variables, each with a rule that defines it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush

from liestonet.sde.modular import NoRootError, residue, root_of
from liestonet.sde.taylor import UnknownFunctionError

# The safe prime of RFC 2409, group 1: 2^768 − 2^704 − 1 + 2^64 (⌊2^638 π⌋ + 149686). All roots of squares exist.
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD"
    "EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A63A3620FFFFFFFFFFFFFFFF",
    16,
)
Poly = dict[int, int]
BITS = 12
# Largest number of auxiliary inverses and roots in one equation.
MOST_AUXILIARY = 6
# Largest numerators and denominators that are recovered from a residue.
LARGEST_FRACTION = 1 << 360


@dataclass
class PolynomialRing:
    """Polynomials in named variables; `rules` replace a product of two variables, or a square, by a polynomial."""

    names: tuple[str, ...]
    auxiliary: dict[tuple[str, tuple[tuple[int, int], ...]], int] = field(default_factory=dict)
    rules: list[tuple[int, Poly]] = field(default_factory=list)
    meanings: dict[int, tuple[str, Poly]] = field(default_factory=dict)

    def variable(self, name: str) -> Poly:
        """The polynomial that consists of one parameter."""
        return {1 << (BITS * self.names.index(name)): 1}

    @staticmethod
    def constant(value: int) -> Poly:
        return {0: value % PRIME} if value % PRIME else {}

    def exponents(self, monomial: int) -> list[int]:
        """The exponents of a monomial, those of auxiliary variables last."""
        found = []
        for _ in range(len(self.names) + MOST_AUXILIARY):
            digit = monomial & ((1 << BITS) - 1)
            digit = digit - (1 << BITS) if digit >= 1 << (BITS - 1) else digit
            found.append(digit)
            monomial = (monomial - digit) >> BITS
        return found

    def monomial(self, exponents: Sequence[int]) -> int:
        """The monomial with these exponents."""
        return sum(exponent << (BITS * k) for k, exponent in enumerate(exponents))

    def multiply(self, a: Poly, b: Poly) -> Poly:
        """The product in normal form."""
        result: Poly = {}
        for key, value in a.items():
            for other, factor in b.items():
                total = key + other
                result[total] = (result.get(total, 0) + value * factor) % PRIME
        return self._normal({key: value for key, value in result.items() if value})

    def _normal(self, poly: Poly) -> Poly:
        """The normal form, in which no rule applies any more."""
        if not self.rules:
            return poly
        while True:
            hit = next(
                ((key, lead, other) for key in poly for lead, other in self.rules if self._divides(lead, key)), None
            )
            if hit is None:
                return poly
            key, lead, other = hit
            value = poly.pop(key)
            for monomial, factor in other.items():
                total = monomial + key - lead
                changed = (poly.get(total, 0) + value * factor) % PRIME
                if changed:
                    poly[total] = changed
                else:
                    poly.pop(total, None)

    def _divides(self, lead: int, key: int) -> bool:
        return all(a >= b for a, b in zip(self.exponents(key), self.exponents(lead), strict=True) if b > 0)

    def power(self, base: Poly, exponent: Fraction) -> Poly:
        """A power with a rational exponent: exact for monomials, with auxiliary variables for other polynomials."""
        if not base:
            raise NoRootError
        if exponent.denominator == 1 and exponent >= 0:
            result = self.constant(1)
            for _ in range(int(exponent)):
                result = self.multiply(result, base)
            return result
        if len(base) == 1:
            return self._monomial_power(base, exponent)
        if exponent.denominator == 1:
            return self.power(self._auxiliary("inverse", base), -exponent)
        if exponent.denominator != 2:
            raise UnknownFunctionError("root")
        whole = exponent - Fraction(1, 2)
        return self.multiply(self._auxiliary("root", base), self.power(base, whole))

    def _monomial_power(self, base: Poly, exponent: Fraction) -> Poly:
        ((monomial, value),) = base.items()
        powers = [Fraction(e) * exponent for e in self.exponents(monomial)]
        if any(power.denominator != 1 for power in powers):
            raise UnknownFunctionError("root of a parameter")
        total = sum(int(power) << (BITS * k) for k, power in enumerate(powers))
        return {total: root_of(value, exponent, PRIME)}

    def _auxiliary(self, kind: str, base: Poly) -> Poly:
        """A variable that is the inverse or the square root of a polynomial."""
        key = kind, tuple(sorted(base.items()))
        if key not in self.auxiliary:
            if len(self.auxiliary) >= MOST_AUXILIARY:
                raise UnknownFunctionError(kind)
            position = len(self.names) + len(self.auxiliary)
            unit = 1 << (BITS * position)
            self.auxiliary[key] = unit
            self.meanings[unit] = (kind, base)
            if kind == "root":
                self.rules.append((2 * unit, base))
            else:
                # the largest monomial m of the base and the inverse w: c m w = 1 − (rest) w
                lead = max(base, key=lambda monomial: (sum(self.exponents(monomial)), monomial))
                scale = pow(base[lead], -1, PRIME)
                rest = {key + unit: -value * scale % PRIME for key, value in base.items() if key != lead}
                self.rules.append((lead + unit, {0: scale, **rest}))
        return {self.auxiliary[key]: 1}

    def at(self, poly: Poly, values: Mapping[str, int]) -> int:
        """The value at given numbers for the parameters; the polynomial must have no auxiliary variables."""
        total = 0
        for monomial, factor in poly.items():
            for name, exponent in zip(self.names, self.exponents(monomial), strict=False):
                factor = factor * pow(values[name], exponent, PRIME) % PRIME
            total += factor
        return total % PRIME


def added(a: Poly, b: Poly, factor: int = 1) -> Poly:
    """a + factor · b."""
    result = dict(a)
    for key, value in b.items():
        total = (result.get(key, 0) + factor * value) % PRIME
        if total:
            result[key] = total
        else:
            result.pop(key, None)
    return result


def scaled(poly: Poly, factor: int) -> Poly:
    """factor · poly."""
    factor %= PRIME
    return {key: value * factor % PRIME for key, value in poly.items()} if factor else {}


def monic(poly: Poly) -> Poly:
    """The polynomial divided by the coefficient of its largest monomial."""
    return scaled(poly, pow(poly[max(poly)], -1, PRIME))


def quotient(poly: Poly, divisor: Poly) -> Poly | None:
    """poly / divisor if that is a polynomial, else None; neither may have auxiliary variables.

    The integers for monomials have the lexical order of the monomials, so long division works.
    """
    lead, last = max(divisor), min(divisor)
    inverse, least = pow(divisor[lead], -1, PRIME), min(poly, default=0)
    result, rest = {}, dict(poly)
    waiting = [-key for key in rest]
    heapify(waiting)
    while waiting:
        top = -heappop(waiting)
        value = rest.pop(top, 0)
        if not value:
            continue
        monomial, factor = top - lead, value * inverse % PRIME
        if monomial + last < least:
            return None
        result[monomial] = factor
        for key, number in divisor.items():
            if key != lead:
                if key + monomial not in rest:
                    heappush(waiting, -key - monomial)
                rest[key + monomial] = (rest.get(key + monomial, 0) - factor * number) % PRIME
    return result


def as_residue(number: Fraction | float) -> int:
    """A rational number as an element of the field."""
    return residue(number, PRIME)


def rational(value: int) -> Fraction | None:
    """The fraction with this residue (Wang); None if its numbers would be too large to be recovered."""
    old, new, s_old, s_new = PRIME, value % PRIME, 0, 1
    while new > LARGEST_FRACTION:
        quotient = old // new
        old, new, s_old, s_new = new, old - quotient * new, s_new, s_old - quotient * s_new
    if s_new == 0 or abs(s_new) > LARGEST_FRACTION:
        return None
    return Fraction(new, s_new) if s_new > 0 else Fraction(-new, -s_new)
