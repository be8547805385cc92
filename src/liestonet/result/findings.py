"""The part of a result besides its generators: the equation and its bound, or the data and the estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from liestonet.inference.adequacy import FitQuality, FitTest
from liestonet.inference.clock import ClockFound
from liestonet.inference.engine import Training
from liestonet.inference.refit import Refit
from liestonet.inference.resolution import resolution
from liestonet.sde.sde import SDE
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.surrogate.recording_errors import Level, RecordingErrors
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.record import DataRecord

if TYPE_CHECKING:
    import sympy


@runtime_checkable
class Validated(Protocol):
    """The result of `validate`: whether a check contradicts the generators, and every check as text."""

    @property
    def contradicted(self) -> bool: ...

    @property
    def conditional(self) -> bool: ...

    def sentences(self) -> list[str]: ...


@runtime_checkable
class DiscreteSymmetries(Protocol):
    """The result of `discrete`: every candidate as text, and everything as plain values."""

    def sentences(self) -> list[str]: ...

    def table(self) -> list[tuple[str, ...]]: ...

    def to_dictionary(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class EquationFindings:
    """The results of `solve` about an equation.

    `bound` is the largest dimension that power series at a generic point allow, None if it is not known; `gap` is the
    first residual rejected over the last one accepted. `draws` are the values at which an equation with free parameters
    was solved; the numbers shown are for the first. `parametric_brackets` are its commutators in the parameters, None
    if not proved.
    """

    equation: SDE
    bound: int | None
    gap: float
    draws: tuple[dict[str, str], ...] = ()
    parametric_brackets: dict[tuple[int, int], sympy.Expr] | None = None
    validation: Validated | None = None
    discrete: DiscreteSymmetries | None = None


@dataclass(frozen=True)
class DataFindings:
    """The estimates of `discover` from data.

    `criteria` are the tolerance and error rate of the verdicts, `refit` is the surrogate with the symmetries imposed
    and its likelihood ratio, None if there was no refit. `law_dimension` is the number of symmetries at law level,
    which does not depend on the choice of σ. `data` is a record of the trajectories, `training` that of the neural
    engine's training, None for others. `gap` is the first residual rejected over the last one accepted. `clock` is the
    clock of the data, None in files without it. `tests` are the goodness-of-fit tests.
    """

    surrogate: FittedCoefficients
    data: DataRecord
    criteria: Criteria
    gap: float
    refit: Refit | None = None
    law_dimension: int | None = None
    training: Training | None = None
    validation: Validated | None = None
    clock: ClockFound | None = None
    discrete: DiscreteSymmetries | None = None
    tests: tuple[FitTest, ...] = ()

    @property
    def fit_quality(self) -> FitQuality:
        """Whether the fit is adequate."""
        fitted = self.surrogate
        return FitQuality(
            self.tests, resolution(fitted, self.criteria.tolerance) if isinstance(fitted, Surrogate) else {}
        )

    @property
    def measured(self) -> Measured:
        """Estimates of how the data were recorded."""
        recorded = self.surrogate.recorded if isinstance(self.surrogate, Surrogate) else None
        clock = self.clock or ClockFound()
        if recorded is None:
            return Measured(clock)
        return _measured(self.surrogate.names, clock, recorded)


@dataclass(frozen=True)
class Measured:
    """Estimates of how data were recorded: measurement error, exposure, clock.

    `noise` is the standard deviation of the points' errors by coordinate, `exposure` the part of a step over which a
    point is the mean, each with `.value` and `.error`; None where it was not modelled or is not identified. `steps` is
    the kind of steps that was assumed, `order` 2 where velocities were estimated from positions. Where each of several
    files has errors of its own, `each` are those of the files in their order, and `noise` is the root mean square.
    """

    clock: ClockFound
    noise: dict[str, Level] | None = None
    exposure: Level | None = None
    steps: str = "continuous"
    order: int = 1
    each: tuple[Measured, ...] = ()


def _measured(names: tuple[str, ...], clock: ClockFound, recorded: RecordingErrors) -> Measured:
    noise = {name: level for name, level in zip(names, recorded.noise, strict=True) if level is not None}
    each = tuple(_measured(names, clock, one) for one in recorded.each)
    return Measured(clock, noise, recorded.exposure, recorded.steps, recorded.order, each)


Findings = EquationFindings | DataFindings
