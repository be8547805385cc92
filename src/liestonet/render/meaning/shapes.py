"""Shapes of generators, recognised from their formulas: shift, scaling, rotation, boost, another clock.

Each shape implies a claim about the equation, which `tests/render/meaning` proves on the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from liestonet.formulas.formula import Formula
from liestonet.render.limits import LONGEST_EXPLAINED, LONGEST_INTEGRAND

if TYPE_CHECKING:
    import sympy

Expr = Any  # a SymPy expression: the types of SymPy's methods are incomplete

Components = tuple[Expr, ...]


@dataclass(frozen=True)
class TimeTranslation:
    """∂t: the coefficients do not depend on time."""


@dataclass(frozen=True)
class MovingFrame:
    """∂t + c·∂: the coefficients are functions of x − c t only."""

    velocity: Components


@dataclass(frozen=True)
class Shift:
    """c·∂ with constant c: the coefficients are constant along c."""

    direction: Components


@dataclass(frozen=True)
class SharedShift:
    """ξ(t)·∂: the noise is constant along ξ, and the drift is linear along it: (ξ·∇)f = ξ′.

    `rate` is λ if ξ = e^{λt} times a constant vector, or times cosine and sine of `frequency` t; None if ξ depends on
    time in another way. `boost` means that ξ is a polynomial of first degree in t.
    """

    components: Components
    rate: Expr | None = None
    frequency: Expr | None = None
    boost: bool = False


@dataclass(frozen=True)
class Scaling:
    """Σ wᵢ (xᵢ − cᵢ) ∂ᵢ: if xᵢ − cᵢ is multiplied by a factor, its drift and noise are multiplied by the same."""

    weights: Components
    centre: Components


@dataclass(frozen=True)
class Rotation:
    """A rotation in the plane of two coordinates, on circles or, with unequal `factors`, on ellipses."""

    plane: tuple[int, int]
    factors: tuple[Expr, Expr]
    centre: Components


@dataclass(frozen=True)
class CurvedShift:
    """g(t) h(x) ∂x for one coordinate: a shift of y = ∫dx/h, whose drift is linear in y with slope `rate` = g′/g."""

    coordinate: int
    profile: Expr
    straight: Expr
    rate: Expr


@dataclass(frozen=True)
class SelfSimilar:
    """Scaling of time about `origin` by c, and of each coordinate about its centre by c to the power of its exponent.

    `straight` is a function y of a single coordinate, such as ln x, if y is scaled instead of it.
    """

    exponents: Components
    origin: Expr
    centre: Components
    straight: Expr | None = None


@dataclass(frozen=True)
class OtherClock:
    """A translation of the clock s = ∫dt/τ, with the state described by `coordinates` that are constant on the flow."""

    clock: Expr
    coordinates: Components


@dataclass(frozen=True)
class Projective:
    """τ of second degree in t, ξ = τ′/2 x: t goes to t/(1 − εt)."""


@dataclass(frozen=True)
class Normalisation:
    """u∂u: a density times a constant."""


@dataclass(frozen=True)
class NoiseShift:
    """φ(t, x, w) ∂x of a random symmetry; `linear` means that φ does not depend on the state."""

    components: Components
    linear: bool


Shape = (
    TimeTranslation
    | MovingFrame
    | Shift
    | SharedShift
    | Scaling
    | Rotation
    | CurvedShift
    | SelfSimilar
    | OtherClock
    | Projective
    | Normalisation
    | NoiseShift
)


@dataclass(frozen=True)
class Frame:
    """The symbols of time, coordinates and Wiener processes in the formulas."""

    t: Expr
    state: Components
    noises: Components


def frame_of(formulas: Sequence[Formula], names: Sequence[str], noises: int) -> Frame:
    """The symbols in a result's formulas; `names` are the coordinates and, for random symmetries, the noises last."""
    import sympy

    given = (part for row in formulas for part in (row.tau, *row.xi, row.beta) if part is not None)
    parts: list[Any] = [sympy.sympify(part) for part in given]
    found = {symbol.name: symbol for part in parts for symbol in part.free_symbols}
    symbols = [found.get(name, sympy.Symbol(name, real=True)) for name in ("t", *names)]
    dimension = len(names) - noises
    return Frame(symbols[0], tuple(symbols[1 : 1 + dimension]), tuple(symbols[1 + dimension :]))


def shape_of(formula: Formula, frame: Frame) -> Shape | None:
    """The shape of a generator; None if it has no formula or no known shape."""
    import sympy

    parts = [sympy.sympify(part) for part in (formula.tau, *formula.xi, formula.beta) if part is not None]
    long = sum(sympy.count_ops(part) for part in parts) > LONGEST_EXPLAINED
    if formula.status == "numerical" or long or any(part.has(sympy.Integral) for part in parts):
        return None
    try:
        return _shape(formula, frame)
    except (NotImplementedError, sympy.PolynomialError):  # SymPy has no rule for a function in it
        return None


def _shape(formula: Formula, frame: Frame) -> Shape | None:
    """The shape of a formula; may raise an error of SymPy."""
    import sympy

    tau = sympy.sympify(formula.tau)
    xi = tuple(sympy.sympify(part) for part in formula.xi[: len(frame.state)])
    if any(part.has(*frame.noises) for part in xi if frame.noises):
        return NoiseShift(xi, not any(part.has(*frame.state) for part in xi))
    if tau != 0:
        return _moving_time(tau, xi, sympy.sympify(formula.beta or 0), frame)
    if all(part == 0 for part in xi):
        beta = sympy.sympify(formula.beta or 0)
        return Normalisation() if beta != 0 and not beta.has(frame.t, *frame.state) else None
    return _simple(xi, frame)


def _simple(xi: Components, frame: Frame) -> Shape | None:
    """The shape of a generator without a time component."""
    if not any(part.has(*frame.state) for part in xi):
        return _shared(xi, frame.t) if any(part.has(frame.t) for part in xi) else Shift(xi)
    moved = [i for i, part in enumerate(xi) if part != 0]
    affine = _affine(xi, frame.state)
    if affine is not None and not any(part.has(frame.t) for part in xi):
        known = _linear(*affine)
        if known is not None:
            return known
    if len(moved) == 1:
        return _curved(xi[moved[0]], moved[0], frame)
    return None


def _shared(xi: Components, t: Expr) -> SharedShift:
    """The shape of a shift by ξ(t), with its rate and frequency."""
    import sympy

    moved = [part for part in xi if part != 0]
    if any(part.has(sympy.sin, sympy.cos) for part in moved):
        turn = _turning(moved, t)
        return SharedShift(xi) if turn is None else SharedShift(xi, *turn)
    rates = {sympy.simplify(sympy.diff(part, t) / part) for part in moved}
    if len(rates) == 1 and not (rate := rates.pop()).has(t):
        return SharedShift(xi, rate)
    if all(sympy.Poly(part, t).degree() <= 1 if part.is_polynomial(t) else False for part in moved):
        return SharedShift(xi, boost=True)
    return SharedShift(xi)


def _turning(parts: Sequence[Expr], t: Expr) -> tuple[Expr, Expr] | None:
    """(λ, ω) if all parts are e^{λt} times combinations of cos ωt and sin ωt, else None."""
    import sympy

    angles: set[Any] = {abs(arg.coeff(t)) for part in parts for f in part.atoms(sympy.sin, sympy.cos) for arg in f.args}
    if len(angles) != 1:
        return None
    frequency: Any = angles.pop()
    growth: set[Any] = {arg.coeff(t) for part in parts for f in part.atoms(sympy.exp) for arg in f.args}
    if frequency.has(t) or len(growth) > 1:
        return None
    rate: Any = growth.pop() if growth else sympy.Integer(0)
    waves = [sympy.expand(part * sympy.exp(-rate * t)) for part in parts]
    if any(sympy.expand(sympy.diff(wave, t, 2) + frequency**2 * wave) != 0 for wave in waves):
        return None
    return rate, frequency


def _affine(xi: Components, state: Components) -> tuple[sympy.Matrix, sympy.Matrix] | None:
    """A and b with ξ = A x + b; None if ξ is not affine."""
    import sympy

    matrix: Any = sympy.Matrix(xi).jacobian(list(state))
    matrix = matrix.applyfunc(sympy.simplify)
    if matrix.has(*state):
        return None
    offset: Any = sympy.Matrix(xi).xreplace(dict.fromkeys(state, sympy.Integer(0)))
    return matrix, offset


def _centre(matrix: Any, offset: Any, moved: Sequence[int]) -> Components | None:
    """A zero of A x + b, with zero for coordinates that do not move; None if there is none."""
    import sympy

    block, part = matrix.extract(list(moved), list(moved)), offset.extract(list(moved), [0])
    if block.det() == 0 or any(offset[i] != 0 for i in range(len(offset)) if i not in moved):
        return None
    found = -block.inv() * part
    where = dict(zip(moved, found, strict=True))
    return tuple(sympy.simplify(where.get(i, sympy.Integer(0))) for i in range(matrix.rows))


def _linear(matrix: Any, offset: Any) -> Shape | None:
    """The shape of an affine field that is constant in time: a scaling or a rotation about a centre."""
    moved = [i for i in range(matrix.rows) if any(matrix[i, j] != 0 for j in range(matrix.cols))]
    centre = _centre(matrix, offset, moved)
    if centre is None:
        return None
    if matrix.is_diagonal():
        return Scaling(tuple(matrix[i, i] for i in range(matrix.rows)), centre)
    return _turn(matrix, moved, centre)


def _turn(matrix: Any, moved: Sequence[int], centre: Components) -> Rotation | None:
    if len(moved) != 2:
        return None
    i, j = moved
    others = any(matrix[i, k] != 0 or matrix[j, k] != 0 for k in range(matrix.cols) if k not in (i, j))
    if others or matrix[i, i] != 0 or matrix[j, j] != 0:
        return None
    turning = (-matrix[i, j] * matrix[j, i]).is_positive
    return Rotation((i, j), (matrix[i, j], matrix[j, i]), centre) if turning else None


def _curved(component: Expr, moved: int, frame: Frame) -> CurvedShift | None:
    """The shape of g(t) h(x) ∂x, if SymPy finds y = ∫dx/h and g is an exponential."""
    import sympy

    t, x = frame.t, frame.state[moved]
    rate: Any = sympy.simplify(sympy.diff(component, t) / component) if component.has(t) else sympy.Integer(0)
    if rate.has(t, *frame.state) or component.has(*(s for s in frame.state if s is not x)):
        return None
    profile: Any = component if rate == 0 else sympy.powsimp(sympy.simplify(component * sympy.exp(-rate * t)))
    straight = _antiderivative(1 / profile, x)
    return None if straight is None else CurvedShift(moved, profile, straight, rate)


def _antiderivative(integrand: Any, x: Any) -> Expr | None:
    """∫ dx of a short expression in closed form, not piecewise, checked at points; None if SymPy finds none."""
    import sympy
    from sympy.integrals.manualintegrate import manualintegrate

    if not integrand.has(x):
        return integrand * x
    if integrand.has(sympy.exp):  # SymPy would distinguish the case of a zero rate
        rate: Any = sympy.simplify(sympy.diff(integrand, x) / integrand)
        if not rate.has(x):
            return sympy.simplify(integrand / rate)
    if sympy.count_ops(integrand) > LONGEST_INTEGRAND or not _integrable(integrand, x):
        return None
    rational = integrand.is_rational_function(x)
    found: Any = sympy.integrate(integrand, x) if rational else manualintegrate(integrand, x)
    if found.has(sympy.Integral, sympy.Piecewise, sympy.I):
        return None
    found = sympy.logcombine(found) if found.has(sympy.log) else found
    return found if _agree(sympy.diff(found, x), integrand) else None


def _integrable(integrand: Any, x: Any) -> bool:
    """Whether SymPy integrates it quickly: powers and logarithms, or polynomials times sines and cosines."""
    import sympy

    waves: list[Any] = [f for f in integrand.atoms(sympy.Function) if f.has(x) and not isinstance(f, sympy.log)]
    if not waves:
        return True
    if not all(isinstance(f, sympy.exp | sympy.sin | sympy.cos) and _is_affine(f.args[0], x) for f in waves):
        return False
    letters = {wave: sympy.Dummy() for wave in waves}
    return bool(integrand.xreplace(letters).is_polynomial(x, *letters.values()))


def _is_affine(expression: Any, x: Any) -> bool:
    return bool(expression.diff(x, 2) == 0)


def _agree(one: Any, other: Any) -> bool:
    """Whether two expressions have the same values at points where both are real."""
    import sympy

    symbols = sorted(one.free_symbols | other.free_symbols, key=str)
    tried = 0
    for k in range(1, 9):
        values = {s: sympy.Float(0.137 * k + 0.059 * i) % 1 + k // 5 for i, s in enumerate(symbols)}
        pair = [sympy.N(side.subs(values)) for side in (one, other)]
        if all(value.is_Float or value.is_Integer for value in pair):
            tried += 1
            if abs(pair[0] - pair[1]) > 1e-9 * (1 + abs(pair[1])):
                return False
    return tried > 1


def _moving_time(tau: Any, xi: Components, beta: Expr, frame: Frame) -> Shape | None:
    """The shape of a generator with a time component."""
    import sympy

    t, state = frame.t, frame.state
    if not tau.has(t) and all(part == 0 for part in xi):
        return TimeTranslation() if not beta.has(t, *state) else None
    if not tau.has(t) and not any(part.has(t, *state) for part in xi):
        return MovingFrame(tuple(part / tau for part in xi))
    slope: Any = sympy.simplify(sympy.diff(tau, t))
    still = not any(part.has(t) for part in xi)
    affine = _affine(xi, state)
    if not slope.has(t) and slope != 0 and still:
        return _similar(tau, slope, xi, affine, frame)
    if affine is None:
        return _straightened(tau, xi, frame)
    matrix, offset = affine
    if not matrix.is_diagonal():
        return None
    factors: list[Any] = [matrix[i, i] for i in range(matrix.rows)]
    if tau.is_polynomial(t) and sympy.Poly(tau, t).degree() == 2:
        half = all(sympy.simplify(factor - slope / 2) == 0 for factor in factors)
        if half and any(beta.has(s) for s in state):
            return Projective()
    return _clock(tau, factors, offset, frame.t, state)


def _similar(tau: Any, slope: Any, xi: Components, affine: Any, frame: Frame) -> Shape | None:
    """Self-similarity, if τ = a (t − t₀) and ξ does not depend on time; else None."""
    import sympy

    origin = sympy.simplify(frame.t - tau / slope)
    if affine is not None:
        matrix, offset = affine
        moved = [i for i in range(matrix.rows) if matrix[i, i] != 0]
        if not matrix.is_diagonal():
            return None
        centre = _centre(matrix, offset, moved)
        if centre is None:
            return _clock(tau, [matrix[i, i] for i in range(matrix.rows)], offset, frame.t, frame.state)
        return SelfSimilar(tuple(sympy.simplify(matrix[i, i] / slope) for i in range(matrix.rows)), origin, centre)
    if len(xi) != 1 or sympy.count_ops(xi[0]) > LONGEST_INTEGRAND // 6:
        return None
    half, zero = sympy.Rational(1, 2), sympy.Integer(0)
    y = _antiderivative(half * slope / xi[0], frame.state[0])
    straight = None if y is None else sympy.simplify(sympy.exp(y))
    if straight is None or straight.has(sympy.exp):
        return None
    return SelfSimilar((half,), origin, (zero,), straight)


def _clock(tau: Any, factors: Sequence[Any], offset: Any, t: Any, state: Sequence[Any]) -> OtherClock | None:
    """The clock s = ∫dt/τ and y = u x + v, constant on the flow of τ ∂t + (A x + b) ∂x: u′ = −u A/τ, v′ = −u b/τ."""
    import sympy

    clock = _antiderivative(1 / tau, t)
    logs = [_antiderivative(factor / tau, t) for factor in factors]
    if clock is None or any(log is None for log in logs):
        return None
    units = [sympy.simplify(sympy.exp(-log)) for log in logs if log is not None]
    added = [_antiderivative(sympy.simplify(-unit * b / tau), t) for unit, b in zip(units, offset, strict=True)]
    if any(part is None for part in added):
        return None
    size, rest = clock.as_coeff_Mul()
    clock = rest if size > 0 else -rest  # a clock is defined up to a positive factor
    rows = zip(units, state, added, strict=True)
    return OtherClock(clock, tuple(unit * x + part for unit, x, part in rows if part is not None))


def _straightened(tau: Any, xi: Components, frame: Frame) -> OtherClock | None:
    """The clock for one coordinate with ξ = h(x) (A p(x) + b(t)) and p′ h = 1, such as p = ln x and h = x."""
    import sympy

    if len(xi) != 1:
        return None
    t, x = frame.t, frame.state[0]
    for p in (sympy.log(x), sympy.asinh(x)):
        if not xi[0].has(p):
            continue
        speed: Any = sympy.expand(sympy.simplify(xi[0] * sympy.diff(p, x)))
        slope: Any = sympy.simplify(sympy.diff(speed, x) / sympy.diff(p, x))
        rest: Any = sympy.simplify(speed - slope * p)
        if not slope.has(x) and not rest.has(x):
            return _clock(tau, [slope], [rest], t, [p])
    return None


def spanned(shapes: Sequence[Shape | None]) -> tuple[SharedShift | Shift, ...]:
    """The generators that shift the state by an amount independent of it."""
    return tuple(shape for shape in shapes if isinstance(shape, Shift | SharedShift))


def rank_of_shifts(shapes: Sequence[Shape | None]) -> int:
    """The number of independent directions in which the state is shifted at a generic time."""
    import sympy

    rows = [shape.direction if isinstance(shape, Shift) else shape.components for shape in spanned(shapes)]
    if not rows:
        return 0
    matrix: Any = sympy.Matrix(rows)
    symbols = sorted(matrix.free_symbols, key=str)
    # at a generic point the rank has its largest value
    values = {s: sympy.Rational(7 + 3 * k, 11 + k) for k, s in enumerate(symbols)}
    return int(sympy.Matrix(matrix.subs(values).evalf(30)).rank(iszerofunc=lambda v: abs(v) < 1e-20))


def common_rate(shapes: Sequence[Shape | None]) -> Expr | None:
    """λ if every shift of the state is e^{λt} times a constant vector, with the same λ (0 for constant shifts)."""
    import sympy

    found = [shape.rate if isinstance(shape, SharedShift) else sympy.Integer(0) for shape in spanned(shapes)]
    if not found or any(rate is None for rate in found):
        return None
    return reduce(lambda one, other: one if one is not None and one == other else None, found)
