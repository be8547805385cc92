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
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.velocities import positions_among


def data_view(result: Result, found: DataFindings) -> SourceView:
    """The parts of a view specific to data."""
    verdict, confidence = data_verdict(result, found), confidence_text(found)
    imposed = "" if found.refit is None else " Dashed: with the symmetries imposed."
    equation = estimated_text(result)
    return SourceView(
        origin="from data",
        verdict=verdict,
        short_verdict=verdict,
        equation=str(found.surrogate),
        equation_line=equation,
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
        constants=_constants(result, equation),
        untested=_untested(result),
    )


def interval(row: LadderRow) -> str:
    """The confidence interval of a residual."""
    return percent_interval(row.lower, row.upper)


def _direction(position: int, row: LadderRow) -> Direction:
    """A row of the ladder; the residual has as many digits as the ends of its interval."""
    residual = percent(row.residual, interval_digits(row.lower, row.upper))
    return Direction(position, row.verdict, residual, interval(row), percent(row.noise), p_text(row.p_value))


def _ladder(result: Result, found: DataFindings) -> LadderView:
    """Residual, interval, residual if exact, p-value and verdict of every direction."""
    confidence = confidence_text(found)
    return LadderView(
        heading="Candidate directions",
        legend="The residual is how far a direction is from an exact symmetry (0 %): at 10 %, the field is off by "
        "a tenth of its size over half of the domain's duration. 'If exact' is the residual from estimation errors "
        "alone. A small p rejects exact symmetry; a large one proves nothing. Symmetries are directions that p does "
        f"not reject and whose interval is below the tolerance of {percent(found.criteria.tolerance)}, a convention "
        f"(--tolerance){_robust(result)}. X1, X2, … below are combinations of them.",
        explanation="A direction is a vector field X. It is a symmetry if it solves the determining equations, linear "
        "equations written DX = 0 for short. The relative residual ‖DX‖/‖X‖ is by how much it fails to, 0 % for an "
        "exact symmetry. 'If exact' is the residual that estimation errors alone would give an exact symmetry. p "
        "is the probability of residuals at least this large if the direction and the accepted ones above it are "
        "exact symmetries. A small p rejects them; a large p proves nothing, and values near 1 are common because the "
        "test is cautious. A direction counts as a symmetry if p does not reject it and its "
        f"{confidence} interval lies below the tolerance of {percent(found.criteria.tolerance)}; it is not a symmetry "
        f"if the interval lies above. {_tolerance(found)} The generators X1, X2, … are combinations of the accepted "
        "directions.",
        caption=f"Bars: {confidence} intervals. Grey ticks: residual to expect if exact. Arrows: the interval reaches "
        "zero, which a logarithmic axis cannot show.",
        columns=("residual", f"{confidence} interval", "if exact", "p"),
        rows=tuple(_direction(k, row) for k, row in enumerate(result.ladder, start=1)),
        taken=result.fields.count,
        gap="",
    )


def _robust(result: Result) -> str:
    """Which other tolerances give the same verdicts; empty where no gap separates symmetries from the rest."""
    count = result.fields.count
    accepted, rest = result.ladder[:count], result.ladder[count:]
    if not accepted or not rest or any(row.verdict != "no" for row in rest):
        return ""
    last, first = max(accepted, key=lambda row: row.upper), min(rest, key=lambda row: row.lower)
    if not last.upper < first.lower:
        return ""
    low = percent(last.upper, interval_digits(last.lower, last.upper))
    high = percent(first.lower, interval_digits(first.lower, first.upper))
    return f"; here any from {low} to {high} gives the same verdicts"


def _tolerance(found: DataFindings) -> str:
    """Why there is a tolerance, and where its value comes from."""
    default = percent(Criteria.tolerance)
    usual = found.criteria.tolerance == Criteria.tolerance
    origin = f"{default} is the default" if usual else f"the default is {default}"
    return (
        "A tolerance is needed because with few data no test rejects: the interval must show that a residual is small. "
        f"Its value is a choice, not an estimate from the data; {origin}, chosen by hand. If residuals of this size "
        "matter to you, set a smaller one with --tolerance (in Python, tolerance=)."
    )


def _constants(result: Result, equation: str) -> str:
    """Why constants of generators and those of the fitted equation differ; empty if there are not both."""
    if not equation or not any(row.constants for row in result.closed_forms):
        return ""
    return (
        "Consistent: the formula agrees with the estimated field within its errors; ± is one standard error. "
        "Constants in the generators come from the estimated fields, those of the fitted equation from a "
        "maximum-likelihood fit of that equation to the same data, so that they differ within their errors. To quote "
        "a value, take the fitted equation's."
    )


def _untested(result: Result) -> str:
    """That discrete symmetries were not tested, with an example; empty if they were."""
    if result.discrete is not None:
        return ""
    name = result.names[0]
    return (
        f"Not tested: mirrors such as {name} → −{name}, rotations by fixed angles, and permutations of coordinates. "
        "They do not belong to a continuous family, so they are not among the directions above. --discrete tests them "
        "(in Python, liestonet.discrete)."
    )


def _candidates(result: Result) -> CandidatesView | None:
    """Directions that are not counted and not excluded, with their first terms."""
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
    """Sentences on symmetries of the law, which do not depend on the choice of σ, and the likelihood-ratio test."""
    if result.symmetry == "ito" and found.law_dimension is not None:
        several = found.surrogate.noise > 1
        why = "for any choice of σ" if several else "the same as the Itô symmetries, because there is one noise"
        turned = ", and may rotate the noise" if several else ""
        yield (
            f"Symmetries of the law: {found.law_dimension}, {why}. They map the process to one with the same "
            f"statistics, that is, the same drift and σσᵀ{turned}."
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
    """Sentences on how generators move positions, if velocities were not recorded."""
    positions = positions_among(result.names)
    moved = [
        f"X{k}: {field_text(replace(form, xi=form.xi[: len(positions)]), positions)}"
        for k, form in enumerate(result.closed_forms, start=1)
        if form.status != "numerical"
    ]
    told = f"As motions of {', '.join(positions)} alone: {'; '.join(moved)}. " if moved else ""
    yield (
        f"{told}A generator moves positions by its parts in {', '.join(f'∂{name}' for name in ('t', *positions))}; "
        "the motion of velocities follows from these."
    )


def _likelihood(refit: Refit, error_rate: float) -> Iterator[str]:
    if not refit.tests_something:
        yield (
            "On this clock these symmetries impose no condition on drift and diffusion, so no likelihood ratio tests "
            "them."
        )
        return
    answer = "rejects" if refit.p_value < error_rate else "does not reject"
    yield (
        f"Drift and diffusion fitted again with these symmetries imposed: the likelihood-ratio test {answer} them "
        f"({p_clause(refit.p_value)}). Imposing them lowers the log-likelihood by {refit.deviance / 2:.1f}. "
        f"Without shrinkage, exact symmetries would lower it by {refit.degrees_of_freedom / 2:.1f} on average (half "
        "the degrees of freedom); shrinkage of the fit makes the loss smaller, so that this test is cautious."
    )
    if np.isfinite(refit.held_out):
        yield (
            "Cross-validation: on paths left out of the fit, imposing them changes the total log-likelihood by "
            f"{refit.held_out:+.1f} ± {refit.held_out_error:.1f} (one standard error); a gain supports them."
        )


def _facts(result: Result, found: DataFindings) -> Iterator[Row]:
    if found.law_dimension is not None and result.symmetry == "ito":
        yield "Symmetries of the law", str(found.law_dimension)
    yield "Increments", f"{found.data.increments:,}"
    yield "Tolerance", f"{100 * found.criteria.tolerance:g} %"


def _data(found: DataFindings) -> Iterator[Row]:
    """The summary of the data, line by line."""
    for line in str(found.data).split("\n"):
        label, _, text = line.partition("  ")
        yield label, text.strip()


def _training(training: Training) -> Iterator[Row]:
    """The summary of the neural engine's training, from its record."""
    record = training.to_dictionary()
    yield "training", f"{record['steps']:,} steps{', interrupted' if record['interrupted'] else ''}"
    yield "final losses", ", ".join(f"{name} {number(value)}" for name, value in record["losses"].items())
    yield "generators tried", ", ".join(str(rung["count"]) for rung in record["rungs"])
    yield "selected", ", ".join(f"{count} by {rule}" for rule, count in record["selected"].items())
    if record["angle_to_spectral"] is not None:
        yield "angle to spectral engine", f"{number(record['angle_to_spectral'])}°"
