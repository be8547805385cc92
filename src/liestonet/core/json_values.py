"""The type of JSON values, in which files, records and settings are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    JSON = Mapping[str, "JSON"] | Sequence["JSON"] | str | float | int | bool | None
else:  # a recursive type cannot be checked at run time by the tests, but its outermost layer can
    JSON = Mapping | Sequence | str | float | int | bool | None
