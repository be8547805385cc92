"""The section on validation: its results as sentences, pictures and numbers."""

from __future__ import annotations

from liestonet.render.html import validation as plots
from liestonet.render.html.markup import Section, picture, render
from liestonet.render.validation_text import CHECKS
from liestonet.render.view import ResultView
from liestonet.result import Result
from liestonet.validation.validate import Validation


def certainty(view: ResultView, result: Result) -> Section | None:
    """The section of a result that was validated."""
    found = result.validation
    if not isinstance(found, Validation):
        return None
    pictures = [picture(lambda ax: plots.quantiles(found, ax), "Quantiles of the residuals against a Gaussian's")]
    if found.invariance is not None:
        pictures.append(picture(lambda ax: plots.delta_nll(found, ax), "Change of likelihood against the push"))
    if any(row.residual is not None for row in found.after_push):
        pictures.append(picture(lambda ax: plots.after_push_bars(found, ax), "Misfit after a push, with its floor"))
    verdict, *rest = view.validation
    html = render(
        "validation.html",
        verdict=verdict,
        sentences=rest,
        pictures=pictures,
        gates=[
            (CHECKS[gate.name], gate.outcome, f"{gate.p_value:.2g}" if gate.tested else "–")
            for gate in found.gates.gates
        ],
        sensitivity=[
            (row.shape, f"{row.amplitude:g}", f"{row.angle:.2f}", f"{row.residual:.3f}", f"{row.bound:.2f}")
            for row in found.sensitivity
        ],
        angles=[] if found.containment is None else [f"{angle:.2f}°" for angle in found.containment.angles],
        lift="" if found.containment is None else found.containment.lift,
    )
    return Section("Validation", html)
