"""Null space or family put into words: ladder, readable basis, formulas, algebra and flags make a result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.algebra.closed_fields import closed_fields, reconciled
from liestonet.algebra.formula import Formula
from liestonet.algebra.invariants import closed_invariants
from liestonet.algebra.origin import find_formulas_anywhere, within_closure
from liestonet.algebra.structure import find_algebra
from liestonet.domain import Domain
from liestonet.flags import Flag
from liestonet.result import LadderRow, Result
from liestonet.sde.jets import CoefficientSource
from liestonet.sde.sde import SDE
from liestonet.symmetry.families import Family
from liestonet.symmetry.fields import Fields, readable_basis
from liestonet.symmetry.formal import FormalCount
from liestonet.symmetry.kinds import Kind
from liestonet.symmetry.nullspace import ACCURACY, CLEAR_GAP, NullSpace, residuals_elsewhere
from liestonet.symmetry.operator import lattice_cloud

Progress = Callable[[str], None]
# Residual below which a direction that is no symmetry is still called near; MATH.md §3.
TOLERANCE = 0.1
MANY = 20


def finite_result(
    kind: Kind,
    sde: SDE,
    source: CoefficientSource,
    domain: Domain,
    null: NullSpace,
    counts: list[FormalCount],
    wanted: bool,
    say: Progress,
) -> Result:
    """Put the null space into words: ladder, readable basis, formulas where wanted, algebra and flags."""
    directions = Fields(null.directions.basis, null.directions.coefficients, kind.has_beta)
    fields, formulas = readable_basis(directions.mixed(np.eye(directions.count)[:, : null.count])), ()
    if wanted:
        say("looking for formulas")
        fields, formulas = closed_forms_of(kind, sde, fields, max(1 / null.gap, source.error))
    say("computing brackets")
    generators = closed_fields(fields, formulas, sde.names)
    # brackets of many generators are many, and fewer points tell them apart as well
    cloud = lattice_cloud(domain, 1500 if fields.count <= MANY else 500)
    algebra = find_algebra(generators, cloud.points, cloud.weights)
    bound = counts[-1].bound if counts else None
    # as many as the bound allows, each proved: no residual can make that doubtful
    certain = bool(formulas) and null.count == bound and all(row.status == "proved" for row in formulas)
    return Result(
        symmetry=kind.name,
        dimension=null.count,
        names=sde.names,
        domain=domain,
        fields=reconciled(generators),
        directions=directions,
        ladder=tuple(ladder(kind, source, domain, null, certain)),
        algebra=algebra,
        surrogate=sde,
        flags=(*source_flags(sde, source, domain), *count_flags(null, counts, certain)),
        bound=bound,
        gap=null.gap,
        closed_forms=within_closure(formulas, algebra.closure, sde.names, kind.has_beta),
    )


def infinite_result(
    kind: Kind, sde: SDE, source: CoefficientSource, domain: Domain, family: Family, wanted: bool
) -> Result:
    """An answer whose dimension is infinite, with the family shown and its building blocks as generators."""
    fields, formulas, invariants = readable_basis(family.pool), (), ()
    order: list[int] = list(range(fields.count))
    if wanted:
        residuals = residuals_elsewhere(kind, source, domain, fields)
        fields, formulas = closed_forms_of(kind, sde, fields, max(source.error, float(residuals.max())))
        if sde.symbolic is not None:
            invariants = closed_invariants(sde.symbolic, domain, sde.names, family.invariants)
        order.sort(key=lambda k: _length(formulas[k]))
    chosen = family.built_on(fields, order)
    fields, formulas = fields.mixed(np.eye(fields.count)[:, chosen]), tuple(formulas[k] for k in chosen if wanted)
    generators = closed_fields(fields, formulas, sde.names)
    fields = reconciled(generators)
    cloud = lattice_cloud(domain, 1500)
    residuals = residuals_elsewhere(kind, source, domain, fields)
    return Result(
        symmetry=kind.name,
        dimension=math.inf,
        names=sde.names,
        domain=domain,
        fields=fields,
        directions=fields,
        ladder=tuple(LadderRow(r, 0.0, r, source.error, 1.0, "symmetry") for r in residuals.tolist()),
        algebra=replace(find_algebra(generators, cloud.points, cloud.weights), infinite=True),
        surrogate=sde,
        flags=(family_flag(kind, family, invariants), *source_flags(sde, source, domain)),
        bound=None,
        gap=math.inf,
        closed_forms=formulas,
    )


def _length(formula: Formula) -> tuple[bool, int]:
    """How much there is to read; what is proved comes first, then the shortest."""
    import sympy

    entries = (formula.tau, *formula.xi, formula.beta)
    return formula.status != "proved", sum(int(sympy.count_ops(entry)) + (entry != 0) for entry in entries)


def closed_forms_of(kind: Kind, sde: SDE, fields: Fields, error: float) -> tuple[Fields, tuple[Formula, ...]]:
    """The span in a basis with closed forms, where there are any."""
    return find_formulas_anywhere(fields, kind.equations(sde.dimension, sde.noise), sde.symbolic, sde.names, error)


def ladder(
    kind: Kind, source: CoefficientSource, domain: Domain, null: NullSpace, certain: bool = False
) -> Iterable[LadderRow]:
    """Every direction with its residual on points that the search did not use."""
    fields = Fields(null.directions.basis, null.directions.coefficients, kind.has_beta)
    for position, residual in enumerate(residuals_elsewhere(kind, source, domain, fields).tolist()):
        fall = null.last_fall(position)
        if position < null.count:
            verdict = "symmetry" if certain or null.gap >= CLEAR_GAP else "undecided"
            yield LadderRow(residual, 0.0, residual, source.error, 1.0, verdict)
        else:
            falling = not null.settled and fall > residual / 10
            verdict = "undecided" if falling else ("near-symmetry" if residual < TOLERANCE else "no")
            yield LadderRow(residual, max(0.0, residual - 2 * fall), residual, source.error, 0.0, verdict)


def source_flags(sde: SDE, source: CoefficientSource, domain: Domain) -> Iterable[Flag]:
    """What the reader should know about the equation and the box."""
    yield from sde.flags
    if domain.picked:
        names = ("t", *sde.names)
        picked = [(names[i], *domain.intervals[i]) for i in domain.picked]
        text = ", ".join(f"{name} in ({low:g}, {high:g})" for name, low, high in picked)
        missing = "No domain was given" if domain.chosen else "The domain was given in part"
        yield Flag("domain-chosen", f"{missing}; chosen for you: {text}.", "Give domain= for another.")
    if source.error > 0:
        yield Flag(
            "projected",
            f"The coefficients are callables; they were replaced by Chebyshev polynomials with a relative error of "
            f"{source.error:.1e}.",
            "Give the equation as text or SymPy for exact derivatives.",
        )


def count_flags(null: NullSpace, counts: list[FormalCount], certain: bool = False) -> Iterable[Flag]:
    """How the dimension was decided, where that is not the usual two-sided way."""
    bound = counts[-1].bound if counts else None
    if certain:
        pass
    elif null.gap < CLEAR_GAP:
        yield Flag(
            "ambiguous",
            f"The residuals left out are only {null.gap:.1g} times those taken, so the dimension is not certain.",
            "Try a smaller domain, or one further from singular points.",
        )
    elif not null.settled and 1 / null.gap > ACCURACY:
        yield Flag(
            "not-converged",
            f"The largest basis was reached before the span was known to the accuracy aimed at; its error is about "
            f"{math.degrees(min(1.0, 1 / null.gap)):.1g} degrees.",
            "Try a smaller domain, or one further from singular points.",
        )
    if bound is None:
        yield Flag(
            "no-upper-bound",
            "Power series at a point gave no upper bound for the dimension; it rests on how the residuals converged.",
            "Compare the answer on a second domain.",
        )
    elif bound != null.count:
        yield Flag(
            "bound-not-reached",
            f"Power series at a point would allow up to {bound} symmetries, but only {null.count} have a residual "
            "that goes to zero when the basis is enriched.",
            "Compare the answer on a second domain.",
        )
    elif counts[-1].doubtful:
        yield Flag(
            "bound-doubtful",
            "In the upper bound for the dimension a number was too small to be told from zero with certainty.",
            "Compare the answer on a second domain.",
        )


def invariant_flag(invariants: int | None, bound: int | None) -> Iterable[Flag]:
    """A finite answer where an infinite one is not excluded; an upper bound excludes it."""
    if invariants is None and bound is None:
        yield Flag(
            "infinite-not-excluded",
            "Whether a function is constant along every path was not resolved; with one, there are infinitely many "
            "symmetries beyond those listed.",
            "Solve the equation's independent parts one by one, or a smaller equation of the same form.",
        )


def family_flag(kind: Kind, family: Family, invariants: tuple[Any, ...]) -> Flag:
    """The family in words, with the invariants in closed form or, where none was found, their first terms."""
    from liestonet.algebra.notation import expression_text

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
        "Of the generators listed, multiply those without time component by any such function. Listed is what low "
        "degrees in the coordinates show; there may be more that no such product gives.",
    )
