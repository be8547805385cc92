"""The determining equations as a matrix: rows are scaled equations at quadrature points, columns basis functions.

The coefficients enter as jets, evaluated once per cloud of points; blocks that vanish are never formed, so that the
cost grows with the number of non-zero terms, even in ten dimensions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from jaxtyping import Float, Int

from liestonet.core.coefficients import Coefficients, Derivative, Jet
from liestonet.core.domain import Domain
from liestonet.core.points import PointCloud
from liestonet.errors import InputError
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.equations import Coefficient, Equations
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.determining.tuning import EQUATIONS

CHUNK = 4096
KEPT_BYTES = 4e8
CHUNK_BYTES = 4e8  # of basis functions and their derivatives at the points of a chunk

Row = list[tuple[int, Derivative, Float[np.ndarray, " b"]]]
Block = tuple[Int[np.ndarray, " columns"], Float[np.ndarray, "b columns"]]


class Operator:
    """The linear map from coefficients in a basis to scaled residuals on a cloud.

    The scales are those of docs/method.md §3.1; `lifted` gives equations that are small everywhere the weight of the
    others; the null space stays the same, with a clearer gap to near-symmetries (§3.2).
    """

    def __init__(
        self, kind: Kind, source: Coefficients, domain: Domain, cloud: PointCloud, lifted: bool = False
    ) -> None:
        self.equations: Equations = kind.equations(source.dimension, source.noise)
        self.domain, self.lifted = domain, lifted
        self.cloud = cloud
        jet = source.jet(cloud.points[:, 0], cloud.points[:, 1:], kind.jet_order)
        self._factors = self._collect_factors(jet)
        self._order = max(len(derivative) for row in self._factors for _, derivative, _ in row)

    def _collect_factors(self, jet: Jet) -> list[Row]:
        """For every equation the scaled factor of each unknown's derivative, zero factors left out."""
        scale = self.equations.row_scales(self.domain.half)
        root = np.sqrt(self.cloud.weights)
        sums: list[dict[tuple[int, Derivative], np.ndarray]] = [defaultdict(lambda: np.zeros(len(root))) for _ in scale]
        for term in self.equations.terms:
            value = _coefficient_values(jet, term.coefficient)
            if value is not None:
                sums[term.row][term.unknown, term.derivative] += term.factor * scale[term.row] * root * value
        factors = [[(u, d, f) for (u, d), f in row.items() if f.any()] for row in sums]
        if self.lifted:
            factors = [self._lifted(row) for row in factors]
        for row, label in zip(factors, self.equations.rows, strict=True):
            if not all(np.isfinite(factor).all() for _, _, factor in row):
                raise InputError(
                    f"A coefficient or one of its derivatives is not finite on the domain (equation {label.label}); "
                    "choose a domain away from singular points."
                )
        return factors

    def _lifted(self, row: Row) -> Row:
        """Scale an equation whose factors are all small up to the others, since weak noise counts as noise."""
        half, scales = self.domain.half, self.equations.unknown_scales(self.domain.half)
        sizes = [np.linalg.norm(f) * scales[u] / np.prod(half[list(d)]) for u, d, f in row]
        return [(u, d, f / min(1.0, max(sizes) / EQUATIONS.weak)) for u, d, f in row]

    def assemble(self, basis: Basis) -> Assembled:
        """The matrix of this operator in a basis."""
        return Assembled(self, basis)

    def blocks(self, basis: Basis) -> Iterator[Block]:
        """Chunk by chunk and equation by equation: the active columns and the dense block in them."""
        formed = {(unknown, derivative) for row in self._factors for unknown, derivative, _ in row}
        at_a_point = 8 * sum(len(basis.degrees[unknown]) for unknown, _ in formed)
        chunk = min(CHUNK, max(1, int(CHUNK_BYTES // max(1, at_a_point))))
        for start in range(0, len(self.cloud.weights), chunk):
            part = slice(start, start + chunk)
            tables = basis.tables(self.cloud.points[part], self._order)
            functions: dict[tuple[int, Derivative], np.ndarray] = {}
            for row in self._factors:
                sums: dict[int, np.ndarray] = {}
                for unknown, derivative, factor in row:
                    if (unknown, derivative) not in functions:
                        functions[unknown, derivative] = basis.functions(tables, unknown, derivative)
                    product = factor[part, None] * functions[unknown, derivative]
                    sums[unknown] = sums[unknown] + product if unknown in sums else product
                if sums:
                    columns = np.concatenate([np.arange(*basis.columns(u).indices(basis.size)) for u in sums])
                    yield columns, np.concatenate(list(sums.values()), axis=1)


class Assembled:
    """The operator's matrix D in one basis; kept in memory where it is small, else recomputed for each product."""

    def __init__(self, operator: Operator, basis: Basis) -> None:
        self.operator, self.basis = operator, basis
        self.rows = len(operator.cloud.weights) * len(operator.equations.rows)
        self._kept = list(operator.blocks(basis)) if 8 * self.rows * basis.size <= KEPT_BYTES else None

    def _blocks(self) -> Iterable[Block]:
        return self.operator.blocks(self.basis) if self._kept is None else self._kept

    def column_norms(self) -> Float[np.ndarray, " m"]:
        """The length of every column of D."""
        squares = np.zeros(self.basis.size)
        for columns, block in self._blocks():
            squares[columns] += np.einsum("bm,bm->m", block, block)
        return np.sqrt(squares)

    def dense(self) -> Float[np.ndarray, "rows m"]:
        """D as one array, with at least as many rows as columns: rows of zeros are added."""
        result, start = np.zeros((max(self.rows, self.basis.size), self.basis.size)), 0
        for columns, block in self._blocks():
            result[start : start + len(block), columns] = block
            start += len(block)
        return result

    def gram(self) -> Float[np.ndarray, "m m"]:
        """DᵀD."""
        result = np.zeros((self.basis.size, self.basis.size))
        for columns, block in self._blocks():
            result[np.ix_(columns, columns)] += block.T @ block
        return result

    def apply(self, coefficients: Float[np.ndarray, "m k"]) -> Float[np.ndarray, "rows k"]:
        """D times coefficient vectors: equations chunk by chunk, one below the other."""
        parts = [block @ coefficients[columns] for columns, block in self._blocks()]
        return np.concatenate(parts) if parts else np.zeros((0, coefficients.shape[1]))

    def transposed(self, images: Float[np.ndarray, "rows k"]) -> Float[np.ndarray, "m k"]:
        """Dᵀ times vectors stacked as `apply` stacks them."""
        result, start = np.zeros((self.basis.size, images.shape[1])), 0
        for columns, block in self._blocks():
            result[columns] += block.T @ images[start : start + len(block)]
            start += len(block)
        return result


def _coefficient_values(jet: Jet, coefficient: Coefficient | None) -> np.ndarray | float | None:
    """Values of one coefficient derivative at the cloud, 1 for the constant term, None where it vanishes."""
    if coefficient is None:
        return 1.0
    array = getattr(jet, coefficient.name).get(coefficient.derivative)
    return None if array is None else array[(slice(None), *coefficient.entry)]
