"""Decisions whether a quantity is zero, given its noise: all ranks, signs and equalities of this package.

A size counts as zero if noise explains it, and as nonzero if it is well above. In between the question is open: the
more likely answer is taken, and the naming is run again with the other one to list the alternatives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from jaxtyping import Float

from liestonet.algebra.tuning import ALGEBRA

Answer = TypeVar("Answer", bound=Hashable)


@dataclass(frozen=True)
class Split:
    """Orthonormal frames of the row space and the null space of a matrix, for every copy, in one smooth gauge."""

    row: Float[np.ndarray, "copies q r"]
    null: Float[np.ndarray, "copies q n"]

    @property
    def rank(self) -> int:
        return self.row.shape[2]


@dataclass
class Decisions:
    """The decisions of one run; `flipped` are the open questions that get the less likely answer."""

    flipped: range = range(0)
    asked: int = 0
    open: list[int] = field(default_factory=list)

    def split(self, matrices: Float[np.ndarray, "copies p q"]) -> Split:
        """Row and null space, with the rank decided by the noise, the scatter between the copies."""
        copies, p, q = matrices.shape
        if p < q:
            matrices = np.concatenate([matrices, np.zeros((copies, q - p, q))], axis=1)
        left, sizes, right = np.linalg.svd(matrices[0], full_matrices=False)
        noise = matrices[1:] - matrices[0]
        rank = self._decide_rank(left, sizes, right.T, noise)
        return _perturbed_split(left, sizes, right.T, noise, rank)

    def is_zero(self, values: Float[np.ndarray, "copies ..."]) -> bool:
        """Whether the whole array is zero within the noise."""
        flat = values.reshape(len(values), -1, 1)
        return self.split(flat).rank == 0 if flat.shape[1] else True

    def _decide_rank(self, left: np.ndarray, sizes: np.ndarray, right: np.ndarray, noise: np.ndarray) -> int:
        """The number of nonzero singular values; only those not far above the whole matrix's noise are in question."""
        sure = int(np.sum(sizes > ALGEBRA.clearly_nonzero * _limit(left, right, noise, 0)))
        while sure < len(sizes) and sizes[sure] > ALGEBRA.clearly_nonzero * _limit(left, right, noise, sure):
            sure += 1
        if sure == len(sizes):
            return sure
        limit = _limit(left, right, noise, sure)
        most = sure + int(np.sum(sizes[sure:] > limit))
        guess = sure + int(np.sum(sizes[sure:] > ALGEBRA.better_guess * limit))
        if most == sure and _has_clear_entry(left, sizes, right, noise, sure):
            most = sure + 1
        if most == sure:
            return sure
        return self._leave_open(guess, most if guess < most else sure)

    def vote(self, answers: Sequence[Answer]) -> Answer:
        """Majority vote of the copies; the question is open if they disagree."""
        ranking = Counter(answers).most_common(2)
        return ranking[0][0] if len(ranking) == 1 else self._leave_open(ranking[0][0], ranking[1][0])

    def _leave_open(self, guess: Answer, other: Answer) -> Answer:
        index, self.asked = self.asked, self.asked + 1
        self.open.append(index)
        return other if index in self.flipped else guess


def _limit(left: np.ndarray, right: np.ndarray, noise: np.ndarray, rank: int) -> float:
    """Largest singular value beyond `rank` that noise explains: its norm on the remaining spaces (Weyl)."""
    seen = noise @ right[:, rank:]
    seen = seen - left[:, :rank] @ (left[:, :rank].T @ seen)
    # spectral norms from the small Gram matrix, which is accurate for the largest singular value
    gram = np.swapaxes(seen, 1, 2) @ seen
    norms = np.sqrt(np.maximum(np.linalg.eigvalsh(gram)[:, -1], 0)) if seen.shape[2] else np.zeros(1)
    return float(ALGEBRA.second_order * np.mean(norms) + ALGEBRA.deviations * np.std(norms)) + ALGEBRA.rounding


def _has_clear_entry(left: np.ndarray, sizes: np.ndarray, right: np.ndarray, noise: np.ndarray, rank: int) -> bool:
    """Whether an entry of the remainder beyond the leading singular values is far above its own and the usual noise."""
    rest = (left[:, rank:] * sizes[rank:]) @ right[:, rank:].T
    inside = right[:, rank:] @ right[:, rank:].T
    seen = noise @ inside
    seen = seen - left[:, :rank] @ (left[:, :rank].T @ seen)
    errors = np.sqrt(np.mean(seen**2, axis=0))
    typical = float(np.sqrt(np.mean(errors**2)))
    return bool(np.any(np.abs(rest) > ALGEBRA.clear_entry * np.maximum(errors, typical) + ALGEBRA.rounding))


def _perturbed_split(left: np.ndarray, sizes: np.ndarray, right: np.ndarray, noise: np.ndarray, rank: int) -> Split:
    """Row and null space of each copy, by first-order perturbation of those of the estimate."""
    row, null = right[:, :rank], right[:, rank:]
    tilt = left[:, :rank].T @ noise @ null
    tilt = tilt / np.maximum(sizes[:rank], ALGEBRA.rounding)[:, None]
    tilt = np.concatenate([np.zeros_like(tilt[:1]), tilt])
    back = np.swapaxes(tilt, 1, 2)
    return Split(_orthonormal(row + null @ back), _orthonormal(null - row @ tilt))


def _orthonormal(frames: np.ndarray) -> np.ndarray:
    """The nearest orthonormal frame, which has no extra rotation inside the span, so copies stay comparable."""
    if not frames.shape[2]:
        return frames
    u, _, v = np.linalg.svd(frames, full_matrices=False)
    return u @ v
