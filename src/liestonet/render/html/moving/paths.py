"""The paths that the page moves: recorded ones, or simulated ones if the result is for an equation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.render.html.moving.tuning import MOVING
from liestonet.render.html.plot_geometry import numeric_source, real_paths
from liestonet.result import Result
from liestonet.surrogate.recording_errors import RecordingErrors
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.increments import Increments

Points = Float[np.ndarray, "points v"]


class Sample(NamedTuple):
    """Paths as points (t, x), and increments with the coefficients that standardise them; `simulated` for equations."""

    paths: list[Any]
    steps: Increments | None
    coefficients: Any
    simulated: bool


def sample_of(result: Result) -> Sample | None:
    """Paths of a result; None if there are none and none can be simulated."""
    if result.estimated is None:
        return _simulated(result)
    surrogate = result.estimated.surrogate
    steps = surrogate.overview.sample if len(surrogate.overview.sample.t) else None
    paths = [np.column_stack(path) for path in real_paths(result) if len(path[0]) > 1]
    if steps is not None and not _on_the_clock(result, paths):
        paths = _windows(surrogate.overview.consecutive)
    recorded = surrogate.recorded if isinstance(surrogate, Surrogate) else None
    kept = None if steps is None or _has_errors(recorded) else _thinned_steps(steps)
    return Sample([_thinned(path) for path in paths[: MOVING.paths]], kept, surrogate, False) if paths else None


def _has_errors(recorded: RecordingErrors | None) -> bool:
    """Whether errors of the recorded points, or an exposure, are significant; these do not move with the flow."""
    if recorded is None:
        return False
    noisy = any(level is not None and level.value > MOVING.errors * level.error for level in recorded.noise)
    return noisy or recorded.blur > MOVING.blur


def _on_the_clock(result: Result, paths: list[Any]) -> bool:
    """Whether the times of the recording are those of the generators, that is, the clock does not restart."""
    low, high = result.domain.intervals[0]
    slack = 1e-6 * (high - low)
    return all(bool(((path[:, 0] >= low - slack) & (path[:, 0] <= high + slack)).all()) for path in paths)


def _windows(steps: Increments) -> list[Any]:
    """Consecutive increments on a clock that restarts, as one path for each window."""
    ends = steps.t[:-1] + steps.dt[:-1]
    joined = np.isclose(ends, steps.t[1:], rtol=0, atol=1e-6 * float(np.median(steps.dt)))
    breaks = np.flatnonzero((np.diff(steps.trajectory) != 0) | ~joined) + 1
    windows = []
    for rows in np.split(np.arange(len(steps.t)), breaks):
        last = rows[-1]
        points = np.column_stack([steps.t[rows], steps.x[rows]])
        end = np.append(steps.t[last] + steps.dt[last], steps.x[last] + steps.dx[last])
        windows.append(np.vstack([points, end]))
    longest = max(len(window) for window in windows)
    whole = [window for window in windows if 2 * len(window) >= longest]
    return whole[:: max(1, len(whole) // MOVING.paths)]


def _thinned(path: Any) -> Any:
    count = min(len(path), MOVING.points)
    return path[np.unique(np.linspace(0, len(path) - 1, count).round().astype(int))]


def _thinned_steps(steps: Increments) -> Increments:
    rows = slice(None, None, max(1, -(-len(steps.t) // MOVING.steps)))
    return Increments(*(array[rows] for array in steps))


class _Exact(NamedTuple):
    """Coefficients of an equation, with the methods needed to standardise steps."""

    source: Any
    domain: Any
    noisy: Any

    def drift(self, t: Any, x: Any) -> Any:
        return self.source.drift(t, x)

    def diffusion_squared(self, t: Any, x: Any) -> Any:
        return self.source.diffusion_squared(t, x)


def _simulated(result: Result) -> Sample | None:
    """Paths of an equation with initial states evenly in the middle of the box; None if they cannot be simulated."""
    domain, n = result.domain, result.domain.dimension
    low, high = domain.intervals[0]
    step = (high - low) / MOVING.points

    def initial(rng: np.random.Generator, count: int) -> np.ndarray:
        return domain.centre[1:] + MOVING.spread * domain.half[1:] * rng.uniform(-1, 1, (count, n))

    try:
        source = numeric_source(result)
        drawn = source.simulate(
            initial,
            step * (MOVING.points - 1),
            step,
            MOVING.simulated,
            MOVING.seed,
            start=low,
            substeps=MOVING.substeps,
        )
        at = drawn.flat_times, drawn.flat_states
        noisy = np.einsum("bii->bi", source.diffusion_squared(*at)).max(axis=0) > 0
    except (InputError, AttributeError):
        return None
    paths = [np.column_stack([drawn.times[k], drawn.states[k]]) for k in range(min(MOVING.paths, len(drawn.times)))]
    paths = [path for path in paths if len(path) > 1 and np.isfinite(path).all()]
    if not paths:
        return None
    block = drawn.increments()
    within = (np.abs((block.x - domain.centre[1:]) / domain.half[1:]) <= 1).all(axis=1)
    steps = Increments(*(array[within] for array in block))
    return Sample(paths, _thinned_steps(steps), _Exact(source, domain, noisy), True)
