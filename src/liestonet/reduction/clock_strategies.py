"""Strategies for the clock: a generator that moves time is followed to one instant, and the equation is autonomous.

s = ∫dt/τ is the new time, z the point to which the flow carries (t, x) at a fixed time; then dz = F(z) ds + S(z) dB,
with coefficients evaluated at that time (docs/method.md §18.5).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy
from sympy import Symbol

from liestonet.reduction.equation import Change, Field
from liestonet.reduction.integrating import anchor, closed_form
from liestonet.reduction.inverting import inverted
from liestonet.reduction.linear_strategies import fundamental_inverse
from liestonet.reduction.stage import Stage


def at_rest(stage: Stage) -> Stage | None:
    """Closed coordinates whose coefficients do not depend on any of them, such as a constant, are integrals already."""
    equation = stage.equation.subsystem()
    if not equation.active or any(e.has(*equation.closed) for row in (equation.drift, *equation.noise) for e in row):
        return None
    names = ", ".join(s.name for s in equation.closed)
    verb = "is an integral" if equation.active == 1 else "are integrals"
    still = all(e == 0 for row in (equation.drift, *equation.noise) for e in row)
    text = f"{names} {'does not change' if still else f'{verb} as it stands'}"
    return replace(stage.said("", text), equation=replace(stage.equation, active=0), reasons=())


def autonomous(stage: Stage) -> Stage | None:
    """Make the closed coordinates autonomous by the first generator with a time component and a flow in closed form."""
    if not stage.equation.active or stage.bessel is not None:
        return None
    timed = [f for f in stage.fields if not f.is_simple]
    if not timed:
        return None
    if stage.equation.is_autonomous():
        return stage.because(f"{timed[0].name} only shows that the equation is autonomous, which it already is")
    reasons = []
    for f in sorted(timed, key=_length):
        change = _followed(f, stage)
        if isinstance(change, Change):
            s = change.clock[0] if change.clock else stage.equation.time
            done = stage.after(change, [f], f.name, f"autonomous in the clock {s} = ∫dt/τ", _lemma(f, change, stage))
            return replace(done, fields=tuple(g for g in done.fields if g.name != f.name))
        reasons.append(f"{f.name}: {change}")
    return stage.because("; ".join(reasons))


def _length(f: Field) -> int:
    return int(sympy.count_ops(f.tau)) + sum(int(sympy.count_ops(c)) for c in f.xi)


def _lemma(f: Field, change: Change, stage: Stage) -> bool:
    time, closed, setting = stage.equation.time, stage.equation.closed, stage.setting
    still = all(setting.vanishes(f.of(e, time, closed)) for e in change.forward.values())
    clock = change.clock[1] if change.clock else time
    return still and setting.lacks(f.of(clock, time, closed), (time, *closed))


def _followed(f: Field, stage: Stage) -> Change | str:
    """The new time and coordinates of a generator, or the reason why there are none."""
    setting, time, closed = stage.setting, stage.equation.time, stage.equation.closed
    sign = np.sign(setting.numbers(f.tau))
    if not (sign == sign[0]).all() or sign[0] == 0:
        return "its time component has a zero in the box"
    tau = setting.tidy(int(sign[0]) * f.tau)
    xi = [setting.tidy(int(sign[0]) * c) for c in f.xi]
    clock = closed_form(1 / tau, time, setting)
    if clock is None:
        return "the clock ∫dt/τ has no closed form"
    flow = _affine_flow(tau, xi, stage)
    if flow is None:
        return "no closed form of its flow was found"
    growth, path = flow
    same = setting.tidy(clock - time) == 0
    s = time if same else Symbol(stage.fresh(["s"])[0], real=True)
    back_time = time if same else inverted(clock, time, s, setting)
    if back_time is None:
        return "the clock ∫dt/τ has no closed inverse"
    size = len(closed)
    row_still = [all(growth[i, j] == (1 if i == j else 0) for j in range(size)) and path[i] == 0 for i in range(size)]
    names = iter(stage.fresh(["z" for keep in row_still if not keep]))
    diagonal = growth.is_diagonal()
    z = [closed[i] if row_still[i] else Symbol(next(names), **_sign(closed[i], path[i], diagonal)) for i in range(size)]
    inverse = growth.inv().applyfunc(setting.tidy)
    moved = inverse * (sympy.Matrix(closed) - path)
    forward = {z[i]: setting.tidy(moved[i]) for i in range(size)}
    at = anchor(time, setting)
    there = dict(zip(closed, growth * sympy.Matrix(z) + path, strict=True))
    section = {**{x: setting.tidy(e.subs(time, at)) for x, e in there.items()}, time: at}
    backward = {x: setting.tidy(e.xreplace({time: back_time})) for x, e in there.items()}
    return Change(forward, backward, section, size, None if same else (s, clock), None if same else back_time)


def _sign(x: Symbol, path: Any, diagonal: bool) -> dict[str, bool]:
    return {"positive": True} if x.is_positive and path == 0 and diagonal else {"real": True}


def _affine_flow(tau: Any, xi: list[Any], stage: Stage) -> tuple[Any, Any] | None:
    """For dx/dt = (P(t)x + q(t))/τ the matrix E and a particular path with x = Ez + path; else None.

    P is diagonal, or a matrix of numbers times one function of time.
    """
    setting, time, closed = stage.setting, stage.equation.time, stage.equation.closed
    components = sympy.Matrix([sympy.expand(c) for c in xi])
    matrix = components.jacobian(sympy.Matrix(closed)).applyfunc(setting.tidy)
    forcing = (components - matrix * sympy.Matrix(closed)).applyfunc(setting.tidy)
    if any(entry.has(*closed) for entry in [*matrix, *forcing]):
        return None
    if matrix.is_diagonal():
        exponents = [closed_form(matrix[i, i] / tau, time, setting) for i in range(len(closed))]
        if any(e is None for e in exponents):
            return None
        growth = sympy.diag(*(setting.tidy(sympy.exp(e)) for e in exponents))
    else:
        found = fundamental_inverse(-matrix / tau, time, setting)
        if found is None:
            return None
        growth = found
    inside = (growth.inv() * forcing / tau).applyfunc(setting.tidy)
    path = [closed_form(entry, time, setting) for entry in inside]
    if any(entry is None for entry in path):
        return None
    return growth, (growth * sympy.Matrix(path)).applyfunc(setting.tidy)
