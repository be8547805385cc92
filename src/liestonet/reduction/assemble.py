"""Assembles a reduction: all changes of coordinates as one, the new equation, the solution, and its validity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableMatrix, Symbol

from liestonet.formulas.notation import expression_text
from liestonet.reduction.equation import Equation
from liestonet.reduction.integrating import closed_form
from liestonet.reduction.ito_integral import ItoIntegral
from liestonet.reduction.reduction import Flows, Reduction
from liestonet.reduction.section import Section, flows_of
from liestonet.reduction.stage import Stage, Step
from liestonet.reduction.start import Start
from liestonet.reduction.validity import is_everywhere, is_smooth, poles_reached, reached_ends
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import singular_parts
from liestonet.sde.symbolic import SymbolicCoefficients

Map = dict[Symbol, Any]
LAW_NOISE = "The new equation holds in law: its Wiener processes are not W."


def assembled(start: Start, stage: Stage) -> Reduction:
    """The reduction from the last stage."""
    forward, inverse, clock = _composed(start, stage)
    setting, equation = stage.setting, stage.equation
    public = setting.public
    time = public(equation.time)
    coordinates: Map = {time: public(clock), **{public(s): public(forward[s]) for s in equation.state}}
    back: Map = {}
    if inverse is not None:
        back = {public(start.inner.time): public(inverse[start.inner.time])}
        back |= {s: _outward(inverse, s, start, stage) for s in start.sde.symbolic.state}  # pyright: ignore
    sde = start.sde if not stage.changes else _sde(equation, stage)
    kind = "solved" if stage.is_solved else "reduced" if _is_gain(stage) else "none"
    made = Reduction(
        equation=start.sde,
        kind=kind,
        status="proved" if stage.proved and (inverse is not None or not _is_whole(start, stage)) else "numerical",
        coordinates=coordinates,
        inverse=back,
        sde=sde,
        closed=equation.active,
        solution=_solution(start, stage, forward, inverse) if inverse is not None else None,
        steps=_all_steps(start, stage, kind),
        validity="",
        level=stage.level,
        wiener=_wiener(stage),
        bessel=None if stage.bessel is None else stage.bessel.strength,
        spaces=start.spaces,
        boxes=_boxes(stage),
        error=0.0 if stage.proved and inverse is not None else _error(start, stage),
    )
    return with_validity(made, start, _sides(start, stage))


def sectioned(start: Start, stage: Stage, section: Section) -> Reduction:
    """The reduction on a section: an exact equation in coordinates that are computed numerically."""
    equation, flows = section.equation, flows_of(section, stage)
    public = stage.setting.public
    symbols = (public(start.inner.time), *start.sde.symbolic.state)  # pyright: ignore
    names = {public(s): sympy.Function(s.name)(*symbols) for s in equation.state}
    x = start.sde.names[section.plane]
    made = sympy.sympify(public(stage.equation.closed[section.plane])).subs(symbols[1 + section.plane], 1)
    plane = f"{x} = {made * section.at}"
    text = (
        f"{', '.join(s.name for s in equation.state[:-1])} is where the orbit of a point crosses {plane}, and "
        f"{equation.state[-1]}, the time of the flow from there, becomes an integral; "
        "the coordinates have no closed form"
    )
    return Reduction(
        equation=start.sde,
        kind="reduced",
        status="numerical",
        coordinates={symbols[0]: symbols[0], **names},
        inverse={},
        sde=_sde(equation, stage),
        closed=equation.active,
        solution=None,
        steps=(Step(section.field.name, text),),
        validity=f"where the orbit of a point crosses {plane}, {100 * flows.crossing:.0f} % of the box",
        level="strong" if section.field.strong else "law",
        wiener="" if section.field.strong else LAW_NOISE,
        spaces=start.spaces,
        boxes=_boxes_of(flows, start, stage),
        error=flows.error,
        flows=flows,
    )


def _boxes_of(flows: Flows, start: Start, stage: Stage) -> tuple[tuple[float, float], ...]:
    values = stage.setting.values
    new = flows.forward(values[start.inner.time], np.column_stack([values[s] for s in start.inner.state]))
    return (start.domain.intervals[0], *((float(v.min()), float(v.max())) for v in new.T))


def _boxes(stage: Stage) -> tuple[tuple[float, float], ...]:
    """The intervals of the new time and coordinates that contain the image of the box."""
    symbols = (stage.equation.time, *stage.equation.state)
    values = [stage.setting.values[s] for s in symbols]
    return tuple((float(np.nanmin(v)), float(np.nanmax(v))) for v in values)


def _sides(start: Start, stage: Stage) -> list[str]:
    """Inequalities for the user's coordinates that describe the part of the box that was kept."""
    found = []
    for count, expression in stage.sides:
        forward, _, _ = _composed(start, stage, count)
        condition = stage.setting.public(stage.setting.tidy(expression.xreplace(forward)))
        factored: Any = sympy.factor(condition)
        found.append(f"{expression_text(factored)} > 0")
    return found


def _is_whole(start: Start, stage: Stage) -> bool:
    """Whether there are as many new coordinates as old ones."""
    return len(stage.equation.state) == len(start.inner.state)


def _is_gain(stage: Stage) -> bool:
    return bool(stage.changes) or stage.bessel is not None


def _outward(inverse: Map, s: Symbol, start: Start, stage: Stage) -> Any:
    """A coordinate of the user in new symbols; the inner symbol may be its negative."""
    meant = start.inner.inward[s]
    return stage.setting.public(stage.setting.tidy(meant.xreplace({k: v for k, v in inverse.items()})))


def _composed(start: Start, stage: Stage, count: int | None = None) -> tuple[Map, Map | None, Any]:
    """The composition of the first changes: new coordinates in old ones, old ones in new ones, the new time."""
    inner, setting = start.inner, stage.setting
    forward: Map = {s: s for s in inner.state}
    inverse: Map | None = {s: s for s in (inner.time, *inner.state)}
    clock: Any = inner.time
    present = inner.time
    for change in stage.changes[:count]:
        known = {present: clock, **forward}
        gone = set(change.backward or change.section) - {present}
        kept = [s for s in forward if s not in gone]
        forward = {s: setting.tidy(e.xreplace(known)) for s, e in change.all_forward(kept).items()}
        if change.clock is not None:
            clock = setting.tidy(change.clock[1].xreplace({present: clock}))
        if inverse is not None and change.backward is not None:
            step: Map = change.all_backward()
            if change.clock is not None:
                step[present] = change.back
            inverse = {s: setting.tidy(sympy.sympify(e).xreplace(step)) for s, e in inverse.items()}
        else:
            inverse = None
        present = change.clock[0] if change.clock is not None else present
    return forward, inverse, clock


def _sde(equation: Equation, stage: Stage) -> SDE:
    """The new equation in plain symbols."""
    public = stage.setting.public
    state = tuple(public(s) for s in equation.state)
    size = len(state)
    drift = [public(entry) for entry in equation.drift]
    noise = [public(entry) for row in equation.noise for entry in row]
    made = SymbolicCoefficients(
        state, public(equation.time), ImmutableMatrix(size, 1, drift), ImmutableMatrix(size, equation.noises, noise)
    )
    return SDE.from_coefficients(made, ())


def closed_part(sde: SDE, closed: int) -> SDE:
    """The equation of the first coordinates alone, without Wiener processes that do not act on them."""
    formulas = sde.symbolic
    if formulas is None or closed == sde.dimension:
        return sde
    noise: Any = formulas.diffusion[:closed, :]
    used = [k for k in range(noise.shape[1]) if any(entry != 0 for entry in noise[:, k])] or [0]
    drift: Any = formulas.drift[:closed, :]
    kept = SymbolicCoefficients(formulas.state[:closed], formulas.time, drift, noise.extract(list(range(closed)), used))
    return SDE.from_coefficients(kept, ())


def _all_steps(start: Start, stage: Stage, kind: str) -> tuple[Step, ...]:
    """All steps, then the reasons why there is no further one."""
    steps = list(stage.steps)
    if kind == "solved":
        return tuple(steps)
    reasons = [*start.left_out, *stage.reasons]
    if not start.stage.fields and not start.left_out:
        reasons = ["the equation has no symmetry that reduces it"]
    if stage.bessel is None and start.sde.noise > 1 and not stage.in_law:
        reasons.append('symmetries of the law may reduce the law: solve with symmetry="law"')
    if stage.bessel is None and reasons:
        text = "; ".join(reasons)
        steps.append(Step("", f"No {'further' if stage.steps else 'new coordinates'}: {text}."))
    return tuple(steps)


def _wiener(stage: Stage) -> str:
    """A sentence on the Wiener process of the new equation."""
    clock = next((change.clock for change in reversed(stage.changes) if change.clock is not None), None)
    s = "" if clock is None else stage.setting.public(clock[0])
    if stage.level == "law":
        return LAW_NOISE
    if clock is not None:
        return f"dB = √(d{s}/dt) dW is the noise of the new equation, a Wiener process in the new time {s}."
    return ""


def _error(start: Start, stage: Stage) -> float:
    """The largest relative difference of the new equation from Itô's formula at points of the box."""
    equation = Equation(
        start.inner.time, start.inner.state, start.inner.drift, start.inner.noise, len(start.inner.state)
    )
    forward, _, clock = _composed(start, stage)
    setting = stage.setting
    speed = setting.numbers(sympy.diff(clock, start.inner.time))
    worst = 0.0
    for k, s in enumerate(stage.equation.state):
        wanted = setting.numbers(equation.drift_of(forward[s])) / speed
        found = setting.numbers(stage.equation.drift[k])
        size = 1 + np.abs(wanted)
        worst = max(worst, float(np.nanmax(np.abs(wanted - found) / size)))
    return worst


def _solution(start: Start, stage: Stage, forward: Map, inverse: Map) -> Map | None:
    """Every coordinate of the user with integrals for the new ones; closed coordinates remain functions of time."""
    equation, setting = stage.equation, stage.setting
    if equation.active == len(equation.state) or any(change.clock for change in stage.changes):
        return None
    time = equation.time
    begin = _beginning(start)
    initial = {s: Symbol(f"{s.name}_0", real=s.is_real, positive=s.is_positive) for s in start.inner.state}
    letters = [Symbol(n, real=True) for n in ("s", "r", "q", *(f"s{k}" for k in range(99))) if n not in stage.taken]
    depth: dict[Any, int] = dict.fromkeys(equation.closed, -1)
    found: Map = {z: sympy.Function(z.name, real=True)(time) for z in equation.closed}
    for k in range(equation.active, len(equation.state)):
        q = equation.state[k]
        entries = [equation.drift[k], *equation.noise[k]]
        depth[q] = 1 + max((depth[s] for entry in entries for s in entry.free_symbols if s in depth), default=-1)
        letter = letters[depth[q]]
        value = setting.tidy(forward[q].xreplace({**initial, time: begin}))
        value += _riemann(equation.drift[k], found, (time, begin, letter), setting)
        noises = equation.noises
        for j, entry in enumerate(equation.noise[k]):
            if entry != 0:
                name = ("B" if stage.level == "law" else "W") + (str(j + 1) if noises > 1 else "")
                inside = entry.xreplace(found).xreplace({time: letter})
                value += ItoIntegral(inside, letter, begin, time, Symbol(name, real=True))
        found[q] = value
    back: Map = {}
    outer = {**setting.outward, **{initial[s]: _public_initial(s, start) for s in initial}}
    for s in start.sde.symbolic.state:  # pyright: ignore
        inner_value = start.inner.inward[s].xreplace(inverse).xreplace(found)
        back[s] = inner_value.xreplace(outer)
    return back


def _public_initial(s: Symbol, start: Start) -> Any:
    outward = start.inner.setting.outward[s]
    plain = Symbol(f"{s.name}_0", real=True)
    return plain if outward == Symbol(s.name, real=True) else -plain


def _beginning(start: Start) -> Any:
    """Zero if the equation is regular there, else the first time of the box."""
    space = start.spaces[0]
    return sympy.Integer(0) if space.low < 0 < space.high else sympy.nsimplify(start.domain.intervals[0][0])


def _riemann(entry: Any, found: Map, place: tuple[Any, Any, Symbol], setting: Any) -> Any:
    """∫ entry dt from the beginning: evaluated for a known function of time, else an unevaluated integral."""
    time, begin, letter = place
    if entry == 0:
        return sympy.Integer(0)
    if not entry.has(*found):
        closed = closed_form(entry, time, setting)
        if closed is not None:
            value = closed - closed.subs(time, begin)
            if not value.has(sympy.zoo, sympy.nan, sympy.oo):
                return setting.tidy(value)
    return sympy.Integral(entry.xreplace(found).xreplace({time: letter}), (letter, begin, time))


def with_validity(made: Reduction, start: Start, sides: list[str]) -> Reduction:
    """The reduction with a statement of how long, and where, it holds."""
    values = start.values()
    when = start.spaces[0].words("t")
    timely = f" for {when}" if when else ""
    if made.kind == "none":
        return replace(made, validity="")
    if made.bessel is not None:
        return replace(made, validity=_bessel_validity(made, start, values) + timely)
    x = made.equation.symbolic.state if made.equation.symbolic is not None else ()
    if len(x) == 1 and made.kind == "solved":
        height = list(made.coordinates.values())[1]
        ends = reached_ends(height, x[0], start.spaces[1], values)
        if not ends:
            return replace(made, validity=f"at all times{timely}")
        names = " or ".join(end.text for end in ends)
        continues = _continues(made, values)
        more = f"; in law also afterwards, reflected at {names}" if continues else ""
        reached = f"until {x[0]} reaches {names}{more}"
        return replace(
            made, validity=reached + timely, ends=tuple((e.level, e.text) for e in ends), continues=continues
        )
    new = {s: e for s, e in list(made.coordinates.items())[1:]}
    old = {s: e for s, e in list(made.inverse.items())[1:]}
    if made.kind == "solved" and old and is_everywhere(new, old, values):
        where = f", where {', '.join(sides)}" if sides else ""
        poles = [expression_text(part.xreplace(new)) for part in poles_reached(old, values)]
        until = f"until {' or '.join(poles)} reaches 0" if poles else "at all times"
        return replace(made, validity=f"{until}{timely}{where}")
    inside = sides + [space.words(str(s)) for s, space in zip(x, start.spaces[1:], strict=True)]
    inside += _coordinate_limits(new, x, values)
    listed = ", ".join(dict.fromkeys(word for word in inside if word))
    return replace(made, validity=(f"while {listed}" if listed else "at all times") + timely)


def _coordinate_limits(new: Map, x: tuple[Symbol, ...], values: dict[Symbol, Any]) -> list[str]:
    """Conditions under which the new coordinates are regular."""
    found = []
    for expression in new.values():
        for singular, _ in singular_parts(sympy.sympify(expression)):
            part: Any = singular
            used = part.free_symbols & set(x)
            if used and not part.is_nonnegative:
                found.append(f"{expression_text(part)} {'>' if float(part.subs(values)) > 0 else '<'} 0")
        for node in sympy.sympify(expression).atoms(sympy.atan2):
            found.append(f"({', '.join(expression_text(a) for a in node.args)}) is not the origin")
    return found


def _bessel_validity(made: Reduction, start: Start, values: dict[Symbol, Any]) -> str:
    """The validity of a Bessel reduction, which depends on whether the end ζ = 0 is reached."""
    from liestonet.reduction.sampling import bessel_boundary

    known: Any = sympy.sympify(made.bessel)
    strength = float(known.subs(values))
    if strength >= 0.5:
        limit = "" if not sympy.sympify(made.bessel).free_symbols else f", if A = {made.bessel} is 1/2 or more"
        return f"at all times{limit}"
    x = start.sde.names[0]
    end = _end_text(made, start, values)
    symbolic = f" (A = {made.bessel} below 1/2)" if sympy.sympify(made.bessel).free_symbols else ""
    after = bessel_boundary(made, None, strength) if not made.equation.parameters else ""
    more = f"; samples continue, {after} there" if after else ""
    return f"until {x} reaches {end}{symbolic}{more}"


def _end_text(made: Reduction, start: Start, values: dict[Symbol, Any]) -> str:
    """The text of the end of the state space at ζ = 0."""
    space = start.spaces[1]
    zeta = list(made.coordinates.values())[1]
    x = made.equation.symbolic.state[0]  # pyright: ignore
    ends = reached_ends(zeta, x, space, values)
    return next((end.text for end in ends if abs(end.value) < 1e-9), "the end of its range")


def _continues(made: Reduction, values: dict[Symbol, Any]) -> bool:
    """Whether the formula solves the equation in law also beyond the end, by Itô's formula on the other side.

    Drift and squared noise must be smooth at the end, so that the law is unique there.
    """
    formulas = made.equation.symbolic
    if formulas is None or made.level == "law" or len(made.inverse) < 2:
        return False
    x, time = formulas.state[0], formulas.time
    drift: Any = formulas.drift[0]
    squared: Any = formulas.diffusion_squared[0, 0]
    if not (is_smooth(drift, x) and is_smooth(squared, x)):
        return False
    y, place = list(made.coordinates)[1], made.inverse[x]
    new = made.sde.symbolic
    if new is None or not is_smooth(place, y):
        return False
    speed: Any = new.drift[0]
    variance: Any = new.diffusion_squared[0, 0]
    wanted = [
        sympy.diff(place, time)
        + speed * sympy.diff(place, y)
        + variance * sympy.diff(place, y, 2) / 2
        - drift.subs(x, place),
        variance * sympy.diff(place, y) ** 2 - squared.subs(x, place),
    ]
    for value in (-3.7, -0.6, 0.3, 2.9, 7.1):
        at = {**values, y: value}
        if any(abs(complex(e.subs(at).evalf(30))) > 1e-12 for e in wanted):
            return False
    return True
