"""What an engine is asked and what it answers: from trajectories to directions that are judged."""

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
    """What `discover` asks of an engine: the data, the kind, the criteria, and how much of an answer."""

    source: IncrementSource
    kind: Kind
    criteria: Criteria
    dimension: object  # as given; how many are possible only the engine knows
    formulas: bool
    seed: int
    say: Progress


@runtime_checkable
class Attempt(Protocol):
    """What training with so many generators came to."""

    @property
    def count(self) -> int:
        """Number of generators, m."""
        ...

    @property
    def losses(self) -> dict[int, float]:
        """The losses by their numbers."""
        ...

    @property
    def residuals(self) -> tuple[float, ...]:
        """Relative residuals of its directions, ascending."""
        ...


class AttemptSummary(TypedDict):
    """The same as plain values."""

    count: int
    losses: dict[str, float]
    residuals: list[float]


class TrainingSummary(TypedDict):
    """What is said of a training: the losses at its end by name, and which number of generators each rule selects."""

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
    """What an engine that trains networks remembers of it."""

    @property
    def rungs(self) -> Sequence[Attempt]:
        """The numbers of generators that were tried, with their losses."""
        ...

    def generators(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b d"]) -> Values:
        """The trained networks as they are."""
        ...

    def to_dictionary(self) -> TrainingSummary:
        """Plain values, ready for JSON."""
        ...


@dataclass(frozen=True)
class Discovered:
    """What an engine found: estimated coefficients, judged directions, and the coefficients refitted with `count`.

    `law_dimension` is the number of symmetries of the law, None if not computed. `notes` are what a reader should
    know about how the engine came to it, and `tuning` the numbers that only this engine decides by. `clock` is the one
    that the data were on, with the test against the date; `tests` are those of the fit.
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
        """The determining equations that the generators solve: of the refitted coefficients where there are any."""
        return self.search.operator if self.imposed is None else self.imposed.operator

    @property
    def vectors(self) -> Float[np.ndarray, "m k"]:
        """The generators as directions of `operator`."""
        return self.search.vectors[:, : self.count] if self.imposed is None else self.imposed.refit.vectors

    def on_clock(self, clock: ClockFound, asked: bool) -> Discovered:
        """The same with what the test against the date says; `asked` keeps a number of generators that was given."""
        dated_search, rejected = dated(self.search, clock, asked), clock.date is not None and clock.date.rejected
        return replace(self, clock=clock)._with(dated_search, asked, rejected)

    def tested(self, tests: tuple[FitTest, ...], asked: bool) -> Discovered:
        """The same with tests of the fit; one that is not adequate leaves no symmetry confirmed."""
        tested = replace(self, tests=tests)
        if not any(test.rejected for test in tests):
            return tested
        return tested._with(unconfirmed(self.search, asked), asked, rejected=True)

    def _with(self, search: Search, asked: bool, rejected: bool) -> Discovered:
        """Another judgement of the same directions; without a symmetry nothing is imposed.

        Coefficients that are `rejected` have no symmetries of the law to count either.
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

    It is what the data support, whatever dimension was asked for. Shifts of the variables `exact` are imposed on the
    surrogate already.
    """
    if kind is LAW or (kind is ITO and surrogate.noise <= 1):
        return sum(row.verdict == "symmetry" for row in found.rows)
    if kind is not ITO:
        return None
    say("looking for symmetries of the law")
    return search_beside(found, LAW, surrogate, surrogate.overview.points, criteria, exact).count


def dimension_flag(found: Search, dimension: int | None) -> Iterator[Flag]:
    """A given number of generators that is not the number that the data support."""
    supported = sum(row.verdict == "symmetry" for row in found.rows)
    if dimension is not None and dimension != supported:
        yield Flag(
            "given-dimension",
            f"The dimension was given as {dimension}; the data support {supported} "
            f"{'symmetry' if supported == 1 else 'symmetries'}.",
            "Leave the dimension out, or read the verdicts of the ladder before relying on these generators.",
        )
