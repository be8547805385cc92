"""Groups that maps generate, against what is known of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from liestonet.validation.maps.affine import AffineMap, plane_rotations, signed_permutations
from liestonet.validation.maps.discrete import holm
from liestonet.validation.maps.groups import group_of


def named(*matrices: Any) -> tuple[str, int | None]:
    maps = [(str(k), AffineMap.of(sp.Matrix(matrix)).element) for k, matrix in enumerate(matrices)]
    group = group_of(maps)
    return group.name, group.order


QUARTER, MIRROR, SWAP = [[0, -1], [1, 0]], [[1, 0], [0, -1]], [[0, 1], [1, 0]]
CYCLE = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    ("matrices", "name", "order"),
    [
        ([[[-1]]], "Z2", 2),
        ([QUARTER], "Z4", 4),
        ([MIRROR, [[-1, 0], [0, 1]]], "Z2 x Z2", 4),
        ([SWAP, [[-1, 0], [0, -1]]], "Z2 x Z2", 4),
        ([QUARTER, MIRROR], "D4", 8),
        ([CYCLE], "Z3", 3),
        ([CYCLE, (-sp.eye(3)).tolist()], "Z6", 6),
        ([CYCLE, [[-1, 0, 0], [0, -1, 0], [0, 0, 1]]], "A4", 12),
        ([CYCLE, [[0, 1, 0], [1, 0, 0], [0, 0, 1]]], "D3", 6),
    ],
)
def test_known_groups(matrices: list[Any], name: str, order: int):
    assert named(*matrices) == (name, order)


def test_all_signed_permutations():
    """The hyperoctahedral groups have 2ⁿ n! elements."""
    assert [len(signed_permutations(n)) + 1 for n in (1, 2, 3)] == [2, 8, 48]
    assert named(*signed_permutations(3)) == ("S4 x Z2", 48)


def test_turns_have_their_order():
    for k, matrix in zip((3, 5, 6, 8), plane_rotations(2, (3, 5, 6, 8)), strict=True):
        assert AffineMap.of(matrix).element.order(24) == k


def test_a_shift_generates_infinitely_many_unless_it_is_part_of_a_turn():
    shift = AffineMap.of([[1]], [1])
    assert group_of([("x -> x + 1", shift.element)]).order is None
    round_about = AffineMap.of([[1]], [1], 0, [0, 6])
    assert group_of([("x -> x + 1", round_about.element)]).name == "Z6"


def test_holm_against_its_definition():
    """Holm (1979): the smallest p-value times the number of tests, the next one times one less, never falling."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    rng = np.random.default_rng(0)
    values = rng.uniform(size=12).tolist()
    adjusted = holm(values)
    assert all(a >= p for a, p in zip(adjusted, values, strict=True))
    assert np.argsort(adjusted, kind="stable")[0] == int(np.argmin(values))
