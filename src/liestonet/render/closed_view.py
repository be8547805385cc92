"""Closed forms for a scalar equation, given or fitted: the transition density and the mirrors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.result.findings import EquationFindings

if TYPE_CHECKING:
    from liestonet.result import Result
    from liestonet.sde.sde import SDE

# Numbers of symmetries of a scalar equation, by kind, that allow a density in closed form (docs/method.md §16).
ENOUGH = {"ito": (2, 3), "law": (2, 3), "fokker-planck": (4, 6)}
# Numerators and denominators above this are decimal numbers in disguise; longer formulas are not read.
LONG, MOST_OPERATIONS = 1000, 150
# Number of points at which it is checked whether a map leads out of the box.
POINTS = 50


@dataclass(frozen=True)
class KnownDensity:
    """A density p: its variables, such as (x, t) and those of the start, its SymPy formula, and its status."""

    variables: tuple[Any, ...]
    start: tuple[Any, ...]
    formula: Any
    remark: str


def known_density(result: Result) -> KnownDensity | None:
    """The transition density of the equation, or of the equation fitted to a recording; None if it is not known."""
    from liestonet.densities.density import density

    if len(result.names) > 1 or result.domain.periodic or result.dimension not in ENOUGH.get(result.symmetry, ()):
        return None
    sde, fitted = _equation_of(result)
    if sde is None:
        return None
    try:
        found = density(sde)
        (t, x, t0, x0), formula = found.symbols, found.formula
    except (InputError, ArithmeticError):
        return None
    timed = _depends_on_time(sde)
    if not timed:
        formula = formula.xreplace({t0: 0 * t0})
    if formula.count_ops() > MOST_OPERATIONS:
        return None
    start = f"the state at {t0}" if timed else "the state at the start"
    ends = "" if found.boundary == "none" else f"; ends of the state space: {found.boundary}"
    known = "of the fitted equation, its constants rounded, without their errors" if fitted else found.status
    remark = f"{x0} is {start}; {known}{ends}"
    return KnownDensity((x, t), (x0, t0) if timed else (x0,), _readable(formula), remark)


def known_mirrors(result: Result) -> tuple[str, ...]:
    """Proved maps of a scalar equation onto itself that stay in the box; empty if `discrete` has tested maps."""
    from liestonet.validation.maps.discrete import discrete

    found = result.findings
    if not isinstance(found, EquationFindings) or len(result.names) > 1 or result.discrete is not None:
        return ()
    try:
        rows = discrete(found.equation).rows
        return tuple(row.map for row in rows if row.status == "proved" and _stays(row.map, result))
    except InputError:
        return ()


def _stays(text: str, result: Result) -> bool:
    """Whether the map takes some points of the box to points of the box."""
    from liestonet.validation.maps.map_input import parse_map

    points = lattice_cloud(result.domain, POINTS).points
    images = parse_map(text, result.names)(points)
    return bool((np.abs((images - result.domain.centre) / result.domain.half) <= 1).all(axis=1).any())


def _equation_of(result: Result) -> tuple[SDE | None, bool]:
    """The equation, and whether it was fitted to a recording."""
    from liestonet.reduction.recording.equation_fit import readable_equation

    found = result.findings
    if isinstance(found, EquationFindings):
        return (found.equation if found.equation.symbolic is not None else None), False
    fitted = readable_equation(result)
    return (fitted.sde if fitted is not None and fitted.kind == "family" else None), True


def _depends_on_time(sde: SDE) -> bool:
    import sympy

    symbolic = sde.symbolic
    if symbolic is None:
        return True
    return any(sympy.Matrix(part).has(symbolic.time) for part in (symbolic.drift, symbolic.diffusion))


def _readable(expression: Any) -> Any:
    """A formula for display, with fractions of many digits as decimal numbers."""
    import sympy

    long = [value for value in expression.atoms(sympy.Rational) if max(abs(value.p), value.q) > LONG]
    return expression.xreplace({value: _short(float(value)) for value in long})


def _short(value: float) -> Any:
    """A number with three digits, or an integer if these agree with one."""
    import sympy

    rounded = float(f"{value:.3g}")
    return sympy.Integer(int(rounded)) if rounded.is_integer() else sympy.Float(rounded)
