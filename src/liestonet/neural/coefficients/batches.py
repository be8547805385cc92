"""Increments for training: those that begin in the box, split by path, drawn without replacement. NumPy only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.neural.tuning import LEARNT
from liestonet.surrogate.overview import inside_domain
from liestonet.trajectories.increments import Increments, IncrementSource

LEAST_TRAINED = 100


@dataclass(frozen=True)
class PathSplit:
    """Rows to train on and rows held out."""

    trained: np.ndarray
    held_out: np.ndarray


def gather(source: IncrementSource, domain: Domain | None, count: int) -> Increments:
    """The increments that begin inside the domain; all increments without a domain."""
    stride, seen, blocks = max(1, -(-count // LEARNT.most_increments)), 0, []
    for block in source.chunks():
        rows = slice((-seen) % stride, None, stride)
        seen += len(block.t)
        thinned = Increments(*(array[rows] for array in block))
        inside = slice(None) if domain is None else inside_domain(domain, thinned)
        blocks.append(Increments(*(array[inside] for array in thinned)))
    joined = Increments(*(np.concatenate(arrays) for arrays in zip(*blocks, strict=True)))
    if len(joined.t) < LEAST_TRAINED:
        raise InputError(
            f"Only {len(joined.t)} increments begin inside the domain, too few to train on; give more data."
        )
    return joined


def split_by_path(increments: Increments, part: float, rng: np.random.Generator) -> PathSplit:
    """Hold out whole paths, so that training and held-out data are not adjacent in time; of few paths, segments."""
    rows = np.arange(len(increments.t))
    if part == 0:
        return PathSplit(rows, rows[:0])
    groups = _groups(increments)
    count = int(groups.max()) + 1
    chosen = rng.permutation(count)[: max(1, round(part * count))]
    mask: Bool[np.ndarray, " m"] = np.isin(groups, chosen)
    if mask.all() or not mask.any():
        return PathSplit(rows, rows[:0])
    return PathSplit(rows[~mask], rows[mask])


def _groups(increments: Increments) -> np.ndarray:
    """A group number for every increment: its path, or its segment if there are few paths."""
    paths = np.unique(increments.trajectory, return_inverse=True)[1]
    if int(paths.max()) + 1 >= LEARNT.fewest_paths:
        return paths
    return np.arange(len(paths)) * LEARNT.stretches // len(paths)


def held_out_rows(split: PathSplit, rng: np.random.Generator) -> np.ndarray | None:
    """A sample of the held-out increments, of a size that is a power of two; None if nothing is held out."""
    if not len(split.held_out):
        return None
    size = min(LEARNT.most_held_out, 2 ** int(np.log2(len(split.held_out))))
    return np.sort(rng.choice(split.held_out, size, replace=False))


def minibatches(
    arrays: Any, trained: np.ndarray, inner: int, size: int, rng: np.random.Generator
) -> Callable[[int], Any]:
    """A function that draws the minibatches of the next k iterations: arrays (k, inner, size, …).

    Each minibatch is drawn without replacement, or with replacement if there are fewer rows than `size`.
    """
    again = len(trained) < size

    def draw(iterations: int) -> Any:
        picks = [rng.choice(len(trained), size, replace=again, shuffle=False) for _ in range(iterations * inner)]
        rows = trained[np.stack(picks)].reshape(iterations, inner, size)
        return type(arrays)(*(array[rows] for array in arrays))

    return draw


def spread_of(values: Float[np.ndarray, "m v"]) -> Float[np.ndarray, " v"]:
    """Standard deviations of the columns; one for a constant column."""
    deviation = values.std(axis=0)
    return np.where(deviation > 1e-12 * np.maximum(1.0, np.abs(values).max(axis=0)), deviation, 1.0)
