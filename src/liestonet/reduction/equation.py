"""An equation in SymPy under changes of coordinates: Itô's formula, and which coordinates are closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy
from sympy import Expr, Symbol

from liestonet.reduction.setting import Setting
from liestonet.reduction.tuning import REDUCTION


@dataclass(frozen=True)
class Field:
    """A generator τ(t) ∂t + ξ·∂ on the closed coordinates of an equation, with its components on the others.

    `name` is its name in texts; `strong` says that it preserves the Wiener process, not only the law. `rest` are
    its components on coordinates that are integrals.
    """

    tau: Expr
    xi: tuple[Expr, ...]
    name: str
    strong: bool = True
    rest: tuple[Expr, ...] = ()

    @property
    def is_simple(self) -> bool:
        """Whether it has no time component."""
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

    Each other coordinate is an integral of functions of time and of the coordinates before it.
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
    symbols, None where there is no closed form. Coefficients do not depend on all new coordinates: `section` gives
    points, in the old symbols, one for each value of those on which they depend. `corrected` gives, for earlier
    integrals that get a new symbol, the subtracted term in old and in new symbols. `clock` is a new time with s(t),
    `back` t(s).
    """

    forward: Mapping[Symbol, Expr]
    backward: Mapping[Symbol, Expr] | None
    section: Mapping[Symbol, Expr]
    active: int
    clock: tuple[Symbol, Expr] | None = None
    back: Expr | None = None
    corrected: Mapping[Symbol, tuple[Symbol, Expr, Expr]] = field(default_factory=dict)

    def renamed(self, symbol: Symbol) -> Symbol:
        """The present symbol of an earlier integral."""
        return self.corrected[symbol][0] if symbol in self.corrected else symbol

    def all_forward(self, passive: Sequence[Symbol]) -> dict[Symbol, Expr]:
        """All new coordinates in old symbols, earlier integrals included."""
        gone = {p: self.corrected[p][1] if p in self.corrected else sympy.Integer(0) for p in passive}
        return {**self.forward, **{self.renamed(p): p - gone[p] for p in passive}}

    def all_backward(self) -> dict[Symbol, Expr]:
        """All changed old coordinates in new symbols."""
        return {**(self.backward or {}), **{p: q + more for p, (q, _, more) in self.corrected.items()}}


def changed(
    equation: Equation, change: Change, setting: Setting, law: bool, lemma: bool = False
) -> tuple[Equation, bool]:
    """The equation in new coordinates, and whether SymPy proves it by Itô's formula.

    Coefficients are evaluated on the section, where they need no simplification; that they agree elsewhere is then
    proved. If a `lemma` has proved it, long expressions are not checked again.
    """
    passive = equation.state[equation.active :]
    forward = change.all_forward(passive)
    speed = sympy.Integer(1) if change.clock is None else sympy.diff(change.clock[1], equation.time)
    placing = _Placing(equation, change, forward, setting, lemma)
    root = sympy.sqrt(speed)
    drift = [placing.of(setting.plain(equation.drift_of(e)) / speed, s) for s, e in forward.items()]
    if law:
        noise = _rooted(equation, forward, speed, placing)
    else:
        noise = [
            tuple(placing.of(setting.plain(c) / root, s) for c in equation.noise_of(e)) for s, e in forward.items()
        ]
    clock = change.clock[0] if change.clock else equation.time
    return Equation(clock, tuple(forward), tuple(drift), tuple(noise), change.active), all(placing.shown)


class _Placing:
    """Expresses coefficients in new symbols, and records whether each was proved."""

    def __init__(
        self, equation: Equation, change: Change, forward: dict[Symbol, Expr], setting: Setting, lemma: bool
    ) -> None:
        self.change, self.forward, self.setting, self.lemma = change, forward, setting, lemma
        self.new = setting.extended(dict(change.forward))
        clock = {} if change.clock is None else {equation.time: change.back}
        self.backward = {**change.all_backward(), **clock}
        self.shown: list[bool] = []

    def of(self, value: Any, symbol: Symbol) -> Any:
        """A coefficient of one new coordinate."""
        found = self.new.tidy(value.xreplace(dict(self.change.section)))
        if self.lemma and symbol in self.change.forward and sympy.count_ops(value) > REDUCTION.largest_checked:
            return found
        shown = self.setting.vanishes(self.setting.plain(value) - found.xreplace(self.forward))
        if not shown and symbol not in self.change.forward:  # an integral may depend on the new coordinates
            return self.new.tidy(value.xreplace(self.backward))
        self.shown.append(shown)
        return found


def _rooted(equation: Equation, forward: dict[Symbol, Expr], speed: Any, placing: _Placing) -> list[tuple[Any, ...]]:
    """σ as the lower triangular root of the covariance of all coordinates: new Wiener processes."""
    symbols, size = list(forward), len(forward)
    rows = [equation.noise_of(e) for e in forward.values()]
    covariance = sympy.zeros(size, size)
    for i in range(size):
        for j in range(i + 1):
            product = sympy.Add(*(a * b for a, b in zip(rows[i], rows[j], strict=True)))
            value = placing.of(placing.setting.plain(product) / speed, symbols[i])
            covariance[i, j] = covariance[j, i] = value
    return triangular_root(covariance, placing.setting)


def triangular_root(covariance: Any, setting: Setting) -> list[tuple[Any, ...]]:
    """The rows of the lower triangular root of a matrix, without zero columns."""
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
