"""Discretisation bias as directions of the last layers' weights; the reasons are in `surrogate/discretisation.py`."""

from __future__ import annotations

import numpy as np
import scipy.special
from jaxtyping import Float

from liestonet.neural.coefficients.coefficient_networks import SHIFT, Form, Units
from liestonet.neural.coefficients.neural_surrogate import NeuralSurrogate
from liestonet.neural.coefficients.output_layer import feature_values
from liestonet.surrogate.cholesky import root_change
from liestonet.surrogate.discretisation import step_corrections
from liestonet.surrogate.tuning import ERRORS


def step_directions(surrogate: NeuralSurrogate) -> Float[np.ndarray, "p 2"]:
    """How the parameters change if the drift, and if the diffusion, is corrected for the step."""
    sample = surrogate.overview.sample
    rows = np.linspace(0, len(sample.t) - 1, min(ERRORS.step_points, len(sample.t))).astype(int)
    points = surrogate.overview.points[rows]
    drift, squared = step_corrections(surrogate, points, sample.dt[rows])
    form, units, weights = surrogate.form, surrogate.units, surrogate.weights
    first = feature_values(form, units, weights.drift.layers, points)
    second = feature_values(form, units, weights.diffusion.layers or weights.drift.layers, points)
    split = surrogate.drift_last.size
    result = np.zeros((len(surrogate.parameters), 2))
    result[:split, 0] = _fitted(first, drift / surrogate.drift_unit).ravel()
    if surrogate.noise:
        outputs = second @ surrogate.diffusion_last
        present = surrogate.diffusion_squared(points[:, 0], points[:, 1:])
        result[split:, 1] = _fitted(second, _output_changes(form, units, present, outputs, squared)).ravel()
    return result


def _output_changes(
    form: Form,
    units: Units,
    squared: Float[np.ndarray, "b n n"],
    outputs: Float[np.ndarray, "b k"],
    change: Float[np.ndarray, "b n n"],
) -> Float[np.ndarray, "b k"]:
    """The change of the outputs for σ for a given change of a: δσ = σ Φ(σ⁻¹ δa σ⁻ᵀ), then through the softplus."""
    active = np.array(form.active, dtype=int)
    root = np.linalg.cholesky(squared[:, active[:, None], active])
    moved = root_change(root, change[:, active[:, None], active]) / units.diffusion[:, None]
    row, column = np.array(form.entries, dtype=int).T
    slope = np.where(row == column, scipy.special.expit(outputs + SHIFT), 1.0)
    return moved[:, row, column] / slope


def _fitted(matrix: Float[np.ndarray, "b p"], target: Float[np.ndarray, "b k"]) -> Float[np.ndarray, "p k"]:
    """Least squares with a small ridge: features may nearly coincide."""
    gram = matrix.T @ matrix
    ridge = ERRORS.step_ridge * np.trace(gram) / len(gram) * np.eye(len(gram))
    return np.linalg.solve(gram + ridge, matrix.T @ target)
