"""Data on the clock of a result, for checks that move or draw paths: cut where the clock restarts.

Fits use whole paths (`source`); paths that are pushed or drawn anew begin at a recorded state, and given that state the
earlier path does not matter. See docs/method.md §4.6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Int

from liestonet.core.flags import Flag
from liestonet.inference.clock import ClockFound, choose_clock, with_date_test
from liestonet.pipeline.data_flags import date_flags
from liestonet.result import Result
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories import Trajectories
from liestonet.trajectories.clock import AUTO, RESTART, Relabelled, checked_clock, cut_by_clock
from liestonet.trajectories.increments import IncrementSource
from liestonet.trajectories.velocities import with_velocities
from liestonet.validation.tuning import RATIO


@dataclass(frozen=True)
class Clocked:
    """Data on a clock: `recorded` unchanged, `paths` cut where the clock restarts and with its times."""

    recorded: Trajectories
    paths: Trajectories
    clock: ClockFound

    @property
    def restarted(self) -> bool:
        """Whether the clock restarts."""
        return self.clock.window is not None

    def source(self, paths: Trajectories | None = None) -> IncrementSource:
        """The source of a fit: all recorded paths, or some of the cut ones, on this clock, perhaps with velocities."""
        return with_velocities(self._chosen(paths))

    def _chosen(self, paths: Trajectories | None) -> IncrementSource:
        if self.clock.window is None:
            return self.recorded if paths is None else paths
        if paths is None:
            return self.clock.applied(self.recorded)
        return Relabelled(paths, self.clock.window, 0.0, self.clock.kind == RESTART)

    def blocks(self) -> Int[np.ndarray, " paths"]:
        """For every cut path the long block of the recording that it lies in; blocks are what is split into halves."""
        points = np.diff(self.paths.offsets)
        before = np.cumsum(points) - points
        return before * RATIO.blocks // int(points.sum())

    def tested(self, kind: Kind, criteria: Criteria) -> Clocked:
        """The data with the result of the test whether the law depends further on the date."""
        if not self.restarted:
            return self
        source = self.source()
        return replace(self, clock=with_date_test(self.clock, source, fit_spectral(source), kind, criteria))

    def doubts(self) -> tuple[Flag, ...]:
        """Flags from the test against the date, which put all other checks in doubt."""
        return tuple(date_flags(self.clock))


def on_clock(data: Trajectories, clock: Any, generators: Any) -> Clocked:
    """Data on a clock; "auto" takes that of a result from data, or for other generators one that suits the data."""
    wanted = checked_clock(clock)
    own = None
    if isinstance(generators, Result) and generators.measurement is not None:
        own = generators.measurement.clock
    if wanted == AUTO and own is not None:
        origin = float(data.flat_times[0]) if own.kind == RESTART else own.origin
        found = replace(own, origin=origin, date=None)
    else:
        found = choose_clock(with_velocities(data), wanted)[1]
    paths = data if found.window is None else cut_by_clock(data, found.window, found.origin)
    return Clocked(data, paths, found)
