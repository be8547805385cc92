"""Generators evaluated by their proved formulas: exact at every point, whatever the box.

The error of a series is relative to the largest value of the generator on the box. Over thirty units of time e^{2t}
spans twenty-six orders of magnitude, so at the small end a series has no correct digit; a proved formula is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.coefficients import Derivative
from liestonet.core.generators import Components, Values, values_at
from liestonet.core.points import lattice_cloud
from liestonet.formulas.formula import Formula
from liestonet.formulas.tuning import FORMULAS
from liestonet.symmetry.analytic.nullspace import cloud_for
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields

if TYPE_CHECKING:
    import sympy

# From t (B,) and x_1, …, x_n (B,) to the value of each entry; a constant entry is a single number.
Compiled = Callable[..., list[np.ndarray | float]]


@dataclass(frozen=True)
class ClosedFields:
    """Generators of which some have components (τ, ξ, β) in closed form; the others are series.

    It has the same methods as `Fields`.
    """

    series: Fields
    closed: tuple[tuple[sympy.Expr, ...] | None, ...]
    symbols: tuple[sympy.Symbol, ...]
    _compiled: dict[Derivative, Callable[..., list[np.ndarray | float]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def count(self) -> int:
        return self.series.count

    @property
    def basis(self) -> Basis:
        return self.series.basis

    @property
    def has_beta(self) -> bool:
        return self.series.has_beta

    @property
    def complete(self) -> bool:
        """Whether every generator has a formula."""
        return all(row is not None for row in self.closed)

    def __call__(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        return values_at(self, t, x, self.series.dimension)

    def components(self, points: Float[np.ndarray, "b v"], derivatives: Iterable[Derivative]) -> Components:
        """Derivatives of all components (τ, ξ^1, …, ξ^n, β) at points (t, x_1, …, x_n)."""
        wanted = list(derivatives)
        if self.complete:
            shape = self.count, len(points), len(self.basis.scales)
            result = {derivative: np.zeros(shape) for derivative in wanted}
        else:
            result = self.series.components(points, wanted)
        for derivative in wanted:
            with np.errstate(all="ignore"):
                values = iter(self._function(derivative)(*points.T))
            for k, row in enumerate(self.closed):
                for component in range(len(row or ())):
                    result[derivative][k, :, component] = next(values)
        return result

    def _function(self, derivative: Derivative) -> Compiled:
        """One derivative of all components in closed form as a NumPy function."""
        import sympy

        if derivative not in self._compiled:
            variables = [self.symbols[v] for v in derivative]
            entries = [entry.diff(*variables) if variables else entry for row in self.closed for entry in row or ()]
            self._compiled[derivative] = sympy.lambdify(self.symbols, entries, ["scipy", "numpy"], cse=True)
        return self._compiled[derivative]

    def __getstate__(self) -> dict[str, object]:
        # Compiled functions cannot be sent to other processes; they are compiled again there.
        return {**self.__dict__, "_compiled": {}}


def closed_fields(
    fields: Fields, formulas: Sequence[Formula], names: Sequence[str], values: Mapping[str, str] | None = None
) -> Fields | ClosedFields:
    """The generators with proved formulas instead of series, parameters at the given values.

    A generator whose formula is not finite and real on the box stays a series.
    """
    import sympy

    if not any(row.status == "proved" for row in formulas):
        return fields
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    given = {sympy.Symbol(name, real=True): sympy.Rational(value) for name, value in (values or {}).items()}
    rows = [_components(row, given, fields.has_beta) if row.status == "proved" else None for row in formulas]
    usable = [row if row is not None and _is_finite(row, symbols, fields) else None for row in rows]
    return ClosedFields(fields, tuple(usable), symbols) if any(usable) else fields


def estimated_fields(fields: Fields, formulas: Sequence[Formula], names: Sequence[str]) -> ClosedFields | None:
    """The generators as formulas consistent with the data, constants at their estimates; None if one has none.

    Outside the box a formula is still defined; a series is not.
    """
    import sympy

    if not formulas or any(row.status == "numerical" for row in formulas):
        return None
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    rows = []
    for row in formulas:
        values = {constant.symbol: sympy.Float(constant.value) for constant in row.constants}
        rows.append(_components(row, values, fields.has_beta))
    return ClosedFields(fields, tuple(rows), symbols) if all(_is_finite(row, symbols, fields) for row in rows) else None


def _components(formula: Formula, values: Mapping[Any, Any], has_beta: bool) -> tuple[sympy.Expr, ...]:
    entries = formula.tau, *formula.xi, *((formula.beta,) if has_beta else ())
    return tuple(entry.subs(values) if values else entry for entry in entries)


def _is_finite(row: tuple[sympy.Expr, ...], symbols: tuple[sympy.Symbol, ...], fields: Fields) -> bool:
    """Whether a formula can be evaluated on the box."""
    domain = fields.basis.domain
    cube = np.random.default_rng(3).uniform(-1, 1, (FORMULAS.checked_points, len(symbols)))
    alone = Fields(fields.basis, fields.coefficients[:, :1], fields.has_beta)
    try:
        values = ClosedFields(alone, (row,), symbols).components(domain.centre + domain.half * cube, [()])[()]
    except (TypeError, NameError, KeyError, ValueError, ZeroDivisionError, OverflowError):
        return False
    return bool(np.isfinite(values).all())


def reconciled(generators: Fields | ClosedFields) -> Fields:
    """The series, in which those that differ from their formula are replaced by projections of the formula."""
    if isinstance(generators, Fields):
        return generators
    series = generators.series
    wrong = _mismatched(generators)
    if not len(wrong):
        return series
    cloud = cloud_for(series.basis, series.basis.domain)
    exact = generators.components(cloud.points, [()])[()] / series.basis.scales
    coefficients = series.coefficients.copy()
    tables = series.basis.tables(cloud.points, 0)
    weights = np.sqrt(cloud.weights)[:, None]
    for unknown, scale in enumerate(series.basis.scales):
        functions = series.basis.functions(tables, unknown, ()) / scale
        target = exact[wrong, :, unknown].T
        solution = np.linalg.lstsq(functions * weights, target * weights, rcond=None)[0]
        coefficients[series.basis.columns(unknown)][:, wrong] = solution
    return Fields(series.basis, coefficients, series.has_beta)


def _mismatched(generators: ClosedFields) -> Int[np.ndarray, " k"]:
    """Positions of generators whose series differs from their formula."""
    points, scales = lattice_cloud(generators.basis.domain, FORMULAS.compared_points).points, generators.basis.scales
    exact, shown = (f.components(points, [()])[()] / scales for f in (generators, generators.series))
    missed, sizes = (np.abs(values).max(axis=(1, 2)) for values in (exact - shown, exact))
    return np.flatnonzero((missed > FORMULAS.largest_mismatch * sizes) & np.isfinite(missed))
