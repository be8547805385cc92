"""Exact generators in the place of networks, so that every loss can be asked what it says of a true symmetry."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import sympy

from liestonet import catalogue
from liestonet.core.domain import Domain
from liestonet.neural.frame import TrainingFrame, tabulate
from liestonet.neural.generator_networks import GeneratorJets
from liestonet.symmetry.determining.kinds import kind_named


class ExactGenerators:
    """Formulas (τ, ξ^1, …, ξ^n, β) called like networks; derivatives are SymPy's, not ours."""

    def __init__(self, rows: list[list[sympy.Expr]], names: tuple[str, ...], frame: TrainingFrame) -> None:
        self.count, self.dimension = len(rows), len(names)
        self.variables = [sympy.Symbol(name, real=True) for name in ("t", *names)]
        plain = {symbol.name: symbol for symbol in self.variables}
        units = [*frame.half, *([1.0] if len(rows[0]) > len(names) + 1 else [])]
        scaled = {
            v: c + h * v for v, c, h in zip(self.variables, frame.centre.tolist(), frame.half.tolist(), strict=True)
        }
        self.formulas = [
            [_named(sympy.sympify(entry), plain).xreplace(scaled) / unit
             for entry, unit in zip(row, units, strict=True)]
            for row in rows
        ]  # fmt: skip
        self._functions = [self._compiled(row) for row in self.formulas]

    def _compiled(self, row: list[sympy.Expr]) -> Callable[..., Any]:
        first = [[sympy.diff(entry, v) for v in self.variables] for entry in row]
        second = [[[sympy.diff(d, w) for w in self.variables] for d in slopes] for slopes in first]
        return sympy.lambdify(self.variables, [row, first, second], "jax", cse=True)

    def _fields(self, function: Callable[..., Any], points: jax.Array, squared: jax.Array) -> GeneratorJets:
        values, first, second = function(*points.T)
        hessian = _stacked(second, len(points))
        spread = squared if squared.ndim == 3 else squared[..., None] * jnp.eye(self.dimension)
        bent = 0.5 * jnp.einsum("bjk,bcjk->bc", spread, hessian[..., 1:, 1:])
        return GeneratorJets(_stacked(values, len(points)), _stacked(first, len(points)), bent, hessian)

    def __call__(self, points: jax.Array, squared: jax.Array) -> GeneratorJets:
        return self.at_own([points] * self.count, [squared] * self.count)

    def at_own(self, points: Any, squared: Any) -> GeneratorJets:
        parts = [self._fields(f, p, s) for f, p, s in zip(self._functions, points, squared, strict=True)]
        return GeneratorJets(*(jnp.stack(group) for group in zip(*parts, strict=True)))

    def own_values(self, points: Any) -> jax.Array:
        return self.at_own(points, jnp.zeros((*points.shape[:2], self.dimension, self.dimension))).values

    def bent(self, points: jax.Array, squared: jax.Array) -> GeneratorJets:
        return self(points, squared)

    def values(self, points: jax.Array) -> jax.Array:
        return self(points, jnp.zeros((len(points), self.dimension, self.dimension))).values

    def clocks(self, times: jax.Array) -> jax.Array:
        points = jnp.zeros((*times.shape, self.dimension + 1)).at[..., 0].set(times)
        return self.own_values(points)[..., 0]


def _named(entry: sympy.Expr, plain: dict[str, sympy.Symbol]) -> Any:
    """The same formula in our symbols, whatever assumptions its own carry."""
    return sympy.sympify(entry.xreplace({symbol: plain[str(symbol)] for symbol in entry.free_symbols}))


def _stacked(nested: Any, count: int) -> jax.Array:
    """Nested lists of numbers and arrays as one array, points first."""
    if isinstance(nested, list):
        return jnp.stack([_stacked(item, count) for item in nested], axis=1)
    return jnp.broadcast_to(jnp.asarray(nested, dtype=float), (count,))


@lru_cache(maxsize=64)
def known_case(key: str, kind: str, count: int = 40, change=None, part: float = 1.0, second: bool = True):
    """A catalogue system's generators (changed, perhaps) and its coefficients at random points.

    `part` is how much of the time interval the points cover, from its start.
    """
    system, kind_value = catalogue[key], kind_named(kind)
    domain = Domain.from_pairs(system.box, system.sde.dimension)
    frame = TrainingFrame.of(domain, True)
    source = system.sde.coefficients(domain)
    low, high = np.array(domain.intervals).T
    high[0] = low[0] + part * (high[0] - low[0])
    points = np.random.default_rng(3).uniform(low, high, size=(count, len(low)))
    table = {name: jnp.asarray(values) for name, values in tabulate(kind_value, source, frame, points, second).items()}
    table["time_step"] = jnp.full(count, 0.01)
    rows = [[f.tau, *f.xi, *([f.beta] if kind == "fokker-planck" else [])] for f in system.formulas(kind)]
    if change is not None:
        rows = change(rows)
    return ExactGenerators(rows, tuple(system.sde.names), frame), table
