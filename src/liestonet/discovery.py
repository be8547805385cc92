"""The pipeline. `solve` takes an equation to its symmetries; the steps stand one below the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.algebra.closed_fields import closed_fields, reconciled
from liestonet.algebra.formula import Formula
from liestonet.algebra.invariants import closed_invariants
from liestonet.algebra.origin import find_formulas_anywhere, within_closure
from liestonet.algebra.structure import find_algebra
from liestonet.domain import Domain
from liestonet.errors import InputError
from liestonet.flags import Flag
from liestonet.generic import solve_generic
from liestonet.provenance import provenance_of
from liestonet.result import LadderRow, Result
from liestonet.sde.box import check_domain, choose_domain, require_moderate
from liestonet.sde.jets import CoefficientSource
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import singular_neighbours
from liestonet.symmetry.families import Family, count_invariants, find_family
from liestonet.symmetry.fields import Fields, readable_basis
from liestonet.symmetry.formal import LARGEST_SIZE, FormalCount, formal_counts
from liestonet.symmetry.kinds import Kind, kind_named
from liestonet.symmetry.nullspace import CLEAR_GAP, NullSpace, find_null_space, residuals_elsewhere
from liestonet.symmetry.operator import lattice_cloud

Progress = Callable[[str], None]
# Residual below which a direction that is no symmetry is still called near; MATH.md §3.
TOLERANCE = 0.1
# Time and memory grow like a high power of the number of coordinates: ten take seconds, twenty would take hours.
MOST_COORDINATES = 16
MANY = 20


def solve(
    sde: SDE | Any,
    symmetry: str | Kind | Any = "ito",
    domain: Iterable[Sequence[float]] | Domain | Any | None = None,
    *,
    formulas: bool = True,
    progress: Progress | None = None,
) -> Result:
    """All projectable Lie-point symmetries of an SDE.

    `symmetry` is "ito", "law" or "fokker-planck". `domain` is a list of (low, high) pairs, time first, then each
    coordinate; without one a sensible box is chosen and named in the result, and so is every interval given as
    None. Parameters without a value stay symbols, and the answer is for generic values of them. `formulas=False`
    leaves out the search for closed forms, which often takes most of the time. `progress` is told each step.
    """
    kind = kind_named(symmetry)
    if not isinstance(sde, SDE):
        raise InputError(f"solve takes an SDE, not a {type(sde).__name__}; make one of text with SDE.parse.")
    if sde.dimension > MOST_COORDINATES:
        raise InputError(
            f"The equation has {sde.dimension} coordinates, and solve takes at most {MOST_COORDINATES}; "
            "solve its independent parts one by one, or a smaller equation of the same form."
        )
    say = progress or _silent
    if sde.parameters:

        def at_values(numeric: SDE, wanted: bool) -> Result:
            return _solve_numeric(numeric, kind, domain, wanted, say)

        result = solve_generic(sde, kind, formulas, at_values, say)
    else:
        result = _solve_numeric(sde, kind, domain, formulas, say)
    pairs = None if result.domain.chosen else [list(pair) for pair in result.domain.intervals]
    equation = "sde" if sde.symbolic is None else f"liestonet.SDE.parse({str(sde)!r})"
    made = provenance_of("solve", equation, None, symmetry=kind.name, domain=pairs, formulas=formulas)
    return replace(result, provenance=made)


def _solve_numeric(sde: SDE, kind: Kind, domain: Any, formulas: bool, say: Progress) -> Result:
    """The steps for an equation without free parameters."""
    say("looking at the coefficients")
    box = choose_domain(sde) if domain is None else _given_domain(sde, domain)
    require_moderate(sde, box)
    box = replace(box, singular=singular_neighbours(sde, box))
    source = sde.coefficients(box)
    say("looking for functions that are constant along every path")
    invariants = count_invariants(source, box)
    family = find_family(kind, source, box, sde.names, invariants or 0)
    if family is not None:
        return _infinite_result(kind, sde, source, box, family, formulas)
    say("counting power series at a generic point")
    counts = formal_counts(kind, source, box)
    bound, coupling = (counts[-1].bound, counts[-1].coupling) if counts else (None, None)
    null = find_null_space(kind, source, box, bound, coupling, say)
    if bound is not None and null.count < bound and any(any(map(_is_known, pair)) for pair in box.singular or ()):
        # beside a singular point logarithms are better functions as a rule, but polynomials may be
        plain = replace(box, singular=None)
        other = find_null_space(kind, source, plain, bound, coupling, say)
        if other.count > null.count and other.gap >= CLEAR_GAP:
            null, box = other, plain
    if counts and null.count != counts[-1].bound:
        counts = formal_counts(kind, source, box, largest=LARGEST_SIZE, repeats=4)
    result = _finite_result(kind, sde, source, box, null, counts, formulas, say)
    return replace(result, flags=(*result.flags, *_invariant_flag(invariants, result.bound)))


def _is_known(point: float | None) -> bool:
    return point is not None


def _given_domain(sde: SDE, domain: Iterable[Sequence[float]] | Domain | Any) -> Domain:
    box = domain if isinstance(domain, Domain) else _completed(sde, domain)
    box.require_dimension(sde.dimension)
    check_domain(sde, box)
    return box


def _completed(sde: SDE, pairs: Iterable[Sequence[float] | None] | Any) -> Domain:
    """The domain a user gave, with an interval of our choice wherever None stands."""
    try:
        given = list(pairs)
    except TypeError:
        return Domain.from_pairs(pairs, sde.dimension)
    missing = tuple(i for i, pair in enumerate(given) if pair is None)
    if not missing or len(given) != sde.dimension + 1:
        return Domain.from_pairs(given, sde.dimension)
    ours = choose_domain(sde).intervals
    filled = [ours[i] if i in missing else pair for i, pair in enumerate(given)]
    return replace(Domain.from_pairs(filled, sde.dimension), filled=missing)


def _finite_result(
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
        fields, formulas = _formulas(kind, sde, fields, max(1 / null.gap, source.error))
    say("computing brackets")
    generators = closed_fields(fields, formulas, sde.names)
    # brackets of many generators are many, and fewer points tell them apart as well
    cloud = lattice_cloud(domain, 1500 if fields.count <= MANY else 500)
    algebra = find_algebra(generators, cloud.points, cloud.weights)
    bound = counts[-1].bound if counts else None
    return Result(
        symmetry=kind.name,
        dimension=null.count,
        names=sde.names,
        domain=domain,
        fields=reconciled(generators),
        directions=directions,
        ladder=tuple(_ladder(kind, source, domain, null)),
        algebra=algebra,
        surrogate=sde,
        flags=(*_source_flags(sde, source, domain), *_count_flags(null, counts)),
        bound=bound,
        gap=null.gap,
        closed_forms=within_closure(formulas, algebra.closure, sde.names, kind.has_beta),
    )


def _infinite_result(
    kind: Kind, sde: SDE, source: CoefficientSource, domain: Domain, family: Family, wanted: bool
) -> Result:
    """An answer whose dimension is infinite, with the family shown and its building blocks as generators."""
    fields, formulas, invariants = readable_basis(family.generators), (), ()
    if wanted:
        residuals = residuals_elsewhere(kind, source, domain, fields)
        fields, formulas = _formulas(kind, sde, fields, max(source.error, float(residuals.max())))
        if sde.symbolic is not None:
            invariants = closed_invariants(sde.symbolic, domain, sde.names, family.invariants)
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
        flags=(_family_flag(kind, family, invariants), *_source_flags(sde, source, domain)),
        bound=None,
        gap=math.inf,
        closed_forms=formulas,
    )


def _formulas(kind: Kind, sde: SDE, fields: Fields, error: float) -> tuple[Fields, tuple[Formula, ...]]:
    """The span in a basis with closed forms, where there are any."""
    return find_formulas_anywhere(fields, kind.equations(sde.dimension, sde.noise), sde.symbolic, sde.names, error)


def _ladder(kind: Kind, source: CoefficientSource, domain: Domain, null: NullSpace) -> Iterable[LadderRow]:
    """Every direction with its residual on points that the search did not use."""
    fields = Fields(null.directions.basis, null.directions.coefficients, kind.has_beta)
    for position, residual in enumerate(residuals_elsewhere(kind, source, domain, fields).tolist()):
        fall = null.last_fall(position)
        if position < null.count:
            verdict = "symmetry" if null.gap >= CLEAR_GAP else "undecided"
            yield LadderRow(residual, 0.0, residual, source.error, 1.0, verdict)
        else:
            falling = not null.settled and fall > residual / 10
            verdict = "undecided" if falling else ("near-symmetry" if residual < TOLERANCE else "no")
            yield LadderRow(residual, max(0.0, residual - 2 * fall), residual, source.error, 0.0, verdict)


def _source_flags(sde: SDE, source: CoefficientSource, domain: Domain) -> Iterable[Flag]:
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


def _count_flags(null: NullSpace, counts: list[FormalCount]) -> Iterable[Flag]:
    """How the dimension was decided, where that is not the usual two-sided way."""
    bound = counts[-1].bound if counts else None
    if null.gap < CLEAR_GAP:
        yield Flag(
            "ambiguous",
            f"The residuals left out are only {null.gap:.1g} times those taken, so the dimension is not certain.",
            "Try a smaller domain, or one further from singular points.",
        )
    elif not null.settled:
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


def _invariant_flag(invariants: int | None, bound: int | None) -> Iterable[Flag]:
    """A finite answer where an infinite one is not excluded; an upper bound excludes it."""
    if invariants is None and bound is None:
        yield Flag(
            "infinite-not-excluded",
            "Whether a function is constant along every path was not resolved; with one, there are infinitely many "
            "symmetries beyond those listed.",
            "Solve the equation's independent parts one by one, or a smaller equation of the same form.",
        )


def _family_flag(kind: Kind, family: Family, invariants: tuple[Any, ...]) -> Flag:
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
        what = f"h({arguments}) u∂u, and {what},"
    return Flag(
        "infinite",
        f"The algebra is infinite-dimensional: {arguments} {'are' if several else 'is'} constant along every path, so "
        f"{what}. {where} {shown}.",
        "Of the generators listed, multiply those without time component by any such function.",
    )


def _silent(message: str) -> None:
    """Progress nobody asked for."""
