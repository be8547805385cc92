"""Who forms the sums over files: this process, workers of a scheduler, or workers started for it."""

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
    """Progress that goes on within one pass over files: which part is done, and how long it will still take."""

    def __init__(self, say: Progress) -> None:
        self.say, self.stage = say, "reading"
        self.begun = self.told = monotonic()

    def __call__(self, message: str) -> None:
        """A stage begins."""
        self.stage = message
        self.say(message)

    def watch(self, part: float) -> None:
        """So much of a pass is done."""
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
    """Data whose sums are formed by workers, if that is asked for, with progress within passes over files."""
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
        raise InputError("A scheduler has workers of its own; give scheduler or workers, not both.")
    if scheduler is not None:
        if not isinstance(scheduler, str):
            raise InputError(f"The scheduler must be an address such as 'tcp://127.0.0.1:8786', not {scheduler!r}.")
        return connected(scheduler, ENDING)
    if not is_whole(workers) or workers < 1:
        raise InputError(f"The number of workers must be a whole number, at least 1, not {workers!r}.")
    return local_workers(int(workers), ENDING)
