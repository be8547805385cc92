"""Candidate directions, sorted and tested one block after the other (docs/method.md §5.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float

from liestonet.core.ladder import LadderRow
from liestonet.core.tuning import SHARED
from liestonet.symmetry.statistical.elimination import Elimination, evidence_as_it_is
from liestonet.symmetry.statistical.near_symmetries import doubtful, peeled
from liestonet.symmetry.statistical.noisy_operator import Changes, NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING, SEARCH
from liestonet.symmetry.statistical.verdicts import verdict_of


@dataclass(frozen=True, eq=False)
class Candidates:
    """Sorted directions, the first `known` of them exact; `turn` expresses them in those of `changes`.

    `level` is the level of one test.
    """

    operator: NoisyOperator
    changes: Changes
    known: int
    level: float
    turn: Float[np.ndarray, "k k"]

    @property
    def vectors(self) -> Float[np.ndarray, "m k"]:
        """The directions in the operator's basis."""
        return self.changes.vectors @ self.turn

    @property
    def count(self) -> int:
        """Number of directions."""
        return self.turn.shape[1]

    @cached_property
    def cautious(self) -> Elimination:
        """All other directions eliminated, as far as they stand out of the noise."""
        return Elimination(self.operator, self.changes, cautious=True)

    @cached_property
    def free(self) -> Elimination:
        """All other directions eliminated completely."""
        if not self.operator.noise_gram.any():
            return self.cautious
        return Elimination(self.operator, self.changes, cautious=False)

    @cached_property
    def noise(self) -> Float[np.ndarray, "k s s"]:
        """The noise of each direction before anything is absorbed."""
        return self.operator.noise(self.vectors)

    def p_value(self, first: int, length: int, span: Elimination) -> float:
        """P-value of the directions from `first` up to a length being symmetries, given that those before are."""
        block = self.turn[:, :length]
        return span.evidence(block, self.noise[first:length], range(first, length)).p_value()

    def turned(self, turn: Float[np.ndarray, "k k"]) -> Candidates:
        """The directions in another order, or other directions in their span."""
        result = replace(self, turn=self.turn @ turn)
        for name in ("cautious", "free"):  # they do not depend on the order
            if name in self.__dict__:
                result.__dict__[name] = self.__dict__[name]
        moved = np.flatnonzero(np.abs(turn - np.eye(self.count)).max(axis=0) > 0)
        if "noise" in self.__dict__:
            noise = self.noise.copy()
            noise[moved] = self.operator.noise(result.vectors[:, moved])
            result.__dict__["noise"] = noise
        return result

    def residuals(self) -> tuple[float, ...]:
        """The residual of each direction given those before it."""
        squares = [self.cautious.residual_gram(self.turn[:, : k + 1])[k, k] for k in range(self.count)]
        return tuple(np.sqrt(np.maximum(squares, 0.0)).tolist())


def candidates(
    operator: NoisyOperator, vectors: Float[np.ndarray, "m k"], known: int, level: float, given: bool = False
) -> Candidates:
    """Directions in the `given` order, or else those that the noise leaves unsorted by size sorted by likelihood."""
    found = Candidates(operator, operator.changes(vectors), known, level, np.eye(vectors.shape[1]))
    if given or operator.table.dimension > SHARED.few_coordinates:
        return found
    count = doubtful(found.cautious, known)
    return found.turned(peeled(found.free, known, count, level)) if count > 1 else found


def best_known_first(found: Candidates, consistent: int) -> Candidates:
    """Reorder the block of possible symmetries: directions that the data determine well come first."""
    known = found.known
    if consistent <= known:
        return found
    block = found.turn[:, :consistent]
    spread = found.cautious.residual_gram(block) + found.cautious.mutual(block)
    turn = np.eye(found.count)
    turn[known:consistent, known:consistent] = np.linalg.eigh(spread[known:, known:])[1]
    return found.turned(turn)


def consistent_length(found: Candidates) -> int:
    """Length of the longest chain of directions in which each block is jointly consistent with zero.

    The block may turn freely, towards near-symmetries too: the test asks only whether some block near it is a symmetry.
    """
    operator, known = found.operator, found.known

    def passes(length: int) -> bool:
        return found.p_value(known, length, found.free) > found.level

    if operator.table.dimension > SHARED.few_coordinates:
        return next(filter(passes, _cuts(found)), known)
    # with noise in every coordinate no system has more symmetries than Brownian motion
    full = operator.table.noise == operator.table.dimension
    length, limit = known, found.count - (SEARCH.extra_directions if full else 0)
    while length < limit and passes(length + 1):
        length += 1
    return length


def _cuts(found: Candidates) -> Iterator[int]:
    """Possible ends of a block of many directions: before the first that its noise excludes, or at the widest gap."""
    known, count = found.known, found.count
    alone = evidence_as_it_is(found.operator, found.changes.turned(found.turn), found.noise)
    excluded = (k for k in range(known, count) if alone.p_value(slice(k, k + 1)) <= found.level / count)
    yield (cut := next(excluded, count))
    sizes = np.array([alone.residual(k) ** 2 + alone.noise_level(k) ** 2 for k in range(known, cut)])
    if len(sizes) > 1:
        yield known + int(np.argmax(sizes[1:] / np.maximum(sizes[:-1], 1e-300))) + 1


@dataclass(frozen=True)
class Tested:
    """Directions with their intervals and p-values; the first `consistent` of them may be symmetries together.

    Nothing here depends on the tolerance; the rows have no verdict yet.
    """

    found: Candidates
    consistent: int
    rows: tuple[LadderRow, ...]

    def judged(self, tolerance: float) -> tuple[LadderRow, ...]:
        """The rows with their verdicts."""
        return tuple(
            replace(
                row,
                verdict=verdict_of(
                    k < self.consistent, row.p_value <= self.found.level, row.lower, row.upper, tolerance
                ),
            )
            for k, row in enumerate(self.rows)
        )


def tested(found: Candidates, consistent: int, error_rate: float) -> Tested:
    """Test every direction: those of the consistent block together, those beyond it one at a time."""
    return Tested(found, consistent, tuple(_tests(found, consistent, 1 - error_rate)))


def _tests(found: Candidates, consistent: int, confidence: float) -> Iterator[LadderRow]:
    """Residual, interval, noise and p-value of each direction."""
    turn, known = found.turn, found.known
    first = list(range(consistent))
    block = found.cautious.evidence(turn[:, first], found.noise[:consistent]) if consistent else None
    joint = [
        found.p_value(start, stop, found.free) if start < stop <= consistent else 1.0
        for start, stop in ((0, known), (known, consistent))
    ]
    for k in range(found.count):
        inside = k < consistent
        if block is not None and inside:
            evidence, place, p_value = block, k, joint[k >= known]
        else:
            evidence = found.cautious.evidence(turn[:, [*first, k]], found.noise[k : k + 1], [consistent])
            place, p_value = 0, evidence.p_value()
        lower, upper = evidence.interval(place, confidence)
        # a residual that bases and projections may have made is no evidence against zero
        lower = 0.0 if inside or evidence.residual(place) <= JUDGING.negligible else lower
        yield LadderRow(evidence.residual(place), lower, upper, evidence.noise_level(place), p_value, "")
