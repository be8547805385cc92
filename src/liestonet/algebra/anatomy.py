"""The anatomy of a real Lie algebra: Killing form, series, centre, radical, Levi factor, nilradical and type.

From structure constants that carry an uncertainty (docs/method.md §11.2); the names are made from this in
`algebra/naming.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from liestonet.algebra.decisions import Decisions, Split
from liestonet.algebra.ensemble import Constants, Ensemble, adjoint, compress, killing_form, make_ensemble
from liestonet.algebra.tuning import ALGEBRA

Frame = Float[np.ndarray, "copies m _"]  # as many columns as each space has dimensions


@dataclass(frozen=True)
class Anatomy:
    """Subspaces as orthonormal columns in the coordinates of the user's basis, and what they make of the algebra.

    `resolved` is False when the uncertainty left a rank or a sign open; the better guess is given then.
    """

    dimension: int
    killing: Float[np.ndarray, "m m"]
    killing_signature: tuple[int, int, int]  # positive, negative, zero
    derived_series: tuple[np.ndarray, ...]
    lower_central_series: tuple[np.ndarray, ...]
    centre: np.ndarray
    radical: np.ndarray
    nilradical: np.ndarray
    levi_factor: np.ndarray
    resolved: bool

    @property
    def derived_dimensions(self) -> tuple[int, ...]:
        return tuple(space.shape[1] for space in self.derived_series)

    @property
    def lower_central_dimensions(self) -> tuple[int, ...]:
        return tuple(space.shape[1] for space in self.lower_central_series)

    @property
    def abelian(self) -> bool:
        return self.dimension == 0 or self.derived_dimensions[1:] == (0,)

    @property
    def nilpotent(self) -> bool:
        return self.nilradical.shape[1] == self.dimension

    @property
    def solvable(self) -> bool:
        return self.radical.shape[1] == self.dimension

    @property
    def semisimple(self) -> bool:
        return self.dimension > 0 and self.radical.shape[1] == 0

    @property
    def reductive(self) -> bool:
        return self.radical.shape[1] == self.centre.shape[1]


@dataclass(frozen=True)
class Outline:
    """Derived algebra, its orthogonal complement and the centre, for every copy of the ensemble."""

    derived: Frame
    abelianised: Frame
    centre: Frame


@dataclass(frozen=True)
class Parts(Outline):
    """The subspaces that the naming needs, for every copy of the ensemble."""

    killing: Float[np.ndarray, "copies m m"]
    radical: Frame
    levi: Frame  # orthogonal complement of the radical: the Levi factor as a quotient
    nilradical: Frame
    rest: Frame  # what the radical has beyond the nilradical


def outline(ensemble: Ensemble, decisions: Decisions) -> Outline:
    copies, m = ensemble.shape[:2]
    brackets = decisions.split(ensemble.reshape(copies, m * m, m))
    centre = decisions.split(ensemble.transpose(0, 2, 3, 1).reshape(copies, m * m, m)).null
    return Outline(brackets.row, brackets.null, centre)


def dissect(ensemble: Ensemble, decisions: Decisions) -> Parts:
    """Derived algebra, centre, radical and nilradical of an ensemble."""
    lines = outline(ensemble, decisions)
    killing = killing_form(ensemble)
    # rad g = the complement of [g, g] under the Killing form (Cartan)
    radical = decisions.split(np.swapaxes(lines.derived, 1, 2) @ killing)
    inside = _nilradical_split(ensemble, radical.null, decisions)
    return Parts(
        derived=lines.derived,
        abelianised=lines.abelianised,
        centre=lines.centre,
        killing=killing,
        radical=radical.null,
        levi=radical.row,
        nilradical=radical.null @ inside.null,
        rest=radical.null @ inside.row,
    )


def _nilradical_split(ensemble: Ensemble, radical: Frame, decisions: Decisions) -> Split:
    """Nilradical in radical coordinates: the x with tr(ad_x a) = 0 for all a in the algebra that ad(rad) generates.

    ad(rad) is triangular over the complex numbers, so the powers of a few generic elements span all those traces.
    """
    copies, m, r = radical.shape
    if not r:
        return decisions.split(np.zeros((copies, 0, 0)))
    matrices = adjoint(ensemble, radical)
    # orthogonal, so that no direction escapes them all
    probes = np.linalg.qr(np.random.default_rng(1).standard_normal((r, r)))[0][: ALGEBRA.most_probes]
    rows = [np.einsum("sxjj->sx", matrices)]
    for probe in probes:
        y = np.tensordot(matrices, probe, axes=(1, 0))
        y = y / max(float(np.linalg.norm(y[0], ord=2)), ALGEBRA.smallest_probe)  # else high powers fade
        power = np.broadcast_to(np.eye(m), y.shape)
        for _ in range(min(m - 1, ALGEBRA.most_powers)):
            power = power @ y
            rows.append(np.einsum("sxjk,skj->sx", matrices, power, optimize=True))
    return decisions.split(np.stack(rows, axis=1))


def series(ensemble: Ensemble, decisions: Decisions, central: bool) -> list[Frame]:
    """The derived or the lower central series, from the algebra itself to where it stops shrinking."""
    copies, m = ensemble.shape[:2]
    terms = [np.broadcast_to(np.eye(m), (copies, m, m))]
    while terms[-1].shape[2]:
        last = terms[-1]
        brackets = np.einsum("sbj,sabk->sajk", last, ensemble, optimize=True)
        if not central:
            brackets = np.einsum("sai,sajk->sijk", last, brackets, optimize=True)
        # inside the last term, so that the series can only shrink
        inside = decisions.split(brackets.reshape(copies, -1, m) @ last)
        if inside.rank == last.shape[2]:
            break
        terms.append(last @ inside.row)
    return terms


def levi_factor(ensemble: Ensemble, parts: Parts, decisions: Decisions) -> np.ndarray:
    """A semisimple subalgebra complementary to the radical: columns, not orthonormal.

    Any complement is corrected along the derived series of the radical, one linear system a step.
    """
    constants, radical, lifted = ensemble[0], parts.radical[0], parts.levi[0]
    if not radical.shape[1] or not lifted.shape[1]:
        return lifted
    quotient = compress(ensemble[:1], parts.levi[:1])[0]
    levels = [radical @ term[0] for term in series(compress(ensemble, parts.radical), decisions, central=False)]
    for level, following in zip(levels, [*levels[1:], np.zeros((len(radical), 0))], strict=True):
        # what is new at this level; the last non-zero level has nothing below it
        u, _, _ = np.linalg.svd(level - following @ (following.T @ level), full_matrices=False)
        fresh = u[:, : level.shape[1] - following.shape[1]]
        if fresh.shape[1]:
            lifted = lifted + fresh @ _correction(constants, lifted, quotient, fresh)
    return lifted


def _correction(c: Constants, lifted: np.ndarray, quotient: np.ndarray, fresh: np.ndarray) -> np.ndarray:
    """Solve [x_i, y_j] + [y_i, x_j] − Σ γ_ijk y_k = −([x_i, x_j] − Σ γ_ijk x_k) within the fresh level."""
    size, depth = lifted.shape[1], fresh.shape[1]
    # the equations for a few elements that generate the factor imply all the others
    mixing = np.eye(size) if size <= 10 else np.random.default_rng(2).standard_normal((4, size)) / np.sqrt(size)
    action = np.einsum("ai,bd,abk,ke->ied", lifted, fresh, c, fresh, optimize=True)
    brackets = np.einsum("ai,bj,abk,ke->ije", lifted, lifted, c, fresh, optimize=True)
    wrong = brackets - np.einsum("ijk,ak,ae->ije", quotient, lifted, fresh, optimize=True)
    mixed, same = np.tensordot(mixing, action, axes=1), np.eye(depth)
    system = np.einsum("ied,jl->ijedl", mixed, np.eye(size))
    system -= np.einsum("jed,il->ijedl", action, mixing)
    system -= np.einsum("ijl,ed->ijedl", np.tensordot(mixing, quotient, axes=1), same)
    right = -np.tensordot(mixing, wrong, axes=1).reshape(-1)
    solution = np.linalg.lstsq(system.reshape(len(right), depth * size), right, rcond=None)[0]
    return solution.reshape(depth, size)


def anatomy(constants: Constants, uncertainty: float) -> Anatomy:
    """Dissect the algebra with [X_i, X_j] = Σ_k c[i,j,k] X_k, each entry known to the standard error `uncertainty`.

    The error refers to the basis given; its generators should have comparable norms. Exact constants: 1e-10.
    """
    ensemble, basis = make_ensemble(constants, uncertainty)
    decisions = Decisions()
    parts = dissect(ensemble, decisions)
    form = decisions.split(parts.killing)
    values = np.linalg.eigvalsh(form.row[0].T @ parts.killing[0] @ form.row[0])
    positive = int(np.sum(values > 0))

    def to_user(columns: np.ndarray) -> np.ndarray:
        return np.linalg.qr(basis.T @ columns)[0] if columns.shape[1] else columns

    return Anatomy(
        dimension=len(constants),
        killing=killing_form(constants[None])[0],
        killing_signature=(positive, form.rank - positive, len(constants) - form.rank),
        derived_series=tuple(to_user(term[0]) for term in series(ensemble, decisions, central=False)),
        lower_central_series=tuple(to_user(term[0]) for term in series(ensemble, decisions, central=True)),
        centre=to_user(parts.centre[0]),
        radical=to_user(parts.radical[0]),
        nilradical=to_user(parts.nilradical[0]),
        levi_factor=to_user(levi_factor(ensemble, parts, decisions)),
        resolved=not decisions.open,
    )
