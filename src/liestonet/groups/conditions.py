"""Conditions as numbers with a unit, read from the labels of groups: 300K, T=300, 2.5 mM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NUMBER = r"(?P<value>[-+−]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
# A unit follows the number; a name needs `=` before the number: `run3` is not the condition 3.
CONDITION = re.compile(rf"(?:(?P<name>[^\W\d][\w ]*?)\s*=\s*)?{NUMBER}[ _]?(?P<unit>[^\W\d_][\w/^%·µ°-]*|%|°\w?)?")


@dataclass(frozen=True)
class Condition:
    """A number, its unit, and the name before it; unit and name may be empty."""

    value: float | int
    unit: str = ""
    name: str = ""


def condition_of(label: str) -> Condition | None:
    """The condition that a group's label states; None if the label is not a number."""
    match = CONDITION.fullmatch(label.strip())
    if match is None:
        return None
    return Condition(float(match["value"].replace("−", "-")), match["unit"] or "", match["name"] or "")


def conditions_of(labels: Sequence[str]) -> tuple[Condition, ...] | None:
    """The conditions of all groups; None unless all are distinct numbers with the same unit and name."""
    found = [condition_of(label) for label in labels]
    known = tuple(condition for condition in found if condition is not None)
    kinds = {(condition.unit, condition.name) for condition in known}
    if len(known) < len(labels) or len(kinds) > 1 or len({c.value for c in known}) < len(labels):
        return None
    return known


def in_order(labels: Iterable[str]) -> list[str]:
    """Labels sorted by condition if these are numbers, else by name, with numbers inside names by size."""
    listed = list(labels)
    known = conditions_of(listed)
    if known is not None:
        return [label for _, label in sorted(zip((c.value for c in known), listed, strict=True))]
    return sorted(listed, key=_natural)


def _natural(label: str) -> list[tuple[int, float | int, str]]:
    """A sorting key that puts run10 after run9."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", label) if part]
