"""p-values of residuals that the data's errors and the prior's make: their level, and what many of the prior's hide."""

from __future__ import annotations

import numpy as np
import pytest

from liestonet.symmetry.statistical.evidence import Evidence

DATA, PRIOR, SIZE = 5, 70, 0.02


def evidence(residual: np.ndarray, turn: np.ndarray | None = None) -> Evidence:
    """One direction, whose residual has a coordinate for each error; the errors may be given in any combinations."""
    count = DATA + PRIOR
    turn = np.eye(count) if turn is None else turn
    noise = SIZE**2 * np.eye(count)
    return Evidence(
        vectors=np.ones((1, 1)),
        residual_gram=np.array([[residual @ residual]]),
        noise=noise[None],
        mutual=np.array([[np.trace(noise)]]),
        cross=(SIZE * turn.T @ residual)[:, None],
        turn=turn,
        scattered=DATA,
        complete=True,
    )


def drawn(rng: np.random.Generator) -> np.ndarray:
    """What a symmetry leaves: the data's errors, and nothing where shrinkage decides."""
    return SIZE * np.concatenate([rng.standard_normal(DATA), np.zeros(PRIOR)])


@pytest.mark.parametrize("mixed", [False, True])
def test_a_residual_that_the_data_show_is_not_hidden_by_errors_of_the_prior(mixed: bool) -> None:
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.standard_normal((DATA + PRIOR,) * 2))[0] if mixed else None
    residual = np.zeros(DATA + PRIOR)
    residual[0] = 7 * SIZE
    assert evidence(residual, turn).p_value() < 1e-6
    residual[0] = 2 * SIZE
    assert evidence(residual, turn).p_value() > 0.5
    beside = np.zeros(DATA + PRIOR)
    beside[-1] = 7 * SIZE  # of the prior's alone
    assert evidence(beside, turn).p_value() > 0.5


def test_symmetries_are_rejected_no_more_often_than_the_level_says() -> None:
    rng = np.random.default_rng(1)
    values = np.array([evidence(drawn(rng)).p_value() for _ in range(2000)])
    assert np.mean(values <= 0.05) <= 0.01
