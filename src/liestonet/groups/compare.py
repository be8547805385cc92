"""`compare`: compares results of several groups (docs/method.md §19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.groups.common_constants import shared_constants
from liestonet.groups.comparison import Group, GroupComparison
from liestonet.groups.conditions import conditions_of, in_order
from liestonet.groups.shared_algebra import Found, shared_algebra
from liestonet.groups.tuning import COMPARISON
from liestonet.result import Result
from liestonet.result.findings import DataFindings

# Names of the coordinates, and units of the time and of these.
Columns = tuple[tuple[str, ...], tuple[str, ...]]


def compare(results: Mapping[str, Result] | Any, *, by: str = "group", level: float | Any = None) -> GroupComparison:
    """Compare results of `discover` for several groups, given by their labels.

    Two tests: whether the groups share an algebra, and whether they share the constants of their equation. Labels that
    are numbers with one unit, such as "300K" or "T=300", are a condition against which trends are fitted.
    """
    if not isinstance(results, Mapping) or not all(isinstance(value, Result) for value in results.values()):
        raise InputError('compare takes a dictionary of results by label, such as {"300K": result, "310K": other}.')
    if not all(isinstance(result.findings, DataFindings) for result in results.values()):
        raise InputError("compare takes results of discover; results from equations have no statistical errors.")
    labelled = {str(label): result for label, result in results.items()}
    groups = [group_of(label, result) for label, result in labelled.items()]
    return compared(groups, labelled, by, COMPARISON.level if level is None else float(level))


def group_of(label: str, result: Result, folder: str = "", files: int = 0) -> Group:
    """The group of one result: the facts that a comparison keeps."""
    from liestonet.formulas.notation import field_text
    from liestonet.reduction.recording.equation_fit import readable_equation

    found = result.estimated
    if found is None:
        raise InputError("A group's result is from data.")
    equation = readable_equation(result)
    summary = found.data.summary
    name = result.algebra.named
    return Group(
        label,
        folder=folder,
        files=files,
        paths=None if summary is None else summary.paths,
        increments=found.data.increments,
        dimension=int(result.dimension),
        algebra=name.text,
        resolved=name.resolved,
        alternatives=name.alternatives,
        ladder=tuple(result.ladder),
        formulas=tuple("" if f.status == "numerical" else field_text(f, result.names) for f in result.closed_forms),
        equation="" if equation is None else str(equation),
        flags=tuple(flag.code for flag in result.flags),
    )


def compared(
    groups: Sequence[Group], results: Mapping[str, Result], by: str, level: float, folder: Path | None = None
) -> GroupComparison:
    """The comparison of groups in the order of their conditions; groups without a result are listed with the reason."""
    from dataclasses import replace

    known = conditions_of([group.label for group in groups])
    places = dict(zip((g.label for g in groups), known, strict=True)) if known else {}
    by_label = {group.label: group for group in groups}
    ordered = [by_label[label] for label in in_order(by_label)]
    listed = tuple(replace(g, condition=places[g.label].value) if places else g for g in ordered)
    unit = known[0].unit if known else ""
    kept = {group.label: results[group.label] for group in listed if not group.problem}
    first = next(iter(kept.values()), None)
    symmetry = "" if first is None else first.symmetry
    begun = GroupComparison(by, unit, symmetry, level, listed, folder=folder, results=kept if folder is None else {})
    if len(kept) < 2:
        return replace(begun, notes=("Fewer than two groups have a result, so that there is nothing to compare.",))
    if other := _not_comparable(kept):
        raise InputError(next(iter(other.values())))
    algebra = shared_algebra([_found(group) for group in listed if not group.problem], level)
    constants = shared_constants(kept, algebra, unit, level)
    if isinstance(constants, str):
        return replace(begun, algebra=algebra, notes=(constants,))
    return replace(begun, algebra=algebra, constants=constants)


def only_comparable(groups: Sequence[Group], results: Mapping[str, Result]) -> list[Group]:
    """The groups; of those whose coordinates or units are not those of most, only the sentence on it is left."""
    other = _not_comparable(results)
    return [
        Group(group.label, problem=other[group.label], folder=group.folder, files=group.files)
        if group.label in other
        else group
        for group in groups
    ]


def _not_comparable(results: Mapping[str, Result]) -> dict[str, str]:
    """Groups whose coordinates or units are not those of most, each with a sentence."""
    columns = {label: (result.names, _units(result)) for label, result in results.items()}
    counts = Counter(columns.values())
    most = max(counts, key=lambda one: counts[one], default=((), ()))
    usual = next((label for label, one in columns.items() if one == most), "")
    return {label: _difference(label, one, usual, most) for label, one in columns.items() if one != most}


def _units(result: Result) -> tuple[str, ...]:
    """The units of the time and of the coordinates, each empty where none is known."""
    known = {} if result.estimated is None else result.estimated.data.units
    return tuple(known.get(name, "") for name in ("t", *result.names))


def _difference(label: str, one: Columns, usual: str, most: Columns) -> str:
    """How the columns of one group differ from those of most groups."""
    (names, units), (other_names, other_units) = one, most
    if names != other_names:
        return (
            f"The group {label} has the coordinates {', '.join(names)}, but {usual} has {', '.join(other_names)}; "
            "groups that are compared have the same columns."
        )
    pairs = zip(("t", *names), units, other_units, strict=True)
    name, own, other = next(pair for pair in pairs if pair[1] != pair[2])
    return (
        f"The group {label} has {name} in {own or 'no unit'}, but {usual} in {other or 'no unit'}; groups that are "
        "compared have the same units."
    )


def _found(group: Group) -> Found:
    dimension = 0 if group.dimension is None else group.dimension
    return Found(group.label, dimension, group.ladder, group.algebra, group.resolved, group.alternatives)
