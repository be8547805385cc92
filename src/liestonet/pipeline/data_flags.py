"""What a reader should know about the answer from data, beside the flags about the data themselves."""

from __future__ import annotations

from collections.abc import Iterable

from liestonet.core.flags import Flag
from liestonet.diagnostics.turnover import remedy
from liestonet.inference.engine import Discovered
from liestonet.symmetry.determining.kinds import ITO


def data_answer_flags(found: Discovered) -> Iterable[Flag]:
    """What the reader should know about the answer; flags about the data themselves come from `diagnostics`."""
    kind, surrogate, search = found.kind, found.surrogate, found.search
    if kind is ITO and surrogate.noise > 1:
        yield Flag(
            "gauge",
            "Trajectories determine σσᵀ only; this Itô answer is for the lower triangular σ with the coordinates in "
            f"the order {', '.join(surrogate.names)}.",
            'Use symmetry="law" for an answer that does not depend on σ.',
        )
    still = [name for name, noisy in zip(surrogate.names, surrogate.noisy, strict=True) if not noisy]
    if still:
        yield Flag(
            "noiseless",
            f"No noise was detected in {', '.join(still)}; its diffusion was set to zero.",
            "Check that this is a property of the system and not of the recording.",
        )
    if search.count == len(search.rows) and surrogate.noise < surrogate.dimension:
        yield Flag(
            "all-directions",
            f"All {search.count} directions searched are consistent with exact symmetry; there may be more symmetries, "
            "and some of these may be near-symmetries.",
            "Use a smaller tolerance, or record more paths, and check how many remain.",
        )
    undecided = sum(row.verdict == "undecided" for row in search.rows)
    if undecided and found.count == search.count:
        yield Flag(
            "undecided",
            f"For {undecided} further {'direction' if undecided == 1 else 'directions'} it could not be decided "
            "whether the residual is zero, or below the tolerance.",
            remedy(surrogate.overview, "Record more paths, or longer ones."),
        )
