"""Evidence on any block of directions, from one factorisation; what other directions can absorb is projected out.

For a block V the equations are projected on the complement of D's range on all other directions, V^⊥. With A = DᵀD + R,
R a regularisation, O a basis of V^⊥ and S = O (OᵀAO)⁻¹ Oᵀ, the inner products of two vectors x and y after projection
are xᵀy − (Dᵀx)ᵀ (S + SRS) (Dᵀy). For all blocks inside one span V₀ the directions outside V₀ are eliminated once; the
part of V₀ outside a block adds a matrix of low rank to S (docs/method.md §5.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.noisy_operator import Changes, NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING


class Elimination:
    """A span V₀ with all other directions eliminated; if `cautious`, only as far as they stand out of the noise."""

    def __init__(self, operator: NoisyOperator, changes: Changes, cautious: bool) -> None:
        self.operator, self.changes = operator, changes
        vectors = changes.vectors
        regular = JUDGING.rounding * np.eye(len(vectors))
        if cautious:
            regular = regular + operator.noise_gram
        whole = operator.gram + regular
        rounding = JUDGING.relative_rounding * float(np.trace(whole)) * np.eye(len(vectors))
        self._regular, whole = regular + rounding, whole + rounding
        self._others = np.linalg.qr(vectors, mode="complete")[0][:, vectors.shape[1] :]
        self._factor = scipy.linalg.cho_factor(self._others.T @ whole @ self._others, check_finite=False)
        rest = vectors - self.absorbed(whole @ vectors)
        behind = self._regular @ rest
        self._inner = rest.T @ whole @ rest
        self._noisy = rest.T @ behind
        self._low = np.concatenate([rest, self.absorbed(behind)], axis=1)

    def absorbed(self, images: Float[np.ndarray, "m ..."]) -> Float[np.ndarray, "m ..."]:
        """The change of the other directions that absorbs given images under Dᵀ."""
        flat = self._others.T @ images.reshape(len(images), -1)
        return (self._others @ scipy.linalg.cho_solve(self._factor, flat, check_finite=False)).reshape(images.shape)

    def followed(self, shift: Float[np.ndarray, " s"], largest: float) -> Float[np.ndarray, "m k"]:
        """The span, turned by at most `largest`, to absorb what it can when the errors change by `shift`."""
        step = self.absorbed(self._own + np.einsum("msk,s->mk", self.changes.with_basis, shift))
        length = float(np.linalg.norm(step, ord=2))
        return np.linalg.qr(self.changes.vectors - step * min(1.0, largest / max(length, 1e-300)))[0]

    def _projected(self, images: Float[np.ndarray, "m ..."]) -> Float[np.ndarray, "m ..."]:
        """S + SRS of the directions outside the span, applied to images."""
        once = self.absorbed(images)
        return once + self.absorbed(np.tensordot(self._regular, once, axes=1))

    @cached_property
    def _own(self) -> Float[np.ndarray, "m k"]:
        return self.operator.gram @ self.changes.vectors

    @cached_property
    def _low_own(self) -> Float[np.ndarray, "k2 k"]:
        return self._low.T @ self._own

    @cached_property
    def _low_changes(self) -> Float[np.ndarray, "k2 s k"]:
        return np.tensordot(self._low.T, self.changes.with_basis, axes=1)

    @cached_property
    def _absorbed_changes(self) -> Float[np.ndarray, "m s k"]:
        return self._projected(self.changes.with_basis)

    @cached_property
    def _absorbed_own(self) -> Float[np.ndarray, "m k"]:
        return self._projected(self._own)

    @cached_property
    def _residuals(self) -> Float[np.ndarray, "k k"]:
        return self.changes.vectors.T @ self._own - self._own.T @ self._absorbed_own

    @cached_property
    def _mutual(self) -> Float[np.ndarray, "k k"]:
        size = self.changes.with_basis.shape[2]
        first, second = self.changes.with_basis.reshape(-1, size), self._absorbed_changes.reshape(-1, size)
        return self.changes.mutual - first.T @ second

    def _left_over(self, block: Float[np.ndarray, "k b"]) -> Float[np.ndarray, "k2 k2"]:
        """The contribution of the rest of the span to S + SRS, in terms of `_low`."""
        count = len(block)
        rest = np.linalg.qr(block, mode="complete")[0][:, block.shape[1] :]
        inner = np.linalg.inv(rest.T @ self._inner @ rest) if rest.shape[1] else np.zeros((0, 0))
        solved = rest @ inner @ rest.T
        result = np.zeros((2 * count, 2 * count))
        result[:count, :count] = solved + solved @ self._noisy @ solved
        result[:count, count:] = result[count:, :count] = solved
        return result

    def residual_gram(self, block: Float[np.ndarray, "k b"]) -> Float[np.ndarray, "b b"]:
        """Inner products of the projected residuals of a block; its columns are directions in terms of V₀."""
        low = self._low_own
        total = block.T @ (self._residuals - low.T @ self._left_over(block) @ low) @ block
        return (total + total.T) / 2

    def mutual(self, block: Float[np.ndarray, "k b"]) -> Float[np.ndarray, "b b"]:
        """Inner products of the projected noise of a block, summed over the errors."""
        low = self._low_changes
        over = np.tensordot(self._left_over(block), low, axes=1)
        size = low.shape[2]
        total = block.T @ (self._mutual - low.reshape(-1, size).T @ over.reshape(-1, size)) @ block
        return (total + total.T) / 2

    def evidence(
        self,
        block: Float[np.ndarray, "k b"],
        noise: Float[np.ndarray, "w s s"],
        wanted: Sequence[int] | None = None,
    ) -> Evidence:
        """The evidence on the wanted directions of a block; `noise` is theirs before anything is absorbed."""
        chosen = list(range(block.shape[1])) if wanted is None else list(wanted)
        turn, over, count = block[:, chosen], self._left_over(block), len(chosen)
        changes, low = self.changes.with_basis @ turn, self._low_changes @ turn
        vectors = self.changes.vectors @ turn
        left = np.array(noise)
        absorbed = self._absorbed_changes @ turn
        for k in range(count):
            left[k] -= changes[:, :, k].T @ absorbed[:, :, k] + low[:, :, k].T @ over @ low[:, :, k]
            left[k] = (left[k] + left[k].T) / 2
        low_own = over @ (self._low_own @ turn)
        own = vectors - self._absorbed_own @ turn
        cross = np.einsum("msk,mk->sk", changes, own) - np.einsum("lsk,lk->sk", low, low_own)
        gram, mutual = (part[np.ix_(chosen, chosen)] for part in (self.residual_gram(block), self.mutual(block)))
        operator = self.operator
        return Evidence(vectors, gram, left, mutual, cross, operator.turn, operator.scattered, operator.complete)

    def data_noise(
        self, directions: Float[np.ndarray, "k c"]
    ) -> tuple[Float[np.ndarray, "c d d"], Float[np.ndarray, "d c"]]:
        """Noise from the data's own errors in directions of V₀, and its products with residuals; the block is V₀."""
        data = self.operator.data
        left = self.operator.noise(self.changes.vectors @ directions, data)
        changes, absorbed = (
            np.einsum("msk,sd->mdk", part, data, optimize=True) @ directions
            for part in (self.changes.with_basis, self._absorbed_changes)
        )
        for k in range(directions.shape[1]):
            left[k] -= changes[:, :, k].T @ absorbed[:, :, k]
            left[k] = (left[k] + left[k].T) / 2
        own = (self.changes.vectors - self._absorbed_own) @ directions
        return left, np.einsum("mdk,mk->dk", changes, own)


def gather(operator: NoisyOperator, vectors: Float[np.ndarray, "m k"], cautious: bool = True) -> Evidence:
    """The evidence on one block of orthonormal directions."""
    elimination = Elimination(operator, operator.changes(vectors), cautious)
    return elimination.evidence(np.eye(vectors.shape[1]), operator.noise(vectors))


def unprojected(operator: NoisyOperator, vectors: Float[np.ndarray, "m k"]) -> Evidence:
    """The evidence on directions that are not free to turn: all their noise counts."""
    changes = operator.changes(vectors)
    return evidence_as_it_is(operator, changes, operator.noise(vectors))


def evidence_as_it_is(operator: NoisyOperator, changes: Changes, noise: Float[np.ndarray, "k s s"]) -> Evidence:
    """The evidence without projection, from changes and noise computed before."""
    vectors = changes.vectors
    gram, cross = vectors.T @ operator.gram @ vectors, np.einsum("msk,mk->sk", changes.with_basis, vectors)
    return Evidence(vectors, gram, noise, changes.mutual, cross, operator.turn, operator.scattered, operator.complete)
