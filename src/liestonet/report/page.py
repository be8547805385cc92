"""The page: the verdict, what it rests on in a few numbers, and the sections one below the other."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markupsafe import Markup

from liestonet.pages import check_page
from liestonet.report.html import render, source
from liestonet.report.sections import SECTIONS
from liestonet.report.words import KINDS, algebra_name, has_algebra
from liestonet.result import Result
from liestonet.verdict import verdict


def write_report(result: Result, path: str | os.PathLike[str] | Any) -> Path:
    """Write the page, whole or not at all, and say where it is."""
    from liestonet.trajectories.writers import replacing

    target = check_page(path)
    text = render_page(result)
    with replacing(target) as stream:
        stream.write(text.encode())
    return target


def render_page(result: Result) -> str:
    """The whole page as text."""
    sections = [section for make in SECTIONS if (section := make(result)) is not None]
    whole = render(
        "report.html",
        style=source("report.css"),
        title=f"{KINDS[result.symmetry]} of {', '.join(result.names[:3])}",
        origin="from data" if result.standards is not None else "from an equation",
        kind=KINDS[result.symmetry],
        verdict=verdict(result),
        facts=list(_facts(result)),
        sections=[(f"section-{number}", *section) for number, section in enumerate(sections, start=1)],
        markup=Markup,
        version=_version(),
    )
    return str(whole)  # plain text from here on


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    """The few numbers that a reader looks for first."""
    undecided = sum(row.verdict == "undecided" for row in result.ladder)
    certain = "∞" if math.isinf(result.dimension) else str(result.dimension)
    yield "Dimension", f"{certain} sure, {undecided} undecided" if undecided else certain
    if has_algebra(result) and not (undecided and not result.dimension):
        yield "Algebra", algebra_name(result.algebra.name)
    if result.standards is not None:
        if result.law_dimension is not None and result.symmetry == "ito":
            yield "Of the law", str(result.law_dimension)
        yield "Increments", f"{result.data.increments:,}"
        yield "Tolerance", f"{100 * result.standards.tolerance:g} %"
    elif result.bound is not None:
        yield "Upper bound", str(result.bound)
    yield "Coordinates", str(len(result.names))


def _version() -> str:
    import liestonet

    return liestonet.__version__
