"""Equations over times that are long compared with their own rates: solved on windows of time, then on the whole box.

Over a hundred units of time e^{2t} spans eighty-seven orders of magnitude, and no basis on the box represents both it
and e^{−t}; on a window of a few units both are moderate. Formulas are found on a window, and a proved formula holds for
all times at which it is smooth. If the equation does not depend on time, one window is enough: ∂t acts on its
generators as a matrix, whose exponential continues them. Otherwise the spans on windows that cover the box are joined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.algebra.structure import Algebra, find_algebra
from liestonet.core.coefficients import Coefficients, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.core.points import lattice_cloud
from liestonet.core.progress import Progress
from liestonet.errors import InputError
from liestonet.formulas.closed_fields import ClosedFields, closed_fields
from liestonet.formulas.formula import Formula, unknown_formula
from liestonet.pipeline.assemble import Problem, Spanned, closed_forms_of, equation_result, ladder
from liestonet.pipeline.equation_flags import count_flags, source_flags
from liestonet.pipeline.tuning import ANSWER, LONG_TIMES
from liestonet.result import Result
from liestonet.result.findings import EquationFindings
from liestonet.sde.domain_choice import check_domain
from liestonet.sde.sde import SDE
from liestonet.symmetry.analytic.dimension_bound import FormalCount
from liestonet.symmetry.analytic.gluing import glued
from liestonet.symmetry.analytic.nullspace import NullSpace, find_null_space, residuals_elsewhere
from liestonet.symmetry.analytic.timecourse import Continued, Places, box_scales, continued
from liestonet.symmetry.analytic.tuning import NULL_SPACE
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields, readable_basis
from liestonet.symmetry.determining.kinds import Kind

Found = tuple[Fields, tuple[Formula, ...]]
Formulas = Callable[[Fields, NullSpace], Found]


@dataclass(frozen=True)
class Span:
    """Generators on a window of time and on the whole box, and the data to compare both.

    `apart` is the splitting of the generators by the rates of ∂t; if None, the columns of `box` are an arbitrary basis.
    """

    window: Fields
    null: NullSpace
    box: Fields
    apart: Continued | None
    windows: int


def rate_of(source: Coefficients, domain: Domain) -> float:
    """The fastest rate of the equation, from the slopes of its drift and the time derivatives of its coefficients."""
    points = lattice_cloud(domain, LONG_TIMES.samples).points
    jet = source.jet(points[:, 0], points[:, 1:], JetOrder(drift=1, diffusion=1))
    half, n = domain.half, source.dimension
    zero = np.zeros((len(points), n))
    slopes = np.stack([jet.drift.get((j + 1,), zero) * half[j + 1] / half[1:] for j in range(n)], axis=2)
    rates = [float(np.median(np.linalg.norm(slopes, 2, axis=(1, 2))))]
    for values in (jet.drift, jet.diffusion):
        if (0,) in values and () in values:
            size, change = (float(np.sqrt(np.mean(values[d] ** 2))) for d in ((), (0,)))
            rates.append(change / size if size else 0.0)
    return max(rates)


def is_long(source: Coefficients, domain: Domain) -> bool:
    """Whether the duration of the box is many times the inverse rate of the equation."""
    return float(2 * domain.half[0]) * rate_of(source, domain) > LONG_TIMES.long


def _depends_on_time(sde: SDE, source: Coefficients, domain: Domain) -> bool:
    """Whether the coefficients depend on time, judged by their symbols, or by the polynomials of callables."""
    if sde.symbolic is not None:
        known = sde.symbolic
        return known.time in known.drift.free_symbols | known.diffusion.free_symbols | known.killing.free_symbols
    points = lattice_cloud(domain, LONG_TIMES.samples).points
    jet = source.jet(points[:, 0], points[:, 1:], JetOrder(drift=1, diffusion=1, diffusion_squared=1))
    return any((0,) in part and part[(0,)].any() for part in (jet.drift, jet.diffusion, jet.diffusion_squared))


def solve_over_long_times(problem: Problem, counts: list[FormalCount], wanted: bool, say: Progress) -> Result | None:
    """The result from windows of time; None if they do not give all symmetries that the upper bound allows."""
    kind, sde, source, domain = problem.kind, problem.sde, problem.source, problem.domain
    bound = counts[-1].bound if counts else None
    if not bound:
        return None

    def formulas_on(window: Fields, null: NullSpace) -> Found:
        say("looking for formulas")
        return closed_forms_of(kind, sde, readable_basis(window), max(1 / null.gap, source.error))

    if _depends_on_time(sde, source, domain):
        found = _from_windows(problem, counts[-1], formulas_on, say)
    else:
        found = _from_one_window(problem, counts[-1], formulas_on if wanted else None, say)
    answer = None if found is None else _answer(sde, domain, *found)
    if found is None or answer is None:
        return None
    span = found[0]
    box, formulas, algebra = answer
    rows = tuple(_ladder(problem, span, box, formulas))
    flags = (*source_flags(sde, source, domain), _flag(domain, span), *count_flags(span.null, counts))
    findings = EquationFindings(sde, bound, span.null.gap)
    return equation_result(problem, Spanned(box, box, rows, formulas, algebra), findings, flags)


def _windows_of(domain: Domain, length: float, count: int) -> list[Domain]:
    """Overlapping windows of equal length that cover the time of the box; the first begins with it."""
    low, high = domain.intervals[0]
    starts = low + (high - low - length) * np.arange(count) / max(count - 1, 1)
    return [_on_window(domain, float(start), length) for start in starts]


def _on_window(domain: Domain, start: float, length: float) -> Domain:
    singular = domain.singular and ((None, None), *domain.singular[1:])
    return replace(domain, intervals=((start, start + length), *domain.intervals[1:]), singular=singular)


def _lengths(source: Coefficients, domain: Domain) -> Iterator[float]:
    """Lengths of windows to try: the longest that suits the equation's rate first."""
    duration, rate = 2 * domain.half[0], rate_of(source, domain)
    longest = min(LONG_TIMES.window / rate if rate else math.inf, duration / LONG_TIMES.least_windows)
    # on short windows near-symmetries look like symmetries, so these are used with exact coefficients only
    return (longest * LONG_TIMES.shorter**k for k in range(1 if source.error else LONG_TIMES.attempts))


def _complete(problem: Problem, window: Domain, count: FormalCount, say: Progress) -> NullSpace | None:
    """The null space on a window, if it has all symmetries that the bound allows with a clear gap; else None."""
    null = find_null_space(problem.kind, problem.source, window, count.bound, count.coupling, say, LONG_TIMES.accuracy)
    return null if null.count == count.bound and null.gap >= NULL_SPACE.clear_gap else None


def _fields(kind: Kind, null: NullSpace) -> Fields:
    return Fields(null.directions.basis, null.directions.coefficients[:, : null.count], kind.has_beta)


def _from_one_window(
    problem: Problem, count: FormalCount, formulas_on: Formulas | None, say: Progress
) -> tuple[Span, Found] | None:
    """The span from one window at t = 0, where formulas are simplest, for an equation that does not depend on time."""
    source, domain = problem.source, problem.domain
    for length in _lengths(source, domain):
        say(f"solving on a window of {length:.3g} units of time")
        null = _complete(problem, _on_window(domain, 0.0, length), count, say)
        if null is not None:
            fields = _fields(problem.kind, null)
            apart = continued(fields, domain)
            if apart.fastest * 2 * domain.half[0] < LONG_TIMES.window:
                return None  # the generators change slowly although the equation does not
            span = Span(fields, null, apart.box, apart, 1)
            return span, (fields, ()) if formulas_on is None else formulas_on(fields, null)
    return None


def _from_windows(
    problem: Problem, count: FormalCount, formulas_on: Formulas, say: Progress
) -> tuple[Span, Found] | None:
    """Formulas from the window nearest to t = 0, if they are proved and smooth on the box; else windows that cover it.

    Formulas are needed to separate generators that grow at different rates, so they are computed even if not wanted.
    """
    kind, sde, source, domain = problem.kind, problem.sde, problem.source, problem.domain
    duration = 2 * domain.half[0]
    for length in _lengths(source, domain):
        number = math.ceil((duration / length - 1) / (1 - LONG_TIMES.overlap)) + 1
        windows = _windows_of(domain, length, number)
        nearest = int(np.argmin([abs(window.centre[0]) for window in windows]))
        say(f"solving on a window of {length:.3g} units of time")
        null = _complete(problem, windows[nearest], count, say)
        if null is None:
            continue
        found = formulas_on(_fields(kind, null), null)
        if all(_holds_everywhere(row, sde, domain) for row in found[1]):
            return Span(_fields(kind, null), null, _by_formulas(*found, domain, sde.names), None, 1), found
        if number > LONG_TIMES.most_windows or number * (count.bound or 0) > LONG_TIMES.most_unknowns:
            return None
        span = _glued(problem, windows, nearest, null, count, say)
        if span is not None:
            return span, found
    return None


def _glued(
    problem: Problem, windows: list[Domain], nearest: int, known: NullSpace, count: FormalCount, say: Progress
) -> Span | None:
    """The span on the box joined from all windows, one of which is already solved; None if one has fewer symmetries."""
    fields = []
    for k, window in enumerate(windows):
        say(f"solving on window {k + 1} of {len(windows)} in time")
        null = known if k == nearest else _complete(problem, window, count, say)
        if null is None:
            return None
        fields.append(_fields(problem.kind, null))
    box = glued(fields, problem.domain)
    return None if box is None else Span(fields[nearest], known, box, None, len(windows))


def _holds_everywhere(formula: Formula, sde: SDE, domain: Domain) -> bool:
    """Whether a formula is proved and finite and smooth on the whole box, so that it is a generator there."""
    import sympy

    if sde.symbolic is None or formula.status != "proved":
        return False
    if any(entry.has(sympy.Integral) for entry in (formula.tau, *formula.xi, formula.beta)):
        return False
    formula, n = _tamed(formula, domain, sde.names)[0], sde.dimension
    others = sympy.ImmutableMatrix(n, 2, [formula.tau, formula.beta] + [0] * (2 * n - 2))
    entries = replace(sde.symbolic, drift=sympy.ImmutableMatrix(n, 1, list(formula.xi)), diffusion=others, _compiled={})
    try:
        check_domain(SDE.from_coefficients(entries, ()), domain)
    except InputError:
        return False
    return True


def _by_formulas(fields: Fields, formulas: Sequence[Formula], domain: Domain, names: Sequence[str]) -> Fields:
    """Series on the box for generators given by formulas."""
    tamed = [_tamed(row, domain, names)[0] for row in formulas]
    places, scales = Places.of([fields]), box_scales(fields.basis, domain)
    anywhere = Fields(Basis(domain, scales, fields.basis.degrees), fields.coefficients, fields.has_beta)
    exact = closed_fields(anywhere, tamed, names)

    def courses(times: Float[np.ndarray, " b"]) -> np.ndarray:
        return places.fitted(exact, domain, times, scales)

    return places.series(courses, domain, scales, fields.has_beta)[0]


def _answer(sde: SDE, domain: Domain, span: Span, found: Found) -> tuple[Fields, tuple[Formula, ...], Algebra] | None:
    """Generators on the box, formulas scaled to moderate values there, and their algebra; None if they disagree.

    Proved generators are given by their formulas; the others are generators of the span on the box.
    """
    import sympy

    (fields, formulas), m = found, span.box.count
    proved = [k for k, row in enumerate(formulas) if row.status == "proved"]
    tamed = {k: _tamed(formulas[k], domain, sde.names) for k in proved}
    parts = [replace(row, status="numerical") if k not in tamed else tamed[k][0] for k, row in enumerate(formulas)]
    mixing, missed = _mixing(closed_fields(span.box, parts, sde.names), proved)
    if span.windows > 1 and missed > LONG_TIMES.shows:
        return _answer(sde, domain, span, (span.window, ()))
    if len(proved) < m and (missed > LONG_TIMES.shows or not (span.apart is None or span.apart.resolved)):
        return None
    chosen = _complement(mixing)
    box, window, logarithms = np.zeros((m, m)), span.window.coefficients.copy(), np.zeros(m)
    rest = [k for k in range(m) if k not in tamed]
    box[:, proved], box[chosen, rest] = mixing, 1.0
    if formulas:
        window = fields.coefficients.copy()
    if span.apart is not None and rest:
        window[:, rest] = span.apart.window.coefficients[:, chosen]
        logarithms[rest] = span.apart.logarithms[chosen]
    logarithms[proved] = [tamed[k][1] for k in proved]
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *sde.names))
    shown = tuple(
        tamed[k][0] if k in tamed else unknown_formula(k, symbols, fields.has_beta) for k in range(len(formulas))
    )
    generators = span.box.mixed(box)
    if span.apart is None and rest:
        # brackets need small parts of generators, which series on the box do not resolve
        return generators, shown, replace(_algebra(closed_fields(generators, shown, sde.names)), error=1.0)
    local = closed_fields(replace(fields, coefficients=window), formulas, sde.names)
    return generators, shown, _rescaled(_algebra(local), logarithms)


def _mixing(generators: Fields | ClosedFields, proved: list[int]) -> tuple[Float[np.ndarray, "m p"], float]:
    """Formulas as coefficients in the series on the box, and the largest relative part that these do not represent."""
    if not proved or isinstance(generators, Fields):
        return np.zeros((generators.count, 0)), 0.0
    basis = generators.basis
    edges = np.arange(len(basis.domain.intervals)) == 0
    cloud = lattice_cloud(basis.domain, LONG_TIMES.compared, edge=edges)
    units = np.sqrt(cloud.weights)[None, :, None] / basis.scales
    exact, shown = (f.components(cloud.points, [()])[()] * units for f in (generators, generators.series))
    wanted = exact[proved].reshape(len(proved), -1).T
    sizes = np.linalg.norm(wanted, axis=0)
    table = shown.reshape(generators.count, -1).T
    found = np.linalg.lstsq(table, wanted / sizes, rcond=None)[0]
    missed = np.linalg.norm(table @ found - wanted / sizes, axis=0)
    return found * sizes, float(missed.max())


def _complement(mixing: Float[np.ndarray, "m p"]) -> list[int]:
    """Positions of basis vectors that complete the given ones to a basis."""
    m, p = mixing.shape
    lengths = np.maximum(np.linalg.norm(mixing, axis=0), np.finfo(float).tiny)
    known = np.linalg.qr(mixing / lengths)[0]
    order: Any = scipy.linalg.qr(np.eye(m) - known @ known.T, mode="r", pivoting=True)[-1]
    return sorted(order[: m - p].tolist())


def _tamed(formula: Formula, domain: Domain, names: Sequence[str]) -> tuple[Formula, float]:
    """A formula, or a multiple of it whose size on the box does not overflow, and the logarithm of the factor."""
    import mpmath
    import sympy

    symbols = [sympy.Symbol(name, real=True) for name in ("t", *names)]
    entries = (formula.tau, *formula.xi, formula.beta)
    # common subexpressions of an integral would contain its bound variable
    shared = not any(entry.has(sympy.Integral) for entry in entries)
    evaluate = sympy.lambdify(symbols, list(entries), "mpmath", cse=shared)
    low, high = np.array(domain.intervals).T
    states = np.random.default_rng(17).uniform(low[1:], high[1:], (LONG_TIMES.states, len(names)))
    times = np.linspace(low[0], high[0], LONG_TIMES.times)
    values = [abs(v) for t in times for x in states for v in evaluate(*map(mpmath.mpf, (t, *x)))]
    largest = max(values, default=mpmath.mpf(0))
    logarithm = float(mpmath.log(largest)) if largest else 0.0
    if abs(logarithm) <= LONG_TIMES.largest_logarithm:
        return formula, 0.0
    factor = sympy.exp(-round(logarithm))
    # one exponential in every term, so that no factor overflows
    tau, *rest = (sympy.powsimp(sympy.expand(factor * entry), combine="exp") for entry in entries)
    return replace(formula, tau=tau, xi=tuple(rest[:-1]), beta=rest[-1]), -float(round(logarithm))


def _algebra(generators: Fields | ClosedFields) -> Algebra:
    cloud = lattice_cloud(generators.basis.domain, ANSWER.bracket_points)
    return find_algebra(generators, cloud.points, cloud.weights)


def _rescaled(algebra: Algebra, logarithms: Float[np.ndarray, " m"]) -> Algebra:
    """The algebra of the multiples e^{l_i} X_i."""
    exponents = logarithms[:, None, None] + logarithms[None, :, None] - logarithms[None, None, :]
    constants = np.where(algebra.structure_constants != 0, algebra.structure_constants, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.where(constants != 0, constants * np.exp(exponents), 0.0)
    return replace(algebra, structure_constants=scaled)


def _ladder(problem: Problem, span: Span, box: Fields, formulas: Sequence[Formula]) -> Iterator[LadderRow]:
    """Symmetries with residuals on the whole box, zero for proved ones; other directions as on the window."""
    window = list(ladder(replace(problem, domain=span.null.directions.basis.domain), span.null))
    residuals = np.zeros(box.count)
    if len(formulas) < box.count:
        residuals = residuals_elsewhere(problem.kind, problem.source, problem.domain, box, LONG_TIMES.samples)
    for k in range(box.count):
        proved = k < len(formulas) and formulas[k].status == "proved"
        residual = 0.0 if proved else float(residuals[k])
        yield replace(window[k], residual=residual, upper=residual)
    yield from window[box.count :]


def _flag(domain: Domain, span: Span) -> Flag:
    """The flag that describes how the long time was treated."""
    low, high = span.window.basis.domain.intervals[0]
    where = f"{high - low:.3g} units of time"
    if span.windows > 1:
        how = f"solved on {span.windows} overlapping windows of {where}, which were then joined"
    elif span.apart is None:
        how = f"solved on a window of {where}, and the formulas proved there hold on the whole box"
    else:
        how = (
            f"solved on a window of {where}, as nothing in the equation depends on time, and continued from there by "
            "the rates of its generators"
        )
    return Flag(
        "long-time",
        f"The time from {domain.intervals[0][0]:g} to {domain.intervals[0][1]:g} is long compared with the time scale "
        f"of the equation: it was {how}. Residuals of directions that are not symmetries are those on the window.",
        "Nothing to do; a shorter time interval gives the residuals of the whole box.",
    )
