"""Strategies with generators without time component: shifts together, linear fields together, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

import numpy as np
import sympy
from sympy import Symbol

from liestonet.formulas.notation import expression_text
from liestonet.reduction.equation import Change, Field
from liestonet.reduction.integrating import closed_form
from liestonet.reduction.linear_strategies import linear_part
from liestonet.reduction.ordering import best_first
from liestonet.reduction.stage import Stage, linear_matrix, numeric_rank
from liestonet.reduction.straightening import spread, straightened
from liestonet.reduction.tuning import REDUCTION


def shifts_together(stage: Stage) -> Stage | None:
    """For fields that depend on time alone: θ = B⁻¹x for some coordinates, and invariants for the others."""
    closed, setting = stage.equation.closed, stage.setting
    shifts = [f for f in stage.fields if f.is_simple and not any(c.has(*closed) for c in f.xi)]
    if len(closed) < 2:
        return None  # one coordinate: the rule for one generator gives a clearer text
    used = _independent(shifts, stage)
    if not used or (len(used) < len(closed) and linear_part(stage) is not None):
        return None  # where the drift is linear, all shifts are known without formulas of generators
    matrix: Any = sympy.Matrix([[f.xi[i] for f in used] for i in range(len(closed))])
    rows = _pivots(matrix, stage)
    if rows is None:
        return None
    rest = [i for i in range(len(closed)) if i not in rows]
    inverse = _inverse(matrix.extract(rows, list(range(len(used)))), stage)
    thetas = (inverse * sympy.Matrix([closed[i] for i in rows])).applyfunc(setting.tidy)
    carried: Any = (matrix.extract(rest, list(range(len(used)))) * inverse).applyfunc(setting.tidy) if rest else None
    several = [f"y{k + 1}" for k in range(len(used))] if len(used) > 1 else ["y"]
    names = stage.fresh(several)
    y = [e if e in closed else Symbol(name, real=True) for name, e in zip(names, thetas, strict=True)]
    invariants: dict[Symbol, Any] = {}
    back: dict[Symbol, Any] = {}
    section: dict[Symbol, Any] = {closed[i]: sympy.Integer(0) for i in rows}
    for place, i in enumerate(rest):
        gone = (carried[place, :] * sympy.Matrix([closed[k] for k in rows]))[0] if carried is not None else 0
        moves = any(matrix[i, k] != 0 for k in range(len(used)))
        z = Symbol(stage.fresh([*several, *(["z"] * (len(invariants) + 1))])[-1], real=True) if moves else closed[i]
        invariants[z] = setting.tidy(closed[i] - gone)
        back[closed[i]] = z + (matrix[i, :] * sympy.Matrix(y))[0]
        section[closed[i]] = z
    for i in rows:
        back[closed[i]] = setting.tidy((matrix[i, :] * sympy.Matrix(y))[0])
    forward = {**invariants, **dict(zip(y, thetas, strict=True))}
    change = Change(forward, back, section, len(rest))
    text = integral_text(change, len(y), stage)
    return stage.after(change, used, ", ".join(f.name for f in used), text, lemma_of(used, change, stage))


def _inverse(block: Any, stage: Stage) -> Any:
    """The inverse B⁻¹; for columns of a matrix exponential B(0)⁻¹B(−t)B(0)⁻¹, which is shorter than cofactors."""
    time, setting = stage.equation.time, stage.setting
    first = block.subs(time, 0)
    if block.has(time) and not first.has(sympy.zoo, sympy.nan) and first.det() != 0:
        start = first.inv()
        guess = (start * block.subs(time, -time) * start).applyfunc(setting.tidy)
        if all(setting.vanishes(entry) for entry in guess * block - sympy.eye(block.shape[0])):
            return guess
    return block.inv().applyfunc(setting.tidy)


def integral_text(change: Change, count: int, stage: Stage, more: str = "") -> str:
    """The text on the last coordinates of a change, which become integrals."""
    rows = list(change.forward.items())[-count:]
    public = stage.setting.public
    shown = ", ".join(
        f"{s.name} = {expression_text(public(e))}" if public(e) != Symbol(s.name, real=True) else s.name
        for s, e in rows
    )
    return f"{shown} {'becomes an integral' if count == 1 else 'become integrals'}{more}"


def _independent(fields: list[Field], stage: Stage) -> list[Field]:
    """The first linearly independent fields, in order."""
    used: list[Field] = []
    for f in fields:
        columns = [other.xi for other in (*used, f)]
        if numeric_rank(columns, stage.setting, REDUCTION.rank) == len(columns):
            used.append(f)
    return used


def _pivots(matrix: Any, stage: Stage) -> list[int] | None:
    """Rows whose square block is invertible at all times of the box, the simplest block first."""
    size = matrix.shape[1]
    found = []
    for rows in islice(combinations(range(matrix.shape[0]), size), 200):
        block = matrix.extract(list(rows), list(range(size)))
        determinant = stage.setting.tidy(block.det())
        if determinant != 0 and spread(stage.setting.numbers(determinant)) < 1 / REDUCTION.rank:
            found.append((sympy.count_ops(determinant), list(rows)))
    return min(found)[1] if found else None


def lemma_of(used: list[Field], change: Change, stage: Stage) -> bool:
    """Whether every used field acts on the new coordinates by functions that do not depend on the state.

    Then no coefficient depends on the coordinates moved, and values on the section hold everywhere.
    """
    time, closed, setting = stage.equation.time, stage.equation.closed, stage.setting
    new = list(change.forward.values())
    for f in used:
        rates = [f.of(e, time, closed) for e in new]
        if not all(setting.vanishes(rate) for rate in rates[: change.active]):
            return False
        if not all(setting.lacks(rate, (*closed, time)) for rate in rates[change.active :]):
            return False
    return True


def linear_together(stage: Stage) -> Stage | None:
    """Use as many commuting linear fields as coordinates: logarithms and arguments of joint eigenvectors."""
    closed, setting = stage.equation.closed, stage.setting
    if len(closed) < 2 or len(closed) > 3 or len(stage.equation.state) > len(closed):
        return None
    linear = [(f, m) for f in stage.fields if f.is_simple and (m := linear_matrix(f.xi, stage)) is not None]
    used = _independent([f for f, _ in linear], stage)
    matrices = [m for f, m in linear if f in used]
    commute = all((a * b - b * a).applyfunc(sympy.simplify).is_zero_matrix for a, b in combinations(matrices, 2))
    if len(used) != len(closed) or not commute:
        return None
    mixed = sum(((k + 2) * m for k, m in enumerate(matrices)), sympy.zeros(len(closed)))
    joint = _joint(mixed, stage)
    if joint is None:
        return None
    parts, stage = joint
    setting = stage.setting
    names = stage.fresh([f"y{k + 1}" for k in range(len(closed))])
    y = [Symbol(name, real=True) for name in names]
    forward = {s: setting.tidy(e) for s, (e, _) in zip(y, parts, strict=True)}
    rows = sympy.Matrix([row for _, row in parts]).reshape(len(closed), len(closed))
    back = _inverse_of(parts, y, rows, closed, setting)
    if back is None:
        return None
    section = {s: setting.tidy(e.xreplace(dict.fromkeys(y, sympy.Integer(0)))) for s, e in back.items()}
    change = Change(forward, back, section, 0)
    text = integral_text(change, len(y), stage)
    return stage.after(change, used, ", ".join(f.name for f in used), text, lemma_of(used, change, stage))


def _joint(matrix: Any, stage: Stage) -> tuple[list[tuple[Any, Any]], Stage] | None:
    """Coordinates with their linear forms: ln|ℓx| for real eigenvectors, ln|ℓx| and arg ℓx for complex pairs.

    If a form changes its sign in the box, the side with more points is kept.
    """
    x = sympy.Matrix(stage.equation.closed)
    found: list[tuple[Any, Any]] = []
    for value, multiplicity, rows in matrix.T.eigenvects():
        if multiplicity != 1:
            return None
        row, imaginary = rows[0].T, sympy.im(value)
        if imaginary == 0:
            place = (row * x)[0]
            signs = np.sign(stage.setting.numbers(place))
            sign = 1 if np.sum(signs > 0) >= np.sum(signs < 0) else -1
            if not (signs == sign).all():
                side = (len(stage.changes), sign * place)
                setting = stage.setting.restricted(signs == sign)
                stage = replace(stage, setting=setting, sides=(*stage.sides, side))
            found.append((sympy.log(sign * place), sign * row))
        elif stage.setting.numbers(imaginary)[0] > 0:
            re, im = ((row.applyfunc(part)) for part in (sympy.re, sympy.im))
            u, v = (re * x)[0], (im * x)[0]
            found += [(sympy.log(u**2 + v**2) / 2, re), (sympy.atan2(v, u), im)]
    return (found, stage) if len(found) == len(stage.equation.closed) else None


def _inverse_of(parts: Any, y: list[Symbol], rows: Any, closed: Any, setting: Any) -> dict[Symbol, Any] | None:
    """The old coordinates in the new ones, by exponentials, and cosines and sines for complex pairs."""
    values = []
    for k, (expression, _) in enumerate(parts):
        if isinstance(expression, sympy.atan2):
            values[-1] = sympy.exp(y[k - 1]) * sympy.cos(y[k])
            values.append(sympy.exp(y[k - 1]) * sympy.sin(y[k]))
        else:
            values.append(sympy.exp(y[k]))
    back = (rows.inv() * sympy.Matrix(values)).applyfunc(setting.tidy)
    found = dict(zip(closed, back, strict=True))
    there = setting.extended({s: e for s, (e, _) in zip(y, parts, strict=True)})
    same = all(np.allclose(there.numbers(found[s]), setting.values[s], rtol=1e-6, atol=1e-6) for s in closed)
    return found if same else None


def one_at_a_time(stage: Stage) -> Stage | None:
    """Use the next generator of a chain of ideals, straightened in closed form."""
    simple = [f for f in stage.fields if f.is_simple and any(c != 0 for c in f.xi)]
    for f in best_first(simple, stage):
        for part in _one_sided(f, stage):
            change = straightened(f, part)
            if change is not None:
                change = corrected(f, change, part)
                return part.after(change, [f], f.name, integral_text(change, 1, part), lemma_of([f], change, part))
    return None


def corrected(f: Field, change: Change, stage: Stage) -> Change:
    """The change with earlier integrals made invariant under the generator, if the correction is an integral.

    If Xp = g(t, closed), then p − ∫g dθ is invariant, and none of its coefficients depends on θ.
    """
    setting, equation = stage.setting, stage.equation
    passive = equation.state[equation.active :]
    if change.backward is None:
        return change
    theta = list(change.forward)[-1]
    there = setting.extended({s: e for s, e in change.forward.items() if s not in setting.values})
    found: dict[Symbol, tuple[Symbol, Any, Any]] = {}
    for p, moved in zip(passive, f.rest, strict=True):
        if moved == 0 or moved.has(*passive):
            continue
        grown = closed_form(there.tidy(moved.xreplace(dict(change.backward))), theta, there)
        if grown is not None:
            taken = replace(stage, taken=stage.taken | {s.name for s in change.forward})
            new = Symbol(taken.fresh(["y", *["y"] * len(found)])[-1], real=True)
            found[p] = new, setting.tidy(grown.xreplace(dict(change.forward))), grown
    return replace(change, corrected=found)


def _one_sided(f: Field, stage: Stage) -> Iterator[Stage]:
    """The stage itself, and the part of the box on which the only component has one sign: the larger part first."""
    yield stage
    moved = [c for c in f.xi if c != 0]
    signs = np.sign(stage.setting.numbers(moved[0]))
    if len(moved) == 1 and not (signs == signs[0]).all():
        for sign in (1, -1) if np.sum(signs > 0) > 0.3 * len(signs) else (-1, 1):
            if (signs == sign).any():
                side = (len(stage.changes), sign * moved[0])
                yield replace(stage, setting=stage.setting.restricted(signs == sign), sides=(*stage.sides, side))
