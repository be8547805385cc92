"""Points at which a density is evaluated: checked, broadcast, and marked if inside the state space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.numbers import as_float
from liestonet.densities.numbers import Numbers
from liestonet.densities.state_space import outside
from liestonet.errors import InputError
from liestonet.sde.tokens import suggestion

if TYPE_CHECKING:
    from liestonet.densities.density import Density

ARGUMENTS = ("t", "x", "t0", "x0")


@dataclass(frozen=True)
class Points:
    """t, x, t0 and x0 as broadcast arrays, the values of free parameters, and which x are inside."""

    arrays: tuple[Numbers, Numbers, Numbers, Numbers]
    shape: tuple[int, ...]
    values: tuple[float, ...]
    inside: Bool[np.ndarray, "..."]
    scalar: bool

    @property
    def start(self) -> tuple[float, float, float] | None:
        """t, t0 and x0 where they are single numbers; None elsewhere."""
        t, _, t0, x0 = self.arrays
        return None if t.ndim or t0.ndim or x0.ndim else (float(t), float(t0), float(x0))

    @property
    def flat(self) -> list[Float[np.ndarray, " n"]]:
        """The arrays, each with an entry for every point."""
        return [np.broadcast_to(array, self.shape).reshape(-1) for array in self.arrays]

    def moved(self, there: Bool[np.ndarray, "..."], place: float) -> Points:
        """Some of the points, with x replaced."""
        t, _, t0, x0 = (np.broadcast_to(array, self.shape)[there] for array in self.arrays)
        x = np.full(t.shape, place)
        return Points((t, x, t0, x0), x.shape, self.values, np.ones(x.shape, dtype=bool), False)

    def shaped(self, result: Numbers) -> float | np.ndarray:
        """The result, as a float if only numbers were given."""
        return float(result.reshape(-1)[0]) if self.scalar else result


def checked_points(
    density: Density, given: tuple[object, object, object, object], parameters: Mapping[str, object]
) -> Points:
    """The points of one call; invalid arguments are refused."""
    values = _values(density, parameters)
    arrays = [_numbers(value, name) for value, name in zip(given, ARGUMENTS, strict=True)]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as problem:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"t, x, t0 and x0 have shapes {shapes}, which do not fit each other.") from problem
    t, x, t0, x0 = arrays
    if not bool(np.all(t - t0 > 0)):
        raise InputError("The density was requested at a time that is not after t0; give t > t0.")
    low, high = density.kernel.interval(values)
    wrong = ~((x0 > low) & (x0 < high))
    if wrong.any():
        raise outside(f"{density.sde.names[0]}0", float(x0[wrong].reshape(-1)[0] if x0.ndim else x0), low, high)
    if 0 not in shape:
        _require_regular(density, t0, t)
    inside = np.broadcast_to((x > low) & (x < high), shape)
    # single numbers stay single: what depends on time alone is computed once
    t, t0, x0 = (array if array.ndim == 0 else np.broadcast_to(array, shape) for array in (t, t0, x0))
    return Points((t, np.broadcast_to(x, shape), t0, x0), shape, values, inside, shape == ())


def _numbers(value: object, name: str) -> Numbers:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as problem:
        raise InputError(f"{name} is {value!r}, which is neither a number nor an array of numbers.") from problem
    if np.isnan(array).any() or (name != "x" and np.isinf(array).any()):
        raise InputError(f"{name} is not finite; give finite numbers.")
    return array


def _values(density: Density, parameters: Mapping[str, object]) -> tuple[float, ...]:
    if density.bound:
        if parameters:
            raise InputError(f"All parameters have values; leave {next(iter(parameters))} out.")
        return density.bound
    names = density.parameters
    for name, value in parameters.items():
        if name not in names:
            unset = ", ".join(names) or "none"
            raise InputError(
                f"There is no parameter {name} without a value (those are: {unset}){suggestion(name, names) or '.'}"
            )
        if as_float(value) is None:
            raise InputError(f"Parameter {name} is {value!r}; give a number such as 1.5.")
    missing = [name for name in names if name not in parameters]
    if missing:
        once = f"as in p(t, x, t0, x0, {missing[0]}=1.5), or use with_parameters"
        if missing[0] in ARGUMENTS:
            once = f"with with_parameters({missing[0]}=1.5), because p has an argument of that name"
        raise InputError(f"Parameter {missing[0]} has no value; give one, {once}.")
    return tuple(value for name in names if (value := as_float(parameters[name])) is not None)


def _require_regular(density: Density, t0: Numbers, t: Numbers) -> None:
    """Refuse spans of time in which a coefficient is singular."""
    low, high = float(np.min(t0)), float(np.max(t))
    for locus in density.singular_times:
        roots = [root for root in locus.roots(low, high) if low <= root <= high]
        if roots:
            raise InputError(
                f"The {locus.entry} {locus.kind.value} at t = {roots[0]:g}, between t0 and t; stay on one side of it."
            )
