"""Goodness of fit before any claim: are the data a diffusion, Markov, Gaussian, the same in both halves?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special
import scipy.stats
from jaxtyping import Float, Int

from liestonet.core.flags import Flag
from liestonet.core.p_values import p_clause
from liestonet.core.points import lattice_cloud
from liestonet.diagnostics.correlated_steps import correlation
from liestonet.diagnostics.report import data_flags
from liestonet.diagnostics.standardised_steps import Residuals
from liestonet.diagnostics.tuning import FLAGS
from liestonet.errors import InputError
from liestonet.pipeline.discover import fit
from liestonet.surrogate.least_squares import without_prior
from liestonet.surrogate.surrogate import Surrogate
from liestonet.surrogate.tuning import FIT
from liestonet.trajectories import Trajectories
from liestonet.validation.tuning import GATES

# Flags of the data that put the ground of every claim in doubt.
DOUBTFUL = (
    "measurement-noise",
    "positions-only",
    "coloured-noise",
    "blur",
    "heavy-tails",
    "jumps",
    "outliers",
    "zero-steps",
    "quantised",
    "date",
    "misfit",
    "offsets",
    "memory",
)


@dataclass(frozen=True)
class Gate:
    """One test of the data: a p-value, the size of the deviation, and whether the gate is passed.

    Where `tested` is False there were too few data for the test.
    """

    name: str
    p_value: float
    size: float
    passed: bool
    message: str
    tested: bool = True

    @property
    def outcome(self) -> str:
        """The outcome in a word or two."""
        if not self.tested:
            return "not tested"
        return "passed" if self.passed else "failed"


def _not_tested(name: str, why: str) -> Gate:
    return Gate(name, np.nan, np.nan, True, f"Not tested ({name}): {why}", tested=False)


@dataclass(frozen=True)
class LackOfFit:
    """All gates, other doubts about the data, and quantiles of the standardised residuals beside a Gaussian's."""

    gates: tuple[Gate, ...]
    doubts: tuple[Flag, ...]
    gaussian: Float[np.ndarray, " q"]
    quantiles: Float[np.ndarray, "q r"]

    @property
    def passed(self) -> bool:
        return all(gate.passed for gate in self.gates) and not self.doubts

    @property
    def reasons(self) -> tuple[str, ...]:
        """The gates that failed, in words."""
        return (*(gate.message for gate in self.gates if not gate.passed), *(flag.message for flag in self.doubts))

    @property
    def untested(self) -> tuple[str, ...]:
        """The gates that could not be tested, in words."""
        return tuple(gate.message for gate in self.gates if not gate.tested)


def lack_of_fit(
    data: Trajectories,
    surrogate: Surrogate | None = None,
    known: Iterable[Flag] = (),
    pieces: Int[np.ndarray, " paths"] | None = None,
) -> LackOfFit:
    """Test all gates; `known` are flags raised earlier, `pieces` the recorded path that each path is a piece of."""
    fitted = fit(data, clock="recorded") if surrogate is None else surrogate
    residuals = Residuals(fitted)
    gates = (_markov(residuals), _gaussian(residuals), _halves(data, pieces))
    if fitted.from_positions:
        gates = (*gates, _not_tested("pushes", "velocities were estimated from positions, so no state can be pushed."))
    flags = {flag.code: flag for flag in (*data_flags(fitted), *known)}
    doubts = tuple(flag for flag in flags.values() if flag.code in DOUBTFUL)
    levels = np.linspace(0, 1, GATES.quantiles + 2)[1:-1]
    quantiles = [np.quantile(z, levels) if len(z) else np.full(GATES.quantiles, np.nan) for z in residuals.spread]
    columns = np.stack(quantiles, axis=1) if quantiles else np.zeros((GATES.quantiles, 0))
    return LackOfFit(gates, doubts, scipy.special.ndtri(levels), columns)


def _markov(residuals: Residuals) -> Gate:
    """Test whether neighbouring residuals are uncorrelated, as for a Markov process."""
    if not residuals.names or len(residuals.pairs) < FIT.least_pairs:
        return _not_tested("markov", "there are too few consecutive steps to estimate a correlation.")
    found = [correlation(np.clip(z, -FLAGS.clip, FLAGS.clip), residuals.pairs, 1) for z in residuals.ordered.T]
    worst = max(found, key=lambda c: abs(c.value))
    p_value = min(1.0, len(found) * float(2 * scipy.special.ndtr(-abs(worst.value) / worst.error)))
    passed = p_value > GATES.error_rate / 3 or abs(worst.value) < FLAGS.material_correlation
    state = "uncorrelated" if passed else "correlated"
    return Gate(
        "markov",
        p_value,
        abs(worst.value),
        passed,
        f"Consecutive residuals are {state} (correlation {worst.value:+.3f}); for a Markov process it is zero.",
    )


def _gaussian(residuals: Residuals) -> Gate:
    """Test whether standardised residuals are standard normal, as for a diffusion over short steps."""
    enough = [z for z in residuals.spread if len(z) >= FIT.least_pairs]
    if not enough:
        return _not_tested("gaussian", "there are too few steps over which the noise is known well enough.")
    worst, p_value = 0.0, 1.0
    for z in enough:
        distance, p = scipy.stats.kstest(z, "norm")[:2]
        worst, p_value = max(worst, float(distance)), min(p_value, float(p))
    p_value = min(1.0, p_value * len(residuals.spread))
    passed = p_value > GATES.error_rate / 3 or worst < GATES.material_distance
    state = "are" if passed else "are not"
    return Gate(
        "gaussian",
        p_value,
        worst,
        passed,
        f"Standardised residuals {state} Gaussian (Kolmogorov–Smirnov distance {worst:.3f}).",
    )


def _halves(data: Any, pieces: Int[np.ndarray, " paths"] | None) -> Gate:
    """Test whether the first and the second half of the paths have the same coefficients."""
    unknown = _not_tested("halves", "there are too few paths to compare halves of them.")
    if not isinstance(data, Trajectories):
        return unknown
    path = np.arange(len(data)) if pieces is None else pieces
    recorded = np.unique(path)
    if len(recorded) < 4:
        return unknown
    begun = path < recorded[len(recorded) // 2]
    try:
        first, second = (fit(data.take(np.flatnonzero(rows)), clock="recorded") for rows in (begun, ~begun))
    except InputError:
        return unknown
    if not (first.errors.complete and second.errors.complete) or (first.noisy != second.noisy).any():
        return unknown
    p_value, size = compare_fits(first, second)
    passed = p_value > GATES.error_rate / 3
    state = "agree" if passed else "do not agree"
    return Gate(
        "halves", p_value, size, passed, f"Coefficients from two halves of the paths {state} ({p_clause(p_value)})."
    )


def compare_fits(first: Surrogate, second: Surrogate) -> tuple[float, float]:
    """P-value that two fits of independent data have the same coefficients, and their relative difference.

    The comparison uses the means and first moments of every coefficient over points of the first data.
    """
    free = [without_prior(surrogate) for surrogate in (first, second)]
    low = [max(a[0], b[0]) for a, b in zip(first.domain.intervals, second.domain.intervals, strict=True)]
    high = [min(a[1], b[1]) for a, b in zip(first.domain.intervals, second.domain.intervals, strict=True)]
    points = first.overview.points
    points = points[np.all((points >= low) & (points <= high), axis=1)]
    if len(points) < GATES.compared:
        points = lattice_cloud(first.domain, GATES.compared).points
    points = points[np.linspace(0, len(points) - 1, GATES.compared).astype(int)]
    values = [coefficients_at(surrogate, points, first.domain.half) for surrogate in free]
    difference = values[0][0] - values[1][0]
    weights = _moments(points, first)
    projected = [difference @ weights, *(v[1].T @ weights for v in values)]
    covariance = sum(part.T @ part for part in projected[1:])
    eigenvalues, vectors = np.linalg.eigh(covariance)
    seen = eigenvalues > 1e-12 * eigenvalues[-1]
    statistic = float(np.sum((vectors[:, seen].T @ projected[0]) ** 2 / eigenvalues[seen]))
    p_value = float(scipy.special.chdtrc(int(seen.sum()), statistic))
    size = np.linalg.norm(difference) / max(float(np.linalg.norm(values[0][0])), np.finfo(float).tiny)
    return p_value, float(size)


def coefficients_at(
    surrogate: Surrogate, points: Float[np.ndarray, "b v"], half: Float[np.ndarray, " v"]
) -> tuple[Float[np.ndarray, " c"], Float[np.ndarray, "c s"]]:
    """f and a of noisy coordinates at points in units of a box, one below the other, and their change by each error."""
    from liestonet.core.coefficients import JetOrder

    jet, directions = surrogate.jet_and_directions(
        points, JetOrder(drift=0, diffusion_squared=0), surrogate.errors.scatter
    )
    if directions is None:
        raise RuntimeError("directions were asked for")
    n, noisy = surrogate.dimension, np.flatnonzero(surrogate.noisy)
    values, changes = [], []
    for i in range(n):
        if surrogate.noisy[i]:
            values.append(jet.drift[()][:, i] * half[0] / half[i + 1])
            changes.append(directions.drift[()][:, i] * half[0] / half[i + 1])
    for i in noisy:
        for j in noisy[noisy <= i]:
            unit = half[0] / (half[i + 1] * half[j + 1])
            values.append(jet.diffusion_squared[()][:, i, j] * unit)
            changes.append(directions.diffusion_squared[()][:, i, j] * unit)
    return np.concatenate(values), np.concatenate(changes)


def _moments(points: Float[np.ndarray, "b v"], surrogate: Surrogate) -> Float[np.ndarray, "c k"]:
    """Means and first moments of every coefficient over the points, as columns."""
    scaled = (points - surrogate.domain.centre) / surrogate.domain.half
    functions = np.column_stack([np.ones(len(points)), scaled]) / len(points)
    noise = surrogate.noise
    return np.kron(np.eye(noise + noise * (noise + 1) // 2), functions)
