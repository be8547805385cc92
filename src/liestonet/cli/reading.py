"""Tables of paths, read and reshaped according to the options of a command."""

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
    """The options for windows: their points, the points between their starts, and whether clocks restart."""

    points: int | None = None
    stride: int | None = None
    restart: bool = False

    def check(self) -> None:
        """Raise an error if an option for windows is given without --window."""
        for option in ("--stride",) * (self.stride is not None) + ("--restart-clock",) * self.restart:
            if self.points is None:
                raise InputError(f"{option} needs --window, which says how many points a window has; add it.")

    def cut(self, data: Trajectories) -> Trajectories:
        """The data cut into windows, or unchanged if none are requested."""
        return data if self.points is None else data.windows(self.points, self.stride, restart=self.restart)


def read_clock(text: str) -> str | float:
    """The option --clock: a word, or a period as a number."""
    from liestonet.trajectories.clock import checked_clock

    try:
        period = float(text)
    except ValueError:
        return checked_clock(text)
    return checked_clock(period)


def read_measurement(
    noise: float | None, exposure: float | None, steps: str | None, order: int | None = None
) -> Measurement | None:
    """The measurement described by the options; None if no option is given."""
    from liestonet.trajectories.measurement import Measurement

    given = {"noise": noise, "exposure": exposure, "steps": steps, "order": order}
    named = {name: value for name, value in given.items() if value is not None}
    return Measurement(**named) if named else None


@dataclass(frozen=True)
class Reading:
    """The options for reading a table: columns, then logarithms, every k-th point and windows."""

    time: str | None = None
    trajectory: str | None = None
    state: Sequence[str] | None = None
    log: Sequence[str] | None = None
    windows: Windows = Windows()
    thin: int | None = None
    gap: float | None = None
    sort: bool = False
    dt: float | None = None
    columns: Sequence[str] | None = None
    layout: str = "auto"
    delimiter: str | None = None
    decimal: str | None = None
    periodic: Sequence[str] | None = None
    own_clock: bool = False
    own_errors: bool = False

    def read(self, *files: Path) -> Any:
        """The paths of files, in memory if they are small enough, else read in pieces."""
        from liestonet.trajectories import Trajectories
        from liestonet.trajectories.scan import is_one_file, is_small

        self.windows.check()
        if len(files) == 1 and is_one_file(files[0]) and is_small(files[0]) and not self._scanning:
            return self._reshaped(Trajectories.read(files[0], **self._options()))
        source = self._scanned(files)
        return self._reshaped(source.read()) if source.fits and not self.own_errors else self._left_on_disk(source)

    @property
    def _scanning(self) -> bool:
        """Whether even one small file is scanned."""
        return self.own_clock or self.own_errors

    def scan(self, *files: Path) -> Any:
        """The paths of files, read in pieces."""
        self.windows.check()
        return self._left_on_disk(self._scanned(files))

    def _scanned(self, files: Sequence[Path]) -> Any:
        from liestonet.trajectories import Trajectories

        options = self._options()
        if options.pop("layout") != "auto":
            raise InputError("--layout is for one file; leave it out for several.")
        own = {"own_clock": self.own_clock, "own_errors": self.own_errors}
        return Trajectories.scan(files[0] if len(files) == 1 else list(files), **own, **options)

    def _options(self) -> dict[str, Any]:
        """The keywords of `Trajectories.read`."""
        return {
            "time": self.time,
            "trajectory": self.trajectory,
            "state": None if self.state is None else pieces(self.state),
            "sort": self.sort,
            "gap": self.gap,
            "dt": self.dt,
            "columns": None if self.columns is None else pieces(self.columns),
            "layout": self.layout,
            "delimiter": self.delimiter,
            "decimal": self.decimal,
            "periodic": read_periods(self.periodic),
        }

    def _reshaped(self, data: Trajectories) -> Any:
        import numpy as np

        if self.log:
            data = data.transform(**dict.fromkeys(pieces(self.log), np.log))
        if self.thin is not None:
            data = data.thin(self.thin)
        return self.windows.cut(data)

    def _left_on_disk(self, source: Any) -> Any:
        """The source, unless an option needs whole paths in memory, which is an error."""
        wanted = {"--log": self.log, "--thin": self.thin, "--window": self.windows.points}
        for option in (option for option, value in wanted.items() if value):
            raise InputError(
                f"These files are read in pieces, but {option} needs whole paths; leave it out, or prepare the files "
                "first."
            )
        return source
