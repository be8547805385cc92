"""Directions sorted by likelihood where the size of residuals does not separate symmetries from near-symmetries.

A near-symmetry whose residual is below the noise mixes freely with true symmetries when directions are sorted by size.
But its residual has another shape than the noise, and the likelihood ratio detects this. For a block U inside a small
span W of doubtful directions both the noise and its product with the residuals are linear in the projector on U, so the
best block is found by varying one unit vector, the direction that is left out (docs/method.md §5.6).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.optimize
from jaxtyping import Float

from liestonet.symmetry.statistical.elimination import Elimination
from liestonet.symmetry.statistical.evidence import likelihood_ratio, visible
from liestonet.symmetry.statistical.tuning import JUDGING


def doubtful(span: Elimination, first: int) -> int:
    """Number of directions from `first` on whose residuals are not clearly larger than the noise."""
    whole = np.eye(span.changes.vectors.shape[1])
    residuals, noises = np.diag(span.residual_gram(whole)), np.diag(span.mutual(whole))
    count = 0
    while first + count < len(whole) and count < JUDGING.most_doubtful:
        residual, noise = max(residuals[first + count], 0.0), max(noises[first + count], 0.0)
        if residual > JUDGING.doubtful * noise or noise > JUDGING.hopeless**2:
            break
        count += 1
    return count


def peeled(span: Elimination, known: int, count: int, level: float) -> Float[np.ndarray, "k k"]:
    """The rotation that sorts the doubtful directions of a span: step by step, the worst fit goes to their end."""
    inside = slice(known, known + count)
    pairs = Pairs(span, inside)
    turn = np.eye(count)
    for size in range(count, 1, -1):
        block = turn[:, :size]
        if pairs.p_value(block @ block.T) > level:
            break
        worst = pairs.worst(block)
        rest = np.linalg.svd(worst[None, :], full_matrices=True)[2][1:].T
        turn = np.concatenate([block @ rest, (block @ worst)[:, None], turn[:, size:]], axis=1)
    result = np.eye(span.changes.vectors.shape[1])
    result[inside, inside] = turn
    return result


class Pairs:
    """Inner products of noise and residuals for all pairs of doubtful directions, within the visible noise."""

    def __init__(self, span: Elimination, inside: slice) -> None:
        within = np.eye(span.changes.vectors.shape[1])[:, inside]
        count = within.shape[1]
        self.places = [(i, j) for i in range(count) for j in range(i + 1, count)]
        # T_ij + T_ji = 2 T(w) − T_ii − T_jj for w = (w_i + w_j)/√2
        sums = [(within[:, i] + within[:, j]) / np.sqrt(2) for i, j in self.places]
        noise, cross = span.data_noise(np.column_stack([within, *sums]))
        root = visible(noise[:count].sum(axis=0))
        noise, cross = root.T @ noise @ root, cross.T @ root
        self.own = noise[:count], cross[:count]
        self.mutual = self._mutual(noise, count), self._mutual(cross, count)

    def _mutual(self, values: np.ndarray, count: int) -> np.ndarray:
        """Mixed terms of pairs of directions, both orders added, from the terms of each and of their sum."""
        return np.array([2 * values[count + k] - values[i] - values[j] for k, (i, j) in enumerate(self.places)])

    def of(self, projector: Float[np.ndarray, "c c"]) -> tuple[np.ndarray, np.ndarray]:
        """Noise and cross products of the block with this projector."""
        off = np.array([projector[place] for place in self.places])
        own = np.diag(projector)
        return (
            np.tensordot(own, self.own[0], axes=1) + np.tensordot(off, self.mutual[0], axes=1),
            np.tensordot(own, self.own[1], axes=1) + np.tensordot(off, self.mutual[1], axes=1),
        )

    def p_value(self, projector: Float[np.ndarray, "c c"]) -> float:
        return likelihood_ratio(*self.of(projector))[1]

    def worst(self, block: Float[np.ndarray, "c k"]) -> Float[np.ndarray, " k"]:
        """The unit vector of a block whose removal leaves the best fit."""

        def misfit(direction: Float[np.ndarray, " k"]) -> tuple[float, Float[np.ndarray, " k"]]:
            length = float(np.linalg.norm(direction))
            unit = direction / length
            out = block @ unit
            value, slope = self.deviance(block @ block.T - np.outer(out, out))
            gradient = -2 * block.T @ (slope @ out)
            return value, (gradient - unit * (unit @ gradient)) / length

        found = [scipy.optimize.minimize(misfit, start, jac=True, method="BFGS") for start in np.eye(block.shape[1])]
        best = min(found, key=lambda result: result.fun).x
        return best / np.linalg.norm(best)

    def deviance(self, projector: Float[np.ndarray, "c c"]) -> tuple[float, Float[np.ndarray, "c c"]]:
        """A smooth form of the likelihood ratio's deviance, cᵀ (M + ρ)⁻¹ (M + ε²)⁻¹ c, and its derivative."""
        noise, cross = self.of(projector)
        size, error = np.eye(len(cross)), JUDGING.model_error**2
        near, far = noise + error / JUDGING.visible * size, noise + error * size
        first, second = np.linalg.solve(near, cross), np.linalg.solve(far, cross)
        both = np.linalg.solve(far, first)
        slopes = [2 * moved @ both - first @ kept @ both - both @ kept @ second for kept, moved in self._each()]
        count = len(projector)
        result = np.diag(slopes[:count])
        for slope, (i, j) in zip(slopes[count:], self.places, strict=True):
            result[i, j] = result[j, i] = slope / 2
        return float(cross @ both), result

    def _each(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Noise and cross products of every direction, then of every pair."""
        for noise, cross in (self.own, self.mutual):
            yield from zip(noise, cross, strict=True)
