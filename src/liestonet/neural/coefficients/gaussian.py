"""A Gaussian that moves with time: independent coordinates, means and logarithmic widths polynomial in time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from liestonet.neural.tuning import LEARNT


@partial(jax.tree_util.register_dataclass, data_fields=["centre", "half", "means", "widths"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class MovingGaussian:
    """Polynomials in (t − centre)/half, lowest power first: means (degree + 1, n) and logarithms of widths."""

    centre: Any
    half: Any
    means: Any
    widths: Any

    def at(self, times: Float[np.ndarray, "*b"]) -> tuple[np.ndarray, np.ndarray]:
        """Mean and width at times, in NumPy."""
        powers = ((times - self.centre) / self.half)[..., None] ** np.arange(len(self.means))
        return powers @ self.means, np.exp(powers @ self.widths)

    def draw(self, times: Float[np.ndarray, "*b"], rng: np.random.Generator) -> Float[np.ndarray, "*b v"]:
        """Points (t, x), one for every time."""
        mean, width = self.at(times)
        return np.concatenate([times[..., None], mean + width * rng.standard_normal(mean.shape)], axis=-1)


def fit_gaussian(points: Float[np.ndarray, "m v"], degree: int, width: float) -> MovingGaussian:
    """Fit a moving Gaussian by polynomials through moments in time intervals; widths are enlarged by a factor."""
    times = points[:, 0]
    low, high = float(times.min()), float(times.max())
    centre, half = (low + high) / 2, (high - low) / 2 or 1.0
    order = np.argsort(times, kind="stable")
    stretches = np.array_split(order, min(LEARNT.density_stretches, max(1, len(order) // 50)))
    middle = np.array([(times[rows].mean() - centre) / half for rows in stretches])
    mean = np.array([points[rows, 1:].mean(axis=0) for rows in stretches])
    overall = np.maximum(points[:, 1:].std(axis=0), np.finfo(float).tiny)
    spread = np.array([np.maximum(points[rows, 1:].std(axis=0), LEARNT.least_width * overall) for rows in stretches])
    # a polynomial needs as many distinct times as it has coefficients
    usable = min(degree, len(np.unique(middle)) - 1)
    powers = middle[:, None] ** np.arange(usable + 1)
    means = np.linalg.lstsq(powers, mean, rcond=None)[0]
    widths = np.linalg.lstsq(powers, np.log(spread), rcond=None)[0]
    widths[0] += np.log(width)
    return MovingGaussian(centre, half, means, widths)


def _moments(gaussian: MovingGaussian, points: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Scaled time, mean and logarithm of the width, inside JAX code."""
    time = (points[..., :1] - gaussian.centre) / gaussian.half
    mean, logarithm = jnp.zeros(()), jnp.zeros(())
    for k in reversed(range(gaussian.means.shape[0])):
        mean, logarithm = mean * time + gaussian.means[k], logarithm * time + gaussian.widths[k]
    return time, mean, logarithm


def standardised(gaussian: MovingGaussian, points: jax.Array) -> jax.Array:
    """Scaled time, and coordinates in units of the Gaussian."""
    time, mean, logarithm = _moments(gaussian, points)
    return jnp.concatenate([time, (points[..., 1:] - mean) * jnp.exp(-logarithm)], axis=-1)


def log_gaussian(gaussian: MovingGaussian, points: jax.Array) -> jax.Array:
    """Logarithm of the density."""
    _, mean, logarithm = _moments(gaussian, points)
    distance = (points[..., 1:] - mean) * jnp.exp(-logarithm)
    return -jnp.sum(0.5 * distance**2 + logarithm + 0.5 * np.log(2 * np.pi), axis=-1)
