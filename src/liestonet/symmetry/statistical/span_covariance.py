"""The covariance of a span of symmetries due to the errors of the coefficients (docs/method.md §7.1).

Where the symmetries hold exactly, an error δ_s of the parameters is compensated by a turn of the span; the turns of all
errors together are the span's covariance.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.symmetry.statistical.elimination import Elimination
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.tuning import JUDGING

Turns = Float[np.ndarray, "s size k"]


def turns_of(operator: NoisyOperator, vectors: Float[np.ndarray, "m k"]) -> Turns:
    """Uncorrelated turns of a span, one standard deviation each, as coefficients in the operator's basis."""
    changes = operator.changes(vectors)
    moved = np.moveaxis(Elimination(operator, changes, cautious=False).absorbed(changes.with_basis), 1, 0)
    count = moved.shape[1:]
    # the same covariance in few orthogonal directions
    _, sizes, rows = np.linalg.svd(moved.reshape(len(moved), -1), full_matrices=False)
    kept = (sizes > JUDGING.negligible_turn * sizes[0]) & (np.arange(len(sizes)) < JUDGING.most_turns)
    turns = (sizes[kept, None] * rows[kept]).reshape(-1, *count)
    return -np.einsum("am,smk->sak", operator.whitening, turns)


def turned_by(turns: Turns, whitening: Float[np.ndarray, "m m"]) -> float:
    """Root mean square angle of error of the worst direction of the span; `whitening` is the operator's."""
    lengths = np.linalg.solve(whitening, np.moveaxis(turns, 0, 1).reshape(len(whitening), -1))
    columns = lengths.reshape(len(whitening), len(turns), turns.shape[2])
    gram = np.einsum("msk,msl->kl", columns, columns)
    return float(np.sqrt(max(np.linalg.eigvalsh(gram)[-1], 0.0))) if columns.size else 0.0
