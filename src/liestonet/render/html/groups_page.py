"""The page of a comparison of groups: common symmetries, constants against the condition, and a table of groups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from liestonet.core.files import check_page
from liestonet.groups.comparison import GroupComparison
from liestonet.render.groups_view import EXPLAINED, STANDINGS, GroupsView
from liestonet.render.html import groups_plots as plots
from liestonet.render.html.markup import Section, algebra_name, picture, render, source
from liestonet.render.html.page import version
from liestonet.render.limits import MOST_LADDERS, MOST_LINES_ON_PAGE

REPORT = "report.html"


def write_comparison(comparison: GroupComparison, path: object) -> Path:
    """Write the page, never a partial file, and return its path."""
    from liestonet.trajectories.writers import replacing

    target = check_page(path)
    text = render_comparison(comparison)
    with replacing(target) as stream:
        stream.write(text.encode())
    return target


def render_comparison(comparison: GroupComparison) -> str:
    """The whole page as text."""
    said = GroupsView.of(comparison)
    sections = list(_sections(said, comparison))
    whole = render(
        "groups.html",
        style=source("report.css"),
        said=said,
        sections=[(f"section-{number}", *section) for number, section in enumerate(sections, start=1)],
        version=version(),
    )
    return str(whole)


def _sections(said: GroupsView, comparison: GroupComparison) -> Iterator[Section]:
    if said.constants:
        yield Section("Constants", _constants(said, comparison))
    yield Section("Groups", _groups(said, comparison))
    if any(group.ladder for group in comparison.groups):
        caption = "Residuals of the first directions of every group with 95 % intervals; dashed: the default tolerance"
        drawn = picture(lambda ax: plots.ladders(comparison, ax), caption, plots.ladders_size(comparison))
        more = len(plots.groups_with_ladder(comparison)) - MOST_LADDERS
        yield Section("Ladders", render("groups_ladders.html", drawn=drawn, caption=caption, more=more))


def _constants(said: GroupsView, comparison: GroupComparison) -> str:
    names = said.names
    captions = [
        f"{name}, the factor of {row.term}, by {comparison.by}" for name, row in zip(names, said.tests, strict=True)
    ]
    pictures = [
        (picture(lambda ax, k=k: plots.constant_by_group(comparison, ax, constant=k), caption), caption)
        for k, caption in enumerate(captions)
    ]
    more = len(said.constants) - MOST_LINES_ON_PAGE
    return render(
        "groups_constants.html", said=said, pictures=pictures, rows=said.constants[:MOST_LINES_ON_PAGE], more=more
    )


def _groups(said: GroupsView, comparison: GroupComparison) -> str:
    kept = comparison.folder is not None
    rows = [
        (
            row,
            quote(f"{row.folder}/{REPORT}") if kept and row.folder and not row.problem else "",
            algebra_name(row.algebra),
        )
        for row in said.rows[:MOST_LINES_ON_PAGE]
    ]
    shown = {row.standing.partition(" (")[0] for row in said.rows}
    words = [(STANDINGS[name], EXPLAINED[name]) for name in STANDINGS if STANDINGS[name] in shown]
    return render("groups_table.html", rows=rows, more=len(said.rows) - MOST_LINES_ON_PAGE, words=words)
