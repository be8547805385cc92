"""What the symmetries mean, in sentences."""

from __future__ import annotations

from liestonet.render.html.markup import Section, render
from liestonet.render.view import ResultView
from liestonet.result import Result


def meaning(view: ResultView, _: Result) -> Section | None:
    """Sentences on all symmetries together, and on each generator that has a name."""
    if not len(view.meaning) and view.next_step is None:
        return None
    together = [row.text for row in view.meaning if not row.about]
    each = [row for row in view.meaning if row.about]
    return Section("What it means", render("meaning.html", together=together, each=each, next=view.next_step))
