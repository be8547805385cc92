"""Sums of scores by path, for paths that differ and for steps with memory (method §5.8)."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.inference.path_sums import PathSums
from liestonet.inference.tuning import ADEQUACY

LAST = ADEQUACY.lags[-1]


def scores(rng: np.random.Generator, memory: float, offsets: float, paths: int = 200, steps: int = 100) -> np.ndarray:
    """Of paths with means that scatter so much; a step has this part of the one before, and variance one."""
    kicks = rng.standard_normal((paths, steps))
    z = kicks.copy()
    for k in range(1, steps):
        z[:, k] = memory * z[:, k - 1] + np.sqrt(1 - memory**2) * kicks[:, k]
    return z + offsets * rng.standard_normal((paths, 1))


def sums_of(z: np.ndarray) -> PathSums:
    return PathSums.of(np.repeat(np.arange(5, 5 + len(z)), z.shape[1]), z.ravel())


def test_sums_are_those_of_pairs() -> None:
    z = scores(np.random.default_rng(1), 0.3, 0.1, paths=3, steps=40)
    found = sums_of(z)
    steps = np.arange(40)
    near = np.abs(steps[:, None] - steps) <= LAST
    for path, own in enumerate(z):
        pairs = np.outer(own, own)
        assert found.totals[path] ** 2 == pytest.approx(pairs.sum())
        assert found.squares[path] + found.neighbours[path] == pytest.approx(pairs[near].sum())


def test_pieces_without_steps_are_left_out() -> None:
    one, nothing = sums_of(scores(np.random.default_rng(2), 0.0, 0.0, paths=4)), sums_of(np.zeros((2, 10)))
    together = PathSums.together([one, nothing, one])
    assert together.squares.tolist() == [*one.squares, *one.squares]


@pytest.mark.parametrize(("memory", "remembering"), [(0.0, False), (0.0, True), (0.3, True)])
def test_paths_that_are_alike(memory: float, remembering: bool) -> None:
    """Of 100 p-values below 0.05 at most 13: more by chance in 0.05 % of cases. The size is nothing then."""
    rng = np.random.default_rng(3)
    found = [sums_of(scores(rng, memory, 0.0)).differ(remembering) for _ in range(100)]
    assert sum(p_value < 0.05 for p_value, _ in found) <= 13
    assert np.mean([share for _, share in found]) < 2e-3


@pytest.mark.parametrize(("memory", "remembering"), [(0.0, False), (0.3, True)])
def test_paths_that_differ(memory: float, remembering: bool) -> None:
    p_value, share = sums_of(scores(np.random.default_rng(4), memory, 0.3)).differ(remembering)
    assert p_value < 1e-6
    assert share == pytest.approx(0.09, rel=0.4)


def test_steps_that_remember_look_like_paths_that_differ() -> None:
    """Unless only distant pairs are asked."""
    sums = sums_of(scores(np.random.default_rng(5), 0.3, 0.0))
    assert sums.differ(remembering=False)[0] < 1e-6
    assert sums.differ(remembering=True)[0] > 1e-3


def test_paths_that_are_too_short_give_no_evidence() -> None:
    assert sums_of(scores(np.random.default_rng(6), 0.0, 1.0, steps=LAST)).differ(remembering=True) == (1.0, 0.0)
