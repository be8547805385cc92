"""The entry for data: recorded or simulated paths (t, x), checked once, immutable afterwards."""

from liestonet.trajectories.increments import Increments, IncrementSource
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.trajectories import Trajectories

__all__ = ["IncrementSource", "Increments", "Measurement", "Trajectories"]
