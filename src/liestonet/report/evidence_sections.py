"""The evidence: how far every direction is from a symmetry, and drift and diffusion as they are known."""

from __future__ import annotations

from markupsafe import Markup

from liestonet.errors import InputError
from liestonet.report import evidence_plots as plots
from liestonet.report.html import Section, formula, picture, render
from liestonet.report.looks import numeric_source
from liestonet.report.mathml import equation_mathml
from liestonet.result import Result
from liestonet.terminal import number, short
from liestonet.terminal_data import p_text, percent

MOST_COORDINATES = 3
MOST_ROWS = 80


def directions(result: Result) -> Section | None:
    """The ladder, as a picture and as a table."""
    if not result.ladder:
        return None
    from_data = result.standards is not None
    shown = result.ladder[:MOST_ROWS]
    rows = [
        (
            k,
            percent(row.residual) if from_data else short(row.residual),
            f"{percent(row.lower)} – {percent(row.upper)}" if from_data else "",
            percent(row.noise) if from_data else "",
            p_text(row.p_value) if from_data else "",
            row.verdict,
        )
        for k, row in enumerate(shown, start=1)
    ]
    height = 1.3 + 0.17 * min(len(shown), plots.MOST_RUNGS)
    ladder = picture(lambda ax: plots.ladder(result, ax), "Residual of every direction, with tolerance", (4.4, height))
    html = render(
        "directions.html",
        rows=rows,
        ladder=ladder,
        from_data=from_data,
        confidence=number(100 * (1 - result.standards.error_rate)) if from_data else "",
        tolerance=percent(result.standards.tolerance) if from_data else "",
        bound=result.bound,
        gap="" if from_data else short(result.gap),
        hidden=len(result.ladder) - len(shown),
    )
    return Section("How far each direction is from a symmetry", html)


def coefficients(result: Result) -> Section | None:
    """Drift and diffusion of up to three coordinates, each along its own; the equation itself, where it is known."""
    shown = range(min(len(result.names), MOST_COORDINATES))
    symbolic = getattr(result.surrogate, "symbolic", None)
    equations = [] if symbolic is None else [formula(line) for line in equation_mathml(symbolic)]
    html = render(
        "coefficients.html",
        equations=equations,
        pictures=list(_pictures(result, shown)),
        from_data=result.standards is not None,
        confidence=number(100 * (1 - result.standards.error_rate)) if result.standards is not None else "",
        imposed=result.refit is not None,
        hidden=len(result.names) - len(shown),
        several=len(result.names) > 1,
        draw=", ".join(f"{name} = {value}" for name, value in result.draws[0].items()) if result.draws else "",
    )
    return Section("Drift and diffusion", html)


def _pictures(result: Result, coordinates: range) -> list[tuple[Markup, str]]:
    """Drift and diffusion side by side; none where the coefficients cannot be evaluated any more."""
    try:
        centre = result.domain.centre[None]
        numeric_source(result).drift(centre[:, 0], centre[:, 1:])
    except InputError:
        return []
    found = []
    for i in coordinates:
        for draw, symbol, what in ((plots.drift, "f", "Drift"), (plots.diffusion, "a", "Diffusion σσᵀ")):
            along = result.names[plots.main_variable(result, i, symbol) - 1]
            caption = f"{what} of {result.names[i]} along {along}"
            found.append((picture(lambda ax, d=draw, k=i: d(result, ax, coordinate=k), caption), caption))
    return found
