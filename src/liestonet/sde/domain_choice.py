"""The domain: chosen if the user gives none, else checked.

Both search for the same problems: values that are not finite or not real, kinks, and singularities near the box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.sde.candidates import (
    Breakpoints,
    combinations_in_order,
    coordinate_candidates,
    is_clear,
    numeric_breakpoints,
    symbolic_breakpoints,
    time_candidates,
)
from liestonet.sde.probing import (
    Function,
    Roughness,
    entry_names,
    low_degrees,
    place,
    require_finite,
    resolve,
    rough_error,
    stack,
    to_box,
)
from liestonet.sde.sde import SDE
from liestonet.sde.singularities import Locus, Singularity, loci
from liestonet.sde.tuning import BOX

_BATCH = 50

Box = Float[np.ndarray, "v 2"]


def choose_domain(sde: SDE) -> Domain:
    """A box on which f and σ are smooth, need low degrees and, if possible, have noise that does not vanish."""
    sde.require_numeric()
    variables = sde.dimension + 1
    found = loci(sde)
    coupled = [locus for locus in found if len(locus.variables) > 1 and locus.kind is not Singularity.NOISE]
    if sde.symbolic is None:
        points = [numeric_breakpoints(sde, v) for v in range(variables)]
        searched = set(range(1, variables))
    else:
        points = [symbolic_breakpoints(sde, found, v) for v in range(variables)]
        searched = {v for locus in coupled for v in locus.variables if v > 0}
    failed: Box | None = None
    for avoid_noise in (True, False):
        boxes = proposals(points, searched, avoid_noise)
        for box in islice(admissible(sde, coupled, boxes), BOX.probed):
            settled = shrink(sde, box)
            if settled is not None:
                return shorten(sde, settled)
            failed = box if failed is None else failed
    raise InputError(f"No domain was found {_reason(sde, failed)}.")


def _reason(sde: SDE, box: Box | None) -> str:
    """Why no box was accepted, judged by one on which all coefficients are finite, and what the user should give."""
    give = "give {} in domain=[(start, end), (low, high), …], time first, then each coordinate"
    verdict = None if box is None else resolve(_on(sde, box), len(box))
    if box is None or not isinstance(verdict, Roughness):
        coordinates = ", ".join(("t", *sde.names))
        return f"on which every coefficient is finite, real and smooth; {give.format(f'intervals of {coordinates}')}"
    name = ("t", *sde.names)[verdict.variable]
    place, width = _steepest(sde, box, verdict)
    return (
        f"on which the {entry_names(sde)[verdict.entry]} is smooth enough in {name}: near {name} = {place:.4g} it "
        f"changes within about {width:.1g}; {give.format(f'a narrow interval of {name} there, or one without it,')}"
    )


def _steepest(sde: SDE, box: Box, verdict: Roughness) -> tuple[float, float]:
    """Where a coefficient changes fastest along a variable, and the length of its whole change at this rate."""
    line = np.repeat(box.mean(axis=1)[None], BOX.steep_points, axis=0)
    low, high = box[verdict.variable].tolist()
    line[:, verdict.variable] = np.linspace(low, high, BOX.steep_points)
    values, places = stack(sde, line)[:, verdict.entry], line[:, verdict.variable]
    changes, finite = np.nan_to_num(np.abs(np.diff(values)), posinf=0.0), values[np.isfinite(values)]
    fastest = int(np.argmax(changes))
    place, step = (places[fastest] + places[fastest + 1]) / 2, places[1] - places[0]
    near_zero = abs(place) <= step  # then 0 is named, the more likely place
    return 0.0 if near_zero else float(place), float(step * np.ptp(finite) / max(changes[fastest], 1e-300))


def proposals(points: list[Breakpoints], searched: set[int], avoid_noise: bool) -> Iterator[Box]:
    """Boxes to try: the best one, then with disjoint coordinates, by score, and at random places."""
    lists = [time_candidates(points[0], avoid_noise)]
    lists += [coordinate_candidates(p, avoid_noise, v in searched) for v, p in enumerate(points[1:], start=1)]
    if not all(lists):
        return
    best = np.array([(candidates[0].low, candidates[0].high) for candidates in lists])
    yield best
    apart = sorted(searched)
    for sign in (-1.0, 1.0):
        centres = sign * 2.0 * (np.arange(len(apart)) - (len(apart) - 1) / 2)
        intervals = np.stack([centres - 0.5, centres + 0.5], axis=1)
        breaks = [points[v].hard + points[v].soft * avoid_noise for v in apart]
        if all(is_clear(low, high, b) for (low, high), b in zip(intervals, breaks, strict=True)):
            yield _replaced(best, apart, intervals)
    for chosen in islice(combinations_in_order(lists), 1, BOX.tried):
        yield np.array([(c.low, c.high) for c in chosen])
    rng = np.random.default_rng(53)
    for trial in range(BOX.tried if apart else 0):
        reach = (4.0, BOX.reach)[trial % 2]
        centres, half = rng.uniform(-reach, reach, len(apart)).round(1), rng.choice([0.5, 0.25, 0.1])
        yield _replaced(best, apart, np.stack([centres - half, centres + half], axis=1))


def _replaced(box: Box, variables: list[int], intervals: Float[np.ndarray, "k 2"]) -> Box:
    box = box.copy()
    box[variables] = intervals
    return box


def admissible(sde: SDE, coupled: Sequence[Locus], boxes: Iterator[Box]) -> Iterator[Box]:
    """The boxes on which all coefficients are finite and which no coupled locus meets, with some margin."""
    cube = np.random.default_rng(29).uniform(-1.0, 1.0, (48, sde.dimension + 1))
    cube[::2] = np.sign(cube[::2]) * np.where(np.abs(cube[::2]) > 0.4, 1.0, np.abs(cube[::2]))
    while batch := list(islice(boxes, _BATCH)):
        stacked = np.stack(batch)
        for box, good in zip(batch, _finite(sde, stacked, cube) & _apart(coupled, stacked, cube), strict=True):
            if good:
                yield box


def _points(boxes: Float[np.ndarray, "k v 2"], cube: Float[np.ndarray, "c v"]) -> Float[np.ndarray, "p v"]:
    centre, half = boxes.mean(axis=2), (boxes[:, :, 1] - boxes[:, :, 0]) / 2
    return (centre[:, None] + half[:, None] * cube).reshape(-1, cube.shape[1])


def _finite(sde: SDE, boxes: Float[np.ndarray, "k v 2"], cube: Float[np.ndarray, "c v"]) -> Bool[np.ndarray, " k"]:
    finite = np.isfinite(stack(sde, _points(boxes, cube))).reshape(len(boxes), -1)
    return np.asarray(finite.all(axis=1))


def _apart(
    coupled: Sequence[Locus], boxes: Float[np.ndarray, "k v 2"], cube: Float[np.ndarray, "c v"]
) -> Bool[np.ndarray, " k"]:
    good = np.ones(len(boxes), dtype=bool)
    for locus in coupled:
        signs = np.sign(locus.values(_points(boxes, cube * (1 + BOX.clearance)))).reshape(len(boxes), -1)
        good &= (signs == signs[:, :1]).all(axis=1) & (signs[:, 0] != 0)
    return good


def shrink(sde: SDE, box: Box) -> Box | None:
    """Halve intervals until a modest degree resolves every coefficient; None if that does not help."""
    for _ in range(BOX.halvings):
        degrees = low_degrees(_on(sde, box), len(box))
        if degrees is None:
            return None
        wide = degrees > BOX.degree
        low, high = box.T
        centre, quarter = (low + high) / 2, (high - low) / 4
        if not wide.any():
            # A singularity exactly at the edge is found only on a slightly larger box.
            around = np.stack([centre - 2.5 * quarter, centre + 2.5 * quarter], axis=1)
            outside = low_degrees(_on(sde, around), len(box), tolerance=1e-4)
            return box if outside is not None and (outside <= 1.5 * BOX.degree).all() else None
        smaller = np.stack([centre - quarter, centre + quarter], axis=1)
        smaller[0] = low[0], low[0] + 2 * quarter[0]
        box = np.where(wide[:, None], smaller, box)
    return None


def _on(sde: SDE, box: Box) -> Function:
    domain = Domain(tuple((float(low), float(high)) for low, high in box))
    return lambda z: stack(sde, to_box(domain, z))


def shorten(sde: SDE, box: Box) -> Domain:
    """The domain with a duration so short that exponentials of the drift's rates stay moderate."""
    rate = drift_rate(sde, box)
    start, duration = box[0, 0], box[0, 1] - box[0, 0]
    longest = next((d for d in BOX.durations if d * rate <= BOX.rate), BOX.durations[-1])
    end = start + min(duration, longest)
    return Domain(((float(start), float(end)), *((float(a), float(b)) for a, b in box[1:])), chosen=True)


def drift_rate(sde: SDE, box: Box) -> float:
    """Root mean square of ‖∇f‖ over the box, each coordinate in units of its half-width."""
    rng = np.random.default_rng(71)
    n, count = sde.dimension, 64
    half = (box[:, 1] - box[:, 0]) / 2
    centre = box.mean(axis=1) + half * rng.uniform(-0.95, 0.95, (count, n + 1))
    step = 1e-4 * half[1:]
    shifts = np.concatenate([np.zeros((n, 1)), np.diag(step)], axis=1)
    both = np.concatenate([centre[:, None] + shifts, centre[:, None] - shifts], axis=1).reshape(-1, n + 1)
    values = sde.drift(both[:, 0], both[:, 1:]).reshape(count, 2, n, n)
    gradient = (values[:, 0] - values[:, 1]) / 2e-4 / half[1:]
    return float(np.sqrt(np.mean(np.linalg.norm(gradient, ord=2, axis=(1, 2)) ** 2)))


def check_domain(sde: SDE, domain: Domain) -> None:
    """Refuse a domain on which f or σ is undefined, not real, not finite or not smooth."""
    sde.require_numeric()
    for locus in loci(sde):
        if locus.kind is Singularity.NOISE:
            continue
        if len(locus.variables) == 1:
            _check_roots(sde, domain, locus)
        else:
            _check_coupled(sde, domain, locus)
    points = to_box(domain, inspected(sde.dimension + 1))
    require_finite(stack(sde, points), points, sde)
    if sde.symbolic is None:
        verdict = resolve(lambda z: stack(sde, to_box(domain, z)), sde.dimension + 1)
        if isinstance(verdict, Roughness):
            raise rough_error(verdict, entry_names(sde)[verdict.entry], sde, domain)


def require_moderate(sde: SDE, domain: Domain) -> None:
    """Refuse coefficients so large that the other terms of the equations are lost to rounding (docs/method.md §3.1)."""
    points = to_box(domain, inspected(sde.dimension + 1)[::4])
    values = np.abs(stack(sde, points)).max(axis=0)
    duration, half = domain.half[0], domain.half[1:]
    drift, diffusion = values[: sde.dimension], values[sde.dimension :].reshape(sde.dimension, sde.noise)
    sizes = np.concatenate([duration * drift / half, (np.sqrt(duration) * diffusion / half[:, None]).ravel()])
    orders = np.repeat([1, 2], [sde.dimension, sizes.size - sde.dimension])  # the equations hold f and a = σσᵀ
    worst = int(np.argmax(orders * np.log(np.maximum(sizes, 1.0))))
    if sizes[worst] > BOX.largest_size ** (1 / orders[worst]):
        coordinate = worst if worst < sde.dimension else (worst - sde.dimension) // sde.noise
        name, (low, high) = sde.names[coordinate], domain.intervals[1 + coordinate]
        raise InputError(
            f"The {entry_names(sde)[worst]} moves {name} {sizes[worst]:.0e} times as far as its interval "
            f"({low:g}, {high:g}) is wide, within the time of the domain; choose a wider interval, a shorter time or "
            "other units."
        )


def inspected(variables: int) -> Float[np.ndarray, "p v"]:
    """Points of the unit cube for checks: a grid with its edges and centre, axes, and random points."""
    rng = np.random.default_rng(83)
    side = max(3, int(4000 ** (1 / variables)) // 2 * 2 + 1)
    axes = np.zeros((variables, 41, variables))
    for v in range(variables):
        axes[v, :, v] = np.linspace(-1, 1, 41)
    scattered = rng.uniform(-1, 1, (2000, variables))
    corners = rng.choice([-1.0, 0.0, 1.0], (500, variables))
    if side**variables > 6000:
        return np.concatenate([axes.reshape(-1, variables), corners, scattered])
    grid = np.meshgrid(*[np.linspace(-1, 1, side)] * variables, indexing="ij")
    return np.concatenate([np.stack(grid, axis=-1).reshape(-1, variables), axes.reshape(-1, variables), scattered])


def _check_roots(sde: SDE, domain: Domain, locus: Locus) -> None:
    variable = locus.variables[0]
    low, high = domain.intervals[variable]
    name = ("t", *sde.names)[variable]
    edge = 1e-9 * (high - low)
    for root in locus.roots(low, high):
        if locus.kind is Singularity.KINK and not (
            low + edge < root < high - edge and _changes_sign(locus, root, edge)
        ):
            continue
        raise InputError(
            f"The {locus.entry} {locus.kind.value} at {name} = {root:.4g}, which the domain's interval "
            f"({low:g}, {high:g}) for {name} contains; choose one that keeps away from it"
            f"{_suggestion(sde, domain, variable, root)}."
        )


def _suggestion(sde: SDE, domain: Domain, variable: int, root: float) -> str:
    """Text that suggests the longer interval beside a singular point on which the coefficients exist; may be empty."""
    low, high = domain.intervals[variable]
    gap = 0.05 * (high - low)
    for one, other in sorted(((root + gap, high), (low, root - gap)), key=lambda side: side[0] - side[1]):
        middle = domain.centre
        middle[variable] = (one + other) / 2
        if one < other and np.isfinite(stack(sde, middle[None])).all():
            return f", such as ({one:.3g}, {other:.3g})"
    return ""


def _changes_sign(locus: Locus, root: float, step: float) -> bool:
    points = np.zeros((2, locus.variables[0] + 1))
    points[:, -1] = root - 1e3 * step, root + 1e3 * step
    before, after = np.sign(locus.values(points))
    return bool(before != after)


def _check_coupled(sde: SDE, domain: Domain, locus: Locus) -> None:
    points = to_box(domain, inspected(sde.dimension + 1))
    values = locus.values(points)
    finite = np.isfinite(values)
    point = None
    if (values[finite] < 0).any() and (values[finite] > 0).any():
        point = _bisect(locus, points[np.nanargmin(values)], points[np.nanargmax(values)])
    elif finite.any() and locus.kind is not Singularity.KINK:
        point = _touching_point(locus, domain, points[finite], values[finite])
    if point is None:
        return
    point = np.where(np.abs(point) < 1e-6 * domain.half, 0.0, point)
    where = place(sde.names, point) if 0 in locus.variables else place(sde.names, point).split(", ", 1)[1]
    raise InputError(
        f"The {locus.entry} {locus.kind.value} where {locus.expression} = 0, for instance at {where}, "
        "inside the domain; choose intervals on which that expression keeps its sign."
    )


def _bisect(
    locus: Locus, negative: Float[np.ndarray, " v"], positive: Float[np.ndarray, " v"]
) -> Float[np.ndarray, " v"]:
    for _ in range(50):
        middle = (negative + positive) / 2
        negative, positive = (middle, positive) if locus.values(middle[None])[0] < 0 else (negative, middle)
    return (negative + positive) / 2


def _touching_point(
    locus: Locus, domain: Domain, points: Float[np.ndarray, "p v"], values: Float[np.ndarray, " p"]
) -> Float[np.ndarray, " v"] | None:
    """A zero without a change of sign, as that of x² + y², found by descent from the smallest values; None if none."""
    from scipy.optimize import minimize

    scale = float(np.abs(values).max())
    for start in points[np.argsort(np.abs(values))[:3]]:
        z = np.clip((start - domain.centre) / domain.half, -1, 1)
        best = minimize(
            lambda z: abs(float(locus.values(to_box(domain, z[None]))[0])) / scale,
            z,
            method="L-BFGS-B",
            bounds=[(-1, 1)] * len(z),
        )
        if best.fun < 1e-7:
            return to_box(domain, best.x[None])[0]
    return None
