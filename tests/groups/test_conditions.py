"""Conditions as numbers with a unit, and the order of groups."""

from __future__ import annotations

import pytest

from liestonet.groups.conditions import Condition, condition_of, conditions_of, in_order


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("300K", Condition(300, "K")),
        ("T=300", Condition(300, "", "T")),
        ("T = 300 K", Condition(300, "K", "T")),
        ("2.5 mM", Condition(2.5, "mM")),
        ("-5", Condition(-5)),
        ("−5", Condition(-5)),
        ("1e-3", Condition(0.001)),
        ("5%", Condition(5, "%")),
        ("20_µm", Condition(20, "µm")),
        ("37°C", Condition(37, "°C")),
        ("control", None),
        ("run3", None),
        ("3rd 4", None),
        ("", None),
    ],
)
def test_one_condition(label: str, wanted: Condition | None):
    assert condition_of(label) == wanted


def test_conditions_need_one_unit_and_another_number_each():
    assert [c.value for c in conditions_of(["300K", "310K"]) or ()] == [300, 310]
    assert conditions_of(["300K", "30C"]) is None
    assert conditions_of(["300K", "control"]) is None
    assert conditions_of(["300K", "300.0K"]) is None


def test_groups_stand_in_the_order_of_their_conditions():
    assert in_order(["300K", "40K", "100K"]) == ["40K", "100K", "300K"]
    assert in_order(["run10", "run9", "control"]) == ["control", "run9", "run10"]
