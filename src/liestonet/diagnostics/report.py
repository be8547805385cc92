"""All flags about the data behind a fit, in the order in which a reader should deal with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.core.tuning import SHARED
from liestonet.diagnostics.correlated_steps import memory_flags
from liestonet.diagnostics.coverage import coverage_flags, motion_flags, relation_flags
from liestonet.diagnostics.expansion import what_is_known
from liestonet.diagnostics.fine_structure import fine_structure_flags
from liestonet.diagnostics.sampling import sampling_flags
from liestonet.diagnostics.standardised_steps import Residuals
from liestonet.diagnostics.tails import outlier_flags, tail_flags
from liestonet.diagnostics.tuning import FLAGS
from liestonet.diagnostics.values import value_flags
from liestonet.surrogate.surrogate import Surrogate


def data_flags(
    surrogate: Surrogate, rows: Sequence[LadderRow] = (), tolerance: float = SHARED.default_tolerance
) -> Iterator[Flag]:
    """What is wrong with the data, if anything; `rows` are the ladder that was found with them."""
    residuals = Residuals(surrogate)
    wrong = tuple(outlier_flags(surrogate.overview))
    yield from wrong
    related = tuple(relation_flags(surrogate.overview))
    yield from related
    gridded = tuple(value_flags(surrogate.overview))
    yield from gridded
    if not wrong:  # which decide about every correlation
        yield from memory_flags(residuals)
    # quantiles of values on a grid say nothing about tails
    wild = () if gridded or wrong else tuple(tail_flags(residuals))
    yield from wild
    if not (wild or wrong):  # single steps that decide about the diffusion hide what the others say
        known = what_is_known(surrogate, residuals.sample, 1 - FLAGS.step_error_rate)
        yield from sampling_flags(known, surrogate.overview, rows, tolerance, surrogate.recorded is not None)
    yield from fine_structure_flags(residuals)
    if not related:  # which would explain an empty box
        yield from coverage_flags(surrogate.overview)
    yield from motion_flags(surrogate, tolerance)
