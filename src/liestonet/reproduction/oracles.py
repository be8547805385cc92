"""Parametric oracles of the paper's examples: the family an equation belongs to, its constants fitted to the data.

`fitted.py` gives factors to the terms that an equation has; here constants that are zero in the example are free too (k
x + c instead of k x, a/(x + c) instead of a/x), as for a user who knows the family but not its centre. Every member of
a family has as many symmetries as the example, so the remaining error is that of the constants: a realistic optimum,
but no bound for users who know more, such as the centre.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from liestonet.sde.sde import SDE
from liestonet.trajectories.trajectories import Trajectories


def _least_squares(columns: list[np.ndarray], values: np.ndarray, dt: np.ndarray) -> np.ndarray:
    """Drift parameters by weighted least squares on increments."""
    root = np.sqrt(dt)
    return np.linalg.lstsq(np.stack(columns, axis=1) * root[:, None], values / dt * root, rcond=None)[0]


def _noise(values: np.ndarray, drift: np.ndarray | np.floating, dt: np.ndarray) -> float:
    return float(np.sqrt(np.mean((values - drift * dt) ** 2 / dt)))


def _brownian(data: Trajectories) -> SDE:
    """dx = c dt + s dW."""
    step = data.increments()
    (c,) = _least_squares([np.ones_like(step.t)], step.dx[:, 0], step.dt)
    return SDE.parse("dx = c dt + s dW", parameters={"c": float(c), "s": _noise(step.dx[:, 0], c, step.dt)})


def _linear(data: Trajectories) -> SDE:
    """dx = (k x + c) dt + s dW."""
    step = data.increments()
    x = step.x[:, 0]
    k, c = _least_squares([x, np.ones_like(x)], step.dx[:, 0], step.dt)
    noise = _noise(step.dx[:, 0], k * x + c, step.dt)
    return SDE.parse("dx = (k*x + c) dt + s dW", parameters={"k": float(k), "c": float(c), "s": noise})


def _langevin(data: Trajectories) -> SDE:
    """dx = y dt, dy = (c + g y) dt + s dW."""
    step = data.increments()
    y = step.x[:, 1]
    g, c = _least_squares([y, np.ones_like(y)], step.dx[:, 1], step.dt)
    noise = _noise(step.dx[:, 1], g * y + c, step.dt)
    return SDE.parse("dx = y dt; dy = (g*y + c) dt + s dW", parameters={"g": float(g), "c": float(c), "s": noise})


def _bessel(data: Trajectories) -> SDE:
    """dx = a/(x + c) dt + s dW₁, dy = b dt + r dW₂."""
    from scipy.optimize import least_squares

    step = data.increments()
    x, y = step.x.T

    def residual(parameters: np.ndarray) -> np.ndarray:
        return (step.dx[:, 0] - parameters[0] / (x + parameters[1]) * step.dt) / np.sqrt(step.dt)

    a, c = least_squares(residual, [1.0, 0.0], bounds=([0.1, -0.04], [10, 1])).x
    (b,) = _least_squares([np.ones_like(y)], step.dx[:, 1], step.dt)
    noises = {"s": _noise(step.dx[:, 0], a / (x + c), step.dt), "r": _noise(step.dx[:, 1], b, step.dt)}
    values = {"a": float(a), "c": float(c), "b": float(b), **noises}
    return SDE.parse("dx = a/(x + c) dt + s dW1; dy = b dt + r dW2", parameters=values)


ORACLES: dict[str, Callable[[Trajectories], SDE]] = {
    "brownian": _brownian,
    "linear": _linear,
    "langevin": _langevin,
    "bessel-drift": _bessel,
}
