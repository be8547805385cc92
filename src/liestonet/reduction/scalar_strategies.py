"""Strategies for one closed coordinate without generators: its symmetries follow from its coefficients.

With y = ∫dx/s, s the size of the noise, dy = g dt + dB and D = s ∂_x: the equation is an integral in some coordinate
if and only if Dg does not depend on x, and a Bessel process if and only if g = A/u + b u + drift of the origin. Neither
test needs the antiderivative y (docs/method.md §18.2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from liestonet.formulas.notation import expression_text
from liestonet.reduction.equation import Change, Equation, Field
from liestonet.reduction.integrating import anchor, closed_form
from liestonet.reduction.inverting import inverted
from liestonet.reduction.simple_strategies import integral_text, lemma_of
from liestonet.reduction.stage import Bessel, Stage, Step
from liestonet.reduction.straightening import straightened
from liestonet.reduction.tuning import REDUCTION


@dataclass(frozen=True)
class _Noise:
    """σ_k = s(t, x) ρ_k(t) with |ρ| = 1, and Dg.

    `strong` is False if the ρ_k depend on x, so that only the law is preserved; `steady` is False if they depend on
    time.
    """

    size: Expr
    slope: Expr
    strong: bool
    steady: bool


def own_shift(stage: Stage) -> Stage | None:
    """If Dg does not depend on x, the symmetry ξ = s exp(∫Dg dt) makes the coordinate an integral."""
    noise = _noise(stage)
    if noise is None:
        return None
    setting, time, x = stage.setting, stage.equation.time, stage.equation.closed[0]
    rate = noise.slope
    if rate.has(x):
        if not setting.lacks(rate, [x]):
            return stage.because(
                f"{x} has no symmetry without time component: its drift in the coordinate with unit noise is not affine"
            )
        rate = setting.tidy(rate.subs(x, anchor(x, setting)))
    growth = closed_form(rate, time, setting)
    if growth is None:
        return stage.because(f"the integral of {rate} has no closed form")
    xi = setting.tidy(noise.size * sympy.exp(growth))
    f = Field(sympy.Integer(0), (xi,), _name(xi, x, stage), noise.strong)
    change = straightened(f, stage)
    if change is None:
        return stage.because(f"the coordinate ∫d{x}/({xi}) or its inverse has no closed form")
    own = "" if len(stage.equation.state) == 1 else f" (a symmetry of the equation of {x} alone)"
    return stage.after(change, [f], f.name, integral_text(change, 1, stage, own), lemma_of([f], change, stage))


def _name(xi: Any, x: Symbol, stage: Stage) -> str:
    public = stage.setting.public(xi)
    shown = expression_text(public)
    return f"∂{x}" if public == 1 else f"({shown}) ∂{x}" if public.is_Add else f"{shown} ∂{x}"


def _noise(stage: Stage) -> _Noise | None:
    """The size of the noise of the only closed coordinate, and Dg; None if there is none or it rotates with x."""
    equation, setting = stage.equation.subsystem(), stage.setting
    if equation.active != 1:
        return None
    x, time = equation.closed[0], equation.time
    entries = [entry for entry in equation.noise[0] if entry != 0]
    if not entries:
        return None
    strong = all(setting.lacks(entry / entries[0], [x]) for entry in entries[1:])
    if not strong and not stage.in_law:
        return None
    variance = setting.tidy(sympy.Add(*(entry**2 for entry in entries)))
    size = setting.tidy(sympy.sqrt(variance)) if len(entries) > 1 else entries[0]
    if (setting.numbers(size) < 0).all():
        size = -size
    g_part = equation.drift[0] / size - sympy.diff(size, x) / 2
    slope = setting.tidy(-sympy.diff(size, time) / size + size * sympy.diff(g_part, x))
    steady = all(setting.lacks(entry / entries[0], [time]) for entry in entries[1:])
    return _Noise(size, slope, strong, steady)


def bessel(stage: Stage) -> Stage | None:
    """Reduce to dζ = A/ζ ds + dB, from the coordinate with unit noise if it has a closed form, else from x."""
    if stage.equation.active != 1 or len(stage.equation.state) > 1 or stage.bessel is not None:
        return None
    moved = _with_unit_noise(stage)
    found = None if moved is None else _bessel(moved)
    if found is not None and found.bessel is not None:
        return found
    if moved is stage:
        return found
    if moved is None or sympy.count_ops(stage.equation.drift[0]) <= REDUCTION.largest_equation:
        return _bessel(stage)
    return stage.because(*(found.reasons[-1:] if found else ()))


def _bessel(stage: Stage) -> Stage | None:
    """From D²g = 2A/u³: u = −3 D²g/D³g and ζ = μu in the time s = ∫μ² with μ = exp(−∫b) obeys dζ = A/ζ ds + dB."""
    noise = _noise(stage)
    if noise is None:
        return None
    if not noise.steady and not stage.in_law:
        return stage.because("the noise vectors rotate in time, so that at most the law is that of a Bessel process")
    setting, time, x = stage.setting, stage.equation.time, stage.equation.closed[0]
    no = "it is not a Bessel process: the drift in that coordinate is not A/u + b u"
    second = setting.tidy(noise.size * sympy.diff(noise.slope, x))
    third = setting.tidy(noise.size * sympy.diff(second, x))
    if second == 0 or third == 0 or setting.vanishes(third):
        return stage.because(no)
    u = setting.tidy(-3 * second / third)
    values = setting.numbers(u)
    if not np.isfinite(values).all() or not (np.sign(values) == np.sign(values[0])).all():
        return stage.because(no)
    strength = setting.tidy(second * u**3 / 2)
    if not setting.lacks(strength, [x, time]) or not setting.vanishes(noise.size * sympy.diff(u, x) - 1):
        return stage.because(no)
    strength = _constant(strength, [x, time], stage)
    rate = setting.tidy(noise.slope + strength / u**2)
    if not setting.lacks(rate, [x]):
        return stage.because(no)
    rate = _constant(rate, [x], stage)
    if not setting.vanishes(stage.equation.drift_of(u) - strength / u - rate * u):
        return stage.because("the singular point of the drift moves, but not along a path of the equation")
    return _in_bessel_form(stage, noise, u if values[0] > 0 else -u, strength, rate)


def _with_unit_noise(stage: Stage) -> Stage | None:
    """The stage in y = ∫dx/s, if y and its inverse have closed forms; the stage itself if s is constant."""
    noise = _noise(stage)
    if noise is None:
        return None
    x, setting = stage.equation.closed[0], stage.setting
    if not noise.size.has(x):
        return stage
    height = closed_form(1 / noise.size, x, setting)
    y = Symbol(stage.fresh(["y"])[0], real=True)
    back = None if height is None else inverted(height, x, y, setting)
    if height is None or back is None:
        return None
    change = Change({y: height}, {x: back}, {x: back}, 1)
    same = setting.seems_zero(back.xreplace({y: height}) - x)
    return stage.after(
        change, [], "", f"{y} = ∫d{x}/σ = {expression_text(setting.public(height))} has unit noise", same
    )


def _constant(expression: Any, symbols: list[Symbol], stage: Stage) -> Any:
    """An expression that does not depend on some symbols, written without them."""
    at = {s: anchor(s, stage.setting) for s in symbols if expression.has(s)}
    return stage.setting.tidy(expression.subs(at)) if at else expression


def _in_bessel_form(stage: Stage, noise: _Noise, u: Any, strength: Any, rate: Any) -> Stage:
    setting, time, x = stage.setting, stage.equation.time, stage.equation.closed[0]
    growth = closed_form(-rate, time, setting)
    factor = None if growth is None else setting.tidy(sympy.exp(growth))
    clock = None if factor is None else closed_form(factor**2, time, setting)
    if factor is None or clock is None:
        return stage.because(f"the clock ∫exp(−2∫({rate})) has no closed form")
    start = sympy.Integer(0) if float(setting.values[time].min()) >= 0 else anchor(time, setting)
    begun = clock.subs(time, start)
    clock = clock if begun.has(sympy.zoo, sympy.nan, sympy.oo) else setting.tidy(clock - begun)
    zeta, s = stage.fresh(["zeta", "s"])
    changed_clock = setting.tidy(clock - time) != 0
    new, place = Symbol(zeta, positive=True), setting.tidy(factor * u)
    clock_symbol = Symbol(s, real=True) if changed_clock else time
    back_time = inverted(clock, time, clock_symbol, setting) if changed_clock else time
    inner = inverted(u, x, Symbol("u_", positive=True), setting)
    if back_time is None or inner is None:
        return stage.because("the inverse of the Bessel coordinate or of its clock has no closed form")
    backward = setting.tidy(inner.xreplace({Symbol("u_", positive=True): new / factor}))
    at = anchor(time, setting)
    section = {x: setting.tidy(inner.xreplace({Symbol("u_", positive=True): new / factor}).subs(time, at)), time: at}
    change = Change(
        {new: place},
        {x: setting.tidy(backward.xreplace({time: back_time}))},
        section,
        1,
        (clock_symbol, clock) if changed_clock else None,
        back_time if changed_clock else None,
    )
    used = [f for f in stage.fields if not f.is_simple]
    # proved by the tests: coefficients need not be computed again
    sign = 1 if setting.numbers(sympy.diff(place, x))[0] > 0 else -1
    entries = [setting.tidy(sign * entry / noise.size) for entry in stage.equation.noise[0]]
    strong = noise.strong and noise.steady
    row = tuple(_constant(entry, [x, time], stage) for entry in entries) if strong else (sympy.Integer(1),)
    equation = Equation(clock_symbol, (new,), (strength / new,), (row,), 1)
    text = (
        f"a Bessel process, d{new} = A/{new} d{clock_symbol} + dB with A = {expression_text(setting.public(strength))}"
    )
    return replace(
        stage,
        equation=equation,
        setting=setting.extended({new: place, **({clock_symbol: clock} if changed_clock else {})}),
        fields=(),
        taken=stage.taken | {new.name, clock_symbol.name},
        level=stage.level if strong else "law",
        changes=(*stage.changes, change),
        steps=(*stage.steps, Step(", ".join(f.name for f in used), text)),
        bessel=Bessel(setting.public(strength)),
        reasons=(),
    )


def moving_frame(stage: Stage) -> Stage | None:
    """Use the coordinate of unit noise for one closed coordinate and a generator with a non-affine time component."""
    timed = [f for f in stage.fields if not f.is_simple]
    if stage.equation.active != 1 or len(stage.equation.state) > 1 or not timed or stage.equation.is_autonomous():
        return None
    x = stage.equation.closed[0]
    if all(sympy.diff(f.xi[0], x, 2) == 0 for f in timed):
        return None
    moved = _with_unit_noise(stage)
    if moved is None:
        return stage.because(f"the coordinate ∫d{x}/σ with unit noise has no closed form with an inverse")
    return moved if moved is not stage else None
