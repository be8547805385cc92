"""Paths of an Itô equation dx = f dt + σ dW by Euler–Maruyama, all paths at once, with bounds if given.

The steps are pure functions of the equation and the Wiener increments; `simulate` adds seeds and checks its input.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from liestonet.core.numbers import is_real, is_whole
from liestonet.core.periods import NO_PERIODS
from liestonet.errors import InputError
from liestonet.sde.boundary import Bounds, read_bounds, with_natural_bounds
from liestonet.sde.tuning import BOX
from liestonet.trajectories import Measurement, Trajectories

NORMALS_AT_ONCE = 2**18
SECONDS_BETWEEN_REPORTS = 0.1
LARGEST_GRID = 2**36
LARGEST_NUMBER = np.finfo(np.float64).max / 4

Real = float | int | np.floating | np.integer
Whole = int | np.integer
Progress = Callable[[int, int], object]


@runtime_checkable
class Equation(Protocol):
    """The methods of an SDE that a simulation needs: t (B,), x (B, n) -> drift (B, n) and diffusion (B, n, r)."""

    @property
    def dimension(self) -> int: ...

    @property
    def noise(self) -> int: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    def drift(self, t: np.ndarray, x: np.ndarray, /) -> np.ndarray: ...

    def diffusion(self, t: np.ndarray, x: np.ndarray, /) -> np.ndarray: ...


def simulate(
    sde: Equation,
    initial: Any,
    duration: Real | Any,
    step: Real | Any,
    paths: Whole | Any = 1,
    seed: Whole | Any = 0,
    *,
    start: Any = 0.0,
    substeps: Whole | Any = 1,
    boundary: Mapping[Any, Any] | Any | None = None,
    progress: Progress | None = None,
) -> Trajectories:
    """Simulate `paths` paths by Euler–Maruyama and record them every `step`.

    `initial` is (d,) for all paths, (paths, d), a number if d = 1, or a callable(rng, paths) -> (paths, d).
    `start` is the time of the first point: a number, or (paths,) for one per path. There are
    round(duration / step) recorded steps, so the last time is start + duration only if that is a multiple of
    the step. Each recorded step consists of `substeps` Euler steps: strong order 1/2, weak order 1.

    The same seed gives the same paths bit for bit, and path k does not depend on the number of paths (if `initial`
    and the coefficients do not); another step, duration or number of substeps gives other paths.
    `progress(done, total)` is called at most ten times a second.

    `boundary` keeps coordinates, by name or number from 0, above a lower bound or within (lower, upper), with None
    for no bound: `"x>0"`, `{"x": 0.0}`, `{"x": (0, 1), "y": (None, 5)}`. A coordinate not mentioned stays in every
    path on its side of the equation's own singular points: zeros of denominators and of arguments of roots and
    logarithms that depend on this coordinate alone (x = 0 of 1/x, log x and √x). Euler steps across such a point are
    errors of the method; `data.notes` give their number, and `{"x": (None, None)}` allows them. What happens at a
    bound depends on the noise of that coordinate there:

    - Noise that vanishes at the bound (√x of CIR, √(x(1-x))), so that the bound is the equation's own: full
      truncation (Lord, Koekkoek, van Dijk 2010). The state continues beyond the bound with the coefficients of
      the nearest point inside, until the drift returns it, and is recorded as that nearest point. The scheme
      converges to the equation, also where paths touch the bound, with the smallest bias of the simple schemes;
      recorded values may lie exactly on the bound, and stay there if the drift does not lead back.
    - Noise that does not vanish (a floor such as x ≥ 0.05): the state is reflected (Bossy, Gobet, Talay
      2004), which converges to the equation reflected at the bound and leaves no accumulation of points on it. If
      paths rarely reach the floor, nearly all increments are those of the equation without it.
    """
    h, steps, substeps = _check_grid(duration, step, substeps)
    paths = _check_count(paths, "paths")
    if paths * steps * sde.dimension > LARGEST_GRID:
        raise InputError(f"{paths} paths of {steps} steps do not fit into memory; use fewer, or substeps.")
    read_bounds(boundary, tuple(sde.names))
    law_seed, noise_seed = check_seed(seed).spawn(2)
    times = _check_start(start, paths)[:, None] + step * np.arange(steps + 1)
    if np.spacing(np.abs(times[:, [0, -1]]).max()) >= step:
        raise InputError(f"The step {step:g} is lost in rounding compared with the start; start nearer to 0.")
    x = initial_states(initial, np.random.default_rng(law_seed), paths, sde.dimension)
    bounds = with_natural_bounds(sde, boundary, times[:, 0], x)
    outside = np.flatnonzero((bounds.project(x) != x).any(axis=1))
    if outside.size:
        path = int(outside[0])
        raise InputError(f"Path {path} begins at {_point(x[path])}, outside the boundary; begin inside.")
    states = np.empty((paths, steps + 1, sde.dimension))
    states[:, 0] = x
    crossings = np.zeros(sde.dimension, dtype=np.int64)
    report = _throttled(progress, steps)
    normals = wiener_normals(noise_seed, paths, steps * substeps, sde.noise)
    for recorded in range(steps):
        for inner in range(substeps):
            t = times[:, recorded] + h * inner
            moved, x = euler_step(sde, t, x, np.full(paths, h), np.sqrt(h) * next(normals), bounds)
            crossings += (bounds.project(moved) != moved).sum(axis=0)
        states[:, recorded + 1] = bounds.project(x)
        report(recorded + 1)
    return Trajectories(
        times.reshape(-1),
        states.reshape(-1, sde.dimension),
        (steps + 1) * np.arange(paths + 1),
        tuple(sde.names),
        remarks=tuple(_remark(str(sde.names[i]), int(crossings[i]), paths * steps * substeps) for i in bounds.natural),
        measurement=Measurement.exact(steps="euler" if substeps == 1 else "continuous"),
        periodic=getattr(sde, "periodic", NO_PERIODS),
    )


def euler_step(
    sde: Equation,
    t: Float[np.ndarray, " k"],
    x: Float[np.ndarray, "k n"],
    h: Float[np.ndarray, " k"],
    increment: Float[np.ndarray, "k r"],
    bounds: Bounds,
) -> tuple[Float[np.ndarray, "k n"], Float[np.ndarray, "k n"]]:
    """One Euler–Maruyama step: the states after it without bounds, and with them.

    The second may still be beyond a bound at which the noise vanishes (see `simulate`).
    """
    moved = _moved(sde, t, x, h, increment, bounds)
    return moved, _settle(sde, t + h, moved, h, bounds)


def _moved(
    sde: Equation, t: np.ndarray, x: np.ndarray, h: np.ndarray, increment: np.ndarray, bounds: Bounds
) -> np.ndarray:
    """The states after one step without bounds."""
    with np.errstate(all="ignore"):
        inside = bounds.project(x)
        drift, diffusion = sde.drift(t, inside), sde.diffusion(t, inside)
        # Not einsum or matmul: the last bit of their sums depends on the number of paths.
        kicks = (np.ascontiguousarray(diffusion) * increment[:, None, :]).sum(axis=2)
        moved = x + h[:, None] * drift + kicks
    finite = np.isfinite(moved).all(axis=1)
    if not finite.all():
        raise InputError(_describe_failure(int(np.argmin(finite)), t, x))
    return moved


def _remark(name: str, crossings: int, steps: int) -> str:
    """A sentence on the steps that crossed the equation's own bounds."""
    often = f"{crossings} of {steps} steps crossed and were" if crossings else "no step crossed; it would have been"
    return (
        f"{name} was kept on its side of the singular points of the equation: {often} turned back by reflection, or "
        "truncated where the noise vanishes."
    )


def _settle(sde: Equation, t: np.ndarray, x: np.ndarray, h: np.ndarray, bounds: Bounds) -> np.ndarray:
    """Reflect states that crossed a bound at which the noise does not vanish; leave those where it vanishes."""
    nearest = bounds.project(x)
    crossed = np.flatnonzero((nearest != x).any(axis=1))
    if not crossed.size:
        return x
    overshoot = nearest[crossed] - x[crossed]
    with np.errstate(all="ignore"):
        at_bound = sde.diffusion(t[crossed], nearest[crossed])
        noise = np.sqrt(h[crossed])[:, None] * np.linalg.norm(at_bound, axis=2)
    # noise that is not finite at the bound does not count as vanished
    lives = (overshoot != 0) & ~(noise <= BOX.vanished_noise * np.abs(overshoot))
    reflected = bounds.of(crossed).project(nearest[crossed] + overshoot)
    settled = x.copy()
    settled[crossed] = np.where(lives, reflected, x[crossed])
    return settled


def wiener_normals(
    seed: np.random.SeedSequence, paths: int, steps: int, noise: int
) -> Iterator[Float[np.ndarray, "k r"]]:
    """Standard normals for each step in turn; those of path k do not depend on the number of paths.

    Paths are divided into blocks whose size depends on steps and noise alone. Each block has its own random stream,
    drawn step by step and always for the whole block; at most NORMALS_AT_ONCE numbers are not used.
    """
    block = max(1, NORMALS_AT_ONCE // max(1, steps * noise))
    streams = [np.random.default_rng(child) for child in seed.spawn(-(-paths // block))]
    chunk = max(1, NORMALS_AT_ONCE // max(1, len(streams) * block * noise))
    for first in range(0, steps, chunk):
        size = (min(chunk, steps - first), block, noise)
        drawn = np.concatenate([stream.standard_normal(size) for stream in streams], axis=1)
        yield from drawn[:, :paths]


def _describe_failure(path: int, t: np.ndarray, x: np.ndarray) -> str:
    return (
        f"Path {path} is not finite after t = {t[path]:.6g}, where its state was {_point(x[path])}; "
        "use a smaller step or more substeps, or boundary= to keep it where the coefficients are defined."
    )


def _point(x: np.ndarray) -> str:
    return f"({', '.join(f'{value:.4g}' for value in x)})"


def _throttled(progress: Progress | None, total: int) -> Callable[[int], None]:
    last = time.monotonic()

    def report(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if progress is not None and (done == total or now - last >= SECONDS_BETWEEN_REPORTS):
            last = now
            progress(done, total)

    return report


def _check_grid(duration: Any, step: Any, substeps: Any) -> tuple[float, int, int]:
    """The Euler step, the number of recorded steps, and the Euler steps in each."""
    for name, value in (("duration", duration), ("step", step)):
        if not is_real(value) or not 0 < value <= LARGEST_NUMBER:
            raise InputError(f"The {name} is {value!r}; give a positive number.")
    steps = float(duration) / float(step)
    if steps < 1 - 1e-9:
        raise InputError(f"The duration {duration:g} is shorter than the step {step:g}; shorten the step.")
    if steps > LARGEST_GRID:
        raise InputError(f"The duration {duration:g} is {steps:.3g} steps of {step:g}; make the step larger.")
    substeps = _check_count(substeps, "substeps")
    return float(step) / substeps, round(steps), substeps


def _check_count(value: Any, name: str) -> int:
    if not is_whole(value) or value < 1:
        raise InputError(f"The number of {name} is {value!r}; give a whole number, at least 1.")
    return int(value)


def check_seed(seed: object) -> np.random.SeedSequence:
    if not is_whole(seed) or seed < 0:
        raise InputError(f"The seed is {seed!r}; give a whole number, at least 0.")
    return np.random.SeedSequence(int(seed))


def _check_start(start: Any, paths: int) -> Float[np.ndarray, " k"]:
    times = _real_array(start, "start")
    if times.shape not in ((), (paths,)):
        raise InputError(f"The start has shape {times.shape}; give one number, or one for each path.")
    return np.broadcast_to(times, (paths,))


def initial_states(initial: object, rng: np.random.Generator, paths: int, dimension: int) -> np.ndarray:
    drawn = callable(initial)
    states = _real_array(initial(rng, paths) if drawn else initial, "initial")
    allowed = [(paths, dimension)] if drawn else [(dimension,), (paths, dimension)]
    if states.shape == () and dimension == 1 and not drawn:
        states = states.reshape(1)
    if states.shape not in allowed:
        shapes = " or ".join(str(shape) for shape in allowed)
        source = "initial(rng, paths) returned" if drawn else "The initial state has"
        raise InputError(f"{source} shape {states.shape}, but {shapes} is needed.")
    return np.broadcast_to(states, (paths, dimension)).copy()


def _real_array(values: object, what: str) -> Float[np.ndarray, " ..."]:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "iuf" or not (np.abs(array) <= LARGEST_NUMBER).all():
            raise ValueError
    except (TypeError, ValueError) as problem:
        raise InputError(f"{what} must hold finite real numbers; check what was given.") from problem
    return array.astype(np.float64)
