"""The one data door: recorded or simulated paths (t, x), checked once, immutable afterwards."""

from liestonet.trajectories.trajectories import Trajectories

__all__ = ["Trajectories"]
