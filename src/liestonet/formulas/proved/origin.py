"""Formulas on boxes far from the origin, and a check that a formula represents its generator.

On a box of width one around x = 100000, x and √x are constant to five digits, and e^{2t} around t = 1000000 overflows.
Both difficulties disappear with the origin in the middle of the box, so formulas are searched for there if the usual
search proves too few.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.formulas.closed_forms import find_formulas, unknown_formula
from liestonet.formulas.formula import Formula
from liestonet.formulas.functionspace import evaluate
from liestonet.formulas.proved.tuning import PROOFS
from liestonet.formulas.tuning import FORMULAS
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.equations import Equations
from liestonet.symmetry.determining.fields import Fields

if TYPE_CHECKING:
    from liestonet.sde.symbolic import SymbolicCoefficients


Found = tuple[Fields, tuple[Formula, ...]]


def find_formulas_anywhere(
    fields: Fields,
    equations: Equations,
    coefficients: SymbolicCoefficients | None,
    names: tuple[str, ...],
    error: float,
) -> Found:
    """A readable basis of the span and its formulas, as from `find_formulas`, for boxes at any distance."""
    domain = fields.basis.domain
    far = np.abs(domain.centre) > PROOFS.far * domain.half
    # functions such as e^{2t} may overflow on the box and are then not used
    with np.errstate(over="ignore", invalid="ignore"):
        found = find_formulas(fields, equations, coefficients, names, error)
    if coefficients is not None and far.any() and _proved(found) < fields.count:
        nearer = _from_the_middle(fields, equations, coefficients, names, error, far)
        found = nearer if _proved(nearer) > _proved(found) else found
    return found[0], tuple(_checked(*found, position, names) for position in range(len(found[1])))


def _proved(found: Found) -> int:
    return sum(row.status == "proved" for row in found[1])


def _from_the_middle(
    fields: Fields,
    equations: Equations,
    coefficients: SymbolicCoefficients,
    names: tuple[str, ...],
    error: float,
    far: np.ndarray,
) -> Found:
    """Formulas found with the origin at round numbers near the box's middle, rewritten in the original coordinates."""
    import sympy

    domain = fields.basis.domain
    # a round number near the middle is easier to read
    units = 10.0 ** np.ceil(np.log10(domain.half))
    origin = [sympy.Rational(round(c / u)) * sympy.nsimplify(u) for c, u in zip(domain.centre, units, strict=True)]
    origin = [value if away else sympy.Integer(0) for value, away in zip(origin, far, strict=True)]
    shift = np.array([float(value) for value in origin])
    basis = fields.basis
    near = Basis(_moved(domain, shift), basis.scales, basis.degrees)
    symbols = (coefficients.time, *coefficients.state)
    away = {symbol: symbol + value for symbol, value in zip(symbols, origin, strict=True) if value != 0}
    moved = replace(
        coefficients,
        drift=coefficients.drift.subs(away, simultaneous=True),
        diffusion=coefficients.diffusion.subs(away, simultaneous=True),
        killing=coefficients.killing.subs(away, simultaneous=True),
        _compiled={},
    )
    found, formulas = find_formulas(replace(fields, basis=near), equations, moved, names, error)
    back = {symbol: symbol - value for symbol, value in zip(symbols, origin, strict=True) if value != 0}
    rows = [row if row.status == "numerical" else _written_in(row, back) for row in formulas]
    return replace(found, basis=basis), tuple(rows)


def _moved(domain: Domain, shift: np.ndarray) -> Domain:
    """The same box with the origin elsewhere."""
    intervals = tuple((low - s, high - s) for (low, high), s in zip(domain.intervals, shift, strict=True))
    singular = domain.singular and tuple(
        (None if low is None else low - s, None if high is None else high - s)
        for (low, high), s in zip(domain.singular, shift, strict=True)
    )
    return replace(domain, intervals=intervals, singular=singular)


def _written_in(formula: Formula, change: dict[Any, Any]) -> Formula:
    tau, *rest = (e.subs(change, simultaneous=True) for e in (formula.tau, *formula.xi, formula.beta))
    return replace(formula, tau=tau, xi=tuple(rest[:-1]), beta=rest[-1])


def _checked(fields: Fields, formulas: tuple[Formula, ...], position: int, names: tuple[str, ...]) -> Formula:
    """A formula without a proof, with its error relative to the varying part of its generator; none if too large.

    Next to a large constant, errors of the other terms would be invisible, so only the varying part counts.
    """
    import sympy

    formula = formulas[position]
    if formula.status != "consistent" or formula.constants:
        return formula
    domain, symbols = fields.basis.domain, tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    cube = np.random.default_rng(13).uniform(-1, 1, (PROOFS.checked_points, len(symbols)))
    points = domain.centre + domain.half * cube
    series = fields.mixed(np.eye(fields.count)[:, position : position + 1]).components(points, [()])[()][0]
    entries = (formula.tau, *formula.xi, formula.beta)[: series.shape[1]]
    shown = np.column_stack(evaluate(entries, symbols, points))
    scales = fields.basis.scales
    rest, whole = np.linalg.norm((shown - series) / scales, axis=0), np.linalg.norm(series / scales)
    varying = np.linalg.norm((series - series.mean(axis=0)) / scales, axis=0)
    reference = np.where(varying > formula.error * whole, varying, whole)
    miss = float(np.max(rest / reference, initial=0.0))
    if miss > PROOFS.largest_miss * formula.error or miss > FORMULAS.largest_tolerance:
        return unknown_formula(position, symbols, fields.has_beta)
    return replace(formula, error=max(formula.error, miss))


def within_closure(
    formulas: tuple[Formula, ...], closure: float, names: tuple[str, ...], has_beta: bool
) -> tuple[Formula, ...]:
    """Formulas that the accuracy of a span supports: an algebra is closed, so its closure measures the span's error."""
    import sympy

    if closure <= FORMULAS.largest_tolerance / FORMULAS.stated_errors:
        return formulas
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *names))
    return tuple(
        unknown_formula(position, symbols, has_beta) if row.status == "consistent" else row
        for position, row in enumerate(formulas)
    )
