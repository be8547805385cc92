"""Three-dimensional algebras: the Bianchi types, from the symmetric matrix n and the vector a of the constants.

c_ij^k = ε_ijl n^lk + δ_j^k a_i − δ_i^k a_j. Both are linear in c, so decisions about them are least affected by noise.
h = a²/(ν₁ν₂), with ν the non-zero eigenvalues of n: −((λ₁+λ₂)/(λ₁−λ₂))² in type VI, where ad of the outer generator has
real eigenvalues λ on the abelian ideal, and by the same formula +(α/β)² in type VII, where they are α ± iβ.
See docs/method.md §11.2.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from jaxtyping import Float

from liestonet.algebra.adjoint_weights import recognise, show, standard_error, with_error
from liestonet.algebra.decisions import Decisions
from liestonet.algebra.named import Named

LEVI_CIVITA = np.array([[[np.sign((j - i) * (k - i) * (k - j)) for k in range(3)] for j in range(3)] for i in range(3)])


TYPES = {
    "I": Named("Bianchi I (R^3)", "R^3", "All generators commute."),
    "II": Named(
        "Bianchi II (Heisenberg h_3)", "h_3", "Two generators whose bracket is a third that commutes with both."
    ),
    "III": Named(
        "Bianchi III (aff(1) ⊕ R)", "aff(1) ⊕ R", "A shift and its scaling, and one generator that commutes with both."
    ),
    "IV": Named("Bianchi IV", "Bianchi IV", "Two commuting generators, scaled equally and sheared by the third."),
    "V": Named(
        "Bianchi V (R ⋉ R^2, weights (1, 1))", "Bianchi V", "Two commuting generators, scaled equally by the third."
    ),
    "VI_0": Named(
        "Bianchi VI_0 (e(1,1))", "e(1,1)", "Two shifts and a hyperbolic rotation: motions of the Minkowski plane."
    ),
    "VII_0": Named("Bianchi VII_0 (e(2))", "e(2)", "Two shifts and a rotation: motions of the Euclidean plane."),
    "VIII": Named("Bianchi VIII (sl(2,R))", "sl(2,R)", "Shift, scaling and inversion of a line: projective, simple."),
    "IX": Named("Bianchi IX (so(3))", "so(3)", "The rotations of space: simple and compact."),
}


def name_bianchi(ensemble: Float[np.ndarray, "copies 3 3 3"], decisions: Decisions) -> Named:
    """The Bianchi type, with h for VI and VII."""
    dual = np.einsum("ijl,sijk->slk", LEVI_CIVITA, ensemble) / 2
    n = (dual + np.swapaxes(dual, 1, 2)) / 2
    a = np.einsum("sijj->si", ensemble) / 2
    split = decisions.split(n)
    signs = np.sign(np.linalg.eigvalsh(split.row[0].T @ n[0] @ split.row[0]))
    definite = abs(int(np.sum(signs))) == split.rank
    # the Jacobi identity gives n a = 0, so a vanishes if n is invertible
    if split.rank == 3:
        return TYPES["IX" if definite else "VIII"]
    unimodular = decisions.is_zero(a)
    if split.rank < 2:
        return TYPES[("I", "II")[split.rank] if unimodular else ("V", "IV")[split.rank]]
    if unimodular:
        return TYPES["VII_0" if definite else "VI_0"]
    minors = (np.einsum("sii->s", n) ** 2 - np.einsum("sij,sij->s", n, n)) / 2
    return _with_parameter(np.sum(a**2, axis=1) / minors, definite, decisions)


def _with_parameter(h: Float[np.ndarray, " copies"], turning: bool, decisions: Decisions) -> Named:
    """VI or VII, with h recognised by the ratio of the eigenvalues, which is often a simple fraction."""
    ratio = np.sqrt(np.abs(h))
    if turning:
        simple = recognise(ratio)
        text = _parameter(h, None if simple is None else simple**2)
        rates = "" if simple is None else f", growth to rotation as {show(simple)} to 1"
        estimate = _estimate(h) if simple is not None else ""
        meaning = f"Two commuting generators, rotated and scaled by the third{rates}{_estimated(estimate)}."
        return Named(f"Bianchi VII, {text}", f"Bianchi VII, {text}", meaning, estimate)
    smaller = (ratio - 1) / (ratio + 1)  # λ₂/λ₁, between −1 and 1 for every h
    if decisions.is_zero(smaller):
        return TYPES["III"]
    quotient = recognise(smaller)
    if quotient is None or quotient == 1:
        text, scaled = _parameter(h, None), "Two commuting generators scaled unequally by the third"
    else:
        text = _parameter(h, -(((1 + quotient) / (1 - quotient)) ** 2))
        weights = f"({show(quotient.denominator)}, {show(quotient.numerator)})"
        scaled = f"Two commuting generators scaled with weights {weights} by the third"
    estimate = _estimate(h) if quotient is not None and quotient != 1 else ""
    return Named(f"Bianchi VI, {text}", f"Bianchi VI, {text}", f"{scaled}{_estimated(estimate)}.", estimate)


def _estimate(h: Float[np.ndarray, " copies"]) -> str:
    """h with its error as text; empty if h is exact."""
    return with_error(float(h[0]), standard_error(h)) if standard_error(h) > 1e-4 else ""


def _estimated(estimate: str) -> str:
    return f"; h estimated as {estimate}" if estimate else ""


def _parameter(h: Float[np.ndarray, " copies"], exact: Fraction | None) -> str:
    """h as a fraction if one was recognised, else with its error."""
    # h itself is recognised only if agreement with a fraction by chance is excluded
    simple = exact if exact is not None else recognise(h) if standard_error(h) < 1e-4 else None
    return f"h = {show(simple) if simple is not None else with_error(float(h[0]), standard_error(h))}"
