"""A result as HTML for notebooks: one sentence, generators, commutators, notes. No scripts, nothing loaded."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from liestonet.algebra.commutators import commutator_table
from liestonet.algebra.notation import expression_text, field_text
from liestonet.result import Result
from liestonet.terminal import MOST_LINES, first_terms
from liestonet.verdict import is_open, verdict

LARGEST_TABLE = 10
POWER = re.compile(r"\^(-?\w+|\(-?\w+(?:/\w+)?\))")
CELL = "style='text-align:left;padding:0.1em 0.8em'"


def render_html(result: Result) -> str:
    """The whole piece, in one element."""
    return f"<div>{''.join(_parts(result))}</div>"


def _parts(result: Result) -> Iterator[str]:
    yield f"<p><b>{escape(verdict(result))}</b></p>"
    if result.fields.count:
        yield _generators(result)
        yield from _algebra(result)
    for flag in result.flags:
        yield f"<p><i>{escape(flag.code)}</i>: {escape(f'{flag.message} {flag.action}')}</p>"


def _generators(result: Result) -> str:
    """One row a generator: its formula, or first terms where it has none, and its status."""
    formulas = result.formulas()
    known = [row.status != "numerical" for row in formulas]
    terms = first_terms(result) if not formulas or not all(known) else []
    rows = []
    for position in range(min(result.fields.count, MOST_LINES)):
        has_formula = bool(formulas) and known[position]
        text = field_text(formulas[position], result.names) if has_formula else terms[position]
        rows.append((_name(position), _formula(text), escape(formulas[position].status) if formulas else ""))
    if result.fields.count > MOST_LINES:
        rows.append(("…", f"{result.fields.count - MOST_LINES} more", ""))
    return _table(rows)


def _algebra(result: Result) -> Iterator[str]:
    algebra, count = result.algebra, result.fields.count
    if is_open(result):
        return
    if math.isfinite(result.dimension):
        yield f"<p>Algebra: <b>{escape(algebra.named.text)}</b>. {escape(algebra.named.explanation)}</p>"
    if 1 < count <= LARGEST_TABLE:
        table = commutator_table(result.brackets(), count)
        names = [_name(k) for k in range(count)]
        rows = [(name, *(_combination(value) for value in row)) for name, row in zip(names, table, strict=True)]
        yield _table(rows, ("[·, ·]", *names))
    elif count > 1:
        found = list(result.brackets().items())
        rows = [(f"[{_name(i)}, {_name(j)}]", _combination(value)) for (i, j), value in found[:MOST_LINES]]
        more = [("…", f"{len(found) - MOST_LINES} more")] if len(found) > MOST_LINES else []
        yield _table([*rows, *more])


def _name(position: int) -> str:
    return f"X<sub>{position + 1}</sub>"


def _formula(text: str) -> str:
    """A formula with its powers raised."""
    return POWER.sub(lambda match: f"<sup>{match[1].strip('()')}</sup>", escape(text))


def _combination(value: Any) -> str:
    """A sum of generators, their numbers as indices."""
    return re.sub(r"X(\d+)", r"X<sub>\1</sub>", _formula(expression_text(value)))


def _table(rows: list[tuple[str, ...]], heading: tuple[str, ...] = ()) -> str:
    head = f"<tr>{''.join(f'<th {CELL}>{cell}</th>' for cell in heading)}</tr>" if heading else ""
    body = "".join(f"<tr>{''.join(f'<td {CELL}>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}{body}</table>"
