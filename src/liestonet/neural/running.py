"""Monitoring, stopping and resuming of trainings: progress, a live file of losses, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile

from liestonet.errors import InputError
from liestonet.neural.checkpoint import read_checkpoint, write_checkpoint
from liestonet.neural.objective import loss_names
from liestonet.neural.settings import Neural
from liestonet.neural.training import Trained

LOSSES = loss_names(range(1, 10))


@dataclass(frozen=True)
class TrainingRun:
    """Identifies one training of a run; `origin` is a digest of its initial weights, points and coefficients."""

    kind: str
    count: int
    seed: int
    refitted: bool = False
    origin: str = ""

    @property
    def file_name(self) -> str:
        """The name of its checkpoint in the folder of a run."""
        return f"generators-{self.count}{'-refitted' if self.refitted else ''}.safetensors"

    def __str__(self) -> str:
        who = "generator" if self.count == 1 else "generators"
        return f"training {self.count} {who}{' on refitted coefficients' if self.refitted else ''}"


class Watch:
    """Called after every chunk of a training: reports progress, appends to the file of losses, writes a checkpoint."""

    def __init__(self, settings: Neural, training: TrainingRun, say: Callable[[str], None]) -> None:
        self.settings, self.training, self.say = settings, training, say
        self.identity = {
            "settings": settings.with_running(checkpoint=None, losses=None, surrogates=None).to_dictionary()
        }
        self.identity |= asdict(training)
        folder = settings.running.checkpoint
        self.checkpoint = None if folder is None else Path(folder) / training.file_name
        self.written = 0

    def resumed(self, start: Trained) -> Trained:
        """The training from its checkpoint, or from the start without one."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return start
        trained = read_checkpoint(self.checkpoint, start, self.identity)
        self._add_losses(trained)
        return trained

    def __call__(self, trained: Trained, left: float) -> None:
        with writing("checkpoint folder"):
            if self.checkpoint is not None:
                write_checkpoint(self.checkpoint, trained, self.identity)
        self._add_losses(trained)
        losses = ", ".join(f"{name} {v:.1e}" for name, v in zip(trained.terms, trained.history[-1], strict=True))
        total = self.settings.optimizer.steps
        self.say(f"{self.training}: step {trained.steps} of {total}, {losses}, {left:.0f} s left")

    def _add_losses(self, trained: Trained) -> None:
        """Append the steps that the file of losses does not have yet; all steps of a resumed training."""
        if self.settings.running.losses is None:
            return
        with writing("file of losses"), Path(self.settings.running.losses).open("a", encoding="utf-8") as stream:
            for step in range(self.written, trained.steps):
                values = dict(zip(trained.terms, trained.history[step].tolist(), strict=True))
                cells = [f"{values[name]:.6e}" if name in values else "" for name in LOSSES]
                which = (int(self.training.refitted), self.training.count, step)
                stream.write(",".join([*map(str, which), *cells]) + "\n")
        self.written = trained.steps


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Turn errors of the file system into errors of one sentence."""
    try:
        yield
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise InputError(
            f"The {what} {str(problem.filename or '')!r} cannot be written to ({reason}); name another in "
            "Running(checkpoint=…, losses=…)."
        ) from problem


def require_places(settings: Neural) -> None:
    """Create the folder of checkpoints, and test writing there and to the file of losses before the computation."""
    with writing("checkpoint folder"):
        for folder in (settings.running.checkpoint, settings.running.surrogates):
            if folder is not None:
                Path(folder).mkdir(parents=True, exist_ok=True)
                TemporaryFile(dir=folder).close()
    with writing("file of losses"):
        if settings.running.losses is not None:
            Path(settings.running.losses).open("a", encoding="utf-8").close()


def begin_losses(settings: Neural) -> None:
    """Start a new file of losses for the run; resumed trainings rewrite the losses in their checkpoints."""
    if settings.running.losses is not None:
        with writing("file of losses"):
            header = ",".join(["refitted", "m", "step", *LOSSES])
            Path(settings.running.losses).write_text(header + "\n", encoding="utf-8")
