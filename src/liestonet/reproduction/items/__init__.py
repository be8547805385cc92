"""One module for each table or figure: jobs that compute, and what is published from their results."""

from __future__ import annotations

from liestonet.reproduction.items import (
    ablation,
    after_push,
    angles,
    btc,
    closure,
    comparison,
    containment,
    cost,
    generators,
    kinds,
    sensitivity,
    size,
    weights,
)
from liestonet.reproduction.study import Item

PAPER = (closure, angles, containment, after_push, btc, sensitivity, ablation, weights, generators, comparison)
OURS = (size, cost, kinds)
ALL: tuple[Item, ...] = tuple(module.ITEM for module in (*PAPER, *OURS))
