"""Integrals over a density: the interval with its mass, nodes and weights there, and distribution functions.

All integrals are in the coordinate h, in which densities are smooth up to the ends; the state is computed from it
(docs/method.md §16.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.densities.kernels import Kernel
from liestonet.densities.numbers import Numbers
from liestonet.densities.tuning import INTEGRAL
from liestonet.errors import InputError

Vector = Float[np.ndarray, " _"]
NOT_EVALUATED = (
    "The density could not be evaluated at this time, because its numbers are beyond the range or the precision of "
    "floating point; take another time or start."
)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(INTEGRAL.nodes)


@dataclass(frozen=True)
class Mass:
    """The density from one initial state as a function of h, with values for all parameters."""

    kernel: Kernel
    t: float
    t0: float
    x0: float
    values: tuple[float, ...] = ()

    def log_density(self, h: Vector) -> Vector:
        """log of the density of h."""
        kernel, values = self.kernel, self.values
        with np.errstate(all="ignore"):
            found = kernel.in_height(self.t, h, self.state(h), self.t0, np.float64(self.x0), values)
        # where a factor overflows, the Gaussian factor has underflowed
        return np.where(np.isfinite(found), found, -np.inf)

    def state(self, h: Vector) -> Vector:
        """The state at given heights: by bisection in an unbounded coordinate, refined by Newton's method."""
        return inverse_height(self.kernel, self.t, h, self.values)

    @cached_property
    def start(self) -> float:
        """The height of the start."""
        return float(self.kernel.height(self.t0, np.float64(self.x0), self.values))

    @cached_property
    def scale(self) -> float:
        """A length of the order of the kernel's width."""
        clock: Any = self.kernel.clock(self.t, self.t0, self.values)
        return (
            float(np.sqrt(clock.variance)) if self.kernel.is_free else float(1 / np.sqrt(clock.inverse + clock.further))
        )

    @cached_property
    def width(self) -> float:
        return self.kernel.width(self.values)

    def place(self, xi: Vector) -> tuple[Vector, Vector]:
        """h and log dh/dξ as functions of an unbounded coordinate ξ."""
        shape = self.kernel.plan.shape
        if shape == "line":
            return self.start + self.scale * np.sinh(xi), np.log(self.scale * np.cosh(xi))
        if shape == "radial":
            return self.scale * np.exp(xi), np.log(self.scale) + xi
        return self.width * xi, np.full_like(xi, np.log(self.width))

    def coordinate(self, h: Numbers) -> Numbers:
        """ξ of a height."""
        shape = self.kernel.plan.shape
        with np.errstate(all="ignore"):
            if shape == "line":
                return np.arcsinh((h - self.start) / self.scale)
            return np.log(h / self.scale) if shape == "radial" else h / self.width

    def log_integrand(self, xi: Vector) -> Vector:
        """log of the density of ξ."""
        h, change = self.place(xi)
        return self.log_density(h) + change

    @cached_property
    def window(self) -> tuple[float, float, float]:
        """The interval of ξ beyond which the density is negligible, and the width of its narrowest peak."""
        if self.kernel.plan.shape == "interval":
            middle, width = self.start / self.width, float(self.scale / self.width)
            reach = np.sqrt(2 * INTEGRAL.depth) * width
            return max(0.0, middle - reach), min(1.0, middle + reach), min(INTEGRAL.widest_part, width)
        grid, values = self._surveyed()
        top = values.max()
        if not np.isfinite(top):
            raise InputError(NOT_EVALUATED)
        above = np.flatnonzero(values >= top - INTEGRAL.depth)
        low, high = grid[max(above[0] - 1, 0)], grid[min(above[-1] + 1, len(grid) - 1)]
        best = int(np.argmax(values))
        first, last = peak(values)
        width = max(grid[last] - grid[first], INTEGRAL.narrow * (high - low)) if last > first else high - low
        return float(low), float(high), float(min(width, (grid[-1] - grid[0]) if best == 0 else width))

    def _surveyed(self) -> tuple[Vector, Vector]:
        """The log density on a grid of ξ refined around its maximum."""
        reach = INTEGRAL.reach
        middle = float(self.coordinate(np.float64(self.start))) if self.kernel.plan.shape == "radial" else 0.0
        grid = np.unique(np.concatenate([np.linspace(-reach, reach, INTEGRAL.survey), [middle]]))
        return refined(self.log_integrand, grid)

    def edges(self, breaks: Sequence[float] = (), finer: int = 1) -> Vector:
        """Ends of panels in ξ, among them the given breaks."""
        low, high, width = self.window
        width = min(width, INTEGRAL.widest_panel)
        count = int(np.clip(np.ceil(INTEGRAL.panels_per_width * (high - low) / width), 4, INTEGRAL.most_panels)) * finer
        inside = [b for b in breaks if low < b < high]
        return np.unique(np.concatenate([np.linspace(low, high, count + 1), inside]))

    @cached_property
    def total(self) -> float:
        """The total mass, which must be one without killing and absorption."""
        found = float(self._panels(self.edges()).sum()) + self.tail
        if self.kernel.plan.keeps_mass and not abs(found - 1) < INTEGRAL.lost:
            raise InputError(NOT_EVALUATED)
        return found

    @cached_property
    def tail(self) -> float:
        """The mass next to an end at h = 0, outside the panels, where the density is a power of h."""
        if self.kernel.plan.shape != "radial":
            return 0.0
        return float(np.exp(self.log_integrand(np.array([self.window[0]]))[0]) / self.kernel.power(self.values))

    def _panels(self, edges: Vector) -> Vector:
        """The mass of every panel."""
        xi, weights = panel_nodes(edges[:-1], edges[1:])
        return (np.exp(self.log_integrand(xi.reshape(-1))).reshape(xi.shape) * weights).sum(axis=1)

    def below(self, h: Vector) -> Vector:
        """The mass at smaller heights."""
        edges = self.edges()
        sums = self.tail + np.concatenate([[0.0], np.cumsum(self._panels(edges))])
        xi = np.clip(self.coordinate(h), edges[0], edges[-1])
        xi = np.where(np.isnan(xi), edges[0], xi)
        panel = np.clip(np.searchsorted(edges, xi, side="right") - 1, 0, len(edges) - 2)
        result = np.empty_like(xi)
        for first in range(0, len(xi), INTEGRAL.chunk):
            part = slice(first, first + INTEGRAL.chunk)
            nodes, weights = panel_nodes(edges[panel[part]], xi[part])
            inner = np.exp(self.log_integrand(nodes.reshape(-1))).reshape(nodes.shape)
            result[part] = sums[panel[part]] + (inner * weights).sum(axis=1)
        return result


def peak(values: Vector) -> tuple[int, int]:
    """The first and the last index around the maximum at which a log function is within one of it."""
    best = int(np.argmax(values))
    lower = np.flatnonzero(~(values >= values[best] - 1))
    after = int(np.searchsorted(lower, best))
    first = int(lower[after - 1]) + 1 if after > 0 else 0
    return first, int(lower[after]) - 1 if after < len(lower) else len(values) - 1


def refined(function: Callable[[Vector], Vector], grid: Vector) -> tuple[Vector, Vector]:
    """A log function on a grid refined around its maximum and where it falls; points without a value count as low."""
    values = function(grid)
    for _ in range(INTEGRAL.rounds):
        lifted = np.where(np.isnan(values), -np.inf, values)
        top = int(np.argmax(lifted))
        if np.count_nonzero(lifted > lifted[top] - 1) > INTEGRAL.resolved or lifted[top] == -np.inf:
            break
        left, right = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
        grid, values = _merged(function, grid, values, np.linspace(left, right, INTEGRAL.added)[1:-1])
    for _ in range(INTEGRAL.rounds):
        lifted = np.where(np.isnan(values), -np.inf, values)
        with np.errstate(invalid="ignore"):
            gaps = np.abs(np.diff(np.maximum(lifted, lifted.max() - 2 * INTEGRAL.depth))) > INTEGRAL.depth / 4
        if not gaps.any():
            break
        at = np.flatnonzero(gaps)
        grid, values = _merged(function, grid, values, (grid[at] + grid[at + 1]) / 2)
    return grid, values


def _merged(function: Callable[[Vector], Vector], grid: Vector, values: Vector, added: Vector) -> tuple[Vector, Vector]:
    """A grid with more points and the values there."""
    new, order = np.unique(np.concatenate([grid, added]), return_index=True)
    return new, np.concatenate([values, function(added)])[order]


def panel_nodes(low: Vector, high: Vector) -> tuple[Float[np.ndarray, "_ k"], Float[np.ndarray, "_ k"]]:
    """Gauss's nodes and weights on each of several intervals."""
    half = (high - low) / 2
    return (low + half)[:, None] + half[:, None] * NODES, half[:, None] * WEIGHTS


def inverse_height(kernel: Kernel, t: float, h: Vector, values: Sequence[float] = ()) -> Vector:
    """The state at given heights at one time."""
    known = kernel.closed_state(t, h, values)
    if known is not None:
        return known
    low, high = kernel.interval(values)
    to_state = _without_ends(low, high)
    sign = kernel.direction
    lower, upper = np.full(h.shape, -INTEGRAL.widest), np.full(h.shape, INTEGRAL.widest)
    with np.errstate(all="ignore"):
        for _ in range(INTEGRAL.halvings):
            middle = (lower + upper) / 2
            beyond = sign * (kernel.height(t, to_state(middle), values) - h) > 0
            lower, upper = np.where(beyond, lower, middle), np.where(beyond, middle, upper)
    return to_state((lower + upper) / 2)


def _without_ends(low: float, high: float) -> Callable[[Numbers], Numbers]:
    """A map of the real line onto an interval, exponential for wide ranges."""
    if np.isinf(low) and np.isinf(high):
        return np.sinh
    if np.isinf(high):
        return lambda s: low + np.exp(s)
    if np.isinf(low):
        return lambda s: high - np.exp(-s)
    return lambda s: np.where(s < 0, low + (high - low) / (1 + np.exp(-s)), high - (high - low) / (1 + np.exp(s)))
