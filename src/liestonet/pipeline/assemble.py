"""Construction of every result: a readable basis, formulas, the algebra, the ladder and the flags."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from liestonet.algebra.structure import Algebra, find_algebra
from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.core.points import lattice_cloud
from liestonet.core.progress import Progress
from liestonet.core.provenance import Provenance
from liestonet.core.tuning import SHARED
from liestonet.formulas.closed_fields import ClosedFields, closed_fields, reconciled
from liestonet.formulas.closed_forms import find_formulas
from liestonet.formulas.formula import Formula
from liestonet.formulas.proved.invariants import closed_invariants
from liestonet.formulas.proved.origin import find_formulas_anywhere, within_closure
from liestonet.inference.engine import Discovered, Request
from liestonet.pipeline.data_flags import data_answer_flags
from liestonet.pipeline.equation_flags import count_flags, family_flag, source_flags
from liestonet.pipeline.tuning import ANSWER
from liestonet.result import Result
from liestonet.result.findings import DataFindings, EquationFindings
from liestonet.sde.sde import SDE
from liestonet.symmetry.analytic.dimension_bound import FormalCount
from liestonet.symmetry.analytic.families import Family
from liestonet.symmetry.analytic.nullspace import NullSpace, residuals_elsewhere
from liestonet.symmetry.analytic.tuning import NULL_SPACE
from liestonet.symmetry.determining.fields import Fields, readable_basis
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.search import Search
from liestonet.symmetry.statistical.span_covariance import Turns, turned_by, turns_of
from liestonet.trajectories.clock import recorded_source
from liestonet.trajectories.record import record_of


@dataclass(frozen=True)
class Problem:
    """An equation on a box: the kind of symmetry, the equation, its coefficients there, and the box."""

    kind: Kind
    sde: SDE
    source: Coefficients
    domain: Domain


@dataclass(frozen=True)
class Spanned:
    """Generators, all directions tested with their rows on the ladder, formulas and the algebra."""

    fields: Fields
    directions: Fields
    ladder: tuple[LadderRow, ...]
    formulas: tuple[Formula, ...]
    algebra: Algebra


def equation_result(
    problem: Problem, spanned: Spanned, findings: EquationFindings, flags: Iterable[Flag], infinite: bool = False
) -> Result:
    """A result of `solve` from its parts."""
    return Result(
        symmetry=problem.kind.name,
        dimension=math.inf if infinite else spanned.fields.count,
        names=problem.sde.names,
        domain=problem.domain,
        fields=spanned.fields,
        directions=spanned.directions,
        ladder=spanned.ladder,
        algebra=spanned.algebra,
        closed_forms=spanned.formulas,
        flags=tuple(flags),
        findings=findings,
    )


def finite_result(problem: Problem, null: NullSpace, counts: list[FormalCount], wanted: bool, say: Progress) -> Result:
    """The result for a null space: ladder, readable basis, formulas if wanted, algebra and flags."""
    kind, sde, source, domain = problem.kind, problem.sde, problem.source, problem.domain
    directions = Fields(null.directions.basis, null.directions.coefficients, kind.has_beta)
    fields, formulas = readable_basis(directions.mixed(np.eye(directions.count)[:, : null.count])), ()
    if wanted:
        say("looking for formulas")
        fields, formulas = closed_forms_of(kind, sde, fields, max(1 / null.gap, source.error))
    say("computing brackets")
    generators = closed_fields(fields, formulas, sde.names)
    algebra = algebra_on(generators, domain)
    bound = counts[-1].bound if counts else None
    # as many as the bound allows, each proved: residuals are then irrelevant
    certain = bool(formulas) and null.count == bound and all(row.status == "proved" for row in formulas)
    spanned = Spanned(
        reconciled(generators),
        directions,
        tuple(ladder(problem, null, certain)),
        within_closure(formulas, algebra.closure, sde.names, kind.has_beta),
        algebra,
    )
    flags = (*source_flags(sde, source, domain), *count_flags(null, counts, certain))
    return equation_result(problem, spanned, EquationFindings(sde, bound, null.gap), flags)


def infinite_result(problem: Problem, family: Family, wanted: bool) -> Result:
    """The result for an infinite-dimensional algebra, with its family and the generators that the family multiplies."""
    kind, sde, source, domain = problem.kind, problem.sde, problem.source, problem.domain
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
    algebra = replace(find_algebra(generators, *_bracket_points(domain)), infinite=True)
    residuals = residuals_elsewhere(kind, source, domain, fields)
    rows = tuple(LadderRow(r, 0.0, r, source.error, 1.0, "symmetry") for r in residuals.tolist())
    flags = (family_flag(kind, family, invariants), *source_flags(sde, source, domain))
    findings = EquationFindings(sde, None, math.inf)
    return equation_result(problem, Spanned(fields, fields, rows, formulas, algebra), findings, flags, infinite=True)


def algebra_on(generators: Fields | ClosedFields, domain: Domain) -> Algebra:
    """The algebra of generators, from their brackets on a box."""
    many = generators.count > ANSWER.many_generators
    count = ANSWER.bracket_points_of_many if many else ANSWER.bracket_points
    return find_algebra(generators, *_bracket_points(domain, count))


def _bracket_points(domain: Domain, count: int = ANSWER.bracket_points) -> tuple[np.ndarray, np.ndarray]:
    cloud = lattice_cloud(domain, count)
    return cloud.points, cloud.weights


def proved_elsewhere(result: Result, found: Result, box: Domain, flag: Flag) -> Result:
    """A doubtful result with its generators replaced by proved ones from another box, and a flag that explains it."""
    formulas = found.closed_forms
    generators = closed_fields(result.fields, formulas, result.names)
    algebra = find_algebra(closed_fields(found.fields, formulas, result.names), *_bracket_points(box))
    rows = tuple(
        replace(row, residual=0.0, lower=0.0, upper=0.0, verdict="symmetry") if k < len(formulas) else row
        for k, row in enumerate(result.ladder)
    )
    settled = ("ambiguous", "not-converged", "bound-not-reached")
    return replace(
        result,
        dimension=found.dimension,
        fields=reconciled(generators),
        ladder=rows,
        algebra=algebra,
        flags=(*(f for f in result.flags if f.code not in settled), flag),
        closed_forms=formulas,
        findings=replace(result.findings, gap=found.gap),
    )


def spanned_by(result: Result) -> Spanned:
    """The generators of a result with their directions, formulas and algebra."""
    return Spanned(result.fields, result.directions, result.ladder, result.closed_forms, result.algebra)


def generic_result(result: Result, findings: EquationFindings, spanned: Spanned, flags: Iterable[Flag]) -> Result:
    """A result at one value of the parameters, with formulas valid for all values and the equation with parameters."""
    return replace(
        result,
        fields=spanned.fields,
        closed_forms=spanned.formulas,
        algebra=spanned.algebra,
        findings=findings,
        flags=(*flags, *result.flags),
    )


def with_flags(result: Result, more: Iterable[Flag]) -> Result:
    """The result with more flags."""
    return replace(result, flags=(*result.flags, *more))


def with_provenance(result: Result, provenance: Provenance) -> Result:
    """The result with its provenance."""
    return replace(result, provenance=provenance)


def _length(formula: Formula) -> tuple[bool, int]:
    """The sort key of formulas: proved ones first, then by length."""
    import sympy

    entries = (formula.tau, *formula.xi, formula.beta)
    return formula.status != "proved", sum(int(sympy.count_ops(entry)) + (entry != 0) for entry in entries)


def closed_forms_of(kind: Kind, sde: SDE, fields: Fields, error: float) -> tuple[Fields, tuple[Formula, ...]]:
    """The span in a basis with closed forms, if any are found."""
    return find_formulas_anywhere(fields, kind.equations(sde.dimension, sde.noise), sde.symbolic, sde.names, error)


def ladder(problem: Problem, null: NullSpace, certain: bool = False) -> Iterable[LadderRow]:
    """The ladder: every direction with its residual at points that the search did not use."""
    kind, source, domain = problem.kind, problem.source, problem.domain
    fields = Fields(null.directions.basis, null.directions.coefficients, kind.has_beta)
    for position, residual in enumerate(residuals_elsewhere(kind, source, domain, fields).tolist()):
        fall = null.last_fall(position)
        if position < null.count:
            verdict = "symmetry" if certain or null.gap >= NULL_SPACE.clear_gap else "undecided"
            yield LadderRow(residual, 0.0, residual, source.error, 1.0, verdict)
        else:
            falling = not null.settled and fall > residual / ANSWER.visible_fall
            verdict = "undecided" if falling else ("near-symmetry" if residual < SHARED.default_tolerance else "no")
            lower = max(0.0, residual - ANSWER.further_falls * fall)
            yield LadderRow(residual, lower, residual, source.error, 0.0, verdict)


def data_result(request: Request, found: Discovered, warnings: Iterable[Flag]) -> Result:
    """The result of `discover`: a readable basis, formulas if wanted, algebra and flags."""
    kind, surrogate, count = found.kind, found.surrogate, found.count
    operator, chosen = found.operator, found.fields
    rest = found.search.fields(found.search.vectors[:, count:], kind.has_beta)
    directions = Fields(chosen.basis, np.concatenate([chosen.coefficients, rest.coefficients], axis=1), kind.has_beta)
    fields, formulas = readable_basis(chosen) if count else chosen, ()
    turns = turns_of(operator, found.vectors) if count and surrogate.errors.complete else None
    error = (
        _span_error(found.search, count)
        if turns is None
        else max(ANSWER.least_error, turned_by(turns, operator.whitening))
    )
    if request.formulas:
        request.say("looking for formulas")
        if turns is not None:
            # the errors transformed to the readable basis
            turns = turns @ np.linalg.lstsq(chosen.coefficients, fields.coefficients, rcond=None)[0]
        fields, formulas = _estimated_forms(found, fields, error, turns)
    return Result(
        symmetry=kind.name,
        dimension=count,
        names=surrogate.names,
        domain=surrogate.domain,
        fields=fields,
        directions=directions,
        ladder=found.search.rows,
        algebra=replace(find_algebra(fields, *_bracket_points(surrogate.domain)), error=error),
        closed_forms=formulas,
        flags=(*data_answer_flags(found), *warnings),
        findings=DataFindings(
            surrogate=surrogate,
            data=record_of(recorded_source(request.source), surrogate.overview.count),
            criteria=request.criteria,
            gap=_gap(found.search, count),
            refit=None if found.imposed is None else found.imposed.refit,
            law_dimension=found.law_dimension,
            training=found.training,
            clock=found.clock,
            tests=found.tests,
        ),
    )


def _estimated_forms(
    found: Discovered, fields: Fields, error: float, turns: Turns | None
) -> tuple[Fields, tuple[Formula, ...]]:
    """The span in a basis with closed forms, if its error is small enough."""
    equations = found.kind.equations(found.surrogate.dimension, found.surrogate.noise)
    return find_formulas(fields, equations, None, found.surrogate.names, error, turns)


def _span_error(found: Search, count: int) -> float:
    """Approximate angle by which noise rotates the span: noise of the symmetries over the residual of the next row.

    Translations taken as exact do not rotate, and near-symmetries are distinguished by the joint test, not by size.
    """
    noise = max((row.noise for row in found.rows[found.exact : count]), default=0.0)
    beyond = next((row.residual for row in found.rows[count:] if row.verdict == "no"), 1.0)
    return max(ANSWER.least_error, noise / max(beyond, noise, ANSWER.least_error))


def _gap(found: Search, count: int) -> float:
    """Residual of the first direction rejected over that of the last one accepted, or over its noise if larger."""
    if count >= len(found.rows):
        return math.inf
    taken = max((max(row.residual, row.noise) for row in found.rows[:count]), default=0.0)
    return found.rows[count].residual / taken if taken > 0 else math.inf
