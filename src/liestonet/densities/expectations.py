"""Expectations under a density, by adaptive quadrature of the product of function and density.

The product is scaled by its maximum, so that very small prices keep their relative accuracy (docs/method.md §16.6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from liestonet.densities.integration import Mass, panel_nodes, peak, refined
from liestonet.densities.tuning import EXPECTATION, INTEGRAL
from liestonet.errors import InputError

Vector = Float[np.ndarray, " _"]
Rows = Callable[[Vector], Any]  # functions of the state: factors of the function, one row each
NOT_INTEGRABLE = (
    "The payoff is not integrable: it grows faster than the density falls, and its expectation is infinite; "
    "give one that grows less."
)
POLE = (
    "The payoff is not integrable: it has a pole inside the state space, and its expectation does not exist; "
    "give one without."
)
TOO_LARGE = (
    "The payoff is not integrable in floating point: where the density has mass it is larger than the largest number; "
    "give a payoff that grows less, or an earlier maturity."
)


class Sums(NamedTuple):
    """Integrals of every row, of their moduli, and bounds of the errors."""

    values: Vector
    moduli: Vector
    errors: Vector


@dataclass(frozen=True)
class Expectation:
    """∫ f(x) w(x) p dx for every row of factors w, the first of which is 1.

    `breaks` are states at which f is not smooth. If f is not `known` as a formula, it is evaluated on a fine grid, and
    its jumps are located.
    """

    mass: Mass
    function: Callable[[Vector], Any]
    factors: Rows
    breaks: tuple[float, ...] = ()
    known: bool = True

    def sums(self) -> Sums:
        """The integrals with their errors; a function that is not integrable is refused."""
        if self._top == -np.inf:
            return self._nothing()
        return _integrated(self._rows, self.edges, self._rest(float(self.edges[0])), self._shift)

    def _nothing(self) -> Sums:
        """The sums for a function that is zero at all points of the grid."""
        if not self.known:
            raise InputError(
                f"The payoff is 0 at all {len(self._surveyed[0]):,} states at which it was looked at; "
                "give it as text, such as '0.3 < x < 0.301', so that nothing is missed."
            )
        zero = np.zeros(len(self._rows(np.array([self.mass.window[0]]))))
        return Sums(zero, zero, zero)

    def product(self, xi: Vector) -> Vector:
        """log |function times density|; not-a-number where it is not finite."""
        h, change = self.mass.place(xi)
        with np.errstate(all="ignore"):
            values = np.abs(self.values(h))
            found = self.mass.log_density(h) + change + np.log(values)
        return np.where(np.isnan(found) | np.isinf(values), np.nan, found)

    def values(self, h: Vector) -> Vector:
        """The function at given heights."""
        return np.asarray(self.function(self.mass.state(h)), dtype=float)

    @cached_property
    def marks(self) -> Vector:
        """Points at which the function is not smooth, in ascending order."""
        kernel = self.mass.kernel
        heights = [float(kernel.height(self.mass.t, np.float64(place), self.mass.values)) for place in self.breaks]
        found = np.asarray(self.mass.coordinate(np.asarray(heights, dtype=float)), dtype=float)
        return np.unique(np.concatenate([found[np.isfinite(found)], self._jumps]))

    @cached_property
    def _fine(self) -> tuple[Vector, Vector]:
        """The function on a fine grid, if it is not known as a formula."""
        if self.known:
            return np.empty(0), np.empty(0)
        low, high, _ = self.mass.window
        xi = np.linspace(low, high, EXPECTATION.fine)
        return xi, self.values(self.mass.place(xi)[0])

    @cached_property
    def _jumps(self) -> Vector:
        """The points at which it jumps, by bisection between neighbours on the grid."""
        xi, f = self._fine
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(f[:-1]), np.abs(f[1:]))
            at = np.flatnonzero(np.abs(np.diff(f)) > EXPECTATION.jump * size) if len(f) else np.empty(0, dtype=int)
        if not 0 < len(at) <= EXPECTATION.most_jumps:
            return np.empty(0)
        low, high, left, right = xi[at], xi[at + 1], f[at], f[at + 1]
        for _ in range(EXPECTATION.bisections):
            middle = (low + high) / 2
            value = self.values(self.mass.place(middle)[0])
            later = np.abs(value - left) < np.abs(value - right)
            low, high = np.where(later, middle, low), np.where(later, high, middle)
        return (low + high) / 2

    @cached_property
    def _surveyed(self) -> tuple[Vector, Vector]:
        """The product's logarithm on a grid refined around its maximum and where it is not smooth."""
        reach = INTEGRAL.reach
        bounded = self.mass.kernel.plan.shape == "interval"
        broad = np.linspace(*((0.0, 1.0) if bounded else (-reach, reach)), INTEGRAL.survey)
        low, high, _ = self.mass.window
        near = np.linspace(low, high, INTEGRAL.survey)
        marks = self.marks
        beside = [marks + sign * 10.0**-k for k in range(EXPECTATION.decades) for sign in (-1, 1)]
        grid = np.unique(np.concatenate([broad, near, self._fine[0], (marks[1:] + marks[:-1]) / 2, *beside]))
        grid = grid[(grid > 0) & (grid < 1)] if bounded else grid[(grid >= -reach) & (grid <= reach)]
        grid, values = refined(self.product, grid)
        self._require_real(grid, values)
        kept = ~np.isnan(values)
        return grid[kept], values[kept]

    @cached_property
    def _cut_off(self) -> bool:
        """Whether the function is too large for floating point where the density has mass."""
        low, high, _ = self.mass.window
        h, change = self.mass.place(np.linspace(low, high, INTEGRAL.survey))
        density = self.mass.log_density(h) + change
        with np.errstate(all="ignore"):
            large = ~np.isfinite(self.values(h)) & (density > density.max() - INTEGRAL.depth)
        return bool(large.any())

    def _require_real(self, grid: Vector, values: Vector) -> None:
        """Refuse a function that is not a real number where the density is not negligible."""
        missing = np.isnan(values)
        if not missing.any():
            return
        h, change = self.mass.place(grid[missing])
        density = self.mass.log_density(h) + change
        bare = np.isnan(self.values(h)) & (density > np.max(density) - 1) & (density > EXPECTATION.seen)
        if bare.any():
            place = float(self.mass.state(h[bare][:1])[0])
            raise InputError(
                f"The payoff is not a real number at {place:.6g}, inside the state space; give one that is."
            )

    @cached_property
    def _top(self) -> float:
        values = self._surveyed[1]
        return float(values.max()) if len(values) else -np.inf

    @cached_property
    def edges(self) -> Vector:
        """Ends of panels that cover the points where the product is not negligible."""
        grid, values = self._surveyed
        # intervals count, not points alone: next to a pole values are large on a short interval
        weight = values + np.log(np.gradient(grid))
        above = np.flatnonzero(weight >= weight.max() - INTEGRAL.depth)
        first, last = int(above[0]), int(above[-1])
        shape = self.mass.kernel.plan.shape
        if shape != "interval" and (last == len(grid) - 1 or (first == 0 and not self._falls(grid, values))):
            raise InputError(TOO_LARGE if self._cut_off else NOT_INTEGRABLE)
        low, high = grid[max(first - 1, 0)], grid[min(last + 1, len(grid) - 1)]
        if shape == "interval":
            low, high = (0.0 if first == 0 else low), (1.0 if last == len(grid) - 1 else high)
        start, end = peak(weight)
        own = grid[min(end + 1, len(grid) - 1)] - grid[max(start - 1, 0)]
        width = min(self.mass.window[2], max(own, INTEGRAL.narrow * (high - low)), INTEGRAL.widest_panel)
        count = int(np.clip(np.ceil(INTEGRAL.panels_per_width * (high - low) / width), 4, EXPECTATION.most_panels))
        inside = self.marks[(self.marks > low) & (self.marks < high)]
        even = np.linspace(low, high, count + 1)
        if len(inside):  # no very short panel beside a mark
            nearest = np.abs(even[1:-1, None] - inside).min(axis=1)
            even = np.concatenate(
                [even[:1], even[1:-1][nearest > EXPECTATION.sliver * (high - low) / count], even[-1:]]
            )
        return np.unique(np.concatenate([even, inside]))

    def _falls(self, grid: Vector, values: Vector) -> bool:
        """Whether the product decreases towards h = 0, where it is a power."""
        if self.mass.kernel.plan.shape != "radial" or len(values) < 2:
            return False
        return bool((values[1] - values[0]) / (grid[1] - grid[0]) > EXPECTATION.least_power)

    @cached_property
    def _shift(self) -> float:
        """The log density where the product is largest, used as the scale of densities."""
        grid, values = self._surveyed
        h, change = self.mass.place(grid[[int(np.argmax(values))]])
        return float((self.mass.log_density(h) + change)[0])

    def _rows(self, xi: Vector) -> Float[np.ndarray, "rows n"]:
        """All rows of the integrand, relative to the density exp(shift)."""
        h, change = self.mass.place(xi)
        with np.errstate(all="ignore"):
            density = np.exp(self.mass.log_density(h) + change - self._shift)
            state = self.mass.state(h)
            values = np.asarray(self.function(state), dtype=float) * np.asarray(self.factors(state), dtype=float)
            return np.where(density > 0, values * density, 0.0)

    def _rest(self, edge: float) -> Vector:
        """The integrals of all rows next to h = 0, where each is a power."""
        rows = self._rows(np.array([edge, edge + 1.0]))
        if self.mass.kernel.plan.shape != "radial":
            return np.zeros(len(rows))
        with np.errstate(all="ignore"):
            power = np.log(rows[:, 1] / rows[:, 0])
            rest = rows[:, 0] / power
        return np.where(np.isfinite(rest) & (power > EXPECTATION.least_power), rest, 0.0)


def _integrated(rows: Callable[[Vector], Any], edges: Vector, rest: Vector, shift: float) -> Sums:
    """The integrals of rows over panels, which are halved until whole and halves agree, or until there are too many."""
    low, high = edges[:-1], edges[1:]
    kept, size, error = rest, np.abs(rest), np.zeros(len(rest))
    spent, waiting = 0, []
    while True:
        middle = (low + high) / 2
        whole, _ = _summed(rows, low, high)
        parts = _summed(rows, low, middle), _summed(rows, middle, high)
        halves, moduli = (parts[0][k] + parts[1][k] for k in (0, 1))
        # the error of a panel that cannot be halved further in floating point is its whole integral
        narrow = high - low <= EXPECTATION.narrowest * (1 + np.abs(low))
        wrong = np.where(narrow, moduli, np.abs(whole - halves))
        total, around = np.abs(kept + halves.sum(axis=1))[:, None], (size + moduli.sum(axis=1))[:, None]
        allowed = np.maximum(INTEGRAL.tolerance * total, INTEGRAL.rounding * around) / max(len(low), 16)
        # points are rounded too, which matters on narrow panels
        noise = INTEGRAL.rounding + EXPECTATION.place_rounding * (1 + np.abs(low)) / (high - low)
        fine = ((wrong <= allowed) | (wrong <= noise * moduli)).all(axis=0)
        waiting.append(float(moduli[0][~fine].sum()))
        if (narrow & ~fine).any():
            _require_converging(waiting, float(around[0, 0]))
        spent += 3 * len(low) * INTEGRAL.nodes
        fine |= narrow | (spent + 6 * np.count_nonzero(~fine) * INTEGRAL.nodes > EXPECTATION.most)
        kept, size = kept + halves[:, fine].sum(axis=1), size + moduli[:, fine].sum(axis=1)
        rounded = wrong + np.finfo(float).eps * (1 + np.abs(low)) / (high - low) * moduli
        error = error + rounded[:, fine].sum(axis=1)
        if fine.all():
            break
        left, centre, right = low[~fine], middle[~fine], high[~fine]
        low, high = np.concatenate([left, centre]), np.concatenate([centre, right])
    if not np.isfinite(kept).all():
        raise InputError(NOT_INTEGRABLE)
    if error[0] > size[0]:  # an even pole, whose integral grows with every refinement
        raise InputError(POLE)
    unit = np.exp(shift)
    # a logarithm of this size has its own rounding
    rounding = INTEGRAL.rounding + np.finfo(float).eps * abs(shift)
    return Sums(unit * kept, unit * size, unit * (error + rounding * size))


def _require_converging(waiting: Sequence[float], total: float) -> None:
    """Refuse a pole, around which the integral does not shrink when panels are halved."""
    if len(waiting) < EXPECTATION.apart + EXPECTATION.levels:
        return
    # single halvings vary, as nodes may lie near the pole or far from it
    now = float(np.median(waiting[-EXPECTATION.levels :]))
    before = float(np.median(waiting[-EXPECTATION.levels - EXPECTATION.apart : -EXPECTATION.apart]))
    if now > EXPECTATION.pole * before and now > INTEGRAL.tolerance * total:
        raise InputError(POLE)


def _summed(rows: Callable[[Vector], Any], low: Vector, high: Vector) -> tuple[Any, Any]:
    """Integrals of every row over every panel, and those of their moduli."""
    xi, weights = panel_nodes(low, high)
    values = rows(xi.reshape(-1)) * weights.reshape(-1)
    values = values.reshape(len(values), *xi.shape)
    return values.sum(axis=2), np.abs(values).sum(axis=2)
