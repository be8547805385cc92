"""The texts of a comparison of groups, which the terminal and the page show."""

from __future__ import annotations

from dataclasses import dataclass

from liestonet.core.p_values import p_text
from liestonet.groups.comparison import Group, GroupComparison
from liestonet.groups.shared_algebra import Standing
from liestonet.groups.shared_constants import Trend
from liestonet.reduction.recording.estimated_equation import in_brackets
from liestonet.render.kinds import KINDS

STANDINGS = {"has": "as many", "undecided": "not decided", "rejected": "fewer"}
EXPLAINED = {
    "has": "The group has as many symmetries as the most symmetric one.",
    "undecided": "The group has fewer confirmed symmetries, but its tests do not exclude the others: more data may "
    "decide.",
    "rejected": "The group's tests exclude as many symmetries as the most symmetric group has.",
}


@dataclass(frozen=True)
class GroupRow:
    """One group in the table; `standing` is empty if it is not compared, `problem` says why it has no result."""

    label: str
    folder: str
    problem: str
    increments: str
    dimension: str
    algebra: str
    standing: str
    equation: str
    flags: str


@dataclass(frozen=True)
class TestRow:
    """The tests of one constant: the term of which it is the factor, the tests, and p-values."""

    name: str
    term: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class GroupsView:
    """Sentences and tables of a comparison."""

    title: str
    verdict: str
    sentences: tuple[str, ...]
    rows: tuple[GroupRow, ...]
    equation: str
    names: tuple[str, ...]
    constants: tuple[tuple[str, tuple[str, ...]], ...]
    tests: tuple[TestRow, ...]
    columns: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, comparison: GroupComparison) -> GroupsView:
        """The view of a comparison."""
        first, *others = comparison.sentences()
        found = comparison.constants
        return cls(
            title=f"{len(comparison.groups)} groups by {comparison.by}",
            verdict=first,
            sentences=tuple(others),
            rows=tuple(_row(group, comparison) for group in comparison.groups),
            equation="" if found is None else found.equation,
            names=() if found is None else found.names,
            constants=_constants(comparison),
            tests=_tests(comparison),
            columns=_columns(comparison),
            facts=_facts(comparison),
        )


def _row(group: Group, comparison: GroupComparison) -> GroupRow:
    standing = _standing(group, comparison)
    said = "" if standing is None else STANDINGS[standing.verdict]
    if standing is not None and standing.adjusted is not None and standing.verdict == "rejected":
        said += f" (p {p_text(standing.adjusted)})"
    name = group.algebra if group.resolved else " or ".join((group.algebra, *group.alternatives))
    dimension = "–" if group.dimension is None else str(group.dimension)
    count = f"{group.increments:,}" if group.increments else "–"
    flags = ", ".join(dict.fromkeys(group.flags))
    return GroupRow(group.label, group.folder, group.problem, count, dimension, name, said, group.equation, flags)


def _standing(group: Group, comparison: GroupComparison) -> Standing | None:
    if comparison.algebra is None:
        return None
    return next((row for row in comparison.algebra.groups if row.label == group.label), None)


def _constants(comparison: GroupComparison) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = comparison.constants
    if found is None:
        return ()
    return tuple(
        (g.label, tuple(in_brackets(v, e) for v, e in zip(g.values, g.errors, strict=True))) for g in found.groups
    )


def _columns(comparison: GroupComparison) -> tuple[str, ...]:
    found = comparison.constants
    if found is None:
        return ()
    line = (f"slope per {comparison.unit or 'unit'}", "slope is 0: p", "straight line: p")
    return ("weighted mean", "all equal: p", *(line if found.trends else ()))


def _tests(comparison: GroupComparison) -> tuple[TestRow, ...]:
    found = comparison.constants
    if found is None:
        return ()
    rows = []
    for k, (name, term, equal) in enumerate(zip(found.names, found.terms, found.alone, strict=True)):
        cells = (in_brackets(equal.mean, equal.error), p_text(equal.adjusted))
        rows.append(TestRow(name, term, cells + (_trend(found.trends[k]) if found.trends else ())))
    return tuple(rows)


def _trend(line: Trend) -> tuple[str, ...]:
    rest = "–" if line.rest is None else p_text(line.rest)
    return in_brackets(line.slope, line.error), p_text(line.adjusted), rest


def _facts(comparison: GroupComparison) -> tuple[tuple[str, str], ...]:
    """Key numbers at the top of the page."""
    ready = [group for group in comparison.groups if not group.problem]
    dimensions = sorted({group.dimension for group in ready if group.dimension is not None})
    facts = [
        (
            "Groups",
            f"{len(ready)} of {len(comparison.groups)}" if len(ready) < len(comparison.groups) else str(len(ready)),
        ),
        ("Kind", KINDS[comparison.symmetry].several if comparison.symmetry in KINDS else "–"),
        ("Dimensions", ", ".join(map(str, dimensions)) or "–"),
    ]
    if comparison.algebra is not None:
        facts.append(("Algebra", comparison.algebra.verdict))
    if comparison.constants is not None:
        words = {"equal": "not rejected", "different": "rejected"}
        facts.append(("Equal constants", words[comparison.constants.verdict]))
    return tuple(facts)
