"""The evidence: the residual of every direction, and the estimated drift and diffusion."""

from __future__ import annotations

from markupsafe import Markup

from liestonet.core.p_values import p_text
from liestonet.errors import InputError
from liestonet.render.html import evidence_plots as plots
from liestonet.render.html.markup import Section, formula, picture, render
from liestonet.render.html.mathml import equation_mathml
from liestonet.render.html.plot_geometry import numeric_source
from liestonet.render.limits import MOST_COORDINATES_DRAWN, MOST_DIRECTIONS_DRAWN
from liestonet.render.view import ResultView
from liestonet.render.view_parts import Direction, Folded
from liestonet.result import Result


def directions(view: ResultView, result: Result) -> Section | None:
    """The ladder, as a picture and as a table."""
    ladder = view.source.ladder
    if not ladder.rows:
        return None
    height = 1.3 + 0.17 * min(len(ladder.rows), MOST_DIRECTIONS_DRAWN)
    description = "Residual of every direction, and the tolerance"
    lines = [
        ("row" if isinstance(line, Direction) else "folded" if isinstance(line, Folded) else "gap", line)
        for line in ladder.lines()
    ]
    drawn = picture(lambda ax: plots.ladder(result, ax), description, (4.4, height))
    html = render("directions.html", ladder=ladder, lines=lines, picture=drawn)
    return Section(ladder.heading, html)


def coefficients(view: ResultView, result: Result) -> Section | None:
    """Drift and diffusion of up to three coordinates, each along its main variable; the equation, if it is known."""
    shown = range(min(view.dimension, MOST_COORDINATES_DRAWN))
    html = render(
        "coefficients.html",
        equations=[] if view.symbolic is None else [formula(line) for line in equation_mathml(view.symbolic)],
        pictures=list(_pictures(result, shown)),
        explanation=view.source.coefficients,
        hidden=view.dimension - len(shown),
        several=view.dimension > 1,
    )
    return Section("Drift and diffusion", html)


def by_date(view: ResultView, result: Result) -> Section | None:
    """Drift and noise in blocks of the date, for data on a clock that restarts."""
    date = None if result.measurement is None else result.measurement.clock.date
    if date is None:
        return None
    shown = [(k, label) for k, label in enumerate(date.labels)][: 3 * MOST_COORDINATES_DRAWN]
    html = render(
        "dates.html",
        explanation="Estimated within blocks of the recording, at the middle of the domain, with standard errors "
        "(bars). A law that does not depend on the date leaves the points on the line, to within their errors.",
        pictures=[(picture(lambda ax, k=k: plots.by_date(result, ax, quantity=k), name), name) for k, name in shown],
        tests=[(family.against, p_text(family.p_value)) for family in date.families] + [("all", p_text(date.p_value))],
    )
    return Section("The law by date", html)


def _pictures(result: Result, coordinates: range) -> list[tuple[Markup, str]]:
    """Drift and diffusion side by side; none if the coefficients cannot be evaluated."""
    try:
        centre = result.domain.centre[None]
        numeric_source(result).drift(centre[:, 0], centre[:, 1:])
    except InputError:
        return []
    found = []
    for i in coordinates:
        for draw, symbol, what in ((plots.drift, "f", "Drift"), (plots.diffusion, "a", "Diffusion σσᵀ")):
            along = result.names[plots.main_variable(result, i, symbol) - 1]
            caption = f"{what} of {result.names[i]} as a function of {along}"
            found.append((picture(lambda ax, d=draw, k=i: d(result, ax, coordinate=k), caption), caption))
    return found
