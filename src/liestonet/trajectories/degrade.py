"""Degraded data for tests: fewer paths, motion blur, measurement noise, lost frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.errors import InputError
from liestonet.trajectories.increments import increments_of
from liestonet.trajectories.reshaping import gather, ranges, real_number, take, whole_number

if TYPE_CHECKING:
    from liestonet.trajectories.trajectories import Trajectories


def degraded(
    data: Trajectories, noise: Any, relative: bool, drop: Any, blur: Any, keep: Any, seed: Any
) -> Trajectories:
    """Keep some paths, then blur, then add noise, then drop frames; each step with its own random numbers."""
    # Separate streams: the same frames are dropped whatever the noise is.
    seeds = np.random.SeedSequence(whole_number(seed, "The seed", 0)).spawn(3)
    for_keep, for_noise, for_drop = map(np.random.default_rng, seeds)
    share, chance = _probability(keep, "The fraction to keep"), _probability(drop, "The probability to drop a point")
    frames = whole_number(blur, "The number of frames that blur into one", 1)
    if share == 0 or chance == 1:
        raise InputError("Nothing would be left; keep more than 0 and drop with a probability below 1.")
    size = _noise_size(data, noise, relative)
    measurement = data.measurement.degraded(bool(size.any()), frames > 1, chance > 0)
    if share < 1:
        count = max(round(share * len(data)), 1)
        data = take(data, np.sort(for_keep.permutation(len(data))[:count]))
    if frames > 1:
        data = _blurred(data, frames)
    if size.any():
        noisy = data.flat_states + size * for_noise.standard_normal(data.flat_states.shape)
        data = replace(data, flat_states=noisy, remarks=(*data.remarks, f"Noise of size {_listed(size)} was added."))
    worse = _dropped(data, chance, for_drop) if chance > 0 else data
    return replace(worse, measurement=measurement)


def _blurred(data: Trajectories, frames: int) -> Trajectories:
    """Each point becomes the mean of `frames` points, its time the mean of their times; leftover points are lost."""
    counts = np.diff(data.offsets) // frames
    starts = np.repeat(data.offsets[:-1], counts) + frames * ranges(np.zeros_like(counts), counts)
    reduced = gather(data, starts, counts, f"Blurred: each point is the mean of {frames}.")
    times, states = np.zeros(len(starts)), np.zeros((len(starts), data.dimension))
    for frame in range(frames):
        times += data.flat_times[starts + frame] / frames
        states += data.flat_states[starts + frame] / frames
    return replace(reduced, flat_times=times, flat_states=states)


def _dropped(data: Trajectories, chance: float, rng: np.random.Generator) -> Trajectories:
    """Drop points at random; the steps across them become longer, as with a tracker that has memory."""
    rows = np.flatnonzero(rng.random(data.points) >= chance)
    path = np.searchsorted(data.offsets, rows, side="right") - 1
    lengths = np.bincount(path, minlength=len(data))
    return gather(data, rows, lengths, f"{data.points - len(rows)} points were dropped at random.")


def _noise_size(data: Trajectories, noise: Any, relative: bool) -> Float[np.ndarray, " d"]:
    """Standard deviation per coordinate, in its own unit."""
    if isinstance(noise, Mapping):
        unknown = [name for name in noise if name not in data.names]
        if unknown:
            raise InputError(f"There is no coordinate {unknown[0]!r}; there are {', '.join(data.names)}.")
        given = [noise.get(name, 0.0) for name in data.names]
    elif isinstance(noise, list | tuple | np.ndarray):
        given = list(noise)
    else:
        given = [noise] * data.dimension
    if len(given) != data.dimension:
        raise InputError(f"There are {len(given)} sizes of noise for {data.dimension} coordinates; give one for each.")
    size = np.array([real_number(value, "The size of the noise") for value in given])
    if (size < 0).any():
        raise InputError("The size of the noise must not be negative.")
    if not relative or not size.any():
        return size
    dx = increments_of(data.flat_times, data.flat_states, data.offsets).dx
    return size * np.sqrt(np.mean(dx**2, axis=0))


def _probability(value: Any, what: str) -> float:
    if not 0 <= real_number(value, what) <= 1:
        raise InputError(f"{what} must lie between 0 and 1, not {value!r}.")
    return float(value)


def _listed(size: np.ndarray) -> str:
    return ", ".join(f"{value:.6g}" for value in size)
