"""`result.equation()`: from the symmetries of a recording to an equation with fitted constants (docs/method.md §18.9).

Terms, conditions of the generators, the fit, and the choice of terms where the symmetries leave functions free.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from jaxtyping import Bool, Float

from liestonet.core.p_values import p_clause
from liestonet.core.threads import few_threads
from liestonet.errors import InputError
from liestonet.formulas.formula import Formula
from liestonet.reduction.recording.candidate_terms import Term, candidate_terms, symbols_of
from liestonet.reduction.recording.constant_fit import (
    Fitted,
    Likelihood,
    best_terms,
    lack_of_fit,
    likelihood_of,
    placed,
    restricted,
    whole_family,
    without_small_terms,
)
from liestonet.reduction.recording.estimated_equation import EstimatedEquation, FittedConstant
from liestonet.reduction.recording.family_constraints import constraints_of
from liestonet.reduction.recording.family_fit import fit_on_family
from liestonet.reduction.recording.known_steps import step_added, step_rounds
from liestonet.reduction.recording.noise_factors import noise_factors, triangular_root
from liestonet.reduction.tuning import EQUATION
from liestonet.result import Result
from liestonet.result.findings import DataFindings
from liestonet.surrogate.spectral_fit import fit_plainly
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.measurement import Measurement


@few_threads
def estimated_equation(result: Result) -> EstimatedEquation:
    """The most general equation of a recording that its symmetries allow."""
    surrogate = surrogate_of(result)
    rows = list(result.formulas())
    usable = [row for row in rows if row.status != "numerical"]
    notes = [
        f"X{k + 1} has no formula, so it is not imposed." for k, row in enumerate(rows) if row.status == "numerical"
    ]
    if result.dimension and not rows:
        notes.append("Formulas of the symmetries were not searched, so that none is imposed.")
    absent = {v for row in usable if (v := _translated(row)) is not None}
    others = [row for row in usable if _translated(row) is None]
    if others and surrogate.from_positions:
        others = []
        notes.append("Velocities were estimated from positions, so that only shifts are imposed.")
    measurement = measurement_of(result)
    terms = candidate_terms(surrogate, absent)
    chosen = _beside_steps(surrogate, terms, others, measurement)
    for more in EQUATION.richer:
        richer = candidate_terms(surrogate, absent, more)
        if chosen.fits >= EQUATION.rejected or len(richer) == len(terms):
            break
        terms, chosen = richer, _beside_steps(surrogate, richer, others, measurement)
    return _written(surrogate, terms, chosen, (*notes, *chosen.notes, *_assumed(chosen)))


def _beside_steps(surrogate: Surrogate, terms: list[Term], others: list[Formula], measurement: Measurement) -> _Chosen:
    """The fit with discretisation bias subtracted, as far as it is known."""
    chosen = _fitted(surrogate, terms, others, None)
    for _ in range(step_rounds(surrogate, measurement)):
        chosen = _fitted(surrogate, terms, others, step_added(surrogate, terms, chosen.factors, measurement))
    return chosen


@dataclass(frozen=True)
class _Chosen:
    """The terms of an equation with their factors, and how they were chosen.

    `fits` is the p-value of the equation against the full series of the surrogate, `imposed` the number of imposed
    generators other than shifts.
    """

    fitted: Fitted
    kept: Bool[np.ndarray, " k"]
    kind: str
    p_value: float
    fits: float
    imposed: int
    notes: tuple[str, ...] = ()

    @property
    def factors(self) -> Float[np.ndarray, " k"]:
        return np.where(self.kept, self.fitted.factors, 0.0)


def _fitted(
    surrogate: Surrogate, terms: list[Term], others: list[Formula], added: Float[np.ndarray, " p"] | None
) -> _Chosen:
    """Factors on the family of the generators, or of the shifts alone where the others are rejected."""
    known = likelihood_of(surrogate, terms, added)
    if not others:
        return _chosen(surrogate, terms, known, added, whole_family(known))
    fitted = fit_on_family(known, constraints_of(others, terms, surrogate))
    note = (
        "Within the functions tried here no equation has all symmetries with a formula; only shifts in time and space "
        "are imposed."
    )
    if fitted is not None and _is_model(fitted, terms, surrogate):
        chosen = _chosen(surrogate, terms, known, added, fitted, others)
        least = min(fitted.p_value, chosen.fits)
        if least >= EQUATION.rejected:
            return chosen
        note = (
            "The likelihood-ratio test rejects that these generators are exact symmetries of one equation "
            f"({p_clause(least)}); only shifts in time and space are imposed."
        )
    return replace(_chosen(surrogate, terms, known, added, whole_family(known)), notes=(note,))


def _assumed(chosen: _Chosen) -> list[str]:
    """The assumptions behind the equation, in a sentence or two."""
    if chosen.fits < EQUATION.rejected:
        return [
            f"No sum of the functions tried here describes the recording ({p_clause(chosen.fits)}); the equation is a "
            "rough summary, and its constants have no errors."
        ]
    found = []
    if chosen.imposed:
        form = "the generators have the form of their formulas, with all numbers in them free"
        found.append(f"Assumed: {form} ({p_clause(chosen.p_value)}).")
    if chosen.kind != "family":
        found.append(
            "Assumed: drift and squared noise are sums of the functions shown, which were chosen by their evidence "
            f"among those tried (lack of fit: {p_clause(chosen.fits)})."
        )
    return found


def readable_equation(result: Result) -> EstimatedEquation | None:
    """The equation of a recording if it suits a report: few coordinates, formulas searched, a successful fit."""
    if not result.closed_forms or len(result.names) > EQUATION.most_coordinates:
        return None
    try:
        return result.equation()
    except (InputError, np.linalg.LinAlgError):
        return None


def surrogate_of(result: Result) -> Surrogate:
    """The surrogate of a result from data, which keeps the sums that constants are fitted to."""
    if not isinstance(result.findings, DataFindings):
        raise InputError("This result is from an equation, which is result.surrogate; there is nothing to estimate.")
    found = result.findings.surrogate
    if not isinstance(found, Surrogate):
        raise InputError(
            "The coefficients are networks, which keep no sums of the data to fit constants to; run discover with "
            "engine=lsn.Spectral()."
        )
    return fit_plainly(found)  # formulas are sums of powers, which series with factors of the noise may not contain


def measurement_of(result: Result) -> Measurement:
    """The measurement settings of a result from data."""
    if not isinstance(result.findings, DataFindings):
        raise InputError("This result is from an equation, which was not recorded.")
    return result.findings.data.measurement


def _translated(row: Formula) -> int | None:
    """The variable that a generator translates, 0 for time; None for other generators."""
    parts = [row.tau, *row.xi]
    moved = [k for k, part in enumerate(parts) if part != 0]
    return moved[0] if len(moved) == 1 and parts[moved[0]] == 1 else None


def _is_model(fitted: Fitted, terms: list[Term], surrogate: Surrogate) -> bool:
    """Whether the family has non-zero noise in all noisy coordinates."""
    for i in np.flatnonzero(surrogate.noisy):
        rows = [k for k, term in enumerate(terms) if term.entry == (i, i)]
        if not np.abs(fitted.factors[rows]).max(initial=0.0) > 0:
            return False
    return bool(np.isfinite(fitted.factors).all()) and fitted.tangent.shape[1] > 0


def _chosen(
    surrogate: Surrogate, terms: list[Term], known: Likelihood, added: Float[np.ndarray, " p"] | None, fitted: Fitted,
    imposed: Sequence[Formula] = (),
) -> _Chosen:  # fmt: skip
    """The family with all its constants if they are few, else the terms selected by BIC."""
    p_value = fitted.p_value
    still = _negligible(fitted, terms, surrogate)
    kept, kind = ~still, "family"
    if fitted.tangent.shape[1] > EQUATION.most_constants:
        kind, always = "closed form", _always(fitted, terms, surrogate)
        counts = [sum(other.entry == term.entry for other in terms) for term in terms]
        if fitted.tangent.shape[1] == len(terms) and max(counts) <= EQUATION.most_compared:
            kept = best_terms(known, terms)
        else:
            kept = without_small_terms(known, fitted, always | still) & kept
    if not kept.all():
        fitted = _with_terms(surrogate, terms, known, fitted, kept, imposed)
        kept = kept & ~_negligible(fitted, terms, surrogate)
    return _Chosen(fitted, kept, kind, p_value, lack_of_fit(surrogate, terms, fitted, added), len(imposed))


def _with_terms(
    surrogate: Surrogate, terms: list[Term], known: Likelihood, fitted: Fitted, kept: Bool[np.ndarray, " k"],
    imposed: Sequence[Formula],
) -> Fitted:  # fmt: skip
    """The best equation with these terms alone, on the family if generators are imposed."""
    rows = np.flatnonzero(kept)
    asked = constraints_of(imposed, [terms[k] for k in rows], surrogate)
    found = fit_on_family(known.some(rows), asked)
    return restricted(known, fitted, kept) if found is None else placed(found, rows, len(terms))


def _negligible(fitted: Fitted, terms: list[Term], surrogate: Surrogate) -> Bool[np.ndarray, " k"]:
    """Terms that are zero on the family, and tiny ones of coordinates without noise."""
    sizes = np.array([abs(u) * np.linalg.norm(t.parameters) for u, t in zip(fitted.factors, terms, strict=True)])
    free = np.linalg.norm(fitted.tangent * np.array([[np.linalg.norm(t.parameters)] for t in terms]), axis=1)
    found = np.zeros(len(terms), dtype=bool)
    for entry in {term.entry for term in terms}:
        rows = np.array([k for k, term in enumerate(terms) if term.entry == entry])
        largest = sizes[rows].max()
        noisy = surrogate.noisy[list(entry)].all()
        found[rows] = (sizes[rows] <= EQUATION.apart * sizes.max()) & (free[rows] < EQUATION.apart * free.max())
        if not noisy:
            found[rows] |= sizes[rows] < EQUATION.smallest_part * largest
    return found


def _always(fitted: Fitted, terms: list[Term], surrogate: Surrogate) -> Bool[np.ndarray, " k"]:
    """The largest term of every diagonal entry of the noise."""
    found = np.zeros(len(terms), dtype=bool)
    for i in np.flatnonzero(surrogate.noisy):
        rows = [k for k, term in enumerate(terms) if term.entry == (i, i)]
        sizes = [abs(fitted.factors[k]) * np.linalg.norm(terms[k].parameters) for k in rows]
        found[rows[int(np.argmax(sizes))]] = True
    return found


def _written(
    surrogate: Surrogate, candidates: list[Term], chosen: _Chosen, notes: tuple[str, ...]
) -> EstimatedEquation:
    """Constants with names; those of the noise are factors of σ where single terms make up a."""
    kept = chosen.kept
    terms = [term for term, keep in zip(candidates, kept, strict=True) if keep]
    values, covariance = chosen.fitted.factors[kept], chosen.fitted.covariance[np.ix_(kept, kept)]
    slopes = np.eye(len(terms))
    size, fits = surrogate.dimension, chosen.fits >= EQUATION.rejected
    symbols = [sympy.Symbol(f"c{k + 1}", real=True) for k in range(len(terms))]
    root = sympy.zeros(size, size)
    lows = [interval[0] for interval in surrogate.domain.intervals[1:]]
    positive = [symbol for symbol, low in zip(symbols_of(surrogate)[1:], lows, strict=True) if low > 0]
    for found in noise_factors(terms, values, positive):
        values[list(found.places)] = found.values
        slopes[np.ix_(found.places, found.places)] = found.slopes
        for place, (i, j) in zip(found.places, found.entries, strict=True):
            symbols[place] = sympy.Symbol(f"s{place + 1}", positive=True) if i == j else symbols[place]
            root[i, j] = symbols[place] * found.sizes[i]
    covariance = slopes @ covariance @ slopes.T
    noisy = [int(i) for i in np.flatnonzero(surrogate.noisy)]
    others = [i for i in noisy if root[i, i] == 0]
    drift: list[Any] = [sympy.Integer(0)] * size
    squared = sympy.zeros(size, size)
    for symbol, term in zip(symbols, terms, strict=True):
        if len(term.entry) == 1:
            drift[term.entry[0]] += symbol * term.function
        elif term.entry[0] in others:
            i, j = term.entry
            squared[i, j] = squared[j, i] = squared[i, j] + symbol * term.function
    root += triangular_root(squared, others, positive)
    diffusion = tuple(tuple(root[i, j] for j in noisy) for i in range(size))
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)) if fits else np.full(len(terms), math.nan)
    constants = [FittedConstant(s, float(v), float(e)) for s, v, e in zip(symbols, values, errors, strict=True)]
    step, places = float(np.median(surrogate.overview.sample.dt)), tuple((term.entry, term.function) for term in terms)
    return EstimatedEquation(
        surrogate.names, tuple(drift), diffusion, tuple(constants), covariance, chosen.kind, chosen.p_value, step,
        notes, places,
    )  # fmt: skip
