"""How a coefficient behaves on a box, sampled along random lines parallel to the axes.

Chebyshev coefficients on such lines show which variables an entry depends on, the degree it needs, its rounding
plateau, and whether it is smooth. Points are (t, x1, …, xn); the unit cube is [−1, 1]^(1+n).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.fft import dct

from liestonet.core.domain import Domain
from liestonet.errors import InputError
from liestonet.sde.sde import SDE
from liestonet.sde.tuning import SERIES

ROUNDING = SERIES.rounding_units * float(np.finfo(np.float64).eps)

Function = Callable[[Float[np.ndarray, "b v"]], Float[np.ndarray, "b e"]]


def entry_names(sde: SDE) -> tuple[str, ...]:
    """Names of the columns of `stack` in messages."""
    drift = [f"drift component {i + 1}" for i in range(sde.dimension)]
    sigma = [f"diffusion entry ({i + 1}, {k + 1})" for i in range(sde.dimension) for k in range(sde.noise)]
    return (*drift, *sigma)


def stack(sde: SDE, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b e"]:
    """f and σ (row by row) as columns at points (t, x), without warnings where they are not defined."""
    t, x = np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1:])
    with np.errstate(all="ignore"):
        return np.concatenate([sde.drift(t, x), sde.diffusion(t, x).reshape(len(t), -1)], axis=1)


def to_box(domain: Domain, z: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
    """The points of the domain that correspond to points of the unit cube."""
    return domain.centre + domain.half * z


def nodes(count: int) -> Float[np.ndarray, " k"]:
    """Chebyshev points of the first kind, none of which is an end of the interval."""
    return np.cos(np.pi * (np.arange(count) + 0.5) / count)


def transform(values: Float[np.ndarray, "..."], axis: int) -> Float[np.ndarray, "..."]:
    """Chebyshev coefficients along `axis` of values at `nodes`."""
    coefficients = dct(values, type=2, axis=axis) / values.shape[axis]
    first = [slice(None)] * values.ndim
    first[axis] = slice(0, 1)
    coefficients[tuple(first)] /= 2
    return coefficients


def backgrounds(variables: int) -> Float[np.ndarray, "k v"]:
    """Fixed generic points of the unit cube for lines to pass through."""
    return np.random.default_rng(2718).uniform(-0.95, 0.95, (SERIES.lines, variables))


def place(names: tuple[str, ...], point: Float[np.ndarray, " v"]) -> str:
    """A point as text: t = 0.5, x = 1, y = -2."""
    return ", ".join(f"{name} = {value:.4g}" for name, value in zip(("t", *names), point, strict=True))


def require_finite(values: Float[np.ndarray, "b e"], points: Float[np.ndarray, "b v"], sde: SDE) -> None:
    """Refuse a coefficient that has no finite value somewhere on the domain."""
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    row, entry = np.argwhere(bad)[0]
    what = "undefined (not a real number)" if np.isnan(values[row, entry]) else "infinite"
    raise InputError(
        f"The {entry_names(sde)[entry]} is {what} at {place(sde.names, points[row])}; "
        "choose a domain on which every coefficient is finite and real."
    )


def line_points(variables: int, variable: int, count: int) -> Float[np.ndarray, "b v"]:
    """`count` nodes on each background line along `variable`, in the unit cube."""
    lines = backgrounds(variables)
    z = np.repeat(lines, count, axis=0)
    z[:, variable] = np.tile(nodes(count), len(lines))
    return z


def envelope(values: Float[np.ndarray, "b e"], count: int) -> Float[np.ndarray, "k e"]:
    """The largest Chebyshev coefficient of each degree over the lines of `line_points`."""
    return np.abs(transform(values.reshape(-1, count, values.shape[1]), axis=1)).max(axis=0)


@dataclass(frozen=True)
class Resolution:
    """For every variable and entry the degree needed (0: no dependence); for every entry scale and noise.

    `decay` has for every variable the relative size of the coefficient of each degree.
    """

    degree: Int[np.ndarray, "v e"]
    scale: Float[np.ndarray, " e"]
    noise: Float[np.ndarray, " e"]
    decay: tuple[Float[np.ndarray, "_ e"], ...]

    @property
    def tolerance(self) -> Float[np.ndarray, " e"]:
        """Size below which a Chebyshev coefficient is rounding error or noise."""
        return np.maximum(ROUNDING, 2 * self.noise) * self.scale


@dataclass(frozen=True)
class Roughness:
    """Why an entry could not be resolved along a variable."""

    entry: int
    variable: int
    exponent: float
    level: float
    algebraic: bool


def settled(
    spectrum: Float[np.ndarray, "k e"], scale: Float[np.ndarray, " e"]
) -> tuple[Bool[np.ndarray, " e"], Float[np.ndarray, " e"]]:
    """Which entries have reached their plateau, and its relative level if that is above rounding."""
    count = len(spectrum)
    safe = np.where(scale > 0, scale, 1.0)
    third = spectrum[count // 2 : 3 * count // 4].max(axis=0) / safe
    last = spectrum[3 * count // 4 :].max(axis=0) / safe
    flat = (count >= 32) & (last > 0.4 * third) & (third < SERIES.noise_limit)
    return (last <= ROUNDING) | flat, np.where(flat & (last > ROUNDING), np.maximum(third, last), 0.0)


def roughness(
    spectrum: Float[np.ndarray, "k e"], scale: Float[np.ndarray, " e"], entry: int, variable: int
) -> Roughness | None:
    """The roughness of an entry unresolved at SERIES.highest; None if its tail is geometric and small enough.

    Geometric decay doubles its logarithmic drop when the degree doubles; algebraic decay repeats it.
    """
    count = len(spectrum)
    tail = np.maximum.accumulate(spectrum[::-1, entry])[::-1] / scale[entry]
    early, late = np.log(tail[count // 8] / tail[count // 4]), np.log(tail[count // 4] / tail[count // 2])
    algebraic = bool(late < 1.5 * early)
    level = float(tail[3 * count // 4])
    if not algebraic and level <= SERIES.tail_accepted:
        return None
    return Roughness(entry, variable, float(late / np.log(2)), level, algebraic)


def resolve(function: Function, variables: int) -> Resolution | Roughness:
    """Degrees that every entry needs along every variable; the points are doubled until plateaus are reached."""
    starts = [function(line_points(variables, v, 16)) for v in range(variables)]
    scale = np.max([np.abs(values).max(axis=0) for values in starts], axis=0)
    noise = np.zeros_like(scale)
    spectra: list[Float[np.ndarray, "k e"]] = []
    for variable, values in enumerate(starts):
        spectrum = envelope(values, 16)
        done, level = settled(spectrum, scale)
        done &= level == 0
        while not done.all() and len(spectrum) < SERIES.highest:
            count, before = 2 * len(spectrum), level
            values = function(line_points(variables, variable, count))
            scale = np.maximum(scale, np.abs(values).max(axis=0))
            spectrum = envelope(values, count)
            done, level = settled(spectrum, scale)
            done &= (level == 0) | ((before > 0) & (level > SERIES.same_noise * before))
        for entry in np.flatnonzero(~done):
            verdict = roughness(spectrum, scale, int(entry), variable)
            if verdict is not None:
                return verdict
        noise = np.maximum(noise, level)
        spectra.append(spectrum)
    tolerance = np.maximum(ROUNDING, 2 * noise) * scale
    degree = np.array([last_above(spectrum, tolerance) for spectrum in spectra])
    decay = tuple(spectrum / np.maximum(spectrum.max(axis=0), 1e-300) for spectrum in spectra)
    return Resolution(degree, scale, noise, decay)


def last_above(spectrum: Float[np.ndarray, "k e"], tolerance: Float[np.ndarray, " e"]) -> Int[np.ndarray, " e"]:
    """Highest degree whose coefficient exceeds the tolerance, 0 if none does."""
    above = spectrum > tolerance
    above[0] = True
    return len(spectrum) - 1 - np.argmax(above[::-1], axis=0)


def rough_error(verdict: Roughness, name: str, sde: SDE, domain: Domain) -> InputError:
    """The error for a coefficient that no polynomial resolves."""
    variable = ("t", *sde.names)[verdict.variable]
    low, high = domain.intervals[verdict.variable]
    if verdict.algebraic:
        return InputError(
            f"The {name} is not smooth in {variable} on ({low:g}, {high:g}): its Chebyshev coefficients fall "
            f"only like degree^-{max(verdict.exponent, 0):.1f}, to {verdict.level:.1e} of its size at degree "
            f"{3 * SERIES.highest // 4}, as with a kink, a jump or a singularity; choose a domain without it."
        )
    return InputError(
        f"The {name} varies too sharply in {variable} on ({low:g}, {high:g}): its Chebyshev coefficients are "
        f"still {verdict.level:.1e} of its size at degree {3 * SERIES.highest // 4}; choose a smaller domain."
    )


def low_degrees(function: Function, variables: int, tolerance: float = 1e-6) -> Int[np.ndarray, " v"] | None:
    """Degree needed for a modest tolerance along each variable, over all entries; None if one is not finite."""
    z = np.concatenate([line_points(variables, v, SERIES.line_points) for v in range(variables)])
    values = function(z)
    if not np.isfinite(values).all():
        return None
    scale = np.abs(values).max(axis=0)
    parts = np.split(values, variables)
    return np.array(
        [last_above(envelope(part, SERIES.line_points), tolerance * scale).max(initial=0) for part in parts]
    )
