"""The ladder at other tolerances, as `discover(tolerance=…)` would give it on the same fit (docs/method.md §5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.ladder import LadderRow
from liestonet.core.numbers import is_real
from liestonet.core.p_values import p_text
from liestonet.errors import InputError
from liestonet.inference.clock import dated, unconfirmed
from liestonet.inference.stages import ladders
from liestonet.render.first_terms import first_terms
from liestonet.render.html.moving.embedding import rounded
from liestonet.render.html.moving.tuning import MOVING
from liestonet.render.kinds import VERDICT_WORDS
from liestonet.render.limits import LEAST_TERM_OF_CANDIDATE, MOST_DIRECTIONS_DRAWN
from liestonet.render.numbers import percent, percent_interval
from liestonet.render.view import ResultView
from liestonet.result import Result
from liestonet.result.findings import DataFindings
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.fields import Fields
from liestonet.symmetry.determining.kinds import kind_from_data
from liestonet.symmetry.statistical.search import Search

DIGITS = 4  # of residuals in the picture; their text has its own


def answers(view: ResultView, result: Result, tolerances: Sequence[float] | Any | None) -> dict[str, Any] | None:
    """The ladder at each tolerance including the result's own; for an equation only its ladder; None if it is empty."""
    if not result.ladder:
        return None
    found = result.estimated
    directions = result.directions if result.directions.count >= len(result.ladder) else None
    if found is None:
        rows = _rows(result, result.ladder, directions, [row.residual for row in view.source.ladder.rows])
        return {"answers": [{"tolerance": None, "dimension": str(result.dimension), "rows": rows}], "own": 0}
    own = found.criteria.tolerance
    answer = {"tolerance": own, "dimension": str(result.dimension), "rows": _rows(result, result.ladder, directions)}
    shown = _others(result, found, _wanted(result, tolerances, own))
    made = sorted([answer, *shown], key=lambda each: each["tolerance"])
    return {"answers": _once_each(made), "own": made.index(answer)}


def _once_each(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Remove rows that repeat those of an earlier ladder; the later one then refers to it by its position."""
    firsts = [next(k for k, other in enumerate(made) if other["rows"] == each["rows"]) for each in made]
    return [
        each if first == k else each | {"rows": first} for k, (each, first) in enumerate(zip(made, firsts, strict=True))
    ]


def _wanted(result: Result, tolerances: Sequence[float] | Any | None, own: float) -> list[float]:
    """Tolerances to compute in addition to the result's own."""
    if tolerances is None:
        few = len(result.names) <= MOVING.tolerance_coordinates
        tolerances = MOVING.tolerances if few else ()
    for value in tolerances:
        if not (is_real(value) and 0 < value < 1):
            raise InputError(f"A tolerance must be a number between 0 and 1, not {value!r}.")
    return sorted({float(value) for value in tolerances} - {own})


def _others(result: Result, found: DataFindings, tolerances: list[float]) -> list[dict[str, Any]]:
    """Ladders at other tolerances; none if the search on the fit does not reproduce the result's own ladder.

    That is so for networks, for a dimension given by the user, or if tuning values have changed.
    """
    surrogate, settings = found.surrogate, {} if result.provenance is None else result.provenance.settings
    if not tolerances or not isinstance(surrogate, Surrogate) or found.training is not None or "dimension" in settings:
        return []
    imposing = settings.get("engine") != "Spectral(refit=False)"
    kind, criteria = kind_from_data(result.symmetry), found.criteria
    try:
        searches = list(ladders(kind, surrogate, [criteria.tolerance, *tolerances], criteria.error_rate, imposing))
    except (InputError, np.linalg.LinAlgError):
        return []
    judged = [
        _confirmed(found, each, value) for each, value in zip(searches, [criteria.tolerance, *tolerances], strict=True)
    ]
    if not _alike(judged[0].rows, result.ladder):
        return []
    return [
        {
            "tolerance": value,
            "dimension": str(each.count),
            "rows": _rows(result, each.rows, each.fields(each.vectors, result.fields.has_beta)),
        }
        for value, each in zip(tolerances, judged[1:], strict=True)
    ]


def _confirmed(found: DataFindings, search: Search, tolerance: float) -> Search:
    """The search after the date test and the goodness-of-fit tests."""
    if found.clock is not None and found.clock.date is not None:
        search = dated(search, replace(found.clock, date=found.clock.date.at(tolerance)), False)
    return unconfirmed(search, False) if any(test.rejected for test in found.tests) else search


def _alike(first: Sequence[LadderRow], second: Sequence[LadderRow]) -> bool:
    """Whether two ladders are equal up to rounding."""
    return len(first) == len(second) and all(
        a.verdict == b.verdict and abs(a.residual - b.residual) <= 1e-6 * max(a.residual, b.residual, a.noise)
        for a, b in zip(first, second, strict=True)
    )


def _rows(
    result: Result, ladder: Sequence[LadderRow], directions: Fields | None, residuals: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Every direction with verdict, numbers and first terms; `residuals` are their texts if there are no intervals."""
    texts = [""] * len(ladder)
    if directions is not None:
        kept = directions.mixed(np.eye(directions.count)[:, : len(ladder)])
        texts = first_terms(kept, result.domain, result.names, LEAST_TERM_OF_CANDIDATE / 10)
    return [
        {
            "verdict": row.verdict,
            "word": VERDICT_WORDS[row.verdict],
            "numbers": rounded([row.residual, row.lower, row.upper, row.noise], DIGITS),
            "residual": percent(row.residual) if residuals is None else residuals[k],
            "interval": percent_interval(row.lower, row.upper) if residuals is None else "",
            "noise": percent(row.noise) if residuals is None else "",
            "p": p_text(row.p_value) if residuals is None else "",
            "field": texts[k],
        }
        for k, row in enumerate(ladder[:MOST_DIRECTIONS_DRAWN])
    ]
