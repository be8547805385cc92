"""The strategy for a generator that moves time: its orbits are followed to one instant, and the equation is autonomous.

s = ∫dt/τ is the new clock, z the point that the flow carries to a fixed time; then dz = F(z) ds + S(z) dB, by
evaluation alone (docs/method.md §14.5).
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
from liestonet.reduction.stage import Stage


def autonomous(stage: Stage) -> Stage | None:
    """The first generator with a time component whose flow has a closed form makes the closed coordinates autonomous."""
    if not stage.equation.active or stage.bessel is not None:
        return None
    timed = [f for f in stage.fields if not f.is_simple]
    if not timed:
        return None
    if stage.equation.is_autonomous():
        return stage.because(f"{timed[0].name} says that the equation is autonomous, which it is already")
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
    """Clock and coordinates of a generator, or why there are none."""
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
        return "its flow has no closed form by the rules known here"
    grown, path = flow
    same = setting.tidy(clock - time) == 0
    s = time if same else Symbol(stage.fresh(["s"])[0], real=True)
    back_time = time if same else inverted(clock, time, s, setting)
    if back_time is None:
        return "the clock ∫dt/τ has no closed inverse"
    still = [grown[i] == 1 and path[i] == 0 for i in range(len(closed))]
    names = iter(stage.fresh(["z" for keep in still if not keep]))
    z = [closed[i] if still[i] else Symbol(next(names), **_sign(closed[i], path[i])) for i in range(len(closed))]
    forward = {z[i]: setting.tidy((closed[i] - path[i]) / grown[i]) for i in range(len(closed))}
    at = anchor(time, setting)
    there = {closed[i]: grown[i] * z[i] + path[i] for i in range(len(closed))}
    section = {**{x: setting.tidy(e.subs(time, at)) for x, e in there.items()}, time: at}
    backward = {x: setting.tidy(e.xreplace({time: back_time})) for x, e in there.items()}
    return Change(forward, backward, section, len(closed), None if same else (s, clock), None if same else back_time)


def _sign(x: Symbol, path: Any) -> dict[str, bool]:
    return {"positive": True} if x.is_positive and path == 0 else {"real": True}


def _affine_flow(tau: Any, xi: list[Any], stage: Stage) -> tuple[list[Any], list[Any]] | None:
    """dx_i/dt = (p_i(t) x_i + q_i(t))/τ: growth E_i and a particular path, x_i = E_i z_i + path_i; else None."""
    setting, time, closed = stage.setting, stage.equation.time, stage.equation.closed
    grown, paths = [], []
    for i, x in enumerate(closed):
        component = sympy.expand(xi[i])
        slope = setting.tidy(sympy.diff(component, x))
        rest = setting.tidy(component - slope * x)
        if slope.has(*closed) or rest.has(*closed):
            return None
        exponent = closed_form(slope / tau, time, setting)
        if exponent is None:
            return None
        growth = setting.tidy(sympy.exp(exponent))
        forced = closed_form(setting.tidy(rest / tau / growth), time, setting)
        if forced is None:
            return None
        grown.append(growth)
        paths.append(setting.tidy(growth * forced))
    return grown, paths
