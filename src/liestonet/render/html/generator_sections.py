"""Sections of generators as formulas and pictures, of undecided candidates, and of the algebra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from liestonet.algebra.commutators import commutator_table
from liestonet.formulas.notation import field_text
from liestonet.render.html import generator_plots as plots
from liestonet.render.html.markup import Section, formula, picture, render
from liestonet.render.html.mathml import combination, field_mathml, generator_name
from liestonet.render.html.plot_geometry import VISIBLE, component_sizes, line_through, moved_coordinates, real_paths
from liestonet.render.limits import LARGEST_TABLE, MOST_LINES_ON_PAGE, MOST_PICTURED
from liestonet.render.view import ResultView
from liestonet.render.view_parts import GeneratorView
from liestonet.result import Result

# A τ whose relative change is below this counts as constant.
STILL = 1e-6


class Card(NamedTuple):
    """One generator on the page."""

    name: Markup
    formula: Markup | str
    status: str
    pictures: list[tuple[Markup, str]]


def generators(view: ResultView, result: Result) -> Section | None:
    """Every generator; some with pictures."""
    said = view.generators
    if said is None:
        return None
    pictured = _pictured(result)
    cards = [_card(row, i, view.names) for i, row in enumerate(said.rows[:MOST_LINES_ON_PAGE])]
    html = render(
        "generators.html",
        said=said,
        cards=[cards[i]._replace(pictures=list(_pictures(result, i))) for i in sorted(pictured)],
        others=[card for i, card in enumerate(cards) if i not in pictured],
        hidden=len(said.rows) - len(cards),
        time=_time_picture(result),
    )
    return Section(said.heading, html)


def _card(row: GeneratorView, position: int, names: tuple[str, ...]) -> Card:
    name = formula(generator_name(position))
    if row.formula is None:
        return Card(name, row.first_terms, row.status, [])
    return Card(name, formula(field_mathml(row.formula, names), field_text(row.formula, names)), row.status, [])


def _pictured(result: Result) -> set[int]:
    """The generators that get pictures: all, or, if there are many, those that move most variables."""
    sizes = component_sizes(result)[:MOST_LINES_ON_PAGE]
    moved = (sizes > VISIBLE * sizes.max(axis=1, keepdims=True)).sum(axis=1)
    return set(np.argsort(-moved, kind="stable")[:MOST_PICTURED].tolist())


def _pictures(result: Result, i: int) -> Iterator[tuple[Markup, str]]:
    """Pictures of ξ over the data, of the flow, and for densities of β, each if it is not trivial."""
    n, sizes = len(result.names), component_sizes(result)[i]
    visible = sizes > VISIBLE * max(float(sizes.max()), np.finfo(float).tiny)
    where = "over the data" if real_paths(result) else "over the domain"
    if len(moved_coordinates(result, i)):
        what = f"ξ of X{i + 1} {where}"
        caption = what if n <= 2 else f"{what}; the coordinates it moves most, the others at their midpoints"
        yield picture(lambda ax: plots.state_part(result, ax, generator=i), caption), caption
    if visible[: n + 1].any():
        what = "recorded paths" if real_paths(result) else "lines through the domain"
        caption = f"Flow of X{i + 1}: {what} (grey) and their images (colour)"
        yield picture(lambda ax: plots.flow(result, ax, generator=i), caption), caption
    if result.fields.has_beta and visible[n + 1] and not _is_constant(result, i):
        caption = f"β of X{i + 1}, which changes the density"
        yield picture(lambda ax: plots.density_part(result, ax, generator=i), caption), caption


def _is_constant(result: Result, i: int) -> bool:
    """Whether β is a number."""
    from liestonet.core.points import lattice_cloud

    points = lattice_cloud(result.domain, 50).points
    values = result.evaluated.components(points, [()])[()][i, :, -1]
    return bool(np.ptp(values) < 1e-3 * np.abs(values).max())


def _time_picture(result: Result) -> Markup | None:
    """τ of all generators, if some of them moves time other than by a translation."""
    sizes = component_sizes(result)
    moving = sizes[:, 0] > VISIBLE * sizes.max(axis=1)
    tau = result.evaluated.components(line_through(result, 0), [()])[()][:, :, 0]
    if not (moving & (np.ptp(tau, axis=1) > STILL * np.abs(tau).max(axis=1))).any():
        return None
    description = "τ(t) of every generator that moves time"
    return picture(lambda ax: plots.time_parts(result, ax), description, (4.4, 2.8))


def candidates(view: ResultView, _: Result) -> Section | None:
    """Near-symmetries and undecided directions, with their first terms."""
    said = view.source.candidates
    return None if said is None else Section(said.heading, render("candidates.html", said=said))


def algebra(view: ResultView, _: Result) -> Section | None:
    """Name and explanation, and the commutators as a table, or as a list if that is too wide."""
    said = view.algebra
    if said is None:
        return None
    names = [formula(generator_name(k)) for k in range(said.generators)]
    table: list[tuple[Markup, list[Markup]]] = []
    pairs: list[tuple[Markup, Markup]] = []
    if said.commutators and said.generators <= LARGEST_TABLE:
        cells = commutator_table(said.commutators, said.generators)
        table = [(names[i], [formula(combination(value)) for value in row]) for i, row in enumerate(cells)]
    else:
        shown = list(said.commutators.items())[:MOST_LINES_ON_PAGE]
        pairs = [(formula(_bracket(i, j)), formula(combination(value))) for (i, j), value in shown]
    more = 0 if table else len(said.commutators) - len(pairs)
    html = render("algebra.html", said=said, table=table, names=names, pairs=pairs, more=more)
    return Section("The algebra", html)


def _bracket(i: int, j: int) -> str:
    return f"<mo>[</mo>{generator_name(i)}<mo>,</mo>{generator_name(j)}<mo>]</mo>"


def maps(view: ResultView, result: Result) -> Section | None:
    """Mirrors, rotations and permutations, or a sentence that they were not tested."""
    found = result.discrete
    if found is None:
        untested = view.source.untested
        return Section("Discrete symmetries", render("discrete.html", head=untested, rows=())) if untested else None
    head, *_ = view.discrete
    columns = ("map", "verdict", "residual", "95 % interval", "p-value", "among all", "centre")
    rows = found.table()
    html = render(
        "discrete.html", head=head, columns=columns, rows=rows[:MOST_LINES_ON_PAGE], more=len(rows) - MOST_LINES_ON_PAGE
    )
    return Section("Discrete symmetries", html)
