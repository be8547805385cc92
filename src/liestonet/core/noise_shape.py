"""How the noise of a coordinate varies along it, and the coordinate in which it is constant (Lamperti).

See docs/method.md §4.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from jaxtyping import Float

# Number of intervals in the table of ∫dx/m; Gauss nodes in each interval, and from an end to a point beyond it.
PLACES, NODES, FAR_NODES = 2048, 8, 32
# |q| is not taken smaller than this, so that log m stays finite at a zero of the noise.
NEAREST = 1e-9


@dataclass(frozen=True)
class NoiseShape:
    """A positive function m of one coordinate on an interval.

    log m = p(u) + exponent · log |q(u)| with q = 1 + b u + c u² for base (b, c), p a polynomial with these factors, and
    u from −1 to 1 on the interval. If the noise is proportional to m, it is constant in the coordinate s = ∫du/m.
    """

    low: float
    high: float
    polynomial: tuple[float, ...] = (0.0,)
    base: tuple[float, float] = (0.0, 0.0)
    exponent: float = 0.0

    @property
    def parameters(self) -> int:
        """Number of parameters of the shape, the overall size not counted."""
        return len(self.polynomial) - 1 + (1 + sum(value != 0 for value in self.base) if self.exponent else 0)

    @property
    def size(self) -> float:
        """Root mean square of m on the interval."""
        return _size(self)

    @property
    def natural_pole(self) -> float | None:
        """For m a power of a linear function, the s beyond −1 or 1 at which ∫du/m, a power too, vanishes; else None.

        A scaling of x multiplies the distance of s from this pole.
        """
        (slope, bend), left = self.base, 1 - self.exponent
        if len(self.polynomial) > 1 or not slope or bend or not left:
            return None
        first, last = abs(1 - slope) ** left, abs(1 + slope) ** left
        return (first + last) / (first - last)

    def scaled(self, x: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """The values of u at points x."""
        return (2 * x - self.low - self.high) / (self.high - self.low)

    def logarithm(self, u: Float[np.ndarray, " b"], order: int) -> Float[np.ndarray, "order b"]:
        """log m and its derivatives in u up to an order."""
        result = np.zeros((order + 1, len(u)))
        for k in range(min(order + 1, len(self.polynomial))):
            factors = np.polynomial.polynomial.polyder(self.polynomial, k)
            result[k] = np.polynomial.polynomial.polyval(u, factors) if len(factors) > 1 else factors[0]
        if self.exponent:
            b, c = self.base
            q = [1 + u * (b + c * u), b + 2 * c * u, np.full(len(u), 2 * c)]
            q[0] = np.where(np.abs(q[0]) < NEAREST, NEAREST, q[0])
            logs = np.empty((order + 1, len(u)))
            logs[0] = np.log(np.abs(q[0]))
            for k in range(order):
                # Leibniz' rule for q · (log q)' = q'
                above = q[k + 1] if k < 2 else np.zeros(len(u))
                for i in range(1, min(k, 2) + 1):
                    above = above - comb(k, i) * q[i] * logs[k + 1 - i]
                logs[k + 1] = above / q[0]
            result += self.exponent * logs
        return result

    def values(self, x: Float[np.ndarray, " b"], order: int, power: float | int = 1.0) -> Float[np.ndarray, "order b"]:
        """A power of m and its derivatives in u."""
        return _exponential(power * self.logarithm(self.scaled(x), order))

    def map(self, x: Float[np.ndarray, " b"], order: int) -> Float[np.ndarray, "order b"]:
        """s, from −1 to 1 on the interval, and its derivatives in u."""
        u = self.scaled(x)
        _, sums = _table(self)
        result = np.empty((order + 1, len(x)))
        result[0] = 2 * self._integral(u) / sums[-1] - 1
        if order:
            result[1:] = _exponential(-self.logarithm(u, order - 1)) * (2 / sums[-1])
        return result

    def place(self, s: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """The values of x on the interval at given values of s."""
        _, sums = _table(self)
        wanted = (np.clip(s, -1, 1) + 1) / 2 * sums[-1]
        u = np.interp(wanted, sums, np.linspace(-1, 1, PLACES + 1))
        for _ in range(3):
            u = np.clip(u - (self._integral(u) - wanted) * np.exp(self.logarithm(u, 0)[0]), -1, 1)
        return (self.low + self.high) / 2 + (self.high - self.low) / 2 * u

    def _integral(self, u: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """∫du/m from −1 to u: cubic interpolation in the table, Gauss's rule beyond its ends."""
        slopes, sums = _table(self)
        width = 2 / PLACES
        left = np.clip(((u + 1) / width).astype(np.int64), 0, PLACES - 1)
        part = (u + 1) / width - left
        rest = 1 - part
        result = (
            sums[left] * rest**2 * (1 + 2 * part) + sums[left + 1] * part**2 * (3 - 2 * part)
            + width * part * rest * (slopes[left] * rest - slopes[left + 1] * part)
        )  # fmt: skip
        outside = np.flatnonzero(np.abs(u) > 1)
        if len(outside):
            end = np.sign(u[outside])
            nodes, weights = np.polynomial.legendre.leggauss(FAR_NODES)
            length = (u[outside] - end) / 2
            points = end[:, None] + length[:, None] * (nodes + 1)
            inverse = np.exp(-self.logarithm(points.ravel(), 0)[0]).reshape(points.shape)
            result[outside] = np.where(end > 0, sums[-1], 0.0) + length * (inverse @ weights)
        return result


@lru_cache(maxsize=64)
def _table(shape: NoiseShape) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, " k"]]:
    """1/m and ∫du/m at the nodes of the table."""
    places = np.linspace(-1, 1, PLACES + 1)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    points = (places[:-1, None] + (nodes + 1) / PLACES).ravel()
    parts = np.exp(-shape.logarithm(points, 0)[0]).reshape(PLACES, NODES) @ weights / PLACES
    return np.exp(-shape.logarithm(places, 0)[0]), np.concatenate([[0.0], np.cumsum(parts)])


@lru_cache(maxsize=64)
def _size(shape: NoiseShape) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(PLACES // NODES)
    return float(np.sqrt(np.exp(2 * shape.logarithm(nodes, 0)[0]) @ weights / 2))


def _exponential(logs: Float[np.ndarray, "order b"]) -> Float[np.ndarray, "order b"]:
    """exp(h) and its derivatives from those of h."""
    result = np.empty_like(logs)
    result[0] = np.exp(logs[0])
    for k in range(len(logs) - 1):
        result[k + 1] = sum(comb(k, i) * logs[i + 1] * result[k - i] for i in range(k + 1))
    return result
