"""Forecasts of an estimated equation: bands that include noise and errors of the constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from jaxtyping import Float

from liestonet.core.numbers import is_real, is_whole
from liestonet.errors import InputError
from liestonet.reduction.numerics import compiled
from liestonet.reduction.tuning import EQUATION
from liestonet.sde.simulation import check_seed, initial_states

if TYPE_CHECKING:
    from liestonet.reduction.recording.estimated_equation import EstimatedEquation


@dataclass(frozen=True, eq=False)
class Forecast:
    """Median and band (times, coordinates) at `times`; `states` (paths, times, coordinates) are the paths behind it.

    Each path has its own constants, drawn from their error distribution: the band is a prediction band for a new path.
    """

    times: Float[np.ndarray, " n"]
    median: Float[np.ndarray, "n d"]
    lower: Float[np.ndarray, "n d"]
    upper: Float[np.ndarray, "n d"]
    level: float
    states: Float[np.ndarray, "k n d"]


def forecast(equation: EstimatedEquation, initial: Any, times: Any, paths: Any, seed: Any, level: Any) -> Forecast:
    """Simulated paths, each with constants drawn from their normal law, and the quantiles of all."""
    count = EQUATION.forecast_paths if paths is None else paths
    share = EQUATION.forecast_level if level is None else level
    if not is_whole(count) or count < 2:
        raise InputError(f"The number of paths is {paths!r}; give a whole number, at least 2.")
    if not is_real(share) or not 0 < share < 1:
        raise InputError(f"The level is {level!r}; give a number between 0 and 1, as in level=0.95.")
    try:
        wanted = np.atleast_1d(np.asarray(times, dtype=float))
    except (TypeError, ValueError) as problem:
        raise InputError("The times must be numbers, as in [0.5, 1, 2].") from problem
    if (
        wanted.ndim != 1
        or not len(wanted)
        or not np.isfinite(wanted).all()
        or wanted[0] < 0
        or (np.diff(wanted) <= 0).any()
    ):
        raise InputError("The times must be finite numbers from 0 on that increase, as in [0.5, 1, 2].")
    one, other = (np.random.default_rng(part) for part in check_seed(seed).spawn(2))
    states = initial_states(initial, one, int(count), len(equation.names))
    drawn = _drawn(equation, int(count), other)
    found = _paths(equation, states, wanted, drawn, other)
    tails = (1 - float(share)) / 2
    # no interpolation between infinite values of diverging paths
    lower, median, upper = np.nanquantile(found, [tails, 0.5, 1 - tails], axis=0, method="inverted_cdf")
    return Forecast(wanted, median, lower, upper, float(share), found)


def _drawn(equation: EstimatedEquation, count: int, rng: np.random.Generator) -> Float[np.ndarray, "k c"]:
    """Random constants for each path."""
    values = np.array([row.value for row in equation.constants])
    scattered, vectors = np.linalg.eigh(equation.covariance)
    root = vectors * np.sqrt(np.maximum(scattered, 0.0))
    return values + rng.standard_normal((count, len(values))) @ root.T


def _paths(
    equation: EstimatedEquation,
    states: Float[np.ndarray, "k d"],
    times: Float[np.ndarray, " n"],
    drawn: Float[np.ndarray, "k c"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "k n d"]:
    """Euler–Maruyama with steps no longer than those of the recording."""
    symbols = tuple(sympy.Symbol(name, real=True) for name in ("t", *equation.names))
    symbols = (*symbols, *(row.symbol for row in equation.constants))
    drift = [compiled(entry, symbols) for entry in equation.drift]
    noise = [[compiled(entry, symbols) if entry != 0 else None for entry in row] for row in equation.diffusion]
    longest = min(equation.step, float(times[-1]) / EQUATION.forecast_steps) if times[-1] > 0 else 1.0
    result = np.empty((len(states), len(times), states.shape[1]))
    x, now = states.astype(float), 0.0
    for k, end in enumerate(times):
        count = max(1, int(np.ceil((end - now) / longest))) if end > now else 0
        for _ in range(count):
            step = (end - now) / count if count else 0.0
            columns = [np.full(len(x), now), *x.T, *drawn.T]
            dw = np.sqrt(step) * rng.standard_normal((len(x), len(noise[0])))
            with np.errstate(over="ignore", invalid="ignore"):
                moved = np.column_stack([f(*columns) for f in drift]) * step
                for i, row in enumerate(noise):
                    for j, entry in enumerate(row):
                        if entry is not None:
                            moved[:, i] += np.nan_to_num(entry(*columns)) * dw[:, j]
            # a diverged path stays infinite
            x = np.where(np.isinf(x), x, x + moved)
            now, count = now + step, count - 1
        now = float(end)
        result[:, k] = x
    return result
