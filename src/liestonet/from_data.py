"""The pipeline on data: trajectories in, surrogate, symmetry search, refit, algebra out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from liestonet.algebra.closed_forms import Formula, find_formulas
from liestonet.algebra.structure import find_algebra
from liestonet.diagnostics.report import data_flags
from liestonet.diagnostics.turnover import remedy
from liestonet.errors import InputError
from liestonet.flags import Flag
from liestonet.provenance import provenance_of
from liestonet.result import Result
from liestonet.stages import search_in_stages
from liestonet.surrogate.refit import Refit
from liestonet.surrogate.spectral import fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.fields import Fields, readable_basis
from liestonet.symmetry.kinds import ITO, LAW, Kind, kind_named
from liestonet.symmetry.operator import lattice_cloud
from liestonet.symmetry.search import Search, Standards, search_beside
from liestonet.symmetry.spread import Turns, turned_by, turns_of
from liestonet.trajectories.increments import IncrementSource
from liestonet.trajectories.record import record_of

Progress = Callable[[str], None]
# The basis and the refit leave errors of this size in generators from data, however small the noise.
LEAST_ERROR = 1e-4


@dataclass(frozen=True)
class Spectral:
    """The spectral engine: series for drift and diffusion, symmetries by linear algebra.

    `refit` imposes the symmetries found on the coefficients and solves again, unless held-out paths speak against it.
    """

    refit: bool = True


@dataclass(frozen=True)
class Request:
    """What `discover` asks of an engine: the data, the kind, the standards, and how much of an answer."""

    source: IncrementSource
    kind: Kind
    standards: Standards
    dimension: int | Any | None
    formulas: bool
    seed: int
    say: Progress


@runtime_checkable
class Engine(Protocol):
    """Another way from trajectories to a result than the spectral one, such as `Neural`."""

    def discover(self, request: Request) -> Result: ...


def fit(data: IncrementSource | Any, *, progress: Progress | None = None) -> Surrogate:
    """Estimate drift and diffusion from trajectories, with the covariance of what was estimated."""
    return fit_spectral(_checked(data), progress)


def discover(
    data: IncrementSource | Any,
    engine: Spectral | Any | None = None,
    symmetry: str | Kind | Any = "ito",
    *,
    dimension: int | Any | None = None,
    tolerance: float | Any = 0.1,
    error_rate: float | Any = 0.05,
    formulas: bool = True,
    seed: int | Any = 0,
    progress: Progress | None = None,
) -> Result:
    """The symmetries of the system that trajectories come from, with how sure the data are of each.

    `symmetry` is "ito", "law" or "fokker-planck". A direction counts as a symmetry if the data do not exclude a
    residual of zero and are sure of one below `tolerance`; `error_rate` is the chance to lose any true symmetry, and
    that of an interval to be too short. `dimension` fixes the number of generators instead. The spectral engine draws
    no random numbers that depend on `seed`; it is there for engines that do.
    """
    engine = Spectral() if engine is None else engine
    if not isinstance(engine, Spectral | Engine):
        raise InputError(f"The engine must be liestonet.Spectral() or liestonet.Neural(), not {engine!r}.")
    kind, source, seed = kind_named(symmetry), _checked(data), _checked_seed(seed)
    standards = _standards(tolerance, error_rate)
    request = Request(source, kind, standards, dimension, formulas, seed, progress or _silent)
    result = _discover_spectrally(engine, request) if isinstance(engine, Spectral) else engine.discover(request)
    made = provenance_of(
        "discover",
        "data",
        seed,
        engine=repr(engine),
        symmetry=kind.name,
        dimension=dimension,
        tolerance=standards.tolerance,
        error_rate=standards.error_rate,
        formulas=formulas,
    )
    return replace(result, provenance=made)


def _discover_spectrally(engine: Spectral, request: Request) -> Result:
    """Fit, search, impose what was found, and put it into words."""
    kind, standards, dimension, say = request.kind, request.standards, request.dimension, request.say
    surrogate = fit_spectral(request.source, say)
    say("looking for symmetries")
    found, refitted = search_in_stages(kind, surrogate, standards, dimension, engine.refit, say)
    count = found.count if dimension is None else dimension
    law = law_dimension(kind, surrogate, found, standards, say)
    say("checking the data")
    warnings = (*dimension_flag(found, dimension), *data_flags(surrogate, found.rows, standards.tolerance))
    if request.formulas:
        say("looking for formulas")
    result = assemble_result(kind, surrogate, found, count, refitted, law, request.formulas, warnings)
    return replace(result, data=record_of(request.source, surrogate.overview.count), standards=standards)


def _checked(data: Any) -> IncrementSource:
    if not isinstance(data, IncrementSource):
        raise InputError(
            f"discover and fit take Trajectories, not a {type(data).__name__}; make them with Trajectories.from_arrays "
            "or Trajectories.read."
        )
    return data


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise InputError(f"The seed must be a whole number from 0 to 2⁶³ − 1, not {seed!r}.")
    return int(seed)


def _standards(tolerance: Any, error_rate: Any) -> Standards:
    for name, value in (("tolerance", tolerance), ("error_rate", error_rate)):
        if not (isinstance(value, int | float) and 0 < value < 1):
            raise InputError(f"The {name} must be a number between 0 and 1, not {value!r}.")
    return Standards(float(tolerance), float(error_rate))


def law_dimension(
    kind: Kind, surrogate: Surrogate | Any, found: Search, standards: Standards, say: Progress
) -> int | None:
    """Number of symmetries at law level; with one noise Itô and law agree, and for Fokker–Planck nobody asked.

    It is what the data say, whatever dimension was asked for.
    """
    if kind is LAW or (kind is ITO and surrogate.noise <= 1):
        return sum(row.verdict == "symmetry" for row in found.rows)
    if kind is not ITO:
        return None
    say("looking for symmetries of the law")
    return search_beside(found, LAW, surrogate, surrogate.overview.points, standards).count


def assemble_result(
    kind: Kind,
    surrogate: Surrogate | Any,  # or one of networks
    found: Search,
    count: int,
    refitted: Refit | None,
    law: int | None,
    wanted: bool,
    warnings: tuple[Flag, ...],
) -> Result:
    """Put what was found into words: readable basis, formulas where wanted, algebra and flags."""
    vectors = found.vectors[:, :count] if refitted is None else refitted.vectors
    operator = found.operator if refitted is None else refitted.operator
    chosen = Fields(operator.basis, operator.whitening @ vectors, kind.has_beta)
    rest = found.fields(found.vectors[:, count:], kind.has_beta)
    directions = Fields(chosen.basis, np.concatenate([chosen.coefficients, rest.coefficients], axis=1), kind.has_beta)
    fields, formulas = readable_basis(chosen) if count else chosen, ()
    turns = turns_of(operator, vectors) if count and surrogate.errors.complete else None
    error = _span_error(found, count) if turns is None else max(LEAST_ERROR, turned_by(turns, operator.whitening))
    if wanted:
        if turns is not None:
            # the same errors of the readable basis
            turns = turns @ np.linalg.lstsq(chosen.coefficients, fields.coefficients, rcond=None)[0]
        fields, formulas = _formulas(kind, surrogate, fields, error, turns)
    cloud = lattice_cloud(surrogate.domain, 1500)
    return Result(
        symmetry=kind.name,
        dimension=count,
        names=surrogate.names,
        domain=surrogate.domain,
        fields=fields,
        directions=directions,
        ladder=found.rows,
        algebra=replace(find_algebra(fields, cloud.points, cloud.weights), error=error),
        surrogate=surrogate,
        flags=(*_flags(kind, surrogate, found, count), *warnings),
        bound=None,
        gap=_gap(found, count),
        closed_forms=formulas,
        refit=refitted,
        law_dimension=law,
    )


def _formulas(
    kind: Kind, surrogate: Surrogate | Any, fields: Fields, error: float, turns: Turns | None
) -> tuple[Fields, tuple[Formula, ...]]:
    """The span in a basis with closed forms, where the data are good enough to tell."""
    equations = kind.equations(surrogate.dimension, surrogate.noise)
    return find_formulas(fields, equations, None, surrogate.names, error, turns)


def _span_error(found: Search, count: int) -> float:
    """Angle by which noise may turn the span, roughly: noise of the symmetries over the residual of what is none.

    Shifts taken as exact do not turn, and near-symmetries are told apart by the joint test, not by their size.
    """
    noise = max((row.noise for row in found.rows[found.exact : count]), default=0.0)
    beyond = next((row.residual for row in found.rows[count:] if row.verdict == "no"), 1.0)
    return max(LEAST_ERROR, noise / max(beyond, noise, LEAST_ERROR))


def _gap(found: Search, count: int) -> float:
    """Residual of the first direction left out over that of the last one taken, or over its noise if that is larger."""
    if count >= len(found.rows):
        return math.inf
    taken = max((max(row.residual, row.noise) for row in found.rows[:count]), default=0.0)
    return found.rows[count].residual / taken if taken > 0 else math.inf


def dimension_flag(found: Search, dimension: int | None) -> Iterable[Flag]:
    """A given number of generators that is not the number that the data support."""
    supported = sum(row.verdict == "symmetry" for row in found.rows)
    if dimension is not None and dimension != supported:
        yield Flag(
            "given-dimension",
            f"The dimension was given as {dimension}; the data support {supported} "
            f"{'symmetry' if supported == 1 else 'symmetries'}.",
            "Leave the dimension out, or read the verdicts of the ladder before relying on these generators.",
        )


def _flags(kind: Kind, surrogate: Surrogate | Any, found: Search, count: int) -> Iterable[Flag]:
    """What the reader should know about the answer; what there is to say about the data comes from elsewhere."""
    if kind is ITO and surrogate.noise > 1:
        yield Flag(
            "gauge",
            "Trajectories determine σσᵀ only; this Itô answer is for the lower triangular σ with the coordinates in "
            f"the order {', '.join(surrogate.names)}.",
            'Ask for symmetry="law" if the choice of σ should not matter.',
        )
    still = [name for name, noisy in zip(surrogate.names, surrogate.noisy, strict=True) if not noisy]
    if still:
        yield Flag(
            "noiseless",
            f"There is no noise in {', '.join(still)} itself; the diffusion there was set to zero.",
            "Check that this is a property of the system and not of the recording.",
        )
    if found.count == len(found.rows) and surrogate.noise < surrogate.dimension:
        yield Flag(
            "all-directions",
            f"Each of the {found.count} directions that were looked at is a symmetry as far as these data tell; there "
            "may be more, and some may be near-symmetries.",
            "Ask for a smaller tolerance, or record more paths, and see how many are left.",
        )
    undecided = sum(row.verdict == "undecided" for row in found.rows)
    if undecided and count == found.count:
        yield Flag(
            "undecided",
            f"For {undecided} further {'direction' if undecided == 1 else 'directions'} the data do not tell whether "
            "the residual is zero, or not even whether it is below the tolerance.",
            remedy(surrogate.overview, "Record more paths, or longer ones."),
        )


def _silent(message: str) -> None:
    """Progress nobody asked for."""
