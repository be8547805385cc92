"""Trajectories of several files joined, if they agree in columns, units and measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from liestonet.errors import InputError
from liestonet.trajectories.gaps import Gaps
from liestonet.trajectories.trajectories import Trajectories


def joined(parts: Sequence[Trajectories], sources: Sequence[str]) -> Trajectories:
    """All paths of all parts, each with its own clock; `sources` names the parts in errors."""
    first = parts[0]
    for part, source in zip(parts, sources, strict=True):
        for what, one, other in (
            ("coordinates", first.names, part.names),
            ("units", dict(first.units), dict(part.units)),
            ("measurement", first.measurement, part.measurement),
            ("periods", dict(first.periodic), dict(part.periodic)),
        ):
            if one != other:
                raise InputError(
                    f"The {what} of {source!r} ({_shown(other)}) are not those of {sources[0]!r} ({_shown(one)}); "
                    "files of one group must agree."
                )
    if len(parts) == 1:
        return first
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
    remarks = tuple(dict.fromkeys(remark for part in parts for remark in part.remarks))
    return replace(
        first,
        flat_times=np.concatenate([part.flat_times for part in parts]),
        flat_states=np.concatenate([part.flat_states for part in parts]),
        offsets=offsets,
        gaps=reduce(add, (part.gaps for part in parts), Gaps()),
        remarks=(f"Joined from {len(parts)} files.", *remarks),
    )


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}: {one}" for name, one in value.items()) or "none"
    return str(value)
