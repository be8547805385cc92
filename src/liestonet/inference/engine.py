"""The input and output of an engine, which goes from trajectories to tested directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypedDict, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.flags import Flag
from liestonet.core.generators import Values
from liestonet.core.json_values import JSON
from liestonet.core.progress import Progress
from liestonet.core.provenance import DecidingNumbers
from liestonet.inference.adequacy import FitTest
from liestonet.inference.clock import RECORDED_CLOCK, ClockFound, dated, unconfirmed
from liestonet.inference.refit import Imposed
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import ITO, LAW, Kind
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import Search, search_beside
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.increments import IncrementSource


@dataclass(frozen=True)
class Request:
    """The input of an engine from `discover`: the data, the kind of symmetry, the criteria, and the options."""

    source: IncrementSource
    kind: Kind
    criteria: Criteria
    dimension: object  # as the user gave it; the engine checks it
    formulas: bool
    seed: int
    say: Progress


@runtime_checkable
class Attempt(Protocol):
    """The outcome of training with a given number of generators."""

    @property
    def count(self) -> int:
        """Number of generators, m."""
        ...

    @property
    def losses(self) -> dict[int, float]:
        """The losses, by the number that each has in the paper."""
        ...

    @property
    def residuals(self) -> tuple[float, ...]:
        """Relative residuals of its directions, ascending."""
        ...


class AttemptSummary(TypedDict):
    """An `Attempt` in plain values."""

    count: int
    losses: dict[str, float]
    residuals: list[float]


class TrainingSummary(TypedDict):
    """A summary of a training: the final losses by name, and the number of generators that each rule selects."""

    settings: dict[str, JSON]
    losses: dict[str, float]
    steps: int
    seconds: float
    rungs: list[AttemptSummary]
    selected: dict[str, int]
    projection_error: float
    interrupted: bool
    angle_to_spectral: float | None


@runtime_checkable
class Training(Protocol):
    """The record that an engine keeps of the training of networks."""

    @property
    def rungs(self) -> Sequence[Attempt]:
        """The attempts with different numbers of generators, with their losses."""
        ...

    def generators(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        """The generators of the trained networks, unchanged."""
        ...

    def to_dictionary(self) -> TrainingSummary:
        """A summary in plain values, ready for JSON."""
        ...


@dataclass(frozen=True)
class Discovered:
    """The output of an engine: estimated coefficients, tested directions, coefficients refitted with the symmetries.

    `law_dimension` is the number of symmetries of the law, None if not computed. `notes` are remarks on the engine's
    computation, and `tuning` the numbers that only this engine uses in decisions. `clock` is that of the data, with the
    date test; `tests` are those of the fit.
    """

    kind: Kind
    surrogate: FittedCoefficients
    search: Search
    count: int
    imposed: Imposed | None
    law_dimension: int | None
    notes: tuple[Flag, ...] = ()
    training: Training | None = None
    tuning: tuple[DecidingNumbers, ...] = ()
    clock: ClockFound = RECORDED_CLOCK
    tests: tuple[FitTest, ...] = ()

    @property
    def operator(self) -> NoisyOperator:
        """The determining equations that the generators solve: those of the refitted coefficients, if there are any."""
        return self.search.operator if self.imposed is None else self.imposed.operator

    @property
    def vectors(self) -> Float[np.ndarray, "m k"]:
        """The generators as directions of `operator`."""
        return self.search.vectors[:, : self.count] if self.imposed is None else self.imposed.refit.vectors

    def on_clock(self, clock: ClockFound, asked: bool) -> Discovered:
        """The output after the date test; with `asked`, the number of generators given by the user is kept."""
        dated_search, rejected = dated(self.search, clock, asked), clock.date is not None and clock.date.rejected
        return replace(self, clock=clock)._with(dated_search, asked, rejected)

    def tested(self, tests: tuple[FitTest, ...], asked: bool) -> Discovered:
        """The output with tests of the fit; if the fit is not adequate, no symmetry is confirmed."""
        tested = replace(self, tests=tests)
        if not any(test.rejected for test in tests):
            return tested
        return tested._with(unconfirmed(self.search, asked), asked, rejected=True)

    def _with(self, search: Search, asked: bool, rejected: bool) -> Discovered:
        """The output with other verdicts on the same directions; without a symmetry there is no refit.

        If the coefficients are `rejected`, the symmetries of the law are not counted either.
        """
        law = None if rejected else self.law_dimension
        if search.count or asked or not self.count:
            return replace(self, search=search, law_dimension=law)
        return replace(self, search=search, count=0, imposed=None, law_dimension=None)

    @cached_property
    def fields(self) -> Fields:
        """The generators as functions."""
        return Fields(self.operator.basis, self.operator.whitening @ self.vectors, self.kind.has_beta)


@runtime_checkable
class Engine(Protocol):
    """A way from trajectories to symmetries, such as `Spectral` or `Neural`."""

    def discover(self, request: Request) -> Discovered: ...


def law_dimension(
    kind: Kind,
    surrogate: FittedCoefficients,
    found: Search,
    criteria: Criteria,
    say: Progress,
    exact: Sequence[int] = (),
) -> int | None:
    """Number of symmetries at law level; with one noise Itô and law agree, and it is not computed for Fokker–Planck.

    It is the number that the data support, whatever dimension the user gave. Translations of the variables `exact` are
    already imposed on the surrogate.
    """
    if kind is LAW or (kind is ITO and surrogate.noise <= 1):
        return sum(row.verdict == "symmetry" for row in found.rows)
    if kind is not ITO:
        return None
    say("looking for symmetries of the law")
    return search_beside(found, LAW, surrogate, surrogate.overview.points, criteria, exact).count


def dimension_flag(found: Search, dimension: int | None) -> Iterator[Flag]:
    """A flag if the number of generators that the user gave is not the number that the data support."""
    supported = sum(row.verdict == "symmetry" for row in found.rows)
    if dimension is not None and dimension != supported:
        yield Flag(
            "given-dimension",
            f"The dimension was given as {dimension}; the data support {supported} "
            f"{'symmetry' if supported == 1 else 'symmetries'}.",
            "Leave the dimension out, or read the verdicts of the ladder before relying on these generators.",
        )
