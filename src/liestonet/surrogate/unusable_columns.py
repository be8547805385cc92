"""Coordinates that are no part of a state: functions of time and labels of paths, refused before anything is fitted.

Where a fit is impossible, columns that start anew at every step, or that follow another one, are named as its cause.
"""

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


def impossible_fit(sample: Increments, names: tuple[str, ...]) -> InputError:
    """Why drift and diffusion of these coordinates cannot be estimated, and which columns to keep."""
    problem = "Drift and diffusion cannot be estimated from these paths"
    kept, followers, causes = list[int](), list[str](), list[str]()
    anew = np.mean(sample.dx**2, axis=0) > DATA.anew * np.var(sample.x, axis=0)
    correlation = np.atleast_2d(np.corrcoef(sample.x.T))
    for i in np.flatnonzero(~anew).tolist():
        leader = next((k for k in kept if correlation[i, k] ** 2 > 1 - DATA.follows), None)
        if leader is None:
            kept.append(i)
        else:
            followers.append(f"{names[i]} differs too little from {names[leader]}")
    if anew.any():
        listed = ", ".join(name for name, is_anew in zip(names, anew, strict=True) if is_anew)
        causes.append(f"steps are as large as the whole spread of {listed}")
    causes += followers
    if not causes or not kept:
        return InputError(
            f"{problem}: their increments differ too much in size, or are nearly deterministic. Restrict times and "
            "states, leave out columns that are not coordinates (state=, --state), or check that the values were not "
            "smoothed."
        )
    state = [names[i] for i in kept]
    return UndecidedError(
        f"{problem}: {'; '.join(causes)}", Answer(f"state={state!r}", ("--state", ",".join(state)), "what is left")
    )


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
