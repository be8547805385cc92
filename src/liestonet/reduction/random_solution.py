"""An equation solved by symmetries that depend on its Wiener process (docs/method.md §2.7 and §18.10).

The new coordinates u(t, x, w) are integrals of known functions of time and of the Wiener processes, which are added as
coordinates: dw = dW, du = p(t, w) dt + q(t, w) dW.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy
from sympy import ImmutableMatrix, Symbol

from liestonet.core.domain import Domain
from liestonet.formulas.formula import Formula
from liestonet.formulas.notation import expression_text, field_text
from liestonet.formulas.proved.random_quadrature import RandomQuadrature, random_quadrature
from liestonet.reduction.ito_integral import ItoIntegral
from liestonet.reduction.reduction import Reduction
from liestonet.reduction.stage import LETTERS, Step
from liestonet.reduction.state_space import Space, state_spaces
from liestonet.reduction.validity import Reached, is_smooth, reached_ends
from liestonet.sde.extended import extended, noise_names
from liestonet.sde.sde import SDE
from liestonet.sde.symbolic import SymbolicCoefficients

if TYPE_CHECKING:
    from liestonet.result import Result

NONE = "There is no random symmetry that solves the equation"


@dataclass(frozen=True)
class _Solved:
    """An equation with its quadrature in the user's symbols."""

    sde: SDE
    domain: Domain
    draw: Mapping[str, Any]
    wiener: tuple[Symbol, ...]
    new: tuple[Symbol, ...]
    found: RandomQuadrature

    @property
    def time(self) -> Symbol:
        return Symbol("t", real=True)

    @property
    def state(self) -> tuple[Symbol, ...]:
        return tuple(Symbol(name, real=True) for name in self.sde.names)


def by_random_symmetries(
    sde: SDE, domain: Domain, draw: Mapping[str, Any], phis: Sequence[Sequence[Any]] = ()
) -> Reduction | None:
    """The solution by random symmetries on a box of time and coordinates; None where they do not give one.

    For a scalar equation `phis` may be empty; a system needs as many as it has coordinates.
    """
    larger = extended(sde)
    if larger.symbolic is None:
        return None
    box = Domain((*domain.intervals[: sde.dimension + 1], *[(-1.0, 1.0)] * sde.noise))
    found = random_quadrature(larger.symbolic, box, phis)
    if found is None:
        return None
    names = noise_names(sde)
    new = _letters(sde, names, len(found.heights))
    plain = dict(zip(found.heights, new, strict=True))
    inverse = None if found.inverse is None else tuple(e.xreplace(plain) for e in found.inverse)
    found = replace(found, heights=new, inverse=inverse)
    wiener = tuple(Symbol(name, real=True) for name in names)
    return _reduction(_Solved(sde, Domain(domain.intervals[: sde.dimension + 1]), draw, wiener, new, found), phis)


def random_reduction(result: Result, sde: SDE) -> Reduction:
    """The reduction from a result with random symmetries; if they do not solve the equation, the last step says why."""
    count = sde.dimension
    draw = {name: sympy.Rational(value) for name, value in result.draw.items()}
    phis = [row.xi[:count] for row in result.formulas() if row.status == "proved"]
    made = by_random_symmetries(sde, result.domain, draw, phis)
    if made is not None:
        return made
    if not phis:
        why = "it has none" if result.dimension == 0 else "none has a proved formula"
    elif len(phis) < count:
        why = f"{count} coordinates need {count}, and it has {len(phis)}"
    else:
        why = "the coordinates that they give have no closed form"
    domain = Domain(result.domain.intervals[: count + 1])
    time = Symbol("t", real=True)
    return Reduction(
        equation=sde,
        kind="none",
        status="proved",
        coordinates={s: s for s in (time, *(Symbol(name, real=True) for name in sde.names))},
        inverse={s: s for s in (time, *(Symbol(name, real=True) for name in sde.names))},
        sde=sde,
        closed=count,
        solution=None,
        steps=(Step("", f"{NONE}: {why}."),),
        validity="",
        spaces=state_spaces(sde, domain, draw),
        boxes=domain.intervals,
    )


def _letters(sde: SDE, names: Sequence[str], count: int) -> tuple[Symbol, ...]:
    """Symbols of the new coordinates, from the first letter that is not in use."""
    taken = {"t", *sde.names, *sde.parameters, *names}
    for letter in ("u", *LETTERS, "y_"):
        found = (letter,) if count == 1 else tuple(f"{letter}{k + 1}" for k in range(count))
        if not taken & set(found):
            return tuple(Symbol(name, real=True) for name in found)
    raise RuntimeError("no letter is left for the new coordinates")


def _reduction(solved: _Solved, phis: Sequence[Sequence[Any]]) -> Reduction:
    found, time = solved.found, solved.time
    parts: list[Any] = [*found.coordinates, *found.drift, *(e for row in found.noise for e in row)]
    depends = any(e.has(*solved.wiener) for e in parts)
    wiener = solved.wiener if depends else ()
    spaces = _spaces(solved)
    inverse = {} if found.inverse is None else dict(zip((time, *solved.state), (time, *found.inverse), strict=True))
    return Reduction(
        equation=solved.sde,
        kind="solved",
        status="numerical" if found.inverse is None else "proved",
        coordinates={s: s for s in (time, *wiener)} | dict(zip(solved.new, found.coordinates, strict=True)),
        inverse=inverse,
        sde=_new_equation(solved, wiener),
        closed=0,
        solution=_solution(solved, spaces[0]) if inverse else None,
        steps=(_step(solved, phis),),
        validity=_validity(solved, spaces),
        wiener=_wiener_text(wiener),
        spaces=spaces,
        noise_names=tuple(s.name for s in wiener),
    )


def _wiener_text(wiener: Sequence[Symbol]) -> str:
    if not wiener:
        return ""
    several = len(wiener) > 1
    return (
        f"{', '.join(s.name for s in wiener)} {'are' if several else 'is'} the Wiener process"
        f"{'es' if several else ''} of the equation, 0 at the start."
    )


def _step(solved: _Solved, phis: Sequence[Sequence[Any]]) -> Step:
    """The step that names the symmetries used."""
    names = (*solved.sde.names, *(s.name for s in solved.wiener))
    rows = list(phis)
    if len(solved.state) == 1:
        rows = [[sympy.powsimp(sympy.simplify(1 / sympy.diff(solved.found.coordinates[0], solved.state[0])))]]
    zero = sympy.Integer(0)
    fields = [
        field_text(Formula(zero, (*row, *[zero] * len(solved.wiener)), zero, "proved", 0.0), names) for row in rows
    ]
    several = len(rows) > 1
    ends = ", ".join(s.name for s in solved.new)
    kind = "random symmetries" if several else "a random symmetry"
    return Step(
        "; ".join(fields), f"{kind}; {ends} {'become integrals' if several else 'becomes an integral'} along the noise"
    )


def _new_equation(solved: _Solved, wiener: tuple[Symbol, ...]) -> SDE:
    """The new equation: dw = dW, then du = p dt + q dW."""
    found, noises = solved.found, solved.sde.noise
    drift = [*[sympy.Integer(0)] * len(wiener), *found.drift]
    noise: list[Any] = list(sympy.eye(noises)) if wiener else []
    noise += [entry for row in found.noise for entry in row]
    size = len(drift)
    made = SymbolicCoefficients(
        (*wiener, *solved.new), solved.time, ImmutableMatrix(size, 1, drift), ImmutableMatrix(size, noises, noise)
    )
    return SDE.from_coefficients(made, ())


def _solution(solved: _Solved, when: Space) -> dict[Symbol, Any]:
    """Every coordinate as a function of time and of the Wiener processes."""
    found, time = solved.found, solved.time
    begin: Any = sympy.Integer(0) if when.low < 0 < when.high else sympy.nsimplify(solved.domain.intervals[0][0])
    taken = {"t", *solved.sde.names, *solved.sde.parameters, *(s.name for s in solved.wiener)}
    later, inner = [Symbol(n, real=True) for n in ("s", "r", "q", "s1", "r1", "q1", "s2") if n not in taken][:2]
    several = solved.sde.noise > 1
    letters = [Symbol(f"W{k + 1}" if several else "W", real=True) for k in range(solved.sde.noise)]

    def noise_at(moment: Any) -> dict[Any, Any]:
        paths = [ItoIntegral(sympy.Integer(1), inner, begin, moment, letter) for letter in letters]
        return dict(zip(solved.wiener, paths, strict=True))

    first = {s: Symbol(f"{s.name}_0", real=True) for s in solved.state}
    first |= {time: begin} | dict.fromkeys(solved.wiener, sympy.Integer(0))
    heights = {}
    for u, place, speed, row in zip(solved.new, found.coordinates, found.drift, found.noise, strict=True):
        value = sympy.sympify(place).xreplace(first)
        if speed != 0:
            value += sympy.Integral(speed.xreplace({time: later}).xreplace(noise_at(later)), (later, begin, time))
        for entry, letter in zip(row, letters, strict=True):
            if entry != 0:
                value += ItoIntegral(
                    entry.xreplace({time: later}).xreplace(noise_at(later)), later, begin, time, letter
                )
        heights[u] = value
    inverse = found.inverse or ()
    return {s: e.xreplace({**heights, **noise_at(time)}) for s, e in zip(solved.state, inverse, strict=True)}


def _spaces(solved: _Solved) -> tuple[Space, ...]:
    """The intervals on which the coordinates hold; points of zero noise are no ends if all is regular there."""
    spaces = state_spaces(solved.sde, solved.domain, solved.draw)
    formulas: Any = solved.sde.symbolic
    entries: list[Any] = [*formulas.drift, *formulas.diffusion, *solved.found.coordinates]
    return (
        spaces[0],
        *(
            Space() if all(is_smooth(e, x) for e in entries) else space
            for x, space in zip(solved.state, spaces[1:], strict=True)
        ),
    )


def _validity(solved: _Solved, spaces: tuple[Space, ...]) -> str:
    """The validity: at all times, or until a coordinate reaches an end at which u is finite."""
    when = spaces[0].words("t")
    timely = f" for {when}" if when else ""
    if solved.sde.dimension > 1:
        inside = [space.words(str(s)) for s, space in zip(solved.state, spaces[1:], strict=True)]
        listed = ", ".join(word for word in inside if word)
        return (f"while {listed}" if listed else "at all times") + timely
    u, x = solved.found.coordinates[0], solved.state[0]
    middle = [(low + high) / 2 for low, high in solved.domain.intervals]
    values: dict[Any, Any] = dict.fromkeys(solved.wiener, sympy.Rational(1, 3))
    values |= {s: sympy.nsimplify(v, rational=True) for s, v in zip((solved.time, x), middle, strict=True)}
    values |= {Symbol(name, real=True): value for name, value in solved.draw.items()}
    ends, needed = [], set()
    for end in reached_ends(u, x, spaces[1], values):
        signs = _kept_away(end, solved, spaces[0], float(u.subs(values)) > end.value)
        if signs is None:
            ends.append(end.text)
        else:
            needed |= signs
    if ends:
        return f"until {x} reaches {' or '.join(ends)}{timely}"
    where = ", ".join(sorted(needed))
    return "at all times" + (f" if {where}" if where else "") + timely


def _kept_away(end: Reached, solved: _Solved, when: Space, above: bool) -> set[str] | None:
    """The signs of parameters for which u, which has no noise, moves away from an end; None if it may reach it."""
    level, (speed,), (row,) = sympy.sympify(end.level), solved.found.drift, solved.found.noise
    if level.has(solved.time, *solved.wiener) or any(entry != 0 for entry in row):
        return None
    later = {} if when.exact_low is None else {solved.time: when.exact_low + Symbol("t", positive=True)}
    signed = {}
    for name, value in solved.draw.items():
        sign = {"positive": True} if value > 0 else {"negative": True}
        signed[Symbol(name, real=True)] = Symbol(name, real=True, **sign)

    def leaves(known: Mapping[Any, Any]) -> bool:
        moved = sympy.sympify(speed).xreplace(later).xreplace(dict(known))
        return bool(moved.is_nonnegative if above else moved.is_nonpositive)

    if not leaves(signed):
        return None
    for symbol in list(signed):
        fewer = {s: value for s, value in signed.items() if s != symbol}
        signed = fewer if leaves(fewer) else signed
    return {f"{expression_text(s)} {'>' if value.is_positive else '<'} 0" for s, value in signed.items()}
