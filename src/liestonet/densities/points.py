"""Points at which a density is evaluated: checked, broadcast, and marked if inside the state space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.numbers import is_real
from liestonet.densities.numbers import Numbers
from liestonet.densities.state_space import outside
from liestonet.errors import InputError
from liestonet.sde.tokens import suggestion

if TYPE_CHECKING:
    from liestonet.densities.density import Density


@dataclass(frozen=True)
class Points:
    """t, x, t0 and x0 as broadcast arrays, the values of free parameters, and which x are inside."""

    arrays: tuple[Numbers, Numbers, Numbers, Numbers]
    shape: tuple[int, ...]
    values: tuple[float, ...]
    inside: Bool[np.ndarray, "..."]
    scalar: bool

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
    arrays = [_numbers(value, name) for value, name in zip(given, ("t", "x", "t0", "x0"), strict=True)]
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
    # single numbers are not broadcast: functions of time alone are then computed once
    return Points(
        (t, np.broadcast_to(x, shape), t0, x0) if _single(t, t0, x0) else _broadcast(arrays),
        shape,
        values,
        inside,
        shape == (),
    )


def _single(*arrays: Numbers) -> bool:
    return all(array.ndim == 0 for array in arrays)


def _broadcast(arrays: list[Numbers]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    t, x, t0, x0 = np.broadcast_arrays(*arrays)
    return t, x, t0, x0


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
        if not is_real(value):
            raise InputError(f"Parameter {name} is {value!r}; give a number such as 1.5.")
    missing = [name for name in names if name not in parameters]
    if missing:
        raise InputError(
            f"Parameter {missing[0]} has no value; give one, as in p(t, x, t0, x0, {missing[0]}=1.5), or use "
            "with_parameters."
        )
    return tuple(float(value) for name in names if is_real(value := parameters[name]))


def _require_regular(density: Density, t0: Numbers, t: Numbers) -> None:
    """Refuse spans of time in which a coefficient is singular."""
    low, high = float(np.min(t0)), float(np.max(t))
    for locus in density.singular_times:
        roots = [root for root in locus.roots(low, high) if low <= root <= high]
        if roots:
            raise InputError(
                f"The {locus.entry} {locus.kind.value} at t = {roots[0]:g}, between t0 and t; stay on one side of it."
            )
