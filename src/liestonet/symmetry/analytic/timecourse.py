"""Generators continued from the window of time on which they were found to the whole box, as one series in time.

A generator is a sum of functions of state, the same on every window, times functions of time. The functions of time are
followed from window to window and then written in the box's own polynomials of time (docs/method.md §3.5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
from jaxtyping import Float, Int

from liestonet.core.domain import Domain
from liestonet.core.generators import Generators
from liestonet.core.multiindex import Degrees
from liestonet.core.points import lattice_cloud
from liestonet.symmetry.analytic.tuning import TIMES
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.fields import Fields, joined

Courses = Float[np.ndarray, "times places m"]


@dataclass(frozen=True)
class Places:
    """The functions of state in the generators, unknown by unknown, in one list."""

    unknowns: Int[np.ndarray, " places"]
    degrees: Int[np.ndarray, "places n"]

    @classmethod
    def of(cls, fields: list[Fields]) -> Places:
        """The functions of state that occur in any of the fields."""
        found = sorted(
            {(u, *row[1:]) for part in fields for u, rows in enumerate(part.basis.degrees) for row in rows.tolist()}
        )
        table = np.array(found, dtype=np.int64).reshape(len(found), fields[0].dimension + 1)
        return cls(table[:, 0], table[:, 1:])

    def courses(self, fields: Fields, times: Float[np.ndarray, " b"]) -> Courses:
        """The coefficient of every function of state at some times of the fields' own window."""
        basis = fields.basis
        index = {(int(u), *row): k for k, (u, row) in enumerate(zip(self.unknowns, self.degrees.tolist(), strict=True))}
        table = basis.domain.coordinates[0].table(times, int(basis.highest[0]), 0)[0]
        result = np.zeros((len(times), len(self.unknowns), fields.count))
        for unknown, rows in enumerate(basis.degrees):
            block = fields.coefficients[basis.columns(unknown)] * basis.scales[unknown]
            for row, numbers in zip(rows.tolist(), block, strict=True):
                result[:, index[unknown, *row[1:]]] += table[:, row[0], None] * numbers
        return result

    def fitted(self, fields: Generators, domain: Domain, times: Float[np.ndarray, " b"], scales: np.ndarray) -> Courses:
        """The coefficients of generators that are not series, by least squares over the box's states at every time."""
        count = TIMES.points_per_place * int(np.bincount(self.unknowns).max())
        cloud = lattice_cloud(domain, count, edge=np.ones(len(domain.intervals), dtype=bool))
        roots = np.sqrt(cloud.weights)[:, None]
        highest = self.degrees.max(axis=0, initial=0)
        tables = [
            coordinate.table(cloud.points[:, v + 1], int(highest[v]), 0)[0]
            for v, coordinate in enumerate(domain.coordinates[1:])
        ]
        values = np.stack([fields.components(_at(time, cloud.points), [()])[()] for time in times])
        result = np.zeros((len(times), len(self.unknowns), values.shape[1]))
        for unknown, scale in enumerate(scales):
            own = np.flatnonzero(self.unknowns == unknown)
            functions = np.prod([table[:, self.degrees[own, v]] for v, table in enumerate(tables)], axis=0)
            target = (values[..., unknown] / scale).transpose(2, 0, 1).reshape(count, -1)
            found = np.linalg.lstsq(roots * functions, roots * target, rcond=None)[0] * scale
            result[:, own] = found.reshape(len(own), len(times), -1).transpose(1, 0, 2)
        return result

    def series(
        self, courses: Callable[[Float[np.ndarray, " b"]], Courses], domain: Domain, scales: np.ndarray, has_beta: bool
    ) -> tuple[Fields, bool]:
        """Series on the box for fields with given courses in time, and whether the degree in time was high enough."""
        coordinate, numbers, resolved = domain.coordinates[0], np.zeros((1, len(self.unknowns), 0)), False
        for degree in TIMES.degrees:
            times, weights = coordinate.quadrature(degree)
            table = coordinate.table(times, degree - 1, 0)[0] * weights[:, None]
            values = courses(times) / scales[self.unknowns][None, :, None]
            numbers = np.einsum("bj,bpm->jpm", table, values, optimize=True)
            sizes = np.abs(numbers).max(axis=(0, 1))
            resolved = bool((np.abs(numbers[-degree // 4 :]).max(axis=(0, 1)) <= TIMES.resolved * sizes).all())
            if resolved:
                break
        return self._assembled(numbers, domain, scales, has_beta), resolved

    def _assembled(self, numbers: Courses, domain: Domain, scales: np.ndarray, has_beta: bool) -> Fields:
        """Fields from coefficients by degree in time and function of state, without those at the level of rounding."""
        kept = (np.abs(numbers) > TIMES.negligible * np.abs(numbers).max(axis=(0, 1))).any(axis=2)
        degrees: list[Degrees] = []
        coefficients = []
        for unknown in range(len(scales)):
            own = np.flatnonzero(self.unknowns == unknown)
            time, place = np.nonzero(kept[:, own])
            degrees.append(np.column_stack([time, self.degrees[own[place]]]).astype(np.int64))
            coefficients.append(numbers[time, own[place]])
        return Fields(Basis(domain, scales, tuple(degrees)), np.concatenate(coefficients), has_beta)


@dataclass(frozen=True)
class Continued:
    """Generators on a window, in blocks by growth, and the same on the whole box, multiplied by e^{logarithm}.

    `fastest` is the largest of their rates, of growth or of rotation.
    """

    window: Fields
    box: Fields
    logarithms: Float[np.ndarray, " m"]
    resolved: bool
    fastest: float


def continued(window: Fields, domain: Domain) -> Continued:
    """Generators of an equation without time on the whole box: X(t) = X(s) exp((t − s) C), where ∂t X = X C.

    Every block of generators with the same growth is continued separately and scaled to its largest value, so that
    decaying ones are not lost in the rounding of growing ones.
    """
    matrix = shift_matrix(window)
    fastest = float(np.abs(np.linalg.eigvals(matrix)).max())
    middle = window.basis.domain.centre[0]
    places, scales = Places.of([window]), box_scales(window.basis, domain)
    parts, pieces, logarithms, resolved = [], [], [], True
    span = domain.intervals[0]
    for block, rates in _blocks(matrix, window.basis.domain, domain):
        fields = window.mixed(block)
        start = places.courses(fields, np.array([middle]))[0]
        growth = max(float(np.max(np.linalg.eigvals(rates).real * (end - middle))) for end in span)

        def courses(times: np.ndarray, start: np.ndarray = start, rates: np.ndarray = rates, growth: float = growth):
            steps = (times - middle)[:, None, None] * rates - growth * np.eye(len(rates))
            return start @ scipy.linalg.expm(steps)

        series, good = places.series(courses, domain, scales, window.has_beta)
        sizes = np.linalg.norm(series.coefficients, axis=0)
        pieces.append(series.mixed(np.diag(1 / sizes)))
        parts.append(fields)
        logarithms += list(-growth - np.log(sizes))
        resolved &= good
    apart = replace(window, coefficients=np.concatenate([part.coefficients for part in parts], axis=1))
    return Continued(apart, joined(pieces), np.array(logarithms), resolved, fastest)


def _at(time: float, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
    """The points with their times set to one value."""
    return np.column_stack([np.full(len(points), time), points[:, 1:]])


def box_scales(basis: Basis, domain: Domain) -> Float[np.ndarray, " unknowns"]:
    """Natural sizes of the unknowns on the box, which differs from the window in time only."""
    scales = basis.scales.copy()
    scales[0] *= domain.half[0] / basis.domain.half[0]
    return scales


def shift_matrix(fields: Fields) -> Float[np.ndarray, "m m"]:
    """C with ∂t X = X C, from integrals against functions that vanish at the window's ends: X is not differentiated."""
    basis = fields.basis
    degree, places = int(basis.highest[0]), Places.of([fields])
    coordinate = basis.domain.coordinates[0]
    times, weights = coordinate.quadrature(degree + 12)
    s = (times - basis.domain.centre[0]) / basis.domain.half[0]
    tests = coordinate.table(times, degree + 4, 1)
    bump, slope = (1 - s**2)[:, None], -2 * s[:, None]
    values = places.courses(fields, times) / basis.scales[places.unknowns][None, :, None]
    weak = weights[:, None] * bump * tests[0]
    moved = -weights[:, None] * (bump * tests[1] + slope * tests[0]) / basis.domain.half[0]
    left, right = (np.einsum("bk,bpm->kpm", part, values).reshape(-1, fields.count) for part in (weak, moved))
    return np.linalg.lstsq(left, right, rcond=None)[0]


def _blocks(matrix: np.ndarray, window: Domain, domain: Domain) -> list[tuple[np.ndarray, np.ndarray]]:
    """Invariant subspaces of ∂t with similar growth, as columns, with the matrix on each."""
    width = max(TIMES.same_growth / (2 * domain.half[0]), TIMES.same_rate / (2 * window.half[0]))
    growths = np.sort(np.linalg.eigvals(matrix).real)
    edges = np.flatnonzero(np.diff(growths) > width)
    groups = np.split(growths, edges + 1)
    blocks = []
    for group in groups:
        low, high = group[0] - width / 2, group[-1] + width / 2
        factors: Any = scipy.linalg.schur(matrix, output="real", sort=lambda real, imaginary: low < real < high)  # noqa: B023
        _, vectors, count = factors
        block = vectors[:, :count]
        blocks.append((block, block.T @ matrix @ block))
    return blocks
