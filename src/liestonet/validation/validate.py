"""`lsn.validate`: every check of a result on data, in one value, the verdict first.

First whether the data are a diffusion at all; then whether the generators are symmetries of it, by likelihood, by
finite pushes and by refits after a push; and how much an error of the surrogate would matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.generators import Generators, Normalised
from liestonet.core.numbers import is_whole
from liestonet.core.p_values import p_clause
from liestonet.core.points import lattice_cloud
from liestonet.core.progress import Progress, silent
from liestonet.core.threads import few_threads
from liestonet.errors import InputError
from liestonet.pipeline.discover import discover
from liestonet.result import Result
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK, ITO, LAW, SPOKEN, Kind, kind_named
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories import Trajectories
from liestonet.trajectories.increments import in_memory
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.velocities import state_names
from liestonet.validation.after_push import AfterPushRow, after_push
from liestonet.validation.clocked import on_clock
from liestonet.validation.containment import containment_angles
from liestonet.validation.generator_input import read_generators
from liestonet.validation.lack_of_fit import LackOfFit, lack_of_fit
from liestonet.validation.null_model import as_pairs
from liestonet.validation.push_test import Invariance, fewest_draws, invariance
from liestonet.validation.ratio_test import SymmetryTest, criteria_of, generators_on_data, measured_like, same_data
from liestonet.validation.sensitivity import SensitivityRow, sensitivity
from liestonet.validation.tuning import AFTER_PUSH, GATES, PUSH


@dataclass(frozen=True)
class Containment:
    """Angles in degrees between the generators and the Fokker–Planck span, (τ, ξ) only, and the test of their lift.

    `lift_p_value` is that of β = −div ξ as a Fokker–Planck symmetry of the data. With `same_data` the generators were
    found on these very data and nothing was held out, so this p-value is too large; None in files that do not store it.
    """

    angles: Float[np.ndarray, " m"]
    lift_p_value: float
    same_data: bool | None = None

    @property
    def lift(self) -> str:
        """The lift's p-value in words."""
        told = " (too large: the generators were found on these data, and none are held out)" if self.same_data else ""
        return (
            f"lift β = −div ξ: {p_clause(self.lift_p_value)}{told}. If it holds, X ↦ X − (div ξ) u∂u maps these "
            "symmetries one to one onto Fokker–Planck symmetries and preserves brackets"
        )


@dataclass(frozen=True)
class Validation:
    """The outcome of all checks of a result.

    `conditional` says that a gate failed: everything else then holds only if the data are a diffusion. `lengths` are
    the generators' sizes in units of the box; pushes are by ε divided by these. `error_rate` is the probability that a
    check contradicts exact generators, the same that the result was found with.
    """

    generators: tuple[str, ...]
    symmetry: str
    gates: LackOfFit
    test: SymmetryTest | None
    invariance: Invariance | None
    after_push: tuple[AfterPushRow, ...]
    sensitivity: tuple[SensitivityRow, ...]
    containment: Containment | None
    lengths: Float[np.ndarray, " m"]
    increments: int
    error_rate: float = Criteria().error_rate

    @property
    def conditional(self) -> bool:
        return not self.gates.passed

    @property
    def contradicted(self) -> bool:
        """Whether a check rejects the generators."""
        pushed = () if self.invariance is None else self.invariance.p_values
        rejected = any(p_value <= self.error_rate / len(pushed) for p_value in pushed)
        return rejected or (self.test is not None and self.test.rejected)

    def sentences(self) -> list[str]:
        """The verdict, then one line per check."""
        count = len(self.generators)
        what = f"{count} {'generator' if count == 1 else 'generators'}"
        if not count:
            return [self._started("there are no generators to validate."), *self._about_the_data()]
        found = "a check rejects" if self.contradicted else "no check rejects"
        claim = f"{found} the {what} ({SPOKEN[self.symmetry]})."
        lines = [self._started(claim), *self._about_the_data()]
        if self.test is not None:
            lines += self.test.sentences()
        if self.invariance is not None:
            level, found = self.invariance.level, self.invariance.largest
            lines += [_reach(name, *ends, level) for name, ends in zip(self.generators, found, strict=True)]
        return list(dict.fromkeys(lines))  # the test may share its doubts with the gates

    def _about_the_data(self) -> tuple[str, ...]:
        """Which gates failed and which could not be tested."""
        return *self.gates.reasons, *self.gates.untested

    def _started(self, claim: str) -> str:
        if self.conditional:
            failed = [gate.name for gate in self.gates.gates if not gate.passed]
            failed += [flag.code for flag in self.gates.doubts]
            return f"Provided that the data are a diffusion, which is in doubt ({', '.join(failed)}): {claim}"
        return claim[0].upper() + claim[1:]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


@few_threads
def validate(
    result: Result | Any,
    data: Trajectories | Any = None,
    *,
    epsilons: Sequence[float] | Any = PUSH.epsilons,
    draws: int | None = None,
    seed: int = 0,
    measurement: Measurement | Any | None = None,
    clock: str | float | Any = "auto",
    progress: Progress | None = None,
) -> Validation:
    """Run all checks of a result on data; without data, on the increments that the result kept.

    `epsilons` are how far the data are pushed, as fractions of the box; `draws` is the largest number of bootstrap
    samples behind the p-values of pushed data, by default enough to reject any of m generators at the error rate over
    m: 20 for each at 5 %, but at least 39. The error rate is that of the result; of an equation, or of generators
    alone, 5 %. `measurement` and `clock` are as in `discover`; "auto" is the clock of a result from data.
    """
    say = progress or silent
    criteria = criteria_of(result)
    error_rate = criteria.error_rate
    fewest = fewest_draws(error_rate)
    if draws is not None and (not is_whole(draws) or draws < fewest):
        raise InputError(
            f"With {draws!r} draws no p-value can fall to {_percent(error_rate)}; give at least {fewest:,}."
        )
    if data is None and _series(result).from_positions:
        raise InputError(
            "This result came from positions alone, and velocities need more of a path than the increments that it "
            "kept; give the recording: validate(result, data), or --data."
        )
    recorded = measured_like(result, _paths(result, data), measurement)
    _require_same_coordinates(result, recorded)
    # increments that a result kept have the times of its clock
    clocked = on_clock(recorded, "recorded" if data is None else clock, result)
    paths = clocked.paths
    say("fitting drift and diffusion")
    surrogate = fit_spectral(clocked.source())
    say("testing for a diffusion")
    clocked = clocked.tested(kind_named(getattr(result, "symmetry", None) or "law"), criteria)
    known = clocked.doubts()
    gates = lack_of_fit(paths, surrogate, known) if data is not None else _own_gates(result, paths)
    empty = isinstance(result, Result) and not result.fields.count
    if empty:
        nothing = np.zeros(0), surrogate.overview.count, error_rate
        return Validation((), result.symmetry, gates, None, None, (), (), None, *nothing)
    given = read_generators(result, surrogate.names, surrogate.domain)
    kind = kind_named(getattr(result, "symmetry", None) or ("fokker-planck" if given.has_beta else "law"))
    say("likelihood ratio")
    if data is None:
        tested = _own_test(result, paths, kind, gates, seed)
    else:
        tested = generators_on_data(recorded, result, kind, seed=seed, clock=clock)
    lengths = _lengths(given, surrogate)
    unit = _unit(given, lengths)
    pushed, refits, whole = None, (), not surrogate.from_positions
    if whole:
        pushed = invariance(
            paths,
            unit,
            epsilons,
            kind=kind,
            surrogate=surrogate,
            draws=draws,
            seed=seed,
            error_rate=error_rate,
            progress=progress,
        )
        refits = _refits(paths, unit, seed, progress)
    say("perturbing the surrogate")
    series = result.fields if isinstance(result, Result) else given  # the span is sought anew in their basis
    fields = series if isinstance(series, Fields) else None
    changed = () if fields is None else sensitivity(surrogate, fields, kind)
    say("Fokker–Planck")
    same = data is None or same_data(result, recorded)
    contained = _containment(paths, given, surrogate, criteria, seed, same) if whole and kind in (ITO, LAW) else None
    return Validation(
        generators=tuple(row.generator for row in tested.rows),
        symmetry=kind.name,
        gates=gates,
        test=tested,
        invariance=pushed,
        after_push=refits,
        sensitivity=changed,
        containment=contained,
        lengths=lengths,
        increments=surrogate.overview.count,
        error_rate=error_rate,
    )


def _own_gates(result: Result, kept: Trajectories) -> LackOfFit:
    """Gates of the data that a result came from, tested on its own fit, which kept consecutive steps, with its earlier
    doubts. The kept increments, each a path of its own, could not show memory."""
    own = _series(result)
    return lack_of_fit(kept, own, known=result.flags, pieces=own.overview.sample.trajectory)


def _own_test(result: Result, kept: Trajectories, kind: Kind, gates: LackOfFit, seed: int) -> SymmetryTest:
    """The test on the increments that a result kept of its data, split by the paths they come from."""
    own = _series(result)
    if own.noisy.all():
        pieces = own.overview.sample.trajectory
        found = generators_on_data(kept, result, kind, seed=seed, found_on_these=pieces, clock="recorded")
        return replace(found, doubts=gates.doubts)
    # single increments do not tell which coordinates are without noise, so a search on half of them would go wrong
    told = (
        "The generators were found on the same increments, none held out, so the p-value is too large: validate on "
        "other data."
    )
    return replace(
        generators_on_data(kept, result, kind, seed=seed, clock="recorded"), doubts=gates.doubts, held_out=told
    )


def _unit(given: Generators, lengths: Float[np.ndarray, " m"]) -> Generators:
    """Generators scaled to unit length; fields stay fields, which can be evaluated one at a time."""
    if isinstance(given, Fields) and not given.has_beta:
        return given.mixed(np.diag(1 / lengths))
    return Normalised(given, lengths)


def _refits(paths: Trajectories, unit: Generators, seed: int, progress: Progress | None) -> tuple[AfterPushRow, ...]:
    """Refits after a push; none where half of the data are too few to fit."""
    try:
        return after_push(paths, unit, AFTER_PUSH.short_epsilons, seed=seed, progress=progress)
    except InputError:
        return ()


def _require_same_coordinates(result: Any, paths: Trajectories) -> None:
    """Refuse data with other coordinates than the result's; in another order the generators would be others."""
    known = tuple(getattr(result, "names", paths.names))
    names = state_names(paths.names) if paths.measurement.order == 2 else tuple(paths.names)
    if known != names:
        raise InputError(
            f"The result is about the coordinates {', '.join(known)}, and the data have {', '.join(names)}; name "
            "the columns in the result's order, or rename them."
        )


def _paths(result: Any, data: Any) -> Trajectories:
    data = in_memory(data)
    if isinstance(data, Trajectories):
        return data
    if data is not None:
        raise InputError(f"validate takes Trajectories, not a {type(data).__name__}; make them with Trajectories.read.")
    surrogate = _series(result)
    return as_pairs(surrogate.overview.sample, surrogate.names, surrogate.domain)


def _series(result: Any) -> Surrogate:
    """The surrogate that was estimated from a result's own data."""
    surrogate = getattr(result, "surrogate", None)
    if not isinstance(surrogate, Surrogate):
        raise InputError(
            "This result did not come from data, so there is nothing to validate it on; give trajectories."
        )
    return surrogate


def _lengths(given: Generators, surrogate: Surrogate) -> Float[np.ndarray, " m"]:
    """Root mean squares of (τ/T, ξ/L) on the box."""
    points, half = lattice_cloud(surrogate.domain, GATES.compared_points).points, surrogate.domain.half
    tau, xi, *_ = given(points[:, 0], points[:, 1:])
    squares = (tau / half[0]) ** 2 + np.sum((xi / half[1:]) ** 2, axis=2)
    lengths = np.sqrt(squares.mean(axis=1))
    return np.where(lengths > 0, lengths, 1.0)


def _containment(
    paths: Trajectories, given: Generators, surrogate: Surrogate, criteria: Criteria, seed: int, same: bool
) -> Containment | None:
    """The angles to the Fokker–Planck generators of the same data, 90 degrees where none are found, and the lift."""
    lifted = generators_on_data(paths, given, FOKKER_PLANCK, seed=seed, clock="recorded")
    found = discover(
        paths,
        symmetry="fokker-planck",
        tolerance=criteria.tolerance,
        error_rate=criteria.error_rate,
        formulas=False,
        clock="recorded",
    )
    points, half = lattice_cloud(surrogate.domain, GATES.compared_points).points, surrogate.domain.half
    if not found.fields.count:
        return Containment(np.full(given.count, 90.0), lifted.p_value, same)
    scale = (float(half[0]), half[1:].tolist())
    angles = containment_angles(given, found.evaluated, points[:, 0], points[:, 1:], scale=scale, beta=False)
    return Containment(angles, lifted.p_value, same)


def _reach(name: str, low: float, high: float, level: float) -> str:
    """The sentence on the pushes up to which invariance is not rejected."""
    told = f"(level {_percent(level)})"
    if low == 0 and np.isinf(high):
        return f"{name}: invariance is not tested: every push moves too many points out of the box."
    if low == 0:
        return f"{name}: invariance is rejected for a push of {high:g} of the box {told}."
    if np.isinf(high):
        return f"{name}: invariance is not rejected for pushes up to {low:g} of the box {told}."
    return f"{name}: invariance is not rejected for pushes up to {low:g} of the box, and rejected at {high:g} {told}."


def _percent(rate: float) -> str:
    return f"{100 * rate:g} %"
