"""The state of a reduction: the present equation, the remaining generators, and the steps done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from liestonet.reduction.equation import Change, Equation, Field, changed
from liestonet.reduction.setting import Setting

LETTERS = ("y", "z", "u", "v", "w", "p", "q")
CLOCKS = ("s", "r", "theta")


@dataclass(frozen=True)
class Step:
    """One step: the generator used, if any, and its effect, or the reason why there was none."""

    generator: str
    text: str

    def __str__(self) -> str:
        return f"{self.generator}: {self.text}" if self.generator else self.text


@dataclass(frozen=True)
class Bessel:
    """The equation dζ = A/ζ ds + dB: the strength A, and the end of the old coordinate at ζ = 0."""

    strength: Expr


@dataclass(frozen=True)
class Stage:
    """The present equation and symbols, generators that act on its closed coordinates, changes and steps.

    `in_law` says that symmetries of the law may be used, `level` whether one was. `sides` are expressions that are
    positive on the part of the box that was kept, each with the number of earlier changes. `asked` says that symmetries
    of the closed equation were searched, `renewed` that some were found and not yet used.
    """

    equation: Equation
    setting: Setting
    fields: tuple[Field, ...]
    taken: frozenset[str]
    level: str = "strong"
    in_law: bool = False
    changes: tuple[Change, ...] = ()
    steps: tuple[Step, ...] = ()
    proved: bool = True
    bessel: Bessel | None = None
    reasons: tuple[str, ...] = ()
    sides: tuple[tuple[int, Expr], ...] = ()
    asked: bool = False
    renewed: bool = False

    @property
    def is_solved(self) -> bool:
        """Whether every coordinate is an integral."""
        return self.equation.active == 0

    def said(self, generator: str, text: str) -> Stage:
        """The stage with one more step."""
        return replace(self, steps=(*self.steps, Step(generator, text)))

    def because(self, *more: str) -> Stage:
        """The stage with additional reasons why no strategy applies."""
        return replace(self, reasons=tuple(dict.fromkeys((*self.reasons, *more))))

    def fresh(self, wanted: Iterable[str]) -> list[str]:
        """Names that are not in use, close to those wanted."""
        found: list[str] = []
        for name in wanted:
            others = CLOCKS if name in CLOCKS else LETTERS if len(name) == 1 else ()
            options = [name, *others, *(f"{name}{k}" for k in range(1, 99))]
            found.append(next(o for o in options if o not in self.taken and o not in found))
        return found

    def after(self, change: Change, used: Iterable[Field], generator: str, text: str, lemma: bool = False) -> Stage:
        """The stage in new coordinates; `lemma`: coefficients provably depend on none that are moved."""
        used = list(used)
        law = self.level == "law" or not all(f.strong for f in used)
        equation, shown = changed(self.equation, change, self.setting, law, lemma)
        passive = self.equation.state[self.equation.active :]
        forward = change.all_forward(passive)
        setting = self.setting.extended({s: e for s, e in forward.items() if s not in passive})
        if change.clock is not None:
            setting = setting.extended({change.clock[0]: change.clock[1]})
        left = [projected(f, self, change) for f in self.fields if f not in used]
        return replace(
            self,
            equation=equation,
            setting=setting,
            fields=tuple(f for f in left if f is not None),
            taken=self.taken | {s.name for s in forward} | ({change.clock[0].name} if change.clock else set()),
            level="law" if law else "strong",
            changes=(*self.changes, change),
            steps=(*self.steps, Step(generator, text)),
            proved=self.proved and (shown or lemma),
            reasons=(),
        )


def projected(given: Field, stage: Stage, change: Change) -> Field | None:
    """A generator in the new coordinates; None if it does not act on the closed ones, or is zero there."""
    equation, setting = stage.equation, stage.setting
    time, closed, passive = equation.time, equation.closed, equation.state[equation.active :]
    forward = change.all_forward(passive)
    backward = {**change.all_backward(), **({} if change.clock is None else {time: change.back})}
    whole = Field(given.tau, (*given.xi, *given.rest), given.name)
    tau: Any = given.tau if change.clock is None else setting.tidy(given.of(change.clock[1], time, closed))
    components = []
    for k, expression in enumerate(forward.values()):
        moved = setting.plain(whole.of(expression, time, equation.state))
        found = setting.tidy(moved.xreplace(dict(change.section)))
        if not setting.vanishes(moved - found.xreplace(forward)):
            if k < change.active:
                return None
            found = setting.tidy(moved.xreplace(backward))
        components.append(found)
    if change.clock is not None and change.back is not None:
        tau = setting.tidy(tau.xreplace({time: change.back}))
    if tau == 0 and all(c == 0 for c in components[: change.active]):
        return None
    parts = tuple(components[: change.active]), tuple(components[change.active :])
    kept: Any = tau
    return Field(kept, parts[0], given.name, given.strong, parts[1])


def signed_symbol(name: str, expression: Any) -> Symbol:
    """A symbol for a new coordinate, positive if its expression is."""
    sympified = sympy.sympify(expression)
    positive = sympified.is_positive or (sympified.is_nonnegative and not sympified.is_zero)
    return Symbol(name, positive=True) if positive else Symbol(name, real=True)


def numeric_rank(columns: list[tuple[Expr, ...]], setting: Setting, tolerance: float) -> int:
    """Generic rank of vectors whose components are expressions, the largest over the setting's points."""
    if not columns:
        return 0
    values = np.array([[setting.numbers(c) for c in column] for column in columns])  # k × n × points
    best = 0
    for point in range(values.shape[2]):
        matrix = values[:, :, point]
        if np.isfinite(matrix).all():
            sizes = np.linalg.norm(matrix, axis=1, keepdims=True)
            unit = matrix / np.where(sizes > 0, sizes, 1.0)
            best = max(best, int(np.sum(np.linalg.svd(unit, compute_uv=False) > tolerance)))
    return best


def linear_matrix(xi: tuple[Expr, ...], stage: Stage) -> Any:
    """The constant matrix A of a linear field Ax, or None."""
    closed = stage.equation.closed
    components = sympy.Matrix([sympy.expand(c) for c in xi])
    matrix = components.jacobian(sympy.Matrix(closed))
    rest = (components - matrix * sympy.Matrix(closed)).applyfunc(sympy.simplify)
    if any(e.has(*closed, stage.equation.time) for e in matrix) or any(e != 0 for e in rest):
        return None
    return matrix
