"""Direct sums: an algebra split into a central R^l and indecomposable ideals."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float

from liestonet.algebra.anatomy import Outline, outline
from liestonet.algebra.decisions import Decisions
from liestonet.algebra.ensemble import Ensemble, compress
from liestonet.algebra.tuning import ALGEBRA

Part = Float[np.ndarray, "copies _ _ _"]  # an ensemble of smaller dimension


def split_centre(ensemble: Ensemble, lines: Outline, decisions: Decisions) -> tuple[Part, int]:
    """Split g = g' ⊕ R^l, where R^l is the part of the centre outside [g, g]; g' and l are returned."""
    centre = lines.centre
    if not centre.shape[2]:
        return ensemble, 0
    inside = decisions.split(np.swapaxes(lines.abelianised, 1, 2) @ centre)
    if not inside.rank:
        return ensemble, 0
    summand = centre @ inside.row
    # with the rank known, the complement needs no further decision
    u = np.linalg.svd(summand)[0][:, :, inside.rank :]
    turn, _, back = np.linalg.svd(np.swapaxes(u, 1, 2) @ u[0])
    return compress(ensemble, u @ (turn @ back)), inside.rank


def split_ideals(ensemble: Ensemble, lines: Outline | None, decisions: Decisions) -> list[Part]:
    """The indecomposable ideals of an algebra without a central summand.

    The maps that commute with every ad form the centroid; modulo nilpotent maps it has one real or complex number for
    each ideal, and the eigenspaces of a generic such map are the ideals. `lines`: the outline, if known.
    """
    copies, m = ensemble.shape[:2]
    if m < 4 or m > ALGEBRA.largest_split:
        return [ensemble]
    maps = decisions.split(_commutation(ensemble, lines or outline(ensemble, decisions))).null
    count = maps.shape[2]
    maps = np.swapaxes(maps, 1, 2).reshape(copies, count, m, m)
    if count < 2:
        return [ensemble]
    fields = decisions.split(np.einsum("saij,sbji->sab", maps, maps, optimize=True)).rank
    if fields < 2:
        return [ensemble]
    frames = _eigenspaces(maps, fields)
    if len(frames) < 2:
        return [ensemble]
    joint = np.concatenate(frames, axis=2)
    whole = np.einsum("sai,sbj,sabk->sijk", joint, joint, ensemble, optimize=True)
    whole = whole @ np.swapaxes(np.linalg.inv(joint), 1, 2)[:, None]
    ends = np.cumsum([0, *[frame.shape[2] for frame in frames]])
    blocks = [slice(start, end) for start, end in pairwise(ends)]
    mixed = [whole[:, one, other].reshape(copies, -1) for one in blocks for other in blocks if one != other]
    if len(mixed) and not decisions.is_zero(np.concatenate(mixed, axis=1)):
        return [ensemble]
    return [whole[:, block, block, block] for block in blocks]


def _commutation(ensemble: Ensemble, lines: Outline) -> Float[np.ndarray, "copies equations unknowns"]:
    """φ ad_x − ad_x φ for the basis elements x, or in a large algebra for elements that generate it."""
    copies, m = ensemble.shape[:2]
    probes = np.broadcast_to(np.eye(m), (copies, m, m))
    if m > ALGEBRA.largest_full:
        generic = np.random.default_rng(3).standard_normal((m, 4)) / np.sqrt(m)
        probes = np.concatenate([lines.abelianised, np.broadcast_to(generic, (copies, m, 4))], axis=2)
    ads, eye = np.einsum("sax,sajk->sxkj", probes, ensemble, optimize=True), np.eye(m)
    # rows (x, k, j), unknown φ[p, q]:  Σ_q φ[k, q] ad[q, j] − Σ_p ad[k, p] φ[p, j]
    rows = np.einsum("kp,sxqj->sxkjpq", eye, ads) - np.einsum("sxkp,jq->sxkjpq", ads, eye)
    return rows.reshape(copies, -1, m * m)


def _eigenspaces(maps: Float[np.ndarray, "copies maps m m"], fields: int) -> list[Float[np.ndarray, "copies m _"]]:
    """Real eigenspaces of the best separated of a few generic maps, for every copy."""
    rng = np.random.default_rng(4)
    trials = [rng.standard_normal(maps.shape[1]) for _ in range(ALGEBRA.split_trials)]
    found = [_clusters(np.linalg.eigvals(np.tensordot(t, maps[0], axes=1)), fields) for t in trials]
    best = int(np.argmax([gap for _, gap in found]))
    chosen = np.tensordot(maps, trials[best], axes=(1, 0))
    centres = found[best][0]
    real = [centre for centre in centres if centre.imag >= -1e-6 * np.max(np.abs(centres))]
    frames = []
    for own in range(len(real)):
        spaces = [_invariant_subspace(matrix, np.array(real), own) for matrix in chosen]
        if len({space.shape[1] for space in spaces}) > 1 or not spaces[0].shape[1]:
            return []
        frames.append(np.stack([space @ _rotation(space.T @ spaces[0]) for space in spaces]))
    return frames if sum(frame.shape[2] for frame in frames) == maps.shape[2] else []


def _invariant_subspace(matrix: np.ndarray, centres: np.ndarray, own: int) -> np.ndarray:
    """Real orthonormal basis of the span of the eigenvalues, with their conjugates, that lie nearest to one centre."""
    # a lambda, because SciPy inspects the function's number of arguments, which a decorator would hide
    chosen = lambda z: int(np.argmin(np.abs(complex(z.real, abs(z.imag)) - centres))) == own  # noqa: E731
    ordered: Any = scipy.linalg.schur(matrix, output="complex", sort=chosen)
    vectors, size = ordered[1], ordered[2]
    both = np.concatenate([vectors[:, :size].real, vectors[:, :size].imag], axis=1)
    return np.linalg.svd(both, full_matrices=False)[0][:, :size]


def _rotation(overlap: np.ndarray) -> np.ndarray:
    left, _, right = np.linalg.svd(overlap)
    return left @ right


def _clusters(values: np.ndarray, count: int) -> tuple[np.ndarray, float]:
    """Centres of `count` groups of eigenvalues by single linkage, and the relative gap between the groups."""
    groups = [[value] for value in values]
    while len(groups) > count:
        _, one, other = min(
            (min(abs(x - y) for x in groups[i] for y in groups[j]), i, j)
            for i in range(len(groups))
            for j in range(i + 1, len(groups))
        )
        groups[one] += groups.pop(other)
    centres = np.array([np.mean(group) for group in groups])
    between = min(abs(x - y) for i, x in enumerate(centres) for y in centres[i + 1 :])
    return centres, float(between / np.max(np.abs(values)))
