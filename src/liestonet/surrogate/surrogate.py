"""Drift and diffusion estimated from data: values, derivatives, and how both change with the parameters' errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from liestonet.core.coefficients import Derivative, Jet, JetDirections, JetOrder, derivatives
from liestonet.core.domain import Domain
from liestonet.core.points import points_of
from liestonet.core.power_series import SeriesRing
from liestonet.core.uncertainty import Block, Errors, Information
from liestonet.surrogate.cholesky import cholesky_jet
from liestonet.surrogate.features import Features
from liestonet.surrogate.overview import Overview
from liestonet.surrogate.recording_errors import RecordingErrors
from liestonet.surrogate.regression import Entry, Estimate


@dataclass(frozen=True, eq=False)
class Surrogate:
    """f and a estimated from data: a source of coefficients with a covariance.

    Parameters are in units of the box, drift coordinate by coordinate, then the entries a^{ij} with i ≤ j of the noisy
    coordinates; `errors` are square roots of their covariance. σ is the Cholesky factor of a (docs/method.md §2.5).
    Where errors of the recorded points were modelled, `joint` is the information on all parameters together, and
    `recorded` holds the estimated errors.
    """

    overview: Overview
    drift_estimates: tuple[Estimate, ...]
    diffusion_estimates: tuple[Estimate, ...]
    errors: Errors
    noisy: Bool[np.ndarray, " n"]
    joint: Block | None = None
    recorded: RecordingErrors | None = None

    @property
    def domain(self) -> Domain:
        """The box that the data cover."""
        return self.overview.domain

    @property
    def suited(self) -> Domain:
        """The same box, with the noise shapes if the series use them."""
        return replace(self.domain, shapes=self.drift_estimates[0].features.shapes)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.overview.names

    @property
    def dimension(self) -> int:
        """Number of coordinates, d."""
        return len(self.noisy)

    @property
    def noise(self) -> int:
        """Number of columns of σ: one per noisy coordinate."""
        return int(self.noisy.sum())

    @property
    def from_positions(self) -> bool:
        """Whether the state has velocities that were not recorded; positions then have no noise of their own."""
        return self.recorded is not None and self.recorded.order == 2

    @property
    def error(self) -> float:
        """Relative error of the coefficients as functions; their statistical error is in `errors`."""
        return 0.0

    @property
    def parameter_covariance(self) -> Float[np.ndarray, "p p"]:
        """Covariance of all parameters, in units of the box."""
        return self.errors.root @ self.errors.root.T

    @property
    def parameters(self) -> Float[np.ndarray, " p"]:
        """All parameters in order."""
        return self.information.parameters

    @property
    def _estimates(self) -> tuple[Estimate, ...]:
        return (*self.drift_estimates, *self.diffusion_estimates)

    def __str__(self) -> str:
        """The equation with the estimated coefficients, as far as it can be written down."""
        variables = ", ".join(("t", *self.names)) if self.dimension <= 3 else "t, x"
        rows = "; ".join(
            self._row(name, noisy) for name, noisy in zip(self.names[:3], self.noisy.tolist(), strict=False)
        )
        more = "; …" if self.dimension > 3 else ""
        return f"{rows.replace('()', f'({variables})')}{more}, estimated from {self.overview.count:,} increments"

    def _row(self, name: str, noisy: bool) -> str:
        mark = "" if self.dimension == 1 else f"_{name}"
        return f"d{name} = f{mark}() dt + σ{mark}() dW" if noisy else f"d{name} = f{mark}() dt"

    def drift(self, t: object, x: object) -> Float[np.ndarray, "b d"]:
        """f at points t (B,), x (B, d)."""
        points = points_of(t, x, self.dimension)
        return self.jet(points[:, 0], points[:, 1:], JetOrder(drift=0)).drift[()]

    def diffusion_squared(self, t: object, x: object) -> Float[np.ndarray, "b d d"]:
        """a at points t (B,), x (B, d), positive semidefinite: negative eigenvalues of the series are set to zero."""
        points = points_of(t, x, self.dimension)
        series = self.jet(points[:, 0], points[:, 1:], JetOrder(diffusion_squared=0)).diffusion_squared[()]
        values, vectors = np.linalg.eigh(series)
        return np.einsum("bij,bj,bkj->bik", vectors, np.maximum(values, 0.0), vectors)

    @property
    def information(self) -> Information:
        """The information of data and prior on all parameters."""
        return self._information

    @cached_property
    def _information(self) -> Information:
        if self.joint is not None:
            return Information((self.joint,))
        return Information(tuple(estimate.block(self.noisy) for estimate in self._estimates))

    def with_errors(self, errors: Errors) -> Surrogate:
        """The same coefficients with other errors."""
        return replace(self, errors=errors)

    def with_parameters(self, parameters: Float[np.ndarray, " p"]) -> Surrogate:
        """The same series with other parameters; the covariance is kept."""
        parts = iter(np.split(parameters, np.cumsum([len(e.parameters) for e in self._estimates])[:-1]))
        changed = [replace(estimate, parameters=next(parts)) for estimate in self._estimates]
        count = len(self.drift_estimates)
        joint = None if self.joint is None else replace(self.joint, parameters=parameters)
        return replace(
            self, drift_estimates=tuple(changed[:count]), diffusion_estimates=tuple(changed[count:]), joint=joint
        )

    def perturb(self, amplitude: object, shape: object = "sine", seed: int = 0) -> Surrogate:
        """The surrogate with coefficients deliberately changed by δ, in the shape of a "sine" or a random "network"."""
        from liestonet.surrogate.perturbation import perturbed

        return perturbed(self, amplitude, shape, seed)

    def series(self, ring: SeriesRing, point: Float[np.ndarray, " v"], half: Float[np.ndarray, " v"]) -> None:
        """A surrogate has no exact power series."""
        return

    def jet(self, t: Float[np.ndarray, " b"], x: Float[np.ndarray, "b n"], order: JetOrder) -> Jet:
        """Values and derivatives at a batch of points."""
        return self.jet_and_directions(np.column_stack([t, x]), order, None)[0]

    def jet_and_directions(
        self, points: Float[np.ndarray, "b v"], order: JetOrder, directions: Float[np.ndarray, "p s"] | None
    ) -> tuple[Jet, JetDirections | None]:
        """The jet at points (t, x), and its changes along directions of the parameters, if given."""
        highest = max(order.diffusion_squared, order.diffusion)
        columns = self.parameters[:, None]
        columns = columns if directions is None else np.concatenate([columns, directions], axis=1)
        drift = self._arrays(points, order.drift, columns, drift=True)
        squared = self._arrays(points, highest, columns, drift=False)
        sigma, sigma_directions = {}, {}
        if order.diffusion >= 0:
            sigma, sigma_directions = cholesky_jet(squared, self.noisy)
        jet = Jet(_first(drift), sigma, _first(squared))
        if directions is None:
            return jet, None
        return jet, JetDirections(_rest(drift), sigma_directions, _rest(squared))

    def functions(self, points: Float[np.ndarray, "b v"]) -> Iterator[tuple[Entry, slice, Float[np.ndarray, "b _"]]]:
        """For every entry of f and a: where its parameters stand, and what they multiply at points, in data's units."""
        tables: dict[Features, np.ndarray] = {}
        for drift in (True, False):
            for estimate, rows in self._located(drift):
                if estimate.features not in tables:
                    tables[estimate.features] = estimate.features.values(points)[()]
                unit = np.prod(self.domain.half[1:][list(estimate.entry)]) / self.domain.half[0]
                yield estimate.entry, rows, unit * tables[estimate.features]

    def _arrays(
        self, points: Float[np.ndarray, "b v"], order: int, columns: Float[np.ndarray, "p s"], drift: bool
    ) -> dict[Derivative, np.ndarray]:
        """Derivatives of f (b, n, s) or a (b, n, n, s) for each column of parameters, in the data's units."""
        n, wanted = self.dimension, tuple(derivatives(self.dimension + 1, order))
        if order < 0:
            return {}
        shape = (len(points), n, columns.shape[1]) if drift else (len(points), n, n, columns.shape[1])
        result = {derivative: np.zeros(shape) for derivative in wanted}
        tables: dict[Features, dict[Derivative, np.ndarray]] = {}
        for estimate, rows in self._located(drift):
            if estimate.features not in tables:
                tables[estimate.features] = estimate.features.values(points, wanted)
            unit = np.prod(self.domain.half[1:][list(estimate.entry)]) / self.domain.half[0]
            for derivative in wanted:
                values = unit * (tables[estimate.features][derivative] @ columns[rows])
                if estimate.features.factors:
                    values[:, 0] += unit * estimate.offset(points, derivative)
                result[derivative][(slice(None), *estimate.entry)] = values
                result[derivative][(slice(None), *estimate.entry[::-1])] = values
        return result

    def _located(self, drift: bool) -> Iterator[tuple[Estimate, slice]]:
        """The estimates of f or of a, with their rows in the vector of all parameters."""
        start, count = 0, len(self.drift_estimates)
        for position, estimate in enumerate(self._estimates):
            stop = start + len(estimate.parameters)
            if (position < count) == drift:
                yield estimate, slice(start, stop)
            start = stop


def _first(arrays: Mapping[Derivative, np.ndarray]) -> dict[Derivative, np.ndarray]:
    return {derivative: np.ascontiguousarray(array[..., 0]) for derivative, array in arrays.items()}


def _rest(arrays: Mapping[Derivative, np.ndarray]) -> dict[Derivative, np.ndarray]:
    return {derivative: array[..., 1:] for derivative, array in arrays.items()}
