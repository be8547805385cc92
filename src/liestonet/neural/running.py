"""A run that can be watched, stopped and taken up again: progress, a live file of losses, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from liestonet.errors import InputError
from liestonet.neural.checkpoint import read_checkpoint, write_checkpoint
from liestonet.neural.settings import Neural
from liestonet.neural.training import Trained


class Watch:
    """Told of every chunk of one training: says how it goes, appends the losses, keeps a checkpoint.

    `origin` stands for all that the training begins with: first weights, points and coefficients.
    """

    def __init__(
        self,
        settings: Neural,
        kind: str,
        count: int,
        seed: int,
        say: Callable[[str], None],
        refitted: bool = False,
        origin: str = "",
    ) -> None:
        self.settings, self.count, self.say, self.refitted = settings, count, say, refitted
        self.size = min(settings.running.chunk, settings.optimizer.steps)
        self.identity = {"settings": settings.with_running(checkpoint=None, losses=None).to_dictionary()}
        self.identity |= {"kind": kind, "count": count, "seed": seed, "refitted": refitted, "origin": origin}
        folder, name = settings.running.checkpoint, f"generators-{count}{'-refitted' if refitted else ''}.safetensors"
        self.checkpoint = None if folder is None else Path(folder) / name

    def resumed(self, start: Trained) -> Trained:
        """The run as its checkpoint left it, or from the start where there is none."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return start
        return read_checkpoint(self.checkpoint, start, self.identity)

    def __call__(self, trained: Trained, left: float) -> None:
        with writing("checkpoint folder"):
            if self.checkpoint is not None:
                write_checkpoint(self.checkpoint, trained, self.identity)
        with writing("file of losses"):
            if self.settings.running.losses is not None:
                self._append(Path(self.settings.running.losses), trained)
        losses = ", ".join(f"L{n} {v:.1e}" for n, v in zip(trained.terms, trained.history[-1], strict=True))
        who = "generator" if self.count == 1 else "generators"
        where = " on refitted coefficients" if self.refitted else ""
        self.say(
            f"training {self.count} {who}{where}: step {trained.steps} of {self.settings.optimizer.steps}, {losses}, "
            f"{left:.0f} s left"
        )

    def _append(self, path: Path, trained: Trained) -> None:
        """Add the last chunk's losses to a CSV file, with a header where it is new."""
        first = (trained.steps - 1) // self.size * self.size
        chunk = trained.history[first:]
        with path.open("a", encoding="utf-8") as stream:
            if stream.tell() == 0:
                stream.write(",".join(["refitted", "m", "step", *(f"L{n}" for n in range(1, 10))]) + "\n")
            for offset, row in enumerate(chunk):
                values = dict(zip(trained.terms, row.tolist(), strict=True))
                cells = [f"{values[n]:.6e}" if n in values else "" for n in range(1, 10)]
                stream.write(",".join([str(int(self.refitted)), str(self.count), str(first + offset), *cells]) + "\n")


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Turn what the disk refuses into one sentence."""
    try:
        yield
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise InputError(
            f"The {what} {str(problem.filename or '')!r} cannot be written to ({reason}); name another in "
            "Running(checkpoint=…, losses=…)."
        ) from problem


def require_places(settings: Neural) -> None:
    """Make the folder of checkpoints, write in it, and open the file of losses, before anything is computed."""
    with writing("checkpoint folder"):
        if settings.running.checkpoint is not None:
            Path(settings.running.checkpoint).mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=settings.running.checkpoint).close()
    with writing("file of losses"):
        if settings.running.losses is not None:
            Path(settings.running.losses).open("a", encoding="utf-8").close()


def csv_columns(path: Path) -> dict[str, np.ndarray]:
    """A file of losses by column, empty cells as not-a-number."""
    table = np.genfromtxt(path, delimiter=",", names=True, missing_values="", filling_values=np.nan)
    names = table.dtype.names or ()
    return {name: np.atleast_1d(table[name]) for name in names}
