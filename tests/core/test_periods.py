"""Periods as people give them, waves of a turn, and boxes with periodic coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest

from liestonet.core.coordinate import Coordinate
from liestonet.core.domain import Domain
from liestonet.core.multiindex import both_waves, margin, total_degree
from liestonet.core.periods import checked_periods, period_from_text
from liestonet.core.points import lattice_cloud, tensor_cloud
from liestonet.errors import InputError

TURN = Coordinate(-1.0, 2.0, periodic=True)


@pytest.mark.parametrize(
    ("text", "name", "period"),
    [
        ("theta=2pi", "theta", 2 * math.pi),
        ("theta = 2*pi", "theta", 2 * math.pi),
        ("phi=pi/2", "phi", math.pi / 2),
        ("phi=π", "phi", math.pi),
        ("a=360", "a", 360.0),
        ("phase=1", "phase", 1.0),
        ("phase=1e-3", "phase", 1e-3),
    ],
)
def test_a_period_is_typed(text: str, name: str, period: float) -> None:
    assert period_from_text(text) == (name, pytest.approx(period, rel=1e-15))


@pytest.mark.parametrize("text", ["theta", "theta=", "=2pi", "theta=two", "theta=pi/0", "theta=2pie", ""])
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a period"):
        period_from_text(text)


@pytest.mark.parametrize("period", [0, -1.0, math.nan, math.inf, "2pi", True, None])
def test_a_period_is_a_positive_number(period: object) -> None:
    with pytest.raises(InputError, match="The period of theta"):
        checked_periods({"theta": period}, ("theta",))


def test_periods_belong_to_coordinates_that_exist() -> None:
    with pytest.raises(InputError, match="no coordinate 'phi'"):
        checked_periods({"phi": 1.0}, ("theta",))
    with pytest.raises(InputError, match="must be a dictionary"):
        checked_periods(2 * math.pi, ("theta",))
    assert not checked_periods(None, ("theta",))
    assert not checked_periods({}, ("theta",))


def test_waves_are_orthonormal_and_come_back_after_a_turn() -> None:
    points, weights = TURN.quadrature(40)
    table = TURN.table(points, 12, 0)[0]
    assert table.shape == (40, 13)
    np.testing.assert_allclose(table.T @ (weights[:, None] * table), np.eye(13), atol=1e-13)
    np.testing.assert_allclose(TURN.table(points + 3.0, 12, 3), TURN.table(points, 12, 3), rtol=1e-9, atol=1e-6)
    x = np.array([0.3])
    assert TURN.table(x, 4, 0)[0, 0, 3] == pytest.approx(math.sqrt(2) * math.cos(2 * 2 * math.pi * 0.3 / 3))
    assert TURN.table(x, 4, 0)[0, 0, 4] == pytest.approx(math.sqrt(2) * math.sin(2 * 2 * math.pi * 0.3 / 3))


def test_derivatives_of_waves_are_those_of_differences() -> None:
    x, h = np.linspace(-1, 2, 9), 1e-5
    table = TURN.table(x, 7, 4)
    for order in range(4):
        slope = (TURN.table(x + h, 7, order)[order] - TURN.table(x - h, 7, order)[order]) / (2 * h) * TURN.half
        np.testing.assert_allclose(table[order + 1], slope, rtol=1e-6, atol=1e-6 * np.abs(slope).max())


def test_a_turn_is_the_interval_of_a_periodic_coordinate() -> None:
    chosen = Domain(((0.0, 1.0), (-2.0, 2.0), (-1.0, 1.0)), chosen=True).with_periods({2: 5.0})
    assert chosen.intervals == ((0.0, 1.0), (-2.0, 2.0), (0.0, 5.0))
    assert chosen.picked == (0, 1)
    assert chosen.periodic == (2,)
    given = Domain(((0.0, 1.0), (-3.1416, 3.1416))).with_periods({1: 2 * math.pi})
    assert given.intervals[1][1] - given.intervals[1][0] == pytest.approx(2 * math.pi, rel=1e-15)
    with pytest.raises(InputError, match="one whole turn"):
        Domain(((0.0, 1.0), (0.0, 3.0))).with_periods({1: 2 * math.pi})


def test_points_are_brought_into_the_turn() -> None:
    domain = Domain(((0.0, 1.0), (-1.0, 2.0), (0.0, 1.0)), periodic=(1,))
    wrapped = domain.wrapped(np.array([[0.5, 2.5, 7.0], [0.5, -1.0, 0.0], [0.5, -7.5, 0.0]]))
    np.testing.assert_allclose(wrapped, [[0.5, -0.5, 7.0], [0.5, -1.0, 0.0], [0.5, 1.5, 0.0]])
    np.testing.assert_array_equal(domain.periods, [np.inf, 3.0, np.inf])


def test_clouds_are_even_on_a_turn() -> None:
    domain = Domain(((0.0, 1.0), (0.0, 3.0)), periodic=(1,))
    cloud = lattice_cloud(domain, 3000, edge=np.array([True, True]))
    wave = np.exp(2j * np.pi * cloud.points[:, 1] / 3)
    assert abs(np.mean(wave)) < 1e-2
    grid = tensor_cloud(domain, np.array([3, 9]))
    assert len(grid.weights) == 3 * 18
    assert grid.weights.sum() == pytest.approx(1)


def test_orders_are_frequencies_and_have_two_waves_each() -> None:
    domain = Domain(((0.0, 1.0), (0.0, 3.0), (0.0, 1.0)), periodic=(1,))
    orders = total_degree(range(3), 3, 2)
    degrees = both_waves(orders, domain.periodic)
    assert len(degrees) == len(orders) + np.count_nonzero(orders[:, 1])
    assert {tuple(row) for row in domain.orders(degrees).tolist()} == {tuple(row) for row in orders.tolist()}
    assert len(np.unique(degrees, axis=0)) == len(degrees)
    np.testing.assert_array_equal(both_waves(orders, ()), orders)


def test_the_margin_follows_the_harmonics_of_an_equation() -> None:
    constant = np.zeros((1, 2), dtype=np.int64)
    assert margin(constant, [1], 2).tolist() == [[0, 1], [0, 2]]
    assert margin(constant, [1], 2, {1: 8}).tolist() == [[0, 1], [0, 2], [0, 15], [0, 16]]
    cosine = np.array([[0, 1]])
    reached = {row[1] for row in margin(cosine, [1], 2, {1: 8}).tolist()}
    assert {13, 14, 17, 18} <= reached  # 8 − 1 and 8 + 1 turns
