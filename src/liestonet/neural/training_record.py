"""The record of a training in a result: settings, losses, the sweep, and the networks."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from liestonet.core.flags import Flag
from liestonet.core.generators import Values
from liestonet.core.points import points_of
from liestonet.inference.engine import TrainingSummary
from liestonet.neural.frame import TrainingFrame
from liestonet.neural.generator_networks import Networks
from liestonet.neural.precision import require_float64
from liestonet.neural.settings import Neural
from liestonet.neural.sweep import RULE_NAMES, Rung


@dataclass(frozen=True, eq=False)
class TrainingRecord:
    """How the generators of a result were trained.

    `history` has a row per step and a column per loss of `terms`; `seconds` do not count compilation. `rungs` are the
    numbers of generators tried, `selected` the number that each rule chooses. `projection_error` is the largest
    relative error of a generator's projection on polynomials. `angle` is that to the spectral engine's span in degrees,
    None if not requested.
    """

    settings: Neural
    networks: Networks
    frame: TrainingFrame
    has_beta: bool
    terms: tuple[int, ...]
    history: Float[np.ndarray, "steps terms"]
    seconds: float
    rungs: tuple[Rung, ...]
    selected: dict[str, int]
    projection_error: float
    interrupted: bool = False
    angle: float | None = None

    def generators(self, t: object, x: object) -> Values:
        """The trained networks, before their last layer was solved: tau (m, B), xi (m, B, d), perhaps beta (m, B)."""
        require_float64()
        n = self.networks.dimension
        points = points_of(t, x, n)
        fields = self.networks(jnp.asarray(self.frame.enter(points)), jnp.zeros((len(points), n, n)))
        values = np.asarray(fields.values) * self.frame.generator_scales(self.has_beta)
        parts = values[:, :, 0], values[:, :, 1 : n + 1]
        return (*parts, values[:, :, -1]) if self.has_beta else parts

    def dimension_flag(self, counted: int) -> Flag:
        """A flag on the numbers chosen by the rules, which of them is used, and the verdicts on the selected span."""
        said = "; ".join(f"{RULE_NAMES[name]}: {count}" for name, count in self.selected.items())
        own, first = self.settings.selection, self.rungs[0].count
        decides = (
            f"The first is the paper's and gives the dimension; {counted} of its directions are symmetries"
            if own == "paper"
            else f"Of the span selected by the second {counted} directions are symmetries"
        )
        return Flag(
            "sweep",
            f"Generators were trained for m = {first} to {self.rungs[-1].count} ({said}). {decides}.",
            "Look at result.training.rungs for the curves L1(m) and L6(m).",
        )

    def to_dictionary(self) -> TrainingSummary:
        """Plain values, ready for JSON; the networks' weights are left out."""
        return {
            "settings": self.settings.to_dictionary(),
            "losses": {f"L{n}": float(v) for n, v in zip(self.terms, self._last(), strict=True)},
            "steps": len(self.history),
            "seconds": self.seconds,
            "rungs": [rung.to_dictionary() for rung in self.rungs],
            "selected": dict(self.selected),
            "projection_error": self.projection_error,
            "interrupted": self.interrupted,
            "angle_to_spectral": self.angle,
        }

    def _last(self) -> Float[np.ndarray, " terms"]:
        return self.history[-100:].mean(axis=0) if len(self.history) else np.full(len(self.terms), np.nan)
