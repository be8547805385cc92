"""Generators as formulas and pictures, candidates that are not decided, and the algebra they span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from liestonet.algebra.commutators import commutator_table
from liestonet.algebra.notation import field_text
from liestonet.report import generator_plots as plots
from liestonet.report.html import Section, formula, picture, render
from liestonet.report.looks import VISIBLE, component_sizes, real_paths
from liestonet.report.mathml import combination, field_mathml, generator_name
from liestonet.report.words import MEANINGS, STATUSES, has_algebra
from liestonet.result import Result
from liestonet.terminal import first_terms
from liestonet.terminal_data import percent
from liestonet.verdict import is_open

# Pictures of more would make the page heavy and tell little more; all formulas are shown.
MOST_PICTURED, MOST_LISTED = 6, 80
LARGEST_TABLE = 12
# Terms below this part of a candidate are left out.
ROUNDED = 0.03


class Card(NamedTuple):
    """One generator on the page."""

    name: Markup
    formula: Markup | str
    status: str
    pictures: list[tuple[Markup, str]]


def generators(result: Result) -> Section | None:
    """Every generator; the first few with pictures."""
    count = result.fields.count
    if not count:
        return None
    pictured = _pictured(result)
    shown = list(_cards(result, pictured))
    statuses = [status for status in STATUSES if any(card.status == status for card in shown)]
    time = _time_picture(result)
    html = render(
        "generators.html",
        meaning=MEANINGS[result.symmetry],
        cards=[card for i, card in enumerate(shown) if i in pictured],
        others=[card for i, card in enumerate(shown) if i not in pictured],
        hidden=count - len(shown),
        statuses=[(status, STATUSES[status]) for status in statuses],
        time=time,
        from_data=result.standards is not None,
        infinite=result.dimension == float("inf"),
    )
    return Section("Generators" if count > 1 else "The generator", html)


def _pictured(result: Result) -> set[int]:
    """Which generators get pictures: of very many those that move most variables, the first ones among equals."""
    sizes = component_sizes(result)
    moved = (sizes > VISIBLE * sizes.max(axis=1, keepdims=True)).sum(axis=1)
    return set(np.argsort(-moved, kind="stable")[:MOST_PICTURED].tolist())


def _cards(result: Result, pictured: set[int]) -> Iterator[Card]:
    formulas = result.formulas()
    texts = first_terms(result) if not formulas or any(row.status == "numerical" for row in formulas) else []
    for i in range(min(result.fields.count, MOST_LISTED)):
        known = bool(formulas) and formulas[i].status != "numerical"
        shown = (
            formula(field_mathml(formulas[i], result.names), field_text(formulas[i], result.names))
            if known
            else texts[i]
        )
        pictures = list(_pictures(result, i)) if i in pictured else []
        yield Card(formula(generator_name(i)), shown, formulas[i].status if formulas else "numerical", pictures)


def _pictures(result: Result, i: int) -> Iterator[tuple[Markup, str]]:
    """ξ over the data, what the flow does, and for densities β; each where there is something to see."""
    n, sizes = len(result.names), component_sizes(result)[i]
    visible = sizes > VISIBLE * max(float(sizes.max()), np.finfo(float).tiny)
    where = "over the data" if result.standards is not None else "over the domain"
    if visible[1 : n + 1].any():
        what = f"ξ of X{i + 1} {where}"
        caption = what if n <= 2 else f"{what}; the coordinates it moves most, the others at their middle"
        yield picture(lambda ax: plots.state_part(result, ax, generator=i), caption), caption
    if visible[: n + 1].any():
        what = "recorded paths" if real_paths(result) else "lines through the domain"
        caption = f"Flow of X{i + 1}: {what} in grey, carried along in colour"
        yield picture(lambda ax: plots.flow(result, ax, generator=i), caption), caption
    if result.fields.has_beta and visible[n + 1] and not _is_constant(result, i):
        caption = f"β of X{i + 1}, which changes the density"
        yield picture(lambda ax: plots.density_part(result, ax, generator=i), caption), caption


def _is_constant(result: Result, i: int) -> bool:
    """Whether β is a number."""
    from liestonet.symmetry.operator import lattice_cloud

    points = lattice_cloud(result.domain, 50).points
    values = result.fields.components(points, [()])[()][i, :, -1]
    return bool(np.ptp(values) < 1e-3 * np.abs(values).max())


def _time_picture(result: Result) -> Markup | None:
    """τ of all generators, where more than a shift of time is among them."""
    sizes = component_sizes(result)
    if not (sizes[:, 0] > VISIBLE * sizes.max(axis=1)).any():
        return None
    description = "τ of every generator that moves time, over time"
    return picture(lambda ax: plots.time_parts(result, ax), description, (4.4, 2.8))


def candidates(result: Result) -> Section | None:
    """Directions beyond those counted that the data do not rule out, with how they begin."""
    if result.standards is None:
        return None
    rest = list(enumerate(result.ladder))[result.fields.count :]
    open_rows = [(k, row) for k, row in rest if row.verdict in ("near-symmetry", "undecided")]
    if not open_rows or result.directions.count < len(result.ladder):
        return None
    chosen = result.directions.mixed(np.eye(result.directions.count)[:, [k for k, _ in open_rows]])
    rounded = tuple(replace(row, residual=ROUNDED / 10) for _, row in open_rows)
    shown = first_terms(replace(result, fields=chosen, ladder=rounded))
    rows = [(k + 1, text, row.verdict, f"{percent(row.lower)} – {percent(row.upper)}")
            for (k, row), text in zip(open_rows, shown, strict=True)]  # fmt: skip
    return Section("Not counted, not excluded", render("candidates.html", rows=rows))


def algebra(result: Result) -> Section | None:
    """Name and explanation, and the commutator table."""
    count = result.fields.count
    if not count:
        return None
    closed = not is_open(result)
    found = result.brackets() if count > 1 and closed else {}
    names = [formula(generator_name(k)) for k in range(count)]
    table: list[tuple[Markup, list[Markup]]] = []
    pairs: list[tuple[Markup, Markup]] = []
    if found and count <= LARGEST_TABLE:
        cells = commutator_table(found, count)
        table = [(names[i], [formula(combination(value)) for value in row]) for i, row in enumerate(cells)]
    else:
        shown = list(found.items())[:MOST_LISTED]
        pairs = [(formula(_bracket(i, j)), formula(combination(value))) for (i, j), value in shown]
    html = render(
        "algebra.html",
        named=result.algebra.named if has_algebra(result) else None,
        table=table,
        heading=names,
        pairs=pairs,
        more=len(found) - len(pairs) if pairs else 0,
        commutes=not found,
        closure=_closure(result),
        leaves=not closed,
        single=count == 1,
    )
    return Section("The algebra", html)


def _bracket(i: int, j: int) -> str:
    return f"<mo>[</mo>{generator_name(i)}<mo>,</mo>{generator_name(j)}<mo>]</mo>"


def _closure(result: Result) -> str:
    closure: Any = result.algebra.closure
    return percent(closure) if result.standards is not None else f"{closure:.0e}"
