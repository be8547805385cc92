"""Estimated errors of the recorded points and exposure, each with its standard error."""

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

    Values that the data do not identify are None, such as the exposure where the diffusion is constant; `blur` is the
    value that the fit used. `steps` is the kind of steps that was assumed, `order` is 2 where only positions of a
    system with inertia were recorded. `first_order` says that errors and blur are so small that steps are predicted
    without them. Where each of several recordings has errors of its own, `each` are these, `first_paths` the numbers of
    their first paths, and `noise` is the root mean square of them, `blur` the mean.
    """

    noise: tuple[Level | None, ...]
    exposure: Level | None
    steps: str
    blur: float
    first_order: bool = False
    order: int = 1
    each: tuple[RecordingErrors, ...] = ()
    first_paths: tuple[int, ...] = (0,)

    @property
    def recordings(self) -> tuple[RecordingErrors, ...]:
        """The errors of each recording."""
        return self.each or (self,)
