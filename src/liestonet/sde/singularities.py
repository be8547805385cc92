"""Where formulas are not smooth: zeros of denominators, of arguments of roots and logarithms, and kinks.

From the SymPy expressions of `SymbolicCoefficients` it computes numbers: roots on an interval, signs at points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from liestonet.core.domain import Domain, Neighbours
from liestonet.sde.probing import entry_names
from liestonet.sde.sde import SDE
from liestonet.sde.tuning import BOX

if TYPE_CHECKING:
    from sympy import Expr, Symbol

_FACTOR_OPERATIONS = 80


class Singularity(Enum):
    """The kind of singularity at the zeros of a locus; the value is its wording in messages."""

    POLE = "is not defined"
    BRANCH = "stops being real or smooth"
    KINK = "is not smooth"
    NOISE = "vanishes"


@dataclass(frozen=True)
class Locus:
    """An expression in some of the variables (0 is time) at whose zeros a coefficient is singular.

    `entry` names the entry of f or σ that contains it, in the equation of one coordinate.
    """

    expression: Expr
    kind: Singularity
    entry: str
    coordinate: int
    variables: tuple[int, ...]
    symbols: tuple[Symbol, ...]
    _compiled: list[Callable[..., np.ndarray]] = field(default_factory=list, compare=False, repr=False)

    def values(self, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, " b"]:
        """The expression at points (t, x)."""
        import sympy

        from liestonet.sde.symbolic import numeric_modules

        if not self._compiled:
            modules = numeric_modules(self.expression)
            self._compiled.append(sympy.lambdify(self.symbols, self.expression, modules))
        with np.errstate(all="ignore"):
            found = self._compiled[0](*points[:, list(self.variables)].T)
        found = np.broadcast_to(np.asarray(found), (len(points),))
        return np.where(np.abs(np.imag(found)) > 0, np.nan, np.real(found)).astype(np.float64)

    def roots(self, low: float, high: float) -> list[float]:
        """Real zeros in [low, high] of a locus in one variable, in ascending order."""
        if self.expression.is_polynomial(*self.symbols):
            found = _polynomial_roots(self.expression, self.symbols[0])
        else:
            found = self._scan(low, high)
        margin = 1e-12 * (high - low)
        return [root for root in found if low - margin <= root <= high + margin]

    def _scan(self, low: float, high: float) -> list[float]:
        """Sign changes, and minima of the absolute value that reach zero."""
        grid = np.linspace(low, high, BOX.scan)
        column = self.variables[0]

        def at(x: float) -> float:
            return float(self.values(_axis(np.array([x]), column))[0])

        values = self.values(_axis(grid, column))
        signs = np.sign(values)
        found = [float(grid[i]) for i in np.flatnonzero(signs == 0)]
        for i in np.flatnonzero(signs[:-1] * signs[1:] < 0):
            root: Any = brentq(at, grid[i], grid[i + 1])
            found.append(float(root))
        size = np.abs(values)
        scale = float(np.nanmedian(size)) if np.isfinite(size).any() else 1.0
        # An edge of the set where the locus is real counts if the locus vanishes there, as sqrt(x) does at 0.
        real = np.isfinite(values)
        for i in np.flatnonzero(real[:-1] != real[1:]):
            found.extend(_edge(at, grid[i], grid[i + 1], scale))
        for i in range(1, BOX.scan - 1):
            if 0 < size[i] < 1e-3 * scale and size[i] <= size[i - 1] and size[i] <= size[i + 1]:
                found.extend(_touching(at, grid[i - 1], grid[i + 1], scale))
        return sorted(set(found))


def _axis(values: Float[np.ndarray, " b"], column: int) -> Float[np.ndarray, "b v"]:
    points = np.zeros((len(values), column + 1))
    points[:, column] = values
    return points


def _edge(at: Callable[[float], float], one: float, other: float, scale: float) -> list[float]:
    inside, outside = (one, other) if np.isfinite(at(one)) else (other, one)
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if np.isfinite(at(middle)) else (inside, middle)
    return [inside] if abs(at(inside)) < 1e-4 * scale else []


def _touching(at: Callable[[float], float], low: float, high: float, scale: float) -> list[float]:
    from scipy.optimize import minimize_scalar

    best = minimize_scalar(lambda x: abs(at(x)), bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return [float(best.x)] if best.fun < 1e-12 * scale else []


def _polynomial_roots(expression: Any, symbol: Any) -> list[float]:
    import sympy

    coefficients = [float(c) for c in sympy.Poly(expression, symbol).all_coeffs()]
    roots = np.roots(coefficients)
    real = np.abs(roots.imag) < 1e-6 * (1 + np.abs(roots))
    return sorted({round(float(root), 12) for root in roots[real].real})


def singular_neighbours(sde: SDE, domain: Domain) -> tuple[Neighbours, ...]:
    """For every variable the nearest singular points below and above its interval, if close.

    Zeros of a coordinate's own noise count, since ∫dx/σ and with it the generators have logarithms there.
    """
    found = [locus for locus in loci(sde) if len(locus.variables) == 1 and locus.kind is not Singularity.KINK]
    found = [locus for locus in found if locus.kind is not Singularity.NOISE or locus.variables == (locus.coordinate,)]
    neighbours: list[Neighbours] = []
    for variable, (low, high) in enumerate(domain.intervals):
        roots = []
        for locus in found:
            if locus.variables == (variable,):
                reach = (BOX.close_pole if locus.kind is Singularity.POLE else BOX.close) * (high - low)
                roots += locus.roots(low - reach, high + reach)
        below, above = [root for root in roots if root < low], [root for root in roots if root > high]
        inside = len(below) + len(above) < len(roots)
        neighbours.append((None, None) if inside else (max(below, default=None), min(above, default=None)))
    return tuple(neighbours)


def loci(sde: SDE) -> tuple[Locus, ...]:
    """All loci of an SDE's formulas, zeros of the noise included; none for callables."""
    symbolic = sde.symbolic
    if symbolic is None:
        return ()
    symbols = (symbolic.time, *symbolic.state)
    drift: Any = symbolic.drift
    diffusion: Any = symbolic.diffusion
    entries = [*drift, *diffusion]
    found: dict[tuple[Any, Singularity, int], Locus] = {}
    entries, names = [*entries, *symbolic.killing], (*entry_names(sde), "killing")
    for position, (entry, name) in enumerate(zip(entries, names, strict=True)):
        if not entry.free_symbols:
            continue
        noisy = sde.dimension <= position < sde.dimension * (1 + sde.noise)
        coordinate = 1 + (position if position < sde.dimension else (position - sde.dimension) // max(sde.noise, 1))
        noise = _factors(entry) if noisy else iter(())
        for expression, kind in (*singular_parts(entry), *((factor, Singularity.NOISE) for factor in noise)):
            variables = tuple(i for i, symbol in enumerate(symbols) if symbol in expression.free_symbols)
            # a zero of the noise matters most for its own coordinate; a singularity matters for all
            key = expression, kind, coordinate if kind is Singularity.NOISE else 0
            if variables and key not in found:
                used = tuple(symbols[i] for i in variables)
                found[key] = Locus(expression, kind, name, coordinate, variables, used)
    return tuple(found.values())


def singular_parts(entry: Expr) -> Iterator[tuple[Expr, Singularity]]:
    """Expressions at whose zeros a formula is singular or has a kink."""
    import sympy as sp

    for node in sp.preorder_traversal(entry):
        arguments: tuple[Any, ...] = node.args
        if isinstance(node, sp.Pow):
            if node.exp.is_integer and node.exp.is_negative:
                yield node.base, Singularity.POLE
            elif not (node.exp.is_integer and node.exp.is_nonnegative) and node.base.free_symbols:
                yield node.base, Singularity.BRANCH
        elif isinstance(node, sp.log):
            yield arguments[0], Singularity.BRANCH
        elif isinstance(node, (sp.asin, sp.acos, sp.atanh)):
            yield 1 - arguments[0], Singularity.BRANCH
            yield 1 + arguments[0], Singularity.BRANCH
        elif isinstance(node, sp.acosh):
            yield arguments[0] - 1, Singularity.BRANCH
        elif isinstance(node, (sp.tan, sp.sec)):
            yield sp.cos(arguments[0]), Singularity.POLE
        elif isinstance(node, (sp.cot, sp.csc)):
            yield sp.sin(arguments[0]), Singularity.POLE
        elif isinstance(node, (sp.coth, sp.csch)):
            yield arguments[0], Singularity.POLE
        elif isinstance(node, (sp.floor, sp.ceiling, sp.frac)):
            yield sp.sin(sp.pi * arguments[0]), Singularity.KINK
        elif isinstance(node, (sp.Abs, sp.sign, sp.Heaviside)):
            yield arguments[0], Singularity.KINK
        elif isinstance(node, (sp.Max, sp.Min)):
            for i, first in enumerate(arguments):
                yield from ((first - second, Singularity.KINK) for second in arguments[i + 1 :])


def _factors(entry: Any) -> Iterator[Any]:
    """Factors of an entry of σ that may vanish."""
    import sympy as sp

    if entry.is_Add and entry.is_polynomial() and entry.count_ops() < _FACTOR_OPERATIONS:
        entry = sp.factor(entry)
    for factor in sp.Mul.make_args(entry):
        base = factor.base if isinstance(factor, sp.Pow) else factor
        negative = isinstance(factor, sp.Pow) and factor.exp.is_negative
        if base.free_symbols and not negative and not isinstance(base, sp.exp):
            yield base.args[0] if isinstance(base, sp.Abs) else base
