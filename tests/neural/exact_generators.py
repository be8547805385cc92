"""Exact generators in the place of networks, so that every loss can be asked what it says of a true symmetry."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import sympy

from liestonet import catalogue
from liestonet.domain import Domain
from liestonet.neural.frame import Frame, tabulate
from liestonet.neural.networks import Fields
from liestonet.symmetry.kinds import kind_named


class ExactGenerators:
    """Formulas (τ, ξ^1, …, ξ^n, β) called like networks; derivatives are JAX's own, not ours."""

    def __init__(self, rows: list[list[sympy.Expr]], names: tuple[str, ...], frame: Frame) -> None:
        self.count, self.dimension = len(rows), len(names)
        symbols = [sympy.Symbol(name, real=True) for name in ("t", *names)]
        known = {str(symbol): symbol for row in rows for entry in row for symbol in sympy.sympify(entry).free_symbols}
        arguments = [known.get(str(symbol), symbol) for symbol in symbols]
        self._entries = [[sympy.lambdify(arguments, entry, "jax") for entry in row] for row in rows]
        self._centre, self._half = jnp.asarray(frame.centre), jnp.asarray(frame.half)
        self._scales = jnp.asarray(frame.generator_scales(len(rows[0]) > len(names) + 1))

    def _at(self, row: list, point: jax.Array) -> jax.Array:
        inside = self._centre + self._half * point
        return jnp.stack([jnp.asarray(entry(*inside), dtype=float) for entry in row]) / self._scales

    def _fields(self, row: list, points: jax.Array, squared: jax.Array) -> Fields:
        def value(point):
            return self._at(row, point)

        hessian = jax.vmap(jax.jacfwd(jax.jacfwd(value)))(points)
        bent = 0.5 * jnp.einsum("bjk,bcjk->bc", squared, hessian[:, :, 1:, 1:])
        return Fields(jax.vmap(value)(points), jax.vmap(jax.jacfwd(value))(points), bent)

    def __call__(self, points: jax.Array, squared: jax.Array) -> Fields:
        parts = [self._fields(row, points, squared) for row in self._entries]
        return Fields(*(jnp.stack(group) for group in zip(*parts, strict=True)))

    def at_own(self, points: jax.Array, squared: jax.Array) -> Fields:
        parts = [self._fields(row, p, s) for row, p, s in zip(self._entries, points, squared, strict=True)]
        return Fields(*(jnp.stack(group) for group in zip(*parts, strict=True)))


def known_case(key: str, kind: str, count: int = 40, change=None, scaled: bool = True, second: bool = True):
    """A catalogue system's generators (one of them changed, perhaps) and its coefficients at random points."""
    system, kind_value = catalogue[key], kind_named(kind)
    domain = Domain.from_pairs(system.box, system.sde.dimension)
    frame = Frame.of(domain, scaled)
    source = system.sde.coefficients(domain)
    low, high = np.array(domain.intervals).T
    points = np.random.default_rng(3).uniform(low, high, size=(count, len(low)))
    table = {name: jnp.asarray(values) for name, values in tabulate(kind_value, source, frame, points, second).items()}
    table["time_step"] = jnp.full(count, 0.01)
    rows = [[f.tau, *f.xi, *([f.beta] if kind == "fokker-planck" else [])] for f in system.formulas(kind)]
    if change is not None:
        rows = change(rows)
    return ExactGenerators(rows, tuple(system.sde.names), frame), table
