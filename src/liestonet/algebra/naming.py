"""The name of a real Lie algebra given by structure constants with an uncertainty (docs/method.md §11.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liestonet.algebra.anatomy import dissect
from liestonet.algebra.bianchi import name_bianchi
from liestonet.algebra.decisions import Decisions
from liestonet.algebra.ensemble import Constants, Ensemble, jacobi_tensor, make_ensemble
from liestonet.algebra.indecomposable import name_indecomposable
from liestonet.algebra.named import Named
from liestonet.algebra.semisimple import SUMS
from liestonet.algebra.splitting import split_centre, split_ideals
from liestonet.algebra.tuning import ALGEBRA

MOST_QUESTIONS = 10_000  # more than any run has


@dataclass(frozen=True)
class AlgebraName:
    """The name of an algebra with its explanation.

    `resolved` is False if the `alternatives` are also consistent with the uncertainty; `text` is then the most likely.
    `estimate` is the number, with its error, from which a parameter in the name was rounded.
    """

    text: str
    resolved: bool
    alternatives: tuple[str, ...]
    explanation: str
    estimate: str = ""


def name_algebra(constants: Constants, uncertainty: float) -> AlgebraName:
    """The name of the algebra with [X_i, X_j] = Σ_k c[i,j,k] X_k, each entry with standard error `uncertainty`.

    The error refers to the given basis, whose generators should have comparable norms; give 1e-10 for exact
    constants. Independent errors are assumed. The name does not depend on the basis.
    """
    ensemble, _ = make_ensemble(constants, uncertainty)
    decisions = Decisions()
    named = _name(ensemble, decisions)
    others: list[str] = []
    # answer each open question the other way, then all of them with those that this opens: one alone may change no name
    flips = [range(question, question + 1) for question in decisions.open[: ALGEBRA.most_alternatives]]
    for flipped in [*flips, range(MOST_QUESTIONS)] if flips else []:
        other = _name(ensemble, Decisions(flipped)).text
        if other != named.text and other not in others:
            others.append(other)
    explanation = named.explanation
    if others:
        explanation += f" The uncertainty does not exclude {' or '.join(others)}."
    lawful = _obeys_jacobi(ensemble)
    if not lawful:
        explanation = (
            "The Jacobi identity fails by more than the uncertainty, so these constants do not define a Lie "
            "algebra: a generator may be missing, or the uncertainty is too small. Nearest algebra: " + explanation
        )
    return AlgebraName(named.text, lawful and not others, tuple(others), explanation, named.estimate)


def _obeys_jacobi(ensemble: Ensemble) -> bool:
    if ensemble.shape[1] > ALGEBRA.large_dimension:
        return True
    question = Decisions()
    return question.is_zero(jacobi_tensor(ensemble)) or bool(question.open)


def _name(ensemble: Ensemble, decisions: Decisions) -> Named:
    """The name by one run through the decisions."""
    dimension = ensemble.shape[1]
    if dimension == 0:
        return Named("trivial", "trivial", "There is no generator.")
    if dimension == 1:
        return Named("R", "R", "A single generator.")
    if dimension == 2:
        return _name_plane(ensemble, decisions)
    if dimension == 3:
        return name_bianchi(ensemble, decisions)
    return _name_sum(ensemble, decisions)


def _name_plane(ensemble: Ensemble, decisions: Decisions) -> Named:
    if decisions.is_zero(ensemble):
        return Named("R^2", "R^2", "Two generators that commute.")
    return Named("aff(1)", "aff(1)", "A shift and its scaling: the affine motions of a line.")


def _name_sum(ensemble: Ensemble, decisions: Decisions) -> Named:
    """The name in four or more dimensions: the ideals of a direct sum, with the central R^l last."""
    parts = dissect(ensemble, decisions)
    dimension = ensemble.shape[1]
    if not parts.derived.shape[2]:
        return Named(f"R^{dimension}", f"R^{dimension}", f"{dimension} generators that all commute.")
    core, central = split_centre(ensemble, parts, decisions)
    ideals = split_ideals(core, None if central else parts, decisions)
    if len(ideals) == 1 and not central:
        return name_indecomposable(ensemble, parts, decisions)
    ideals.sort(key=lambda ideal: -ideal.shape[1])
    named = [_name_ideal(ideal, decisions) for ideal in ideals]
    texts = tuple(sorted((name.short for name in named), key=lambda text: (-_size(text, named, ideals), text)))
    if texts in SUMS and not central:
        return Named(SUMS[texts], SUMS[texts], "A direct sum of two simple algebras of rank one.")
    tail = [] if not central else ["R" if central == 1 else f"R^{central}"]
    meanings = [f"{name.short}: {name.explanation[0].lower()}{name.explanation[1:].rstrip('.')}" for name in named]
    meanings = list(dict.fromkeys(meanings)) + ([f"{tail[0]} commutes with everything"] if tail else [])
    texts = tuple(_summand(text) for text in texts)
    return Named(" ⊕ ".join([*texts, *tail]), " ⊕ ".join([*texts, *tail]), f"Independent parts: {'; '.join(meanings)}.")


def _size(text: str, named: list[Named], ideals: list[np.ndarray]) -> int:
    return max(ideal.shape[1] for name, ideal in zip(named, ideals, strict=True) if name.short == text)


def _summand(text: str) -> str:
    """The text of a summand, in brackets if it contains ⋉ or a comma."""
    if text.startswith("h_"):
        return f"Heisenberg {text}"
    return f"({text})" if " ⋉ " in text or ", " in text else text


def _name_ideal(ensemble: Ensemble, decisions: Decisions) -> Named:
    """The name of an indecomposable ideal: small ones by Bianchi type, larger ones by families."""
    if ensemble.shape[1] < 4:
        return _name(ensemble, decisions)
    return name_indecomposable(ensemble, dissect(ensemble, decisions), decisions)
