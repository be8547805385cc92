"""Coordinates that are no part of a state, refused before anything is fitted: functions of time, labels of paths."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.surrogate.tuning import DATA
from liestonet.trajectories.increments import Increments


def refuse_degenerate(sample: Increments, names: tuple[str, ...]) -> None:
    """Name the coordinate without information: constant within each path, or the same function of time in all."""
    for name, x, dx in zip(names, sample.x.T, sample.dx.T, strict=True):
        if not dx.any():
            raise _left_out(f"{name} never changes within a path", name, names)
        if is_function_of_time(sample.t, x):
            raise _left_out(f"{name} is a function of the time", name, names)


def _left_out(problem: str, name: str, names: tuple[str, ...]) -> InputError:
    """The refusal of a coordinate, with what names the others."""
    others = [other for other in names if other != name]
    if not others:
        return InputError(f"{problem}; leave it out of the state.")
    listed = ("--state", ",".join(others))
    return UndecidedError(f"{problem}; leave it out of the state", Answer(f"state={others!r}", listed, "the others"))


def is_function_of_time(t: Float[np.ndarray, " b"], x: Float[np.ndarray, " b"]) -> bool:
    """Whether all paths have the same values at equal times; without equal times, whether x is a polynomial of t."""
    extent = DATA.rounding * float(np.ptp(x))
    later = np.flatnonzero(t > t.min())  # paths that begin in one point are no sign
    order = later[np.argsort(t[later], kind="stable")]
    shared = np.diff(t[order]) == 0
    if np.count_nonzero(shared) >= DATA.least_shared:
        return bool(np.max(np.abs(np.diff(x[order])[shared])) <= extent)
    rows = slice(None, None, max(1, len(t) // DATA.clock_points))
    degree = min(DATA.clock_degree, len(np.unique(t[rows])) - 1)
    fitted = np.polynomial.Chebyshev.fit(t[rows], x[rows], degree)
    return bool(np.max(np.abs(fitted(t[rows]) - x[rows])) <= extent)
