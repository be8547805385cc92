"""Integrals over a density: where its mass is, nodes and weights there, and masses up to a point.

Everything is done in the coordinate h, in which densities are smooth up to the ends; the state is found from it
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
Rows = Callable[[Vector, Vector], Any]  # of states and heights, several rows
NOT_INTEGRABLE = (
    "The payoff is not integrable: it grows faster than the density falls, and its expectation is infinite; "
    "give one that grows less."
)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(INTEGRAL.nodes)


@dataclass(frozen=True)
class Mass:
    """The density from one start, as a function of h; parameters have values."""

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
        # where a factor overflows, a Gaussian has long become nothing
        return np.where(np.isfinite(found), found, -np.inf)

    def state(self, h: Vector) -> Vector:
        """The state at these heights: by bisection in a coordinate without ends, polished by Newton's steps."""
        return inverse_height(self.kernel, self.t, h, self.values)

    @cached_property
    def start(self) -> float:
        """The height of the start."""
        return float(self.kernel.height(self.t0, np.float64(self.x0), self.values))

    @cached_property
    def scale(self) -> float:
        """A length of the kernel's order of size."""
        clock: Any = self.kernel.clock(self.t, self.t0, self.values)
        return float(np.sqrt(clock.variance)) if self.kernel.is_free else float(np.sqrt(1 / clock.slope))

    @cached_property
    def width(self) -> float:
        return self.kernel.width(self.values)

    def place(self, xi: Vector) -> tuple[Vector, Vector]:
        """h and log dh/dξ of a coordinate ξ without ends."""
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
        """The interval of ξ beyond which nothing is left, and how wide the narrowest peak in it is."""
        if self.kernel.plan.shape == "interval":
            return 0.0, 1.0, min(0.25, float(self.scale / self.width))
        grid, values = self._surveyed()
        top = values.max()
        if not np.isfinite(top):
            raise InputError("The density could not be evaluated at this time; take another time or start.")
        above = np.flatnonzero(values > top - INTEGRAL.depth)
        low, high = grid[max(above[0] - 1, 0)], grid[min(above[-1] + 1, len(grid) - 1)]
        best = int(np.argmax(values))
        near = np.flatnonzero(values > top - 1)
        width = max(grid[near[-1]] - grid[near[0]], INTEGRAL.narrow * (high - low)) if len(near) > 1 else high - low
        return float(low), float(high), float(min(width, (grid[-1] - grid[0]) if best == 0 else width))

    def _surveyed(self) -> tuple[Vector, Vector]:
        """The log density on a grid of ξ that is refined around its top."""
        reach = INTEGRAL.reach
        middle = float(self.coordinate(np.float64(self.start))) if self.kernel.plan.shape == "radial" else 0.0
        grid = np.unique(np.concatenate([np.linspace(-reach, reach, INTEGRAL.survey), [middle]]))
        values = self.log_integrand(grid)
        for _ in range(INTEGRAL.rounds):
            top = int(np.argmax(values))
            left, right = grid[max(top - 1, 0)], grid[min(top + 1, len(grid) - 1)]
            added = np.linspace(left, right, INTEGRAL.added)[1:-1]
            grid, order = np.unique(np.concatenate([grid, added]), return_index=True)
            values = np.concatenate([values, self.log_integrand(added)])[order]
            if np.count_nonzero(values > values.max() - 1) > INTEGRAL.resolved:
                break
        for _ in range(INTEGRAL.rounds):
            gaps = np.flatnonzero(
                np.abs(np.diff(np.maximum(values, values.max() - 2 * INTEGRAL.depth))) > INTEGRAL.depth / 4
            )
            if not len(gaps):
                break
            added = np.unique((grid[gaps] + grid[gaps + 1]) / 2)
            grid, order = np.unique(np.concatenate([grid, added]), return_index=True)
            values = np.concatenate([values, self.log_integrand(added)])[order]
        return grid, values

    def edges(self, breaks: Sequence[float] = (), finer: int = 1) -> Vector:
        """Ends of panels in ξ, cut at given places too."""
        low, high, width = self.window
        width = min(width, INTEGRAL.widest_panel)
        count = int(np.clip(np.ceil(INTEGRAL.panels_per_width * (high - low) / width), 4, INTEGRAL.most_panels)) * finer
        inside = [b for b in breaks if low < b < high]
        return np.unique(np.concatenate([np.linspace(low, high, count + 1), inside]))

    @cached_property
    def total(self) -> float:
        """The mass that is left."""
        return float(self._panels(self.edges()).sum()) + self.tail

    @cached_property
    def tail(self) -> float:
        """The mass next to an end at h = 0 that no panel covers: there the density is a power of h."""
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

    def expectation(self, function: Rows, breaks: Sequence[float] = ()) -> tuple[Vector, Vector]:
        """∫ f(x) p dx of every row f of a function, with an estimate of its error; panels are halved where needed.

        `breaks` are heights at which the function is not smooth. What grows faster than the density falls is refused.
        """
        marks = [float(b) for b in np.atleast_1d(self.coordinate(np.asarray(breaks, dtype=float))) if np.isfinite(b)]
        edges = self._edges_of(function, marks)
        low, high = edges[:-1], edges[1:]
        kept, error = self._first(function, edges[0]), 0.0
        for level in range(INTEGRAL.levels):
            middle = (low + high) / 2
            whole = self._summed(function, low, high)
            halves = self._summed(function, low, middle), self._summed(function, middle, high)
            wrong = np.abs(whole - halves[0] - halves[1])
            size = np.abs(kept + (halves[0] + halves[1]).sum(axis=1))[:, None]
            fine = (wrong <= INTEGRAL.tolerance * size / max(len(low), 16)).all(axis=0)
            fine |= (wrong <= INTEGRAL.rounding * (np.abs(halves[0]) + np.abs(halves[1]))).all(axis=0)
            fine |= level == INTEGRAL.levels - 1
            kept = kept + (halves[0] + halves[1])[:, fine].sum(axis=1)
            error = error + wrong[:, fine].sum(axis=1)
            if fine.all():
                break
            left, centre, right = low[~fine], middle[~fine], high[~fine]
            low, high = np.concatenate([left, centre]), np.concatenate([centre, right])
        if not np.isfinite(kept).all():
            raise InputError(NOT_INTEGRABLE)
        return kept, error + INTEGRAL.rounding * np.abs(kept)

    def _edges_of(self, function: Rows, marks: Sequence[float]) -> Vector:
        """Panels that cover where the density times the function is."""
        edges = self.edges(marks)
        step = min(float(np.diff(edges).max()), INTEGRAL.widest_panel)
        if self.kernel.plan.shape == "interval":
            return edges
        for side in (-1, 1):
            edges = self._extended(function, edges, step, side)
        return edges

    def _extended(self, function: Rows, edges: Vector, step: float, side: int) -> Vector:
        """More panels on one side, while the function there outweighs the density."""
        top = float(self._weighed(function, (edges[:-1] + edges[1:]) / 2).max())
        if top == -np.inf:
            return edges
        added = []
        place = float(edges[0] if side < 0 else edges[-1])
        limit = INTEGRAL.reach + abs(place)
        while True:
            value = float(self._weighed(function, np.array([place]))[0])
            near_zero = side < 0 and self.kernel.plan.shape == "radial"
            if value < top - INTEGRAL.depth or (near_zero and self._falls(function, place)):
                break
            if abs(place) > limit:
                raise InputError(NOT_INTEGRABLE)
            top = max(top, value)
            place += side * step
            added.append(place)
        return np.unique(np.concatenate([edges, added]))

    def _falls(self, function: Rows, place: float) -> bool:
        """Whether nothing is lost next to h = 0, because the function stays as it is and the density is a power."""
        two = self._weighed(function, np.array([place - 1.0, place]))
        return bool(two[0] < two[1]) and bool(
            abs((two[1] - two[0]) - self.kernel.power(self.values)) < INTEGRAL.constant
        )

    def _weighed(self, function: Rows, xi: Vector) -> Vector:
        """log of the density times the largest row of the function."""
        h, change = self.place(xi)
        with np.errstate(all="ignore"):
            rows = np.abs(np.asarray(function(self.state(h), h), dtype=float)).max(axis=0)
            found = self.log_density(h) + change + np.log(rows)
        return np.where(np.isnan(found), -np.inf, found)

    def _first(self, function: Rows, edge: float) -> Vector:
        """What is left next to h = 0, where the density is a power and the function stays as it is."""
        h, _ = self.place(np.array([edge]))
        rows = np.asarray(function(self.state(h), h), dtype=float)[:, 0]
        if self.kernel.plan.shape != "radial":
            return np.zeros(len(rows))
        rest = float(np.exp(self.log_integrand(np.array([edge]))[0])) / self.kernel.power(self.values)
        return np.where(np.isfinite(rows), rows, 0.0) * rest

    def _summed(self, function: Rows, low: Vector, high: Vector) -> Float[np.ndarray, "rows _"]:
        xi, weights = panel_nodes(low, high)
        h, change = self.place(xi.reshape(-1))
        mass = np.exp(self.log_density(h) + change) * weights.reshape(-1)
        with np.errstate(all="ignore"):
            values = np.asarray(function(self.state(h), h), dtype=float)
            product = np.where(mass > 0, values * mass, 0.0)
        return product.reshape(len(values), *xi.shape).sum(axis=2)


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
    """A map of the whole line onto an interval, wide ranges by exponentials."""
    if np.isinf(low) and np.isinf(high):
        return np.sinh
    if np.isinf(high):
        return lambda s: low + np.exp(s)
    if np.isinf(low):
        return lambda s: high - np.exp(-s)
    return lambda s: np.where(s < 0, low + (high - low) / (1 + np.exp(-s)), high - (high - low) / (1 + np.exp(s)))
