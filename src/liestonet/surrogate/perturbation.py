"""A surrogate with deliberately changed coefficients: structured sines, or a random network (paper, sensitivity)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from liestonet.core.domain import Domain
from liestonet.core.numbers import is_real
from liestonet.core.points import lattice_cloud
from liestonet.errors import InputError
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import PERTURBATION


def perturbed(surrogate: Surrogate, amplitude: object, shape: object = "sine", seed: int = 0) -> Surrogate:
    """Change the drift by δ·L/T·g and each a^{ii} by δ·(its mean)·g, g of unit mean square on the box.

    `shape` is "sine" or "network". The change is projected on the surrogate's own series; its errors are kept.
    """
    if shape not in ("sine", "network"):
        raise InputError(f"A perturbation is a 'sine' or a 'network', not {shape!r}.")
    if not is_real(amplitude) or not np.isfinite(amplitude):
        raise InputError(f"The amplitude of a perturbation must be a number, not {amplitude!r}.")
    rng = np.random.default_rng(seed)
    points = lattice_cloud(surrogate.domain, PERTURBATION.points).points
    changes = []
    for estimate in (*surrogate.drift_estimates, *surrogate.diffusion_estimates):
        functions = estimate.features.values(points)[()]
        change = np.zeros(len(estimate.parameters))
        if len(estimate.entry) == 1 or estimate.entry[0] == estimate.entry[1]:
            size = 1.0 if len(estimate.entry) == 1 else float(np.mean(functions @ estimate.parameters))
            target = amplitude * size * slow_function(shape, surrogate.domain, points, rng)
            gram = functions.T @ functions
            gram[np.diag_indices_from(gram)] += PERTURBATION.ridge * np.trace(gram)
            change = np.linalg.solve(gram, functions.T @ target)
        changes.append(change)
    return surrogate.with_parameters(surrogate.parameters + np.concatenate(changes))


def slow_function(
    shape: str, domain: Domain, points: Float[np.ndarray, "b v"], rng: np.random.Generator
) -> Float[np.ndarray, " b"]:
    """One function of unit mean square: a few slow waves, or a layer of random neurons."""
    scaled = (points - domain.centre) / domain.half
    count = PERTURBATION.waves if shape == "sine" else PERTURBATION.neurons
    directions = rng.standard_normal((scaled.shape[1], count)) * (PERTURBATION.wave_number if shape == "sine" else 1.0)
    phases = scaled @ directions + rng.uniform(-np.pi, np.pi, count)
    values = (np.sin(phases) if shape == "sine" else np.tanh(phases)) @ rng.standard_normal(count)
    return values / max(float(np.sqrt(np.mean(values**2))), np.finfo(float).tiny)
