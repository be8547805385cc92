"""Coordinates that are no part of a state: functions of time and labels of paths, refused before anything is fitted.

Where a fit is impossible, columns that are redrawn at every step, or that follow another column, are named as its
cause.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from liestonet.errors import Answer, InputError, UndecidedError
from liestonet.surrogate.tuning import DATA
from liestonet.trajectories.increments import Increments


def refuse_degenerate(sample: Increments, names: tuple[str, ...]) -> None:
    """Refuse coordinates without information: constant, constant within each path, or a function of time.

    Other columns that would prevent a fit are then named too, so that one command leaves out all of them.
    """
    problems, out = list[str](), set[int]()
    for i, (name, x, dx) in enumerate(zip(names, sample.x.T, sample.dx.T, strict=True)):
        low, high = np.quantile(x, [DATA.tail, 1 - DATA.tail])
        if not low < high:
            problems.append(f"Coordinate {name} hardly ever changes (nearly all values are {low:g})")
        elif not dx.any():
            problems.append(f"{name} never changes within a path")
        elif is_function_of_time(sample.t, x):
            problems.append(f"{name} is a function of the time")
        else:
            continue
        out.add(i)
    if not problems:
        return
    left = [i for i in range(len(names)) if i not in out]
    speeds = sample.dx[:, left] / sample.dt[:, None]
    even = np.ptp(speeds, axis=0) <= DATA.rounding * np.abs(speeds).max(axis=0, initial=0.0)
    problems += [f"{names[i]} changes at a constant rate" for i, is_even in zip(left, even, strict=True) if is_even]
    left = [i for i, is_even in zip(left, even, strict=True) if not is_even]
    kept, causes = _without_causes(sample, names, left)
    problems += causes if kept else []
    others = [names[i] for i in kept or left]
    problem = f"{'; '.join(problems)}; leave {'it' if len(names) - len(others) == 1 else 'them'} out of the state"
    if not others:
        raise InputError(f"{problem}.")
    raise UndecidedError(problem, Answer(f"state={others!r}", ("--state", ",".join(others)), "the others"))


def refuse_dated(names: tuple[str, ...], dated: Sequence[str]) -> None:
    """Refuse coordinates that are a function of the date, which a clock that restarts would hide."""
    if not dated:
        return
    many = len(dated) > 1
    problem = f"{', '.join(dated)} {'are functions' if many else 'is a function'} of the time; "
    problem += f"leave {'them' if many else 'it'} out of the state"
    others = [name for name in names if name not in dated]
    if not others:
        raise InputError(f"{problem}.")
    raise UndecidedError(problem, Answer(f"state={others!r}", ("--state", ",".join(others)), "the others"))


def impossible_fit(sample: Increments, names: tuple[str, ...]) -> InputError:
    """Why drift and diffusion of these coordinates cannot be estimated, and which columns to keep."""
    problem = "Drift and diffusion cannot be estimated from these paths"
    kept, causes = _without_causes(sample, names, range(len(names)))
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


def independent_columns(sample: Increments, names: tuple[str, ...]) -> list[str]:
    """The coordinates without those that nearly follow another one; for coordinates known to be dependent."""
    return [names[i] for i in _without_causes(sample, names, range(len(names)), DATA.nearly_follows)[0]]


def _without_causes(
    sample: Increments, names: tuple[str, ...], among: Sequence[int], follows: float = DATA.follows
) -> tuple[list[int], list[str]]:
    """The coordinates that are neither redrawn at every step nor follow another one; reasons against the rest."""
    kept, followers, causes = list[int](), list[str](), list[str]()
    anew = np.mean(sample.dx**2, axis=0) > DATA.anew * np.var(sample.x, axis=0)
    for i in (i for i in among if not anew[i]):
        leader = next((k for k in kept if _correlation(sample.x[:, i], sample.x[:, k]) ** 2 > 1 - follows), None)
        if leader is None:
            kept.append(i)
        else:
            followers.append(f"{names[i]} differs too little from {names[leader]}")
    listed = ", ".join(names[i] for i in among if anew[i])
    if listed:
        causes.append(f"steps are as large as the whole spread of {listed}")
    return kept, causes + followers


def _correlation(one: Float[np.ndarray, " b"], other: Float[np.ndarray, " b"]) -> float:
    return float(np.corrcoef(one, other)[0, 1])


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
