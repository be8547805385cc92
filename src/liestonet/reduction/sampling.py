"""Samples of a reduced equation: exact where its integrals are Gaussian or it is a Bessel process, else simulated.

See docs/method.md §14.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.core.numbers import is_real, is_whole
from liestonet.errors import InputError
from liestonet.reduction.exits import keep_inside
from liestonet.reduction.numerics import compiled, integrals_over, new_from_old, old_from_new, stacked
from liestonet.reduction.sample import Sample
from liestonet.reduction.tuning import SAMPLE
from liestonet.sde.simulation import check_seed, initial_states

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction

BOUNDARIES = ("reflecting", "absorbing")


@dataclass(frozen=True)
class _Run:
    """A checked question: where paths begin, at which times they are wanted, and the random numbers."""

    made: Reduction
    states: Float[np.ndarray, "k d"]
    start: float
    times: Float[np.ndarray, " n"]
    rng: np.random.Generator
    autonomous: bool

    def spans(self) -> list[tuple[float, float]]:
        """Beginning and end of every step on the clock of the equation; autonomous ones always begin at the same time.

        That keeps factors such as e^{κt} of a moderate size.
        """
        ends = np.concatenate([[self.start], self.times])
        if not self.autonomous:
            return [(float(a), float(b)) for a, b in zip(ends[:-1], ends[1:], strict=True)]
        origin = _origin(self.made)
        return [(origin, origin + float(b - a)) for a, b in zip(ends[:-1], ends[1:], strict=True)]


def is_gaussian(made: Reduction) -> bool:
    """Whether every coordinate is an integral of functions of time alone."""
    formulas = made.sde.symbolic
    if made.kind != "solved" or formulas is None or made.flows is not None:
        return False
    entries: Any = [*formulas.drift, *formulas.diffusion]
    return not any(entry.has(*formulas.state) for entry in entries)


def is_exact(made: Reduction) -> bool:
    """Whether samples have the law of the equation at any step."""
    return is_gaussian(made) or made.bessel is not None


def draw(
    made: Reduction, initial: Any, times: Any, paths: Any, seed: Any, start: Any, boundary: Any
) -> Sample:
    """States at the times asked for."""
    made.require_numeric()
    run = _checked(made, initial, times, paths, seed, start)
    if boundary is not None and boundary not in BOUNDARIES:
        raise InputError(f'The boundary is {boundary!r}; choose "reflecting" or "absorbing".')
    if made.bessel is not None:
        states, note = _bessel(run, boundary)
    elif is_gaussian(made):
        states, note = _gaussian(run)
    else:
        states, note = _simulated(run)
    return Sample(run.times, states, made.equation.names, is_exact(made), note)


def _checked(made: Reduction, initial: Any, times: Any, paths: Any, seed: Any, start: Any) -> _Run:
    if not is_whole(paths) or paths < 1:
        raise InputError(f"The number of paths is {paths!r}; give a whole number, at least 1.")
    if not is_real(start) or not np.isfinite(float(start)):
        raise InputError(f"The start is {start!r}; give a number.")
    try:
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
    except (TypeError, ValueError) as problem:
        raise InputError("The times must be numbers, as in [0.5, 1, 2].") from problem
    if wanted.ndim != 1 or not len(wanted) or not np.isfinite(wanted).all() or not (np.diff(wanted) > 0).all():
        raise InputError("The times must be finite numbers that increase, as in [0.5, 1, 2].")
    if wanted[0] < start:
        raise InputError(f"The first time, {wanted[0]:g}, is before the start, {float(start):g}; give start= for another.")
    space = made.spaces[0]
    outside = [t for t in (float(start), float(wanted[-1])) if not space.contains(np.array([t]))[0]]
    if outside:
        raise InputError(f"The equation is regular for {space.words('t')} only, and {outside[0]:g} is beyond it.")
    one, other = check_seed(seed).spawn(2)
    states = initial_states(initial, np.random.default_rng(one), int(paths), made.equation.dimension)
    _require_inside(made, float(start), states)
    formulas = made.equation.symbolic
    entries: Any = [] if formulas is None else [*formulas.drift, *formulas.diffusion]
    autonomous = formulas is not None and not any(entry.has(formulas.time) for entry in entries)
    return _Run(made, states, float(start), wanted, np.random.default_rng(other), autonomous)


def _require_inside(made: Reduction, start: float, states: np.ndarray) -> None:
    """Refuse initial values outside the part of space on which the new coordinates are defined."""
    for i, (name, space) in enumerate(zip(made.equation.names, made.spaces[1:], strict=True)):
        outside = states[~space.contains(states[:, i]), i]
        if outside.size:
            raise InputError(
                f"{name} = {outside[0]:g} is outside the state space {space.words(name)}; begin inside, or solve the "
                "equation on a domain there."
            )
    clock, new = new_from_old(made, np.full(len(states), start), states)
    _, back = old_from_new(made, clock, new)
    wrong = ~np.isclose(back, states, rtol=1e-6, atol=1e-9).all(axis=1)
    if wrong.any():
        shown = ", ".join(f"{n} = {v:g}" for n, v in zip(made.equation.names, states[wrong][0], strict=True))
        raise InputError(
            f"{shown} is outside the part of space on which these coordinates hold ({made.validity}); solve the "
            "equation on a domain there."
        )


def _origin(made: Reduction) -> float:
    space = made.spaces[0]
    if space.low < 0 < space.high:
        return 0.0
    return space.low + 1 if np.isfinite(space.low) else space.high - 1


def _gaussian(run: _Run) -> tuple[Float[np.ndarray, "k n d"], str]:
    """Independent Gaussian increments with mean ∫F and covariance ∫GGᵀ."""
    made, size = run.made, run.states.shape
    formulas: Any = made.sde.symbolic
    time = (formulas.time,)
    count, noises = formulas.dimension, formulas.noise

    def moments(t: np.ndarray) -> np.ndarray:
        drift = stacked(list(formulas.drift), time, t)
        noise = stacked(list(formulas.diffusion), time, t).reshape(len(t), count, noises)
        squares = np.einsum("bik,bjk->bij", noise, noise)
        return np.concatenate([drift, squares.reshape(len(t), -1)], axis=1)

    result = np.empty((size[0], len(run.times), size[1]))
    x, alive = run.states, np.ones(size[0], dtype=bool)
    for k, (begin, end) in enumerate(run.spans()):
        _, y = new_from_old(made, np.full(len(x), begin), x)
        if end > begin:
            found = integrals_over(moments, begin, end)
            root = semidefinite_root(found[count:].reshape(count, count))
            moved = y + found[:count] + run.rng.standard_normal((len(x), root.shape[1])) @ root.T
        else:
            moved = y
        if made.ends and not made.continues:
            alive = keep_inside(made, (begin, end), y[:, 0], moved[:, 0], alive, run.rng)
        with np.errstate(all="ignore"):
            _, x = old_from_new(made, np.full(len(x), end), moved)
        result[:, k] = np.where(alive[:, None], x, np.nan)
        x = np.where(alive[:, None], x, run.states)
    note = "Exact: Gaussian increments with the mean and covariance of the integrals."
    if made.level == "law":
        note += " In law, as the symmetries keep the law only."
    if made.ends and not made.continues:
        names = " or ".join(text for _, text in made.ends)
        note += f" Paths end where {made.equation.names[0]} reaches {names}; {int((~alive).sum())} of {len(alive)} did."
    elif made.ends:
        names = " or ".join(text for _, text in made.ends)
        note += f" Beyond {names} they go on with the law of the equation, reflected there."
    return result, note


def semidefinite_root(matrix: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """A root of a covariance matrix that may be singular, in units of its own diagonal."""
    scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    unit = matrix / np.where(scale > 0, scale, 1.0)[:, None] / np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(unit)
    return scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))


def bessel_boundary(made: Reduction, boundary: str | None, strength: float) -> str:
    """What happens at ζ = 0: what is asked for where both are possible, else what the equation itself does.

    Where drift and noise of the old coordinate vanish at the end, staying there solves the equation: absorbing. A drift
    that leads back, or one that is singular there, reflects.
    """
    if strength >= 0.5:
        return ""
    if strength <= -0.5:
        if boundary == "reflecting":
            raise InputError(
                f"A = {strength:g} is −1/2 or less, so the boundary is absorbing; it cannot reflect. Leave boundary out."
            )
        return "absorbing"
    if boundary is not None:
        return boundary
    return "absorbing" if _rests(made) else "reflecting"


def _rests(made: Reduction) -> bool:
    """Whether drift and noise of the equation vanish at the end that is ζ = 0."""
    formulas = made.equation.symbolic
    if formulas is None or made.equation.parameters:
        return False
    clock, new = new_from_old(made, np.zeros(1), np.array([[_inside(made)]]))
    tiny = np.array([[float(new[0, 0]) * 1e-12]])
    _, end = old_from_new(made, clock, tiny)
    t = np.zeros(1)
    drift = abs(float(made.equation.drift(t, end)[0, 0]))
    noise = float(np.linalg.norm(made.equation.diffusion(t, end)[0]))
    return bool(drift < 1e-6 and noise < 1e-3)


def _inside(made: Reduction) -> float:
    space = made.spaces[1]
    if np.isfinite(space.low) and np.isfinite(space.high):
        return (space.low + space.high) / 2
    return space.low + 1 if np.isfinite(space.low) else space.high - 1 if np.isfinite(space.high) else 1.0


def _bessel(run: _Run, boundary: str | None) -> tuple[Float[np.ndarray, "k n d"], str]:
    """ζ²(s + h) = h χ′²_{2A+1}(ζ²/h), or absorbed at zero."""
    made = run.made
    strength = float(sympy.sympify(made.bessel))
    held = bessel_boundary(made, boundary, strength)
    result = np.empty((len(run.states), len(run.times), 1))
    x = run.states
    for k, (begin, end) in enumerate(run.spans()):
        clock, zeta = new_from_old(made, np.full(len(x), begin), x)
        later = compiled(made.clock, old_time(made))(np.full(len(x), end))
        length = later - clock
        square = bessel_step(zeta[:, 0] ** 2, float(length[0]), strength, held == "absorbing", run.rng)
        _, x = old_from_new(made, later, np.sqrt(square)[:, None])
        result[:, k] = x
    note = f"Exact: the squared Bessel process with {2 * strength + 1:g} dimensions"
    note += f", {held} at its end." if held else ", which does not reach its end."
    return result, note


def old_time(made: Reduction) -> tuple[Any, ...]:
    return (sympy.Symbol("t", real=True),)


def bessel_step(
    square: Float[np.ndarray, " k"], length: float, strength: float, absorbing: bool, rng: np.random.Generator
) -> Float[np.ndarray, " k"]:
    """ζ² after a time `length` of dζ = A/ζ ds + dB."""
    if length <= 0:
        return square
    dimension = 2 * strength + 1
    if not absorbing:
        return length * rng.noncentral_chisquare(dimension, square / length)
    # the density is a mixture of gamma laws; the index is drawn by a gamma variable and a Poisson one beyond it
    half = square / length / 2
    waiting = rng.gamma(0.5 - strength, size=len(square))
    alive = (waiting < half) & (square > 0)
    index = rng.poisson(np.where(alive, half - waiting, 0.0))
    return np.where(alive, 2 * length * rng.gamma(index + 1.0), 0.0)


def _simulated(run: _Run) -> tuple[Float[np.ndarray, "k n d"], str]:
    """Euler–Maruyama in the new coordinates with many sub-steps."""
    made = run.made
    result = np.empty((len(run.states), len(run.times), run.states.shape[1]))
    x = run.states
    for k, (begin, end) in enumerate(run.spans()):
        clock, z = new_from_old(made, np.full(len(x), begin), x)
        later = new_from_old(made, np.full(1, end), x[:1])[0][0]
        length = float(later - clock[0])
        if length > 0:
            seed = int(run.rng.integers(2**62))
            moved = made.sde.simulate(z, length, length, len(z), seed, start=float(clock[0]), substeps=SAMPLE.substeps)
            z = np.array([path[-1] for path in moved.states])
        _, x = old_from_new(made, np.full(len(x), later), z)
        result[:, k] = x
    where = "in the new coordinates" if made.kind != "none" else "as it stands, since there are no new coordinates"
    note = (
        f"Simulated: Euler–Maruyama with {SAMPLE.substeps} sub-steps in every step, {where}; not exact, because the "
        "integrals depend on the path."
    )
    return result, note
