"""Where sums over files are computed: in this process, by workers of a scheduler, or by workers started here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

from liestonet.core.cluster import connected, local_workers
from liestonet.core.numbers import is_whole
from liestonet.core.progress import Progress
from liestonet.errors import InputError

SOONEST = 2.0  # seconds between messages within one pass
ENDING = "nothing was kept"


class Passes:
    """Progress within one pass over files: the part that is done, and the remaining time."""

    def __init__(self, say: Progress) -> None:
        self.say, self.stage = say, "reading"
        self.begun = self.told = monotonic()

    def __call__(self, message: str) -> None:
        """Report that a stage begins."""
        self.stage = message
        self.say(message)

    def watch(self, part: float) -> None:
        """Report that this fraction of a pass is done."""
        now = monotonic()
        if not part:
            self.begun = self.told = now
        elif now - self.told > SOONEST:
            self.told = now
            left = (now - self.begun) * (1 - part) / part
            time = f"{left / 60:.0f} min" if left > 99 else f"{left:.0f} s"
            self.say(f"{self.stage}: {100 * part:.0f} % of this pass, {time} left in it")


@contextmanager
def with_crew(data: Any, scheduler: Any, workers: Any, say: Progress) -> Iterator[tuple[Any, Progress]]:
    """Data whose sums are computed by workers, if requested, with progress within passes over files."""
    if scheduler is None and workers is None:
        if not hasattr(data, "watch"):
            yield data, say
            return
        passes = Passes(say)
        yield replace(data, watch=passes.watch), passes
        return
    if not hasattr(data, "crew"):
        raise InputError(
            "Workers read pieces of files, and these data are in memory; give Trajectories.scan(…), or leave scheduler "
            "and workers out."
        )
    passes = Passes(say)
    passes("waiting for workers")
    with _crew(scheduler, workers) as crew:
        yield replace(data, crew=crew, watch=passes.watch), passes


def _crew(scheduler: Any, workers: Any) -> Any:
    if scheduler is not None and workers is not None:
        raise InputError("A scheduler has its own workers; give scheduler or workers, not both.")
    if scheduler is not None:
        if not isinstance(scheduler, str):
            raise InputError(f"The scheduler must be an address such as 'tcp://127.0.0.1:8786', not {scheduler!r}.")
        return connected(scheduler, ENDING)
    if not is_whole(workers) or workers < 1:
        raise InputError(f"The number of workers must be a whole number, at least 1, not {workers!r}.")
    return local_workers(int(workers), ENDING)
