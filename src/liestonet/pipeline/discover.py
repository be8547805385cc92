"""The pipeline on data: `discover` goes from trajectories to symmetries.

In order: the input is checked here; the engine fits drift and diffusion and searches (inference/spectral_engine.py, in
the stages of inference/stages.py; or neural/engine.py); the data are checked for faults (diagnostics/report.py); and
pipeline/assemble.py finds a readable basis, formulas and the algebra, and makes the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from liestonet.core.flags import Flag
from liestonet.core.notebook_bar import with_bar
from liestonet.core.numbers import is_real, is_whole, plain, truth_of
from liestonet.core.pace import DISCOVERING
from liestonet.core.progress import Progress, silent
from liestonet.core.provenance import provenance_of
from liestonet.core.threads import few_threads
from liestonet.diagnostics.report import data_flags
from liestonet.errors import InputError
from liestonet.inference.adequacy import adequacy_of
from liestonet.inference.clock import ClockFound, choose_clock, may_be_recorded, with_date_test
from liestonet.inference.engine import Discovered, Engine, Request
from liestonet.inference.spectral_engine import Spectral
from liestonet.pipeline.assemble import data_result, with_provenance
from liestonet.pipeline.crew import with_crew
from liestonet.pipeline.tuning import discover_tuning
from liestonet.result import Result
from liestonet.sde.sde import SDE
from liestonet.surrogate.spectral_fit import fit_spectral
from liestonet.surrogate.surrogate import Surrogate
from liestonet.symmetry.determining.kinds import Kind, kind_from_data
from liestonet.symmetry.statistical.verdicts import Criteria
from liestonet.trajectories.clock import RECORDED, Relabelled, recorded_source
from liestonet.trajectories.increments import IncrementSource, in_memory
from liestonet.trajectories.measurement import Measurement, marked
from liestonet.trajectories.velocities import has_velocities, require_state, with_velocities

if TYPE_CHECKING:
    from liestonet.densities.likelihood import ModelFit


@overload
def fit(
    data: IncrementSource | Any,
    model: None = None,
    *,
    measurement: Measurement | Any | None = None,
    clock: str | float | Any = "auto",
    scheduler: str | Any | None = None,
    workers: int | Any | None = None,
    progress: Progress | None = None,
) -> Surrogate: ...


@overload
def fit(
    data: IncrementSource | Any,
    model: str | SDE,
    *,
    boundary: str | Any | None = None,
    start: Mapping[str, float] | Any | None = None,
    domain: Any = None,
    measurement: Measurement | Any | None = None,
    progress: Progress | None = None,
) -> ModelFit: ...


@few_threads
def fit(
    data: IncrementSource | Any,
    model: str | Any | None = None,
    *,
    boundary: str | Any | None = None,
    start: Mapping[str, float] | Any | None = None,
    domain: Any = None,
    measurement: Measurement | Any | None = None,
    clock: str | float | Any = "auto",
    scheduler: str | Any | None = None,
    workers: int | Any | None = None,
    progress: Progress | None = None,
) -> Surrogate | ModelFit:
    """Estimate drift and diffusion from trajectories, with the covariance of the estimates.

    `measurement`, `clock`, `scheduler` and `workers` are as in `discover`; on a clock that restarts, drift and
    diffusion do not depend on time.

    With a `model`, a scalar equation with free constants such as "dx = k*(m - x) dt + s dW" whose density has a closed
    form (`lsn.density`), the constants are fitted by exact maximum likelihood (a `ModelFit`), for steps of any length.
    `boundary` and `domain` are those of `density`; `start` gives initial values of the constants.
    """
    if model is not None:
        from liestonet.densities.likelihood import fit_model

        source = in_memory(data)
        if isinstance(source, IncrementSource):
            source = require_state(marked(source, measurement), "A model")
        return fit_model(source, model, boundary, start, domain, progress)
    if boundary is not None or start is not None or domain is not None:
        raise InputError("boundary, start and domain are settings of a model; give model='dx = ... dt + ... dW' too.")
    with with_crew(_checked(data, measurement), scheduler, workers, progress or silent) as (source, say):
        return fit_spectral(choose_clock(source, clock)[0], say)


@few_threads
@with_bar(DISCOVERING)
def discover(
    data: IncrementSource | Any,
    engine: Engine | Any | None = None,
    symmetry: str | Kind | Any = "ito",
    *,
    dimension: int | Any | None = None,
    tolerance: float | Any = Criteria.tolerance,
    error_rate: float | Any = Criteria.error_rate,
    formulas: bool | Any = True,
    seed: int | Any = 0,
    measurement: Measurement | Any | None = None,
    clock: str | float | Any = "auto",
    scheduler: str | Any | None = None,
    workers: int | Any | None = None,
    progress: Progress | None = None,
) -> Result:
    """The symmetries of the system that produced the trajectories, each with a confidence interval and a p-value.

    `symmetry` is "ito", "law" or "fokker-planck". A direction counts as a symmetry if a residual of zero is not
    rejected and its confidence interval lies below `tolerance`. `error_rate` is the probability of missing any true
    symmetry (family-wise), and one minus the confidence of an interval. `dimension` fixes the number of generators
    instead. The spectral engine draws no random numbers that depend on `seed`; the neural engine does.

    `clock` is "recorded" for times as they are, "restart" for a clock that restarts in windows whose length comes
    from the recording's own times, or a period (time of day, phase of a force) in the unit of the times; "auto" takes
    "restart" if long paths cover many relaxation times, else "recorded". On a clock that restarts, a test decides
    whether the law depends on the date (`result.measurement.clock`), and gives the row of ∂t on the ladder. Unless the
    data are marked exact, tests decide whether the fit is adequate (`result.fit_quality`): for a recording with memory,
    or of paths that differ, no symmetry is confirmed.

    `measurement` says how the data were recorded, for instance `lsn.Measurement(noise=0.02)`; by default the data's
    own mark. In one coordinate, and in two on a clock that restarts, errors of the points, exposure and the length of
    the steps are part of the model, unless the data are marked as Euler steps without error (`result.measurement`).
    With `lsn.Measurement(order=2)` the data are positions of a system with inertia: the state is (x, v), and velocities
    are estimated together with drift and diffusion.

    Files of `Trajectories.scan` may be read by several processes: `scheduler` is the address of a dask.distributed
    scheduler, `workers` a number of processes to start here. They compute sums, and the result is the same.
    """
    with with_crew(data, scheduler, workers, progress or silent) as (source, say):
        chosen_engine = _checked_engine(engine)
        kind, number = kind_from_data(symmetry), _checked_seed(seed)
        criteria = _criteria(tolerance, error_rate)
        given = (plain(dimension), truth_of("formulas", formulas), number, say)
        timed, chosen = choose_clock(_checked(source, measurement), clock)
        return _discovered(chosen_engine, Request(timed, kind, criteria, *given), chosen)


def _checked_engine(engine: Engine | Any | None) -> Engine:
    engine = Spectral() if engine is None else engine
    if not isinstance(engine, Engine):
        raise InputError(f"The engine must be liestonet.Spectral() or liestonet.Neural(), not {engine!r}.")
    return engine


def _discovered(engine: Engine, request: Request, chosen: ClockFound) -> Result:
    """The steps of `discover` for data on a chosen clock."""
    source, kind, criteria, dimension = request.source, request.kind, request.criteria, request.dimension
    if has_velocities(source) and not isinstance(engine, Spectral):
        require_state(source, "The neural engine")
    found = engine.discover(request)
    if chosen.window is not None:
        request.say("testing for dependence on the date")
        chosen = with_date_test(chosen, source, found.surrogate, kind, criteria)
        if may_be_recorded(chosen, recorded_source(source)):
            source, chosen = choose_clock(recorded_source(source), RECORDED)
            request = replace(request, source=source)
            found = engine.discover(request)
    found = found.on_clock(chosen, dimension is not None)
    changes = chosen.date is not None and chosen.date.rejected  # which may cause the tests of the fit to reject
    tested = isinstance(source, Relabelled) or not source.measurement.is_exact
    if tested and isinstance(found.surrogate, Surrogate) and not changes:
        request.say("testing the fit")
        found = found.tested(adequacy_of(source, found.surrogate), dimension is not None)
    request.say("checking the data")
    result = data_result(request, found, (*found.notes, *_about_the_data(found, criteria)))
    made = provenance_of(
        "discover",
        "data",
        request.seed,
        engine=repr(engine),
        symmetry=kind.name,
        dimension=dimension if is_whole(dimension) else None,  # the engine has refused all other values
        tolerance=criteria.tolerance,
        error_rate=criteria.error_rate,
        formulas=request.formulas,
        clock=None if chosen == ClockFound(automatic=True) else chosen.option,
    )
    return with_provenance(result, replace(made, tuning=discover_tuning(*found.tuning)))


def _about_the_data(found: Discovered, criteria: Criteria) -> Iterator[Flag]:
    """Flags about the data, from the residuals of the series; a neural engine has no such residuals."""
    if isinstance(found.surrogate, Surrogate):
        yield from data_flags(found.surrogate, found.search.rows, criteria.tolerance)


def _checked(data: Any, measurement: Any = None) -> IncrementSource:
    if not isinstance(data, IncrementSource):
        raise InputError(
            f"discover and fit take Trajectories, not a {type(data).__name__}; make them with Trajectories.from_arrays "
            "or Trajectories.read."
        )
    return with_velocities(marked(data, measurement))


def _checked_seed(seed: Any) -> int:
    if not is_whole(seed) or not 0 <= seed < 2**63:
        raise InputError(f"The seed must be a whole number from 0 to 2⁶³ − 1, not {seed!r}.")
    return int(seed)


def _criteria(tolerance: Any, error_rate: Any) -> Criteria:
    for name, value in (("tolerance", tolerance), ("error_rate", error_rate)):
        if not (is_real(value) and 0 < value < 1):
            raise InputError(f"The {name} must be a number between 0 and 1, not {value!r}.")
    return Criteria(float(tolerance), float(error_rate))
