"""A result in a terminal: the verdict in one sentence, then the evidence in tables of at most 80 columns.

Pure functions from a `ResultView` to Rich renderables; the command line prints them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from liestonet.render.combinations import combination_text
from liestonet.render.limits import MOST_LINES
from liestonet.render.view import ResultView
from liestonet.render.view_parts import AlgebraView, Direction, Folded, GeneratorsView, LadderView, Row

if TYPE_CHECKING:
    import sympy

STYLES = {
    "symmetry": "green",
    "near-symmetry": "yellow",
    "undecided": "yellow",
    "no": "dim",
    "proved": "green",
    "consistent": "yellow",
    "numerical": "yellow",
}


def render(view: ResultView, *more: RenderableType) -> Group:
    """The output of `solve` and `discover`; further renderables `more` are placed before the next command."""
    parts: list[RenderableType] = [Text(view.verdict, style="bold")]
    for block in _blocks(view):
        parts += ["", *block]
    parts += more
    if view.next_step is not None:
        parts += ["", _heading("Next"), *map(indented, (view.next_step.command, f"{view.next_step.why}."))]
    return Group(*parts)


def _blocks(view: ResultView) -> Iterator[Iterable[RenderableType]]:
    """The parts after the verdict, as blocks separated by blank lines."""
    if view.source.clock:
        yield [Text(view.source.clock)]
    if view.source.equation_line:
        yield [Text(f"Equation: {view.source.equation_line}")]
    if not view.source.data:
        yield [_domain_line(view)]
    ladder = view.source.ladder
    legend = [indented(Text(ladder.legend, style="dim"))] if ladder.rows else []
    yield [_heading(ladder.heading), _ladder_table(ladder), *legend]
    if view.generators is not None:
        yield _generator_lines(view.generators, view.names)
    if len(view.meaning):
        yield [_heading("What it means"), *map(indented, view.meaning.sentences())]
    if view.algebra is not None:
        if view.algebra.name:
            yield [Text.assemble((f"Algebra: {view.algebra.name}", "bold"), f". {view.algebra.explanation}")]
        yield _commutators(view.algebra)
    if view.discrete:
        yield [_heading("Discrete symmetries"), *map(indented, view.discrete)]
    if view.source.levels:
        yield [Text(sentence) for sentence in view.source.levels]
    if view.flags:
        yield [_heading("Flags"), *(_note(flag.code, f"{flag.message} {flag.action}") for flag in view.flags)]
    if view.validation:
        yield [_heading("Validation"), *map(indented, view.validation)]
    if view.source.data:
        yield [_heading("Data"), _rows([*view.source.data, ("domain", view.domain.text)])]


def _domain_line(view: ResultView) -> Text:
    """A line with the box, and whether it was chosen automatically."""
    domain, text = view.domain, Text(f"Domain: {view.domain.text}")
    if not domain.chosen:
        return text.append(".")
    other = f'; for another: --domain "{domain.example}"' if domain.example else ""
    return text.append(f"; {domain.chosen}{other}.", style="dim")


def _ladder_table(ladder: LadderView) -> Padding:
    table = plain_table()
    justify = "right" if len(ladder.columns) > 1 else "left"
    table.add_column("#", no_wrap=True, justify="right")
    for heading in ladder.columns:
        table.add_column(heading, no_wrap=True, justify=justify)
    table.add_column("verdict", no_wrap=True)
    for line in ladder.lines():
        if isinstance(line, Direction):
            table.add_row(str(line.position), *line.cells, Text(line.shown, style=STYLES[line.verdict]))
            continue
        empty = [""] * (len(ladder.columns) - 1)
        if isinstance(line, Folded):
            table.add_row("…", f"{line.count} more", *empty, line.shown, style="dim")
        else:
            table.add_row("", "", *empty, line.text, style="bold")
    return Padding(table, (0, 0, 0, 2))


def _generator_lines(generators: GeneratorsView, names: tuple[str, ...]) -> Iterator[RenderableType]:
    from liestonet.formulas.notation import field_text

    yield _heading(generators.heading)
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_column(no_wrap=True)
    for row in generators.rows[:MOST_LINES]:
        text = row.first_terms if row.formula is None else field_text(row.formula, names)
        table.add_row(row.label, text, Text(row.status, style=STYLES[row.status]))
    if len(generators.rows) > MOST_LINES:
        table.add_row("…", f"{len(generators.rows) - MOST_LINES} more, see --json", "")
    yield Padding(table, (0, 0, 0, 2))
    if generators.note:
        yield indented(generators.note)


def _commutators(algebra: AlgebraView) -> Iterator[RenderableType]:
    yield _heading(algebra.heading)
    lines = commutator_lines(algebra.commutators)
    yield from map(indented, lines[:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield indented(f"… {len(lines) - MOST_LINES} more, see --json")
    yield from (indented(sentence) for sentence in (algebra.rest, algebra.residuals) if sentence)


def commutator_lines(found: dict[tuple[int, int], sympy.Expr]) -> list[str]:
    """Lines such as `[X1, X2] = 2 X1`, one per pair."""
    return [f"[X{i + 1}, X{j + 1}] = {combination_text(value)}" for (i, j), value in found.items()]


def _rows(rows: Iterable[Row]) -> Padding:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    for label, text in rows:
        table.add_row(label, text)
    return Padding(table, (0, 0, 0, 2))


def _note(code: str, text: str) -> Padding:
    return indented(Text.assemble((f"{code}: ", "yellow"), text))


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def plain_table() -> Table:
    """A table without lines."""
    return Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")


def indented(text: str | Text) -> Padding:
    """A paragraph below its heading."""
    return Padding(Text(text) if isinstance(text, str) else text, (0, 0, 0, 2))
