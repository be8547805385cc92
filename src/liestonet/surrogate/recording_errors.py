"""What was estimated of how data were recorded: errors of the points and exposure, each with its standard error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """A number with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class RecordingErrors:
    """Standard deviations of the points' errors by coordinate, in its unit, and the exposure in parts of a step.

    What the data do not identify is None: the exposure, where the diffusion is the same everywhere; `blur` is the
    number that the fit used. `steps` is the kind of steps that was assumed. `first_order`: errors and blur are so
    small that steps are predicted without them.
    """

    noise: tuple[Level | None, ...]
    exposure: Level | None
    steps: str
    blur: float
    first_order: bool = False
