"""An equation in SymPy while its coordinates change: Itô's formula, and which coordinates are closed among themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy
from sympy import Expr, Symbol

from liestonet.reduction.setting import Setting


@dataclass(frozen=True)
class Field:
    """τ(t) ∂t + ξ·∂ on the closed coordinates of an equation.

    `name` is what a reader knows it by; `strong` says that it keeps the Wiener process, not only the law.
    """

    tau: Expr
    xi: tuple[Expr, ...]
    name: str
    strong: bool = True

    @property
    def is_simple(self) -> bool:
        """Whether it leaves time alone."""
        return self.tau == 0

    def of(self, function: Any, time: Symbol, state: Sequence[Symbol]) -> Any:
        """X applied to a function of time and of the closed coordinates."""
        function = sympy.sympify(function)
        terms = [self.tau * sympy.diff(function, time)] if self.tau != 0 else []
        terms += [c * sympy.diff(function, s) for c, s in zip(self.xi, state, strict=True) if c != 0]
        return sympy.Add(*terms)


@dataclass(frozen=True)
class Equation:
    """dx = f dt + σ dW. The first `active` coordinates are closed among themselves.

    Each of the others is an integral of functions of time and of the coordinates before it.
    """

    time: Symbol
    state: tuple[Symbol, ...]
    drift: tuple[Expr, ...]
    noise: tuple[tuple[Expr, ...], ...]
    active: int

    @property
    def closed(self) -> tuple[Symbol, ...]:
        """The coordinates that are closed among themselves."""
        return self.state[: self.active]

    @property
    def noises(self) -> int:
        """How many Wiener processes there are."""
        return len(self.noise[0])

    def covariance(self, i: int, j: int) -> Any:
        """a^{ij}."""
        return sympy.Add(*(a * b for a, b in zip(self.noise[i], self.noise[j], strict=True)))

    def drift_of(self, function: Any) -> Any:
        """The dt-part of a function of time and state, by Itô's formula."""
        function = sympy.sympify(function)
        total = sympy.diff(function, self.time)
        slopes = self._slopes(function)
        for i, slope in slopes:
            total += self.drift[i] * slope
            for j, _ in slopes:
                bend = sympy.diff(slope, self.state[j])
                if bend != 0:
                    total += self.covariance(i, j) * bend / 2
        return total

    def noise_of(self, function: Any) -> list[Any]:
        """The dW-parts of a function of time and state."""
        slopes = self._slopes(sympy.sympify(function))
        return [sympy.Add(*(self.noise[i][k] * slope for i, slope in slopes)) for k in range(self.noises)]

    def _slopes(self, function: Any) -> list[tuple[int, Any]]:
        free = function.free_symbols
        return [(i, sympy.diff(function, s)) for i, s in enumerate(self.state) if s in free]

    def is_autonomous(self) -> bool:
        """Whether time occurs nowhere in the closed coordinates' equation."""
        entries = [*self.drift[: self.active], *(e for row in self.noise[: self.active] for e in row)]
        return not any(entry.has(self.time) for entry in entries)

    def subsystem(self) -> Equation:
        """The closed coordinates alone, without noises that do not act on them."""
        rows = self.noise[: self.active]
        used = [k for k in range(self.noises) if any(row[k] != 0 for row in rows)] or [0]
        kept = tuple(tuple(row[k] for k in used) for row in rows)
        return replace(self, state=self.closed, drift=self.drift[: self.active], noise=kept)


@dataclass(frozen=True)
class Change:
    """New coordinates for the closed ones of an equation.

    `forward` are the new ones in old symbols, the closed ones (`active` of them) first; `backward` the old ones in new
    symbols, None where there is no closed form. Coefficients do not depend on all new coordinates: `section` are
    places, one for each value of those that matter, in the old symbols. `clock` is a new clock with s(t), `back` t(s).
    """

    forward: Mapping[Symbol, Expr]
    backward: Mapping[Symbol, Expr] | None
    section: Mapping[Symbol, Expr]
    active: int
    clock: tuple[Symbol, Expr] | None = None
    back: Expr | None = None


def changed(equation: Equation, change: Change, setting: Setting, law: bool) -> tuple[Equation, bool]:
    """The equation in new coordinates, and whether Itô's formula in SymPy shows that it is that one.

    Coefficients are evaluated on the section, where nothing has to be simplified away; that they agree elsewhere is
    then shown.
    """
    time = equation.time
    speed = sympy.Integer(1) if change.clock is None else sympy.diff(change.clock[1], time)
    passive = range(equation.active, len(equation.state))
    shown: list[bool] = []

    def placed(value: Any) -> Any:
        """A coefficient of a closed coordinate or of a new integral, in new symbols."""
        found = setting.tidy(value.xreplace(dict(change.section)))
        shown.append(setting.vanishes(setting.plain(value) - found.xreplace(dict(change.forward))))
        return found

    def carried(value: Any) -> Any:
        """A coefficient of an integral that was there before, in new symbols."""
        clock = {} if change.clock is None else {time: change.back}
        return setting.tidy(value.xreplace({**(change.backward or {}), **clock}))

    forward = list(change.forward.values())
    drift = [placed(setting.plain(equation.drift_of(e)) / speed) for e in forward]
    drift += [carried(equation.drift[i] / speed) for i in passive]
    root = sympy.sqrt(speed)
    if law:
        noise = _rooted(equation, forward, speed, placed, carried, setting)
    else:
        noise = [tuple(placed(setting.plain(c) / root) for c in equation.noise_of(e)) for e in forward]
        noise += [tuple(carried(c / root) for c in equation.noise[i]) for i in passive]
    state = (*change.forward, *(equation.state[i] for i in passive))
    new = Equation(change.clock[0] if change.clock else time, state, tuple(drift), tuple(noise), change.active)
    return new, all(shown)


def _rooted(
    equation: Equation, forward: list[Any], speed: Any, placed: Any, carried: Any, setting: Setting
) -> list[tuple[Any, ...]]:
    """σ as the lower triangular root of the covariance of all coordinates: new Wiener processes."""
    passive = range(equation.active, len(equation.state))
    rows = [equation.noise_of(e) for e in forward] + [list(equation.noise[i]) for i in passive]
    size, new = len(rows), len(forward)
    covariance = sympy.zeros(size, size)
    for i in range(size):
        for j in range(i + 1):
            product = setting.plain(sympy.Add(*(a * b for a, b in zip(rows[i], rows[j], strict=True)))) / speed
            value = placed(product) if i < new else carried(product)
            covariance[i, j] = covariance[j, i] = value
    return triangular_root(covariance, setting)


def triangular_root(covariance: Any, setting: Setting) -> list[tuple[Any, ...]]:
    """Rows of the lower triangular root of a matrix; columns that vanish are left out."""
    size = covariance.shape[0]
    root = sympy.zeros(size, size)
    for j in range(size):
        pivot = setting.tidy(covariance[j, j] - sum(root[j, k] ** 2 for k in range(j)))
        if setting.vanishes(pivot):
            continue
        root[j, j] = setting.tidy(sympy.sqrt(pivot))
        for i in range(j + 1, size):
            root[i, j] = setting.tidy((covariance[i, j] - sum(root[i, k] * root[j, k] for k in range(j))) / root[j, j])
    kept = [k for k in range(size) if any(root[i, k] != 0 for i in range(size))] or [0]
    return [tuple(root[i, k] for k in kept) for i in range(size)]
