"""The deviance of one claim in two independent parts, from inner products of its residual and of the errors' effects.

Nothing else enters the tests, so rows of residuals, one for each equation and point, need not be kept: a claim whose
equations are affine in the coefficients has these products from sums over its points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.symmetry.statistical.evidence import Evidence
from liestonet.symmetry.statistical.tuning import JUDGING
from liestonet.validation.tuning import RATIO


@dataclass(frozen=True, eq=False)
class InnerProducts:
    """|r|², Cᵀr and CᵀC of a residual r and its changes C, one column for each error of the coefficients.

    `smooth` is CᵀΨ with columns Ψ of unit length: what functions of a low degree leave in the equations. The first
    `scattered` errors are the data's; `complete` means that they are all errors, not a sample.
    """

    square: float
    cross: Float[np.ndarray, " s"]
    gram: Float[np.ndarray, "s s"]
    smooth: Float[np.ndarray, "s q"] | None
    scattered: int
    complete: bool

    def evidence(self) -> Evidence:
        """For intervals; there is nothing that a change of the claim could absorb."""
        one, count = np.eye(1), len(self.cross)
        square, mutual = one * self.square, one * np.trace(self.gram)
        cross = self.cross[:, None]
        return Evidence(one, square, self.gram[None], mutual, cross, np.eye(count), self.scattered, self.complete)

    def conditions(self) -> tuple[Float[np.ndarray, " q"], Float[np.ndarray, "s q"]]:
        """Noise of independent conditions that errors can fulfil, and the columns that turn Cᵀ into rows along them."""
        values, vectors = np.linalg.eigh(self.gram)
        sizes, turns = np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1]
        seen = sizes > JUDGING.model_error / 3
        return sizes[seen], turns[:, seen] / sizes[seen]

    def split_deviances(self) -> list[tuple[float, float]]:
        """The deviance in two independent parts: of the few smooth functions, and of all others.

        A tilt or a circulation is in the first part, where the many degrees of freedom of the rest do not hide it. A
        part without conditions has no degrees of freedom.
        """
        sizes, turns = self.conditions()
        along = turns.T @ self.cross
        rest = unexplained(self.square, along)
        if self.smooth is None or not len(sizes) or not self.smooth.shape[1]:
            return [(0.0, 0.0), scaled_deviance(along, sizes, np.eye(len(sizes)), rest)]
        noisy = np.sqrt(sizes**2 + JUDGING.model_error**2)
        first, values, _ = np.linalg.svd(noisy[:, None] * (turns.T @ self.smooth), full_matrices=True)
        few = int(np.sum(values > RATIO.seen_smooth * values.max(initial=0.0)))
        return [
            scaled_deviance(along, sizes, first[:, :few], 0.0),
            scaled_deviance(along, sizes, first[:, few:], rest),
        ]


def unexplained(square: float, along: Float[np.ndarray, " q"]) -> float:
    """What a residual costs that no error of the coefficients explains: its square beyond a small part of the claim."""
    return max(float(square - along @ along) / RATIO.unexplained**2 - 1.0, 0.0)


def scaled_deviance(
    along: Float[np.ndarray, " q"], sizes: Float[np.ndarray, " q"], part: Float[np.ndarray, "q p"], rest: float
) -> tuple[float, float]:
    """Deviance and degrees of freedom of a part of the conditions, given by orthonormal columns in units of noise.

    `along` is the residual along independent conditions and `sizes` their noise; both numbers are scaled to the χ² with
    the same mean and variance.
    """
    if not part.shape[1]:
        return rest, float(rest > 0)
    total = sizes**2 + JUDGING.model_error**2
    square = float(np.sum((part.T @ (along / np.sqrt(total))) ** 2)) + rest
    # what the data's scatter alone would make of each; all of it where the model's error may be as large
    expected = np.where(sizes > JUDGING.model_error, sizes**2 / total, 1.0)
    shares = np.einsum("qp,q,qr->pr", part, expected, part, optimize=True)
    mean, spread = float(np.trace(shares)), float(np.sum(shares**2))
    return square * mean / spread, mean**2 / spread
