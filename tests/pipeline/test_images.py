"""Images of Brownian motion, Ornstein–Uhlenbeck and Bessel processes under changes of coordinates and of time.

The generators are carried along exactly (solve_exact.py); part of the table is solved here, all in test_solve.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn
import solve_cases_images
from solve_exact import Case, exact_generators, linear, worst_residual

LARGEST_ANGLE = 0.01
QUICK = {
    "softplus of bm": "fokker-planck",
    "1/bm": "law",
    "moving frame of bm": "fokker-planck",
    "logistic of ou": "ito",
    "moving exp of growth": "ito",
    "bridge": "fokker-planck",
    "forced": "fokker-planck",
    "log of bessel": "law",
    "1/bessel": "fokker-planck",
    "ou in the exponential of time": "ito",
    "bessel in the logarithm of time": "ito",
    "three noises": "law",
    "no symmetry": "fokker-planck",
}
ROWS = [(item, QUICK[item.name]) for item in solve_cases_images.CASES if item.name in QUICK]


def check(item: Case, kind: str) -> None:
    """Dimension and span of one row."""
    result = lsn.solve(lsn.SDE.parse(item.text), kind, item.domain, formulas=False)
    low, high = np.array(result.domain.intervals).T
    points = np.random.default_rng(7).uniform(low, high, (300, len(low)))
    assert worst_residual(item, kind, points[:2]) < 1e-14, "the table is wrong"
    exact, half = item.answers[kind], result.domain.half
    assert result.dimension == len(exact)
    for scale in (None, (half[0], list(half[1:]))):
        found = lsn.principal_angles(
            result.generators, exact_generators(item, kind), points[:, 0], points[:, 1:], scale=scale
        )
        assert found[-1] < LARGEST_ANGLE


@pytest.mark.parametrize(("item", "kind"), ROWS, ids=[item.name for item, _ in ROWS])
def test_dimension_and_span(item: Case, kind: str) -> None:
    check(item, kind)


def test_a_box_that_noise_crosses_a_million_times() -> None:
    """In its units β is a millionth of ξ, and all six generators are right to the last digit nevertheless."""
    check(linear(-1).named("tiny", ((0.0, 1.0), (1e-3, 2e-3))), "fokker-planck")
