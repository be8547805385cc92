"""The series of drift and diffusion: products of orthonormal polynomials in x or log x, or of waves.

A coordinate that stays positive over a wide range may enter by its logarithm; low degrees then describe 1/x, √x and x²
equally well. Derivatives are always those in the coordinate itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import comb

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.coefficients import Derivative
from liestonet.core.coordinate import Coordinate
from liestonet.core.domain import Domain
from liestonet.core.multiindex import Degrees, both_waves, total_degree, union
from liestonet.core.noise_shape import NoiseShape
from liestonet.core.tuning import SHARED, by_dimension
from liestonet.surrogate.tuning import FIT


def rich_degrees(dimension: int, time: int, state: int, periodic: Sequence[int] = ()) -> Degrees:
    """Degrees of a rich model: it always has terms in time and high powers, which are shrunk by the evidence."""
    orders = _rich_orders(dimension, time, state)
    if periodic:
        # a frequency has two functions where a degree has one
        costs = np.ones(dimension + 1)
        costs[0], costs[list(periodic)] = 0.0, by_dimension(FIT.frequency_cost, dimension)
        limits = state * (1 - orders[:, 0] / (time + 1))
        next_richer = (orders.sum(axis=1) <= FIT.next_richer) & (np.count_nonzero(orders, axis=1) == 1)
        orders = orders[(orders @ costs <= limits + 1e-9) | next_richer]
    return both_waves(orders, periodic)


def _rich_orders(dimension: int, time: int, state: int) -> Degrees:
    """Degrees of a rich model where a frequency counts like a degree."""
    if dimension > SHARED.few_coordinates:
        rows = total_degree(range(0 if time else 1, dimension + 1), dimension + 1, state).tolist()
        rows += [[3 * int(i == j) for j in range(dimension + 1)] for i in range(1, dimension + 1)]
    else:
        rows = [
            row
            for row in product(range(time + 1), *[range(state + 1)] * dimension)
            if sum(row[1:]) <= state * (1 - row[0] / (time + 1))
            and (dimension == 1 or sum(row) <= max(state, time) + 1)
        ]
    return np.array(sorted(rows, key=lambda row: (sum(row), tuple(row))), dtype=np.int64)


def coordinate_variants(domain: Domain, autonomous: bool = False) -> list[Features]:
    """The usual degrees, in the coordinates themselves and in logarithms of those that stay positive over a wide range.

    With `autonomous`, no term depends on time.
    """
    singular = domain.singular or ((None, None),) * len(domain.intervals)
    eligible = [below is not None for below, _ in singular[1:]]
    time, state = by_dimension(FIT.degrees, domain.dimension)[0]
    degrees = rich_degrees(domain.dimension, 0 if autonomous else time, state, domain.periodic)
    several = sum(eligible) > FIT.most_mixed
    choices = [(False, True) if possible else (False,) for possible in eligible]
    marks = {(False,) * len(eligible), tuple(eligible)} if several else set(product(*choices))
    return [Features(domain, degrees, (False, *mark)) for mark in sorted(marks)]


def degree_variants(features: Features, autonomous: bool = False) -> list[Features]:
    """Features in the same coordinates with the other sets of degrees."""
    dimension = features.domain.dimension
    others = by_dimension(FIT.degrees, dimension)[1:]
    domain = features.domain
    if domain.periodic:
        # fewer waves would be a model that leaves terms out, not one for fast changes in time
        usual = by_dimension(FIT.degrees, dimension)[0][1]
        others = [(time, max(state, usual)) for time, state in others]
    sets = [(0 if autonomous else time, state) for time, state in others]
    return [replace(features, degrees=rich_degrees(dimension, *pair, domain.periodic)) for pair in sets]


def with_frequencies(features: Features, highest: Mapping[int, int]) -> Features | None:
    """The features with more waves of periodic coordinates (by position), up to a frequency; None if none is new."""
    orders, domain = features.orders, features.domain
    times, added = int(orders[:, 0].max()), []
    for variable, frequency in highest.items():
        present = int(orders[:, variable].max())
        for time in range((min(times, 1) if domain.dimension > 1 else times) + 1):
            for number in range(1, frequency + 1 - time * frequency // (times + 1)):
                if frequency > present:
                    added.append([time, *(number * (i == variable) for i in range(1, domain.dimension + 1))])
    if not added:
        return None
    degrees = union(features.degrees, both_waves(np.array(added, dtype=np.int64), domain.periodic))
    return replace(features, degrees=degrees)


def shape_variants(features: Features, shapes: tuple[NoiseShape | None, ...]) -> list[Features]:
    """The features for noise with a shape: in coordinates that make it uniform, and in logarithms where possible."""
    uniform = tuple(own and shape is None for own, shape in zip(features.logarithmic, shapes, strict=True))
    singular = features.domain.singular or ((None, None),) * len(shapes)
    logarithms = tuple(
        own or (shape is not None and below is not None)
        for own, shape, (below, _) in zip(features.logarithmic, shapes, singular, strict=True)
    )
    marks = dict.fromkeys([uniform, logarithms])
    return [replace(features, logarithmic=mark, shapes=shapes) for mark in marks]


@dataclass(frozen=True, eq=False)
class Features:
    """Feature j is Π_v P_{degrees[j, v]}(s_v), s_v the variable or its logarithm, orthonormal on the domain.

    Where the noise of a coordinate has a shape m, s_v is the coordinate in which the noise is uniform, unless that is
    the logarithm. Features of an entry have `factors`, the m of these variables, one for a drift and two for a
    diffusion; the `offset` of a drift is ½mm', which leaves the drift in coordinates of uniform noise. Where a variable
    has one of the `poles`, two more functions of it are there (core/coordinate.py), and their products with it in time.
    """

    domain: Domain
    degrees: Degrees
    logarithmic: tuple[bool, ...]
    shapes: tuple[NoiseShape | None, ...] | None = None
    factors: tuple[int, ...] = ()
    poles: tuple[float | None, ...] | None = None

    @property
    def plain(self) -> Features:
        """The same features without factors."""
        return replace(self, factors=()) if self.factors else self

    def of(self, entry: tuple[int, ...]) -> Features:
        """The features of one entry of drift or diffusion: the noise shapes of its coordinates are factors."""
        if self.shapes is None:
            return self
        factors = tuple(i + 1 for i in entry if self.shapes[i + 1] is not None)
        return replace(self, factors=factors) if factors else self.plain

    def _shape(self, variable: int) -> NoiseShape:
        shape = None if self.shapes is None else self.shapes[variable]
        if shape is None:
            raise RuntimeError("only variables whose noise has a shape are factors")
        return shape

    def factor(self, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, " b"]:
        """The product of the factors."""
        result = np.ones(len(points))
        for variable in self.factors:
            result *= self._shape(variable).values(points[:, variable], 0)[0]
        return result

    def offset(self, points: Float[np.ndarray, "b v"], derivative: Derivative = ()) -> Float[np.ndarray, " b"]:
        """The term added to the series of a drift, in units of the box; zero without factors."""
        if not self.factors or any(v != self.factors[0] for v in derivative):
            return np.zeros(len(points))
        variable, order = self.factors[0], len(derivative)
        squares = self._shape(variable).values(points[:, variable], order + 1, 2.0)
        return squares[order + 1] / (4 * self.domain.half[variable] ** order)

    def place(self, points: Float[np.ndarray, "b v"], variable: int) -> Float[np.ndarray, " b"]:
        """The coordinate s, from −1 to 1, in which the functions of a variable are polynomials."""
        return self._coordinates[variable].map(points[:, variable], 0)[0]

    @property
    def released(self) -> Bool[np.ndarray, " p"]:
        """Which features of a diffusion may correct its fitted shape."""
        orders, found = self.orders, np.zeros(self.size, dtype=bool)
        if len(self.factors) == 2:
            polynomial = np.ones(self.size, dtype=bool)
            for variable in self._with_pole:
                polynomial &= (self.degrees[:, variable] == 0) | (self.degrees[:, variable] > 2)
            for variable in set(self.factors):
                alone = polynomial & (orders.sum(axis=1) == orders[:, variable])
                found |= alone & (orders[:, variable] > 0) & (orders[:, variable] <= self._shape(variable).parameters)
        return found

    @property
    def size(self) -> int:
        return len(self.degrees)

    @cached_property
    def _coordinates(self) -> tuple[Coordinate, ...]:
        """The functions of every variable: polynomials in x or in log x."""
        return tuple(
            Coordinate(
                low,
                high,
                0.0 if logarithmic else None,
                None,
                variable in self.domain.periodic,
                None if logarithmic or self.shapes is None else self.shapes[variable],
                pole=self.pole(variable),
            )
            for variable, ((low, high), logarithmic) in enumerate(
                zip(self.domain.intervals, self.logarithmic, strict=True)
            )
        )

    @property
    def orders(self) -> Degrees:
        """The degree of every feature in each variable; its frequency in a periodic one. A pole counts as 1."""
        orders = self.domain.orders(self.degrees).copy()
        for variable in self._with_pole:
            numbers = self.degrees[:, variable]
            orders[:, variable] = np.where(numbers > 2, numbers - 2, np.minimum(numbers, 1))
        return orders

    def pole(self, variable: int) -> float | None:
        """The pole of the functions of a variable."""
        return None if self.poles is None else self.poles[variable]

    @property
    def _with_pole(self) -> list[int]:
        return [variable for variable in range(self.degrees.shape[1]) if self.pole(variable) is not None]

    def with_poles(self, poles: tuple[float | None, ...], known: bool = False) -> Features:
        """The features with a pole beside the polynomials in some variables that had none.

        Where the place of the pole is `known`, the square, which stands for an error of the place, is left out.
        """
        degrees, more = self.degrees.copy(), []
        for variable in (v for v, pole in enumerate(poles) if pole is not None):
            degrees[:, variable] += 2 * (degrees[:, variable] > 0)
            unit = np.eye(len(poles), dtype=np.int64)[variable]
            more += [unit] if known else [unit, 2 * unit]
            more += [unit + np.eye(len(poles), dtype=np.int64)[0]] if degrees[:, 0].any() else []
        return replace(self, degrees=np.concatenate([degrees, more]), poles=poles)

    def polar(self, entry: tuple[int, ...]) -> Int[np.ndarray, " p"] | None:
        """Which features have a pole: 1 for the pole, 2 for its square, 0 for the others; None where none has.

        Features of a diffusion, which has no pole, are marked −1, and so are products of a pole with time.
        """
        if self.poles is None:
            return None
        numbers = np.zeros(self.size, dtype=np.int64)
        for variable in self._with_pole:
            own = self.degrees[:, variable]
            numbers = np.where((own == 1) | (own == 2), own, numbers)
        return np.where(self.degrees[:, 0] > 0, 0, numbers) if len(entry) == 1 else -np.minimum(numbers, 1)

    @property
    def shrunk_orders(self) -> Degrees:
        """The orders that set the shrinkage: in products a frequency k counts like the degree 2k − 1.

        Products of waves are many, and derivatives amplify their errors.
        """
        orders, periodic = self.orders, np.array(self.domain.periodic, dtype=np.int64)
        products = np.flatnonzero(np.count_nonzero(orders[:, 1:], axis=1) > 1)
        if len(periodic) and len(products):
            waves = orders[np.ix_(products, periodic)]
            orders[np.ix_(products, periodic)] = np.maximum(2 * waves - 1, waves)
        return orders

    def values(
        self, points: Float[np.ndarray, "b v"], derivatives: tuple[Derivative, ...] = ((),)
    ) -> dict[Derivative, Float[np.ndarray, "b p"]]:
        """Derivatives of the features at points (t, x_1, …, x_n)."""
        orders = [max(derivative.count(v) for derivative in derivatives) for v in range(self.degrees.shape[1])]
        highest = self.degrees.max(axis=0)
        # one row a function, so that products run along memory
        tables = [
            np.ascontiguousarray(coordinate.table(points[:, v], int(highest[v]), orders[v]).transpose(0, 2, 1))
            for v, coordinate in enumerate(self._coordinates)
        ]
        for variable in set(self.factors):
            power = self.factors.count(variable)
            tables[variable] = _times(
                self._shape(variable).values(points[:, variable], orders[variable], power), tables[variable]
            )
        return {derivative: self._products(tables, derivative).T for derivative in derivatives}

    def _products(self, tables: list[Float[np.ndarray, "_ _ b"]], derivative: Derivative) -> Float[np.ndarray, "p b"]:
        """One derivative of every feature, built from products over the first variables, which many features share."""
        half = self.domain.half
        rows = np.ones((1, tables[0].shape[2]))
        for variable, (parents, orders) in enumerate(self._prefixes):
            times = derivative.count(variable)
            if not times and not orders.any() and len(parents) == len(rows) and variable not in self.factors:
                continue  # no feature depends on it
            own = tables[variable][times]
            own = own / half[variable] ** times if times else own
            made = np.empty((len(parents), rows.shape[1]))
            for place, (parent, number) in enumerate(zip(parents.tolist(), orders.tolist(), strict=True)):
                np.multiply(rows[parent], own[number], out=made[place])
            rows = made
        return rows

    @cached_property
    def _prefixes(self) -> list[tuple[Int[np.ndarray, " u"], Int[np.ndarray, " u"]]]:
        """For each variable the distinct products of the variables up to it: (shorter product, its function).

        Those of the last variable are the features, in their order.
        """
        result, before = [], {(): 0}
        for variable in range(self.degrees.shape[1]):
            rows = [tuple(row) for row in self.degrees[:, : variable + 1].tolist()]
            kept = rows if variable == self.degrees.shape[1] - 1 else list(dict.fromkeys(rows))
            parents = np.array([before[row[:-1]] for row in kept], dtype=np.int64)
            result.append((parents, np.array([row[-1] for row in kept], dtype=np.int64)))
            before = {row: place for place, row in enumerate(kept)}
        return result


def _times(
    factor: Float[np.ndarray, "order b"], table: Float[np.ndarray, "order _ b"]
) -> Float[np.ndarray, "order _ b"]:
    """Derivatives of products of one function with many, by Leibniz' rule."""
    return np.stack([sum(comb(d, i) * factor[i] * table[d - i] for i in range(d + 1)) for d in range(len(table))])
