"""Score and information of a recording's model over blocks of increments, in whichever process a block is handled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from liestonet.core.domain import Domain
from liestonet.surrogate.filter import Segments, StepModel, Sums, segments_in
from liestonet.surrogate.tuning import FIT, RECORDING
from liestonet.trajectories.block_sums import Place
from liestonet.trajectories.increments import BLOCK_ROWS, Increments

# Runs a model along segments and adds to the sums.
Run = Callable[[StepModel, Segments, Sums], Any]


class RecordingSums:
    """Sums over blocks, each filtered on its own. Folds cycle through all pieces of paths, wherever blocks end.

    Only one piece in `every` is used.
    """

    rows = BLOCK_ROWS

    def __init__(self, run: Run, model: StepModel, domain: Domain, every: int) -> None:
        self.run, self.model, self.domain, self.every = run, model, domain, every
        self.sums, self.pieces = Sums(model.size), 0

    def empty(self) -> RecordingSums:
        """Empty sums with the same settings."""
        return RecordingSums(self.run, self.model, self.domain, self.every)

    def take(self, block: Increments, place: Place) -> None:
        """Add one block."""
        for segments in segments_in(block, self.domain, RECORDING.settling, self.pieces, self.every):
            self.pieces += len(segments.folds)
            self.run(self.model, replace(segments, folds=segments.folds % FIT.folds), self.sums)
        self.sums.finish()

    def join(self, later: RecordingSums) -> None:
        """Add the sums over the blocks that come next; the numbering of their pieces continues from these."""
        mine, theirs = self.sums, later.sums
        mine.score += np.roll(theirs.score, self.pieces, axis=0)
        mine.information += np.roll(theirs.information, self.pieces, axis=0)
        mine.outer += theirs.outer
        mine.count += theirs.count
        self.pieces += later.pieces
