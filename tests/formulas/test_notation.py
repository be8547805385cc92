"""How generators and their constants are written."""

from __future__ import annotations

import pytest

from liestonet.formulas.notation import constant_name


@pytest.mark.parametrize(
    ("coordinates", "expected"), [(("x", "y"), "c2"), (("c1", "x"), "c_2"), (("c2",), "c_2"), (("c", "cx1"), "c2")]
)
def test_a_constant_is_called_like_no_coordinate(coordinates, expected):
    assert constant_name("c", 2, coordinates) == expected
