"""The rate at which entropy is produced, e = ½ E[uᵀ a⁻¹ u], u = 2 f⁺ − div a − a∇ ln ρ(εx), over stationary points.

ρ is known only through points drawn from it. Without odd variables ln ρ is the Φ that makes e smallest: at its minimum
div(ρu) = 0, which is the stationary Fokker–Planck equation. With odd ones its gradient is that of score matching, E[∇gᵀ
a ∇Φ] = −E[div(a∇g)] for all functions g, which needs the points alone (docs/method.md §15.3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.domain import Domain
from liestonet.validation.reversal.balance import (
    Coefficients,
    Points,
    Signs,
    frame_of,
    gradients_at,
    potential_basis,
    split,
)
from liestonet.validation.tuning import REVERSAL


@dataclass(frozen=True, eq=False)
class Stationary:
    """Points of a stationary state with the coefficients there, and nearly independent blocks of points.

    `turns` are the intervals of periodic coordinates, by position.
    """

    signs: Signs
    found: Coefficients
    points: Points
    groups: Int[np.ndarray, " b"]
    turns: dict[int, tuple[float, float]]

    @property
    def domain(self) -> Domain:
        """A box with all points and their images; ln ρ is sought among functions on it."""
        places = np.concatenate([self.points, self.signs.image(self.points)])
        low, high = places.min(axis=0), places.max(axis=0)
        pairs = [
            (float(a), float(b)) if b > a else (float(a) - 1, float(a) + 1) for a, b in zip(low, high, strict=True)
        ]
        return Domain(tuple(self.turns.get(v, pair) for v, pair in enumerate(pairs)), periodic=tuple(self.turns))


@dataclass(frozen=True, eq=False)
class Produced:
    """The rate with its scatter due to the points, and the arrays needed for the effect of the coefficients' errors.

    `local` is u in units of noise, one row per point, `slope` is ∇ ln ρ(εx), `taken` spans what a change of Φ absorbs.
    """

    value: float
    variance: float
    local: Float[np.ndarray, "b k"]
    slope: Float[np.ndarray, "b n"]
    roots: Float[np.ndarray, "b k k"]
    taken: Float[np.ndarray, "rows q"]


class Averages:
    """e for any weights of the blocks, from tables that are computed once."""

    def __init__(self, state: Stationary) -> None:
        self.state, signs, self.domain = state, state.signs, state.domain
        even = np.full(len(state.points), 1 / len(state.points))
        frame = frame_of(signs, state.found, state.points, even, self.domain)
        self.noisy, self.roots = np.flatnonzero(signs.noisy), frame.roots
        drift, _, _ = split(state.found, signs)
        rest = (2 * drift - state.found.slope)[:, self.noisy, 0]
        self.right = np.linalg.solve(frame.roots, rest[..., None])[..., 0]
        at = signs.image(state.points) if signs.turned else state.points
        turned = signs.epsilon[:, None] * gradients_at(at, self.domain)
        self.gradients = turned[:, self.noisy]
        self.columns = np.einsum("bkl,bkq->blq", frame.roots, self.gradients)
        self.scores = self._scores() if signs.turned else None

    def _scores(self) -> tuple[Float[np.ndarray, "b q"], Float[np.ndarray, "b k q"]]:
        """div(a∇g) and √a∇g at the points themselves, for score matching."""
        state, n = self.state, self.domain.dimension
        basis = potential_basis(self.domain)
        tables = basis.tables(state.points, 2)
        first = np.stack([basis.functions(tables, 0, (i,)) for i in range(1, n + 1)], axis=1)
        squared, slope = state.found.squared[..., 0], state.found.slope[..., 0]
        total = np.einsum("bk,bkq->bq", slope[:, self.noisy], first[:, self.noisy])
        for i in self.noisy.tolist():
            for j in self.noisy.tolist():
                second = basis.functions(tables, 0, tuple(sorted((i + 1, j + 1))))
                total += squared[:, i, j][:, None] * second
        return total, np.einsum("bkl,bkq->blq", self.roots, first[:, self.noisy])

    def numbers(self, weights: Float[np.ndarray, " b"]) -> Float[np.ndarray, " q"]:
        """Coefficients of the functions in ln ρ."""
        if self.scores is None:
            root = np.sqrt(weights)[:, None]
            flat = (self.columns * root[:, :, None]).reshape(-1, self.columns.shape[2])
            return np.linalg.lstsq(flat, (self.right * root).ravel(), rcond=REVERSAL.seen)[0]
        divergence, own = self.scores
        gram = np.einsum("b,blq,blr->qr", weights, own, own, optimize=True)
        return -np.linalg.lstsq(gram, weights @ divergence, rcond=REVERSAL.seen)[0]

    def rows(self, numbers: Float[np.ndarray, " q"]) -> Float[np.ndarray, "b k"]:
        """u in units of noise at every point."""
        return self.right - self.columns @ numbers

    def rate(self, weights: Float[np.ndarray, " b"]) -> float:
        """e with these weights."""
        return 0.5 * float(weights @ np.sum(self.rows(self.numbers(weights)) ** 2, axis=1))


def produced(state: Stationary) -> Produced:
    """e with its variance and bias over blocks of the points (jackknife); the coefficients are taken as exact."""
    averages = Averages(state)
    count = len(state.points)
    even = np.full(count, 1 / count)
    numbers = averages.numbers(even)
    local = averages.rows(numbers)
    value = 0.5 * float(even @ np.sum(local**2, axis=1))
    variance, bias = _jackknife(averages, value)
    slope = np.zeros((count, averages.domain.dimension))
    slope[:, averages.noisy] = averages.gradients @ numbers
    taken = np.zeros((local.size, 0))
    if averages.scores is None:
        flat = averages.columns.reshape(-1, averages.columns.shape[2])
        left, sizes, _ = np.linalg.svd(flat, full_matrices=False)
        taken = left[:, sizes > REVERSAL.seen * sizes.max(initial=0.0)]
    return Produced(value - bias, variance, local, slope, averages.roots, taken)


def _jackknife(averages: Averages, whole: float) -> tuple[float, float]:
    """Variance and bias of e by the jackknife: leaving out one block after the other."""
    groups = averages.state.groups
    blocks = np.unique(groups)
    if len(blocks) < 2:
        return 0.0, 0.0
    rates = []
    for block in blocks:
        weights = (groups != block).astype(float)
        rates.append(averages.rate(weights / weights.sum()))
    each, number = np.array(rates), len(blocks)
    variance = (number - 1) / number * float(np.sum((each - each.mean()) ** 2))
    return variance, (number - 1) * (float(each.mean()) - whole)
