"""A comparison of groups in a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from liestonet.groups.comparison import GroupComparison
from liestonet.render.groups_view import STANDINGS, GroupsView
from liestonet.render.limits import MOST_LINES
from liestonet.render.terminal import indented, plain_table

COLOURS = {STANDINGS["has"]: "", STANDINGS["undecided"]: "yellow", STANDINGS["rejected"]: "red"}


def render_groups(comparison: GroupComparison) -> Group:
    """The verdict, a line for each group, the constants, and the tests between the groups."""
    said = GroupsView.of(comparison)
    parts: list[RenderableType] = [Text(said.verdict, style="bold")]
    parts += [Text(sentence) for sentence in said.sentences]
    parts += ["", Text(f"Groups by {comparison.by}", style="bold"), Padding(_groups(said), (0, 0, 0, 2))]
    parts += _more(len(said.rows))
    if said.constants:
        parts += ["", Text(f"Constants of {said.equation}", style="bold"), Padding(_constants(said), (0, 0, 0, 2))]
        parts += _more(len(said.constants))
        parts += ["", Text("Tests of the constants", style="bold"), Padding(_tests(said), (0, 0, 0, 2))]
    return Group(*parts)


def _groups(said: GroupsView) -> Table:
    table = plain_table()
    table.add_column("group", no_wrap=True)
    for heading in ("increments", "dimension"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("algebra")
    table.add_column("symmetries")
    for row in said.rows[:MOST_LINES]:
        if row.problem:
            table.add_row(row.label, "–", "–", "no result", "")
        else:
            colour = COLOURS.get(row.standing.partition(" (")[0], "")
            table.add_row(row.label, row.increments, row.dimension, row.algebra, Text(row.standing, style=colour))
    return table


def _constants(said: GroupsView) -> Table:
    table = plain_table()
    table.add_column("group", no_wrap=True)
    for name in said.names:
        table.add_column(name, justify="right", no_wrap=True)
    for label, cells in said.constants[:MOST_LINES]:
        table.add_row(label, *cells)
    return table


def _tests(said: GroupsView) -> Table:
    table = plain_table()
    table.add_column("constant of", no_wrap=True)
    for heading in said.columns:
        table.add_column(heading, justify="right")
    for row in said.tests:
        table.add_row(f"{row.term} ({row.name})", *row.cells)
    return table


def _more(count: int) -> list[RenderableType]:
    hidden = count - MOST_LINES
    return [indented(f"{hidden} more in groups.json and on the page.")] if hidden > 0 else []
