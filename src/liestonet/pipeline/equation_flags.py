"""Flags about a result for an equation: the box, the bound on the dimension, families of symmetries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.sde.sde import SDE
from liestonet.symmetry.analytic.dimension_bound import FormalCount
from liestonet.symmetry.analytic.families import Family
from liestonet.symmetry.analytic.nullspace import NullSpace
from liestonet.symmetry.analytic.tuning import NULL_SPACE
from liestonet.symmetry.determining.kinds import Kind


def source_flags(sde: SDE, source: Coefficients, domain: Domain) -> Iterable[Flag]:
    """Flags about the equation and the box."""
    yield from sde.flags
    if domain.picked:
        names = ("t", *sde.names)
        picked = [(names[i], *domain.intervals[i]) for i in domain.picked]
        text = ", ".join(f"{name} in ({low:g}, {high:g})" for name, low, high in picked)
        missing = "No domain was given" if domain.chosen else "The domain was given in part"
        yield Flag("domain-chosen", f"{missing}; chosen automatically: {text}.", "Give domain= for another.")
    if source.error > 0:
        yield Flag(
            "projected",
            f"The coefficients are callables; they were replaced by Chebyshev polynomials with a relative error of "
            f"{source.error:.1e}.",
            "Give the equation as text or SymPy for exact derivatives.",
        )


def count_flags(null: NullSpace, counts: list[FormalCount], certain: bool = False) -> Iterable[Flag]:
    """Flags for a dimension that is not confirmed by both the null space and the power-series bound."""
    bound = counts[-1].bound if counts else None
    if certain:
        pass
    elif null.gap < NULL_SPACE.clear_gap:
        yield Flag(
            "ambiguous",
            f"The next residual is only {null.gap:.1g} times the last one accepted, so the dimension is uncertain.",
            "Try a smaller domain, or one further from singular points.",
        )
    elif not null.settled and 1 / null.gap > NULL_SPACE.accuracy:
        yield Flag(
            "not-converged",
            f"The largest basis was reached before the span converged to the required accuracy; its error is about "
            f"{math.degrees(min(1.0, 1 / null.gap)):.1g} degrees.",
            "Try a smaller domain, or one further from singular points.",
        )
    if bound is None:
        yield Flag(
            "no-upper-bound",
            f"Power series at a point gave no upper bound for the dimension. {null.count} is a lower bound: so many "
            "residuals converge.",
            "Compare the answer on a second domain.",
        )
    elif bound != null.count and counts[-1].periodic is None and null.directions.basis.domain.periodic:
        yield Flag(
            "bound-not-reached",
            f"Power series at a point allow up to {bound} symmetries. This bound is for a part of the circle; how many "
            f"of them are periodic was not resolved, and {null.count} have a residual that goes to zero as Fourier "
            "terms are added.",
            "Compare the answer on another domain of the other coordinates and of time.",
        )
    elif bound != null.count:
        yield Flag(
            "bound-not-reached",
            f"The power-series bound is {bound} symmetries, but only {null.count} have a residual that converges to "
            "zero as the basis grows.",
            "Compare the answer on a second domain.",
        )
    elif counts[-1].doubtful:
        yield Flag(
            "bound-doubtful",
            "The upper bound for the dimension is uncertain: a number could not be distinguished from rounding error.",
            "Compare the answer on a second domain.",
        )


def invariant_flag(invariants: int | None, bound: int | None) -> Iterable[Flag]:
    """A flag if an infinite dimension is not excluded; an upper bound excludes it."""
    if invariants is None and bound is None:
        yield Flag(
            "infinite-not-excluded",
            "It was not resolved whether some function is constant along every path; if so, there are infinitely many "
            "symmetries beyond those listed.",
            "Solve the equation's independent parts one by one, or a smaller equation of the same form.",
        )


def family_flag(kind: Kind, family: Family, invariants: tuple[Any, ...]) -> Flag:
    """The flag that describes the family, with the invariants in closed form or their first terms."""
    from liestonet.formulas.notation import expression_text

    several = family.invariants > 1
    labels = [f"I{i + 1}" if several else "I" for i in range(family.invariants)]
    texts = [expression_text(invariant) for invariant in invariants] or family.expansions
    shown = "; ".join(f"{label} = {text}" for label, text in zip(labels, texts, strict=False))
    where = "Here" if invariants else "Near the middle of the domain"
    arguments = ", ".join(labels)
    what = f"h({arguments})·X is a symmetry for every function h and every generator X without time component"
    if kind.has_beta:
        what += " (u∂u is one)"
    return Flag(
        "infinite",
        f"The algebra is infinite-dimensional: {arguments} {'are' if several else 'is'} constant along every path, so "
        f"{what}. {where} {shown}.",
        "Multiply the generators without time component by any such function. The list covers low polynomial degrees; "
        "there may be symmetries that are not such products.",
    )
