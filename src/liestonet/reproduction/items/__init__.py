"""One module for each table or figure: its jobs, and the publication of their results."""

from __future__ import annotations

from liestonet.reproduction.items import (
    ablation,
    after_push,
    angles,
    btc,
    closure,
    comparison,
    confusion,
    containment,
    cost,
    examples,
    first_stage,
    generators,
    identities,
    kinds,
    recipe,
    repetition,
    runtime,
    sensitivity,
    size,
    weights,
)
from liestonet.reproduction.publication import Item

PAPER = (
    examples, angles, recipe, first_stage, closure, containment, after_push, btc, sensitivity, runtime, ablation,
    weights, repetition, identities, generators, comparison,
)  # fmt: skip
OURS = (confusion, size, cost, kinds)
ALL: tuple[Item, ...] = tuple(module.ITEM for module in (*PAPER, *OURS))
