"""The density û(t, x) of the state at every time, learnt from the recorded states; the input of loss L9.

Estimator: noise-contrastive estimation (Gutmann and Hyvärinen, JMLR 13, 2012), conditional on time. log û is a Gaussian
that moves with time plus a network; a logistic regression tells data from points of that Gaussian drawn at the same
times. The optimal classifier is the log-ratio of the densities, so û is positive and smooth, and its integral over x
converges to 1 at every time without computing integrals. A kernel estimate would be positive too, but its second
derivatives, which L9 needs, converge too slowly. Where drift and diffusion are known, the residual of the Fokker–Planck
equation is a penalty; it ties the derivatives of û to each other.

Needs recordings in which x at a given time is a sample of the process: paths from one initial law and one starting
time. Independent increments from chosen points (the paper's Example 2) have no such density.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from liestonet.core.coefficients import Coefficients, Derivative, JetOrder, derivatives
from liestonet.core.points import points_of
from liestonet.errors import InputError
from liestonet.neural.coefficients.batches import PathSplit, held_out_rows, split_by_path
from liestonet.neural.coefficients.coefficient_networks import Network, hidden_layers, initial_layers
from liestonet.neural.coefficients.gaussian import MovingGaussian, fit_gaussian, log_gaussian, standardised
from liestonet.neural.coefficients.neural_surrogate import HiddenLayer
from liestonet.neural.coefficients.settings import DensitySettings, optimizer
from liestonet.neural.precision import require_float64
from liestonet.neural.settings import Optimizer
from liestonet.neural.training import (
    History,
    Material,
    Move,
    Plan,
    Progress,
    Terms,
    begin,
    held_out_loss,
    said,
    silent,
    train,
)
from liestonet.neural.tuning import LEARNT
from liestonet.trajectories.increments import Increments, IncrementSource

LEAST_STATES = 200
ROWS = 512


class DensityWeights(NamedTuple):
    """The weights of the one network."""

    ratio: Network


class EquationCoefficients(NamedTuple):
    """The coefficients of the Fokker–Planck equation at points: f, div f − ½ ∂_ij a^{ij}, ∂_j a^{ij} and a."""

    points: Any
    drift: Any
    reaction: Any
    divergence: Any
    squared: Any


class DensityBatch(NamedTuple):
    """States of the data, noise points at the same times, and points with coefficients (none if not known)."""

    data: Any
    noise: Any
    equation: EquationCoefficients | None


def log_density(activation: str, gaussian: MovingGaussian, ratio: Network, points: jax.Array) -> jax.Array:
    """log û at points (…, 1 + n), inside JAX code."""
    return log_gaussian(gaussian, points) + _log_ratio(activation, gaussian, ratio, points)


def _log_ratio(activation: str, gaussian: MovingGaussian, ratio: Network, points: jax.Array) -> jax.Array:
    """The network's output, linear in 1, the inputs, their products and the hidden units."""
    inputs = standardised(gaussian, points)
    first, second = np.triu_indices(inputs.shape[-1])
    parts = [
        jnp.ones_like(inputs[..., :1]),
        inputs,
        inputs[..., first] * inputs[..., second],
        hidden_layers(activation, ratio.layers, inputs),
    ]
    return jnp.concatenate(parts, axis=-1) @ ratio.last


@dataclass(frozen=True)
class DensityProblem:
    """The logistic loss, the Fokker–Planck residual and explicit L2; static for the compiler."""

    settings: DensitySettings

    @property
    def moves(self) -> tuple[Move, ...]:
        return (("ratio",),)

    def losses(
        self, fixed: MovingGaussian, weights: DensityWeights, batch: DensityBatch, step: int
    ) -> tuple[jax.Array, Terms]:
        """All terms by name."""
        terms = {"contrast": self.held_out(fixed, weights, batch)}
        if batch.equation is not None and self.settings.equation:
            residual = equation_residual(self.settings.activation, fixed, weights.ratio, batch.equation)
            terms["Fokker-Planck equation"] = self.settings.equation * jnp.mean(residual**2)
        total = sum((jnp.sum(leaf**2) for leaf in jax.tree.leaves(weights)), jnp.zeros(()))
        terms["weight decay"] = self.settings.weight_decay * total
        return sum(terms.values(), jnp.zeros(())), terms

    def held_out(self, fixed: MovingGaussian, weights: DensityWeights, batch: DensityBatch) -> jax.Array:
        """−E log p(data) − ν E log p(noise) of the classifier with odds û/(ν q)."""
        odds = partial(_log_ratio, self.settings.activation, fixed, weights.ratio)
        shift, contrast = np.log(self.settings.contrast), self.settings.contrast
        data = jax.nn.softplus(shift - odds(batch.data))
        noise = jax.nn.softplus(odds(batch.noise) - shift)
        return jnp.mean(data) + contrast * jnp.mean(noise)

    def optimizer(self, step: int) -> Optimizer:
        return optimizer(self.settings.schedule, self.settings.steps, None)

    def remedy(self, terms: tuple[str, ...]) -> str:
        return "lower the learning rate of the density, or look for extreme values in the data"


def equation_residual(
    activation: str, gaussian: MovingGaussian, ratio: Network, known: EquationCoefficients
) -> Float[jax.Array, " b"]:
    """The residual of the Fokker–Planck equation divided by u: zero for a solution, of order one without cancellation.

    With ℓ = log u: ℓ_t + (f^i − ∂_j a^{ij}) ℓ_i + div f − ½ ∂_ij a^{ij} − ½ a^{ij} (ℓ_ij + ℓ_i ℓ_j), relative to the
    size of its terms, which are huge near a sharp initial law and would dominate the loss.
    """

    def logarithm(point: jax.Array) -> jax.Array:
        return log_density(activation, gaussian, ratio, point)

    slope = jax.vmap(jax.grad(logarithm))(known.points)
    curvature = jax.vmap(jax.jacfwd(jax.grad(logarithm)))(known.points)[:, 1:, 1:]
    inner = curvature + slope[:, 1:, None] * slope[:, None, 1:]
    transport = jnp.sum((known.drift - known.divergence) * slope[:, 1:], axis=1)
    spread = 0.5 * jnp.einsum("bij,bij->b", known.squared, inner)
    parts = gaussian.half * jnp.stack([slope[:, 0], transport, known.reaction, -spread])
    size = jnp.sqrt(1.0 + jnp.sum(jax.lax.stop_gradient(parts) ** 2, axis=0))
    return jnp.sum(parts, axis=0) / size


@dataclass(frozen=True, eq=False)
class NeuralDensity:
    """The learnt density û(t, x) with derivatives: a frozen value of arrays and settings.

    Inside JAX code: `log_density(density.settings.activation, density.gaussian, density.ratio, points)`.
    """

    names: tuple[str, ...]
    settings: DensitySettings
    gaussian: MovingGaussian
    layers: tuple[HiddenLayer, ...]
    last: Float[np.ndarray, " p"]
    history: History

    @property
    def ratio(self) -> Network:
        """The network in the form that its functions take."""
        return Network(tuple((layer.weights, layer.bias) for layer in self.layers), self.last)

    def __call__(self, t: Float[np.ndarray, " b"] | Any, x: Float[np.ndarray, "b d"] | Any) -> Float[np.ndarray, " b"]:
        """û at points t (B,), x (B, d)."""
        return self.jet(t, x, 0)[()]

    def jet(
        self, t: Float[np.ndarray, " b"] | Any, x: Float[np.ndarray, "b d"] | Any, order: int = 2
    ) -> dict[Derivative, Float[np.ndarray, " b"]]:
        """Derivatives of û up to an order, named as in `core/coefficients.py`."""
        points = points_of(t, x, len(self.names))
        filled = np.concatenate([points, np.repeat(points[-1:], (-len(points)) % ROWS, axis=0)])
        parts = [
            jax.device_get(_tower(self.settings.activation, order, self.gaussian, self.ratio, filled[k : k + ROWS]))
            for k in range(0, len(filled), ROWS)
        ]
        tensors = [np.concatenate([part[level] for part in parts])[: len(points)] for level in range(order + 1)]
        return {d: np.ascontiguousarray(tensors[len(d)][(..., *d)]) for d in derivatives(points.shape[1], order)}


@partial(jax.jit, static_argnums=(0, 1))
def _tower(activation: str, order: int, gaussian: MovingGaussian, ratio: Network, points: jax.Array) -> list[jax.Array]:
    """û and its derivatives, one tensor per order."""

    def density(point: jax.Array) -> jax.Array:
        return jnp.exp(log_density(activation, gaussian, ratio, point))

    function, result = density, []
    for _ in range(order + 1):
        result.append(jax.vmap(function)(points))
        function = jax.jacfwd(function)
    return result


def fit_density(
    source: IncrementSource | Any,
    settings: DensitySettings | Any | None = None,
    *,
    coefficients: Coefficients | Any | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> NeuralDensity:
    """Learn û from recorded states; `coefficients` (a surrogate, say) adds the Fokker–Planck equation as a penalty."""
    require_float64()
    settings = DensitySettings() if settings is None else settings
    if not isinstance(settings, DensitySettings):
        raise InputError(f"The settings of a density must be DensitySettings(…), not {settings!r}.")
    increments = _states(source)
    points = np.column_stack([increments.t, increments.x])
    gaussian = fit_gaussian(points, settings.degree, settings.width)
    rng = np.random.default_rng([seed, 2])
    inputs = points.shape[1]
    layers = initial_layers((inputs, *settings.widths), rng)
    last = np.zeros(1 + inputs + inputs * (inputs + 1) // 2 + settings.widths[-1])
    split = split_by_path(increments, settings.held_out, rng)
    known = None
    if coefficients is not None and settings.equation:
        known = _tabulated(coefficients, points, gaussian, rng)
    draw = _Draw(points, gaussian, settings, split, known, rng)
    problem, kept = DensityProblem(settings), draw.held_out()
    held_out = None if kept is None else held_out_loss(problem, gaussian, kept)
    plan = Plan(settings.steps, settings.check_every, settings.patience)
    start = begin(problem, DensityWeights(Network(layers, last)))
    watch = said(progress or silent, "training the density", plan)
    trained = train(problem, start, Material(gaussian, draw, held_out), plan, watch)
    return _assembled(source.names, settings, gaussian, jax.device_get(trained.best.weights).ratio, trained.summary)


def _assembled(
    names: tuple[str, ...], settings: DensitySettings, gaussian: MovingGaussian, ratio: Network, history: History
) -> NeuralDensity:
    layers = tuple(HiddenLayer(np.array(matrix), np.array(bias)) for matrix, bias in ratio.layers)
    return NeuralDensity(tuple(names), settings, gaussian, layers, np.array(ratio.last), history)


def _states(source: Any) -> Increments:
    """All states but the last of each path, evenly thinned if there are very many."""
    if not isinstance(source, IncrementSource):
        raise InputError(f"A density is learnt from Trajectories, not from a {type(source).__name__}.")
    blocks = list(source.chunks())
    joined = Increments(*(np.concatenate(arrays) for arrays in zip(*blocks, strict=True)))
    if np.ptp(joined.t) > 0 and len(np.unique(joined.trajectory)) == len(joined.t):
        raise InputError(
            "These data are single steps that begin at different times, so that their density does not solve the "
            "Fokker–Planck equation; give paths from one initial law, or set the weight of L9 to zero."
        )
    rows = slice(None, None, max(1, -(-len(joined.t) // LEARNT.most_states)))
    thinned = Increments(*(array[rows] for array in joined))
    if len(thinned.t) < LEAST_STATES:
        raise InputError(
            f"There are {len(thinned.t)} states, too few to learn a density from; give {LEAST_STATES} or more."
        )
    return thinned


def _tabulated(
    source: Coefficients, points: Float[np.ndarray, "m v"], gaussian: MovingGaussian, rng: np.random.Generator
) -> EquationCoefficients:
    """The equation's coefficients at some of the states, without outlying ones."""
    mean, width = gaussian.at(points[:, 0])
    near = np.flatnonzero((np.abs(points[:, 1:] - mean) < LEARNT.reach * width).all(axis=1))
    chosen = points[np.sort(rng.choice(near, min(LEARNT.tabulated, len(near)), replace=False))]
    jet = source.jet(chosen[:, 0], chosen[:, 1:], JetOrder(drift=1, diffusion_squared=2))
    n, shape = points.shape[1] - 1, len(chosen)
    f, a = jet.drift, jet.diffusion_squared
    nothing, none = np.zeros((shape, n)), np.zeros((shape, n, n))
    expansion = sum((f.get((i + 1,), nothing)[:, i] for i in range(n)), np.zeros(shape))
    divergence = sum((a.get((j + 1,), none)[:, :, j] for j in range(n)), nothing)
    double = sum(
        (a.get(tuple(sorted((i + 1, j + 1))), none)[:, i, j] for i in range(n) for j in range(n)), np.zeros(shape)
    )
    return EquationCoefficients(chosen, f.get((), nothing), expansion - 0.5 * double, divergence, a.get((), none))


@dataclass(frozen=True)
class _Draw:
    """Draws minibatches: data without replacement, noise at the same times, points for the equation."""

    points: Float[np.ndarray, "m v"]
    gaussian: MovingGaussian
    settings: DensitySettings
    split: PathSplit
    known: EquationCoefficients | None
    rng: np.random.Generator

    def __call__(self, first: int, iterations: int) -> DensityBatch:
        trained, size = self.split.trained, self.settings.batch
        again = len(trained) < size
        rows = np.stack([self.rng.choice(len(trained), size, replace=again, shuffle=False) for _ in range(iterations)])
        data = self.points[trained[rows]][:, None]
        known = None
        if self.known is not None:
            picks = self.rng.integers(len(self.known.points), size=(iterations, 1, self.settings.collocation))
            known = EquationCoefficients(*(array[picks] for array in self.known))
        return DensityBatch(data, self._noise(data), known)

    def held_out(self) -> DensityBatch | None:
        """Fixed states and noise for the held-out loss."""
        rows = held_out_rows(self.split, self.rng)
        if rows is None:
            return None
        data = self.points[rows]
        return DensityBatch(data, self._noise(data), None)

    def _noise(self, data: Float[np.ndarray, "*rest m v"]) -> Float[np.ndarray, "*rest k v"]:
        times = np.repeat(data[..., 0], self.settings.contrast, axis=-1)
        return self.gaussian.draw(times, self.rng)
