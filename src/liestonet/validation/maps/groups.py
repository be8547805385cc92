"""The finite group that some maps generate, and what it is called.

A map is known by what it does to a few points without special coordinates, so that any maps can be multiplied and
compared, straight or curved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np
from jaxtyping import Float

from liestonet.validation.tuning import MAPS

Function = Callable[[Float[np.ndarray, "b v"]], Float[np.ndarray, "b v"]]


@dataclass(frozen=True, eq=False)
class Element:
    """A map as a function of points (t, x), with its images of a few; `periods` are zero where there is none."""

    function: Function
    images: Float[np.ndarray, "b v"]
    periods: Float[np.ndarray, " v"]

    @classmethod
    def of(cls, function: Function, periods: Float[np.ndarray, " v"]) -> Element:
        return cls(function, function(_sampled(len(periods))), periods)

    @cached_property
    def key(self) -> tuple[float, ...]:
        """Numbers by which equal maps are recognised; shifts by a period change nothing."""
        turns = self.periods > 0
        images = self.images.copy()
        lengths = self.periods[turns]
        images[:, turns] -= lengths * np.floor(images[:, turns] / lengths + MAPS.same_image)
        return tuple((np.round(images.ravel(), MAPS.compared_digits) + 0.0).tolist())

    def after(self, first: Element) -> Element:
        """This map after another."""

        def function(points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "b v"]:
            return self.function(first.function(points))

        return Element(function, self.function(first.images), self.periods)

    @property
    def unmoved(self) -> Element:
        """The identity beside it."""
        return Element.of(lambda points: points, self.periods)

    def order(self, largest: int) -> int | None:
        """How many times it has to be made to come back; None if that is more than the largest."""
        power, identity = self, self.unmoved.key
        for count in range(1, largest + 1):
            if power.key == identity:
                return count
            power = self.after(power)
        return None


def _sampled(variables: int) -> Float[np.ndarray, "b v"]:
    """As many points as tell affine maps apart, all coordinates different and positive."""
    return np.random.default_rng(41).uniform(0.3, 1.7, (variables + 1, variables))


@dataclass(frozen=True)
class Group:
    """A group of maps: its name, its order (None if it is infinite), and maps that generate it, as text."""

    name: str
    order: int | None
    generators: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


def generated(elements: Sequence[Element], most: int = MAPS.largest_group) -> list[Element] | None:
    """All products of some maps, the identity among them; None if there are more than so many."""
    if not elements:
        return []
    found = {elements[0].unmoved.key: elements[0].unmoved}
    fresh = list(found.values())
    while fresh:
        following = []
        for element in fresh:
            for generator in elements:
                image = generator.after(element)
                if image.key not in found:
                    found[image.key] = image
                    following.append(image)
                    if len(found) > most:
                        return None
        fresh = following
    return list(found.values())


def group_of(maps: Sequence[tuple[str, Element]]) -> Group:
    """The group of some maps, each with its text, that are all symmetries."""
    if not maps:
        return Group("trivial", 1, ())
    chosen, elements = _few(maps)
    texts = tuple(text for text, _ in chosen)
    if elements is None:
        return Group("infinite", None, texts)
    return Group(name_of(elements, [element for _, element in chosen]), len(elements), texts)


def _few(maps: Sequence[tuple[str, Element]]) -> tuple[list[tuple[str, Element]], list[Element] | None]:
    """A few of the maps that generate as much as all of them, and what they generate."""
    chosen: list[tuple[str, Element]] = []
    elements: list[Element] | None = []
    inside: set[tuple[float, ...]] = set()
    for each in maps:
        if each[1].key in inside:
            continue
        chosen.append(each)
        elements = generated([element for _, element in chosen])
        if elements is None:
            return chosen, None
        inside = {element.key for element in elements}
    return chosen, elements


def name_of(elements: Sequence[Element], generators: Sequence[Element]) -> str:
    """What a finite group is called, by its order, whether it is commutative, and the orders of its elements."""
    size = len(elements)
    orders = Counter(element.order(size) or size for element in elements)
    if size == 1:
        return "trivial"
    if all(a.after(b).key == b.after(a).key for i, a in enumerate(generators) for b in generators[:i]):
        return " x ".join(f"Z{factor}" for factor in _cyclic_factors(orders, size))
    return _named(orders, size)


def _cyclic_factors(orders: Counter[int], size: int) -> list[int]:
    """Orders of cyclic groups whose product has elements of these orders."""
    for factors in _factorisations(size):
        if _product_orders([_cyclic(k) for k in factors]) == orders:
            return factors
    return [size]


def _factorisations(size: int, largest: int | None = None) -> list[list[int]]:
    """Ways to write a number as a product of numbers from 2 on, each dividing the one before: fewest factors first."""
    found = [[size]] if largest is None or largest % size == 0 else []
    for first in range(size // 2, 1, -1):
        if size % first == 0 and (largest is None or largest % first == 0):
            found += [[first, *rest] for rest in _factorisations(size // first, first)]
    return sorted(found, key=len)


def _cyclic(k: int) -> Counter[int]:
    return Counter(k // gcd(k, j) for j in range(k))


def _dihedral(k: int) -> Counter[int]:
    return _cyclic(k) + Counter({2: k})


def _product_orders(groups: Sequence[Counter[int]]) -> Counter[int]:
    """Orders of the elements of a direct product."""
    result = Counter({1: 1})
    for group in groups:
        following: Counter[int] = Counter()
        for a, times in result.items():
            for b, others in group.items():
                following[a * b // gcd(a, b)] += times * others
        result = following
    return result


SYMMETRIC_4 = Counter({1: 1, 2: 9, 3: 8, 4: 6})
ALTERNATING_4 = Counter({1: 1, 2: 3, 3: 8})


def _named(orders: Counter[int], size: int) -> str:
    """Groups that are not commutative: dihedral ones, those of the tetrahedron and the cube, and products with Z2."""
    known: list[tuple[str, Callable[[], Counter[int]], int]] = [
        *((f"D{k}", lambda k=k: _dihedral(k), 2 * k) for k in range(3, size // 2 + 1)),
        ("A4", lambda: ALTERNATING_4, 24 // 2),
        ("S4", lambda: SYMMETRIC_4, 24),
    ]
    for copies in range(4):
        for name, table, order in known:
            if order * 2**copies == size:
                factors = [table(), *[_cyclic(2)] * copies]
                if _product_orders(factors) == orders:
                    return " x ".join([name, *["Z2"] * copies])
    return "Z2^4 ⋊ S4" if size == 384 else f"a group of order {size}"  # all signed permutations of four coordinates
