"""Functions t^k e^{λt} (cos ωt, sin ωt) that span the dependence on time, with uncertain rates, from noisy values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from liestonet.formulas.estimated.tuning import ESTIMATED


@dataclass(frozen=True)
class Rate:
    """One rate λ + iω with its uncertainties and its multiplicity (the number of powers of t).

    `generators` is the number of generators with this rate, if known.
    """

    decay: float
    turn: float
    multiplicity: int
    uncertainty: float = 0.0
    turn_uncertainty: float = 0.0
    generators: int = 0


def find_rates(
    times: Float[np.ndarray, " n"], space: Float[np.ndarray, "n k"], weights: Float[np.ndarray, " k"], noise: float
) -> list[Rate] | None:
    """The simplest set of rates that explains a space of functions of time within the noise, or None.

    `space` is orthonormal, `weights` are its singular values, and `noise` is in their units.
    """
    count = space.shape[1]
    if not 0 < count <= ESTIMATED.most_rates:
        return None
    for rates in _hypotheses(times, space, count, noise / weights[-1]):
        fitted = _fitted(times, space * weights, rates)
        largest = ESTIMATED.same_rate * noise
        if fitted is not None and np.linalg.norm(_missed(times, space * weights, fitted)) <= largest:
            return _with_uncertainty(times, space * weights, fitted, noise)
    return None


def _hypotheses(times: np.ndarray, space: np.ndarray, count: int, scatter: float) -> list[list[Rate]]:
    """Sets of rates from few to many: a polynomial, then clusters of the rates found, then each separately."""
    found = _shift_rates(times, space)
    choices = [[Rate(0.0, 0.0, count)]]
    span = times[-1] - times[0]
    same = ESTIMATED.same_rate
    for width in (same * max(scatter, 0.02) ** (1 / 3), same * max(scatter, 0.02) ** (1 / 2), same * scatter, 0.0):
        clusters: list[list[complex]] = []
        for rate in found:
            near = [c for c in clusters if abs(np.mean(c) - rate) * span / 2 <= width]
            near[0].append(rate) if near else clusters.append([rate])
        means = [(complex(np.mean(cluster)), len(cluster)) for cluster in clusters]
        rates = [
            Rate(mean.real, abs(mean.imag) if abs(mean.imag) * span / 2 > 0.1 else 0.0, size)
            for mean, size in means
            if mean.imag > -0.2 / span  # one of each conjugate pair
        ]
        if sum(rate.multiplicity * (2 if rate.turn else 1) for rate in rates) == count and rates not in choices:
            choices.append(rates)
    return choices


def _shift_rates(times: np.ndarray, space: np.ndarray) -> list[complex]:
    """Rates from the action of a time shift on the space (ESPRIT); the times are equidistant."""
    shift = len(times) // 3
    step = np.linalg.lstsq(space[:-shift], space[shift:], rcond=None)[0]
    factors = np.linalg.eigvals(step).astype(complex)
    factors = np.where(np.abs(factors) < 1e-12, 1e-12, factors)
    rates = np.log(factors) / (times[shift] - times[0])
    return sorted(rates.tolist(), key=lambda z: (round(abs(z), 9), z.real, z.imag))


def columns(times: np.ndarray, rates: list[Rate]) -> np.ndarray:
    """Values at the times of the functions that belong to a set of rates, in the order of `functions`."""
    found = []
    for rate in rates:
        envelope = np.exp(rate.decay * times)
        waves = [np.cos(rate.turn * times), np.sin(rate.turn * times)] if rate.turn else [np.ones_like(times)]
        found += [times**power * envelope * wave for power in range(rate.multiplicity) for wave in waves]
    return np.column_stack(found)


def functions(t: Any, rates: list[tuple[Any, Any, int]]) -> list[Any]:
    """The functions that belong to a set of rates in SymPy, for rates given as (λ, ω, multiplicity)."""
    import sympy

    found = []
    for decay, turn, multiplicity in rates:
        waves = [sympy.cos(turn * t), sympy.sin(turn * t)] if turn != 0 else [sympy.Integer(1)]
        found += [t**power * sympy.exp(decay * t) * wave for power in range(multiplicity) for wave in waves]
    return found


def _missed(times: np.ndarray, values: np.ndarray, rates: list[Rate]) -> np.ndarray:
    """Residuals of the values after projection on the functions of these rates."""
    orthonormal = np.linalg.qr(columns(times, rates))[0]
    return values - orthonormal @ (orthonormal.T @ values)


def _parameters(rates: list[Rate]) -> np.ndarray:
    """The free parameters: all λ, then all ω that are not zero; a rate of exactly zero is fixed."""
    return np.array([r.decay for r in rates if not _is_polynomial(r)] + [r.turn for r in rates if r.turn])


def _is_polynomial(rate: Rate) -> bool:
    return rate.decay == 0.0 and rate.turn == 0.0


def _replaced(rates: list[Rate], parameters: np.ndarray) -> list[Rate]:
    """Rates with other numbers, in the order of `_parameters`."""
    free = sum(not _is_polynomial(rate) for rate in rates)
    decays, turns = iter(parameters[:free]), iter(parameters[free:])
    return [
        rate
        if _is_polynomial(rate)
        else Rate(float(next(decays)), float(next(turns)) if rate.turn else 0.0, rate.multiplicity)
        for rate in rates
    ]


def _fitted(times: np.ndarray, values: np.ndarray, rates: list[Rate]) -> list[Rate] | None:
    """The rates that minimise the residuals, by nonlinear least squares from the given ones."""
    from scipy.optimize import least_squares

    start = _parameters(rates)
    if not len(start):
        return rates
    fit = least_squares(lambda p: _missed(times, values, _replaced(rates, p)).ravel(), start, x_scale="jac")
    return _replaced(rates, fit.x) if np.isfinite(fit.x).all() else None


def _with_uncertainty(times: np.ndarray, values: np.ndarray, rates: list[Rate], noise: float) -> list[Rate]:
    """The rates with their uncertainties in the worst case, in which all noise is in one direction."""
    start = _parameters(rates)
    if not len(start):
        return rates
    steps = 1e-5 * np.maximum(1.0, np.abs(start))
    slopes = [
        (_missed(times, values, _replaced(rates, start + d)) - _missed(times, values, _replaced(rates, start - d)))
        for d in np.diag(steps)
    ]
    jacobian = np.column_stack([slope.ravel() / (2 * step) for slope, step in zip(slopes, steps, strict=True)])
    sizes = noise * np.sqrt(np.diag(np.linalg.pinv(jacobian.T @ jacobian)))
    free = sum(not _is_polynomial(rate) for rate in rates)
    decays, turns = iter(sizes[:free]), iter(sizes[free:])
    return [
        rate
        if _is_polynomial(rate)
        else Rate(
            rate.decay, rate.turn, rate.multiplicity, float(next(decays)), float(next(turns)) if rate.turn else 0.0
        )
        for rate in rates
    ]
