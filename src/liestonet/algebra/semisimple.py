"""Names of semisimple algebras by dimension, Killing signature and, if these are ambiguous, lengths of roots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from liestonet.algebra.decisions import Decisions
from liestonet.algebra.ensemble import Ensemble, adjoint, killing_form
from liestonet.algebra.named import Named
from liestonet.algebra.splitting import split_ideals
from liestonet.algebra.tuning import ALGEBRA


@dataclass(frozen=True)
class Simple:
    """A simple real algebra: its name, the dimension of its maximal compact subalgebra and of itself, its series."""

    text: str
    dimension: int
    compact: int
    series: str  # B and C have the same dimensions; all others are distinguished without it
    rank: int


def _orthogonal() -> list[Simple]:
    other = {(2, 1): "sl(2,R)", (3, 1): "so(3,1) (Lorentz, sl(2,C))", (3, 2): "so(3,2) (sp(4,R))"}
    other |= {(4, 2): "so(4,2) (su(2,2))", (3, 3): "sl(4,R) (so(3,3))", (6, 0): "so(6) (su(4))"}
    found = []
    for n in (3, *range(5, 11)):
        for q in range(n // 2 + 1):
            p = n - q
            text = other.get((p, q), f"so({n})" if q == 0 else f"so({p},{q})")
            size = p * (p - 1) // 2 + q * (q - 1) // 2
            found.append(Simple(text, n * (n - 1) // 2, size, "B" if n in (7, 9) else "", n // 2))
    return [*found, Simple(other[3, 1], 6, 3, "", 2)]


def _others() -> list[Simple]:
    found = [Simple("su(3,1) (so*(6))", 15, 9, "", 3), Simple("g_2", 14, 14, "", 2), Simple("split g_2", 14, 6, "", 2)]
    found += [Simple("sl(3,C)", 16, 8, "", 4), Simple("so(5,C)", 20, 10, "", 4), Simple("so*(10)", 45, 25, "", 5)]
    for n in (3, 5, 6):
        found.append(Simple(f"sl({n},R)", n * n - 1, n * (n - 1) // 2, "", n - 1))
        for q in range(n // 2 + 1):
            text = f"su({n})" if q == 0 else f"su({n - q},{q})"
            found.append(Simple(text, n * n - 1, (n - q) ** 2 + q**2 - 1, "", n - 1))
    for n in (3, 4):
        found.append(Simple(f"sp({2 * n},R)", n * (2 * n + 1), n * n, "C", n))
        for q in range(n // 2 + 1):
            p = n - q
            text = f"sp({n})" if q == 0 else f"sp({p},{q})"
            found.append(Simple(text, n * (2 * n + 1), p * (2 * p + 1) + q * (2 * q + 1), "C", n))
    return found


SIMPLE = [*_orthogonal(), *_others()]
SUMS: dict[tuple[str, ...], str] = {
    ("so(3)", "so(3)"): "so(4) (so(3) ⊕ so(3))",
    ("sl(2,R)", "sl(2,R)"): "so(2,2) (sl(2,R) ⊕ sl(2,R))",
}
MEANINGS = {
    "so(4) (so(3) ⊕ so(3))": "The rotations of four-dimensional space.",
    "so(3,1) (Lorentz, sl(2,C))": "The rotations and boosts of space-time.",
    "sl(2,R)": "Shift, scaling and inversion of a line: projective, simple.",
}


def name_semisimple(ensemble: Ensemble, decisions: Decisions) -> Named:
    """The name of a semisimple algebra, as a sum of its simple ideals."""
    dimension = ensemble.shape[1]
    if dimension > ALGEBRA.largest_split:
        return _name_large(ensemble, decisions)
    texts = tuple(sorted(_name_simple(ideal, decisions) for ideal in split_ideals(ensemble, None, decisions)))
    text = SUMS.get(texts, " ⊕ ".join(texts))
    return Named(text, text, MEANINGS.get(text, _meaning(text)))


def _meaning(text: str) -> str:
    if text.startswith("so(") and text.endswith(")") and text[3:-1].isdigit():
        return f"The rotations of {text[3:-1]}-dimensional space: simple and compact."
    return "Semisimple: it has no abelian ideal."


def signature(ensemble: Ensemble) -> tuple[int, int]:
    """Numbers of positive and negative eigenvalues of the Killing form, which must be non-degenerate."""
    values = np.linalg.eigvalsh(killing_form(ensemble[:1])[0])
    return int(np.sum(values > 0)), int(np.sum(values < 0))


def _name_simple(ensemble: Ensemble, decisions: Decisions) -> str:
    dimension, (positive, negative) = ensemble.shape[1], signature(ensemble)
    found = [s for s in SIMPLE if (s.dimension, s.compact) == (dimension, negative)]
    if len({s.series for s in found}) > 1:
        kind = decisions.vote([_series(copy, found[0].rank) for copy in ensemble])
        found = [s for s in found if s.series == kind]
    return found[0].text if found else f"simple, dimension {dimension}, Killing signature ({positive}, {negative})"


def _name_large(ensemble: Ensemble, decisions: Decisions) -> Named:
    """The name of an algebra too large to split: simple, or simple ⊕ sl(2,R), by dimension, signature and rank."""
    dimension, (positive, negative) = ensemble.shape[1], signature(ensemble)
    generic = np.random.default_rng(5).standard_normal((1, dimension, 1)) / np.sqrt(dimension)
    element = adjoint(ensemble, np.broadcast_to(generic, (len(ensemble), dimension, 1)))[:, 0]
    rank = dimension - decisions.split(element).rank
    for text, size, compact, extra in (("", 0, 0, 0), ("sl(2,R) ⊕ ", 3, 1, 1)):
        wanted = (dimension - size, negative - compact, rank - extra)
        found = [s for s in SIMPLE if (s.dimension, s.compact, s.rank) == wanted]
        if len({s.series for s in found}) > 1 and not size:
            kind = decisions.vote([_series(copy, rank) for copy in ensemble])
            found = [s for s in found if s.series == kind]
        if found:
            return Named(text + found[0].text, text + found[0].text, _meaning(text + found[0].text))
    text = f"semisimple, dimension {dimension}, rank {rank}, Killing signature ({positive}, {negative})"
    return Named(text, text, _meaning(text))


def _series(constants: np.ndarray, rank: int) -> str:
    """The series B or C: in B most roots are long, in C most are short."""
    single = constants[None]
    form = killing_form(single)[0]
    rng = np.random.default_rng(6)
    votes = 0
    for _ in range(ALGEBRA.generic_trials):
        element = adjoint(single, rng.standard_normal((1, len(constants), 1)))[0, 0]
        cartan = np.linalg.svd(element)[2][-rank:].T
        values, vectors = np.linalg.eig(element)
        chosen = np.argsort(np.abs(values))[rank:]
        left = np.linalg.inv(vectors)[chosen]
        alpha = np.einsum("vk,xkj,jv->vx", left, adjoint(single, cartan[None])[0], vectors[:, chosen])
        inverse = np.linalg.inv(cartan.T @ form @ cartan)
        lengths = np.sort(np.einsum("vx,xy,vy->v", alpha, inverse, alpha).real)
        # of two lengths in the ratio 1 to 2, the median is nearer to the more frequent one
        votes += 1 if np.median(lengths) > np.mean(lengths) else -1
    return "B" if votes > 0 else "C"
