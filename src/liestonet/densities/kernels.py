"""Kernels evaluated: log densities at many points at once, with their derivatives by the starting point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy

from liestonet.densities.bessel import bessel_ratio, log_even_bessel
from liestonet.densities.boundaries import ends_of
from liestonet.densities.clocks import Bound, Clock, Free, bound_clock, free_clock
from liestonet.densities.compiled import Compiled, compiled
from liestonet.densities.numbers import Numbers
from liestonet.densities.plan import Plan, require_possible
from liestonet.densities.tuning import KERNEL
from liestonet.errors import InputError


class Logarithm(NamedTuple):
    """log p in the coordinate h, and its first two derivatives by the initial height if they are requested."""

    value: Numbers
    slope: Any = None
    bend: Any = None


@dataclass(frozen=True)
class Kernel:
    """Evaluates the kernel of a plan in floating point."""

    plan: Plan

    def log_density(self, t: Numbers, x: Numbers, t0: Numbers, x0: Numbers, values: Sequence[float] = ()) -> Numbers:
        """log p(t, x | t₀, x₀) of points inside the state space."""
        here, start = self._state(t, x, *values), self._state(t0, x0, *values)
        found = self._logarithm(here[0], start[0], self._clock(t, t0, *values), values)
        change = 0.0 if self.is_free else here[1] - start[1]
        return found.value + change - here[2]

    def in_height(self, t: Any, h: Numbers, x: Numbers, t0: Any, x0: Any, values: Sequence[float] = ()) -> Numbers:
        """log of the density of h; the state x at this h is given too."""
        start = self._state(t0, x0, *values)
        found = self._logarithm(h, start[0], self._clock(t, t0, *values), values)
        return found.value if self.is_free else found.value + self._state(t, x, *values)[1] - start[1]

    def with_slopes(self, t: Numbers, x: Numbers, t0: Numbers, x0: Numbers, values: Sequence[float] = ()) -> Logarithm:
        """log p with its first two derivatives by x₀."""
        here, start = self._state(t, x, *values), self._state(t0, x0, *values)
        found = self._logarithm(here[0], start[0], self._clock(t, t0, *values), values, True)
        rise, curve, pull, turn = self._slopes(t0, x0, *values)
        slope, bend = found.slope * rise, found.bend * rise**2 + found.slope * curve
        if self.is_free:
            return Logarithm(found.value - here[2], slope, bend)
        return Logarithm(found.value + here[1] - start[1] - here[2], slope - pull, bend - turn)

    def height(self, t: Any, x: Numbers, values: Sequence[float] = ()) -> Numbers:
        """The height h, the coordinate of unit noise."""
        return self._state(t, x, *values)[0]

    def clock(self, t: Any, t0: Any, values: Sequence[float] = ()) -> Free | Bound:
        """The functions of time in the kernel."""
        return self._clock(t, t0, *values)

    def order(self, values: Sequence[float] = ()) -> float:
        """The order of the Bessel function, whose sign depends on whether an end is reached at these parameters."""
        order, exponent, _ = (float(part) for part in self._orders(*values))
        plan = self.plan
        if not values or plan.structure.exponent is None or plan.killed_before:
            return order
        if exponent >= 0.5:
            return exponent - 0.5
        point = next(row.point for row in plan.rows if row.exponent is not None)
        require_possible(f"{plan.structure.equation.state} = {point}", exponent, plan.choice)
        return exponent - 0.5 if plan.choice == "reflecting" else 0.5 - exponent

    def exponent(self, values: Sequence[float] = ()) -> float:
        """A, where the drift is A/h + bh."""
        return float(self._orders(*values)[1])

    def holds_at(self, values: Sequence[float]) -> bool:
        """Whether the kernel found for the drawn values holds for these: the same ends, and positive heights."""
        structure = self.plan.structure
        equation = structure.equation
        try:
            there = equation.at(dict(zip(equation.free, values, strict=True)))
            same = [end.finite for end in ends_of(there)] == [end.finite for end in ends_of(equation)]
        except (InputError, ValueError, TypeError):
            return False
        places = np.array([float(place) for place in there.inside()])
        heights = np.asarray(self.height(float(next(equation.times())), places, values))
        positive = bool((heights > 0).all()) if self.plan.shape == "radial" else True
        return same and positive and structure.rate is not None and bool(np.isfinite(heights).all())

    def width(self, values: Sequence[float] = ()) -> float:
        """The height of the upper end, if both ends are at finite distance."""
        return float(self._orders(*values)[2])

    def power(self, values: Sequence[float] = ()) -> float:
        """The exponent of h in the mass below h, next to an end at h = 0."""
        order = self.order(values)
        exponent = next(row.exponent for row in self.plan.rows if row.exponent is not None)
        if self.plan.structure.exponent is not None:
            exponent = float(self._orders(*values)[1])
        return exponent + order + 1.5

    def interval(self, values: Sequence[float] = ()) -> tuple[float, float]:
        """The ends of the state space."""
        low, high = self._ends(*values)
        return float(low), float(high)

    @cached_property
    def direction(self) -> int:
        """1 where h rises with the state, −1 where it falls."""
        structure = self.plan.structure
        equation = structure.equation
        slope = equation.function(sympy.diff(structure.height, equation.state))
        return 1 if slope(next(equation.times()), next(equation.inside())) > 0 else -1

    def closed_state(self, t: float, h: Numbers, values: Sequence[float] = ()) -> Numbers | None:
        """The state at given heights where the height has an inverse in closed form."""
        return None if self._inverse is None else self._inverse(t, h, *values)[0]

    @cached_property
    def _inverse(self) -> Compiled | None:
        from liestonet.densities.inverse import inverse_of

        structure = self.plan.structure
        equation = structure.equation
        found = inverse_of(equation, structure.height)
        return None if found is None else compiled([equation.time, found[0], *equation.free], [found[1]])

    @cached_property
    def _ends(self) -> Compiled:
        equation = self.plan.structure.equation
        return compiled(list(equation.free), [equation.low, equation.high])

    @property
    def is_free(self) -> bool:
        """Whether the density is that of a time-changed Brownian motion or Bessel process."""
        return self.plan.structure.uniform is not None and self.plan.shape != "interval"

    @cached_property
    def _clock(self) -> Clock:
        return free_clock(self.plan.structure) if self.is_free else bound_clock(self.plan.structure)

    @cached_property
    def _state(self) -> Compiled:
        """h, Γ and log σ as functions of t, x and the parameters."""
        structure = self.plan.structure
        equation = structure.equation
        entries = [structure.height, structure.gamma, sympy.log(equation.noise)]
        return compiled([equation.time, equation.state, *equation.free], entries, equation.state)

    @cached_property
    def _slopes(self) -> Compiled:
        structure = self.plan.structure
        equation, x = structure.equation, structure.equation.state
        entries = [sympy.diff(entry, x, k) for entry in (structure.height, structure.gamma) for k in (1, 2)]
        return compiled([equation.time, x, *equation.free], entries, x)

    @cached_property
    def _orders(self) -> Compiled:
        structure = self.plan.structure
        exponent = structure.exponent if structure.exponent is not None else sympy.Integer(0)
        width = self.plan.width if self.plan.width is not None else sympy.Integer(1)
        return compiled(list(structure.equation.free), [self.plan.order, exponent, width])

    def _logarithm(
        self, h: Numbers, start: Numbers, clock: Any, values: Sequence[float], slopes: bool = False
    ) -> Logarithm:
        with np.errstate(all="ignore"):
            if self.plan.shape == "interval":
                return _between(h, start, clock, self.width(values), self.plan.signs, slopes)
            if self.plan.shape == "line":
                on_a_line = _gaussian if self.is_free else _on_a_line
                return on_a_line(h, start, clock, slopes)
            order = self.order(values)
            if self.is_free:
                return _bessel(h, start, clock, self.exponent(values), order, slopes)
            return _from_a_point(h, start, clock, order, slopes)


def _gaussian(h: Numbers, start: Numbers, clock: Free, slopes: bool) -> Logarithm:
    """A normal density in h."""
    factor = np.exp(clock.growth)
    away = h - factor * start - clock.shift
    value = -0.5 * np.log(2 * np.pi * clock.variance) - away**2 / (2 * clock.variance) - clock.loss
    if not slopes:
        return Logarithm(value)
    return Logarithm(value, factor * away / clock.variance, -(factor**2) / clock.variance + 0 * away)


def _bessel(h: Numbers, start: Numbers, clock: Free, exponent: float, order: float, slopes: bool) -> Logarithm:
    """A Bessel process after a change of time and scale."""
    factor = np.exp(clock.growth)
    carried, v = factor * start, clock.variance
    z, power = h * (carried / v), 0.5 - exponent + order
    # z^ν is separated: after a long time it underflows, and the density no longer depends on the initial state
    value = (exponent + 0.5 + order) * np.log(h) + power * (clock.growth + np.log(start)) - (1 + order) * np.log(v)
    value = value - (h - carried) ** 2 / (2 * v) + log_even_bessel(order, z) - clock.loss
    if not slopes:
        return Logarithm(value)
    first, second = _even_slopes(order, z)
    per = h * factor / v
    slope = power / start - factor**2 * start / v + per * first
    bend = -power / start**2 - factor**2 / v + per**2 * second
    return Logarithm(value, slope, bend)


def _even_slopes(order: float, z: Numbers) -> tuple[Numbers, Numbers]:
    """First and second derivative of log(z^{−ν} I_ν(z))."""
    ratio = bessel_ratio(order, z)
    return z * ratio, 1 - (1 + 2 * order) * ratio - (z * ratio) ** 2


def _on_a_line(h: Numbers, start: Numbers, clock: Bound, slopes: bool) -> Logarithm:
    """Mehler's kernel with a moving centre."""
    w, w0 = h - clock.middle, start - clock.start
    away = h - start - (clock.middle - clock.start)
    value = -0.5 * np.log(2 * np.pi) - 0.5 * clock.log_m - clock.speed * w - clock.action
    # written as a square, which is accurate for short times
    value = value - 0.5 * (clock.inverse * away**2 + clock.further * w**2 + clock.earlier * w0**2)
    if not slopes:
        return Logarithm(value)
    return Logarithm(value, clock.inverse * away - clock.earlier * w0, -clock.inverse - clock.earlier + 0 * w)


def _from_a_point(h: Numbers, start: Numbers, clock: Bound, order: float, slopes: bool) -> Logarithm:
    """The kernel of c/h² + q₂h², with the Bessel function of the given order."""
    z, power, back = h * (start * clock.inverse), 0.5 + order, clock.inverse + clock.earlier
    value = power * (np.log(h) + np.log(start)) - (1 + order) * clock.log_m - clock.action
    value = value - 0.5 * (clock.inverse * (h - start) ** 2 + clock.further * h**2 + clock.earlier * start**2)
    value = value + log_even_bessel(order, z)
    if not slopes:
        return Logarithm(value)
    first, second = _even_slopes(order, z)
    per = h * clock.inverse
    slope = power / start - back * start + per * first
    bend = -power / start**2 - back + per**2 * second
    return Logarithm(value, slope, bend)


def _between(h: Numbers, start: Numbers, clock: Bound, width: float, signs: tuple[int, int], slopes: bool) -> Logarithm:
    """Brownian motion between two ends: a sum over images for short times, over eigenfunctions for long ones."""
    span = np.exp(clock.log_m)
    parts = [np.array(part) for part in np.broadcast_arrays(h, start, span)]
    short = parts[2] < KERNEL.short * width**2
    sums = [np.zeros(parts[0].shape) for _ in range(3 if slopes else 1)]
    for chosen, summed in ((short, _images), (~short, _waves)):
        if chosen.any():
            ends, starts, spans = (part[chosen] for part in parts)
            found = summed(ends, starts, spans, width, signs, slopes)
            for total, part in zip(sums, found, strict=True):
                total[chosen] = part
    value = np.log(sums[0]) - clock.action
    if not slopes:
        return Logarithm(value)
    ratio = sums[1] / sums[0]
    return Logarithm(value, ratio, sums[2] / sums[0] - ratio**2)


def _images(
    h: Numbers, start: Numbers, span: Numbers, width: float, signs: tuple[int, int], slopes: bool
) -> list[Numbers]:
    """Sums over images of the start, with first and second derivative by it."""
    lower, upper = signs
    total = [np.zeros_like(h) for _ in range(3 if slopes else 1)]
    for k in range(-KERNEL.images, KERNEL.images + 1):
        turned = (lower * upper) ** abs(k)
        for sign, factor in ((1, turned), (-1, turned * lower)):
            away = h - sign * start - 2 * k * width
            bell = factor * np.exp(-(away**2) / (2 * span))
            total[0] += bell
            if slopes:
                total[1] += bell * sign * away / span
                total[2] += bell * (away**2 / span - 1) / span
    return [part / np.sqrt(2 * np.pi * span) for part in total]


def _waves(
    h: Numbers, start: Numbers, span: Numbers, width: float, signs: tuple[int, int], slopes: bool
) -> list[Numbers]:
    """Sums over eigenfunctions: sines from an absorbing end, cosines from a reflecting one."""
    lower, upper = signs
    wave: Callable[[Numbers], Numbers] = np.cos if lower > 0 else np.sin
    slope: Callable[[Numbers], Numbers] = (lambda u: -np.sin(u)) if lower > 0 else np.cos
    total = [np.zeros_like(h) for _ in range(3 if slopes else 1)]
    for n in range(KERNEL.waves + 1):
        number = n if lower == upper else n + 0.5
        if number == 0 and lower < 0:
            continue
        k = number * np.pi / width
        weight = (1.0 if number == 0 else 2.0) / width * np.exp(-(k**2) * span / 2) * wave(k * h)
        total[0] += weight * wave(k * start)
        if slopes:
            total[1] += weight * k * slope(k * start)
            total[2] -= weight * k**2 * wave(k * start)
    return total
