"""A result as HTML for notebooks: the contents of the terminal as tables without scripts, or the page in a frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from liestonet.algebra.commutators import commutator_table
from liestonet.core.numbers import is_whole
from liestonet.errors import InputError
from liestonet.formulas.notation import field_text
from liestonet.render.combinations import combination_text
from liestonet.render.limits import LARGEST_TABLE, MOST_LINES
from liestonet.render.view import ResultView
from liestonet.render.view_parts import AlgebraView, CandidatesView, Direction, Folded, GeneratorsView, LadderView

if TYPE_CHECKING:
    import sympy

POWER = re.compile(r"\^(-?\w+|\(-?\w+(?:/\w+)?\))")
CELL = "style='text-align:left;padding:0.1em 0.8em'"


@dataclass(frozen=True)
class Shown:
    """A page as the output of a cell, in a frame whose scripts have no access to the notebook."""

    page: str
    height: int

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.page, quote=True)}" title="LieStoNet report" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )


def checked_height(height: object) -> int:
    """The height of a page in a notebook, checked."""
    if not is_whole(height) or not 100 <= height <= 10_000:
        raise InputError(f"The height of a page in a notebook is a number of pixels from 100 to 10000, not {height!r}.")
    return int(height)


def render_html(view: ResultView) -> str:
    """The HTML of a result, as one element."""
    return f"<div>{''.join(_parts(view))}</div>"


def _parts(view: ResultView) -> Iterator[str]:
    source, domain = view.source, view.domain
    yield f"<p><b>{escape(view.verdict)}</b></p>"
    if source.clock:
        yield _paragraph(source.clock)
    if source.equation_line:
        yield _paragraph(f"Equation: {source.equation_line}")
    yield _paragraph(f"Domain: {domain.text}{f'; {domain.chosen}' if domain.chosen else ''}.")
    yield _ladder(source.ladder)
    if view.generators is not None:
        yield _generators(view.generators, view.names)
    if len(view.meaning):
        yield _titled("What it means", "".join(map(_paragraph, view.meaning.sentences())))
    if source.candidates is not None:
        yield _candidates(source.candidates)
    if view.algebra is not None:
        yield from _algebra(view.algebra)
    yield from map(_paragraph, source.levels)
    for flag in view.flags:
        yield f"<p><i>{escape(flag.code)}</i>: {escape(f'{flag.message} {flag.action}')}</p>"
    yield from map(_paragraph, view.validation)
    if view.next_step is not None:
        command = f"<code>{escape(view.next_step.command)}</code>: {escape(view.next_step.why)}."
        yield _titled("Next", f"<p>{command}</p>")
    if source.data:
        yield _titled("Data", _table([(escape(label), escape(text)) for label, text in source.data]))


def _ladder(ladder: LadderView) -> str:
    """The rows of the ladder as in a terminal; of many with one verdict the first and the last."""
    rows, empty = [], ("",) * (len(ladder.columns) - 1)
    for line in ladder.lines():
        if isinstance(line, Direction):
            rows.append((str(line.position), *map(escape, line.cells), line.shown))
        elif isinstance(line, Folded):
            rows.append(("…", f"{line.count} more", *empty, line.shown))
        else:
            rows.append(("", "", *empty, escape(line.text)))
    return _titled(ladder.heading, _table(rows, ("#", *ladder.columns, "verdict")) + _paragraph(ladder.legend))


def _generators(generators: GeneratorsView, names: tuple[str, ...]) -> str:
    """One row per generator: its formula, or first terms if it has none, and its status."""
    rows = [
        (
            _name(k),
            _formula(row.first_terms if row.formula is None else field_text(row.formula, names)),
            escape(row.status),
        )
        for k, row in enumerate(generators.rows[:MOST_LINES])
    ]
    if len(generators.rows) > MOST_LINES:
        rows.append(("…", f"{len(generators.rows) - MOST_LINES} more", ""))
    note = _paragraph(generators.note) if generators.note else ""
    return _titled(generators.heading, _table(rows)) + note


def _candidates(candidates: CandidatesView) -> str:
    rows = [(str(row.position), _formula(row.first_terms), row.interval, row.verdict) for row in candidates.rows]
    return _titled(candidates.heading, _table(rows, ("#", "field", "residual", "verdict")))


def _algebra(algebra: AlgebraView) -> Iterator[str]:
    if algebra.name:
        yield f"<p>Algebra: <b>{escape(algebra.name)}</b>. {escape(algebra.explanation)}</p>"
    found, count = algebra.commutators, algebra.generators
    if found and count <= LARGEST_TABLE:
        table, names = commutator_table(found, count), [_name(k) for k in range(count)]
        rows = [(name, *(_combination(value) for value in row)) for name, row in zip(names, table, strict=True)]
        yield _titled(algebra.heading, _table(rows, ("[·, ·]", *names)))
    elif found:
        shown = list(found.items())[:MOST_LINES]
        rows = [(f"[{_name(i)}, {_name(j)}]", _combination(value)) for (i, j), value in shown]
        more = [("…", f"{len(found) - MOST_LINES} more")] if len(found) > MOST_LINES else []
        yield _titled(algebra.heading, _table([*rows, *more]))
    yield _paragraph(" ".join(sentence for sentence in (algebra.rest, algebra.residuals) if sentence))


def _name(position: int) -> str:
    return f"X<sub>{position + 1}</sub>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _titled(title: str, body: str) -> str:
    return f"<p><b>{escape(title)}</b></p>{body}"


def _formula(text: str) -> str:
    """A formula with powers as superscripts."""
    return POWER.sub(lambda match: f"<sup>{match[1].strip('()')}</sup>", escape(text))


def _combination(value: sympy.Expr) -> str:
    """A sum of generators, with their numbers as indices."""
    return re.sub(r"X(\d+)", r"X<sub>\1</sub>", _formula(combination_text(value)))


def _table(rows: list[tuple[str, ...]], heading: tuple[str, ...] = ()) -> str:
    head = f"<tr>{''.join(f'<th {CELL}>{cell}</th>' for cell in heading)}</tr>" if heading else ""
    body = "".join(f"<tr>{''.join(f'<td {CELL}>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}{body}</table>"
