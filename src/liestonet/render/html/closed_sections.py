"""The section of closed forms: transition density and mirrors; the solution is at the top of the page."""

from __future__ import annotations

from markupsafe import Markup

from liestonet.render.closed_view import KnownDensity, known_density, known_mirrors
from liestonet.render.html.markup import Section, formula, render
from liestonet.render.html.mathml import expression, fenced
from liestonet.render.view import ResultView
from liestonet.result import Result


def closed_forms(_: ResultView, result: Result) -> Section | None:
    """The density, and the maps of the equation onto itself; None if neither is known."""
    density, mirrors = known_density(result), known_mirrors(result)
    if density is None and not mirrors:
        return None
    shown = None if density is None else density_formula(density)
    html = render("closed.html", density=density, formula=shown, mirrors=mirrors)
    return Section("In closed form", html)


def density_formula(density: KnownDensity) -> Markup:
    """p(x, t | x0) = …, typeset."""
    there, start = (
        "<mo>,</mo>".join(expression(symbol) for symbol in part) for part in (density.variables, density.start)
    )
    head = f"<mrow><mi>p</mi>{fenced(f'{there}<mo>|</mo>{start}')}</mrow><mo>=</mo>"
    return formula(head + expression(density.formula), str(density.formula))
