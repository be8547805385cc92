"""Relative discretisation bias of the coefficients for finite steps, and the errors of coefficients and bias.

Coefficients estimated from steps of a continuous process contain terms of order Δt (`surrogate/discretisation.py`).
Sizes are in units of the box.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.special
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Derivative, JetOrder
from liestonet.core.domain import Domain
from liestonet.core.tuning import by_dimension
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.discretisation import Arrays, added_by_step, columns
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.increments import Increments

ORDER = JetOrder(drift=2, diffusion_squared=2)


@dataclass(frozen=True)
class Terms:
    """f, a and their discretisation biases at points (entries in one axis), for s sets of parameters."""

    drift: Float[np.ndarray, "b n s"]
    diffusion: Float[np.ndarray, "b rr s"]
    drift_added: Float[np.ndarray, "b n s"]
    diffusion_added: Float[np.ndarray, "b rr s"]


@dataclass(frozen=True)
class Knowledge:
    """Errors of f and a, and lower bounds of their discretisation biases, each relative to the coefficient's size."""

    drift_error: float
    diffusion_error: float
    drift_added: float
    diffusion_added: float


def what_is_known(surrogate: Surrogate, sample: Increments, confidence: float) -> Knowledge:
    """Errors and biases from the surrogate's jets at sampled points; biases are lower bounds at the confidence."""
    count = by_dimension(FLAGS.expansion_points, surrogate.dimension)
    rows = np.linspace(0, len(sample.t) - 1, count).astype(np.int64)
    points, dt = np.column_stack([sample.t, sample.x])[rows], sample.dt[rows]
    jet, directions = surrogate.jet_and_directions(points, ORDER, _statistical_errors(surrogate))
    f, a = columns(jet.drift), columns(jet.diffusion_squared)
    df, da = (directions.drift, directions.diffusion_squared) if directions else ({}, {})
    box = surrogate.domain, surrogate.noisy
    here = step_terms(*box, dt, f, a)
    # the terms are quadratic in the parameters, so half a difference is their exact derivative
    forth, back = (step_terms(*box, dt, _moved(f, df, sign), _moved(a, da, sign)) for sign in (1, -1))
    drift, diffusion = coefficient_sizes(here)
    return Knowledge(
        _noise(forth.drift - back.drift) / drift,
        _noise(forth.diffusion - back.diffusion) / diffusion,
        _beyond_noise(here.drift_added, forth.drift_added - back.drift_added, confidence) / drift,
        _beyond_noise(here.diffusion_added, forth.diffusion_added - back.diffusion_added, confidence) / diffusion,
    )


def _statistical_errors(surrogate: Surrogate) -> Float[np.ndarray, "p s"]:
    """Random directions with the parameters' posterior covariance: the part of the error that more data reduce."""
    rng = np.random.default_rng(0)
    parts = []
    for estimate in (*surrogate.drift_estimates, *surrogate.diffusion_estimates):
        values, vectors = np.linalg.eigh(estimate.posterior)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        parts.append(root @ rng.standard_normal((len(root), FLAGS.expansion_directions)))
    return np.concatenate(parts) / np.sqrt(FLAGS.expansion_directions)


def step_terms(
    domain: Domain, noisy: Bool[np.ndarray, " n"], dt: Float[np.ndarray, " b"], f: Arrays, a: Arrays
) -> Terms:
    """The terms in units of the box, with a restricted to the noisy coordinates."""
    drift, covariance = added_by_step(f, a, dt)
    half = domain.half[1:]
    unit = domain.half[0] / half[:, None]
    square = (domain.half[0] / np.outer(half, half))[np.ix_(noisy, noisy)].reshape(-1, 1)
    inner, flat = np.ix_(np.arange(len(dt)), noisy, noisy), (len(dt), len(square), f[()].shape[2])
    return Terms(
        f[()] * unit,
        a[()][inner].reshape(flat) * square,
        drift * unit,
        covariance[inner].reshape(flat) * square,
    )


def coefficient_sizes(terms: Terms) -> tuple[float, float]:
    """Root mean squares of f and a over the points; f is at least the speed that crosses the box in its time."""
    return max(_size(terms.drift), 1.0), max(_size(terms.diffusion), np.finfo(float).tiny)


def _moved(arrays: Arrays, changes: Arrays, sign: int) -> dict[Derivative, np.ndarray]:
    return {derivative: array + sign * changes[derivative] for derivative, array in arrays.items()}


def _size(values: Float[np.ndarray, "b c s"]) -> float:
    """The root mean square of the length over points."""
    return float(np.sqrt(np.sum(values**2) / len(values)))


def _noise(differences: Float[np.ndarray, "b c s"]) -> float:
    return _size(differences / 2)


def _beyond_noise(
    values: Float[np.ndarray, "b c one"], differences: Float[np.ndarray, "b c s"], confidence: float
) -> float:
    """The size of values above what noise alone would reach (Satterthwaite's approximation of its square)."""
    changes = differences.reshape(-1, differences.shape[2]) / 2
    gram = changes.T @ changes / len(values)
    mean, variance = float(np.trace(gram)), 2 * float(np.sum(gram**2))
    freedom = 2 * mean**2 / max(variance, np.finfo(float).tiny)
    limit = mean * float(scipy.special.chdtri(freedom, 1 - confidence)) / freedom if mean > 0 else 0.0
    square = _size(values) ** 2
    return float(np.sqrt(square - mean)) if square > limit else 0.0
