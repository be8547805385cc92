"""JSON: what a file of text can hold, and what a record, a setting or a table of them is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    JSON = Mapping[str, "JSON"] | Sequence["JSON"] | str | float | int | bool | None
else:  # a type that holds itself cannot be checked while tests run, and the outermost layer can
    JSON = Mapping | Sequence | str | float | int | bool | None
