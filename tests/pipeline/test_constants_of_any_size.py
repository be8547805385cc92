"""Structure constants of very different sizes: names and brackets do not depend on factors of generators."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

import liestonet as lsn
from liestonet.algebra.commutators import nonzero_brackets
from liestonet.algebra.structure import Algebra, balanced


def test_geometric_brownian_motion_with_odd_numbers():
    """Brackets of the printed formulas by SymPy; one constant is 10⁷ times the others."""
    result = lsn.solve(lsn.SDE.parse("dx = 0.07*x dt + 0.23*x dW"), "fokker-planck")
    assert result.algebra.name == "sl(2,R) ⋉ h_3"
    t, x = sympy.symbols("t x", real=True)
    rows = [(row.tau, row.xi[0], row.beta) for row in result.formulas()]
    symbols = {str(s): s for row in rows for part in row for s in part.free_symbols}
    t, x = symbols.get("t", t), symbols.get("x", x)
    for i, first in enumerate(rows):
        for j in range(i + 1, len(rows)):
            second = rows[j]
            derived = [
                first[0] * b.diff(t) + first[1] * b.diff(x) - second[0] * a.diff(t) - second[1] * a.diff(x)
                for a, b in zip(first, second, strict=True)
            ]
            terms = nonzero_brackets(result.algebra).get((i, j), [])
            for part, expression in enumerate(derived):
                combined = sum(c * rows[k][part] for k, c in terms)
                point: dict[Any, Any] = {t: sympy.Rational(3, 7), x: sympy.Rational(9, 5)}
                missing, size = (sympy.N(e.subs(point)) for e in (expression - combined, expression))
                assert abs(missing) < 1e-9 * (1 + abs(size))


def test_balanced_constants_are_those_of_multiples():
    so3 = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        so3[i, j, k], so3[j, i, k] = 1.0, -1.0
    factors = np.array([1e-4, 3.0, 1e7])
    scaled = so3 * factors[:, None, None] * factors[None, :, None] / factors[None, None, :]
    np.testing.assert_allclose(np.abs(balanced(scaled)), np.abs(so3), atol=1e-12)
    assert Algebra(scaled, 0.0, 0.0, balanced(scaled)).name == "Bianchi IX (so(3))"
