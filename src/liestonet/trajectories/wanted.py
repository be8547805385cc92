"""The caller's options for a file or a table: its columns, step and layout. None lets inspection decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from liestonet.core.numbers import is_real, is_truth
from liestonet.errors import InputError
from liestonet.trajectories.gaps import check_gap
from liestonet.trajectories.measurement import Measurement, as_measurement

LAYOUTS = ("auto", "long", "columns", "rows")
DELIMITERS = {",": ",", ";": ";", "tab": "\t", "\t": "\t", "\\t": "\t", "space": " ", " ": " "}


@dataclass(frozen=True)
class Wanted:
    """The options of `Trajectories.read`; checked by `check` before a file is opened.

    `narrowed` makes the table of a file one of some of its rows and columns (trajectories/row_groups.py).
    """

    time: Any = None
    trajectory: Any = None
    state: Any = None
    sort: Any = False
    gap: Any = None
    dt: Any = None
    columns: Any = None
    layout: Any = "auto"
    delimiter: Any = None
    decimal: Any = None
    measurement: Any = None
    periodic: Any = None
    narrowed: Any = None

    def check(self) -> Wanted:
        """Check each option by itself, then whether options contradict each other; returns the same value."""
        check_gap(self.gap)
        as_measurement(self.measurement)
        if not is_truth(self.sort):
            raise InputError(f"Whether to sort must be True or False, not {self.sort!r}.")
        check_dt(self.dt)
        if not isinstance(self.layout, str) or self.layout not in LAYOUTS:
            raise InputError(f"The layout {self.layout!r} is unknown; choose one of {', '.join(LAYOUTS)}.")
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise InputError(f"The delimiter {self.delimiter!r} is unknown; choose ',', ';', 'tab' or 'space'.")
        if self.decimal not in (None, ".", ","):
            raise InputError(f"The decimal mark {self.decimal!r} is unknown; choose '.' or ','.")
        if self.decimal == "," and self.delimiter == ",":
            raise InputError("A comma cannot be both the delimiter and the decimal mark; change one of them.")
        self._check_layout()
        self._check_columns()
        return self

    def _check_layout(self) -> None:
        if self.layout in ("columns", "rows") and self.trajectory is not None:
            raise InputError(
                f"layout={self.layout!r} makes a path of each of the {self.layout}, so there is no trajectory column; "
                "leave one of the two out."
            )
        if self.layout == "rows" and (self.time is not None or self.state is not None):
            raise InputError(
                "layout='rows' makes a path of each row, so no column is the time or a coordinate; leave the names "
                "out, and give dt if the first row holds no times."
            )
        if self.sort and self.dt is not None and self.time is None:
            raise InputError("Rows that are dt apart are in order already; leave sort or dt out.")

    def _check_columns(self) -> None:
        if self.columns is None:
            return
        if isinstance(self.columns, str) or not isinstance(self.columns, Iterable):
            raise InputError(f"The names of the columns must be a list such as ['t', 'x'], not {self.columns!r}.")
        names = list(self.columns)
        for name in names:
            if not isinstance(name, str) or not name.strip():
                raise InputError(f"The name {name!r} of a column is not text; give names such as 't' and 'x'.")
            if names.count(name) > 1:
                raise InputError(f"The name {name!r} is given to two columns; give each its own.")

    def knowing(self, found: Measurement | None) -> Wanted:
        """The options with the measurement found in the data, unless the caller gave one."""
        return self if found is None or self.measurement is not None else replace(self, measurement=found)

    @property
    def says_nothing(self) -> bool:
        """Whether columns and their roles are left to inspection."""
        roles = (self.time, self.trajectory, self.state, self.columns, self.dt)
        return all(role is None for role in roles) and self.layout == "auto"


def check_dt(dt: Any) -> float | None:
    """The time between rows, or None."""
    if dt is None:
        return None
    if not is_real(dt) or not 0 < dt < np.inf:
        raise InputError(f"The time between rows, dt, is {dt!r}; give a positive number such as 0.01.")
    return float(dt)
