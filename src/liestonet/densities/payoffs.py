"""Payoffs given as text, SymPy, number or callable of the state, cut into smooth pieces."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise, product
from typing import Any

import mpmath
import numpy as np
import sympy
from jaxtyping import Float
from sympy import Symbol

from liestonet.densities.compiled import compiled
from liestonet.densities.inverse import one_to_one_zero
from liestonet.densities.numbers import Expression
from liestonet.densities.precision import evaluated
from liestonet.densities.state_space import real_zeros
from liestonet.densities.tuning import PRICE
from liestonet.errors import InputError
from liestonet.sde.exact import number
from liestonet.sde.grammar import EXTREMES, FUNCTIONS, PLAIN
from liestonet.sde.killing import expression_of
from liestonet.sde.symbolic import SymbolicCoefficients
from liestonet.sde.tokens import suggestion

Vector = Float[np.ndarray, " _"]
_SIGNS = re.compile(r"(<=|>=|≤|≥|<|>)")
_NAMED = re.compile(r"\s*(call|put|digital)\s*\(([^()]*)\)\s*")
_CALLED = re.compile(r"([^\W\d]\w+)\s*\(")
_JOINED = re.compile(r"\b(and|or|not|if)\b|[&|]", re.IGNORECASE)
NAMED = ("call", "put", "digital", "bond")
KINKED = (sympy.Abs, sympy.sign, sympy.Heaviside, sympy.Max, sympy.Min)


@dataclass(frozen=True)
class Piece:
    """A payoff between two points: a smooth expression in the state."""

    low: Expression
    high: Expression
    value: Expression


@dataclass(frozen=True)
class Payoff:
    """A function of the state; `pieces` where it is a formula whose kinks and jumps have exact places."""

    text: str
    function: Callable[[Vector], Any]
    pieces: tuple[Piece, ...] = ()

    def __call__(self, x: Vector) -> Vector:
        with np.errstate(all="ignore"):
            try:
                found = np.asarray(self.function(x), dtype=float)
            except Exception as problem:
                found = self._one_by_one(x, problem)
        if found.shape not in ((), x.shape):
            raise InputError(
                f"The payoff returned shape {found.shape} for {len(x)} states; one value for each is needed."
            )
        return np.broadcast_to(found, x.shape)

    def _one_by_one(self, x: Vector, problem: Exception) -> Vector:
        """The values of a callable that failed on an array: it may take single states, such as max(x - 110, 0)."""
        try:
            return np.array([float(self.function(place)) for place in x.tolist()])
        except Exception:
            reason = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
            raise InputError(f"The payoff failed on {len(x)} states: {reason}.") from problem

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        """Points at which it is not smooth."""
        ends = {end for piece in self.pieces for end in (piece.low, piece.high)}
        return tuple(sorted(float(evaluated(end)) for end in ends if end not in (sympy.oo, -sympy.oo)))


def payoff_names(given: object, symbolic: SymbolicCoefficients) -> set[str]:
    """Names in a payoff other than the state; a callable has none."""
    if callable(given) and not isinstance(given, sympy.Expr):
        return set()
    expression, conditions = _read(given, symbolic, symbolic.state[0])
    return {symbol.name for part in (expression, *conditions) for symbol in part.free_symbols - {*symbolic.state}}


def payoff_of(
    given: Any,
    symbolic: SymbolicCoefficients,
    low: Expression,
    high: Expression,
    values: Mapping[str, Any] | None = None,
) -> Payoff:
    """The payoff on the state space (low, high), with values for the names in it."""
    state = symbolic.state[0]
    if callable(given) and not isinstance(given, sympy.Expr):
        return Payoff(getattr(given, "__name__", "payoff"), given)
    numbers = {Symbol(name, real=True): number(value, f"Parameter {name}") for name, value in (values or {}).items()}
    expression, *conditions = (part.subs(numbers) for part in _joined(_read(given, symbolic, state)))
    extra = expression.free_symbols.union(*(condition.free_symbols for condition in conditions)) - {state}
    if extra:
        names = ", ".join(sorted(map(str, extra)))
        raise InputError(f"The payoff {given!r} contains {names} besides the state {state}; give it a value.")
    places = _cuts([expression, *conditions], state, low, high)
    if places is None:  # as good as a callable
        return Payoff(str(given), _paid_if(expression, conditions, state))
    pieces = []
    for one, other in pairwise([low, *places, high]):
        middle = _between(one, other)
        holds = all(evaluated(condition.subs(state, middle)) > 0 for condition in conditions)
        value = _resolved(expression, state, middle) if holds else sympy.Integer(0)
        pieces.append(Piece(one, other, value))
    return Payoff(str(given), _as_function(pieces, state), tuple(pieces))


def _joined(read: tuple[Expression, list[Expression]]) -> list[Expression]:
    return [read[0], *read[1]]


def _read(given: Any, symbolic: SymbolicCoefficients, state: Symbol) -> tuple[Expression, list[Expression]]:
    """An expression, and expressions that must be positive for the payoff not to be zero."""
    if not isinstance(given, str):
        return expression_of(given, symbolic, "The payoff"), []
    text = given.strip()
    if not text:
        raise InputError("The payoff is empty; give one such as call(110), digital(110), bond or max(x - 110, 0).")
    if text.lower() in ("bond", "bond()"):
        return sympy.Integer(1), []
    if named := _NAMED.fullmatch(text):
        if not named[2].strip():
            raise InputError(f"The payoff {text} needs its strike, as in {named[1]}(110).")
        strike = expression_of(named[2], symbolic, "The strike")
        if named[1] == "digital":
            return sympy.Integer(1), [state - strike]
        return sympy.Max(state - strike if named[1] == "call" else strike - state, 0), []
    _check_names(text, state)
    parts = _SIGNS.split(text)
    if len(parts) == 1:
        return expression_of(text, symbolic, "The payoff"), []
    if len(parts) > 5 or _JOINED.search(text) or any(side.count("(") != side.count(")") for side in parts[::2]):
        raise InputError(
            f"The payoff {given!r} is more than one condition; write one, such as {state} > 90 or 90 < {state} < 110, "
            f"or a formula with max, min and sign, such as {state}*(1 + sign({state} - 90))/2, or a callable."
        )
    sides = [expression_of(side, symbolic, "The payoff") for side in parts[::2]]
    return sympy.Integer(1), [
        other - one if sign[0] in "<≤" else one - other
        for one, sign, other in zip(sides, parts[1::2], sides[1:], strict=False)
    ]


def _check_names(text: str, state: Symbol) -> None:
    """Refuse an unknown function with a message that names the known payoffs."""
    if text.lower() in NAMED:
        raise InputError(f"The payoff {text} needs its strike, as in {text.lower()}(110).")
    for name in _CALLED.findall(text):
        if name in NAMED:
            raise InputError(f"{name}(...) is a whole payoff; in a formula write max({state} - 110, 0).")
        if name not in {*FUNCTIONS, *EXTREMES, "pi", state.name}:
            raise InputError(
                f"Unknown payoff {name}{suggestion(name, NAMED) or '.'} Known are call(K), put(K), digital(K), bond, "
                f"and formulas such as max({state} - 110, 0), with {', '.join(PLAIN)}."
            )


def _cuts(expressions: list[Expression], state: Symbol, low: Expression, high: Expression) -> list[Expression] | None:
    """Points inside the state space at which something is not smooth or changes sign, ascending.

    None where a kink or a change of sign has no exact place.
    """
    loci = _decisive(expressions)
    exact = None if loci is None else [_exact_zeros(locus, state) for locus in loci if locus.has(state)]
    if exact is None or None in exact:
        return None
    found = {root for zeros in exact for root in zeros or ()}
    # poles and branch points, near which quadrature needs finer panels
    powers = (node for node in expressions[0].atoms(sympy.Pow) if node.exp.is_negative or not node.exp.is_integer)
    singular = {*(node.base for node in powers), *(node.args[0] for node in expressions[0].atoms(sympy.log))}
    for locus in singular:
        for branch in (_branches(locus) or []) if locus.has(state) else []:
            zeros = _exact_zeros(branch, state)
            found |= set(real_zeros(branch, state) if zeros is None else zeros)
    ordered = sorted(found, key=evaluated)
    return [root for root in ordered if evaluated(low) < evaluated(root) < evaluated(high)]


def _decisive(expressions: list[Expression]) -> set[Expression] | None:
    """Smooth expressions whose signs decide which branch of the payoff holds; None where they are too many."""
    loci: set[Expression] = set()
    for condition in expressions[1:]:
        loci |= set(_branches(condition) or [sympy.nan])
    for node in set().union(*(expression.atoms(*KINKED) for expression in expressions)):
        options = [_branches(argument) or [sympy.nan] for argument in sorted(node.args, key=sympy.default_sort_key)]
        if isinstance(node, sympy.Max | sympy.Min):
            loci |= {a - b for one, other in combinations(options, 2) for a in one for b in other}
        else:
            loci |= set(options[0])
    return None if sympy.nan in loci or len(loci) > PRICE.most_branches else loci


def _branches(expression: Expression) -> list[Expression] | None:
    """The smooth expressions of which one holds at every place; None where they are too many."""
    if not expression.has(*KINKED):
        return [expression]
    parts = [_branches(argument) for argument in expression.args]
    if isinstance(expression, sympy.Heaviside):
        return [sympy.Integer(0), sympy.Integer(1)]
    if None in parts or math.prod(len(part or ()) for part in parts) > PRICE.most_branches:
        return None
    options: list[list[Any]] = [part or [] for part in parts]
    if isinstance(expression, sympy.Max | sympy.Min):
        return list(dict.fromkeys(chain(*options)))
    if isinstance(expression, sympy.Abs):
        return [sign * option for option in options[0] for sign in (1, -1)]
    if isinstance(expression, sympy.sign):
        return [sympy.Integer(1), sympy.Integer(-1)]
    return list(dict.fromkeys(expression.func(*choice) for choice in product(*options)))


def _exact_zeros(locus: Expression, state: Symbol) -> list[Expression] | None:
    """All real zeros, of a polynomial or of a chain of one-to-one functions; None where they are not known exactly."""
    fraction: Any = sympy.fraction(sympy.together(locus))
    if fraction[0].is_polynomial(state):
        return real_zeros(locus, state)
    found = one_to_one_zero(locus, state)
    if found is None:
        return None
    return [found] if found.is_finite is not False and isinstance(evaluated(found), mpmath.mpf) else []


def _paid_if(expression: Expression, conditions: list[Expression], state: Symbol) -> Callable[[Vector], Vector]:
    """The expression where all conditions are positive, zero elsewhere."""
    function = compiled([state], [expression, *conditions])

    def payoff(x: Vector) -> Vector:
        value, *signs = function(x)
        return np.where(np.all([sign > 0 for sign in signs], axis=0), value, 0.0) if signs else value

    return payoff


def _between(low: Expression, high: Expression) -> Expression:
    if low == -sympy.oo and high == sympy.oo:
        return sympy.Integer(0)
    if high == sympy.oo:
        return low + 1
    return high - 1 if low == -sympy.oo else (low + high) / 2


def _resolved(expression: Expression, state: Symbol, middle: Expression) -> Expression:
    """The expression on a piece, with max, min and sign resolved by their values at a point inside."""

    def at(argument: Expression) -> Any:
        return evaluated(argument.subs(state, middle))

    rules: list[tuple[Any, Any]] = [
        (sympy.Max, lambda *u: max(u, key=at)),
        (sympy.Min, lambda *u: min(u, key=at)),
        (sympy.Abs, lambda u: u if at(u) > 0 else -u),
        (sympy.sign, lambda u: sympy.Integer(1 if at(u) > 0 else -1)),
        (sympy.Heaviside, lambda u, *_: sympy.Integer(1 if at(u) > 0 else 0)),
    ]
    for function, rule in rules:
        expression = expression.replace(function, rule)
    return expression


def _as_function(pieces: list[Piece], state: Symbol) -> Callable[[Vector], Vector]:
    functions = [compiled([state], [piece.value]) for piece in pieces]
    edges = np.array([float(evaluated(piece.high)) for piece in pieces[:-1]])

    def payoff(x: Vector) -> Vector:
        number, result = np.searchsorted(edges, x), np.empty_like(x)
        for k, function in enumerate(functions):
            chosen = number == k
            if chosen.any():
                result[chosen] = function(x[chosen])[0]
        return result

    return payoff
