"""The page: the verdict, a few key numbers, the interactive part, and the sections in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from liestonet.core.files import check_page
from liestonet.core.threads import few_threads
from liestonet.render.html.markup import algebra_name, render, source
from liestonet.render.html.moving.embedding import checksum, embedded
from liestonet.render.html.moving.page_data import not_moved, page_data
from liestonet.render.html.sections import SECTIONS
from liestonet.render.use_view import solved_text
from liestonet.render.view import ResultView
from liestonet.result import Result

# The page's scripts, one concept each, in the order of their dependencies.
SCRIPTS = ("fields", "flow", "plot", "paths", "steps", "stage", "ladder", "start")


def write_report(result: Result, path: object, tolerances: Sequence[float] | None = None) -> Path:
    """Write the page, never a partial file, and return its path."""
    from liestonet.trajectories.writers import replacing

    target = check_page(path)
    text = render_page(result, tolerances)
    with replacing(target) as stream:
        stream.write(text.encode())
    return target


@few_threads
def render_page(result: Result, tolerances: Sequence[float] | None = None) -> str:
    """The whole page as text; `tolerances` are those of the ladder's slider in addition to the result's own."""
    view = ResultView.of(result)
    data = page_data(view, result, tolerances)
    script = scripts() if data is not None else ""
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
        version=version(),
        still=not_moved(result, data),
        moving=None if data is None else data["moving"],
        data=None if data is None else embedded(data),
        script=script,
        checksum=checksum(script),
    )
    return str(whole)  # plain text from here on


def scripts() -> Markup:
    """All scripts of the page as one block with its own scope."""
    files = "\n".join(source(f"scripts/{name}.js") for name in SCRIPTS)
    return Markup(f'\n"use strict";\n{{\n{files}\n}}\n')


def version() -> str:
    """The version of the software that makes a page."""
    import liestonet

    return liestonet.__version__
