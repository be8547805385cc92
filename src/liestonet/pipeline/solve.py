"""The pipeline for equations: `solve` goes from an equation to its symmetries, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from liestonet.core.coefficients import Coefficients
from liestonet.core.domain import Domain, Neighbours
from liestonet.core.notebook_bar import with_bar
from liestonet.core.numbers import truth_of
from liestonet.core.pace import SOLVING
from liestonet.core.periods import by_position
from liestonet.core.progress import Progress, silent
from liestonet.core.provenance import provenance_of
from liestonet.core.threads import few_threads
from liestonet.errors import InputError
from liestonet.pipeline.assemble import Problem, finite_result, infinite_result, with_flags, with_provenance
from liestonet.pipeline.equation_flags import invariant_flag
from liestonet.pipeline.free_parameters import solve_generic
from liestonet.pipeline.lift import lift_flag
from liestonet.pipeline.long_times import is_long, solve_over_long_times
from liestonet.pipeline.random_symmetries import closed_family, closed_result, extended_domain, of_equation
from liestonet.pipeline.small_box import shown_on
from liestonet.pipeline.tuning import solve_tuning
from liestonet.result import Result
from liestonet.sde.domain_choice import check_domain, choose_domain, require_moderate
from liestonet.sde.extended import extended
from liestonet.sde.periodicity import require_periodic
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import singular_neighbours
from liestonet.symmetry.analytic.dimension_bound import FormalCount, formal_counts
from liestonet.symmetry.analytic.families import count_invariants, find_family, require_periodic_invariants
from liestonet.symmetry.analytic.monodromy import cover_of, periodic_bound
from liestonet.symmetry.analytic.nullspace import Coupling, NullSpace, find_null_space
from liestonet.symmetry.analytic.tuning import FORMAL, NULL_SPACE
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, KILLED, Kind, kind_named

# Time and memory grow as a high power of the number of coordinates: ten take seconds, twenty would take hours.
MOST_COORDINATES = 16


@few_threads
@with_bar(SOLVING)
def solve(
    sde: SDE | Any,
    symmetry: str | Kind | Any = "ito",
    domain: Iterable[Sequence[float]] | Domain | Any | None = None,
    *,
    periodic: Mapping[str, float] | Any = None,
    killing: str | Any | None = None,
    formulas: bool | Any = True,
    progress: Progress | None = None,
) -> Result:
    """All projectable Lie-point symmetries of an SDE, or its random ones.

    `symmetry` is "ito", "law", "fokker-planck" or "random": generators φ(t, x, w) ∂x that depend on the Wiener
    processes w, without a time component. `domain` is a list of (low, high) pairs, time first, then each
    coordinate; without one a suitable box is chosen and stated in the result, and so is every interval given as
    None. `periodic` gives the periods of angles and phases, as in {"theta": 2 * math.pi}: their interval is one period,
    and generators are periodic too. `killing` is a rate at which paths are killed, an expression in the state such as
    "r*x": the symmetries are then those of the killed Fokker–Planck equation u_t = … − r x u. Parameters without a
    value stay symbols, and the result is for generic values of them. `formulas=False` leaves out the search for closed
    forms, which often takes most of the time. `progress` is called at each step.
    """
    kind = kind_named(symmetry)
    if not isinstance(sde, SDE):
        raise InputError(f"solve takes an SDE, not a {type(sde).__name__}; make one of text with SDE.parse.")
    if sde.dimension > MOST_COORDINATES:
        raise InputError(
            f"The equation has {sde.dimension} coordinates, and solve takes at most {MOST_COORDINATES}; "
            "solve its independent parts one by one, or a smaller equation of the same form."
        )
    formulas, say = truth_of("formulas", formulas), progress or silent
    sde = sde if periodic is None else sde.with_periods(periodic)
    sde = sde if killing is None else sde.with_killing(killing)
    kind = with_killing_of(kind, sde)
    target = extended(sde) if kind.extended else sde
    domain = extended_domain(sde, domain) if kind.extended else domain
    if sde.parameters:

        def at_values(numeric: SDE, wanted: bool) -> Result:
            return _solve_numeric(numeric, kind, domain, wanted, say)

        result = solve_generic(target, kind, formulas, at_values, say)
    else:
        result = _solve_numeric(target, kind, domain, formulas, say)
    result = of_equation(result, sde) if kind.extended else result
    pairs = None if result.domain.chosen else [list(pair) for pair in result.domain.intervals]
    equation = "sde" if sde.symbolic is None else f"liestonet.SDE.parse({sde.symbolic.equations()!r})"
    rate = None if sde.killing is None else str(sde.killing)
    settings = {"domain": pairs, **_named_periods(sde), "killing": rate, "formulas": formulas}
    made = provenance_of("solve", equation, None, symmetry=kind.name, **settings)
    return with_provenance(result, replace(made, tuning=solve_tuning()))


def with_killing_of(kind: Kind, sde: SDE) -> Kind:
    """The kind with the killing in its equations, if there is one."""
    if sde.killing is None:
        return kind
    if kind.name != FOKKER_PLANCK.name:
        raise InputError(
            f"A killing changes the density only, and symmetries of kind {kind.name} do not depend on it; ask for "
            'symmetry="fokker-planck", or leave the killing out.'
        )
    return KILLED


def _solve_numeric(sde: SDE, kind: Kind, domain: Any, formulas: bool, say: Progress) -> Result:
    """The steps of `solve` for an equation without free parameters."""
    say("examining the coefficients")
    box = domain_of(sde, domain)
    require_moderate(sde, box)
    neighbours = singular_neighbours(sde, box)
    box = replace(box, singular=neighbours and _beside_turns(neighbours, box))
    source = sde.coefficients(box)
    known = closed_family(Problem(kind, sde, source, box), formulas) if kind.extended else None
    if known is not None:
        return known
    say("looking for functions that are constant along every path")
    invariants = count_invariants(source, box)
    family = find_family(kind, source, box, sde.names, invariants or 0)
    if family is not None and box.periodic:
        require_periodic_invariants(source, box, sde.names)
    if family is not None:
        return infinite_result(Problem(kind, sde, source, box), family, formulas)
    say("counting power series at a generic point")
    counts = _round_turns(kind, sde, box, formal_counts(kind, source, box), say)
    bound, coupling = (counts[-1].bound, counts[-1].coupling) if counts else (None, None)
    long = is_long(source, box)
    problem = Problem(kind, sde, source, box)
    result = closed_result(problem, counts, formulas, say) if kind.extended else None
    if result is None and long:
        result = solve_over_long_times(problem, counts, formulas, say)
    if result is None:
        null, box = _null_space(kind, source, box, bound, coupling, say)
        problem = Problem(kind, sde, source, box)
        # on a window an exact bound can be reached; without it, near-symmetries might be counted there
        if not long and bound is not None and null.count < bound and not (source.error or counts[-1].doubtful):
            result = solve_over_long_times(problem, counts, formulas, say)
        if result is None:
            if counts and null.count != counts[-1].bound:
                more = formal_counts(kind, source, box, largest=FORMAL.largest_size, repeats=4)
                counts = [*more[:-1], replace(more[-1], periodic=counts[-1].periodic)]
            result = finite_result(problem, null, counts, formulas, say)
            if sde.symbolic is not None and any(flag.code == "ambiguous" for flag in result.flags):
                say("solving on a wider box")
                result = shown_on(result, lambda wider: _solve_numeric(sde, kind, wider, True, say), source)
    result = with_flags(result, invariant_flag(invariants, result.bound))
    # of a span that may be incomplete, the lifted part is not counted
    return with_flags(result, lift_flag(kind, source, result.fields)) if result.dimension == result.bound else result


def _null_space(
    kind: Kind,
    source: Coefficients,
    box: Domain,
    bound: int | None,
    coupling: Coupling | None,
    say: Progress,
) -> tuple[NullSpace, Domain]:
    """The null space on the whole box, and the box with the basis functions adapted to it."""
    null = find_null_space(kind, source, box, bound, coupling, say)
    if bound is not None and null.count < bound and any(any(map(_is_known, pair)) for pair in box.singular or ()):
        # near a singular point, functions with logarithms are usually better, but sometimes polynomials are
        plain = replace(box, singular=None)
        other = find_null_space(kind, source, plain, bound, coupling, say)
        if other.count > null.count and other.gap >= NULL_SPACE.clear_gap:
            return other, plain
    return null, box


def _round_turns(kind: Kind, sde: SDE, box: Domain, counts: list[FormalCount], say: Progress) -> list[FormalCount]:
    """The counts, the last one with the number of symmetries that are periodic in the periodic coordinates."""
    if not box.periodic or not counts or not counts[-1].bound:
        return counts
    say("counting periodic symmetries")
    closing = periodic_bound(kind, sde.coefficients(cover_of(box)), box, counts[-1], say)
    return [*counts[:-1], replace(counts[-1], periodic=closing)]


def _beside_turns(neighbours: tuple[Neighbours, ...], box: Domain) -> tuple[Neighbours, ...]:
    """Singular points next to intervals, without those of periodic coordinates."""
    return tuple((None, None) if v in box.periodic else pair for v, pair in enumerate(neighbours))


def _named_periods(sde: SDE) -> dict[str, Any]:
    return {"periodic": dict(sde.periodic)} if sde.periodic else {}


def _is_known(point: float | None) -> bool:
    return point is not None


def domain_of(sde: SDE, domain: object) -> Domain:
    """The given box, or one chosen automatically, with one period as the interval of every periodic coordinate."""
    if domain is None:
        box = choose_domain(sde)
    else:
        box = domain if isinstance(domain, Domain) else _completed(sde, domain)
        box.require_dimension(sde.dimension)
    box = box.with_periods(by_position(sde.periodic, sde.names))
    if domain is not None or box.periodic:
        check_domain(sde, box)
    if box.periodic:
        require_periodic(sde, box)
    return box


def _completed(sde: SDE, pairs: Any) -> Domain:
    """The domain a user gave, with an automatically chosen interval for every None."""
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
