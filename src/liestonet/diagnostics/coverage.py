"""Flags for coverage: whether the data fill the box of the symmetries, move in it, and do not lie on a surface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.core.flags import Flag
from liestonet.core.multiindex import Degrees, total_degree
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.overview import Overview
from liestonet.surrogate.surrogate import Surrogate


def coverage_flags(overview: Overview) -> Iterator[Flag]:
    """A flag for the pair of variables with the least coverage, if this is too small."""
    lowest, extent = np.array(overview.domain.intervals, dtype=float).T[0], 2 * overview.domain.half
    parts, names = FLAGS.coverage_parts, ("t", *overview.names)
    cells = np.clip(parts * (overview.points - lowest) / extent, 0, parts - 1).astype(np.int64)
    # ranges of one variable without any point are not counted, as few recorded times leave some; all of a turn count
    present = [
        parts if variable in overview.domain.periodic else len(np.unique(column))
        for variable, column in enumerate(cells.T)
    ]
    covered = {
        (i, j): np.count_nonzero(np.bincount(parts * cells[:, i] + cells[:, j])) / (present[i] * present[j])
        for i, j in combinations(range(len(names)), 2)
    }
    pair = min(covered, key=lambda key: covered[key])
    if covered[pair] < FLAGS.least_covered:
        yield Flag(
            "coverage",
            f"The data fill {100 * covered[pair]:.0f} % of the box in the plane of {names[pair[0]]} and "
            f"{names[pair[1]]}; residuals are computed over the whole box, so partly by extrapolation.",
            "Record paths that start in the empty part.",
        )


def motion_flags(surrogate: Surrogate, tolerance: float) -> Iterator[Flag]:
    """A flag for the coordinate that moves least, if less than half the tolerance: fields cannot be distinguished.

    The residual of a generator that does not depend on time is of the order of the state's displacement within the
    half-length T of the time interval, relative to the box: √(T a + (T f)²)/L.
    """
    overview = surrogate.overview
    rows = slice(None, None, max(1, len(overview.points) // FLAGS.coverage_points))
    sample, half = overview.sample, overview.domain.half
    diffused = half[0] * np.mean(sample.dx[rows] ** 2 / sample.dt[rows, None], axis=0)
    drifted = np.mean((half[0] * surrogate.drift(sample.t[rows], sample.x[rows])) ** 2, axis=0)
    motion = np.sqrt(diffused + drifted) / half[1:]
    slowest = int(np.argmin(motion))
    if motion[slowest] < tolerance * FLAGS.least_motion:
        yield Flag(
            "little-motion",
            f"Over half of the recorded time {overview.names[slowest]} moves by only {100 * motion[slowest]:.1g} % of "
            "half its range; many fields have residuals below the tolerance for that reason alone.",
            "Record for longer, restrict the range of states, or use a smaller tolerance.",
        )


def relation_flags(overview: Overview) -> Iterator[Flag]:
    """Flags for a coordinate that is a function of another, or a linear or quadratic relation among coordinates."""
    if len(overview.names) > FLAGS.most_related:
        return
    x, names = overview.sample.x[:: max(1, len(overview.points) // FLAGS.coverage_points)], overview.names
    for given, other in permutations(range(len(names)), 2):
        if is_function(x[:, given], x[:, other]):
            yield Flag(
                "dependent",
                f"{names[other]} is a function of {names[given]}: it adds no information.",
                f"Leave {names[other]} out of the state.",
            )
            return
    for degree, kind in ((1, "linear"), (2, "quadratic")) if len(names) > 1 else ():
        unexplained, involved = polynomial_relation(x, degree)
        if unexplained < FLAGS.unexplained**degree:
            listed = ", ".join(name for name, used in zip(names, involved, strict=True) if used)
            yield Flag(
                "dependent",
                f"{listed} obey a {kind} relation: they are not independent coordinates.",
                f"Leave {' and '.join(superfluous(x, names, degree))} out of the state, or the same number "
                "of others among them.",
            )
            return


def superfluous(x: Float[np.ndarray, "b n"], names: Sequence[str], degree: int) -> list[str]:
    """Coordinates whose removal removes all relations of this degree: of each relation the last one."""
    kept, left_out = list(range(len(names))), list[str]()
    while len(kept) > 1:
        unexplained, involved = polynomial_relation(x[:, kept], degree)
        if unexplained >= FLAGS.unexplained**degree:
            break
        left_out.insert(0, names[kept.pop(int(np.flatnonzero(involved)[-1]))])
    return left_out


def is_function(given: Float[np.ndarray, " b"], other: Float[np.ndarray, " b"]) -> bool:
    """Whether points adjacent in one variable are close in the other, as on the graph of a function."""
    jumps = np.diff(other[np.argsort(given, kind="stable")]) ** 2
    jumps = jumps[jumps > 0]  # repeated values would look like a smooth function
    return bool(len(jumps) and np.quantile(jumps, FLAGS.smooth_part) < FLAGS.unexplained * 2 * np.var(other))


def polynomial_relation(x: Float[np.ndarray, "b n"], degree: int) -> tuple[float, tuple[bool, ...]]:
    """The least E[p²] of a polynomial p relative to its value for independent coordinates, and the coordinates in p."""
    low, high = x.min(axis=0), x.max(axis=0)
    scaled = 2 * (x - low) / np.maximum(high - low, np.finfo(float).tiny) - 1
    rng = np.random.default_rng(0)
    independent = np.column_stack([rng.permutation(column) for column in scaled.T])
    degrees = total_degree(range(x.shape[1]), x.shape[1], degree)
    joint, product = (_gram(points, degrees) for points in (scaled, independent))
    values, vectors = scipy.linalg.eigh(product)
    kept = values > FLAGS.empty * values[-1]
    whitening = vectors[:, kept] / np.sqrt(values[kept])
    least, combination = scipy.linalg.eigh(whitening.T @ joint @ whitening, subset_by_index=(0, 0))
    polynomial = (whitening @ combination[:, 0]) ** 2 * np.diag(product)
    shares = (degrees > 0).T @ polynomial / polynomial.sum()
    return max(float(least[0]), 0.0), tuple((shares > FLAGS.involved).tolist())


def _gram(points: Float[np.ndarray, "b n"], degrees: Degrees) -> Float[np.ndarray, "p p"]:
    """The matrix of mean products of monomials."""
    columns = np.prod(points[:, None, :] ** degrees, axis=2)
    return columns.T @ columns / len(points)
