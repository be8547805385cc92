"""One module for each table or figure: jobs that compute, and what is published from their results."""

from __future__ import annotations

from liestonet.reproduction.items import angles, comparison, cost, kinds, size
from liestonet.reproduction.study import Item

ALL: tuple[Item, ...] = tuple(module.ITEM for module in (angles, cost, size, kinds, comparison))
