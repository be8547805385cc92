"""Fits a NeuralSurrogate to trajectories: overview of the data, training, exact solution of the last layers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool

from liestonet.errors import InputError
from liestonet.neural.coefficients.batches import gather, held_out_rows, minibatches, split_by_path, spread_of
from liestonet.neural.coefficients.coefficient_networks import CoefficientWeights, Form, Units, initial_weights
from liestonet.neural.coefficients.likelihood import (
    IncrementBatch,
    Minibatch,
    likelihood_terms,
    penalised_terms,
    squared_sum,
)
from liestonet.neural.coefficients.neural_surrogate import HiddenLayer, NeuralSurrogate
from liestonet.neural.coefficients.output_layer import settle
from liestonet.neural.coefficients.settings import Cholesky, CoefficientSettings, Diagonal, Schedule, optimizer
from liestonet.neural.coefficients.stepsize import step_directions
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
from liestonet.surrogate.features import coordinate_variants
from liestonet.surrogate.noiseless_coordinates import noisy_coordinates
from liestonet.surrogate.overview import Overview, look_over
from liestonet.surrogate.regression import evaluate, regress, scaled_block
from liestonet.surrogate.spectral_fit import drift_targets
from liestonet.trajectories.increments import Increments, IncrementSource


@dataclass(frozen=True)
class CoefficientProblem:
    """The training problem: static for the compiler; all numbers that change are arguments."""

    form: Form
    structure: Diagonal | Cholesky
    rate: Schedule
    steps: int
    clip: float | None
    weight_decay: float

    @property
    def moves(self) -> tuple[Move, ...]:
        """The steps of an iteration: all weights at once, or drift and diffusion in turn."""
        if isinstance(self.structure, Diagonal):
            return (("drift", "diffusion"),)
        return (("drift",),) * self.structure.drift_steps + (("diffusion",),) * self.structure.diffusion_steps

    def losses(self, fixed: Units, weights: CoefficientWeights, batch: Minibatch, step: int) -> tuple[jax.Array, Terms]:
        """The likelihood and the L2 penalty; for steps that change the diffusion also its penalties."""
        if isinstance(self.structure, Cholesky) and self.moves[step] == ("diffusion",):
            terms = penalised_terms(self.structure, self.form, fixed, weights, batch)
        else:
            terms, _ = likelihood_terms(self.form, fixed, weights, batch.increments)
        terms["weight decay"] = self.weight_decay * squared_sum(weights)
        return sum(terms.values(), jnp.zeros(())), terms

    def held_out(self, fixed: Units, weights: CoefficientWeights, batch: IncrementBatch) -> jax.Array:
        """The likelihood alone."""
        return sum(likelihood_terms(self.form, fixed, weights, batch)[0].values(), jnp.zeros(()))

    def optimizer(self, step: int) -> Optimizer:
        """The optimiser of a step: drift and diffusion may have separate rates; a repeated step makes more updates."""
        move, own = self.moves[step], self.rate
        if isinstance(self.structure, Cholesky) and move == ("diffusion",):
            own = self.structure.diffusion_schedule or own
        return optimizer(own, self.steps * self.moves.count(move), self.clip)

    def remedy(self, terms: tuple[str, ...]) -> str:
        return "lower the learning rate of the surrogate, set clip=1.0, or look for extreme values in the data"


class Prepared(NamedTuple):
    """The overview of the data, its increments inside the box, the noisy coordinates, and units."""

    overview: Overview
    increments: Increments
    noisy: Bool[np.ndarray, " n"]
    units: Units


def fit_coefficients(
    source: object,
    settings: CoefficientSettings | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> NeuralSurrogate:
    """Estimate drift and diffusion by networks. The same seed on the same machine gives the same bits."""
    require_float64()
    settings = CoefficientSettings() if settings is None else settings
    if not isinstance(settings, CoefficientSettings):
        raise InputError(f"The settings of a neural surrogate must be CoefficientSettings(…), not {settings!r}.")
    if not isinstance(source, IncrementSource):
        raise InputError(
            f"A neural surrogate is learnt from Trajectories, not from a {type(source).__name__}; make them with "
            "Trajectories.from_arrays or Trajectories.read."
        )
    say = progress or silent
    say("looking over the data")
    prepared = prepare(source, settings)
    form = _form(settings, prepared.noisy)
    data = _batch(prepared.increments)
    weights, history = _trained(settings, form, prepared, data, seed, say)
    say("solving the last layers" if settings.polish else "covariance of the last layers")
    weights, errors = settle(form, prepared.units, jax.device_get(weights), data, settings.polish)
    surrogate = _assembled(settings, form, prepared, weights, errors, history)
    return replace(surrogate, errors=errors.with_hidden(step_directions(surrogate)))


def prepare(source: IncrementSource, settings: CoefficientSettings) -> Prepared:
    """Choose the box, determine which coordinates have noise, and choose units by a rough polynomial drift."""
    overview = look_over(source)
    features = coordinate_variants(overview.domain)[0]
    sample = scaled_block(overview.sample, overview.domain)
    n = sample.dx.shape[1]
    rough = regress([sample], features, [(i,) for i in range(n)], *drift_targets(overview, sample.dx))
    noisy = noisy_coordinates(overview, rough)
    if not noisy.any():
        raise InputError(
            "No coordinate of these data has noise, and networks are learnt by the likelihood of noise; take series "
            "instead (surrogate='spectral')."
        )
    if settings.every_noise:
        noisy = np.ones(n, dtype=bool)
    increments = gather(source, overview.domain if settings.inside else None, overview.count)
    points = np.column_stack([increments.t, increments.x])
    half = overview.domain.half
    slopes = evaluate(rough, sample.points)
    rest = (sample.dx - slopes * sample.dt[:, None]) / np.sqrt(sample.dt)[:, None]
    sigma = np.sqrt(np.mean(rest**2, axis=0))
    # a drift matters from the size at which it is comparable with the noise over the recorded time
    drift = np.maximum(np.sqrt(np.mean(slopes**2, axis=0)), np.where(noisy, sigma, 1e-6))
    drift, sigma = drift * half[1:] / half[0], (sigma * half[1:] / np.sqrt(half[0]))[noisy]
    if not settings.scale_outputs:
        drift, sigma = np.ones_like(drift), np.ones_like(sigma)
    return Prepared(overview, increments, noisy, Units(points.mean(axis=0), spread_of(points), drift, sigma))


def _form(settings: CoefficientSettings, noisy: Bool[np.ndarray, " n"]) -> Form:
    active = tuple(np.flatnonzero(noisy).tolist())
    structure = _structure(settings, len(active))
    return Form(
        dimension=len(noisy),
        active=active,
        diagonal=isinstance(structure, Diagonal),
        activation=settings.activation,
        skip=settings.skip,
        time_dependent=settings.time_dependent,
        floor=settings.floor,
    )


def _structure(settings: CoefficientSettings, noise: int) -> Diagonal | Cholesky:
    """The structure asked for; by default one network for one noisy coordinate, else a full σ."""
    return settings.structure or (Diagonal() if noise <= 1 else Cholesky())


def _batch(increments: Increments) -> IncrementBatch:
    return IncrementBatch(np.column_stack([increments.t, increments.x]), increments.dt, increments.dx)


def _trained(
    settings: CoefficientSettings, form: Form, prepared: Prepared, data: IncrementBatch, seed: int, say: Progress
) -> tuple[CoefficientWeights, History]:
    """Train on all paths but those held out."""
    rng = np.random.default_rng([seed, 1])
    weights = initial_weights(form, settings.widths, rng, settings.start)
    split = split_by_path(prepared.increments, settings.held_out, rng)
    rows = held_out_rows(split, rng)
    structure = _structure(settings, len(form.active))
    problem = CoefficientProblem(
        form, structure, settings.schedule, settings.steps, settings.clip, settings.weight_decay
    )
    draw = minibatches(data, split.trained, len(problem.moves), settings.batch, rng)
    keys = _Keys(jax.random.key(seed), len(problem.moves))
    kept = None if rows is None else IncrementBatch(*(array[rows] for array in data))
    material = Material(
        prepared.units,
        lambda first, steps: Minibatch(draw(steps), keys(steps)),
        None if kept is None else held_out_loss(problem, prepared.units, kept),
    )
    plan = Plan(settings.steps, settings.check_every, settings.patience)
    trained = train(problem, begin(problem, weights), material, plan, said(say, "training the surrogate", plan))
    return trained.best.weights, trained.summary


class _Keys:
    """Random keys (steps, inner steps), each split from the one before."""

    def __init__(self, key: jax.Array, inner: int) -> None:
        self.key, self.inner = key, inner

    def __call__(self, steps: int) -> jax.Array:
        self.key, used = _split_off(self.key, steps * self.inner)
        return used.reshape(steps, self.inner)


@partial(jax.jit, static_argnums=1)
def _split_off(key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
    """The next key, and `count` keys to use."""

    def split(key: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        rest, used = jax.random.split(key)
        return rest, used

    return jax.lax.scan(split, key, length=count)


def _assembled(
    settings: CoefficientSettings,
    form: Form,
    prepared: Prepared,
    weights: CoefficientWeights,
    errors: Any,
    history: History,
) -> NeuralSurrogate:
    """Everything as NumPy arrays in one frozen value."""
    return NeuralSurrogate(
        overview=prepared.overview,
        settings=settings,
        form=form,
        centre=prepared.units.centre,
        spread=prepared.units.spread,
        drift_unit=prepared.units.drift,
        diffusion_unit=prepared.units.diffusion,
        drift_layers=_layers(weights.drift.layers),
        diffusion_layers=_layers(weights.diffusion.layers),
        drift_last=np.array(weights.drift.last),
        diffusion_last=np.array(weights.diffusion.last),
        errors=errors,
        history=history,
    )


def _layers(layers: Any) -> tuple[HiddenLayer, ...]:
    return tuple(HiddenLayer(np.array(matrix), np.array(bias)) for matrix, bias in layers)
