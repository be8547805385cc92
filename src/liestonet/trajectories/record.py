"""What a result keeps of its data: enough to identify and to assess them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np
from jaxtyping import Float

from liestonet.core.json_values import JSON
from liestonet.trajectories.gaps import Gaps
from liestonet.trajectories.increments import Increments, IncrementSource
from liestonet.trajectories.measurement import Measurement
from liestonet.trajectories.summary import Summary
from liestonet.trajectories.trajectories import Trajectories
from liestonet.trajectories.velocities import WithVelocities

if TYPE_CHECKING:
    from liestonet.trajectories.scan import TrajectoryFiles

MOST_PATHS, MOST_POINTS = 12, 200
# Times (n,) and states (n, d) of one path.
Path = tuple[Float[np.ndarray, " _"], Float[np.ndarray, "_ _"]]  # lengths differ from path to path


@dataclass(frozen=True)
class DataRecord:
    """Digest and summary of trajectories in memory; of a streamed file its name and the counts of one pass.

    `paths` are a few of the real ones, thinned, to be shown and carried along a flow: at most MOST_PATHS of at most
    MOST_POINTS points. `units` are labels by coordinate, and by "t" for the time; `measurement` says how the data were
    recorded.
    """

    increments: int
    digest: str | None = None
    summary: Summary | None = None
    file: str | None = None
    rows: int | None = None
    gaps: Gaps | None = None
    notes: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    units: dict[str, str] = field(default_factory=dict)
    measurement: Measurement = field(default_factory=Measurement)

    def __str__(self) -> str:
        if self.summary is not None:
            return str(self.summary)
        where = "increments" if self.file is None else "file"
        what = f"{self.increments:,}" if self.file is None else f"{self.file}, {self.rows:,} rows, streamed"
        counted = [] if self.file is None else [f"increments  {self.increments:,}"]
        return "\n".join([f"{where:<10}  {what}", *counted, *(f"note        {note}" for note in self.notes)])

    def to_dictionary(self) -> dict[str, JSON]:
        """The record as plain values."""
        if self.summary is None:
            gaps = None if self.gaps is None else asdict(self.gaps)
            return {
                "digest": self.digest,
                "file": self.file,
                "rows": self.rows,
                "increments": self.increments,
                "gaps": gaps,
                "notes": list(self.notes),
                "measurement": asdict(self.measurement),
            }
        plain = asdict(self.summary)
        for key, ends in (("path_points", ("least", "most")), ("step", ("minimum", "median", "maximum"))):
            plain[key] = dict(zip(ends, plain[key], strict=True))
        return {"digest": self.digest, **plain, "measurement": asdict(self.measurement)}


def record_of(source: IncrementSource, increments: int) -> DataRecord:
    """The record of a source that has been read once; of positions with velocities, the record of the positions."""
    if isinstance(source, WithVelocities):
        return replace(record_of(source.positions, increments), paths=sample_paths(source))
    shown, units = sample_paths(source), dict(getattr(source, "units", {}))
    measurement = source.measurement
    if isinstance(source, Trajectories):
        return DataRecord(
            increments,
            source.digest,
            source.summary(),
            notes=source.notes,
            paths=shown,
            units=units,
            measurement=measurement,
        )
    if hasattr(source, "count_gaps"):  # whose module would load pyarrow
        file = cast("TrajectoryFiles", source)
        gaps = file.count_gaps()
        notes = (*file.notes, *gaps.sentences())
        return DataRecord(
            increments,
            file=file.name,
            rows=file.rows,
            gaps=gaps,
            notes=notes,
            paths=shown,
            units=units,
            measurement=measurement,
        )
    return DataRecord(increments, paths=shown, units=units, measurement=measurement)


def sample_paths(source: IncrementSource) -> tuple[Path, ...]:
    """A few paths of the source, evenly spread over it; of a source not in memory, over its first block."""
    if isinstance(source, Trajectories):
        long_enough = np.flatnonzero(np.diff(source.offsets) > 1)
        return tuple(_thinned(source.times[k], source.states[k]) for k in _spread(long_enough, MOST_PATHS).tolist())
    block = next(iter(source.chunks()), None)
    if block is None:
        return ()
    pieces = np.flatnonzero(np.diff(block.trajectory, prepend=-1, append=-1))  # where one begins, and the end
    chosen = _spread(np.arange(len(pieces) - 1), MOST_PATHS).tolist()
    return tuple(_thinned(*_joined(block, slice(pieces[k], pieces[k + 1]))) for k in chosen)


def _spread(values: np.ndarray, most: int) -> np.ndarray:
    """At most `count` of the values, evenly spread from the first to the last."""
    return values[np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).round().astype(int))]


def _joined(block: Increments, rows: slice) -> Path:
    """The points of a path from its consecutive increments."""
    t, x = block.t[rows], block.x[rows]
    return np.append(t, t[-1] + block.dt[rows][-1]), np.vstack([x, x[-1] + block.dx[rows][-1]])


def _thinned(times: np.ndarray, states: np.ndarray) -> Path:
    """A copy of a path with at most MOST_POINTS points, including both ends."""
    kept = _spread(np.arange(len(times)), MOST_POINTS)
    return times[kept].copy(), states[kept].copy()
