"""Uses of the symmetries in a terminal: new coordinates, the solution, invariants and martingales."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from liestonet.reduction.wording import proof, rows, verdict
from liestonet.render.terminal import STYLES, indented
from liestonet.render.use_view import Used


def render_use(used: Used) -> Group:
    """The output of `--reduce`, shown after the symmetries."""
    made = used.reduction
    parts: list[RenderableType] = ["", Text(verdict(made), style="bold")]
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    for label, text in rows(made):
        table.add_row(label, text)
    parts.append(Padding(table, (0, 0, 0, 2)))
    if said := proof(made):
        parts.append(indented(Text(said, style=STYLES[made.status])))
    listed = (
        ("Constant along every path", used.constants()),
        ("Martingales", used.averages()),
    )
    for heading, found in listed:
        if found:
            parts += ["", Text(heading, style="bold")]
            parts += [indented(Text.assemble(text, (f"  {status}", "dim"))) for text, status in found]
    return Group(*parts)
