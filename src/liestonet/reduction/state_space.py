"""The interval of every variable on which an equation is regular: between the singular points around the box."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.formulas.notation import expression_text
from liestonet.reduction.tuning import REDUCTION
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import Locus, Singularity, loci
from liestonet.sde.tuning import BOX

if TYPE_CHECKING:
    import sympy

# Singular points closer than this are equal. Their values come from polynomials or a search.
SAME = 1e-8
# Largest denominator of ends that are tried as exact numbers.
SIMPLE = 1000


@dataclass(frozen=True)
class Space:
    """An open interval of one variable, possibly infinite.

    The ends are numbers, for the parameter values of the result, and exact expressions in the parameters.
    """

    low: float = -math.inf
    high: float = math.inf
    exact_low: sympy.Expr | None = None
    exact_high: sympy.Expr | None = None

    @property
    def is_whole(self) -> bool:
        """Whether no end is finite."""
        return math.isinf(self.low) and math.isinf(self.high)

    def contains(self, values: np.ndarray) -> np.ndarray:
        """Which values lie inside."""
        return (values > self.low) & (values < self.high)

    def words(self, name: str) -> str:
        """The text `x > 0` or `0 < x < 1`; empty for the whole line."""
        if self.is_whole:
            return ""
        if math.isinf(self.high):
            return f"{name} > {end_text(self.exact_low)}"
        if math.isinf(self.low):
            return f"{name} < {end_text(self.exact_high)}"
        return f"{end_text(self.exact_low)} < {name} < {end_text(self.exact_high)}"


def end_text(end: sympy.Expr | None) -> str:
    """The text of an end: a formula or a decimal number."""
    import sympy

    if end is None:
        return "infinity"
    return f"{float(end):g}" if isinstance(end, sympy.Float) else expression_text(end)


def state_spaces(sde: SDE, domain: Domain, draw: Mapping[str, Any]) -> tuple[Space, ...]:
    """The intervals of time and of every coordinate; `draw` are values for the free parameters."""
    import sympy

    numeric = sde.with_parameters(draw) if sde.parameters else sde
    values = {sympy.Symbol(name, real=True): value for name, value in draw.items()}
    both = (loci(numeric), loci(sde))
    return tuple(_space(numeric, both, variable, domain, values) for variable in range(numeric.dimension + 1))


def _space(
    sde: SDE,
    found: tuple[tuple[Locus, ...], tuple[Locus, ...]],
    variable: int,
    domain: Domain,
    values: dict[Any, Any],
) -> Space:
    low, high = domain.intervals[variable]
    if variable in domain.periodic:
        return Space()
    middle, reach = (low + high) / 2, BOX.reach + 10 * (high - low) + max(abs(low), abs(high))
    points: list[float] = []
    own = [locus for locus in found[0] if locus.variables == (variable,)]
    for locus in own:
        roots = locus.roots(middle - reach, middle + reach)
        if locus.kind is Singularity.NOISE:
            roots = [root for root in roots if variable and _noise_ends(sde, variable, root, domain)]
        points += roots
    below = max((point for point in points if point <= middle), default=-math.inf)
    above = min((point for point in points if point > middle), default=math.inf)
    written = [*(locus for locus in found[1] if locus.variables == (variable,)), *own]
    return Space(below, above, _exact(below, written, values), _exact(above, written, values))


def _noise_ends(sde: SDE, variable: int, root: float, domain: Domain) -> bool:
    """Whether all noise of a coordinate vanishes at one of its values, for all values of the others."""
    rng = np.random.default_rng(3)
    low, high = np.array(domain.intervals).T
    points = rng.uniform(low, high, (8, len(low)))
    usual = np.abs(sde.diffusion(points[:, 0], points[:, 1:])[:, variable - 1]).max()
    points[:, variable] = root
    there = np.abs(sde.diffusion(points[:, 0], points[:, 1:])[:, variable - 1])
    return bool(np.nanmax(there, initial=0.0) <= SAME * usual)


def _exact(end: float, found: list[Locus], values: dict[Any, Any]) -> Any:
    """The end as a formula: a fraction, one of π, a root of degree one or two; else a number to many digits."""
    import sympy

    if math.isinf(end):
        return None
    for locus in found:
        symbol: Any = locus.symbols[0]
        expression: Any = locus.expression
        for unit in (sympy.Integer(1), sympy.pi):
            simple = sympy.nsimplify(end / float(unit), rational=True, tolerance=SAME)
            if simple.q <= SIMPLE and expression.subs(symbol, simple * unit) == 0:
                return simple * unit
        if not expression.is_polynomial(symbol) or not 1 <= sympy.degree(expression, symbol) <= 2:
            continue
        for root in sympy.roots(sympy.Poly(expression, symbol)):
            if abs(complex(root.subs(values)) - end) <= SAME * (1 + abs(end)):
                return root
    return next((root for locus in found if (root := _precise(end, locus)) is not None), sympy.Float(end))


def _precise(end: float, locus: Locus) -> Any:
    """The zero of a locus at an end to so many digits that limits there can be computed; None where it has none."""
    import mpmath
    import sympy

    if locus.expression.free_symbols != {locus.symbols[0]}:
        return None
    with mpmath.workdps(REDUCTION.range_digits):
        try:
            found = mpmath.findroot(sympy.lambdify(locus.symbols, locus.expression, "mpmath"), end)
        except (ValueError, ZeroDivisionError, TypeError, OverflowError):
            return None
        near = mpmath.im(found) == 0 and abs(found - end) <= SAME * (1 + abs(end))
        return sympy.Float(found, REDUCTION.range_digits) if near else None
