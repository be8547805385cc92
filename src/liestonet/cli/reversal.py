"""`liestonet reversible`: test of detailed balance for recorded paths or an equation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liestonet.cli.arguments import read_equation, read_periods
from liestonet.cli.options import (
    Clock,
    ColumnNames,
    Dt,
    Exposure,
    Gap,
    Json,
    Noise,
    Parameter,
    Periodic,
    Quiet,
    State,
    Steps,
    Thin,
    Time,
    Trajectory,
)
from liestonet.cli.reading import Reading, Windows, read_clock, read_measurement
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.trajectories import Trajectories


def reverse(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help='A table of paths, as for discover, or an equation such as "dx = v dt; dv = (-x - v) dt + dW".',
        ),
    ],
    odd: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,…", help="Coordinates that change sign when time is reversed, such as a velocity. Repeatable."
        ),
    ] = None,
    time: Time = None,
    trajectory: Trajectory = None,
    state: State = None,
    dt: Dt = None,
    columns: ColumnNames = None,
    thin: Thin = None,
    gap: Gap = None,
    clock: Clock = "auto",
    noise: Noise = None,
    exposure: Exposure = None,
    steps: Steps = None,
    periodic: Periodic = None,
    param: Parameter = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Test detailed balance: does the stationary process look the same when time runs backwards?

    For recorded paths: a likelihood-ratio test, the part of the drift that breaks detailed balance, and the entropy
    production with its error. For an equation: a proof, or a point where it fails, and the entropy production.

    \b
      forwards  /\\_/\\_  >        same statistics?
      backwards _/\\_/\\  <        entropy production

    \b
    Examples:
      liestonet reversible tracks.csv --state "x, y"
      liestonet reversible particle.csv --state "x, v" --odd v --json
      liestonet reversible "dx = v dt; dv = (x - x^3 - v) dt + dW" --odd v
    """
    from liestonet.cli.output import emit, emit_next, paragraphs, stages, typed_words
    from liestonet.render.next_check import after_reversal
    from liestonet.sde.sde import SDE
    from liestonet.validation.reversal.reversible import reversible

    names = [name.strip() for text in odd or () for name in text.split(",")]
    with stages(not quiet) as progress:
        data: SDE | Trajectories
        if _is_equation(source):
            data = read_equation(source, param or (), False)[0]
            data = data.with_periods(read_periods(periodic)) if periodic else data
        else:
            if progress is not None:
                progress(f"reading {Path(source).name}")
            windows = Windows(None, None, False)
            reading = Reading(
                time, trajectory, state, None, windows, thin, gap, dt=dt, columns=columns, periodic=periodic
            )
            data = reading.read(Path(source))
        measurement = read_measurement(noise, exposure, steps)
        if isinstance(data, SDE) and measurement is not None:
            raise InputError("--noise, --exposure and --steps are for recorded paths; leave them out for an equation.")
        found = reversible(data, names, measurement=measurement, clock=read_clock(clock), progress=progress)
    if json:
        from json import dumps

        emit(dumps(found.to_dictionary(), indent=2, ensure_ascii=False) + "\n")
        return
    lines = found.sentences()
    emit("\n".join(paragraphs(lines[:1] if quiet else lines)) + "\n")
    if not quiet:
        emit_next(after_reversal(typed_words(), isinstance(data, SDE)))


def _is_equation(source: str) -> bool:
    """Whether the source is an equation, not a file: it has an equals sign, or is read from stdin."""
    return source == "-" or ("=" in source and not Path(source).exists())
