"""Steps of Gauss–Newton between bounds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from liestonet.surrogate.newton import bounded_step


@given(seed=st.integers(0, 999))
def test_a_bounded_step_is_the_best_inside(seed: int) -> None:
    """No point of the box is better: the slope at the step points out of the box at bounds, and vanishes elsewhere."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((5, 5))
    hessian = root @ root.T + 1e-3 * np.eye(5)
    push = 3 * rng.standard_normal(5)
    low, high = np.array([-np.inf, -np.inf, 0.0, -0.1, 0.0]), np.array([np.inf, np.inf, np.inf, 0.2, 0.5])
    free = np.array([True, True, True, True, seed % 2 == 0])
    step = bounded_step(hessian, push, free, low, high)
    slope = push - hessian @ step
    at_low, at_high = step <= low + 1e-9, step >= high - 1e-9
    assert ((step >= low - 1e-9) & (step <= high + 1e-9)).all()
    inner = free & ~at_low & ~at_high
    assert np.abs(slope[inner]).max(initial=0.0) < 1e-6 * np.abs(push).max()
    assert (slope[free & at_low] <= 1e-6).all()
    assert (slope[free & at_high] >= -1e-6).all()
    assert (step[~free] == 0).all()
