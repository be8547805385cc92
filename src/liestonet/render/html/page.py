"""The page: the verdict, a few key numbers, and the sections in order."""

from __future__ import annotations

from pathlib import Path

from liestonet.core.files import check_page
from liestonet.render.html.markup import algebra_name, render, source
from liestonet.render.html.sections import SECTIONS
from liestonet.render.use_view import solved_text
from liestonet.render.view import ResultView
from liestonet.result import Result


def write_report(result: Result, path: object) -> Path:
    """Write the page, whole or not at all, and say where it is."""
    from liestonet.trajectories.writers import replacing

    target = check_page(path)
    text = render_page(result)
    with replacing(target) as stream:
        stream.write(text.encode())
    return target


def render_page(result: Result) -> str:
    """The whole page as text."""
    view = ResultView.of(result)
    sections = [section for make in SECTIONS if (section := make(view, result)) is not None]
    kind = view.kind[0].upper() + view.kind[1:]
    chosen = f"; {view.domain.chosen}" if view.domain.chosen else ""
    whole = render(
        "report.html",
        style=source("report.css"),
        title=f"{kind} of {', '.join(view.names[: min(3, view.dimension)])}",
        kind=kind,
        origin=view.source.origin,
        verdict=view.verdict,
        clock=view.source.clock,
        equation="" if result.estimated is None else view.source.equation_line,
        solution=solved_text(result),
        facts=[(name, algebra_name(text) if name == "Algebra" else text) for name, text in view.facts],
        domain=f"{view.domain.text}{chosen}.",
        sections=[(f"section-{number}", *section) for number, section in enumerate(sections, start=1)],
        version=_version(),
    )
    return str(whole)  # plain text from here on


def _version() -> str:
    import liestonet

    return liestonet.__version__
