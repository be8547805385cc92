"""Flags for too few steps and for steps that are too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.diagnostics.expansion import Knowledge
from liestonet.diagnostics.tuning import FLAGS
from liestonet.diagnostics.turnover import remedy
from liestonet.surrogate.overview import Overview


def sampling_flags(
    known: Knowledge, overview: Overview, rows: Sequence[LadderRow], tolerance: float, modelled: bool = False
) -> Iterator[Flag]:
    """A flag for long steps, else one for too little data: more data do not remove the bias of long steps.

    `modelled` says that the model describes the process within a step, so that steps may be long.
    """
    long = () if modelled else tuple(_long_steps(known))
    yield from long or _too_little(known, overview, rows, tolerance)


def _long_steps(known: Knowledge) -> Iterator[Flag]:
    """A flag for steps so long that drift or diffusion change within one: the Euler estimate is biased."""
    name, part = max(("drift", known.drift_added), ("diffusion", known.diffusion_added), key=lambda pair: pair[1])
    if part > FLAGS.material_bias:
        yield Flag(
            "coarse-steps",
            f"The steps are long: the {name} changes within one, which biases its estimate by about "
            f"{100 * part:.0f} %.",
            "Record with shorter steps; thinning the data by 2 shows how the answer changes.",
        )


def _too_little(known: Knowledge, overview: Overview, rows: Sequence[LadderRow], tolerance: float) -> Iterator[Flag]:
    """A flag for too little data for drift or diffusion, or for the best direction of the ladder."""
    name, part = max(("drift", known.drift_error), ("diffusion", known.diffusion_error), key=lambda pair: pair[1])
    noise = min((row.noise for row in rows), default=0.0)
    if part > FLAGS.largest_error:
        reason, excess = f"the error of the {name} is {100 * part:.0f} % of its size", part / tolerance
    elif noise > tolerance:
        reason, excess = (
            f"even the best direction would show a residual of {100 * noise:.0f} % if it were exact",
            noise / tolerance,
        )
    elif overview.count < FLAGS.few_increments:
        reason = f"{overview.count} increments resolve only large terms, so small ones that break a symmetry go unseen"
        excess = (FLAGS.few_increments / overview.count) ** 0.5
    else:
        return
    # errors fall with the square root of the amount of data
    yield Flag(
        "too-little-data",
        f"There is too little data: {reason}.",
        remedy(overview, f"Record at least {max(excess**2, 2):.0f} times as many paths, or longer ones."),
    )
