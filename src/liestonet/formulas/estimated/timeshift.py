"""Rates of exponentials from the action of ∂t on an algebra that contains it (docs/method.md §10.2).

[∂t, X] is the time derivative of X. In a basis whose first vector is ∂t it is a matrix with a first column of zeros;
the eigenvalues of the remaining block are the rates. Eigenvalues are not smooth functions of the matrix where they
coincide, but the coefficients of the characteristic polynomial are: hypotheses of equal or vanishing rates are tested
on these, the simplest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.optimize
import scipy.special
from jaxtyping import Float

from liestonet.formulas.estimated.rates import Rate
from liestonet.formulas.estimated.tuning import ESTIMATED

Matrices = Float[np.ndarray, "s m m"]


@dataclass(frozen=True)
class _Cluster:
    """A number of equal rates: zero, real, or conjugate pairs."""

    kind: str
    multiplicity: int
    start: complex


@dataclass(frozen=True)
class _Fit:
    """A hypothesis with the values of its parameters, their covariance, and its p-value."""

    probability: float
    clusters: list[_Cluster]
    values: np.ndarray
    covariance: np.ndarray


def shift_rates(matrix: Float[np.ndarray, "m m"], changes: Matrices, unit: float) -> list[list[Rate]]:
    """Sets of rates that explain the matrix of ∂t, whose first basis vector is ∂t, within its errors: simplest first.

    Those with a small p-value that are not rejected come last. `changes` are independent errors of the matrix, one
    standard deviation each; `unit` is the time in units of which rates are of order one.
    """
    size = len(matrix)
    if not 1 <= size <= ESTIMATED.most_rates + 1:
        return []
    if size == 1:
        return [[Rate(0.0, 0.0, 1, generators=1)]]
    inner, inner_changes = unit * matrix[1:, 1:], unit * changes[:, 1:, 1:]
    found = sorted(_fitted(inner, inner_changes), key=lambda fit: fit.probability <= ESTIMATED.unlikely)
    return [list(_rates(fit, unit * matrix, unit * changes, unit)) for fit in found]


def _fitted(matrix: Float[np.ndarray, "n n"], changes: Matrices) -> Iterator[_Fit]:
    """The hypotheses that are not rejected, with their parameters, fewest parameters first."""
    seen = _characteristic(matrix)
    slopes = np.array([(_characteristic(matrix + d) - _characteristic(matrix - d)) / 2 for d in changes])
    least = ESTIMATED.least_coefficient_error**2 * np.eye(len(seen))
    covariance = slopes.reshape(-1, len(seen)).T @ slopes.reshape(-1, len(seen)) + least
    whitening = np.linalg.inv(np.linalg.cholesky(covariance))
    for clusters in _hypotheses(np.linalg.eigvals(matrix)):
        start = _start(clusters)

        def misfit(values: np.ndarray, clusters: list[_Cluster] = clusters) -> np.ndarray:
            return whitening @ (_polynomial(clusters, values) - seen)

        if len(start):
            fit = scipy.optimize.least_squares(misfit, start, x_scale="jac")
            values, jacobian = fit.x, fit.jac
        else:
            values, jacobian = start, np.zeros((len(seen), 0))
        freedom = len(seen) - len(start)
        probability = float(scipy.special.chdtrc(freedom, float(np.sum(misfit(values) ** 2)))) if freedom else 1.0
        if probability > ESTIMATED.excluded:
            yield _Fit(probability, clusters, values, np.linalg.pinv(jacobian.T @ jacobian))


def _hypotheses(eigenvalues: np.ndarray) -> Iterator[list[_Cluster]]:
    """Hypotheses of equal eigenvalues, fewest parameters first."""
    order = sorted(eigenvalues.astype(complex).tolist(), key=lambda z: (abs(z), z.real, z.imag))
    found: list[list[_Cluster]] = []
    for zeros in range(len(order) + 1):
        rest = order[zeros:]
        for parts in range(len(rest) + 1):
            clusters = _clustered(rest, parts)
            if clusters is not None:
                found.append(([_Cluster("zero", zeros, 0j)] if zeros else []) + clusters)
    return iter(sorted(found, key=lambda clusters: len(_start(clusters))))


def _clustered(values: list[complex], parts: int) -> list[_Cluster] | None:
    """The values in `parts` clusters of neighbours, real ones and conjugate pairs; None if that is impossible."""
    if (parts == 0) != (not values):
        return None
    groups = [[value] for value in values]
    while len(groups) > parts:
        means = [complex(np.mean(group)) for group in groups]
        pairs = [(abs(a - b), i, i + 1 + j) for i, a in enumerate(means) for j, b in enumerate(means[i + 1 :])]
        _, i, j = min(pairs)
        groups[i] += groups.pop(j)
    clusters = []
    for group in groups:
        mean = complex(np.mean(group))
        if abs(mean.imag) < 1e-9:
            clusters.append(_Cluster("real", len(group), complex(mean.real)))
        elif mean.imag > 0:
            clusters.append(_Cluster("pair", len(group), mean))
    counted = sum(cluster.multiplicity * (2 if cluster.kind == "pair" else 1) for cluster in clusters)
    return clusters if counted == len(values) else None


def _start(clusters: list[_Cluster]) -> np.ndarray:
    """Starting values of the free parameters: λ of a real rate, λ and ω of a pair."""
    numbers: list[float] = []
    for cluster in clusters:
        if cluster.kind != "zero":
            numbers.append(cluster.start.real)
        if cluster.kind == "pair":
            numbers.append(cluster.start.imag)
    return np.array(numbers)


def _eigenvalues(clusters: list[_Cluster], values: np.ndarray) -> Iterator[tuple[list[complex], int]]:
    """The distinct eigenvalues of each cluster, and their multiplicity."""
    numbers = iter(values.tolist())
    for cluster in clusters:
        if cluster.kind == "zero":
            yield [0j], cluster.multiplicity
        elif cluster.kind == "real":
            yield [complex(next(numbers))], cluster.multiplicity
        else:
            root = complex(next(numbers), next(numbers))
            yield [root, root.conjugate()], cluster.multiplicity


def _characteristic(matrix: Float[np.ndarray, "n n"]) -> np.ndarray:
    """Coefficients of the characteristic polynomial below the leading one."""
    return np.real(np.poly(matrix))[1:]


def _polynomial(clusters: list[_Cluster], values: np.ndarray) -> np.ndarray:
    """Coefficients of the characteristic polynomial of a matrix with the eigenvalues of a hypothesis."""
    roots = [root for different, count in _eigenvalues(clusters, values) for root in different * count]
    return np.real(np.poly(np.array(roots)))[1:]


def _rates(fit: _Fit, matrix: Float[np.ndarray, "m m"], changes: Matrices, unit: float) -> Iterator[Rate]:
    """Rates in the data's units with the powers of t that belong to each; ∂t itself has the rate zero."""
    clusters, values = fit.clusters, fit.values
    widths = iter((np.sqrt(np.diag(fit.covariance)) / unit).tolist())
    full = list(clusters) if clusters and clusters[0].kind == "zero" else [_Cluster("zero", 0, 0j), *clusters]
    full[0] = _Cluster("zero", full[0].multiplicity + 1, 0j)
    parts = list(_eigenvalues(full, values))
    for place, (cluster, (different, count)) in enumerate(zip(full, parts, strict=True)):
        powers, generators = _powers(parts, place, matrix, changes), count * len(different)
        root = complex(different[0]) / unit
        if cluster.kind == "zero":
            yield Rate(0.0, 0.0, powers, generators=generators)
        elif cluster.kind == "real":
            yield Rate(root.real, 0.0, powers, next(widths), generators=generators)
        else:
            yield Rate(root.real, abs(root.imag), powers, next(widths), next(widths), generators)


def _powers(
    parts: list[tuple[list[complex], int]], place: int, matrix: Float[np.ndarray, "m m"], changes: Matrices
) -> int:
    """The smallest power of a rate's factor in a polynomial that annihilates the matrix, other factors in full."""
    most = parts[place][1]
    for power in range(1, most):
        counts = [power if position == place else count for position, (_, count) in enumerate(parts)]
        value = _product(parts, counts, matrix)
        noise = np.array([_product(parts, counts, matrix + d) - value for d in changes])
        error = np.sqrt(np.sum(noise**2) + ESTIMATED.least_coefficient_error**2)
        if np.linalg.norm(value) <= ESTIMATED.vanishes * error:
            return power
    return most


def _product(parts: list[tuple[list[complex], int]], counts: list[int], matrix: np.ndarray) -> np.ndarray:
    """Π (C − λ)^count over all distinct eigenvalues."""
    result = np.eye(len(matrix), dtype=complex)
    for (different, _), count in zip(parts, counts, strict=True):
        for root in different:
            result = result @ np.linalg.matrix_power(matrix - root * np.eye(len(matrix)), count)
    return np.real(result)
