"""Data of the page's interactive parts: paths, generators, statistics, and ladders at other tolerances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from liestonet.core.tuning import SHARED
from liestonet.formulas.formula import Formula
from liestonet.formulas.notation import field_text
from liestonet.render.html.moving.canonical import canonical_view
from liestonet.render.html.moving.embedding import on_grid
from liestonet.render.html.moving.paths import Sample, sample_of
from liestonet.render.html.moving.programs import NotOnThePage, coordinate_programs, field_program
from liestonet.render.html.moving.push_statistics import statistics
from liestonet.render.html.moving.random_push import quadratic_program
from liestonet.render.html.moving.tolerances import answers
from liestonet.render.html.moving.tuning import MOVING
from liestonet.render.html.plot_geometry import component_sizes, label, moved_coordinates
from liestonet.render.view import ResultView
from liestonet.result import Result
from liestonet.symmetry.determining.kinds import FOKKER_PLANCK
from liestonet.validation.flows import widened

# Positions of paths are rounded to this fraction of the box.
FINENESS = 1e-8
# Terms of a series below this fraction of the largest have no visible effect.
NOTICED = 0.05

# Generators that do not move, by name.
MOST_NAMED = 6
NO_HISTOGRAM = "No histogram: too few of the pushed steps stay in the box, or other generators were taken first."


def page_data(view: ResultView, result: Result, tolerances: Sequence[float] | Any | None) -> dict[str, Any] | None:
    """The data for the scripts of the page; None if nothing can be moved."""
    moving, ladder = _moving(view, result), answers(view, result, tolerances)
    return None if moving is None and ladder is None else {"moving": moving, "ladder": ladder}


def not_moved(result: Result, data: dict[str, Any] | None) -> str:
    """A sentence on the generators that are not moved on the page, and why; empty if all are."""
    if result.noises:
        return (
            "Nothing moves on this page: a random symmetry depends on the noise w itself, and the points of a path do "
            "not determine w."
        )
    moving = None if data is None else data["moving"]
    moved = set() if moving is None else {row["number"] for row in moving["generators"]}
    left = [f"X{k + 1}" for k in range(result.fields.count) if k + 1 not in moved]
    if not left:
        return ""
    if moving is None and sample_of(result) is None:
        return "Nothing moves on this page: there are no paths to move, and none could be simulated in the box."
    which = left[0] if len(left) == 1 else f"{', '.join(left[:-1])} and {left[-1]}"
    if len(left) > MOST_NAMED:
        which = f"{len(left)} of the {result.fields.count} generators"
    return (
        f"Not moved: {which}. The page moves up to {MOVING.generators} generators, those whose formulas or series it "
        "can evaluate."
    )


def _moving(view: ResultView, result: Result) -> dict[str, Any] | None:
    """The data of paths and generators; None if no generator can be moved on the page."""
    if result.noises or not result.fields.count:
        return None
    sample = sample_of(result)
    if sample is None:
        return None
    count = min(result.fields.count, MOVING.generators)
    rows = [row for k in range(count) if (row := _generator(view, result, k, sample)) is not None]
    if not rows:
        return None

    def eventful(k: int) -> tuple[int, int]:
        return _eventful(rows[k], _formula(view, rows[k]["number"] - 1), result.names)

    limits = widened(result.domain, 1.0)  # as far as `Result.push` follows a point
    return {
        "variables": [_variable(result, v) for v in range(len(result.names) + 1)],
        "limits": [[end if np.isfinite(end) else None for end in row] for row in limits.tolist()],
        "coordinates": coordinate_programs(result.fields),
        "paths": _written(result, sample),
        "simulated": sample.simulated,
        "generators": rows,
        "first": max(range(len(rows)), key=eventful),
        "positions": MOVING.positions,
        "range": MOVING.range,
        "canonical": canonical_view(result),
    }


def _variable(result: Result, v: int) -> dict[str, Any]:
    low, high = result.domain.intervals[v]
    period = high - low if v in result.domain.periodic else None
    return {"name": ("t", *result.names)[v], "label": label(result, v), "low": low, "high": high, "period": period}


def _written(result: Result, sample: Sample) -> list[list[list[float]]]:
    """Every path as one list for each variable."""
    fine = FINENESS * result.domain.half
    return [[on_grid(path[:, v], fine[v]) for v in range(path.shape[1])] for path in sample.paths]


def _generator(view: ResultView, result: Result, k: int, sample: Sample) -> dict[str, Any] | None:
    """One generator with its statistics; None if it moves no point, or cannot be evaluated on the page."""
    n = len(result.names)
    size = float(np.sqrt(np.sum(component_sizes(result)[k, : n + 1] ** 2)))
    if not size > 0:
        return None
    largest = float(f"{MOVING.reach / size:.1g}")
    try:
        program = field_program(result.evaluated, k, n + 1)
    except NotOnThePage:
        return None
    found = None
    if result.symmetry != FOKKER_PLANCK.name and k < _with_steps(n):
        found = statistics(result.evaluated, k, sample, largest)
    said, formula = view.generators.rows[k] if view.generators is not None else None, _formula(view, k)
    text = field_text(formula, view.names) if formula is not None else "" if said is None else said.first_terms
    moved = [int(c) + 1 for c in moved_coordinates(result, k)]
    axes = sorted(moved[:2]) if n > 1 and len(moved) > 1 else [0, moved[0] if moved else 1]
    about = _about_statistics(result, sample) if found or not _expected(result, sample) else NO_HISTOGRAM
    return {
        "number": k + 1,
        "formula": text,
        "largest": largest,
        "axes": axes,
        "field": program,
        "statistics": None if found is None else found[0],
        "note": " ".join([*_about_path(result, k, formula), about]),
        "random": None if found is None else quadratic_program(found[1], result.domain),
    }


def _formula(view: ResultView, k: int) -> Formula | None:
    """The formula of a generator, if it has one."""
    return None if view.generators is None else view.generators.rows[k].formula


def _expected(result: Result, sample: Sample) -> bool:
    """Whether there are steps, and a kind of symmetry that preserves their law, so that a histogram is useful."""
    return result.symmetry != FOKKER_PLANCK.name and sample.steps is not None


def _with_steps(coordinates: int) -> int:
    """The number of generators with a histogram."""
    few = coordinates <= SHARED.few_coordinates
    return MOVING.generators_with_steps if few else MOVING.generators_with_steps_of_many


def _eventful(row: dict[str, Any], formula: Formula | None, names: Sequence[str]) -> tuple[int, int]:
    """The sort key of generators: those whose components vary most from point to point are shown first."""
    if formula is not None:
        variables = ("t", *names)
        parts = (formula.tau, *formula.xi)
        return sum(any(str(symbol) in variables for symbol in part.free_symbols) for part in parts), -row["number"]
    changing = 0
    for part in row["field"].get("series", ()):
        sizes = np.abs(part["coefficients"])
        changing += int(np.count_nonzero(sizes > NOTICED * sizes.max(initial=0.0)) > 1)
    return changing, -row["number"]


def _about_path(result: Result, k: int, formula: Formula | None) -> list[str]:
    """A sentence that paths move along the estimate, if the generator also has a formula."""
    if formula is None or result.estimated is None:
        return []
    return [f"Paths move along the estimated X{k + 1}, with which its formula agrees to within its error."]


def _about_statistics(result: Result, sample: Sample) -> str:
    """A sentence that explains the histogram, or why there is none."""
    if result.symmetry == FOKKER_PLANCK.name:
        return "Symmetries of the Fokker–Planck equation map densities; they need not preserve the law of single steps."
    if sample.steps is None:
        return (
            "There is no histogram of single steps, because this fit includes errors of the recorded points, which do "
            "not move with the flow."
        )
    which = "simulated" if sample.simulated else "recorded"
    coefficients = "the equation's" if sample.simulated else "the estimated"
    return (
        f"Steps: {len(sample.steps.t):,} {which} ones, standardised by {coefficients} drift and diffusion. "
        "ΔNLL is the mean change of a step's negative log-likelihood, ½(z'² − z²): zero, to within its error, for a "
        "symmetry. Where it is positive the moved steps are larger than the model predicts, where it is negative they "
        "are smaller; both mean that the law has changed."
    )
