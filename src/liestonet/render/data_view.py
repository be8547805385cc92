"""The parts of a view that only data have: verdict, tests of all directions, near-symmetries, likelihood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from liestonet.core.ladder import LadderRow
from liestonet.core.p_values import p_clause, p_text
from liestonet.formulas.notation import field_text
from liestonet.inference.engine import Training
from liestonet.inference.refit import Refit
from liestonet.render.clock_text import clock_text, recording_text
from liestonet.render.first_terms import first_terms
from liestonet.render.limits import LEAST_TERM_OF_CANDIDATE
from liestonet.render.numbers import interval_digits, number, percent, percent_interval
from liestonet.render.use_view import estimated_text
from liestonet.render.verdict import confidence_text, data_verdict
from liestonet.render.view_parts import CandidatesView, CandidateView, Direction, LadderView, Row, SourceView
from liestonet.result import Result
from liestonet.result.findings import DataFindings
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.velocities import positions_among


def data_view(result: Result, found: DataFindings) -> SourceView:
    """Everything that is said of data only."""
    verdict, confidence = data_verdict(result, found), confidence_text(found)
    imposed = "" if found.refit is None else " Dashed: with the symmetries imposed."
    return SourceView(
        origin="from data",
        verdict=verdict,
        short_verdict=verdict,
        equation=str(found.surrogate),
        equation_line=estimated_text(result),
        ladder=_ladder(result, found),
        levels=tuple(_levels(result, found)),
        facts=tuple(_facts(result, found)),
        coefficients=f"Estimated from the data, with pointwise {confidence} bands. Grey: density of the data.{imposed}",
        bands="The pictures show the estimates, with which the formulas agree to within their errors. "
        f"Bands: pointwise {confidence} intervals.",
        closure=percent(result.algebra.closure),
        jacobi=percent(result.algebra.jacobi),
        vanish="vanish within their error",
        candidates=_candidates(result),
        data=tuple(_data(found)),
        digest=found.data.digest or "",
        training=() if found.training is None else tuple(_training(found.training)),
        clock=" ".join(filter(None, (clock_text(found), recording_text(found)))),
    )


def interval(row: LadderRow) -> str:
    """The confidence interval of a residual."""
    return percent_interval(row.lower, row.upper)


def _direction(position: int, row: LadderRow) -> Direction:
    """A row of the ladder; the residual has as many digits as the ends of its interval."""
    residual = percent(row.residual, interval_digits(row.lower, row.upper))
    return Direction(position, row.verdict, residual, interval(row), percent(row.noise), p_text(row.p_value))


def _ladder(result: Result, found: DataFindings) -> LadderView:
    """Residual, interval, noise, p-value and verdict of every direction."""
    confidence = confidence_text(found)
    return LadderView(
        heading="Candidate directions",
        legend=f"A residual of 0 % is an exact symmetry, which a small p rejects. Symmetries are the directions that p "
        f"does not reject and whose interval is below {percent(found.criteria.tolerance)}; X1, X2, … below are "
        "combinations of them.",
        explanation="A direction is a vector field X. It is a symmetry if it solves the determining equations, linear "
        "equations written DX = 0 for short. The relative residual ‖DX‖/‖X‖ is by how much it fails to, 0 % for an "
        "exact symmetry. 'If exact' is the residual that estimation errors alone would give an exact symmetry. p "
        "is the probability of residuals at least this large if the direction and the accepted ones above it are "
        "exact symmetries. A small p rejects them; a large p proves nothing, and values near 1 are common because the "
        "test is cautious. A direction counts as a symmetry if p does not reject it and its "
        f"{confidence} interval lies below the tolerance of {percent(found.criteria.tolerance)}; it is not a symmetry "
        "if the interval lies above. The tolerance is a choice, not a property of the data; --tolerance changes it. "
        "The generators X1, X2, … are combinations of the accepted directions. Their numbers and those of the fitted "
        "equation are two estimates from the same data, so they differ within their errors. Mirrors and other discrete "
        "symmetries are not directions; --discrete tests them.",
        caption=f"Bars: {confidence} intervals. Grey ticks: residual to expect if exact. Arrows: the interval reaches "
        "zero, which a logarithmic axis cannot show.",
        columns=("residual", f"{confidence} interval", "if exact", "p"),
        rows=tuple(_direction(k, row) for k, row in enumerate(result.ladder, start=1)),
        taken=result.fields.count,
        gap="",
    )


def _candidates(result: Result) -> CandidatesView | None:
    """Directions beyond those counted that are not excluded, with how they begin."""
    rest = list(enumerate(result.ladder))[result.fields.count :]
    chosen = [(k, row) for k, row in rest if row.verdict in ("near-symmetry", "undecided")]
    if not chosen or result.directions.count < len(result.ladder):
        return None
    fields = result.directions.mixed(np.eye(result.directions.count)[:, [k for k, _ in chosen]])
    texts = first_terms(fields, result.domain, result.names, LEAST_TERM_OF_CANDIDATE / 10)
    return CandidatesView(
        heading="Near-symmetries and undecided directions",
        explanation="These are not counted. A near-symmetry has a residual below the tolerance, but exact symmetry is "
        "rejected; an undecided direction needs more data. First Taylor terms around the middle of the domain.",
        rows=tuple(
            CandidateView(k + 1, row.verdict, text, interval(row)) for (k, row), text in zip(chosen, texts, strict=True)
        ),
    )


def _levels(result: Result, found: DataFindings) -> Iterator[str]:
    """Symmetries of the law, for which the choice of σ does not matter, and the likelihood-ratio test."""
    if result.symmetry == "ito" and found.law_dimension is not None:
        several = found.surrogate.noise > 1
        why = "for any choice of σ" if several else "the same as the Itô symmetries, because there is one noise"
        turned = ", and may rotate the noise" if several else ""
        yield (
            f"Symmetries of the law: {found.law_dimension}, {why}. They map solutions to "
            f"processes with the same drift and σσᵀ{turned}."
        )
        if several:
            yield f"Gauge: σ is lower triangular, coordinates in the order {', '.join(result.names)}."
    if isinstance(found.surrogate, Surrogate) and found.surrogate.from_positions:
        yield from _motions(result)
    if found.refit is not None:
        yield from _likelihood(found.refit, found.criteria.error_rate)
    yield from _smooth(found, any(row.verdict == "symmetry" for row in result.ladder))


def _smooth(found: DataFindings, confirmed: bool) -> Iterator[str]:
    """What no data exclude, and symmetries therefore presuppose."""
    lengths = found.fit_quality.resolution
    if lengths and confirmed:
        waves = " and ".join(f"{number(float(f'{length:.2g}'))} in {name}" for name, length in lengths.items())
        yield (
            f"Drift and diffusion are taken as smooth: a force in waves shorter than about {waves} can be too weak to "
            f"show in these data, and still break a symmetry that moves {' or '.join(lengths)} by more than "
            f"{percent(found.criteria.tolerance)}."
        )


def _motions(result: Result) -> Iterator[str]:
    """What the generators do to the positions, which were all that was recorded."""
    positions = positions_among(result.names)
    moved = [
        f"X{k}: {field_text(replace(form, xi=form.xi[: len(positions)]), positions)}"
        for k, form in enumerate(result.closed_forms, start=1)
        if form.status != "numerical"
    ]
    told = f"As motions of {', '.join(positions)} alone: {'; '.join(moved)}. " if moved else ""
    yield (
        f"{told}A generator moves positions by its parts in {', '.join(f'∂{name}' for name in ('t', *positions))}; "
        "what it does to velocities follows from that."
    )


def _likelihood(refit: Refit, error_rate: float) -> Iterator[str]:
    if not refit.tests_something:
        yield "These symmetries ask nothing of drift and diffusion on this clock, so no likelihood ratio tests them."
        return
    answer = "rejects" if refit.p_value < error_rate else "does not reject"
    yield (
        f"Drift and diffusion fitted again with these symmetries imposed: the likelihood-ratio test {answer} them "
        f"({p_clause(refit.p_value)}). The deviance, twice the log-likelihood lost, is {refit.deviance:.1f}; if the "
        f"symmetries are exact, it is at most {refit.degrees_of_freedom:.1f} on average (the degrees of freedom), and "
        "less where the fit's prior has removed most of it already."
    )
    if np.isfinite(refit.held_out):
        yield (
            f"On paths left out of the fit, imposing them changes the log-likelihood by {refit.held_out:+.1f} ± "
            f"{refit.held_out_error:.1f} (a gain supports them)."
        )


def _facts(result: Result, found: DataFindings) -> Iterator[Row]:
    if found.law_dimension is not None and result.symmetry == "ito":
        yield "Symmetries of the law", str(found.law_dimension)
    yield "Increments", f"{found.data.increments:,}"
    yield "Tolerance", f"{100 * found.criteria.tolerance:g} %"


def _data(found: DataFindings) -> Iterator[Row]:
    """The summary of the data, a line each."""
    for line in str(found.data).split("\n"):
        label, _, text = line.partition("  ")
        yield label, text.strip()


def _training(training: Training) -> Iterator[Row]:
    """What the neural engine did, from its record."""
    record = training.to_dictionary()
    yield "training", f"{record['steps']:,} steps{', interrupted' if record['interrupted'] else ''}"
    yield "final losses", ", ".join(f"{name} {number(value)}" for name, value in record["losses"].items())
    yield "generators tried", ", ".join(str(rung["count"]) for rung in record["rungs"])
    yield "selected", ", ".join(f"{count} by {rule}" for rule, count in record["selected"].items())
    if record["angle_to_spectral"] is not None:
        yield "angle to spectral engine", f"{number(record['angle_to_spectral'])}°"
