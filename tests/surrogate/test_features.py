"""Features: derivatives against finite differences, and what the sets of degrees hold."""

import numpy as np
import pytest

from liestonet.core.domain import Domain
from liestonet.core.tuning import by_dimension
from liestonet.surrogate.features import Features, coordinate_variants, degree_variants, rich_degrees
from liestonet.surrogate.tuning import FIT

PLAIN = Domain(((0.0, 2.0), (0.5, 4.0)))


@pytest.mark.parametrize("logarithmic", [False, True])
@pytest.mark.parametrize("derivative", [(0,), (1,), (0, 1), (1, 1), (1, 1, 1), (0, 1, 1)])
def test_derivatives_are_those_in_the_coordinate_itself(logarithmic, derivative):
    features = Features(PLAIN, rich_degrees(1, *FIT.degrees[0][0]), (False, logarithmic))
    points = np.random.default_rng(0).uniform([0.3, 0.8], [1.7, 3.5], size=(7, 2))
    *before, last = derivative
    step = np.eye(2)[last] * 1e-5
    lower, upper = (features.values(points + sign * step, (tuple(before),))[tuple(before)] for sign in (-1, 1))
    exact = features.values(points, (derivative,))[derivative]
    np.testing.assert_allclose((upper - lower) / 2e-5, exact, rtol=2e-5, atol=2e-5 * np.abs(exact).max())


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 10])
def test_next_richer_terms_are_always_there(dimension):
    for pair in by_dimension(FIT.degrees, dimension):
        rows = {tuple(row) for row in rich_degrees(dimension, *pair).tolist()}
        for i in range(1, dimension + 1):
            unit = np.eye(dimension + 1, dtype=int)
            assert {tuple(2 * unit[i]), tuple(3 * unit[i]), tuple(unit[0]), tuple(unit[0] + unit[i])} <= rows


def test_logarithms_are_tried_only_where_the_domain_admits_them():
    plain = Domain(((0.0, 1.0), (-1.0, 1.0), (0.5, 4.0)))
    assert [features.logarithmic for features in coordinate_variants(plain)] == [(False, False, False)]
    wide = Domain(plain.intervals, singular=((None, None), (None, None), (0.0, None)))
    assert {features.logarithmic for features in coordinate_variants(wide)} == {
        (False, False, False),
        (False, False, True),
    }
    richer = degree_variants(coordinate_variants(wide)[1])
    assert all(features.logarithmic == coordinate_variants(wide)[1].logarithmic for features in richer)


def test_reciprocal_is_within_reach_of_logarithms():
    domain = Domain(((0.0, 1.0), (0.1, 4.0)), singular=((None, None), (0.0, None)))
    points = np.column_stack([np.full(400, 0.5), np.linspace(0.1, 4.0, 400)])
    errors = []
    for features in coordinate_variants(domain):
        functions = features.values(points)[()]
        fit = functions @ np.linalg.lstsq(functions, 1 / points[:, 1], rcond=None)[0]
        errors.append(np.abs(fit * points[:, 1] - 1).max())
    assert errors[1] < 0.01 < 0.1 < errors[0]
