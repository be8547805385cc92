"""Deliberate perturbations of learnt coefficients by the paper's δ: sines, or a random network, added to f and σ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from liestonet.core.numbers import is_real
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.neural.coefficients.coefficient_networks import SHIFT
from liestonet.neural.coefficients.output_layer import feature_values
from liestonet.surrogate.perturbation import slow_function
from liestonet.surrogate.tuning import PERTURBATION

if TYPE_CHECKING:
    from liestonet.neural.coefficients.neural_surrogate import NeuralSurrogate


def perturbed(surrogate: NeuralSurrogate, amplitude: object, shape: object = "sine", seed: int = 0) -> NeuralSurrogate:
    """Every f^i and every σ on the diagonal changed by δ g in the data's units, the largest |g| on the box being one.

    `shape` is "sine" or "network". The change is projected on the features of the last hidden layer; errors are kept.
    """
    if shape not in ("sine", "network"):
        raise InputError(f"A perturbation is a 'sine' or a 'network', not {shape!r}.")
    if not is_real(amplitude) or not np.isfinite(amplitude):
        raise InputError(f"The amplitude of a perturbation must be a number, not {amplitude!r}.")
    rng, form, weights = np.random.default_rng(seed), surrogate.form, surrogate.weights
    points = lattice_cloud(surrogate.domain, PERTURBATION.points).points

    def change() -> Float[np.ndarray, " b"]:
        found = slow_function(str(shape), surrogate.domain, points, rng)
        return float(amplitude) * found / np.abs(found).max()

    first = feature_values(form, surrogate.units, weights.drift.layers, points)
    drift = np.stack([change() / unit for unit in surrogate.drift_unit], axis=1)
    moved = [surrogate.drift_last + _fitted(first, drift)]
    second = feature_values(form, surrogate.units, weights.diffusion.layers or weights.drift.layers, points)
    outputs = second @ surrogate.diffusion_last
    changes = np.zeros_like(outputs)
    for column, (i, j) in enumerate(form.entries):
        if i == j:
            sigma = _softplus(outputs[:, column] + SHIFT)
            # σ stays above its floor, at which a larger change ends
            wanted = np.maximum(sigma + change() / surrogate.diffusion_unit[i], form.floor)
            changes[:, column] = _inverse_softplus(wanted) - SHIFT - outputs[:, column]
    moved.append(surrogate.diffusion_last + _fitted(second, changes))
    return surrogate.with_parameters(np.concatenate([part.ravel() for part in moved]))


def _fitted(features: Float[np.ndarray, "b p"], target: Float[np.ndarray, "b k"]) -> Float[np.ndarray, "p k"]:
    gram = features.T @ features
    gram[np.diag_indices_from(gram)] += PERTURBATION.ridge * np.trace(gram)
    return np.linalg.solve(gram, features.T @ target)


def _softplus(values: Any) -> np.ndarray:
    return np.logaddexp(values, 0.0)


def _inverse_softplus(values: Any) -> np.ndarray:
    return values + np.log(-np.expm1(-values))
