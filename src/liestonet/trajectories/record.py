"""What a result remembers of the data it came from: enough to recognise them and to judge what they can tell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from liestonet.trajectories.gaps import Gaps
from liestonet.trajectories.summary import Summary
from liestonet.trajectories.trajectories import Trajectories


@dataclass(frozen=True)
class DataRecord:
    """Digest and summary of trajectories in memory; of a streamed file its name and what one pass counts."""

    increments: int
    digest: str | None = None
    summary: Summary | None = None
    file: str | None = None
    rows: int | None = None
    gaps: Gaps | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.summary is not None:
            return str(self.summary)
        where = "increments" if self.file is None else "file"
        what = f"{self.increments:,}" if self.file is None else f"{self.file}, {self.rows:,} rows, streamed"
        counted = [] if self.file is None else [f"increments  {self.increments:,}"]
        return "\n".join([f"{where:<10}  {what}", *counted, *(f"note        {note}" for note in self.notes)])

    def to_dictionary(self) -> dict[str, Any]:
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
            }
        plain = asdict(self.summary)
        for key, ends in (("path_points", ("least", "most")), ("step", ("minimum", "median", "maximum"))):
            plain[key] = dict(zip(ends, plain[key], strict=True))
        return {"digest": self.digest, **plain}


def record_of(source: Any, increments: int) -> DataRecord:
    """The record of a source that has been gone through."""
    if isinstance(source, Trajectories):
        return DataRecord(increments, source.digest, source.summary(), notes=source.notes)
    if hasattr(source, "count_gaps"):  # a TrajectoryFile, whose module would load pyarrow
        gaps = source.count_gaps()
        notes = (*source.notes, *gaps.sentences())
        return DataRecord(increments, file=source.path.name, rows=source.rows, gaps=gaps, notes=notes)
    return DataRecord(increments)
