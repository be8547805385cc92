"""Power series of SymPy expressions at a point, by arithmetic on truncated series instead of repeated differentiation.

Variables are scaled: a series holds the coefficients of s^α with s = (variable − point) / half.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients, JetOrder
from liestonet.core.power_series import Series, SeriesRing

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


class UnknownFunctionError(Exception):
    """The expression contains a function whose power series is not implemented or does not exist at the point."""


def _exponential(value: float, degree: int) -> np.ndarray:
    return np.array([math.exp(value) / math.factorial(k) for k in range(degree + 1)])


def _logarithm(value: float, degree: int) -> np.ndarray:
    return np.array([math.log(value)] + [-((-1 / value) ** k) / k for k in range(1, degree + 1)])


def _cycle(values: list[float], degree: int) -> np.ndarray:
    """Taylor coefficients of a function whose derivatives repeat in a cycle of the given values."""
    return np.array([values[k % len(values)] / math.factorial(k) for k in range(degree + 1)])


def _antiderivative(
    value: float, degree: int, start: float, slope: Callable[[SeriesRing, Series], Series]
) -> np.ndarray:
    """Taylor coefficients of a function from its value and the series of its derivative."""
    ring = SeriesRing(1, degree)
    derivative = slope(ring, ring.variable(0, value, 1.0))
    return np.array([start] + [derivative[k] / (k + 1) for k in range(degree)])


def _slope(sign: float, constant: float, square: float, exponent: float) -> Callable[[SeriesRing, Series], Series]:
    """sign · (constant + square · s²)^exponent: the derivatives of all inverse circular functions."""
    return lambda ring, s: sign * ring.power(ring.constant(constant) + square * ring.multiply(s, s), exponent)


def _bell(ring: SeriesRing, s: Series) -> Series:
    """2 exp(−s²)/√π, the derivative of erf."""
    square = ring.multiply(s, s)
    return 2 / math.sqrt(math.pi) * ring.compose(_exponential(-float(square[0]), ring.degree), -square)


# Taylor coefficients h^(k)(value)/k! of the elementary functions and erf, by SymPy's name.
ELEMENTARY: dict[str, Callable[[float, int], np.ndarray]] = {
    "exp": _exponential,
    "log": _logarithm,
    "sin": lambda v, q: _cycle([math.sin(v), math.cos(v), -math.sin(v), -math.cos(v)], q),
    "cos": lambda v, q: _cycle([math.cos(v), -math.sin(v), -math.cos(v), math.sin(v)], q),
    "sinh": lambda v, q: _cycle([math.sinh(v), math.cosh(v)], q),
    "cosh": lambda v, q: _cycle([math.cosh(v), math.sinh(v)], q),
    "atan": lambda v, q: _antiderivative(v, q, math.atan(v), _slope(1.0, 1.0, 1.0, -1.0)),
    "asin": lambda v, q: _antiderivative(v, q, math.asin(v), _slope(1.0, 1.0, -1.0, -0.5)),
    "acos": lambda v, q: _antiderivative(v, q, math.acos(v), _slope(-1.0, 1.0, -1.0, -0.5)),
    "asinh": lambda v, q: _antiderivative(v, q, math.asinh(v), _slope(1.0, 1.0, 1.0, -0.5)),
    "acosh": lambda v, q: _antiderivative(v, q, math.acosh(v), _slope(1.0, -1.0, 1.0, -0.5)),
    "atanh": lambda v, q: _antiderivative(v, q, math.atanh(v), _slope(1.0, 1.0, -1.0, -1.0)),
    "erf": lambda v, q: _antiderivative(v, q, math.erf(v), _bell),
    "erfc": lambda v, q: _antiderivative(v, q, math.erfc(v), lambda ring, s: -_bell(ring, s)),
    "Abs": lambda v, q: np.array([abs(v), math.copysign(1.0, v)] + [0.0] * (q - 1))[: q + 1],
    "sign": lambda v, q: np.array([math.copysign(1.0, v)] + [0.0] * q),
}
RATIOS = {"tan": ("sin", "cos"), "tanh": ("sinh", "cosh")}


def coefficient_series(
    coefficients: SymbolicCoefficients, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]
) -> dict[str, np.ndarray] | None:
    """Power series of f (n, size), σ (n, r, size) and a (n, n, size) at a point; None if an entry has none."""
    symbols = (coefficients.time, *coefficients.state)
    variables = {symbol: ring.variable(v, point[v], half[v]) for v, symbol in enumerate(symbols)}

    def expand(matrix: Any) -> np.ndarray:
        entries = [taylor(ring, entry, variables) for entry in matrix]
        return np.array(entries).reshape(*matrix.shape, ring.size)

    try:
        found = {
            "drift": expand(coefficients.drift)[:, 0],
            "diffusion": expand(coefficients.diffusion),
            "diffusion_squared": expand(coefficients.diffusion_squared),
        }
        return found if coefficients.killing.is_zero_matrix else found | {"killing": expand(coefficients.killing)}
    except (UnknownFunctionError, ZeroDivisionError, OverflowError, ValueError):
        return None


def jet_series(
    source: Coefficients, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]
) -> dict[str, np.ndarray]:
    """Power series of a source with derivatives of any order: derivative · half^α / α!."""
    order = ring.degree
    jet = source.jet(point[:1], point[None, 1:], JetOrder(order, order, order))
    n, r = source.dimension, source.noise
    shapes = {"drift": (n,), "diffusion": (n, r), "diffusion_squared": (n, n)}
    result = {name: np.zeros((*shape, ring.size)) for name, shape in shapes.items()}
    for name, series in result.items():
        for derivative, values in getattr(jet, name).items():
            exponent = (
                np.bincount(derivative, minlength=ring.variables) if derivative else np.zeros(ring.variables, int)
            )
            factor = np.prod(half**exponent) / math.prod(math.factorial(int(power)) for power in exponent)
            series[..., ring.find(exponent[None, :])[0]] = values[0] * factor
    return result


def taylor(ring: SeriesRing, expression: Any, variables: dict[Any, Series]) -> Series:
    """The power series of a SymPy expression, given those of its symbols."""
    known: dict[Any, Series] = dict(variables)

    def series(node: Any) -> Series:
        if node not in known:
            known[node] = combine(node)
        return known[node]

    def combine(node: Any) -> Series:
        name = type(node).__name__
        if node.is_number:
            return ring.constant(float(node))
        if node.is_Add:
            return np.sum([series(part) for part in node.args], axis=0)
        if node.is_Mul:
            result = series(node.args[0])
            for part in node.args[1:]:
                result = ring.multiply(result, series(part))
            return result
        if node.is_Pow and node.exp.is_number:
            return ring.power(series(node.base), float(node.exp))
        if node.is_Pow:
            exponent = ring.multiply(series(node.exp), elementary("log", series(node.base)))
            return elementary("exp", exponent)
        if name in RATIOS:
            above, below = (elementary(part, series(node.args[0])) for part in RATIOS[name])
            return ring.multiply(above, ring.power(below, -1.0))
        return elementary(name, series(node.args[0]) if len(node.args) == 1 else None)

    def elementary(name: str, inner: Series | None) -> Series:
        if name not in ELEMENTARY or inner is None:
            raise UnknownFunctionError(name)
        return ring.compose(ELEMENTARY[name](float(inner[0]), ring.degree), inner)

    return series(expression)
