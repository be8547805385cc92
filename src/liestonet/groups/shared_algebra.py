"""Tests whether groups share an algebra, from the test of each group's symmetries (docs/method.md §19.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liestonet.core.ladder import LadderRow
from liestonet.core.p_values import p_clause
from liestonet.groups.shared_constants import holm
from liestonet.groups.tuning import COMPARISON
from liestonet.groups.wording import listed


@dataclass(frozen=True)
class Found:
    """The findings for one group: its dimension, its ladder, and the name of its algebra with the alternatives."""

    label: str
    dimension: int
    ladder: tuple[LadderRow, ...]
    name: str
    resolved: bool
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Standing:
    """One group compared with the most symmetric one: "has", "undecided" or "rejected", and the test's p-value.

    `adjusted` is Holm's p-value over all groups. Both are None if the group has as many symmetries.
    """

    label: str
    verdict: str
    p_value: float | None = None
    adjusted: float | None = None


@dataclass(frozen=True)
class SharedAlgebra:
    """The outcome: "shared", "undecided" or "different", and the reason in one sentence.

    `dimension` is the largest of any group, `name` that of the algebra.
    """

    verdict: str
    dimension: int
    name: str
    sentence: str
    groups: tuple[Standing, ...]


def shared_algebra(found: Sequence[Found], level: float = COMPARISON.level) -> SharedAlgebra:
    """The outcome: groups differ if one has symmetries that another rejects, at a familywise level."""
    most = max(group.dimension for group in found)
    richest = [group for group in found if group.dimension == most]
    name = next((group.name for group in richest if group.resolved), richest[0].name)
    lacking = [group for group in found if group.dimension < most]
    p_values = [_p_value(group, most) for group in lacking]
    adjusted = dict(zip((group.label for group in lacking), zip(p_values, holm(p_values), strict=True), strict=True))
    standings = tuple(_standing(group, most, adjusted.get(group.label), level) for group in found)
    verdict, sentence = _verdict(standings, richest, most, name)
    return SharedAlgebra(verdict, most, name, sentence, standings)


def _p_value(group: Found, most: int) -> float:
    """The p-value of `most` symmetries in a group: 1 if its test does not reject the last of them.

    A near-symmetry, whose residual is below the tolerance, does not count against them.
    """
    excluded = len(group.ladder) >= most and group.ladder[most - 1].verdict == "no"
    return group.ladder[most - 1].p_value if excluded else 1.0


def _standing(group: Found, most: int, tested: tuple[float, float] | None, level: float) -> Standing:
    if tested is None:
        return Standing(group.label, "has")
    rejected = tested[1] <= level
    return Standing(group.label, "rejected" if rejected else "undecided", *tested)


def _verdict(standings: Sequence[Standing], richest: Sequence[Found], most: int, name: str) -> tuple[str, str]:
    labels = {verdict: [s.label for s in standings if s.verdict == verdict] for verdict in ("rejected", "undecided")}
    what = f"{most} {'symmetry' if most == 1 else 'symmetries'}"
    if labels["rejected"]:
        highest = max(s.adjusted for s in standings if s.verdict == "rejected" and s.adjusted is not None)
        return "different", (
            f"The groups do not share an algebra: {listed([g.label for g in richest])} "
            f"{'has' if len(richest) == 1 else 'have'} {what}, which {listed(labels['rejected'])} "
            f"{'excludes' if len(labels['rejected']) == 1 else 'exclude'} "
            f"({p_clause(highest)} at most, among all groups)."
        )
    others = [g.name for g in richest if g.resolved and g.name != name]
    if others:
        return "different", f"The groups have {what} each, but their algebras are {listed([name, *set(others)])}."
    if labels["undecided"]:
        return "undecided", (
            f"No group excludes the {what} of {listed([g.label for g in richest])}, but "
            f"{listed(labels['undecided'])} {'does' if len(labels['undecided']) == 1 else 'do'} not confirm "
            f"{'it' if most == 1 else 'them'}: more data may decide."
        )
    if not most:
        return "shared", "No group has a symmetry."
    if not all(group.resolved for group in richest):
        return (
            "undecided",
            f"All {len(standings)} groups have {what}; which algebra they span is not decided in every group.",
        )
    return "shared", f"All {len(standings)} groups have {what}, and the algebra {name}."
