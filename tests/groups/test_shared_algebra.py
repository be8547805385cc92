"""Undecided is not different: what groups' ladders allow."""

from __future__ import annotations

from liestonet.core.ladder import LadderRow
from liestonet.groups.shared_algebra import Found, shared_algebra


def row(verdict: str, p_value: float = 0.5) -> LadderRow:
    return LadderRow(0.1, 0.0, 0.2, 0.1, p_value, verdict)


def group(label: str, *verdicts: str, p_value: float = 1e-6, name: str = "R", resolved: bool = True) -> Found:
    """A group whose ladder has these verdicts; rows that are none have this p-value."""
    ladder = tuple(row(verdict, p_value if verdict == "no" else 0.5) for verdict in verdicts)
    return Found(label, verdicts.count("symmetry"), ladder, name, resolved)


def test_groups_with_one_algebra_share_it():
    found = shared_algebra([group("a", "symmetry", "no"), group("b", "symmetry", "no")])
    assert (found.verdict, found.dimension) == ("shared", 1)
    assert [standing.verdict for standing in found.groups] == ["has", "has"]


def test_undecided_is_not_different():
    found = shared_algebra([group("a", "symmetry", "symmetry", "no"), group("b", "symmetry", "undecided", "no")])
    assert found.verdict == "undecided"
    assert found.groups[1].verdict == "undecided"
    assert "b does not confirm" in found.sentence


def test_a_near_symmetry_is_no_other_algebra():
    found = shared_algebra([group("a", "symmetry", "symmetry"), group("b", "symmetry", "near-symmetry")])
    assert found.verdict == "undecided"


def test_a_group_that_excludes_a_symmetry_is_different():
    found = shared_algebra([group("a", "symmetry", "symmetry", "no"), group("b", "symmetry", "no", "no")])
    assert found.verdict == "different"
    assert "which b excludes" in found.sentence


def test_exclusions_are_counted_among_all_groups():
    rich = group("rich", "symmetry", "symmetry", "no")
    weak = [group(f"g{k}", "symmetry", "no", "no", p_value=0.02) for k in range(3)]
    assert shared_algebra([rich, weak[0]]).verdict == "different"
    found = shared_algebra([rich, *weak])
    assert found.verdict == "undecided"
    assert [standing.adjusted for standing in found.groups[1:]] == [0.06, 0.06, 0.06]


def test_a_ladder_that_is_too_short_excludes_nothing():
    assert shared_algebra([group("a", "symmetry", "symmetry"), group("b", "no")]).verdict == "undecided"


def test_names_that_are_not_resolved_do_not_differ():
    first = group("a", "symmetry", name="R")
    assert shared_algebra([first, group("b", "symmetry", name="S")]).verdict == "different"
    assert shared_algebra([first, group("b", "symmetry", name="S", resolved=False)]).verdict == "undecided"


def test_groups_without_symmetries():
    assert shared_algebra([group("a", "no"), group("b", "no")]).sentence == "No group has a symmetry."
