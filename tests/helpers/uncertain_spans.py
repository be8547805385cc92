"""Exact spans with a smooth random error of known size, as an estimate from data would have."""

from __future__ import annotations

import numpy as np

from liestonet.core.multiindex import total_degree, union
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields

DEGREE = 3


def perturbed(fields: Fields, error: float, seed: int) -> Fields:
    """The span with every unit direction moved by `error`, along polynomials of low degree drawn at random."""
    rng, basis = np.random.default_rng(seed), fields.basis
    variables = basis.domain.dimension + 1
    smooth = [total_degree([0] if u == 0 else range(variables), variables, DEGREE) for u in range(len(basis.degrees))]
    wider = Basis(basis.domain, basis.scales, tuple(union(a, b) for a, b in zip(basis.degrees, smooth, strict=True)))
    exact, noise = (np.zeros((wider.size, fields.count)) for _ in range(2))
    for u, rows in enumerate(wider.degrees):
        place = {tuple(row): wider.columns(u).start + j for j, row in enumerate(rows.tolist())}
        old = basis.columns(u)
        for j, row in enumerate(basis.degrees[u].tolist()):
            exact[place[tuple(row)]] = fields.coefficients[old.start + j]
        for row in smooth[u].tolist():
            noise[place[tuple(row)]] = rng.standard_normal(fields.count) / (1 + sum(row))
    # the basis is orthonormal in natural units, so lengths of columns are lengths of fields
    span = np.linalg.qr(exact)[0]
    moved = span + error * noise / np.linalg.norm(noise, axis=0)
    mixing = np.random.default_rng(seed + 1).standard_normal((fields.count, fields.count))
    return Fields(wider, moved @ mixing, fields.has_beta)
