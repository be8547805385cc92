"""A random push in the form that the page evaluates: quadratic functions of time and state, fitted at few points."""

from __future__ import annotations

from typing import Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.core.generators import GeneratorFunction


def quadratic_program(field: GeneratorFunction, domain: Domain) -> dict[str, Any]:
    """A field with components that are sums of 1, s and s² of every scaled variable s, as formulas for the page."""
    n = len(domain.intervals)
    points = np.zeros((2 * n + 1, n))
    points[1 : n + 1], points[n + 1 :] = np.eye(n), -np.eye(n)
    places = domain.centre + domain.half * points
    values = field(places[:, 0], places[:, 1:])
    table = np.column_stack([values[0][0], values[1][0]])
    middle, above, below = table[0], table[1 : n + 1], table[n + 1 :]
    first, second = (above - below) / 2, (above + below) / 2 - middle
    scaled = [["*", ["+", ["v", v], -float(domain.centre[v])], 1 / float(domain.half[v])] for v in range(n)]
    return {
        "formula": [
            [
                "+",
                float(middle[c]),
                *(["*", float(first[v, c]), scaled[v]] for v in range(n) if first[v, c]),
                *(["*", float(second[v, c]), ["^", scaled[v], 2.0]] for v in range(n) if second[v, c]),
            ]
            for c in range(n)
        ]
    }
