"""Recordings simulated from a model with the design of the data: a parametric bootstrap along paths.

Where a path goes depends on its own noise, so the paths of a draw are simulated, from the starts of the recorded ones
and with their steps. A draw has bounded size: the correction that it serves is of the order of one over the size of the
data.
"""

from __future__ import annotations

import numpy as np

from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories import Trajectories
from liestonet.validation.flows import widened
from liestonet.validation.null_model import diffusive_steps
from liestonet.validation.tuning import RATIO


def design_of(data: Trajectories) -> tuple[Trajectories, float]:
    """Paths for draws, all of the data if they are not too many; and the fraction of the increments that this is."""
    total = data.points - len(data)
    part = data.windows(RATIO.drawn_steps + 1) if int(np.diff(data.offsets).max()) > 2 * RATIO.drawn_steps else data
    steps = part.points - len(part)
    if steps > RATIO.drawn_increments:
        kept = max(1, int(len(part) * RATIO.drawn_increments / steps))
        part = part.take(np.unique(np.linspace(0, len(part) - 1, kept).astype(int)))
    return part, (part.points - len(part)) / total


def draw_paths(model: Surrogate, like: Trajectories, count: int, rng: np.random.Generator) -> list[Trajectories]:
    """Recordings from a model that begin where these paths do and have their times.

    Outside the box the coefficients are unknown, so they are taken at its nearest point.
    """
    low, high = widened(model.domain, 0.0)[1:].T
    starts, lengths = like.offsets[:-1], np.diff(like.offsets)
    states = np.empty((count, *like.flat_states.shape))
    states[:, starts] = like.flat_states[starts]
    for step in range(int(lengths.max()) - 1):
        rows = starts[lengths > step + 1] + step
        here = states[:, rows].reshape(-1, like.dimension)
        dt = like.flat_times[rows + 1] - like.flat_times[rows]
        t, dt = np.tile(like.flat_times[rows], count), np.tile(dt, count)
        moved = diffusive_steps(model, t, np.clip(here, low, high), dt, rng)
        states[:, rows + 1] = (here + moved).reshape(count, len(rows), -1)
    return [
        Trajectories(like.flat_times, states[draw], like.offsets, like.names, periodic=like.periodic)
        for draw in range(count)
    ]
