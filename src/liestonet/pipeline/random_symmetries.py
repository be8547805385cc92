"""Random symmetries in closed form: found, proved and counted before any search with series.

If closed forms do not give all of them, the usual search follows, on the equation extended by dw = dW
(`sde/extended.py`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import closed_fields
from liestonet.formulas.formula import Formula
from liestonet.formulas.proved.projection import from_formulas
from liestonet.formulas.proved.proofs import solves
from liestonet.formulas.proved.random_scalar import scalar_answer
from liestonet.formulas.proved.slices import random_fields
from liestonet.formulas.waves import is_periodic
from liestonet.pipeline.assemble import Problem, Spanned, algebra_on, equation_result
from liestonet.pipeline.equation_flags import family_flag, source_flags
from liestonet.result import Result
from liestonet.result.findings import EquationFindings
from liestonet.sde.sde import SDE
from liestonet.symmetry.analytic.dimension_bound import FormalCount
from liestonet.symmetry.analytic.families import Family
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import INVARIANT


def extended_domain(sde: SDE, domain: object) -> object:
    """A user's domain for an equation, with intervals added for its Wiener processes if they are not given."""
    if domain is None:
        return None
    pairs: Any = list(domain.intervals) if isinstance(domain, Domain) else domain
    try:
        given = list(pairs)
    except TypeError as problem:
        raise InputError(
            "The domain must be a list of (low, high) pairs: time first, then each coordinate."
        ) from problem
    return [*given, *[None] * sde.noise] if len(given) == sde.dimension + 1 else given


def closed_result(problem: Problem, counts: list[FormalCount], wanted: bool, say: Progress) -> Result | None:
    """All random symmetries in closed form; None if fewer are proved than the upper bound allows."""
    bound = counts[-1].bound if counts else None
    if bound is None or counts[-1].doubtful:
        return None
    found: list[tuple[Any, ...]] = []
    if bound:
        say("looking for fields that commute with drift and noise")
        found = _closed_forms(problem)
    if len(found) != bound:
        return None
    formulas = tuple(Formula(row[0], tuple(row[1:]), row[0], "proved", 0.0) for row in found)
    fields = _series(problem, formulas)
    say("computing brackets")
    algebra = algebra_on(closed_fields(fields, formulas, problem.sde.names), problem.domain)
    rows = (LadderRow(0.0, 0.0, 0.0, problem.source.error, 1.0, "symmetry"),) * bound
    spanned = Spanned(fields, fields, rows, formulas if wanted else (), algebra)
    flags = source_flags(problem.sde, problem.source, problem.domain)
    return equation_result(problem, spanned, EquationFindings(problem.sde, bound, math.inf), flags)


def closed_family(problem: Problem, wanted: bool) -> Result | None:
    """The result for a scalar equation that is Brownian motion in other coordinates: σ h(I) ∂x for every h."""
    import sympy

    sde, domain = problem.sde, problem.domain
    if sde.symbolic is None or sde.dimension != sde.noise + 1 or domain.periodic:
        return None
    answer = scalar_answer(sde.symbolic, domain)
    if answer is None or answer.invariant is None:
        return None
    zero = sympy.Integer(0)
    field = (zero, answer.phi, *[zero] * sde.noise)
    invariant = INVARIANT.equations(sde.dimension, sde.noise)
    table = problem.kind.equations(sde.dimension, sde.noise)
    if not (solves(table, sde.symbolic, list(field)) and solves(invariant, sde.symbolic, [answer.invariant])):
        return None
    formulas = (Formula(zero, field[1:], zero, "proved", 0.0),)
    fields = _series(problem, formulas)
    family = Family(1, (), fields, np.zeros((0, len(domain.intervals))))
    algebra = replace(algebra_on(closed_fields(fields, formulas, sde.names), domain), infinite=True)
    rows = (LadderRow(0.0, 0.0, 0.0, problem.source.error, 1.0, "symmetry"),)
    spanned = Spanned(fields, fields, rows, formulas if wanted else (), algebra)
    flags = (family_flag(problem.kind, family, (answer.invariant,)), *source_flags(sde, problem.source, domain))
    return equation_result(problem, spanned, EquationFindings(sde, None, math.inf), flags, infinite=True)


def _series(problem: Problem, formulas: tuple[Formula, ...]) -> Fields:
    """The generators of these formulas as series on the box."""
    import sympy

    sde, symbols = problem.sde, tuple(sympy.Symbol(name, real=True) for name in ("t", *problem.sde.names))
    return from_formulas(formulas, problem.kind.equations(sde.dimension, sde.noise), problem.domain, symbols)


def _closed_forms(problem: Problem) -> list[tuple[Any, ...]]:
    """Proved fields (τ, φ, 0 …), for one coordinate from theory, for several from joint eigenvectors."""
    import sympy

    sde, domain = problem.sde, problem.domain
    coefficients = sde.symbolic
    if coefficients is None:
        return []
    if sde.dimension == sde.noise + 1:
        answer = scalar_answer(coefficients, domain)
        zero = sympy.Integer(0)
        if answer is None or answer.phi is None or answer.invariant is not None:
            return []
        field = (zero, answer.phi, *[zero] * sde.noise)
        proved = solves(problem.kind.equations(sde.dimension, sde.noise), coefficients, list(field))
        found = [field] if proved else []
    else:
        found = random_fields(coefficients, domain)
    symbols = (coefficients.time, *coefficients.state)
    return [field for field in found if is_periodic(field, domain, symbols)]


def of_equation(result: Result, sde: SDE) -> Result:
    """A result of the extended equation as one of the equation, with a flag that names ordinary symmetries."""
    result = replace(result, findings=replace(result.findings, equation=sde))
    ordinary = [f"X{k + 1}" for k, alone in enumerate(result.ordinary) if alone]
    if not ordinary:
        return result
    several = len(ordinary) > 1
    flag = Flag(
        "ordinary",
        f"{' and '.join(ordinary)} {'do' if several else 'does'} not depend on the Wiener process: "
        f"{'ordinary Itô symmetries' if several else 'an ordinary Itô symmetry'} with tau = 0.",
        "Solve with symmetry='ito' for all ordinary symmetries, those that move time among them.",
    )
    return replace(result, flags=(*result.flags, flag))
