"""`lsn.validate`: every check of a result on data, in one value, the verdict first.

First whether the data are a diffusion at all; then whether the generators are symmetries of it, by likelihood, by
finite pushes and by refits after a push; and how much an error of the surrogate would matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.from_data import fit
from liestonet.result import Result
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.fields import Fields
from liestonet.symmetry.kinds import FOKKER_PLANCK, ITO, LAW, Kind, kind_named
from liestonet.symmetry.operator import lattice_cloud
from liestonet.trajectories import Trajectories
from liestonet.validation.after_push import AfterPushRow, after_push
from liestonet.validation.containment import containment_angles
from liestonet.validation.given import Given, read_generators
from liestonet.validation.invariance import Invariance, invariance
from liestonet.validation.lack_of_fit import LackOfFit, lack_of_fit
from liestonet.validation.null_model import as_pairs
from liestonet.validation.ratio_test import SymmetryTest, same_data, test
from liestonet.validation.sensitivity import SensitivityRow, sensitivity

# Generators have unit length on the box here, so that ε is in parts of its half-widths.
PUSHES, REFITS = (0.05, 0.1, 0.2, 0.3, 0.5), (0.25, 0.5)
POINTS = 500
# With fewer draws than this no p-value reaches 5 %.
LEAST_DRAWS = 19
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Containment:
    """Angles in degrees by which the generators stick out of the Fokker–Planck ones, (τ, ξ) only, and their lift.

    `lift_p_value` is that of β = −div ξ as a Fokker–Planck symmetry of the data. With `same_data` the generators were
    found on these very data and nothing was held out, so that it is too large; None in files that did not keep it.
    """

    angles: Float[np.ndarray, " m"]
    lift_p_value: float
    same_data: bool | None = None

    @property
    def lift(self) -> str:
        """The lift's p-value in words."""
        told = " (too large: the generators were found on these data, and none are held out)" if self.same_data else ""
        return f"lift β = −div ξ: p = {self.lift_p_value:.2g}{told}"


@dataclass(frozen=True)
class Validation:
    """What all checks say of a result.

    `conditional` says that a gate failed: everything else then holds only if the data are a diffusion after all.
    `lengths` are the generators' sizes in units of the box; pushes are by ε over that.
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

    @property
    def conditional(self) -> bool:
        return not self.gates.passed

    @property
    def contradicted(self) -> bool:
        """Whether a check speaks against the generators."""
        pushed = () if self.invariance is None else self.invariance.p_values
        rejected = any(p_value <= 0.05 / len(pushed) for p_value in pushed)
        return rejected or (self.test is not None and self.test.rejected)

    def sentences(self) -> list[str]:
        """The verdict, then one line a check."""
        count = len(self.generators)
        what = f"{count} {'generator' if count == 1 else 'generators'}"
        if not count:
            return [self._started("there are no generators to validate."), *self._about_the_data()]
        claim = f"{'contradict' if self.contradicted else 'do not contradict'} the {what} ({self.symmetry})."
        lines = [self._started(f"the data {claim}"), *self._about_the_data()]
        if self.test is not None:
            lines += self.test.sentences()
        if self.invariance is not None:
            lines += [_reach(name, *ends) for name, ends in zip(self.generators, self.invariance.largest, strict=True)]
        return list(dict.fromkeys(lines))  # the test may share its doubts with the gates

    def _about_the_data(self) -> tuple[str, ...]:
        """Which gates failed and which could not be asked."""
        return *self.gates.reasons, *self.gates.untested

    def _started(self, claim: str) -> str:
        if self.conditional:
            failed = [gate.name for gate in self.gates.gates if not gate.passed]
            failed += [flag.code for flag in self.gates.doubts]
            return (
                f"Only if the data are a diffusion of this kind, which they may not be ({', '.join(failed)}): {claim}"
            )
        return claim[0].upper() + claim[1:]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def validate(
    result: Result | Any,
    data: Trajectories | Any = None,
    *,
    epsilons: Sequence[float] | Any = PUSHES,
    draws: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Validation:
    """All checks of a result on data; without data on the increments that the result kept.

    `epsilons` are how far the data are pushed, in parts of the box; `draws` is the largest number of bootstrap samples
    behind the p-values of pushed data, by default 20 for each generator, but at least 39.
    """
    say = progress or _silent
    whole = isinstance(draws, int | np.integer) and not isinstance(draws, bool)
    if draws is not None and (not whole or draws < LEAST_DRAWS):
        raise InputError(f"With {draws!r} draws no p-value can fall to 5 %; give at least {LEAST_DRAWS}.")
    paths = _paths(result, data)
    _require_same_coordinates(result, paths)
    say("fitting drift and diffusion")
    surrogate = fit(paths)
    say("is it a diffusion?")
    gates = lack_of_fit(paths, surrogate) if data is not None else _own_gates(result, paths)
    empty = isinstance(result, Result) and not result.fields.count
    if empty:
        return Validation((), result.symmetry, gates, None, None, (), (), None, np.zeros(0), surrogate.overview.count)
    given = read_generators(result, surrogate.names, surrogate.domain)
    kind = kind_named(getattr(result, "symmetry", None) or ("fokker-planck" if given.has_beta else "law"))
    say("likelihood ratio")
    tested = test(paths, result, kind, seed=seed) if data is not None else _own_test(result, paths, kind, gates, seed)
    lengths = _lengths(given, surrogate)
    unit = _unit(given, lengths)
    pushed = invariance(
        paths, unit, epsilons, kind=kind, surrogate=surrogate, draws=draws, seed=seed, progress=progress
    )
    refits = _refits(paths, unit, seed, progress)
    say("perturbing the surrogate")
    fields = given if isinstance(given, Fields) else None
    changed = () if fields is None else sensitivity(surrogate, fields, kind)
    say("Fokker–Planck")
    same = data is None or same_data(result, paths)
    contained = _containment(paths, given, surrogate, seed, same) if kind in (ITO, LAW) else None
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
    )


def _own_gates(result: Result, kept: Trajectories) -> LackOfFit:
    """Gates of the data that a result came from: asked of its own fit, which kept steps in their order, beside the
    doubts it had then. Kept increments alone, each a path of its own, would remember nothing."""
    return lack_of_fit(kept, result.surrogate, known=result.flags, pieces=result.surrogate.overview.sample.trajectory)


def _own_test(result: Result, kept: Trajectories, kind: Kind, gates: LackOfFit, seed: int) -> SymmetryTest:
    """The test on the increments that a result kept of its own data, split by the paths they come from."""
    overview = result.surrogate.overview
    if result.surrogate.noisy.all():
        found = test(kept, result, kind, seed=seed, found_on_these=overview.sample.trajectory)
        return replace(found, doubts=gates.doubts)
    # single increments do not tell which coordinates are without noise, so a search on half of them would go wrong
    told = "The generators were found on these very increments, and none were held out; other data would tell more."
    return replace(test(kept, result, kind, seed=seed), doubts=gates.doubts, held_out=told)


def _unit(given: Given, lengths: Float[np.ndarray, " m"]) -> Given:
    """Generators of unit length; fields stay fields, which can be evaluated one at a time."""
    if isinstance(given, Fields) and not given.has_beta:
        return given.mixed(np.diag(1 / lengths))
    return _Unit(given, lengths)


def _refits(paths: Trajectories, unit: Given, seed: int, progress: Progress | None) -> tuple[AfterPushRow, ...]:
    """Refits after a push; none where half of the data are too few to fit."""
    try:
        return after_push(paths, unit, REFITS, seed=seed, progress=progress)
    except InputError:
        return ()


@dataclass(frozen=True)
class _Unit:
    """Generators divided by their lengths."""

    base: Given
    lengths: Float[np.ndarray, " m"]

    @property
    def count(self) -> int:
        return self.base.count

    @property
    def has_beta(self) -> bool:
        return False

    def __call__(self, t: Any, x: Any) -> tuple[np.ndarray, ...]:
        tau, xi, *_ = self.base(t, x)
        return tau / self.lengths[:, None], xi / self.lengths[:, None, None]

    def components(self, points: Any, derivatives: Any) -> dict[Any, np.ndarray]:
        """Derivatives of τ and ξ."""
        width = points.shape[1]
        table = self.base.components(points, derivatives)
        return {d: values[:, :, :width] / self.lengths[:, None, None] for d, values in table.items()}


def _require_same_coordinates(result: Any, paths: Trajectories) -> None:
    """Refuse data of other coordinates than the result's; names in another order would be other generators."""
    known = tuple(getattr(result, "names", paths.names))
    if known != tuple(paths.names):
        raise InputError(
            f"The result is about the coordinates {', '.join(known)}, and the data have {', '.join(paths.names)}; name "
            "the columns in the result's order, or rename them."
        )


def _paths(result: Any, data: Any) -> Trajectories:
    if isinstance(data, Trajectories):
        return data
    if data is not None:
        raise InputError(f"validate takes Trajectories, not a {type(data).__name__}; make them with Trajectories.read.")
    surrogate = getattr(result, "surrogate", None)
    if not isinstance(surrogate, Surrogate):
        raise InputError(
            "This result did not come from data, so there is nothing to validate it on; give trajectories."
        )
    return as_pairs(surrogate.overview.sample, surrogate.names)


def _lengths(given: Given, surrogate: Surrogate) -> Float[np.ndarray, " m"]:
    """Root mean squares of (τ/T, ξ/L) on the box."""
    points, half = lattice_cloud(surrogate.domain, POINTS).points, surrogate.domain.half
    tau, xi, *_ = given(points[:, 0], points[:, 1:])
    squares = (tau / half[0]) ** 2 + np.sum((xi / half[1:]) ** 2, axis=2)
    lengths = np.sqrt(squares.mean(axis=1))
    return np.where(lengths > 0, lengths, 1.0)


def _containment(paths: Trajectories, given: Given, surrogate: Surrogate, seed: int, same: bool) -> Containment | None:
    """The Fokker–Planck generators of the same data, and whether these lie among them; None where none are found."""
    from liestonet.from_data import discover

    lifted = test(paths, given, FOKKER_PLANCK, seed=seed)
    found = discover(paths, symmetry="fokker-planck", formulas=False)
    points, half = lattice_cloud(surrogate.domain, POINTS).points, surrogate.domain.half
    if not found.fields.count:
        return Containment(np.full(given.count, 90.0), lifted.p_value, same)
    scale = (float(half[0]), half[1:].tolist())
    angles = containment_angles(given, found.fields, points[:, 0], points[:, 1:], scale=scale, beta=False)
    return Containment(angles, lifted.p_value, same)


def _reach(name: str, low: float, high: float) -> str:
    """Up to which push invariance is not rejected."""
    if low == 0:
        return f"{name}: pushed by {high:g} of the box, the data no longer look the same."
    if np.isinf(high):
        return f"{name}: pushed by up to {low:g} of the box, the data look the same."
    return f"{name}: the data look the same after a push by {low:g} of the box, and no longer by {high:g}."


def _silent(message: str) -> None:
    """Progress nobody asked for."""
