"""The effect of a push on the steps: histogram and ΔNLL at every position of the slider, beside random pushes.

They are computed with the estimated coefficients, not with the refitted ones, for which ΔNLL vanishes by construction
(docs/method.md §8.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.core.generators import GeneratorFunction
from liestonet.render.html.moving.embedding import rounded
from liestonet.render.html.moving.paths import Sample
from liestonet.render.html.moving.tuning import MOVING
from liestonet.trajectories.increments import Increments
from liestonet.validation.flows import Reach, flow, one_generator
from liestonet.validation.null_model import stream
from liestonet.validation.push_test import (
    PushedPlaces,
    control_pushes,
    mean_displacement,
    moved_steps,
    standardised,
    trail,
)
from liestonet.validation.tuning import PUSH


def statistics(generators: Any, k: int, sample: Sample, largest: float) -> tuple[dict[str, Any], Any] | None:
    """Counts and ΔNLL for one generator and for a random push, from −ε to ε, and the random push as a field.

    None if too few of the steps stay in the box.
    """
    steps, source = sample.steps, sample.coefficients
    if steps is None or len(steps.t) < PUSH.least_increments:
        return None
    chosen = one_generator(generators, k)
    before, known = standardised(source, steps)
    end = flow(chosen, steps.t, steps.x, largest, reach=Reach(source.domain, PUSH.margin, PUSH.tolerance))
    way = mean_displacement(steps, PushedPlaces(end.t, end.x), source.domain)
    controls = control_pushes(source, steps, way, stream(k, "page"))[:1]
    if not controls:
        return None
    rows, control = _both_ways(chosen, sample, largest), _both_ways(_over(controls[0], largest), sample, largest)
    if all(value is None for value, _ in rows):
        return None
    return {
        "before": _counts(before[known]),
        "change": [value for value, _ in rows],
        "after": [counts for _, counts in rows],
        "control_change": [value for value, _ in control],
        "control_after": [counts for _, counts in control],
        "steps": len(steps.t),
    }, _over(controls[0], largest)


def _over(field: GeneratorFunction, largest: float) -> GeneratorFunction:
    """A field scaled by 1/largest, so that its flow by `largest` is that of the given field by one."""
    return lambda t, x: tuple(part / largest for part in field(t, x))


def _both_ways(chosen: GeneratorFunction, sample: Sample, largest: float) -> list[tuple[float | None, list[int]]]:
    """ΔNLL and counts at every position of the slider, from the most negative to the most positive."""
    amounts = largest * np.arange(1, MOVING.positions + 1) / MOVING.positions
    negative = _pushes(chosen, sample, -amounts)[::-1]
    return [*negative, *_pushes(chosen, sample, np.zeros(1)), *_pushes(chosen, sample, amounts)]


def _pushes(
    chosen: GeneratorFunction, sample: Sample, amounts: Float[np.ndarray, " k"]
) -> list[tuple[float | None, list[int]]]:
    steps, source = sample.steps, sample.coefficients
    if steps is None:
        return []
    epsilons, domain = amounts.tolist(), source.domain
    starts = trail(chosen, steps.t, steps.x, epsilons, domain)
    ends = trail(chosen, steps.t + steps.dt, steps.x + steps.dx, epsilons, domain)
    return [_compared(source, steps, start, end) for start, end in zip(starts, ends, strict=True)]


def _compared(source: Any, steps: Increments, start: PushedPlaces, end: PushedPlaces) -> tuple[float | None, list[int]]:
    """Mean change of the negative log-likelihood per step, and the histogram of the moved steps."""
    before, known = standardised(source, steps)
    moved, usable = moved_steps(steps, start, end, source.domain)
    after, positive = standardised(source, moved)
    used = known & usable & positive
    if np.count_nonzero(used) < PUSH.least_increments:
        return None, []
    change = 0.5 * np.mean(np.sum(after[used] ** 2 - before[used] ** 2, axis=1))
    return rounded([change], 4)[0], _counts(after[used])


def _counts(values: Float[np.ndarray, "b r"]) -> list[int]:
    """Components of the steps in each bar, per ten thousand; the outer bars include all values beyond them."""
    edge = MOVING.range * (1 - 1e-9)
    counts, _ = np.histogram(np.clip(values, -edge, edge), MOVING.bars, (-MOVING.range, MOVING.range))
    return np.round(1e4 * counts / max(counts.sum(), 1)).astype(int).tolist()
