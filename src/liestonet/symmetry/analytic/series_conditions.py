"""The determining equations and all their derivatives at one point, as conditions on Taylor coefficients."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from jaxtyping import Bool, Float, Int

from liestonet.core.coefficients import Derivative
from liestonet.core.power_series import SeriesRing
from liestonet.sde.modular import PRIME, residue
from liestonet.symmetry.determining.equations import Coefficient, Equations

# Of one equation: the power series that multiplies each derivative of each unknown.
Form = dict[tuple[int, Derivative], np.ndarray]


class FormalSystem:
    """The prolonged determining equations at one point, with unknown Taylor coefficients up to an order.

    Variables are counted in units `half`. Without units the series hold exact numbers modulo the prime in `modular`.
    """

    def __init__(
        self,
        equations: Equations,
        ring: SeriesRing,
        series: dict[str, np.ndarray],
        half: Float[np.ndarray, " v"] | None = None,
    ) -> None:
        self.equations, self.ring, self.series, self.half = equations, ring, series, half
        self._forms = self._exact_forms() if half is None else self._scaled_forms(half)

    def _scaled_forms(self, half: Float[np.ndarray, " v"]) -> list[Form]:
        """For every equation the power series that multiplies each unknown's derivative."""
        scales, rows = self.equations.unknown_scales(half), self.equations.row_scales(half)
        forms: list[Form] = [{} for _ in self.equations.rows]
        for term in self.equations.terms:
            value = self._derivative(term.coefficient)
            if not np.any(value):
                continue
            taken = term.coefficient.derivative if term.coefficient is not None else ()
            factor = term.factor * rows[term.row] * scales[term.unknown] / np.prod(half[[*term.derivative, *taken]])
            key = (term.unknown, term.derivative)
            forms[term.row][key] = forms[term.row].get(key, 0) + factor * value
        return forms

    def _exact_forms(self) -> list[Form]:
        """The same series modulo the prime."""
        forms: list[Form] = [{} for _ in self.equations.rows]
        for term in self.equations.terms:
            value = self._derivative(term.coefficient).astype(np.int64) % PRIME
            key = (term.unknown, term.derivative)
            total = (forms[term.row].get(key, 0) + residue(term.factor) * value) % PRIME
            if np.any(total):
                forms[term.row][key] = total
            else:
                forms[term.row].pop(key, None)
        return forms

    def _derivative(self, coefficient: Coefficient | None) -> np.ndarray:
        if coefficient is None:
            return self.ring.constant(1.0)
        series = self.series[coefficient.name][coefficient.entry]
        for variable in coefficient.derivative:
            series = self.ring.differentiate(series, variable)
        return series

    def matrix(
        self, order: int
    ) -> tuple[Float[np.ndarray, "conditions m"], Int[np.ndarray, " m"], Int[np.ndarray, "m 2"]]:
        """The conditions on coefficients up to `order`, with the degree of each column and its coefficient."""
        sums, unknowns = self.ring.exponents.sum(axis=1), self.equations.unknowns
        place = np.full((len(unknowns), self.ring.size), -1)
        degrees: list[int] = []
        columns: list[tuple[int, int]] = []
        for number, unknown in enumerate(unknowns):
            allowed = (sums <= order - unknown.order_below) & (not unknown.absent)
            if unknown.time_only:
                allowed &= ~self.ring.exponents[:, 1:].any(axis=1)
            place[number, allowed] = len(degrees) + np.arange(allowed.sum())
            degrees.extend((sums[allowed] + unknown.order_below).tolist())
            columns.extend((number, int(position)) for position in np.flatnonzero(allowed))
        blocks = []
        for form in filter(None, self._forms):
            # a row is a condition only if every coefficient that enters it is among the unknowns
            reach = min(order - unknowns[u].order_below - len(derivative) for u, derivative in form)
            targets = np.flatnonzero(sums <= reach)
            block = np.zeros((len(targets), len(degrees)))
            for (u, derivative), series in form.items():
                self._fill(block, place[u], derivative, series, targets)
            blocks.append(block)
        whole = np.concatenate(blocks) if blocks else np.zeros((0, len(degrees)))
        return whole if self.half is not None else whole % PRIME, np.array(degrees), np.array(columns)

    def _fill(self, block, place, derivative: Derivative, series: np.ndarray, targets) -> None:
        """Add the coefficients of s^target in series · ∂^derivative unknown, for all targets at once.

        Exact numbers stay exact: they are below 2^31, and their multiples here far below 2^53.
        """
        ring = self.ring
        shift = np.bincount(derivative, minlength=ring.variables) if derivative else np.zeros(ring.variables, int)
        for j in np.flatnonzero(series):
            below = ring.exponents[targets] - ring.exponents[j]
            rows = np.flatnonzero((below >= 0).all(axis=1))
            alpha = below[rows] + shift
            columns = place[ring.find(alpha)]
            factor = np.ones(len(rows))
            for variable in derivative:
                # falling factorial, one derivative at a time
                factor *= alpha[:, variable]
                alpha[:, variable] -= 1
            inside = columns >= 0
            block[rows[inside], columns[inside]] += series[j] * factor[inside]


def components(pattern: Bool[np.ndarray, "rows columns"]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows and columns of the independent blocks of a matrix."""
    rows, columns = pattern.shape
    sparse = scipy.sparse.coo_matrix(pattern)
    graph = scipy.sparse.coo_matrix(
        (np.ones(sparse.nnz), (sparse.row, sparse.col + rows)), shape=(rows + columns, rows + columns)
    )
    count, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.searchsorted(labels[order], np.arange(1, count)))
    return [(group[group < rows], group[group >= rows] - rows) for group in groups if (group >= rows).any()]
