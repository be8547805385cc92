"""`lsn.test`: is this a symmetry of my data? A likelihood-ratio test of given generators, with the size of the misfit.

Imposing DX = 0 on the estimated coefficients costs likelihood; a large cost rejects X. The tested coefficients are
estimated without shrinkage (`surrogate/least_squares.py`) and the deviance is compared with that of data drawn where X
is exact (`validation/bartlett.py`), so that the p-value is close to uniform there; the residual is that of the ladder
(docs/method.md §7.1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, overload

import numpy as np
from jaxtyping import Int

from liestonet.core.flags import Flag
from liestonet.core.generators import Generators, Lifted
from liestonet.core.p_values import p_clause
from liestonet.core.points import PointCloud
from liestonet.core.threads import few_threads
from liestonet.core.tuning import by_dimension
from liestonet.diagnostics.report import data_flags
from liestonet.errors import InputError
from liestonet.inference.clock import ClockFound
from liestonet.inference.refit import refit_with_symmetries
from liestonet.pipeline.discover import discover
from liestonet.result import Result
from liestonet.sde.sde import SDE
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, ITO, LAW, SPOKEN, Kind, kind_from_data
from liestonet.symmetry.statistical.elimination import gather
from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import generator_basis, mixed_cloud
from liestonet.symmetry.statistical.span_covariance import Turns, turns_of
from liestonet.symmetry.statistical.tuning import SEARCH
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories import Trajectories
from liestonet.trajectories.clock import RESTART
from liestonet.trajectories.increments import in_memory
from liestonet.trajectories.measurement import Measurement, marked
from liestonet.trajectories.reshaping import OVERLAP
from liestonet.trajectories.velocities import positions_among
from liestonet.validation.bartlett import NullLaw
from liestonet.validation.clocked import Clocked, on_clock
from liestonet.validation.exact_test import EquationTest, claim_on_equation, require_law
from liestonet.validation.formulas import Formulas, prolonged
from liestonet.validation.generator_input import read_generators
from liestonet.validation.generator_residuals import GivenResiduals, put_in
from liestonet.validation.lack_of_fit import DOUBTFUL
from liestonet.validation.maps.map_input import is_map
from liestonet.validation.maps.map_test import MapTest, map_on_data
from liestonet.validation.maps.point_map import PointMap
from liestonet.validation.null_model import stream
from liestonet.validation.ratio import Clouds, Ratio, data_cloud, likelihood_ratio
from liestonet.validation.smoothness import ORDER, regular
from liestonet.validation.tuning import RATIO
from liestonet.validation.written import claimed, deviance_text, percent, percent_range


@dataclass(frozen=True)
class GeneratorRow:
    """One generator alone: relative residual with an interval, and the p-value of a residual of zero.

    The interval misses the true residual with the test's `error_rate`.
    """

    generator: str
    residual: float
    lower: float
    upper: float
    p_value: float


@dataclass(frozen=True)
class SymmetryTest:
    """The result of testing given generators, all together, as symmetries of the law of data.

    `deviance` is twice the log likelihood lost by imposing them, `dof` the number of conditions imposed, `expected` the
    mean deviance if they are exact (`dof` in large data; None in files that did not keep it), and `p_value` the
    probability of at least that deviance in that case. `residual`, `lower` and `upper` are of the worst generator.
    `turning` says that the generators came from data themselves, so that their own errors count beside those of the
    coefficients (where they are not known, the generators are free to turn); `held_out` tells which part of the data
    was kept for the test, None where all of it was. `doubts` are problems with the data; with any, all else is
    conditional. `uncorrected` says why `expected` could not be found where it was wanted. `error_rate` is the level of
    the test and the chance of an interval to miss, the same that a result was found with. `clock` is the one that the
    data were on; where it restarts, ∂t is tested against the date.
    """

    symmetry: str
    p_value: float
    deviance: float
    dof: float | int
    residual: float
    lower: float
    upper: float
    rows: tuple[GeneratorRow, ...]
    increments: int
    turning: bool = False
    held_out: str | None = None
    doubts: tuple[Flag, ...] = ()
    error_rate: float = Criteria().error_rate
    expected: float | None = None
    uncorrected: str | None = None
    clock: ClockFound | None = None

    @property
    def rejected(self) -> bool:
        """Whether the test rejects that all the generators are exact symmetries."""
        return self.p_value <= self.error_rate

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def _clock(self) -> str | None:
        """The clock in words; empty for the recorded one."""
        if self.clock is None or self.clock.window is None or self.clock.p_value is None:
            return None
        every = f"The clock restarts every {self.clock.window:.4g}"
        return f"{every}; that the law does not depend on the date beyond that has {p_clause(self.clock.p_value)}."

    def sentences(self) -> list[str]:
        """The outcome in words, the verdict first."""
        what = claimed(SPOKEN[self.symmetry], len(self.rows) > 1)
        doubt = self.doubts[0].code if self.doubts else ""
        start = f"Provided that the data are a diffusion, which is in doubt ({doubt}): the" if doubt else "The"
        said = "rejects" if self.rejected else "does not reject"
        ratio = f"{deviance_text(self.deviance, self.dof, self.expected)}; "
        by_date = self.clock is not None and not self.dof  # on a clock that restarts, imposing ∂t costs nothing
        name, costs = ("test against the date", "") if by_date else ("likelihood-ratio test", ratio)
        lines = [f"{start} {name} {said} {what} ({p_clause(self.p_value)}; {costs}{self.increments:,} increments)."]
        confidence = f"{100 * (1 - self.error_rate):g} %"
        lines += [
            f"{row.generator}: residual {percent(row.residual)}, {confidence} interval "
            f"{percent_range(row.lower, row.upper)}, {p_clause(row.p_value)}"
            for row in self.rows
        ]
        notes = [note for note in (self.uncorrected, self.held_out, self._clock()) if note]
        return [*lines, *notes, *(flag.message for flag in self.doubts)]


# Text may be a map or generators, which types cannot tell; the linter takes this function for a test.
@overload
def test(  # pyright: ignore[reportOverlappingOverload]
    data: SDE,
    generators: Any,
    symmetry: Any = ...,  # noqa: PT028
    *,
    seed: Any = ...,  # noqa: PT028
    measurement: Any = ...,  # noqa: PT028
    clock: Any = ...,  # noqa: PT028
    found_on_these: Any = ...,  # noqa: PT028
    domain: Any = ...,  # noqa: PT028
) -> EquationTest: ...
@overload
def test(
    data: Trajectories,
    generators: tuple[Callable[..., Any], Callable[..., Any]] | PointMap,
    symmetry: Any = ...,  # noqa: PT028
    *,
    seed: Any = ...,  # noqa: PT028
    measurement: Any = ...,  # noqa: PT028
    clock: Any = ...,  # noqa: PT028
    found_on_these: Any = ...,  # noqa: PT028
    domain: Any = ...,  # noqa: PT028
) -> MapTest: ...
@overload
def test(
    data: Trajectories,
    generators: str,
    symmetry: Any = ...,  # noqa: PT028
    *,
    seed: Any = ...,  # noqa: PT028
    measurement: Any = ...,  # noqa: PT028
    clock: Any = ...,  # noqa: PT028
    found_on_these: Any = ...,  # noqa: PT028
    domain: Any = ...,  # noqa: PT028
) -> Any: ...
@overload
def test(
    data: Any,
    generators: Any,
    symmetry: Any = ...,  # noqa: PT028
    *,
    seed: Any = ...,  # noqa: PT028
    measurement: Any = ...,  # noqa: PT028
    clock: Any = ...,  # noqa: PT028
    found_on_these: Any = ...,  # noqa: PT028
    domain: Any = ...,  # noqa: PT028
) -> SymmetryTest: ...
@few_threads
def test(
    data: Trajectories | Any,
    generators: Any,
    symmetry: str | Kind | Any = None,  # noqa: PT028
    *,
    seed: int | Any = 0,  # noqa: PT028
    measurement: Measurement | Any | None = None,  # noqa: PT028
    clock: str | float | Any = "auto",  # noqa: PT028
    found_on_these: bool | Int[np.ndarray, " paths"] | None = None,  # noqa: PT028
    domain: Any = None,  # noqa: PT028
) -> SymmetryTest | MapTest | EquationTest:
    """Is this map, or are these generators together, a symmetry of my data or of my equation?

    For data this is a likelihood-ratio test. An equation (an `SDE`) gets a proof, or a point where it fails; `domain`
    is the box for it, as in `solve`. Maps are text such as "x, y -> -y, x" or "t, x -> t + 1, -x", or a callable with
    its Jacobian; they are symmetries of the law.

    `generators` are text such as "2 t d_t + x d_x" (several separated by semicolons), SymPy rows (tau, [xi, …]), a
    result, or any callable with the signature of `result.generators`. `symmetry` is "ito", "law" or "fokker-planck";
    without one it is the result's own, "fokker-planck" where u d_u occurs, and else "law", because data determine
    nothing more. A result that was found on the same data is found again on half of the paths (split by `seed`) and
    tested on the other half. Set `found_on_these` where this cannot be recognised, for instance for a part of the
    recorded data: to True, or to an array with the recorded path that each path is a piece of, so that recorded paths
    are not split. The error rate is that of the result, for other generators 5 %. `clock` is as in `discover`; "auto"
    is the clock of a result, else what suits the data. Where it restarts, ∂t is tested against the date. `measurement`
    is as in `discover`.
    """
    if isinstance(data, SDE):
        return claim_on_equation(data, generators, symmetry, domain)
    data = in_memory(data)
    if not isinstance(data, Trajectories):
        raise InputError(
            f"test takes Trajectories or an SDE, not a {type(data).__name__}; make them with Trajectories.read or "
            "SDE.parse."
        )
    if domain is not None:
        raise InputError("A domain is for an equation; the box of data is computed from them. Leave domain out.")
    if is_map(generators):
        require_law(symmetry)
        return map_on_data(data, generators, seed=seed, measurement=measurement, clock=clock)
    return generators_on_data(data, generators, symmetry, seed, measurement, clock, found_on_these)


def generators_on_data(
    data: Trajectories,
    generators: Any,
    symmetry: Any = None,
    seed: Any = 0,
    measurement: Measurement | Any | None = None,
    clock: Any = "auto",
    found_on_these: bool | Int[np.ndarray, " paths"] | None = None,
) -> SymmetryTest:
    """The likelihood-ratio test of generators on data."""
    data = measured_like(generators, data, measurement)
    held_out, twice = None, OVERLAP if OVERLAP in data.notes else None
    criteria = criteria_of(generators)
    again = same_data(generators, data) if found_on_these is None else found_on_these is not False
    clocked = on_clock(data, clock, generators)
    tried = clocked.paths if clocked.restarted else None
    if isinstance(generators, Result) and again:
        pieces = found_on_these if isinstance(found_on_these, np.ndarray) else None
        if clocked.restarted:
            generators, tried, held_out = _found_again(generators, clocked, seed, clocked.blocks())
        else:
            generators, tried, held_out = _found_again(generators, clocked, seed, pieces)
    surrogate = fit_spectral(clocked.source(tried))
    given = read_generators(generators, surrogate.names, surrogate.domain)
    if surrogate.from_positions and isinstance(given, Formulas):
        given = prolonged(given)
    kind = _kind(symmetry, generators, given)
    given = _of_paths(kind, given)
    if kind is FOKKER_PLANCK and not given.has_beta:
        smooth = regular(given, surrogate.domain, ORDER + 1) if isinstance(given, Formulas) else given
        given = Lifted(smooth, surrogate.dimension)
    turning = isinstance(generators, Result) and generators.estimated is not None
    names = _labels(generators, given)
    turns = _turns(kind, generators) if turning and isinstance(given, Fields) else None
    told = " ".join(note for note in (held_out, twice) if note) or None
    claim = _Claim(kind, given, names, turning, turns, criteria.error_rate)
    outcome = _tested(claim, data if tried is None else tried, surrogate, told)
    return _dated(outcome, clocked.tested(kind, criteria), claim, surrogate)


def measured_like(result: Any, data: Trajectories, measurement: Measurement | Any | None) -> Trajectories:
    """Data with a measurement: the given one, else their own, or that of a result on positions alone."""
    own = result.estimated if isinstance(result, Result) else None
    if measurement is None and own is not None and own.data.measurement.order == 2:
        measurement = own.data.measurement if data.names == positions_among(result.names) else None
    return marked(data, measurement)


@dataclass(frozen=True)
class _Claim:
    """The claim that generators are symmetries of a kind; if found on data (`turning`), with their errors `turns`."""

    kind: Kind
    given: Generators
    names: list[str]
    turning: bool
    turns: Turns | None
    error_rate: float


def _tested(claimed: _Claim, data: Trajectories, surrogate: Surrogate, held_out: str | None) -> SymmetryTest:
    """The test of generators: the deviance of imposing them, its null law, and the size of the residuals."""
    kind, given, turns = claimed.kind, claimed.given, claimed.turns
    if claimed.turning and (turns is None or not surrogate.errors.complete):
        evidence, deviance, dof = _free_to_turn(kind, surrogate, given)
        costs = [(deviance, dof), *(_alone(evidence, k).deviance() for k in range(given.count))]
        ratio = Ratio(evidence, evidence, costs, [NullLaw()] * len(costs))
    else:
        # with one noise Itô and law claim the same, and the law's equations are linear in what is estimated
        claim = LAW if kind is ITO and surrogate.noise <= 1 else kind
        put, put_claim = (partial(_put_in, each, given, turns) for each in (kind, claim))
        cloud = mixed_cloud(surrogate.domain, surrogate.overview.points, RATIO.measured_points)
        ratio = likelihood_ratio(put, put_claim, data, surrogate, Clouds(cloud, data_cloud))
    deviance, dof = ratio.costs[0]
    evidence, laws = ratio.evidence, ratio.laws
    joint, *singles = ratio.p_values()
    ends = [ratio.interval(k, 1 - claimed.error_rate) for k in range(given.count)]
    rows = tuple(
        GeneratorRow(claimed.names[k], evidence.residual(k), *ends[k], p_value) for k, p_value in enumerate(singles)
    )
    worst = max(rows, key=lambda row: row.residual)
    doubts = tuple(flag for flag in data_flags(surrogate) if flag.code in DOUBTFUL)
    return SymmetryTest(
        symmetry=kind.name,
        p_value=joint,
        deviance=deviance,
        dof=dof,
        residual=worst.residual,
        lower=worst.lower,
        upper=worst.upper,
        rows=rows,
        increments=surrogate.overview.count,
        turning=claimed.turning,
        held_out=held_out,
        doubts=doubts,
        error_rate=claimed.error_rate,
        expected=laws[0].mean * dof,
        uncorrected=laws[0].note,
    )


def _dated(outcome: SymmetryTest, clocked: Clocked, claimed: _Claim, surrogate: Surrogate) -> SymmetryTest:
    """The outcome with the test against the date, which tests ∂t on a clock that restarts."""
    date, clock = clocked.clock.date, clocked.clock
    if date is None:
        return outcome
    outcome = replace(outcome, clock=clock, doubts=(*clocked.doubts(), *outcome.doubts))
    points = surrogate.overview.points[: RATIO.measured_points]
    tau, xi, *rest = claimed.given(points[:, 0], points[:, 1:])
    domain, size = surrogate.domain, np.abs(tau).max(axis=1) / surrogate.domain.half[0]
    others = [np.ptp(tau, axis=1) / domain.half[0], *np.abs(xi / domain.half[1:]).max(axis=1).T]
    others += [np.abs(part).max(axis=1) for part in rest]
    shift = np.all([part <= RATIO.constant * size for part in others], axis=0) & (size > 0)
    if clock.kind != RESTART or not shift.any():
        return outcome
    row = date.row
    rows = tuple(
        replace(one, residual=row.residual, lower=row.lower, upper=row.upper, p_value=row.p_value) if own else one
        for one, own in zip(outcome.rows, shift.tolist(), strict=True)
    )
    worst = max(rows, key=lambda one: one.residual)
    together = date.p_value if shift.all() else min(1.0, 2 * min(outcome.p_value, date.p_value))
    ends = {"residual": worst.residual, "lower": worst.lower, "upper": worst.upper}
    return replace(outcome, p_value=together, rows=rows, **ends)


def _kind(symmetry: Any, generators: Any, given: Generators) -> Kind:
    if symmetry is not None:
        return kind_from_data(symmetry)
    if isinstance(generators, Result):
        return kind_from_data(generators.symmetry)
    return FOKKER_PLANCK if given.has_beta else LAW


def _of_paths(kind: Kind, given: Generators) -> Generators:
    """Generators without a zero β; a non-zero β is refused for kinds that concern paths, not their density."""
    if kind is FOKKER_PLANCK or not given.has_beta:
        return given
    if isinstance(given, Formulas) and all(row[-1] == 0 for row in given.rows):
        return Formulas(given.variables, tuple(row[:-1] for row in given.rows))
    raise InputError(
        f"A generator with u d_u acts on the density, and {kind.name} symmetries do not act on the density; test it as "
        "fokker-planck, or leave u d_u out."
    )


def criteria_of(result: Any) -> Criteria:
    """The criteria of a result from data; for anything else the default ones."""
    found = result.estimated if isinstance(result, Result) else None
    return Criteria() if found is None else found.criteria


def same_data(result: Any, data: Trajectories) -> bool:
    """Whether a result came from these very data."""
    return isinstance(result, Result) and result.estimated is not None and result.estimated.data.digest == data.digest


def _found_again(
    result: Result, clocked: Clocked, seed: Any, pieces: Int[np.ndarray, " paths"] | None
) -> tuple[Result, Trajectories, str]:
    """The result of the same search on half of the paths, the other half for the test, and a sentence on the split."""
    data = clocked.paths
    if len(data) < 2:
        raise InputError(
            "The generators were found on this single path, so no data are left to test them on; cut it into windows "
            "before discovering, data.windows(n), or record another."
        )
    first, second, parts = _halved(data, seed, pieces, "blocks of the recording" if clocked.restarted else "paths")
    if not isinstance(result.dimension, int) or not result.dimension:
        raise InputError("The result has no generators, so there is nothing to test; give a generator as text.")
    asked = criteria_of(result)
    again = discover(
        clocked.source(first),
        symmetry=result.symmetry,
        dimension=result.dimension,
        tolerance=asked.tolerance,
        error_rate=asked.error_rate,
        formulas=False,
    )
    told = f"The generators came from the same data, so they were estimated again on {parts}"
    few = " These paths alone support fewer symmetries, so the generators were free to rotate."
    return again, second, told if _supported(again) else told + few


def _halved(
    data: Trajectories, seed: Any, pieces: Int[np.ndarray, " paths"] | None, called: str = "paths"
) -> tuple[Trajectories, Trajectories, str]:
    """Two halves of the recorded paths, and their description."""
    recorded = np.zeros(0) if pieces is None else np.unique(pieces)
    if pieces is None or len(recorded) < 2:
        first, second = data.split(RATIO.held_out, seed)
        what = "paths" if pieces is None else "increments"
        told = f"{len(first):,} of {len(data):,} {what} and tested on the other {len(second):,}"
        near = "; neighbours on the one path are in both halves, so the p-value is too large: validate on other data"
        return first, second, f"{told}{'' if pieces is None else near}."
    drawn = stream(seed, "halves").permutation(recorded)[: max(1, round(RATIO.held_out * len(recorded)))]
    chosen = np.isin(pieces, drawn)
    first, second = data.take(np.flatnonzero(chosen)), data.take(np.flatnonzero(~chosen))
    kept = "" if called != "paths" else f" ({len(first):,} of {len(data):,} increments that were kept)"
    told = f"{len(drawn):,} of {len(recorded):,} {called}{kept} and tested on the other {len(recorded) - len(drawn):,}."
    return first, second, told


def _labels(generators: Any, given: Generators) -> list[str]:
    """The name of each generator in the outcome."""
    from liestonet.formulas.notation import field_text

    if isinstance(given, Formulas):
        return [str(Formulas(given.variables, (row,))) for row in given.rows]
    if isinstance(generators, Result) and len(generators.closed_forms) == given.count:
        named = [form for form in generators.closed_forms if form.status != "numerical"]
        if len(named) == given.count:
            return [field_text(form, generators.names) for form in named]
    return [f"X{k + 1}" for k in range(given.count)]


def _put_in(
    kind: Kind, given: Generators, turns: Turns | None, surrogate: Surrogate, cloud: PointCloud
) -> GivenResiduals:
    """Residuals of generators, and their changes by errors; fields found on data have errors of their own."""
    if turns is None or not isinstance(given, Fields):
        return put_in(kind, surrogate, given, cloud, surrogate.domain)
    return _with_turns(kind, surrogate, cloud, given, turns)


def _free_to_turn(kind: Kind, surrogate: Surrogate, given: Generators) -> tuple[Evidence, float, float | int]:
    """Evidence on generators whose errors are not known, with the deviance of imposing them and degrees of freedom.

    What a change of the generators absorbs is no evidence against them. They may have far to turn, so they are turned
    and the coefficients refitted until both converge; where not all errors are known, once. The p-value comes out too
    large rather than too small.
    """
    n, domain = surrogate.dimension, surrogate.domain
    level = by_dimension(SEARCH.levels, n)[0]
    plain = given.basis.domain.singular if isinstance(given, Fields) else None
    domain = domain if plain is not None else type(domain)(domain.intervals, periodic=domain.periodic)
    operator = NoisyOperator(
        kind,
        surrogate,
        generator_basis(kind, n, surrogate.noise, domain, level),
        mixed_cloud(domain, surrogate.overview.points, RATIO.measured_points),
    )
    vectors = _coefficients(operator, given)
    if surrogate.errors.complete:

        def operator_of(changed: Surrogate) -> NoisyOperator:
            return NoisyOperator(kind, changed, operator.basis, operator.cloud)

        imposed = refit_with_symmetries(surrogate, operator_of, operator, vectors).refit
        if imposed.converged:
            return gather(operator, imposed.vectors), imposed.deviance, imposed.degrees_of_freedom
        vectors = imposed.vectors
    evidence = gather(operator, vectors)
    return evidence, *evidence.deviance()


def _with_turns(kind: Kind, surrogate: Surrogate, cloud: PointCloud, fields: Fields, turns: Turns) -> GivenResiduals:
    """Residuals of fields found on data, with their own errors in addition to those of the coefficients.

    The equations are linear in the generators, so a turn of one standard deviation changes them by a difference.
    """
    count, moved = fields.count, [fields.coefficients + RATIO.small_turn * turn for turn in turns]
    stacked = Fields(fields.basis, np.concatenate([fields.coefficients, *moved], axis=1), fields.has_beta)
    found = put_in(kind, surrogate, stacked, cloud, surrogate.domain)
    residuals = found.residual.reshape(len(turns) + 1, count, -1)
    turned = np.moveaxis(residuals[1:] - residuals[0], 0, 2) / RATIO.small_turn
    changes = np.concatenate([found.changes[:count], turned], axis=2)
    return GivenResiduals(residuals[0], changes, found.scattered, found.complete)


def _turns(kind: Kind, result: Result) -> Turns | None:
    """Uncorrelated errors of a result's generators, one standard deviation each, as coefficients in their basis.

    None where not all errors of their coefficients are known, or where these are not small: the generators could not be
    imposed, or their data do not support that many.
    """
    refit = None if result.estimated is None else result.estimated.refit
    if not _supported(result) or refit is None or not isinstance(refit.surrogate, Surrogate):
        return None
    source = refit.surrogate
    if not refit.converged or not source.errors.complete:
        return None
    cloud = mixed_cloud(source.domain, source.overview.points, RATIO.measured_points)
    operator = NoisyOperator(kind, source, result.fields.basis, cloud)
    vectors, mixing = np.linalg.qr(np.linalg.solve(operator.whitening, result.fields.coefficients))
    return turns_of(operator, vectors) @ mixing


def _supported(result: Result) -> bool:
    """Whether each generator has the verdict "symmetry" on the data it was found on."""
    return all(row.verdict == "symmetry" for row in result.ladder[: result.fields.count])


def _coefficients(operator: NoisyOperator, given: Generators) -> np.ndarray:
    """Generators as orthonormal vectors in an operator's basis, by least squares on its cloud."""
    values = given.components(operator.cloud.points, [()])[()]
    columns = []
    for unknown in range(len(operator.table.unknowns)):
        functions = operator.functions((unknown, ()))
        columns.append(np.linalg.lstsq(functions, values[:, :, unknown].T, rcond=1e-10)[0])
    return np.linalg.qr(np.linalg.solve(operator.whitening, np.concatenate(columns)))[0]


def _alone(evidence: Evidence, k: int) -> Evidence:
    """The evidence on one of the directions alone."""
    one = slice(k, k + 1)
    return Evidence(
        evidence.vectors[:, one],
        evidence.residual_gram[one, one],
        evidence.noise[one],
        evidence.mutual[one, one],
        evidence.cross[:, one],
        evidence.turn,
        evidence.scattered,
        evidence.complete,
    )
