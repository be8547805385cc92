"""Sentences on mirrors, rotations and permutations, if they were tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from liestonet.formulas.notation import with_uncertainty
from liestonet.render.limits import MOST_LINES

if TYPE_CHECKING:
    from liestonet.result import Result
    from liestonet.validation.maps.discrete import Centre


def mirror_sentences(result: Result) -> Iterator[tuple[str, str]]:
    """Code and sentence for each map that is a symmetry, or a sentence that there is none."""
    from liestonet.validation.maps.discrete import Discrete

    found = result.discrete
    if not isinstance(found, Discrete):
        return
    scalar = result.surrogate.dimension == 1
    for row in found.symmetries[:MOST_LINES]:
        if scalar and row.order == 2 and row.map.count("->") == 1:
            where = "" if row.centre is None else f" of {row.centre.coordinate} = {_with_error(row.centre)}"
            yield "mirror", f"Mirror symmetry ({row.map}): left and right{where} are alike."
        else:
            yield "map", f"{row.map} maps paths to paths with the same law."
    if found.symmetries or not len(found):
        return
    if all(row.verdict == "no" for row in found):
        side = "left and right differ" if scalar else "the system behaves differently at the mapped states"
        yield "no-mirror", f"No mirror or other map that was tried is a symmetry: {side}."
    else:
        yield "mirror-undecided", "These data do not decide whether there is a mirror symmetry."


def _with_error(centre: Centre) -> str:
    return with_uncertainty(centre.value, centre.error)
