"""The common equation of groups, its constants in each group, and tests that they are equal.

docs/method.md §19.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from liestonet.core.p_values import p_clause
from liestonet.errors import InputError
from liestonet.groups.comparison import GroupConstants, SharedConstants
from liestonet.groups.conditions import conditions_of
from liestonet.groups.shared_algebra import SharedAlgebra
from liestonet.groups.shared_constants import Equality, Joint, Trend, equal_alone, equal_together, trends
from liestonet.groups.tuning import COMPARISON
from liestonet.groups.wording import listed
from liestonet.reduction.recording.common_equation import Place, constants_on, is_root
from liestonet.reduction.recording.equation_fit import measurement_of, readable_equation, surrogate_of
from liestonet.reduction.recording.estimated_equation import in_brackets
from liestonet.result import Result


def shared_constants(
    results: Mapping[str, Result], algebra: SharedAlgebra, unit: str, level: float
) -> SharedConstants | str:
    """The tests of the constants, or the reason why there are none, in one sentence."""
    rejected = {standing.label for standing in algebra.groups if standing.verdict == "rejected"}
    able = {label: result for label, result in results.items() if label not in rejected}
    left_out = [(label, "it has another algebra, so its constants are not compared.") for label in sorted(rejected)]
    places = common_terms({label: result for label, result in able.items() if result.dimension == algebra.dimension})
    if isinstance(places, str):
        return places
    found: list[GroupConstants] = []
    for label, result in able.items():
        fitted = _fitted(label, result, places)
        if isinstance(fitted, str):
            left_out.append((label, fitted))
        else:
            found.append(fitted)
    if len(found) < 2:
        return "Fewer than two groups have constants of one equation, so that none are compared."
    return _tested(results[found[0].label], places, found, left_out, unit, level)


def common_terms(results: Mapping[str, Result]) -> list[Place] | str:
    """The union of the terms of all groups' equations; the reason, as one sentence, if it cannot be used."""
    places: dict[Place, None] = {}
    for result in results.values():
        equation = readable_equation(result)
        if equation is not None:
            places |= dict.fromkeys(equation.terms)
    if not places and not any(result.closed_forms for result in results.values()):
        return "There are no formulas, or they were not searched for, so constants are not compared."
    if not places:
        return "No group has an equation in closed form, so constants are not compared."
    if len(places) > COMPARISON.most_constants:
        return (
            f"The groups' equations have {len(places)} terms together, too many to be estimated separately; "
            "constants are not compared."
        )
    return sorted(places, key=lambda place: (len(place[0]), place[0], _degree(place[1]), str(place[1])))


def _degree(function: Any) -> int:
    return len(str(function)) if function.free_symbols else 0


def _fitted(label: str, result: Result, places: Sequence[Place]) -> GroupConstants | str:
    try:
        fitted = constants_on(surrogate_of(result), places, measurement_of(result))
    except (InputError, np.linalg.LinAlgError) as problem:
        return str(problem) if isinstance(problem, InputError) else "its constants could not be computed."
    errors = np.sqrt(np.maximum(np.diag(fitted.covariance), 0.0))
    if not (np.isfinite(errors).all() and (errors > 0).all()):
        return "its constants have no errors."
    if fitted.p_value < COMPARISON.rejected:
        return f"the common equation does not fit it ({p_clause(fitted.p_value)}), so its constants are not compared."
    values, rows = tuple(fitted.values.tolist()), fitted.covariance.tolist()
    return GroupConstants(label, values, tuple(errors.tolist()), tuple(map(tuple, rows)), fitted.p_value)


def _tested(
    result: Result, places: list[Place], found: list[GroupConstants], left_out: list[tuple[str, str]], unit: str,
    level: float,
) -> SharedConstants:  # fmt: skip
    values = np.array([group.values for group in found])
    errors = np.array([group.errors for group in found])
    together = equal_together(values, np.array([group.covariance for group in found]))
    alone = equal_alone(values, errors)
    known = conditions_of([group.label for group in found])
    lines = [] if known is None else trends(values, errors, np.array([condition.value for condition in known]))
    names = [f"{'s' if is_root(place, places) else 'c'}{k + 1}" for k, place in enumerate(places)]
    terms = [_term(place, result.names, is_root(place, places)) for place in places]
    differ = [k for k, row in enumerate(alone) if row.adjusted <= level]
    verdict = "different" if together.p_value <= level else "equal"
    differ = [k for k, row in enumerate(alone) if row.adjusted <= level and verdict == "different"]
    said = [_sentence(verdict, together, [(terms[k], alone[k]) for k in differ])]
    said += [
        _trend_sentence(line, term, unit) for line, term in zip(lines, terms, strict=False) if line.adjusted <= level
    ]
    return SharedConstants(
        equation_text(places, names, result.names), tuple(names), tuple(terms), tuple(found), tuple(left_out),
        together, tuple(alone), tuple(lines), verdict, " ".join(said),
    )  # fmt: skip


def _sentence(verdict: str, together: Joint, differ: Sequence[tuple[str, Equality]]) -> str:
    test = f"χ² = {together.statistic:.3g} with {together.freedom} degrees of freedom, {p_clause(together.p_value)}"
    if verdict == "equal":
        return f"The test does not reject that all groups have the same constants ({test})."
    if not differ:
        return f"The groups do not share all constants ({test}); no single constant differs significantly."
    parts = [f"the factor of {term} ({p_clause(row.adjusted)})" for term, row in differ]
    return f"The groups do not share all constants ({test}): they differ in {listed(parts)}."


def _trend_sentence(line: Trend, term: str, unit: str) -> str:
    """One sentence on the linear trend of a constant, if its slope is significant."""
    slope = (
        f"The factor of {term} changes by {in_brackets(line.slope, line.error)} per {unit or 'unit of the condition'}"
    )
    if line.rest is None or line.rest > COMPARISON.level:
        return f"{slope}."
    return f"{slope}, but the trend is not a straight line ({p_clause(line.rest)})."


def _term(place: Place, names: Sequence[str], root: bool) -> str:
    """The term that a constant multiplies, such as `x dt`, with the coordinate's name if there are several."""
    entry, function = place
    text = function_text(function, root)
    if len(entry) == 1:
        body, of = f"{text} dt".strip(), f"d{names[entry[0]]}"
    elif root:
        body, of = f"{text} dW".strip(), f"d{names[entry[0]]}"
    else:
        body, of = (text or "1") + " in a", f"{names[entry[0]]}{names[entry[1]]}"
    return f"{body} of {of}" if len(names) > 1 else body


def function_text(function: Any, root: bool) -> str:
    """The text of a function before a differential; empty for 1."""
    import sympy

    from liestonet.formulas.notation import expression_text

    shown: Any = sympy.sqrt(function).replace(sympy.Abs, lambda inside: inside) if root else function
    return "" if shown == 1 else expression_text(shown)


def equation_text(places: Sequence[Place], names: Sequence[str], coordinates: Sequence[str]) -> str:
    """The common equation with names for its constants; a noise of several terms is written as a square root."""
    rows = []
    for i, coordinate in enumerate(coordinates):
        drift = [_with_name(names[k], f, False) for k, (entry, f) in enumerate(places) if entry == (i,)]
        noise = [(k, f) for k, (entry, f) in enumerate(places) if entry == (i, i)]
        parts = [] if not drift else [f"({' + '.join(drift)}) dt" if len(drift) > 1 else f"{drift[0]} dt"]
        number = str(i + 1) if len(coordinates) > 1 else ""
        if len(noise) == 1 and is_root(places[noise[0][0]], places):
            parts.append(f"{_with_name(names[noise[0][0]], noise[0][1], True)} dW{number}")
        elif noise:
            parts.append(f"sqrt({' + '.join(_with_name(names[k], f, False) for k, f in noise)}) dW{number}")
        rows.append(f"d{coordinate} = {' + '.join(parts) or '0'}")
    return "; ".join(rows)


def _with_name(name: str, function: Any, root: bool) -> str:
    return f"{name} {function_text(function, root)}".strip()
