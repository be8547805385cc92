"""Tables of paths, read and reshaped as the options of a command say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liestonet.cli.arguments import pieces, read_periods
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.trajectories import Trajectories
    from liestonet.trajectories.measurement import Measurement


@dataclass(frozen=True)
class Windows:
    """What was asked for about windows: their points, the points between their starts, and clocks of their own."""

    points: int | None = None
    stride: int | None = None
    restart: bool = False

    def check(self) -> None:
        """The other options say something about windows, which there must be."""
        for option in ("--stride",) * (self.stride is not None) + ("--restart-clock",) * self.restart:
            if self.points is None:
                raise InputError(f"{option} needs --window, which says how many points a window has; add it.")

    def cut(self, data: Trajectories) -> Trajectories:
        """The data in windows, or as they are where none were asked for."""
        return data if self.points is None else data.windows(self.points, self.stride, restart=self.restart)


def read_clock(text: str) -> str | float:
    """A word, or a period as a number."""
    from liestonet.trajectories.clock import checked_clock

    try:
        period = float(text)
    except ValueError:
        return checked_clock(text)
    return checked_clock(period)


def read_measurement(noise: float | None, exposure: float | None, steps: str | None) -> Measurement | None:
    """How data were recorded, as far as options say it; None where none does."""
    from liestonet.trajectories.measurement import Measurement

    given = {"noise": noise, "exposure": exposure, "steps": steps}
    named = {name: value for name, value in given.items() if value is not None}
    return Measurement(**named) if named else None


@dataclass(frozen=True)
class Reading:
    """What was asked for about a table: its columns, then logarithms, every k-th point and windows."""

    time: str | None = None
    trajectory: str | None = None
    state: Sequence[str] | None = None
    log: Sequence[str] | None = None
    windows: Windows = Windows()
    thin: int | None = None
    gap: float | None = None
    sort: bool = False
    stream: bool = False
    dt: float | None = None
    columns: Sequence[str] | None = None
    layout: str = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    periodic: Sequence[str] | None = None

    def read(self, file: Path) -> Any:
        """The paths of a file, in memory or left on disk."""
        import numpy as np

        from liestonet.trajectories import Trajectories

        self.windows.check()
        columns = self.time, self.trajectory, None if self.state is None else pieces(self.state)
        if self.stream:
            self._check_stream()
            return Trajectories.stream(file, *columns, gap=self.gap, periodic=read_periods(self.periodic))
        data = Trajectories.read(
            file,
            *columns,
            sort=self.sort,
            gap=self.gap,
            dt=self.dt,
            columns=None if self.columns is None else pieces(self.columns),
            layout=self.layout,
            delimiter=self.delimiter,
            decimal=self.decimal,
            periodic=read_periods(self.periodic),
        )
        if self.log:
            data = data.transform(**dict.fromkeys(pieces(self.log), np.log))
        if self.thin is not None:
            data = data.thin(self.thin)
        return self.windows.cut(data)

    def _check_stream(self) -> None:
        wanted = {"--log": self.log, "--thin": self.thin, "--window": self.windows.points, "--sort": self.sort}
        wanted |= {"--dt": self.dt, "--columns": self.columns, "--layout": self.layout != "auto"}
        wanted |= {"--delimiter": self.delimiter, "--decimal": self.decimal}
        for option in (option for option, value in wanted.items() if value):
            raise InputError(f"A streamed file is taken as it is; leave {option} or --stream out.")
