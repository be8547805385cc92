"""What a result rests on beside its generators: an equation and its bound, or data and what was estimated."""

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
from liestonet.surrogate.recording_errors import Level
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.record import DataRecord

if TYPE_CHECKING:
    import sympy


@runtime_checkable
class Validated(Protocol):
    """What `validate` found: whether a check contradicts the generators, and every check in words."""

    @property
    def contradicted(self) -> bool: ...

    @property
    def conditional(self) -> bool: ...

    def sentences(self) -> list[str]: ...


@runtime_checkable
class DiscreteSymmetries(Protocol):
    """What `discrete` found: every candidate in words, and all of it as plain values."""

    def sentences(self) -> list[str]: ...

    def table(self) -> list[tuple[str, ...]]: ...

    def to_dictionary(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class EquationFindings:
    """What `solve` found out about an equation.

    `bound` is the largest dimension that power series at a generic point allow, None where it is not known; `gap` is
    the first residual left out over the last one taken. `draws` are the values at which an equation with free
    parameters was solved, those of the numbers shown first; `parametric_brackets` its commutators in the parameters,
    None where not proved.
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
    """What `discover` estimated from data.

    `criteria` are the tolerance and error rate of the verdicts, `refit` the surrogate with the symmetries imposed and
    its likelihood ratio, None where it was not done. `law_dimension` is the number of symmetries at law
    level, which does not depend on how σ was chosen. `data` is a record of the trajectories, `training` what the
    neural engine did, None for the others. `gap` is the first residual left out over the last one taken. `clock` is
    the one that the data were looked at on; None in files that did not keep it. `tests`
    are those of the fit.
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
        """What was found out about how the data were recorded."""
        recorded = self.surrogate.recorded if isinstance(self.surrogate, Surrogate) else None
        clock = self.clock or ClockFound()
        if recorded is None:
            return Measured(clock)
        levels = zip(self.surrogate.names, recorded.noise, strict=True)
        noise = {name: level for name, level in levels if level is not None}
        return Measured(clock, noise, recorded.exposure, recorded.steps, recorded.order)


@dataclass(frozen=True)
class Measured:
    """What was found out about how data were recorded.

    `noise` is the standard deviation of the points' errors by coordinate, `exposure` the part of a step over which a
    point is the mean, each with `.value` and `.error`; None where it was not modelled or is not identified. `steps` is
    the kind of steps that was assumed, `order` 2 where velocities were estimated from positions.
    """

    clock: ClockFound
    noise: dict[str, Level] | None = None
    exposure: Level | None = None
    steps: str = "continuous"
    order: int = 1


Findings = EquationFindings | DataFindings
