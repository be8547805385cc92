"""Standardised residuals z^i = (Δx^i − f^iΔt)/√(a^{ii}Δt) of noisy coordinates; standard normal if the model holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from liestonet.core.tuning import by_dimension
from liestonet.diagnostics.tuning import FLAGS
from liestonet.surrogate.recording_fit import innovations
from liestonet.surrogate.regression import Estimate, Scaled, evaluate, pieces_of, scaled_block
from liestonet.surrogate.surrogate import Surrogate
from liestonet.trajectories.increments import Increments


@dataclass(frozen=True, eq=False)
class Residuals:
    """The residuals of one fit: an even sample of increments, and the first increments in order."""

    surrogate: Surrogate

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the noisy coordinates, one for each column of residuals."""
        return tuple(name for name, noisy in zip(self.surrogate.names, self.surrogate.noisy, strict=True) if noisy)

    @cached_property
    def sample(self) -> Increments:
        """Increments spread over all the data."""
        sample, most = self.surrogate.overview.sample, by_dimension(FLAGS.spread, self.surrogate.dimension)
        rows = slice(None, None, max(1, -(-len(sample.t) // most)))
        return Increments(*(array[rows] for array in sample))

    @cached_property
    def standard(self) -> Float[np.ndarray, "b r"]:
        """All residuals of the sample."""
        return self._standardised(self.sample)

    @cached_property
    def spread(self) -> list[Float[np.ndarray, " used"]]:
        """The reliable residuals of the sample, for each noisy coordinate."""
        standard, trusted = self.standard, self._trusted(self.sample)
        return [z[rows] for z, rows in zip(standard.T, trusted.T, strict=True)]

    @cached_property
    def pairs(self) -> Int[np.ndarray, " pairs"]:
        """Rows of `ordered` that are followed by the next step of the same path, both beginning inside the domain."""
        pairs = self.surrogate.overview.pairs
        return pairs[pairs + 1 < by_dimension(FLAGS.in_order, self.surrogate.dimension)]

    @cached_property
    def ordered(self) -> Float[np.ndarray, "rows r"]:
        """Residuals of the first increments in order; zero in rows outside pairs.

        With a model of measurement errors, each residual is the innovation given all earlier points.
        """
        if self.surrogate.recorded is not None:
            most = by_dimension(FLAGS.in_order, self.surrogate.dimension)
            block = Increments(*(array[:most] for array in self.surrogate.overview.consecutive))
            return innovations(self.surrogate, block)[0][:, self.surrogate.noisy]
        wanted = np.union1d(self.pairs, self.pairs + 1)
        block = Increments(*(array[wanted] for array in self.surrogate.overview.consecutive))
        result = np.zeros((int(wanted[-1]) + 1 if len(wanted) else 0, len(self.names)))
        result[wanted] = self._standardised(block)
        return result

    def _diagonal(self) -> list[Estimate]:
        """The estimates of a^{ii}."""
        return [estimate for estimate in self.surrogate.diffusion_estimates if estimate.entry[0] == estimate.entry[1]]

    def _standardised(self, block: Increments) -> Float[np.ndarray, "b r"]:
        """The residuals z of a block; zero where the series for a is not positive."""
        surrogate = self.surrogate
        scaled = scaled_block(block, surrogate.domain)
        drift = [estimate for estimate, noisy in zip(surrogate.drift_estimates, surrogate.noisy, strict=True) if noisy]
        rest = scaled.dx[:, surrogate.noisy] - evaluate(drift, scaled.points) * scaled.dt[:, None]
        variance = evaluate(self._diagonal(), scaled.points) * scaled.dt[:, None]
        positive = variance > 0
        return np.where(positive, rest / np.sqrt(np.where(positive, variance, 1.0)), 0.0)

    def _trusted(self, block: Increments) -> Bool[np.ndarray, "b r"]:
        """Where a^{ii} has a small relative error and a small relative change within the step."""
        pieces = [self._trusted_piece(piece) for piece in pieces_of(scaled_block(block, self.surrogate.domain))]
        return np.concatenate(pieces) if pieces else np.zeros((0, len(self.names)), dtype=bool)

    def _trusted_piece(self, scaled: Scaled) -> Bool[np.ndarray, "b r"]:
        """The same test for a few increments, since features and derivatives of all would need much memory."""
        surrogate, diagonal = self.surrogate, self._diagonal()
        variables = range(1, surrogate.dimension + 1)
        tables = {
            features: features.values(scaled.points, ((), *((j,) for j in variables)))
            for features in {estimate.features: None for estimate in diagonal}
        }
        half = surrogate.domain.half[1:]
        reach = np.zeros((len(scaled.dt), surrogate.dimension))
        reach[:, surrogate.noisy] = np.sqrt(np.maximum(evaluate(diagonal, scaled.points) * scaled.dt[:, None], 0.0))
        trusted = np.empty((len(scaled.dt), len(diagonal)), dtype=bool)
        for column, estimate in enumerate(diagonal):
            table = tables[estimate.features]
            value = table[()] @ estimate.parameters
            error = np.sqrt(np.maximum(np.sum((table[()] @ estimate.posterior) * table[()], axis=1), 0.0))
            change = sum(np.abs(table[(j,)] @ estimate.parameters) * half[j - 1] * reach[:, j - 1] for j in variables)
            trusted[:, column] = (error < FLAGS.uncertain * value) & (change < FLAGS.changing * value)
        return trusted
