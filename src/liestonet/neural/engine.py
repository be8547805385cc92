"""The neural engine: all steps from trajectories to a result, in order."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from liestonet.core.angles import principal_angles
from liestonet.core.flags import Flag
from liestonet.core.ladder import LadderRow
from liestonet.core.numbers import is_whole
from liestonet.core.points import PointCloud
from liestonet.core.tuning import SHARED, by_dimension
from liestonet.errors import InputError
from liestonet.inference.engine import Discovered, Request, dimension_flag, law_dimension
from liestonet.inference.refit import Imposed, refit_with_symmetries
from liestonet.inference.spectral_engine import Spectral
from liestonet.inference.stages import likely_refit
from liestonet.neural.checkpoint import digest_of_arrays
from liestonet.neural.clouds import PathPoints, make_cloud
from liestonet.neural.coefficients.density import fit_density
from liestonet.neural.frame import TrainingFrame, tabulate, tabulate_density
from liestonet.neural.generator_networks import Networks, make_networks
from liestonet.neural.generator_training import begin, train
from liestonet.neural.last_layer import Polished, polish
from liestonet.neural.objective import loss_names
from liestonet.neural.running import TrainingRun, Watch, begin_losses, require_places
from liestonet.neural.series_projection import ProjectedSpan, project_on, project_span
from liestonet.neural.settings import Neural
from liestonet.neural.stage_one import coefficient_sources, simulated_paths
from liestonet.neural.sweep import RULES, Rung, span_residuals, warm_start
from liestonet.neural.training import Trained
from liestonet.neural.training_record import TrainingRecord
from liestonet.neural.tuning import GENERATORS, LEARNT
from liestonet.surrogate.fitted import FittedCoefficients
from liestonet.symmetry.determining.basis import Basis
from liestonet.symmetry.determining.kinds import Kind
from liestonet.symmetry.statistical.noisy_operator import NoisyOperator
from liestonet.symmetry.statistical.search import Search, judge_span, mixed_cloud
from liestonet.symmetry.statistical.tuning import SEARCH
from liestonet.symmetry.statistical.verdicts import most_symmetries

MOST_GENERATORS = 200


@dataclass(frozen=True)
class Stage:
    """The input of stage 2: the coefficients, the frame, and the tabulated cloud."""

    settings: Neural
    kind: Kind
    source: Any
    frame: TrainingFrame
    cloud: Float[np.ndarray, "b v"]
    table: dict[str, np.ndarray]
    seed: int

    def evaluate(self, networks: Networks, points: Float[np.ndarray, "b v"]) -> Float[np.ndarray, "m b c"]:
        """Components of the networks at points of the data, in the data's units."""
        n = networks.dimension
        fields = networks(jnp.asarray(self.frame.enter(points)), jnp.zeros((len(points), n, n)))
        return np.asarray(fields.values) * self.frame.generator_scales(self.kind.has_beta)

    def on(self, source: Any) -> Stage:
        """The stage with the same points and the coefficients of another source."""
        names = ("density", "time_step")
        kept = {name: values for name, values in self.table.items() if name.startswith(names)}
        second = any(name.endswith("hessian") for name in self.table if not name.startswith("density"))
        return replace(
            self, source=source, table=kept | tabulate(self.kind, source, self.frame, self.cloud, second=second)
        )

    def networks(self, count: int) -> Networks:
        """New networks; their weights depend on the seed and on the number of generators."""
        key = jax.random.key(zlib.crc32(f"generators {self.seed} {count}".encode()))
        return make_networks(key, self.settings.architecture, count, self.source.dimension, self.kind.has_beta)


def run(settings: Neural, request: Request, given: FittedCoefficients | None = None) -> Discovered:
    """Fit or take the coefficients, train generators, test their span, impose it and train again."""
    kind, say = request.kind, request.say
    _require_losses(settings, kind)
    require_places(settings)
    fitted, source, shifts = (given, given, ()) if given is not None else coefficient_sources(settings, request)
    stage = _prepared(settings, source, request)
    begin_losses(settings)
    trained, rungs = _trained(stage, request)
    say("judging the generators")
    # as trained: with the last layer solved, near-symmetries with residuals below the noise would be added
    span = _span(stage, trained.weights, False)
    found = _judged(source, span, shifts, request)
    free = request.dimension is None and settings.selection == "jump"
    chosen = found.count if free else trained.weights.count
    refitted = None if trained.interrupted else _imposed(stage, fitted, found, chosen, request)
    if refitted is not None:
        stage = stage.on(refitted.refit.surrogate)
        trained = _trained_on(stage, trained, chosen, request)
        span = _span(stage, trained.weights, settings.polish, refitted.operator.basis)
        vectors = np.linalg.solve(refitted.operator.whitening, span.coefficients)
        refitted = replace(refitted, refit=replace(refitted.refit, vectors=np.linalg.qr(vectors)[0]))
    elif settings.polish:
        say("solving the last layer")
        span = _span(stage, trained.weights, True)
        found = _judged(source, span, shifts, request)
        chosen = found.count if free else chosen
    law = law_dimension(kind, fitted, found, request.criteria, say)
    discovered = Discovered(kind, fitted, found, chosen, refitted, law)
    record = TrainingRecord(
        settings=settings,
        networks=trained.weights,
        frame=stage.frame,
        has_beta=kind.has_beta,
        terms=settings.objective.active(kind.has_beta),
        history=trained.history,
        seconds=trained.seconds,
        rungs=rungs,
        selected={name: rule(rungs) for name, rule in RULES.items()},
        projection_error=span.error,
        interrupted=trained.interrupted,
        angle=_angle_to_spectral(discovered, stage.cloud, request) if settings.compare else None,
    )
    return replace(
        discovered, notes=tuple(_flags(record, found, request)), training=record, tuning=(GENERATORS, LEARNT)
    )


def _require_losses(settings: Neural, kind: Kind) -> None:
    """Raise an error if no loss that is evaluated has a weight."""
    if not settings.objective.active(kind.has_beta):
        number = 8 if kind.has_beta else 6
        raise InputError(
            f"No loss that is evaluated for {kind.name} symmetries has a weight; give objective.weights a positive "
            f"number in place {number}, that of the determining equations."
        )


def _imposed(stage: Stage, fitted: Any, found: Search, count: int, request: Request) -> Imposed | None:
    """The coefficients under the symmetries found, unless held-out paths reject them.

    Learnt coefficients keep no sums by parts of the data, and the likelihood ratio decides instead. Errors known by a
    sample suffice to test symmetries, but not to condition the coefficients on them.
    """
    if not (stage.settings.refit and count and stage.source.errors.complete):
        return None
    request.say(f"refitting with {count} {'symmetry' if count == 1 else 'symmetries'} imposed")
    basis, cloud = found.operator.basis, found.operator.cloud
    refitted = refit_with_symmetries(
        stage.source,
        lambda changed: NoisyOperator(stage.kind, changed, basis, cloud),
        found.operator,
        found.vectors[:, :count],
    )
    if fitted.information is not None:
        return likely_refit(fitted, stage.source, refitted)
    return refitted if refitted.refit.p_value > request.criteria.error_rate else None


def _trained_on(stage: Stage, trained: Trained, count: int, request: Request) -> Trained:
    """Train again on refitted coefficients, from the trained networks if the number of generators is the same."""
    known = trained.weights if trained.weights.count == count else None
    again = _train(stage, count, known, request, refitted=True)
    return replace(again, seconds=trained.seconds + again.seconds)


def _prepared(settings: Neural, source: Any, request: Request) -> Stage:
    """Choose the cloud and tabulate the coefficients on it, once; for L9 the density too."""
    domain, kind, seed = source.domain, request.kind, request.seed
    frame = TrainingFrame.of(domain, settings.scaled)
    cloud, steps = make_cloud(
        settings.cloud,
        domain,
        PathPoints(source.overview.points, source.overview.sample.dt),
        lambda paths, rng: simulated_paths(source, settings.cloud, paths, rng),
        seed,
    )
    active = settings.objective.active(kind.has_beta)
    table = tabulate(kind, source, frame, cloud, second=7 in active or 9 in active)
    if 9 in active:
        density = fit_density(request.source, coefficients=source, seed=seed, progress=request.say)
        table |= tabulate_density(density, frame, cloud)
    table["time_step"] = steps / frame.half[0]
    return Stage(settings, kind, source, frame, cloud, table, seed)


def _largest(stage: Stage) -> int:
    """The end of the sweep: the upper bound of the dimension for noise of full rank, else one more."""
    if stage.settings.sweep is not None:
        return _checked_dimension(stage.settings.sweep, stage)
    n = stage.source.dimension
    return most_symmetries(stage.kind, n) + (0 if stage.source.noise == n else 1)


def _trained(stage: Stage, request: Request) -> tuple[Trained, tuple[Rung, ...]]:
    """Networks for the given dimension, or for the one that the sweep selects."""
    if request.dimension is not None:
        count = _checked_dimension(request.dimension, stage)
        trained = _train(stage, count, None, request)
        return trained, (_rung(stage, trained),)
    settings, few = stage.settings, stage.source.dimension <= SHARED.few_coordinates
    one_by_one = few or settings.selection == "paper" or settings.start == "cold"
    return _swept(stage, request) if one_by_one else _from_above(stage, request)


def _swept(stage: Stage, request: Request) -> tuple[Trained, tuple[Rung, ...]]:
    """Trainings in sequence, each from the networks of the one before or from new weights."""
    runs: list[Trained] = []
    rungs: list[Rung] = []
    for count in range(1, _largest(stage) + 1):
        known = runs[-1].weights if runs and stage.settings.start == "warm" else None
        trained = _train(stage, count, known, request)
        if trained.interrupted and runs:
            # a stopped training is no evidence for or against one more generator
            runs = [replace(run, interrupted=True) for run in runs]
            break
        runs.append(trained)
        rungs.append(_rung(stage, trained))
        if trained.interrupted:
            break
    selected = max(1, RULES[stage.settings.selection](tuple(rungs)))
    return runs[selected - 1], tuple(rungs)


def _from_above(stage: Stage, request: Request) -> tuple[Trained, tuple[Rung, ...]]:
    """In many dimensions a single training at the bound, whose best subspans represent the smaller numbers."""
    trained = _train(stage, _largest(stage), None, request)
    whole = _rung(stage, trained)
    smaller = (Rung(count, {}, whole.residuals[:count]) for count in range(1, whole.count))
    rungs = (*smaller, whole)
    selected = max(1, RULES[stage.settings.selection](rungs))
    if trained.interrupted or selected == whole.count:
        return trained, rungs
    return _train(stage, selected, None, request), rungs


def _checked_dimension(dimension: object, stage: Stage) -> int:
    # more generators than a quarter of the points or of the recorded steps cannot be distinguished reliably
    most = max(1, min(len(stage.cloud) // 4, stage.source.overview.count // 4, MOST_GENERATORS))
    if not is_whole(dimension) or not 1 <= dimension <= most:
        raise InputError(
            f"The dimension must be a whole number from 1 to {most} for these data and this cloud, not {dimension!r}."
        )
    return int(dimension)


def _train(stage: Stage, count: int, known: Networks | None, request: Request, refitted: bool = False) -> Trained:
    """Train a number of generators, starting from the networks of fewer generators if given."""
    networks = stage.networks(count)
    if known is not None:
        networks = warm_start(networks, known)
    weights = {f"weight {position}": leaf for position, leaf in enumerate(jax.tree.leaves(networks))}
    origin = digest_of_arrays(stage.table | weights)
    training = TrainingRun(stage.kind.name, count, request.seed, refitted, origin)
    watch = Watch(stage.settings, training, request.say)
    request.say(f"{training}: compiling")
    start = watch.resumed(begin(networks, stage.settings, stage.kind.name))
    return train(start, stage.settings, stage.kind.name, stage.table, request.seed, watch)


def _rung(stage: Stage, trained: Trained) -> Rung:
    residuals = span_residuals(stage.kind.name, trained.weights, stage.table)
    active = stage.settings.objective.active(stage.kind.has_beta)
    losses = {number: trained.last(name) for number, name in zip(active, loss_names(active), strict=True)}
    return Rung(trained.weights.count, losses, tuple(residuals.tolist()))


def _span(stage: Stage, networks: Networks, solved: bool, basis: Basis | None = None) -> ProjectedSpan:
    """The span as polynomials of a given or sufficiently rich basis: as trained, or with the last layer solved."""
    evaluate = _polished(stage, networks) if solved else partial(stage.evaluate, networks)
    if basis is not None:
        return project_on(basis, evaluate(stage.cloud), stage.cloud)
    return project_span(stage.kind, stage.source.noise, stage.source.domain, evaluate, stage.cloud)


def _polished(stage: Stage, networks: Networks) -> Polished:
    """The last layer solved on some of the cloud's points."""
    domain = stage.source.domain
    wanted = GENERATORS.polished_on if domain.dimension <= SHARED.few_coordinates else GENERATORS.polished_on_beyond
    rows = stage.cloud[:: max(1, len(stage.cloud) // wanted)]
    cloud = PointCloud(rows, np.full(len(rows), 1 / len(rows)))
    return polish(stage.kind, stage.source, networks, stage.frame, domain, cloud)


def _judged(source: Any, span: ProjectedSpan, shifts: tuple[LadderRow, ...], request: Request) -> Search:
    """Verdicts on the span given the errors of the coefficients; exact shifts keep their earlier verdicts."""
    n, count = source.dimension, span.coefficients.shape[1]
    cloud = mixed_cloud(span.basis.domain, source.overview.points, by_dimension(SEARCH.points, n))
    operator = NoisyOperator(request.kind, source, span.basis, cloud)
    vectors = np.linalg.solve(operator.whitening, span.coefficients)
    found = judge_span(operator, request.kind, request.criteria, vectors)
    # in a span with shifts these come first, as directions without error
    return found.preceded(shifts) if len(shifts) <= count else found


def _angle_to_spectral(found: Discovered, points: Float[np.ndarray, "b v"], request: Request) -> float | None:
    """Largest unit-free angle, in degrees, between this span and the spectral engine's of the same dimension.

    None if there is nothing to compare, not-a-number if the spectral engine has no result of this dimension.
    """
    if not found.count:
        return None
    request.say("running the spectral engine for comparison")
    try:
        other = Spectral().discover(replace(request, dimension=found.count))
    except InputError:  # it has fewer directions than that
        return float("nan")
    half = found.surrogate.domain.half
    scale = (float(half[0]), half[1:].tolist())
    return float(principal_angles(found.fields, other.fields, points[:, 0], points[:, 1:], scale=scale).max())


def _flags(record: TrainingRecord, found: Search, request: Request) -> list[Flag]:
    """Flags about the training."""
    flags = []
    if record.interrupted:
        steps, wanted = len(record.history), record.settings.optimizer.steps
        what = (
            f"Training was stopped after {steps} of {wanted} steps; the generators are those of the last step."
            if steps < wanted
            else f"The sweep was stopped after m = {record.rungs[-1].count}; larger m were not tried."
        )
        flags.append(
            Flag(
                "interrupted",
                what,
                "Run it again with a checkpoint folder to continue from there.",
            )
        )
    if record.projection_error > GENERATORS.worth_saying:
        flags.append(
            Flag(
                "projected-networks",
                f"The networks were projected on polynomials, which miss {record.projection_error:.1%} of a generator.",
                "Call result.training.generators(t, x) for the networks themselves.",
            )
        )
    if record.angle is not None:
        angle = (
            f"The largest angle between this span and the spectral engine's is {record.angle:.2g}° in units of the box."
        )
        remedy = "If it is large, rely on the answer with the smaller residuals."
        if np.isnan(record.angle):
            angle, remedy = "The spectral engine has no answer of this dimension.", "Ask for a smaller dimension."
        flags.append(Flag("engines", angle, remedy))
    if request.dimension is None:
        flags.append(record.dimension_flag(found.count))
    flags += dimension_flag(found, request.dimension if is_whole(request.dimension) else None)
    return flags
