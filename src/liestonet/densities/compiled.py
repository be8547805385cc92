"""Expressions in time, state and parameters as NumPy functions; unevaluated integrals over the state are tabulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from sympy import Symbol

from liestonet.densities.numbers import Expression, Numbers
from liestonet.densities.tuning import TABLE
from liestonet.sde.symbolic import numeric_modules


@dataclass(frozen=True)
class Compiled:
    """Several expressions as one function of the variables: time, state, then the parameters."""

    function: Callable[..., Any]
    tables: tuple[Table, ...] = ()

    def __call__(self, *values: Any) -> list[Numbers]:
        # Python's numbers raise errors on overflow, NumPy's become infinite
        values = tuple(np.float64(value) if isinstance(value, int | float) else value for value in values)
        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
        with np.errstate(all="ignore"):
            extra = [table(*values) for table in self.tables]
            found = self.function(*values, *extra)
        return [np.broadcast_to(np.asarray(part, dtype=float), shape) for part in found]


def compiled(variables: Sequence[Symbol], expressions: Sequence[Expression], state: Symbol | None = None) -> Compiled:
    """Expressions as a function of the variables; integrals up to the state become tables."""
    integrals = sorted(set().union(*(e.atoms(sympy.Integral) for e in expressions)), key=str)
    names = {node: sympy.Dummy(f"integral{k}") for k, node in enumerate(integrals)}
    plain = [_for_floats(expression.xreplace(names)) for expression in expressions]
    function = sympy.lambdify(
        [*variables, *names.values()], plain, modules=[_SPECIAL, *numeric_modules(*plain)], cse=True, dummify=True
    )
    place = -1 if state is None else list(variables).index(state)
    return Compiled(function, tuple(Table(node, tuple(variables), place) for node in integrals))


def _for_floats(expression: Any) -> Any:
    """The expression with log cosh that does not overflow, and with floats for long integers, which NumPy refuses."""
    expression = expression.replace(_is_log_cosh, lambda node: _log_cosh(node.args[0].args[0]))
    large = {n: sympy.Float(n, 17) for n in expression.atoms(sympy.Rational) if max(abs(n.p), n.q) > 2**53}
    return expression.xreplace(large) if large else expression


def _is_log_cosh(node: Any) -> bool:
    return isinstance(node, sympy.log) and isinstance(node.args[0], sympy.cosh)


def _log_cosh(u: Any) -> Any:
    """log cosh u without overflow of cosh u."""
    return sympy.Abs(u) + sympy.log((1 + sympy.exp(-2 * sympy.Abs(u))) / 2)


def _hyper(above: Sequence[float], below: Sequence[float], z: Any) -> Any:
    """Kummer's function, the only hypergeometric function in these formulas."""
    from scipy.special import hyp1f1

    return hyp1f1(above[0], below[0], z)


def _tail(z: Any) -> Any:
    """P(Z > z) of a standard normal Z."""
    from scipy.special import ndtr

    return ndtr(-z)


_SPECIAL: dict[str, Any] = {"hyper": _hyper, "tail": _tail}


@dataclass(frozen=True)
class Table:
    """∫ f(s) ds from a fixed point to the state, or to a fixed end, by Gauss's rule on panels."""

    integral: Any
    variables: tuple[Symbol, ...]
    place: int
    _kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, *values: Any) -> Numbers:
        (variable, low, high) = self.integral.limits[0]
        others = [symbol for symbol in self.variables if symbol in self.integral.free_symbols]
        state = self.variables[self.place] if self.variables else None
        settings = {symbol: values[self.variables.index(symbol)] for symbol in others if symbol is not state}
        if any(np.ndim(value) for value in settings.values()):
            return self._one_by_one(values, settings)
        fixed = {symbol: float(value) for symbol, value in settings.items()}
        integrand = sympy.lambdify([variable], self.integral.function.subs(fixed), ["scipy", "numpy"])
        start = float(low.subs(fixed))
        if state not in high.free_symbols:
            return np.asarray(_definite(integrand, start, float(high.subs(fixed))))
        return _cumulative(integrand, start, np.asarray(values[self.place], dtype=float))

    def _one_by_one(self, values: Sequence[Any], settings: dict[Any, Any]) -> Numbers:
        """The values where a parameter or the time differs between points: one table for each distinct value."""
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values))
        flat = [array.reshape(-1) for array in arrays]
        keys = np.stack([flat[self.variables.index(symbol)] for symbol in settings], axis=1)
        distinct, group = np.unique(keys, axis=0, return_inverse=True)
        result = np.empty(len(keys))
        for number, key in enumerate(distinct):
            chosen = group.reshape(-1) == number
            inner: list[Any] = [part[chosen] for part in flat]
            for symbol, value in zip(settings, key, strict=True):
                inner[self.variables.index(symbol)] = float(value)
            result[chosen] = self(*inner)
        return result.reshape(arrays[0].shape)


def _cumulative(integrand: Callable[[Any], Any], start: float, ends: Numbers) -> Numbers:
    """∫ from the start to every end: Chebyshev series on panels that are halved until they converge."""
    finite = np.isfinite(ends)
    if not finite.any():
        return np.full(ends.shape, np.nan)
    low, high = min(start, float(ends[finite].min())), max(start, float(ends[finite].max()))
    if low == high:
        return np.where(finite, 0.0, np.nan)
    panels = _panels(integrand, low, high)
    edges = np.array([panel.domain[0] for panel in panels] + [high])
    sums = np.concatenate([[0.0], np.cumsum([panel(panel.domain[1]) for panel in panels])])

    def primitive(places: Numbers) -> Numbers:
        number = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, len(panels) - 1)
        result = np.empty(places.shape)
        for k in np.unique(number):
            result[number == k] = sums[k] + panels[k](places[number == k])
        return result

    flat = np.where(finite, ends, start).reshape(-1)
    return np.where(finite, primitive(flat).reshape(ends.shape) - primitive(np.array([start]))[0], np.nan)


def _panels(integrand: Callable[[Any], Any], low: float, high: float) -> list[Any]:
    """Antiderivatives on neighbouring intervals, each zero at its lower end."""
    from numpy.polynomial import Chebyshev

    waiting, found = [(low, high, 0)], []
    while waiting:
        a, b, depth = waiting.pop()
        series = Chebyshev.interpolate(lambda s: np.asarray(integrand(s)) + 0 * s, TABLE.degree, [a, b])
        size = np.abs(series.coef)
        if depth < TABLE.halvings and not size[-2:].max() <= TABLE.converged * size.max():
            middle = (a + b) / 2
            waiting += [(middle, b, depth + 1), (a, middle, depth + 1)]
        else:
            found.append(series.integ(lbnd=a))
    return found


def _definite(integrand: Callable[[Any], Any], low: float, high: float) -> float:
    """∫ between two points by QUADPACK, which takes singular ends."""
    from scipy.integrate import quad

    if low == high:
        return 0.0
    return float(quad(integrand, low, high, epsabs=0.0, epsrel=TABLE.accuracy, limit=TABLE.intervals)[0])
