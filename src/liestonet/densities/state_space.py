"""The state space of a scalar equation: an interval between zeros of the noise, poles and ends of the real range.

A `ScalarEquation` is the input of all further steps: drift, noise (positive there), killing and the two ends, all in
SymPy (docs/method.md §16.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import mpmath
import sympy
from sympy import Symbol

from liestonet.core.numbers import as_float
from liestonet.densities.numbers import Expression
from liestonet.densities.precision import evaluated, function_of
from liestonet.densities.tuning import STATE_SPACE
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import Locus, Singularity, loci
from liestonet.sde.symbolic import SymbolicCoefficients

INFINITE = (sympy.oo, -sympy.oo)
Values = Mapping[Any, Any]


@dataclass(frozen=True)
class ScalarEquation:
    """dx = drift dt + noise dW on (low, high), killed at a rate; noise > 0, equal in law to several noises.

    `free` are parameters without a value, and `draw` values of them at which the equation is defined. `base` is a point
    inside. Symbols carry assumptions on their signs; `named` maps them to the user's symbols.
    """

    time: Symbol
    state: Symbol
    drift: Expression
    noise: Expression
    killing: Expression
    low: Expression
    high: Expression
    base: Expression
    draw: dict[Symbol, Expression]
    named: dict[Symbol, Symbol]

    @property
    def free(self) -> tuple[Symbol, ...]:
        return tuple(self.draw)

    @property
    def squared(self) -> Expression:
        return self.noise**2

    @property
    def timed(self) -> bool:
        """Whether a coefficient depends on time."""
        return any(entry.has(self.time) for entry in (self.drift, self.noise, self.killing))

    @cached_property
    def drawn(self) -> ScalarEquation:
        """The equation at the values of `draw`."""
        return self if not self.draw else self.at(self.draw)

    def at(self, values: Values) -> ScalarEquation:
        """The equation with values for its free parameters."""
        names = ("drift", "noise", "killing", "low", "high", "base")
        parts: dict[str, Any] = {name: getattr(self, name).subs(values) for name in names}
        kept = {symbol: value for symbol, value in self.draw.items() if symbol not in values}
        return replace(self, **parts, draw=kept)

    def inside(self) -> Iterator[Any]:
        """Generic points of the interval for the drawn parameters, with fifty digits."""
        low, high = (evaluated(end) for end in (self.drawn.low, self.drawn.high))
        for part in STATE_SPACE.inside:
            part = mpmath.mpf(part)
            if mpmath.isinf(low) and mpmath.isinf(high):
                yield mpmath.log(part / (1 - part))
            elif mpmath.isinf(high):
                yield low + part / (1 - part)
            elif mpmath.isinf(low):
                yield high - part / (1 - part)
            else:
                yield low + part * (high - low)

    def times(self) -> Iterator[Any]:
        """Times at which the coefficients exist."""
        if not self.timed:
            yield mpmath.mpf(0)
            return
        for time in STATE_SPACE.times:
            value, place = mpmath.mpf(time), next(self.inside())
            numbers = [self.function(entry)(value, place) for entry in (self.drift, self.noise, self.killing)]
            if all(_is_real(number) for number in numbers):
                yield value

    def function(self, expression: Expression, digits: int | None = None) -> Any:
        """A high-precision function of (t, x), for the drawn parameters."""
        return function_of((self.time, self.state), expression, self.draw, digits)

    def written(self, expression: Any) -> Any:
        """An expression in the user's symbols."""
        return expression.xreplace(self.named)

    def unused(self, name: str) -> str:
        """The name, with underscores behind it until time, state and parameters are called otherwise."""
        taken = {symbol.name for symbol in (self.time, self.state, *self.draw)}
        while name in taken:
            name += "_"
        return name


def require_scalar(sde: object) -> SymbolicCoefficients:
    """The formulas of a scalar equation; other equations are refused."""
    if isinstance(sde, str):
        sde = SDE.parse(sde)
    if not isinstance(sde, SDE):
        raise InputError(f"A density needs an SDE, not a {type(sde).__name__}; make one of text with SDE.parse.")
    if sde.symbolic is None:
        raise InputError(
            "A density in closed form needs formulas, and this equation is made of callables; use SDE.parse."
        )
    if sde.dimension != 1:
        raise InputError(
            f"The equation has {sde.dimension} coordinates, and densities are found for one; "
            "give a coordinate whose equation does not contain the others."
        )
    return sde.symbolic


def scalar_equation(
    sde: SDE, domain: Any = None, start: float | None = None, near: Sequence[float] | None = None
) -> ScalarEquation:
    """The equation on its state space: on `domain`, on the interval around `start`, or on the most plausible one.

    `near` are values of its free parameters at which it must be defined.
    """
    symbolic = require_scalar(sde)
    if symbolic.diffusion.is_zero_matrix:
        raise InputError("The equation has no noise, so that there is no density; add a noise.")
    problem: InputError | None = None
    draws = _draws(sde.parameters) if near is None else [_draw_near(sde.parameters, near)]
    for draw in draws:
        try:
            return _at_draw(sde, symbolic, draw, domain, start)
        except InputError as error:
            problem = problem or error
    raise (
        problem if problem is not None else InputError("The equation is not defined for any values of its parameters.")
    )


def _draws(names: tuple[str, ...]) -> Iterator[dict[str, Expression]]:
    """Trial values of the parameters: all positive, one of them negative, all negative."""
    values = [sympy.Rational(*pair) for pair in STATE_SPACE.draws]
    if len(names) > len(values):
        raise InputError(
            f"{len(names)} parameters have no value ({', '.join(names)}), and at most {len(values)} may remain "
            "symbols; give the others values."
        )
    count = len(names)
    turned = [tuple(-1 if j == i else 1 for j in range(count)) for i in range(count)]
    for signs in dict.fromkeys([(1,) * count, *turned, (-1,) * count]):
        yield {name: sign * value for name, sign, value in zip(names, signs, values, strict=False)}


def _draw_near(names: tuple[str, ...], values: Sequence[float]) -> dict[str, Expression]:
    """Generic values close to given ones, each changed by a different small part."""
    moved = (value * (1 + STATE_SPACE.moved * (k + 1)) for k, value in enumerate(values))
    return {name: sympy.Rational(f"{value:.9g}") for name, value in zip(names, moved, strict=True)}


def _at_draw(
    sde: SDE, symbolic: SymbolicCoefficients, draw: dict[str, Expression], domain: Any, start: float | None
) -> ScalarEquation:
    parameters = {Symbol(name, real=True): value for name, value in draw.items()}
    points = sorted(_breakpoints(sde, symbolic, parameters), key=lambda point: evaluated(point[0].subs(parameters)))
    if domain is not None:
        low, high = _given(domain)
    else:
        low, high = _chosen(symbolic, parameters, [end for end, _ in points], start)
    for end, smooth in points:
        place = evaluated(end.subs(parameters))
        if evaluated(low.subs(parameters)) < place < evaluated(high.subs(parameters)):
            raise InputError(
                f"A coefficient is singular or not smooth at {symbolic.state[0]} = {mpmath.nstr(place, 6)}, inside the "
                f"interval ({low}, {high}); give a domain on one side of it."
            )
        if smooth and place in (evaluated(low.subs(parameters)), evaluated(high.subs(parameters))):
            raise InputError(
                f"A coefficient is not smooth at {symbolic.state[0]} = {mpmath.nstr(place, 6)}, so that there is no "
                "density in closed form; write it without abs, sign, max and their like."
            )
    return _assembled(symbolic, parameters, low, high)


def _breakpoints(sde: SDE, symbolic: SymbolicCoefficients, draw: Values) -> list[tuple[Expression, bool]]:
    """Points where the state space may end, and whether each is only a kink; points that move in time are refused."""
    time, state = symbolic.time, symbolic.state[0]
    squared: Any = symbolic.diffusion_squared
    found: dict[Expression, bool] = {}
    sources = [(locus.expression, locus.kind) for locus in loci(sde) if locus.kind is not Singularity.NOISE]
    sources += [(factor, Singularity.NOISE) for factor in _numerator_factors(squared[0, 0])]
    for expression, kind in sources:
        if state not in expression.free_symbols:
            continue
        for root in _lasting_roots(expression, kind, (time, state), draw):
            if kind is Singularity.KINK or not _is_regular(symbolic, draw, root):
                found[root] = found.get(root, True) and kind is Singularity.KINK
    return list(found.items())


def _lasting_roots(
    expression: Expression, kind: Singularity, variables: tuple[Symbol, Symbol], draw: Values
) -> list[Expression]:
    """Zeros in the state that do not depend on time; those that do are refused."""
    time, state = variables
    if time not in expression.free_symbols:
        return _roots(expression, state, draw)
    instants = [sympy.nsimplify(text, rational=True) for text in STATE_SPACE.times[:2]]
    first, second = (_roots(expression.subs(time, instant), state, draw) for instant in instants)
    if set(first) != set(second):
        raise InputError(
            f"The state space moves with time: a coefficient {kind.value} where {expression} = 0; "
            "write the equation in a coordinate whose range stays."
        )
    return first


def _is_regular(symbolic: SymbolicCoefficients, draw: Values, root: Expression) -> bool:
    """Whether all coefficients and their slopes are continuous at a zero of one of their factors."""
    variables = (symbolic.time, symbolic.state[0])
    squared: Any = symbolic.diffusion_squared
    entries: list[Any] = [symbolic.drift[0], squared[0, 0], symbolic.killing[0]]
    entries += [sympy.diff(entry, variables[1]) for entry in entries]
    time, place, step = mpmath.mpf(STATE_SPACE.times[0]), evaluated(root.subs(draw)), mpmath.mpf(STATE_SPACE.near)
    with mpmath.workdps(STATE_SPACE.digits):
        sides = place - step, place + step
    for position, entry in enumerate(entries):
        function = function_of(variables, entry.subs(draw))
        before, after = (function(time, side) for side in sides)
        if not (_is_real(before) and _is_real(after)):
            return False
        if abs(after - before) > STATE_SPACE.same * (1 + abs(before)) or (
            position == 1 and not after > STATE_SPACE.same
        ):
            return False
    return True


def _numerator_factors(squared: Expression) -> list[Expression]:
    """Factors of a = σσᵀ that may vanish."""
    numerator: Any = sympy.fraction(sympy.together(squared))[0]
    factors = []
    product: Any = sympy.factor(numerator) if numerator.is_polynomial() else numerator
    for factor in sympy.Mul.make_args(product):
        base = factor.base if isinstance(factor, sympy.Pow) and factor.exp.is_number else factor
        if not isinstance(base, sympy.exp):
            factors.append(base.args[0] if isinstance(base, sympy.Abs) else base)
    return factors


def _roots(expression: Expression, state: Symbol, draw: Values) -> list[Expression]:
    """Real zeros of an expression in the state: exact for a polynomial, else by a search near the origin."""
    numerator = sympy.fraction(sympy.together(expression))[0]
    if not numerator.has(state):
        return []
    if numerator.is_polynomial(state):
        polynomial = sympy.Poly(numerator, state)
        if draw and polynomial.free_symbols_in_domain:
            solutions: list[Any] = [root for root in sympy.roots(polynomial) if not isinstance(root, sympy.CRootOf)]
        else:
            solutions = sympy.real_roots(polynomial) if polynomial.degree() else []
        return [root for root in dict.fromkeys(solutions) if _at(root, draw) is not None]
    locus = Locus(numerator.subs(draw), Singularity.POLE, "", 1, (1,), (state,))
    value = function_of((state,), numerator.subs(draw))
    found = [r for r in locus.roots(-STATE_SPACE.reach, STATE_SPACE.reach) if abs(value(r)) < STATE_SPACE.zero]
    return list(dict.fromkeys(_recognised(numerator.subs(draw), state, root) for root in found))


def real_zeros(expression: Expression, state: Symbol) -> list[Expression]:
    """Real zeros of an expression in the state alone."""
    return _roots(expression, state, {})


def _at(root: Expression, draw: Values) -> Any:
    """The real value of a root for the drawn parameters; None if it is complex."""
    value = evaluated(root.subs(draw))
    return value if _is_real(value) else None


def _recognised(expression: Expression, state: Symbol, root: float) -> Expression:
    """A numerical zero as an exact number or multiple of π if it is recognised, else to fifty digits."""
    for candidate in (sympy.nsimplify(round(root, 10), rational=True), sympy.nsimplify(root, [sympy.pi], 1e-9)):
        if candidate.is_real and sympy.count_ops(candidate) < 6 and expression.subs(state, candidate).equals(0):
            return candidate
    function = function_of((state,), expression)
    with mpmath.workdps(STATE_SPACE.digits):
        try:
            return sympy.Float(mpmath.findroot(function, root), STATE_SPACE.digits)
        except (ValueError, ZeroDivisionError):
            return sympy.Float(root)


def _given(domain: Any) -> tuple[Expression, Expression]:
    """The interval that a user gave; None and infinite ends mean no bound."""
    try:
        low, high = domain
        if not all(end is None or as_float(end) is not None for end in (low, high)):
            raise TypeError("ends are numbers")
        ends = [
            default if end is None or end in (float("inf"), float("-inf")) else sympy.nsimplify(end, rational=True)
            for end, default in ((low, -sympy.oo), (high, sympy.oo))
        ]
        if sympy.nan in ends:
            raise ValueError("an end is not a number")
    except (TypeError, ValueError) as problem:
        raise InputError(
            f"The domain is {domain!r}; give two ends of the state space, such as (0, math.inf)."
        ) from problem
    if not (ends[0] < ends[1]) == True:  # noqa: E712 - SymPy's own truth
        raise InputError(f"The domain is {domain!r}; the lower end comes first.")
    return ends[0], ends[1]


def _chosen(
    symbolic: SymbolicCoefficients, draw: Values, points: list[Expression], start: float | None
) -> tuple[Expression, Expression]:
    """The interval around `start`, or the first one with a usual number in it on which the equation is real."""
    ends = [-sympy.oo, *dict.fromkeys(points), sympy.oo]
    intervals = [
        (low, high)
        for low, high in pairwise(ends)
        if evaluated(low.subs(draw)) < evaluated(high.subs(draw)) and _exists(symbolic, draw, low, high)
    ]
    if not intervals:
        raise InputError("There is no interval on which drift and noise are real and the noise is not zero.")
    name = symbolic.state[0]
    held = [interval for usual in STATE_SPACE.usual for interval in intervals if _holds(interval, usual, draw)]
    best = (held or intervals)[0]
    if start is None or _holds(best, start, draw):
        return best
    around = [interval for interval in intervals if _holds(interval, start, draw)]
    # negative numbers are ignored if the equation is also defined for positive ones
    if not around or (start < 0 and evaluated(best[0].subs(draw)) >= 0):
        raise outside(str(name), start, *(float(evaluated(end.subs(draw))) for end in best))
    return around[0]


def outside(name: str, start: float, low: float, high: float) -> InputError:
    """The error for an initial state that is not inside the state space."""
    if start in (low, high):
        return InputError(
            f"The start {name} = {start:g} is an end of the state space ({low:g}, {high:g}), and densities start "
            "inside; give a start inside, which may be arbitrarily close."
        )
    return InputError(
        f"The start {name} = {start:g} is outside the state space ({low:g}, {high:g}); start inside, or give "
        "domain=(low, high) for another one."
    )


def _holds(interval: tuple[Expression, Expression], place: float, draw: Values) -> bool:
    return bool(evaluated(interval[0].subs(draw)) < place < evaluated(interval[1].subs(draw)))


def _exists(symbolic: SymbolicCoefficients, draw: Values, low: Expression, high: Expression) -> bool:
    """Whether drift and diffusion are real, and the noise is not zero, in the middle of an interval."""
    middle = _middle(low, high).subs(draw)
    drift: Any = symbolic.drift
    squared: Any = symbolic.diffusion_squared
    variables = (symbolic.time, symbolic.state[0])
    for time in STATE_SPACE.times:
        values = [
            function_of(variables, entry.subs(draw))(mpmath.mpf(time), evaluated(middle))
            for entry in (drift[0], squared[0, 0])
        ]
        if all(_is_real(value) for value in values):
            return bool(values[1] > 0)
    return False


def _is_real(value: Any) -> bool:
    return isinstance(value, mpmath.mpf | int | float) and bool(mpmath.isfinite(value))


def _middle(low: Expression, high: Expression) -> Expression:
    """A simple point inside an interval."""
    if low in INFINITE and high in INFINITE:
        return sympy.Integer(0)
    if high in INFINITE:
        return low + 1
    return high - 1 if low in INFINITE else (low + high) / 2


def _base(symbolic: SymbolicCoefficients, draw: Values, low: Expression, high: Expression) -> Expression:
    """A simple point inside at which SymPy can evaluate the coefficients and their first derivatives."""
    entries: list[Any] = [*symbolic.drift, *symbolic.diffusion, *symbolic.killing]
    state = symbolic.state[0]
    entries += [sympy.diff(entry, state, k) for entry in entries for k in (1, 2)]
    for move in STATE_SPACE.moves:
        middle = _middle(low, high)
        bounded = low not in INFINITE and high not in INFINITE
        place = middle + sympy.Rational(*move) * ((high - low) if bounded else 1)
        if not any(entry.subs(state, place).has(sympy.nan, sympy.zoo, sympy.oo) for entry in entries):
            return place
    raise InputError(f"The coefficients could not be evaluated between {state} = {low} and {high}.")


def _assembled(symbolic: SymbolicCoefficients, draw: Values, low: Expression, high: Expression) -> ScalarEquation:
    """The equation in symbols with assumptions on their signs; the noise is the positive root of a."""
    state, time = symbolic.state[0], symbolic.time
    signs = [(symbol, bool(value > 0)) for symbol, value in draw.items()]
    stand_ins: dict[Symbol, Any] = {
        symbol: Symbol(symbol.name, positive=True) if positive else Symbol(symbol.name, negative=True)
        for symbol, positive in signs
    }
    if not low.free_symbols and low >= 0:
        stand_ins[state] = Symbol(state.name, positive=True)
    elif not high.free_symbols and high <= 0:
        stand_ins[state] = Symbol(state.name, negative=True)
    new = stand_ins.get(state, state)
    values = {stand_ins[symbol]: value for symbol, value in draw.items()}
    base = _base(symbolic, draw, low, high).xreplace(stand_ins)
    scalars: Any = [symbolic.drift[0], symbolic.killing[0]]
    drift, killing = (entry.xreplace(stand_ins) for entry in scalars)
    diffusion: Any = symbolic.diffusion
    entries: list[Any] = [entry.xreplace(stand_ins) for entry in diffusion if entry != 0]
    if len(entries) == 1:
        noise = entries[0]
    else:
        noise = sympy.sqrt(sympy.factor(sympy.simplify(sympy.Add(*(entry**2 for entry in entries)))))
    signless = _without_moduli(noise, drift, killing, (time, new), values, base)
    named = {other: symbol for symbol, other in stand_ins.items()}
    low, high = (end.xreplace(stand_ins) for end in (low, high))
    return ScalarEquation(time, new, signless[1], signless[0], signless[2], low, high, base, values, named)


def _without_moduli(
    noise: Expression,
    drift: Expression,
    killing: Expression,
    variables: tuple[Symbol, Symbol],
    draw: Values,
    base: Expression,
) -> list[Expression]:
    """Noise, drift and killing with moduli resolved by signs at the base point; the noise is positive there."""
    point = (mpmath.mpf(STATE_SPACE.times[0]), evaluated(base.subs(draw)))

    def sign(argument: Expression) -> int:
        return 1 if mpmath.re(function_of(variables, argument.subs(draw))(*point)) > 0 else -1

    found = []
    for entry in (noise, drift, killing):
        for node in sorted(entry.atoms(sympy.Abs, sympy.sign), key=sympy.count_ops):
            value = sign(node.args[0])
            entry = entry.xreplace(
                {node: value * node.args[0] if isinstance(node, sympy.Abs) else sympy.Integer(value)}
            )
        found.append(entry)
    found[0] = sign(found[0]) * found[0]
    return found
