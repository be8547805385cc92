"""All flags about the data of a fit, in the order in which a user should deal with them."""

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
    """The flags about the data; `rows` are the ladder found from them."""
    residuals = Residuals(surrogate)
    wrong = tuple(outlier_flags(surrogate.overview))
    yield from wrong
    related = tuple(relation_flags(surrogate.overview))
    yield from related
    gridded = tuple(value_flags(surrogate.overview))
    yield from gridded
    if not wrong:  # outliers would dominate every correlation
        yield from memory_flags(residuals)
    # quantiles of values on a grid are no measure of tails
    wild = () if gridded or wrong else tuple(tail_flags(residuals))
    yield from wild
    if not (wild or wrong):  # outliers dominate the diffusion and hide other effects
        known = what_is_known(surrogate, residuals.sample, 1 - FLAGS.step_error_rate)
        yield from sampling_flags(known, surrogate.overview, rows, tolerance, surrogate.recorded is not None)
    yield from fine_structure_flags(residuals)
    if not related:  # a relation would explain an empty box
        yield from coverage_flags(surrogate.overview)
    yield from motion_flags(surrogate, tolerance)
