"""Coordinates in which a field without time component is a shift: θ with Xθ = 1, and invariants z with Xz = 0.

Time is a parameter here. Rules in order: one component; affine fields, by a left eigenvector; components that depend
only on their own coordinate. See docs/method.md §18.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from liestonet.reduction.equation import Change, Field
from liestonet.reduction.integrating import anchor, anchors, closed_form, kept
from liestonet.reduction.inverting import inverted
from liestonet.reduction.setting import Setting
from liestonet.reduction.stage import Stage, signed_symbol
from liestonet.reduction.tuning import REDUCTION


@dataclass(frozen=True)
class _Affine:
    """ξ = (A x + b)·scale, A of numbers and parameters, b and the scale may depend on time."""

    matrix: Any
    shift: Any
    scale: Expr


def straightened(field: Field, stage: Stage) -> Change | None:
    """New coordinates by the first rule that applies; None if none does."""
    for rule in (_one_component, _affine, _separate):
        change = rule(field, stage)
        if change is not None:
            return change
    return None


def _one_component(field: Field, stage: Stage) -> Change | None:
    """For ξ ∂_k alone: θ = ∫dx^k/ξ, and the other coordinates are unchanged."""
    closed, setting = stage.equation.closed, stage.setting
    moved = [k for k, c in enumerate(field.xi) if c != 0]
    if len(moved) != 1:
        return None
    k = moved[0]
    x = closed[k]
    height = closed_form(1 / field.xi[k], x, setting)
    if height is None:
        if len(stage.equation.state) > 1:
            return None
        height = kept(1 / field.xi[k], x, setting)
    y = x if height == x else Symbol(stage.fresh(["y"])[0], real=True)
    back = x if y == x else inverted(height, x, y, setting) if not height.has(sympy.Integral) else None
    if back is None and len(stage.equation.state) > 1:
        return None
    others = [s for s in closed if s != x]
    forward: dict[Symbol, Expr] = {**{s: s for s in others}, y: height}
    backward = None if back is None else {**{s: s for s in others}, x: back}
    return Change(forward, backward, {x: _regular(height, field.xi[k], x, setting)}, len(others))


def _regular(height: Any, xi: Any, x: Symbol, setting: Setting) -> Any:
    """A simple number at which a coordinate and its field are finite and the field is not zero."""
    for value in anchors(x, setting):
        at = [sympy.sympify(e).subs(x, value) for e in (1 / xi, sympy.diff(xi, x), height)]
        if all(not e.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo) for e in at):
            return value
    return anchor(x, setting)


def _affine(field: Field, stage: Stage) -> Change | None:
    """For ξ = Ax + b: θ by a left eigenvector of A, z the point carried back to θ = 0."""
    closed, setting = stage.equation.closed, stage.setting
    if not 2 <= len(closed) <= 4:
        return None
    found = _as_affine(field, closed, stage.equation.time)
    if found is None:
        return None
    th = sympy.Dummy("theta", real=True)
    try:
        carry = (th * found.matrix).exp().applyfunc(sympy.simplify)
    except (NotImplementedError, ValueError, TypeError):
        return None
    drifted = carry.applyfunc(lambda e: _integral_from_zero(e, th)) * found.shift
    for theta, line in _shifts(found, closed, setting):
        change = _carried(stage, found, (th, carry, drifted), theta, line)
        if change is not None:
            return change
    return None


def _as_affine(field: Field, closed: tuple[Symbol, ...], time: Symbol) -> _Affine | None:
    """The field as (Ax + b)·scale(t), with A free of time."""
    components = sympy.Matrix([sympy.expand(c) for c in field.xi])
    matrix = components.jacobian(sympy.Matrix(closed))
    if any(entry.has(*closed) for entry in matrix):
        return None
    matrix = matrix.applyfunc(sympy.simplify)
    shift = (components - matrix * sympy.Matrix(closed)).applyfunc(sympy.simplify)
    if any(entry.has(*closed) for entry in shift):
        return None
    scale = sympy.Integer(1)
    timed = [entry for entry in matrix if entry.has(time)]
    if timed:
        scale = timed[0].as_independent(time, as_Add=False)[1]
        matrix = (matrix / scale).applyfunc(sympy.simplify)
        shift = (shift / scale).applyfunc(sympy.simplify)
    return None if any(entry.has(time) for entry in matrix) else _Affine(matrix, shift, scale)


def _integral_from_zero(entry: Any, th: Symbol) -> Any:
    found = sympy.integrate(entry, th)
    return sympy.simplify(found - found.subs(th, 0))


def _shifts(found: _Affine, closed: tuple[Symbol, ...], setting: Setting) -> Iterator[tuple[Expr, Expr]]:
    """θ, and an expression that vanishes where θ = 0 and is linear in the coordinates (docs/method.md §18.3)."""
    x, shift = sympy.Matrix(closed), found.shift
    pairs = [(sympy.simplify(v), [w.T for w in rows]) for v, _, rows in found.matrix.T.eigenvects()]
    rows = [(v, row) for v, several in pairs for row in _simple_rows(several)]
    for value, row in rows:
        lift = sympy.simplify((row * shift)[0])
        if value == 0 and not setting.vanishes(lift):
            yield (row * x)[0] / lift, (row * x)[0]
    for value, row in rows:
        place = (row * x)[0] + ((row * shift)[0] / value if value != 0 else 0)
        if value != 0 and value.is_real:
            signs = np.sign(setting.numbers(place))
            if (signs == signs[0]).all() and signs[0] != 0:
                yield sympy.log(signs[0].astype(int) * place) / value, place - int(signs[0])
    for value, row in rows:
        _, imaginary = value.as_real_imag()
        if imaginary == 0 or not setting.numbers(imaginary)[0] > 0:
            continue
        place = sympy.expand((row * x)[0] + (row * shift)[0] / value)
        re, im = place.as_real_imag()
        yield sympy.atan2(im, re) / imaginary, im
    yield from _nilpotent(found, x, setting)


def _simple_rows(rows: list[Any]) -> list[Any]:
    """The rows of an eigenspace, and for spaces of several dimensions their sum."""
    return rows if len(rows) == 1 else [*rows, sum(rows[1:], rows[0])]


def _nilpotent(found: _Affine, x: Any, setting: Setting) -> Iterator[tuple[Expr, Expr]]:
    """ℓ₁A = 0 and ℓ₂A = ℓ₁: θ = ℓ₂x/(ℓ₁x + ℓ₂b)."""
    matrix, shift = found.matrix, found.shift
    for first in (row.T for row in matrix.T.nullspace()):
        try:
            symbols = sympy.symbols(f"l0:{matrix.shape[0]}")
            second = sympy.Matrix([symbols])
            solved = sympy.solve(list(second * matrix - first), symbols, dict=True)
        except (NotImplementedError, ValueError):
            continue
        for solution in solved:
            row = second.subs(solution).subs(dict.fromkeys(symbols, 0))
            below = sympy.simplify((first * x)[0] + (row * shift)[0])
            if np.isfinite(1 / setting.numbers(below)).all() and not setting.vanishes(below):
                yield (row * x)[0] / below, (row * x)[0]


def _carried(stage: Stage, found: _Affine, flow: tuple[Symbol, Any, Any], theta: Expr, line: Expr) -> Change | None:
    """Coordinates from θ and the flow; the section is where `line` vanishes."""
    closed, setting = stage.equation.closed, stage.setting
    th, carry, drifted = flow
    values = setting.numbers(theta)
    if not np.isfinite(values).all():
        return None
    back = (carry * sympy.Matrix(closed) + drifted).xreplace({th: -theta})
    for dropped in sorted(range(len(closed)), key=lambda k: -sympy.count_ops(closed[k])):
        slope = sympy.diff(line, closed[dropped])
        if slope == 0 or slope.has(*closed):
            continue
        kept_ones = [k for k in range(len(closed)) if k != dropped]
        expressions = [setting.tidy(back[k]) for k in kept_ones]
        names = stage.fresh(["y", *("z" for _ in kept_ones)])
        y = Symbol(names[0], real=True)
        z = [signed_symbol(n, e) for n, e in zip(names[1:], expressions, strict=True)]
        section = {closed[k]: s for k, s in zip(kept_ones, z, strict=True)}
        section[closed[dropped]] = setting.tidy((-(line - slope * closed[dropped]) / slope).xreplace(dict(section)))
        place = sympy.Matrix([section[s] for s in closed])
        shifted = (carry * place + drifted).xreplace({th: y * found.scale})
        backward = {s: setting.tidy(shifted[k]) for k, s in enumerate(closed)}
        forward = {**dict(zip(z, expressions, strict=True)), y: setting.tidy(theta / found.scale)}
        there = setting.extended(forward)
        if all(np.allclose(there.numbers(backward[s]), setting.values[s], rtol=1e-6, atol=1e-6) for s in closed):
            return Change(forward, backward, section, len(z))
    return None


def _separate(field: Field, stage: Stage) -> Change | None:
    """For components that depend on their own coordinate: u_i = ∫dx^i/ξ^i, θ = u_k and z_i = u_i − u_k."""
    closed, setting = stage.equation.closed, stage.setting
    others = [[s for s in closed if s != x] for x in closed]
    if any(c.has(*rest) for c, rest in zip(field.xi, others, strict=True) if rest):
        return None
    moved = [k for k, c in enumerate(field.xi) if c != 0]
    heights = {k: closed_form(1 / field.xi[k], closed[k], setting) for k in moved}
    if any(h is None for h in heights.values()):
        return None
    u = {k: sympy.Dummy("u", real=True) for k in moved}
    back = {k: inverted(heights[k], closed[k], u[k], setting) for k in moved}
    if any(e is None for e in back.values()):
        return None
    first, rest = moved[0], moved[1:]
    names = stage.fresh(["y", *("z" for _ in rest)])
    y, z = Symbol(names[0], real=True), [Symbol(name, real=True) for name in names[1:]]
    still = {s: s for k, s in enumerate(closed) if k not in moved}
    invariants = {s: setting.tidy(heights[k] - heights[first]) for s, k in zip(z, rest, strict=True)}
    forward = {**still, **invariants, y: heights[first]}
    backward = {
        **still,
        closed[first]: setting.tidy(back[first].xreplace({u[first]: y})),
        **{closed[k]: setting.tidy(back[k].xreplace({u[k]: s + y})) for s, k in zip(z, rest, strict=True)},
    }
    at = anchor(closed[first], setting)
    level = heights[first].subs(closed[first], at)
    section = {s: e.xreplace({y: level}) for s, e in backward.items() if s not in still}
    return Change(forward, backward, section, len(still) + len(z))


def spread(values: np.ndarray) -> float:
    """The ratio of the largest to the smallest modulus; infinite if a value is zero or undefined."""
    sizes = np.abs(values)
    return float(sizes.max() / sizes.min()) if np.isfinite(sizes).all() and sizes.min() > REDUCTION.rank else np.inf
