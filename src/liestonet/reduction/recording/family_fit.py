"""The best equation of the family that generators allow, with conditions fulfilled to rounding, not by a penalty.

The conditions are linear in the factors for given constants of the generators, and both are found together. Functions
on a box are nearly dependent, so that conditions fulfilled approximately would leave spurious free directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
from jaxtyping import Bool, Float

from liestonet.reduction.recording.constant_fit import Fitted, Likelihood, fitted_at, whole_family
from liestonet.reduction.recording.family_constraints import Constraints
from liestonet.reduction.tuning import EQUATION

# Replaces an overflow: its square is finite.
OVERFLOW = 1e100


def fit_on_family(known: Likelihood, asked: Constraints) -> Fitted | None:
    """The best factors for which the generators, with free constants, are symmetries; None if there are none."""
    if not asked.functions:
        return whole_family(known)
    search = _Search(known, asked, known.root, known.best)
    with np.errstate(all="ignore"):
        found = [place for start in search.starts() if (place := search.best_near(*start)) is not None]
        costs = {k: np.log(known.increments) * search.free(place).shape[1] for k, place in enumerate(found)}
    kept = [k for k, place in enumerate(found) if search.near(place)]
    if not kept:
        return None
    least = found[min(kept, key=lambda k: search.misfit(found[k]) + costs[k])]
    return fitted_at(least[: search.count], search.free(least), known)


@dataclass(frozen=True)
class _Search:
    """The search over points (u, c): factors in the units of the likelihood, then constants of the generators."""

    known: Likelihood
    asked: Constraints
    root: Float[np.ndarray, "k k"]
    best: Float[np.ndarray, " k"]

    @property
    def count(self) -> int:
        return len(self.best)

    def misfit(self, place: Float[np.ndarray, " z"]) -> float:
        """The deviance from the fit without conditions."""
        return float(np.sum((self.root @ (place[: self.count] - self.best)) ** 2))

    def near(self, place: Float[np.ndarray, " z"]) -> bool:
        """Whether the constants of the generators are close to those of their formulas."""
        away = np.abs(place[self.count :] - self.asked.constants)
        return bool((away <= EQUATION.constants_near * np.abs(self.asked.constants)).all())

    def conditions(self, place: Float[np.ndarray, " z"]) -> Float[np.ndarray, " e"]:
        matrix, rest = self.asked.at(place[self.count :])
        return matrix @ (self.known.scale * place[: self.count]) + rest

    def slopes(self, place: Float[np.ndarray, " z"]) -> Float[np.ndarray, "e z"]:
        """The derivatives of the conditions by every factor and constant."""
        matrix, _ = self.asked.at(place[self.count :])
        factors = self.known.scale * place[: self.count]
        return np.concatenate([matrix * self.known.scale, self.asked.slopes(factors, place[self.count :])], axis=1)

    def starts(self) -> Iterator[tuple[Float[np.ndarray, " z"], Bool[np.ndarray, " k"]]]:
        """Points near the family, with the terms present there: more and more terms are taken as absent."""
        place = np.concatenate([self.best, self.asked.constants])
        for strength in EQUATION.strengths:
            place = self._pulled(place, float(strength))
        sizes, seen = self._sizes(place), set()
        for floor in EQUATION.floors:
            present = sizes > floor
            if present.tobytes() not in seen:
                seen.add(present.tobytes())
                yield place, present

    @property
    def _lengths(self) -> Float[np.ndarray, " k"]:
        """Sizes of the terms' functions, in units of the box."""
        return np.array([np.linalg.norm(term.parameters) for term in self.asked.terms])

    def _sizes(self, place: Float[np.ndarray, " z"]) -> Float[np.ndarray, " k"]:
        """The size of every term relative to the largest of its entry, if that is not small itself."""
        terms = self.asked.terms
        sizes = np.abs(self.known.scale * place[: self.count]) * self._lengths
        beside = [sizes[[other.entry == term.entry for other in terms]].max() for term in terms]
        return sizes / np.maximum(beside, EQUATION.floors[1] * sizes.max())

    def _pulled(self, place: Float[np.ndarray, " z"], strength: float) -> Float[np.ndarray, " z"]:
        """Least squares with the conditions as a penalty of given strength.

        Constants are kept near those of the formulas: at zero rates one generator may become another.
        """
        weight, count = np.sqrt(strength), self.count
        held = np.diag(1 / (EQUATION.constants_known * np.abs(self.asked.constants)))

        above = np.asarray(scipy.linalg.block_diag(self.root, held))

        def residual(z: np.ndarray) -> np.ndarray:
            kept = held @ (z[count:] - self.asked.constants)
            return np.concatenate([self.root @ (z[:count] - self.best), kept, weight * self.conditions(z)])

        def slopes(z: np.ndarray) -> np.ndarray:
            return np.concatenate([above, weight * self.slopes(z)])

        return _least_squares(residual, slopes, place, EQUATION.rounds)

    def best_near(
        self, place: Float[np.ndarray, " z"], present: Bool[np.ndarray, " k"]
    ) -> Float[np.ndarray, " z"] | None:
        """The best point that steps along the family reach from a point where some terms are absent; else None."""
        here = self.on_family(place, present)
        for _ in range(EQUATION.rounds):
            if here is None:
                return None
            directions = self.directions(here)
            free = directions[: self.count]
            present = present | (np.linalg.norm(free, axis=1) > EQUATION.apart)
            slopes = self.root @ free
            step = np.linalg.lstsq(slopes, self.root @ (self.best - here[: self.count]), rcond=EQUATION.rank)[0]
            gain = float(np.sum((slopes @ step) ** 2))
            moved = self._moved(here, directions @ step, present) if gain > EQUATION.standing else None
            if moved is None:
                # where branches of the family meet, no step may improve the fit although better points are near
                return here if gain < EQUATION.stuck else None
            here = moved
        return here

    def _moved(
        self, here: Float[np.ndarray, " z"], step: Float[np.ndarray, " z"], present: Bool[np.ndarray, " k"]
    ) -> Float[np.ndarray, " z"] | None:
        """A point of the family that fits better, reached by a step or a part of it; None if there is none."""
        for part in EQUATION.parts:
            there = self.on_family(here + part * step, present)
            if there is not None and self.misfit(there) < self.misfit(here):
                return there
        return None

    def on_family(
        self, place: Float[np.ndarray, " z"], present: Bool[np.ndarray, " k"]
    ) -> Float[np.ndarray, " z"] | None:
        """A nearby point where the conditions hold to rounding, with the other terms zero; None if there is none.

        Newton's method with minimal relative steps, so that factors that the conditions hardly restrict are not changed
        much.
        """
        chosen = np.append(np.flatnonzero(present), np.arange(self.count, len(place)))
        there = np.zeros(len(place))
        there[chosen] = place[chosen]
        for _ in range(EQUATION.newton):
            missed = self.conditions(there)
            largest = np.max(np.abs(self.known.scale * there[: self.count]) * self._lengths)
            if not np.isfinite(missed).all():
                return None
            if np.abs(missed).max() <= EQUATION.exactly * largest:
                return there
            units = np.maximum(np.abs(there[chosen]), EQUATION.apart)
            slopes = self.slopes(there)[:, chosen] * units
            if not np.isfinite(slopes).all():
                return None
            there[chosen] -= units * np.linalg.lstsq(slopes, missed, rcond=EQUATION.apart)[0]
        return None

    def directions(self, place: Float[np.ndarray, " z"]) -> Float[np.ndarray, "z m"]:
        """Changes of factors and constants that the conditions allow."""
        both = self.slopes(place)
        sizes = np.linalg.norm(both, axis=0)
        # variables in no condition have columns of rounding errors
        asks = sizes > EQUATION.tangent * sizes.max()
        units = np.where(asks, sizes, 1.0)
        values, rows = np.linalg.svd(np.where(asks, both / units, 0.0), full_matrices=True)[1:]
        rank = int(np.sum(values > EQUATION.tangent * values[:1].max(initial=0.0)))
        found = rows[rank:].T / units[:, None]
        lengths = np.linalg.norm(found[: self.count], axis=0)
        return found / np.where(lengths > 0, lengths, 1.0)

    def free(self, place: Float[np.ndarray, " z"]) -> Float[np.ndarray, "k m"]:
        """Orthonormal changes of the factors that the conditions allow when the generators' constants adapt."""
        left, sizes, _ = np.linalg.svd(self.directions(place)[: self.count], full_matrices=False)
        return left[:, sizes > EQUATION.tangent]


def _least_squares(residual: Any, slopes: Any, start: np.ndarray, rounds: int) -> np.ndarray:
    """Levenberg–Marquardt; returns the starting point if exponentials overflow."""
    if not np.isfinite(residual(start)).all():
        return start

    def finite_slopes(z: np.ndarray) -> np.ndarray:
        return np.nan_to_num(slopes(z), posinf=OVERFLOW, neginf=-OVERFLOW)

    jacobian: Any = finite_slopes
    found = scipy.optimize.least_squares(
        lambda z: np.nan_to_num(residual(z), nan=OVERFLOW, posinf=OVERFLOW, neginf=-OVERFLOW),
        start,
        jacobian,
        method="lm", x_scale="jac", max_nfev=rounds,
    ).x  # fmt: skip
    return found if np.isfinite(residual(found)).all() else start
