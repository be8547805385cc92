"""Samples of a reduced equation: exact where its integrals are Gaussian or it is a Bessel process, else simulated.

See docs/method.md §18.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from jaxtyping import Bool, Float

from liestonet.core.numbers import is_real, is_whole
from liestonet.errors import InputError
from liestonet.reduction.exits import keep_inside
from liestonet.reduction.following import along, require_inside
from liestonet.reduction.numerics import compiled, integrals_over, new_from_old, old_from_new, stacked
from liestonet.reduction.sample import Sample
from liestonet.reduction.tuning import SAMPLE
from liestonet.sde.simulation import check_seed, initial_states

if TYPE_CHECKING:
    from liestonet.reduction.reduction import Reduction

BOUNDARIES = ("reflecting", "absorbing")


@dataclass(frozen=True)
class _Run:
    """The checked arguments of a sample: initial states, times and the random generator."""

    made: Reduction
    states: Float[np.ndarray, "k d"]
    start: float
    times: Float[np.ndarray, " n"]
    rng: np.random.Generator
    autonomous: bool

    def spans(self) -> list[tuple[float, float]]:
        """Beginning and end of every step in the equation's time; for autonomous ones the beginning is always the same.

        That keeps factors such as e^{κt} of a moderate size.
        """
        ends = np.concatenate([[self.start], self.times])
        if not self.autonomous:
            return [(float(a), float(b)) for a, b in pairwise(ends)]
        origin = _origin(self.made)
        return [(origin, origin + float(b - a)) for a, b in pairwise(ends)]


def is_gaussian(made: Reduction) -> bool:
    """Whether every coordinate is an integral of functions of time alone."""
    formulas = made.sde.symbolic
    if made.kind != "solved" or formulas is None or made.flows is not None or made.noise_names:
        return False
    entries: Any = [*formulas.drift, *formulas.diffusion]
    return not any(entry.has(*formulas.state) for entry in entries)


def is_drawn(made: Reduction) -> bool:
    """Whether the equation as a whole is Gaussian or a Bessel process."""
    return is_gaussian(made) or made.bessel is not None


def is_exact(made: Reduction) -> bool:
    """Whether samples have the exact law of the equation for any step."""
    if not made.is_whole or made.noise_names:
        return False
    return is_drawn(made) or (made.flows is None and all(part is not None for _, part in made.parts))


def draw(made: Reduction, initial: Any, times: Any, paths: Any, seed: Any, start: Any, boundary: Any) -> Sample:
    """Sample states at the given times."""
    made.require_numeric()
    run = _checked(made, initial, times, paths, seed, start)
    if boundary is not None and boundary not in BOUNDARIES:
        raise InputError(f'The boundary is {boundary!r}; choose "reflecting" or "absorbing".')
    if is_drawn(made):
        states, note = _drawn(run, boundary)
    elif is_exact(made):
        states, note = _drawn_in_parts(run, boundary)
    elif made.noise_names:
        states, note = _along_noise(run)
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
        raise InputError(
            f"The first time, {wanted[0]:g}, is before the start, {float(start):g}; give start= for another."
        )
    space = made.spaces[0]
    outside = [t for t in (float(start), float(wanted[-1])) if not space.contains(np.array([t]))[0]]
    if outside:
        raise InputError(f"The equation is regular for {space.words('t')} only, and {outside[0]:g} is beyond it.")
    one, other = check_seed(seed).spawn(2)
    states = initial_states(initial, np.random.default_rng(one), int(paths), made.equation.dimension)
    require_inside(made, float(start), states)
    formulas = made.equation.symbolic
    entries: Any = [] if formulas is None else [*formulas.drift, *formulas.diffusion]
    autonomous = formulas is not None and not any(entry.has(formulas.time) for entry in entries)
    return _Run(made, states, float(start), wanted, np.random.default_rng(other), autonomous)


def _origin(made: Reduction) -> float:
    space = made.spaces[0]
    if space.low < 0 < space.high:
        return 0.0
    return space.low + 1 if np.isfinite(space.low) else space.high - 1


def _drawn(run: _Run, boundary: str | None) -> tuple[Float[np.ndarray, "k n d"], str]:
    """Exact states of an equation that is Gaussian or a Bessel process in its new coordinates."""
    made, count = run.made, len(run.states)
    result = np.empty((count, len(run.times), run.states.shape[1]))
    x, alive = run.states, np.ones(count, dtype=bool)
    for k, span in enumerate(run.spans()):
        x, alive = drawn_step(made, span, x, alive, run.rng, boundary)
        result[:, k] = np.where(alive[:, None], x, np.nan)
        x = np.where(alive[:, None], x, run.states)
    return result, _drawn_note(made, boundary, alive)


def _drawn_in_parts(run: _Run, boundary: str | None) -> tuple[Float[np.ndarray, "k n d"], str]:
    """Exact states for independent groups of coordinates, each sampled in its own coordinates."""
    made, count = run.made, len(run.states)
    result = np.empty((count, len(run.times), run.states.shape[1]))
    x, alive = run.states, np.ones(count, dtype=bool)
    for k, (begin, end) in enumerate(run.spans()):
        clock, z = new_from_old(made, np.full(count, begin), x)
        later = float(new_from_old(made, np.full(1, end), x[:1])[0][0])
        for group, part in made.parts:
            rows = list(group)
            if part is not None:
                z[:, rows], alive = drawn_step(part, (float(clock[0]), later), z[:, rows], alive, run.rng, boundary)
        _, x = old_from_new(made, np.full(count, later), z)
        result[:, k] = np.where(alive[:, None], x, np.nan)
        x = np.where(alive[:, None], x, run.states)
    notes = [_drawn_note(part, boundary, alive) for _, part in made.parts if part is not None]
    return result, " ".join(dict.fromkeys(["Independent groups of coordinates.", *notes]))


def drawn_step(
    made: Reduction,
    span: tuple[float, float],
    x: Float[np.ndarray, "k d"],
    alive: Bool[np.ndarray, " k"],
    rng: np.random.Generator,
    boundary: str | None,
) -> tuple[Float[np.ndarray, "k d"], Bool[np.ndarray, " k"]]:
    """States at the end of a step, and which paths have not left their range."""
    if made.bessel is not None:
        return _bessel_states(made, span, x, rng, boundary), alive
    _, y = new_from_old(made, np.full(len(x), span[0]), x)
    moved = y + _gaussian_increments(made, span, len(x), rng)
    if made.ends and not made.continues:
        alive = keep_inside(made, span, y[:, 0], moved[:, 0], alive, rng)
    with np.errstate(all="ignore"):
        return old_from_new(made, np.full(len(x), span[1]), moved)[1], alive


def _gaussian_increments(
    made: Reduction, span: tuple[float, float], paths: int, rng: np.random.Generator
) -> Float[np.ndarray, "k n"]:
    """Independent Gaussian increments with mean ∫F and covariance ∫GGᵀ."""
    formulas: Any = made.sde.symbolic
    time, count, noises = (formulas.time,), formulas.dimension, formulas.noise

    def moments(t: np.ndarray) -> np.ndarray:
        drift = stacked(list(formulas.drift), time, t)
        noise = stacked(list(formulas.diffusion), time, t).reshape(len(t), count, noises)
        squares = np.einsum("bik,bjk->bij", noise, noise)
        return np.concatenate([drift, squares.reshape(len(t), -1)], axis=1)

    if span[1] <= span[0]:
        return np.zeros((paths, count))
    found = integrals_over(moments, *span)
    root = semidefinite_root(found[count:].reshape(count, count))
    return found[:count] + rng.standard_normal((paths, count)) @ root.T


def _drawn_note(made: Reduction, boundary: str | None, alive: Bool[np.ndarray, " k"]) -> str:
    """How an exact sample was drawn."""
    names = " or ".join(text for _, text in made.ends)
    if made.bessel is not None:
        strength = float(sympy.Float(made.bessel))
        held = bessel_boundary(made, boundary, strength)
        note = f"Exact: the squared Bessel process with {2 * strength + 1:g} dimensions"
        return f"{note}, {held} at its end." if held else f"{note}, which does not reach its end."
    note = "Exact: Gaussian increments with the mean and covariance of the integrals."
    if made.level == "law":
        note += " In law, because the symmetries preserve the law only."
    if made.ends and not made.continues:
        note += f" Paths end where {made.equation.names[0]} reaches {names}; {int((~alive).sum())} of {len(alive)} did."
    elif made.ends:
        note += f" After {names} they continue with the law of the equation, reflected there."
    return note


def semidefinite_root(matrix: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """A root of a covariance matrix that may be singular, in units of its own diagonal."""
    scale = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    unit = matrix / np.where(scale > 0, scale, 1.0)[:, None] / np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(unit)
    return scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))


def bessel_boundary(made: Reduction, boundary: str | None, strength: float) -> str:
    """The boundary at ζ = 0: the user's choice if both are possible, else the behaviour of the equation itself.

    If drift and noise of the old coordinate vanish at the end, staying there solves the equation: absorbing. A drift
    that leads back, or is singular there, makes it reflecting.
    """
    if strength >= 0.5:
        return ""
    if strength <= -0.5:
        if boundary == "reflecting":
            raise InputError(
                f"A = {strength:g} is −1/2 or less, so the boundary absorbs and cannot reflect; leave boundary out."
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


def _bessel_states(
    made: Reduction,
    span: tuple[float, float],
    x: Float[np.ndarray, "k 1"],
    rng: np.random.Generator,
    boundary: str | None,
) -> Float[np.ndarray, "k 1"]:
    """ζ²(s + h) = h χ′²_{2A+1}(ζ²/h), or absorbed at zero."""
    strength = float(sympy.Float(made.bessel))
    held = bessel_boundary(made, boundary, strength)
    clock, zeta = new_from_old(made, np.full(len(x), span[0]), x)
    later = compiled(made.clock, (sympy.Symbol("t", real=True),))(np.full(len(x), span[1]))
    square = bessel_step(zeta[:, 0] ** 2, float(later[0] - clock[0]), strength, held == "absorbing", rng)
    return old_from_new(made, later, np.sqrt(square)[:, None])[1]


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


def _along_noise(run: _Run) -> tuple[Float[np.ndarray, "k n d"], str]:
    """The solution formula along Wiener paths drawn at many points of each step."""
    made, count = run.made, len(run.states)
    noises, steps = made.equation.noise, SAMPLE.substeps
    result = np.full((count, len(run.times), run.states.shape[1]), np.nan)
    block = max(1, SAMPLE.at_once // (steps * noises))
    for first in range(0, count, block):
        x = run.states[first : first + block]
        alive = np.ones(len(x), dtype=bool)
        for k, (begin, end) in enumerate(run.spans()):
            moved = run.rng.standard_normal((len(x), steps, noises)) * np.sqrt((end - begin) / steps)
            if end > begin:
                x = along(made, x, np.linspace(begin, end, steps + 1), moved)[:, -1]
            alive &= np.isfinite(x).all(axis=1)
            result[first : first + block, k] = np.where(alive[:, None], x, np.nan)
            x = np.where(alive[:, None], x, run.states[first : first + block])
    ordinary = all(entry == 0 for entry in _noise_of_integrals(made))
    rule = "the trapezoid rule" if ordinary else "sums, those with dW with their integrand at the beginning"
    gone = int(np.isnan(result[:, -1, 0]).sum())
    ended = f" Paths end where they leave the state space; {gone} of {count} did." if gone else ""
    note = (
        f"Not exact: the Wiener process is exact at {steps} points of every step, the integrals along it are by {rule}."
    )
    return result, note + ended


def _noise_of_integrals(made: Reduction) -> list[Any]:
    """q of du = p dt + q dW, of all coordinates that are not the Wiener processes themselves."""
    formulas: Any = made.sde.symbolic
    return list(formulas.diffusion[len(made.noise_names) :, :])


def _simulated(run: _Run) -> tuple[Float[np.ndarray, "k n d"], str]:
    """Euler–Maruyama with many sub-steps, in the new coordinates if these can be inverted."""
    made = run.made
    changed = made.kind != "none" and made.is_whole and made.flows is None
    result = np.empty((len(run.states), len(run.times), run.states.shape[1]))
    x = run.states
    for k, (begin, end) in enumerate(run.spans()):
        clock, z, later = begin, x, end
        if changed:
            clocks, z = new_from_old(made, np.full(len(x), begin), x)
            clock, later = float(clocks[0]), float(new_from_old(made, np.full(1, end), x[:1])[0][0])
        if later > clock:
            seed, length = int(run.rng.integers(2**62)), later - clock
            equation = made.sde if changed else made.equation
            moved = equation.simulate(z, length, length, len(z), seed, start=clock, substeps=SAMPLE.substeps)
            z = np.array([path[-1] for path in moved.states])
        x = old_from_new(made, np.full(len(x), later), z)[1] if changed else z
        result[:, k] = x
    where = "in the new coordinates" if changed else "of the original equation"
    why = (
        "because the integrals depend on the path"
        if changed
        else "because there are no new coordinates"
        if made.kind == "none"
        else "because the new coordinates have no formula for the way back"
    )
    return result, f"Simulated: Euler–Maruyama {where}, {SAMPLE.substeps} sub-steps in every step; not exact, {why}."
