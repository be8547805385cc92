"""Truncated power series in several variables, with which exact coefficients and bounds on dimensions are computed.

Variables are scaled: a series holds the coefficients of s^α with s = (variable − point) / half.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int, Num

from liestonet.core.multiindex import total_degree

Series = Float[np.ndarray, " coefficients"]


class SeriesRing:
    """Truncated power series in some variables up to a total degree."""

    def __init__(self, variables: int, degree: int) -> None:
        self.variables, self.degree = variables, degree
        self.exponents: Int[np.ndarray, "m v"] = total_degree(range(variables), variables, degree)
        self.size = len(self.exponents)
        self._codes = np.argsort(self._code(self.exponents))
        self._sorted = self._code(self.exponents)[self._codes]
        self.products = _product_table(variables, degree)

    def _code(self, exponents: Int[np.ndarray, "m v"]) -> np.ndarray:
        """One number per exponent vector, in floating point; exact because total degrees are small."""
        return (exponents * (self.degree + 2.0) ** np.arange(self.variables)).sum(axis=1)

    def find(self, exponents: Int[np.ndarray, "m v"]) -> Int[np.ndarray, " m"]:
        """Positions of exponent vectors, all of which must be in the ring."""
        return self._codes[np.searchsorted(self._sorted, self._code(exponents))]

    def constant(self, value: float) -> Series:
        series = np.zeros(self.size)
        series[0] = value
        return series

    def variable(self, index: int, point: float, half: float) -> Series:
        """The series of `point + half·s` in one variable."""
        series = self.constant(point)
        if self.degree:
            series[self.find(np.eye(self.variables, dtype=int)[[index]])] = half
        return series

    def multiply(self, a: Series, b: Series) -> Series:
        if not a[1:].any():
            return a[0] * b
        if not b[1:].any():
            return b[0] * a
        left, right, target = self.products
        return np.bincount(target, weights=a[left] * b[right], minlength=self.size)

    def differentiate(
        self, series: Num[np.ndarray, " coefficients"], variable: int
    ) -> Num[np.ndarray, " coefficients"]:
        """The derivative d/ds of a series; its highest degree is lost."""
        result = np.zeros_like(series)
        members = np.flatnonzero((series != 0) & (self.exponents[:, variable] > 0))
        lower = self.exponents[members].copy()
        lower[:, variable] -= 1
        result[self.find(lower)] = series[members] * self.exponents[members, variable]
        return result

    def compose(self, outer: Float[np.ndarray, " degree"], inner: Series) -> Series:
        """Σ_k outer[k] · (inner − inner(0))^k by Horner's rule; powers above the ring's degree vanish."""
        small = inner.copy()
        small[0] = 0.0
        result = self.constant(outer[-1])
        for number in outer[-2::-1]:
            result = self.multiply(result, small)
            result[0] += number
        return result

    def power(self, base: Series, exponent: float) -> Series:
        if exponent == round(exponent) and 0 <= exponent <= 64:
            result = self.constant(1.0)
            for _ in range(round(exponent)):
                result = self.multiply(result, base)
            return result
        numbers, value = np.empty(self.degree + 1), float(base[0])
        if value == 0 or (value < 0 and exponent != round(exponent)):
            raise ZeroDivisionError
        numbers[0] = value**exponent
        for k in range(self.degree):
            numbers[k + 1] = numbers[k] * (exponent - k) / ((k + 1) * value)
        return self.compose(numbers, base)


@lru_cache(maxsize=16)
def _product_table(variables: int, degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The pairs of coefficients whose products add to each coefficient of a product of series."""
    exponents = total_degree(range(variables), variables, degree)
    position = {tuple(row): j for j, row in enumerate(exponents.tolist())}
    sums = exponents.sum(axis=1)
    left, right, target = [], [], []
    for i, row in enumerate(exponents):
        partners = np.flatnonzero(sums + sums[i] <= degree)
        left.append(np.full(len(partners), i))
        right.append(partners)
        target.append(np.array([position[tuple(total)] for total in (exponents[partners] + row).tolist()]))
    return np.concatenate(left), np.concatenate(right), np.concatenate(target)
