"""Symbols with assumptions on their signs, values at points of the box, and tests whether expressions vanish.

SymPy takes wrong branches of √x² and ∫dx/x unless it knows that x > 0. So computations use inner symbols, positive on
the state space, and the result is written in the user's symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from jaxtyping import Bool, Float
from sympy import Expr, Symbol

from liestonet.core.domain import Domain
from liestonet.formulas.blocks import resolved
from liestonet.formulas.proved.proofs import simplifies_to_zero
from liestonet.formulas.quadrature import without_integrals
from liestonet.formulas.shortest import shortest
from liestonet.reduction.state_space import Space
from liestonet.reduction.tuning import REDUCTION
from liestonet.sde.symbolic import Floor, Step, SymbolicCoefficients, away_from_kinks, numeric_modules

PAIRS = {
    sympy.asinh: sympy.sinh,
    sympy.acosh: sympy.cosh,
    sympy.atanh: sympy.tanh,
    sympy.asin: sympy.sin,
    sympy.acos: sympy.cos,
    sympy.atan: sympy.tan,
}
RESOLVED = (sympy.Pow, sympy.Abs, sympy.log, *PAIRS)


@dataclass(frozen=True)
class Setting:
    """Inner symbols with the user's expressions for them, and their values at points of the box."""

    outward: Mapping[Symbol, Expr]
    values: Mapping[Symbol, Float[np.ndarray, " b"]]

    def public(self, expression: Any) -> Any:
        """An expression in the user's symbols."""
        return sympy.sympify(expression).xreplace(dict(self.outward))

    def numbers(self, expression: Any) -> Float[np.ndarray, " b"]:
        """Values at the points; NaN where they are not real."""
        expression = sympy.sympify(expression)
        symbols = list(self.values)
        if expression.has(sympy.Integral):
            return np.array([_real(v) for v in self.precise(expression, len(next(iter(self.values.values()))), 16)])
        columns = [self.values[symbol] for symbol in symbols]
        function = sympy.lambdify(symbols, expression, numeric_modules(expression))
        with np.errstate(all="ignore"):
            found: Any = np.broadcast_to(np.asarray(function(*columns), dtype=complex), columns[0].shape)
            if not np.isfinite(found).all() and not expression.has(sympy.atan2):  # parts may be complex
                found = np.broadcast_to(np.asarray(function(*(c.astype(complex) for c in columns))), columns[0].shape)
        real = np.abs(found.imag) <= REDUCTION.rounding * (1 + np.abs(found.real))
        return np.where(real, found.real, np.nan)

    def precise(self, expression: Any, count: int = REDUCTION.precise_points, digits: int = REDUCTION.digits) -> list:
        """High-precision values at a few points; None where there is no value."""
        import mpmath

        symbols = sorted(expression.free_symbols & self.values.keys(), key=str)
        found = []
        with mpmath.workdps(digits):
            function = sympy.lambdify(symbols, expression, "mpmath")
            for k in range(count):
                try:
                    found.append(mpmath.mpmathify(function(*(mpmath.mpf(float(self.values[s][k])) for s in symbols))))
                except (TypeError, ValueError, ZeroDivisionError, OverflowError, NameError, KeyError, AttributeError):
                    found.append(None)
        return found

    def extended(self, new: Mapping[Symbol, Expr]) -> Setting:
        """The setting with further symbols, whose values are those of their expressions."""
        values = {symbol: self.numbers(expression) for symbol, expression in new.items()}
        return replace(
            self,
            outward={**self.outward, **{s: Symbol(s.name, real=True) for s in new if s not in self.outward}},
            values={**self.values, **values},
        )

    def restricted(self, kept: Bool[np.ndarray, " b"]) -> Setting:
        """The setting on some of the points, repeated to the same number."""
        chosen = np.resize(np.flatnonzero(kept), len(kept))
        return replace(self, values={symbol: values[chosen] for symbol, values in self.values.items()})

    def plain(self, expression: Any) -> Any:
        """The expression with moduli and roots of squares resolved by the signs on the box."""
        expression = sympy.sympify(expression)
        if expression.has(sympy.sign, sympy.DiracDelta):  # derivatives of moduli
            expression = _away_from_kinks(expression, self)
        used = sorted(expression.free_symbols, key=str)
        if (
            not used
            or not expression.free_symbols <= self.values.keys()
            or expression.has(sympy.Integral)
            or not expression.has(*RESOLVED)
        ):
            return expression
        points = np.column_stack([self.values[symbol] for symbol in used])
        if not np.isfinite(points).all():
            return expression
        return _signed_roots(resolved(_unwrapped(expression, self), tuple(used), points), self)

    def tidy(self, expression: Any) -> Any:
        """The shortest form of an expression that the rules find, with signs resolved; long ones only in part."""
        plain = self.plain(sympy.powdenest(sympy.sympify(expression)))
        waves = plain.has(sympy.sin, sympy.cos, sympy.tan)
        if sympy.count_ops(plain) > (REDUCTION.largest_waves if waves else REDUCTION.largest_tidied):
            return min(plain, sympy.factor_terms(plain), key=sympy.count_ops)
        return shortest(plain)

    def vanishes(self, expression: Any) -> bool:
        """Whether SymPy proves that an expression is zero; it is not tried if numerical values differ from zero."""
        expression = sympy.sympify(expression)
        if expression == 0:
            return True
        expression = without_integrals(expression)
        if not self.seems_zero(expression):
            return False
        plain = self.plain(expression)
        ways: list[Any] = list(dict.fromkeys((expression, plain, sympy.powdenest(plain, force=True))))
        return any(simplifies_to_zero(way, thorough) for thorough in (False, True) for way in ways)

    def seems_zero(self, expression: Any) -> bool:
        """Whether an expression is zero at some points in high precision, relative to its terms."""
        terms = sympy.Add.make_args(expression)
        values, sizes = self.precise(expression), [self.precise(term) for term in terms]
        for k, value in enumerate(values):
            if value is None:
                continue
            scale = 1 + sum(abs(row[k]) for row in sizes if row[k] is not None)
            if not abs(value) < REDUCTION.precisely * scale:
                return False
        return True

    def lacks(self, expression: Any, symbols: Iterable[Symbol]) -> bool:
        """Whether an expression does not depend on any of the symbols."""
        expression = sympy.sympify(expression)
        wanted = [symbol for symbol in symbols if symbol in expression.free_symbols]
        return all(self.vanishes(sympy.diff(expression, symbol)) for symbol in wanted)


def _real(value: Any) -> float:
    return (
        float(value.real) if value is not None and abs(value.imag) <= REDUCTION.rounding * (1 + abs(value)) else np.nan
    )


def _unwrapped(expression: Any, setting: Setting) -> Any:
    """asinh(sinh u) and similar expressions as u or −u, decided by numerical values; SymPy leaves them."""
    for inverse, function in PAIRS.items():
        for node in expression.atoms(inverse):
            if isinstance(node.args[0], function):
                inside = node.args[0].args[0]
                values, plain = setting.numbers(node), setting.numbers(inside)
                for sign in (1, -1):
                    if np.allclose(values, sign * plain, rtol=REDUCTION.rounding, atol=REDUCTION.rounding):
                        expression = expression.xreplace({node: sign * inside})
    return expression


def _signed_roots(expression: Any, setting: Setting) -> Any:
    """√(u²) becomes u or −u by its sign on the box, for squares that are sums as well: √((1 − t)²) = 1 − t."""
    change = {}
    for node in expression.atoms(sympy.Pow):
        if node.exp.is_Rational and node.exp.q == 2 and node.base.is_Pow and node.base.exp.is_Integer:
            inner = node.base.base
            values = setting.numbers(inner)
            if node.base.exp % 2 == 0 and np.isfinite(values).all() and (np.sign(values) == np.sign(values[0])).all():
                change[node] = (inner if values[0] > 0 else -inner) ** (node.base.exp * node.exp)
    return expression.xreplace(change) if change else expression


def _away_from_kinks(expression: Any, setting: Setting) -> Any:
    """sign(u) and similar functions as numbers, if u has one sign on the box."""
    expression = away_from_kinks(expression)
    for node in expression.atoms(sympy.DiracDelta):
        values = np.sign(setting.numbers(node.args[0]))
        if (values == values[0]).all() and values[0] != 0:
            expression = expression.xreplace({node: sympy.Integer(0)})
    for node in expression.atoms(Step):
        values = np.sign(setting.numbers(node.args[0]))
        if not isinstance(node, Floor) and (values == values[0]).all():
            expression = expression.xreplace({node: sympy.Integer(int(values[0]))})
    return expression


def inner_symbol(symbol: Symbol, space: Space) -> tuple[Symbol, Expr]:
    """A symbol with an assumption on its sign, and the expression for the user's symbol: itself, or its negative."""
    if space.low >= 0:
        made = Symbol(symbol.name, positive=True)
        return made, made
    if space.high <= 0:
        made = Symbol(symbol.name, positive=True)
        return made, -made
    return symbol, symbol


@dataclass(frozen=True)
class Inner:
    """The formulas of an equation in inner symbols, with their setting."""

    setting: Setting
    inward: Mapping[Symbol, Expr]
    time: Symbol
    state: tuple[Symbol, ...]
    drift: tuple[Expr, ...]
    noise: tuple[tuple[Expr, ...], ...]


def inner_equation(
    symbolic: SymbolicCoefficients, domain: Domain, spaces: tuple[Space, ...], draw: Mapping[str, float]
) -> Inner:
    """An equation in inner symbols; `draw` are values of the parameters that have none."""
    rng = np.random.default_rng(11)
    variables = (symbolic.time, *symbolic.state)
    inward: dict[Symbol, Expr] = {}
    outward: dict[Symbol, Expr] = {}
    values: dict[Symbol, np.ndarray] = {}
    signs = []
    for symbol, space, (low, high) in zip(variables, (Space(), *spaces[1:]), domain.intervals, strict=True):
        made, meant = inner_symbol(symbol, space)
        inward[symbol], outward[made] = meant, symbol if meant == made else -symbol
        signs.append(made)
        drawn = rng.uniform(low, high, REDUCTION.points)
        values[made] = drawn if meant == made else -drawn
    for name in symbolic.parameters:
        symbol, value = Symbol(name, real=True), draw[name]
        made = Symbol(name, positive=True) if value > 0 else symbol
        inward[symbol], outward[made] = made, symbol
        values[made] = value * (1 + REDUCTION.spread * rng.uniform(-1, 1, REDUCTION.points))
    setting = Setting(outward, values)
    drift: Any = symbolic.drift
    diffusion: Any = symbolic.diffusion
    turn = [1 if inward[s] == inner else -1 for s, inner in zip(symbolic.state, signs[1:], strict=True)]

    def entered(entry: Any, sign: int) -> Any:
        return sign * _away_from_kinks(setting.plain(entry.xreplace(inward)), setting)

    return Inner(
        setting,
        inward,
        signs[0],
        tuple(signs[1:]),
        tuple(entered(entry, turn[i]) for i, entry in enumerate(drift)),
        tuple(tuple(entered(diffusion[i, k], turn[i]) for k in range(diffusion.shape[1])) for i in range(len(turn))),
    )
