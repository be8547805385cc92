"""Coordinates and coefficients as numbers: compiled formulas, integrals of known functions over steps, inverses."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.formulas.quadrature import integral_values
from liestonet.reduction.tuning import SAMPLE
from liestonet.sde.symbolic import Floor, Step, numeric_modules

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction

Compiled = Callable[..., Float[np.ndarray, " b"]]


@lru_cache(maxsize=512)
def compiled(expression: sympy.Expr, symbols: tuple[sympy.Symbol, ...]) -> Compiled:
    """A formula as a function of arrays (B,), one for each symbol; unevaluated integrals by Gauss's rule."""
    kept = sorted(expression.atoms(sympy.Integral), key=str)
    stand_ins = [sympy.Dummy() for _ in kept]
    plain = expression.xreplace(dict(zip(kept, stand_ins, strict=True)))
    modules: list[Any] = [{"Step": np.sign, "Floor": np.floor}, *numeric_modules(plain)]
    plain = plain.replace(Step, Step).replace(Floor, Floor)
    function = sympy.lambdify([*symbols, *stand_ins], plain, modules=modules)

    def values(*columns: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        points = np.column_stack(np.broadcast_arrays(*columns))
        with np.errstate(all="ignore"):
            more = [integral_values(node, symbols, points) for node in kept]
            return np.broadcast_to(np.asarray(function(*points.T, *more), dtype=float), (len(points),)).copy()

    return values


def stacked(expressions: list[Any], symbols: tuple[Any, ...], *columns: np.ndarray) -> Float[np.ndarray, "b n"]:
    """Several formulas at the same points."""
    parts = [compiled(sympy.sympify(e), symbols)(*columns) for e in expressions]
    return np.column_stack(parts)


def new_from_old(
    made: Reduction, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]
) -> tuple[Float[np.ndarray, " b"], Float[np.ndarray, "b m"]]:
    """The new time and coordinates at old times and states."""
    made.require_numeric()
    if made.flows is not None:
        return t, made.flows.forward(t, x)
    symbols = old_symbols(made)
    if made.noise_names and x.shape[1] == made.equation.dimension:
        x = np.column_stack([x, np.zeros((len(x), len(made.noise_names)))])
    clock, *rest = made.coordinates.values()
    return compiled(clock, symbols)(t, *x.T), stacked(rest, symbols, t, *x.T)


def old_from_new(
    made: Reduction, s: Float[np.ndarray, " b"], z: Float[np.ndarray, "b m"]
) -> tuple[Float[np.ndarray, " b"], Float[np.ndarray, "b d"]]:
    """Old times and states from the new time and coordinates."""
    made.require_numeric()
    if made.flows is not None:
        return s, made.flows.backward(s, z)
    if not made.inverse:
        return s, _by_bisection(made, s, z)
    symbols = new_symbols(made)
    time, *rest = made.inverse.values()
    return compiled(time, symbols)(s, *z.T), stacked(rest, symbols, s, *z.T)


def old_symbols(made: Reduction) -> tuple[Any, ...]:
    """Time and coordinates of the equation, and its Wiener processes where the new coordinates depend on them."""
    return tuple(sympy.Symbol(name, real=True) for name in ("t", *made.equation.names, *made.noise_names))


def new_symbols(made: Reduction) -> tuple[Any, ...]:
    """The symbols of the new time and coordinates."""
    return tuple(made.coordinates)


def _by_bisection(made: Reduction, t: Float[np.ndarray, " b"], y: Float[np.ndarray, "b n"]) -> Float[np.ndarray, "b 1"]:
    """The solution x of y(t, x) = y for one coordinate without an inverse in closed form: monotone, by bisection."""
    formula = compiled(list(made.coordinates.values())[-1], old_symbols(made))
    space, noise, wanted = made.spaces[1], y[:, :-1], y[:, -1]

    def height(t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return formula(t, x, *noise.T)

    low, high = _bracket(height, t, wanted, space.low, space.high)
    rising = height(t, high) > height(t, low)
    for _ in range(200):
        middle = (low + high) / 2
        above = (height(t, middle) > wanted) == rising
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    found = (low + high) / 2
    inside = np.abs(height(t, found) - wanted) < 1e-6 * (1 + np.abs(wanted))
    return np.where(inside, found, np.nan)[:, None]


def _bracket(height: Compiled, t: np.ndarray, wanted: np.ndarray, low: float, high: float) -> tuple[Any, Any]:
    """Points of the state space on both sides of the solution, as far out as necessary."""
    middle = 0.0 if np.isinf(low) and np.isinf(high) else low + 1 if np.isinf(high) else high - 1
    middle = (low + high) / 2 if np.isfinite(low) and np.isfinite(high) else middle
    below, above = np.full(len(t), middle), np.full(len(t), middle)
    found = np.zeros(len(t), dtype=bool)
    for k in range(1, 60):
        reach, near = 2.0 ** (k - 3), 2.0**-k
        left = middle - reach if np.isinf(low) else low + (middle - low) * near
        right = middle + reach if np.isinf(high) else high - (high - middle) * near
        below, above = np.where(found, below, left), np.where(found, above, right)
        values = height(t, below), height(t, above)
        found = found | ((np.minimum(*values) <= wanted) & (np.maximum(*values) >= wanted))
        if found.all():
            break
    return below, above


def integrals_over(
    function: Callable[[Float[np.ndarray, " b"]], Float[np.ndarray, "b ..."]], start: float, end: float
) -> Float[np.ndarray, "..."]:
    """∫ function dt by Gauss's rule on panels that are halved until two rules agree."""
    nodes, weights = np.polynomial.legendre.leggauss(SAMPLE.nodes)
    panels, before = 1, None
    while True:
        edges = np.linspace(start, end, panels + 1)
        half = (edges[1:] - edges[:-1]) / 2
        places = ((edges[1:] + edges[:-1]) / 2)[:, None] + half[:, None] * nodes
        values = function(places.reshape(-1))
        factors = (half[:, None] * weights).reshape(-1)
        total = np.tensordot(factors, values, axes=(0, 0))
        if before is not None and np.all(np.abs(total - before) <= SAMPLE.agreement * (1e-300 + np.abs(total).max())):
            return total
        if panels >= SAMPLE.most_panels:
            return total
        before, panels = total, 2 * panels
