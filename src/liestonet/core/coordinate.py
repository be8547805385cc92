"""One variable of the box and its orthonormal functions: polynomials in s(x), with s chosen by its singular points.

Near a singular point c functions such as x^k, √x and log x are not approximated well by polynomials in x, but are
entire in log|x − c|.
A periodic variable has the functions 1, cos x, sin x, cos 2x, … instead, in this order, with one period as 2π. With a
pole p outside the interval, the functions are 1, those of 1/(s − p) and 1/(s − p)², and then the polynomials.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb, factorial

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.noise_shape import NoiseShape

# The recurrence's integrals use this many points more than the highest degree: few, as the weight is entire in s.
EXTRA_POINTS = 60


@dataclass(frozen=True)
class Coordinate:
    """An interval and the map x ↦ s in which its functions are polynomials; s runs from −1 to 1.

    s is affine in x, or in log(x − c) for a singular point c = `below`, in −log(c − x) for `above`, or in their sum.
    If it is `periodic`, the interval is one period, and functions 2k − 1 and 2k are the cosine and the sine with k
    waves in it. With a `shape`, s is the coordinate in which noise of this shape is constant. Functions are then
    orthonormal in s, or, if `weighted` is given, in x after multiplication by this power of the shape.
    A `pole` is a value of s beyond −1 or 1: functions 1 and 2 are then 1/(s − pole) and its square, with mean zero and
    mean square one in s, and function k + 2 is the polynomial of degree k.
    """

    low: float
    high: float
    below: float | None = None
    above: float | None = None
    periodic: bool = False
    shape: NoiseShape | None = None
    weighted: int | None = None
    pole: float | None = None

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2

    @property
    def is_affine(self) -> bool:
        return self.shape is None and not self.is_singular

    @property
    def is_singular(self) -> bool:
        """Whether s is a logarithm."""
        return self.shape is None and not (self.below is None and self.above is None)

    @cached_property
    def _ends(self) -> Float[np.ndarray, " 2"]:
        """The values of the unscaled map at both ends of the interval."""
        return self._derivative(np.array([self.low, self.high]), 0)

    def _derivative(self, x: Float[np.ndarray, " b"], order: int) -> Float[np.ndarray, " b"]:
        """A derivative of the unscaled map, of which s is an affine function."""
        if self.is_affine:
            return x if order == 0 else np.full(len(x), float(order == 1))
        total = np.zeros(len(x))
        for point, sign in ((self.below, 1.0), (self.above, -1.0)):
            if point is not None:
                distance = x - point
                total += sign * (
                    np.log(np.abs(distance)) if order == 0 else -factorial(order - 1) / (-distance) ** order
                )
        return total

    def map(self, x: Float[np.ndarray, " b"], order: int) -> Float[np.ndarray, "order b"]:
        """s and its derivatives in x up to an order, with x in units of the half-width."""
        if self.shape is not None:
            return self.shape.map(x, order)
        low, high = self._ends
        derivatives = np.stack([self._derivative(x, k) * self.half**k for k in range(order + 1)])
        derivatives[0] -= (low + high) / 2
        return derivatives * 2 / (high - low)

    def place(self, s: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """The values of x at given values of s."""
        if self.shape is not None:
            return self.shape.place(s)
        low, high = self._ends
        raw = (low + high) / 2 + (high - low) / 2 * s
        if self.below is not None and self.above is not None:
            return self.below + (self.above - self.below) / (1 + np.exp(-raw))
        if self.below is not None:
            return self.below + np.exp(raw)
        return raw if self.above is None else self.above - np.exp(-raw)

    def density(self, s: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """The density in s of the uniform measure in x."""
        return 0.5 / self.map(self.place(s), 1)[1]

    def table(self, x: Float[np.ndarray, " b"], degree: int, order: int) -> Float[np.ndarray, "order b degree"]:
        """Derivatives 0…order in x of the orthonormal functions, x in units of the half-width."""
        if self.periodic:
            return self._waves(x, degree, order)
        if self.pole is None:
            return self._polynomials(x, degree, order)
        table = self._polynomials(x, max(degree - 2, 0), order)
        both = self._inverse_powers(x, order, self.pole)
        return np.concatenate([table[:, :, :1], both, table[:, :, 1:]], axis=2)[:, :, : degree + 1]

    def _inverse_powers(self, x: Float[np.ndarray, " b"], order: int, pole: float) -> Float[np.ndarray, "order b 2"]:
        """The two functions of 1/(s − pole) with derivatives, each with mean zero and mean square one in s."""
        s = self.map(x, order)
        distance = s[0] - pole
        table = np.zeros((order + 1, len(x), 2))
        table[0, :, 0] = 1 / distance
        for d in range(1, order + 1):
            # (s − pole) · 1/(s − pole) = 1, differentiated by Leibniz' rule
            table[d, :, 0] = -sum(comb(d, i) * s[i] * table[d - i, :, 0] for i in range(1, d + 1)) / distance
        for d in range(order + 1):
            table[d, :, 1] = sum(comb(d, i) * table[i, :, 0] * table[d - i, :, 0] for i in range(d + 1))
        near, far = -1 - pole, 1 - pole
        means = np.array([np.log(far / near) / 2, 1 / (near * far)])
        squares = np.array([means[1], (near**-3 - far**-3) / 6])
        table[0] -= means
        return table / np.sqrt(squares - means**2)

    def _polynomials(self, x: Float[np.ndarray, " b"], degree: int, order: int) -> Float[np.ndarray, "order b degree"]:
        """Derivatives 0…order of the orthonormal polynomials in s, with x in units of the half-width."""
        middle, side = recurrence(self, degree)
        s = self.map(x, order)
        if order == 0:
            return _values(s[0], degree, middle, side).T[None]
        table = np.zeros((order + 1, degree + 1, len(x)))
        table[0, 0] = 1.0
        highest = 1 if self.is_affine else order  # of the derivatives of s that are not zero
        for k in range(degree):
            for d in range(order + 1):
                # the three-term recurrence, differentiated by Leibniz' rule
                total = s[0] * table[d, k]
                for i in range(1, min(d, highest) + 1):
                    total += comb(d, i) * s[i] * table[d - i, k]
                if middle[k]:
                    total -= middle[k] * table[d, k]
                table[d, k + 1] = (total - (side[k - 1] * table[d, k - 1] if k else 0.0)) / side[k]
        return table.transpose(0, 2, 1)

    def _waves(self, x: Float[np.ndarray, " b"], degree: int, order: int) -> Float[np.ndarray, "order b degree"]:
        """Derivatives of a periodic variable's functions: sines and cosines of x, wherever the interval begins."""
        numbers = np.arange(1, (degree + 1) // 2 + 1)
        phases = np.multiply.outer(x, numbers) * (np.pi / self.half)
        cosines, sines = np.sqrt(2) * np.cos(phases), np.sqrt(2) * np.sin(phases)
        table = np.zeros((order + 1, len(x), 2 * len(numbers) + 1))
        table[0, :, 0] = 1.0
        for d in range(order + 1):
            # a derivative turns cos into −sin and sin into cos
            first, second = ((cosines, sines), (-sines, cosines), (-cosines, -sines), (sines, -cosines))[d % 4]
            table[d, :, 1::2], table[d, :, 2::2] = first * (np.pi * numbers) ** d, second * (np.pi * numbers) ** d
        return table[:, :, : degree + 1]

    def quadrature(self, count: int) -> tuple[Float[np.ndarray, " count"], Float[np.ndarray, " count"]]:
        """Gauss points and weights (with sum one) for polynomials in s; evenly spaced ones for a periodic variable."""
        if self.periodic:
            return self.low + 2 * self.half * (np.arange(count) + 0.5) / count, np.full(count, 1 / count)
        middle, side = recurrence(self, count)
        s, vectors = scipy.linalg.eigh_tridiagonal(middle[:count], side[: count - 1])
        return self.place(s), vectors[0] ** 2


def _values(
    s: Float[np.ndarray, " b"], degree: int, middle: Float[np.ndarray, " k"], side: Float[np.ndarray, " k"]
) -> Float[np.ndarray, "degree b"]:
    """Values by the three-term recurrence, row by row in place: flows spend most of their time here."""
    table = np.empty((degree + 1, len(s)))
    table[0] = 1.0
    for k in range(degree):
        row = np.multiply(s - middle[k] if middle[k] else s, table[k], out=table[k + 1])
        if k:
            row -= side[k - 1] * table[k - 1]
        row /= side[k]
    return table


def recurrence(coordinate: Coordinate, degree: int) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """Diagonal and off-diagonal of the Jacobi matrix, at least up to a degree; cached in steps of 32."""
    return _recurrence(coordinate, 32 * (degree // 32 + 1))


@lru_cache(maxsize=64)
def _recurrence(coordinate: Coordinate, degree: int) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """Compute the recurrence: a closed form for Legendre polynomials, else Stieltjes' procedure."""
    if not coordinate.is_singular and coordinate.weighted is None:
        k = np.arange(1, degree + 1)
        return np.zeros(degree), k / np.sqrt(4.0 * k**2 - 1)
    s, weights = np.polynomial.legendre.leggauss(degree + EXTRA_POINTS)
    weights = weights * coordinate.density(s)
    if coordinate.shape is not None and coordinate.weighted:
        weights *= coordinate.shape.values(coordinate.place(s), 0, 2 * coordinate.weighted)[0]
    middle, side = np.zeros(degree), np.zeros(degree)
    before, now = np.zeros_like(s), np.full_like(s, 1 / np.sqrt(weights.sum()))
    for k in range(degree):
        middle[k] = np.sum(weights * s * now**2)
        following = (s - middle[k]) * now - (side[k - 1] * before if k else 0.0)
        side[k] = np.sqrt(np.sum(weights * following**2))
        before, now = now, following / side[k]
    return middle, side
