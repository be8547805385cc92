"""The paper's examples and more: dimension right, and the span within 0.01 degrees of the exact one.

The exact generators are the catalogue's, which its own tests put into the determining equations.
"""

from __future__ import annotations

import numpy as np
import pytest

import liestonet as lsn

LARGEST_ANGLE = 0.01
CASES = [
    *((key, kind) for key in ("brownian", "linear", "langevin") for kind in ("ito", "law", "fokker-planck")),
    ("bessel-drift", "ito"),
    ("bessel-drift", "law"),
    *(pytest.param("brownian-10d", kind, marks=pytest.mark.slow) for kind in ("ito", "law")),
    *((key, "fokker-planck") for key in ("ornstein-uhlenbeck", "geometric-brownian", "cir", "cir-heat", "bessel-3d")),
    *((key, "ito") for key in ("cir-linear", "brownian-sinh", "gompertz", "double-well", "harmonic-resonant")),
    *(("brownian-2d-turned", kind) for kind in ("ito", "law")),
    *(("two-noises", kind) for kind in ("ito", "law")),
    ("stochastic-resonance", "ito"),
]


@pytest.mark.parametrize(("key", "kind"), CASES)
def test_dimension_and_span(key, kind):
    system = lsn.catalogue[key]
    result = lsn.solve(system.sde, kind, formulas=False)
    assert result.dimension == system.dimension(kind)
    low, high = np.array(result.domain.intervals).T
    points = np.random.default_rng(1).uniform(low, high, (400, len(low)))
    half = result.domain.half
    for scale in (None, (half[0], list(half[1:]))):
        if result.dimension:
            angles = lsn.principal_angles(
                result.generators, system.generators(kind), points[:, 0], points[:, 1:], scale=scale
            )
            assert angles[-1] < LARGEST_ANGLE


def test_a_domain_given_in_part_is_completed():
    result = lsn.solve(lsn.SDE.parse("dx = y dt; dy = dW"), domain=[(0, 2), None, (-3, 3)], formulas=False)
    assert result.domain.intervals[0] == (0.0, 2.0)
    assert result.domain.intervals[2] == (-3.0, 3.0)
    assert result.domain.picked == (1,)
    assert not result.domain.chosen


def test_an_infinite_family_is_no_number():
    result = lsn.solve(lsn.SDE.parse("dx = dW; dy = y dt"), formulas=False)
    assert result.dimension == float("inf")
    assert "infinite" in {flag.code for flag in result.flags}
