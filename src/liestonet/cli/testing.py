"""`liestonet test`: test whether a generator or a map is a symmetry of data. Calls the library, prints."""

from __future__ import annotations

from typing import Annotated

import typer

from liestonet.cli.options import (
    Clock,
    ColumnNames,
    Decimal,
    Delimiter,
    Dt,
    Exposure,
    File,
    Gap,
    Json,
    Layout,
    Logarithms,
    Noise,
    Order,
    OwnClock,
    Periodic,
    Quiet,
    RestartClock,
    State,
    Steps,
    Stride,
    Thin,
    Time,
    Trajectory,
    Window,
)
from liestonet.cli.reading import Reading, Windows, read_clock, read_measurement
from liestonet.errors import InputError


def try_generators(
    file: File,
    generator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            show_default=False,
            help='Such as "2 t d_t + x d_x", in t and the names of the columns. Repeatable: all are tested together.',
        ),
    ] = None,
    point_map: Annotated[
        str | None,
        typer.Option(
            "--map",
            metavar="MAP",
            show_default=False,
            help='A map instead (mirror, rotation, shift), such as "x -> -x", "x, y -> -y, x" or "t, x -> t + 1, -x".',
        ),
    ] = None,
    time: Time = None,
    trajectory: Trajectory = None,
    state: State = None,
    dt: Dt = None,
    columns: ColumnNames = None,
    layout: Layout = "auto",
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    log: Logarithms = None,
    symmetry: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help="law, ito or fokker-planck.  [default: law, and fokker-planck where u d_u occurs]"
        ),
    ] = None,
    window: Window = None,
    stride: Stride = None,
    restart_clock: RestartClock = False,
    clock: Clock = "auto",
    noise: Noise = None,
    exposure: Exposure = None,
    steps: Steps = None,
    order: Order = None,
    thin: Thin = None,
    gap: Gap = None,
    periodic: Periodic = None,
    own_clock: OwnClock = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Test whether a given vector field, or a map, is a symmetry of recorded paths.

    A likelihood-ratio test: how much log-likelihood is lost if drift and diffusion are fitted with this symmetry
    imposed? Prints the p-value, and the relative residual with its interval: 0 % is an exact symmetry. Give exactly
    one of --generator and --map.

    \b
      paths  --push by eps-->  pushed paths:  same law?   p, residual

    \b
    Examples:
      liestonet test paths.csv --generator "2 t d_t + x d_x"
      liestonet test tracks.parquet --generator "d_t" --generator "-y d_x + x d_y"
      liestonet test paths.csv --generator "exp(-t) d_x" --symmetry ito --json
      liestonet test series.csv --state x --clock restart --generator "d_t"
      liestonet test well.csv --map "x -> -x"
      liestonet test tracks.csv --state "x, y" --map "x, y -> -y, x" --json
    """
    from liestonet.cli.output import emit, emit_next, paragraphs, stages, typed_words
    from liestonet.render.next_check import after_test
    from liestonet.validation.maps.map_input import is_map
    from liestonet.validation.ratio_test import test

    if (generator is None) == (point_map is None):
        raise InputError(
            'Give exactly one of --generator, such as --generator "x d_x", and --map, such as --map "x -> -x".'
        )
    claim = point_map if generator is None else ";".join(generator)
    if point_map is not None and not is_map(point_map):
        raise InputError(f'--map {point_map!r} has no arrow; write a map such as "x -> -x".')
    with stages(not quiet) as progress:
        if progress is not None:
            progress(f"reading {file.name}")
        windows = Windows(window, stride, restart_clock)
        data = Reading(
            time,
            trajectory,
            state,
            log,
            windows,
            thin,
            gap,
            dt=dt,
            columns=columns,
            layout=layout,
            delimiter=delimiter,
            decimal=decimal,
            periodic=periodic,
            own_clock=own_clock,
        ).read(file)
        if progress is not None:
            progress("testing")
        measurement = read_measurement(noise, exposure, steps, order)
        outcome = test(data, claim, symmetry, measurement=measurement, clock=read_clock(clock))
    if json:
        from dataclasses import asdict
        from json import dumps

        emit(dumps(asdict(outcome), indent=2, ensure_ascii=False, default=lambda array: array.tolist()) + "\n")
        return
    lines = outcome.sentences()
    emit("\n".join(paragraphs(lines[:1] if quiet else lines)) + "\n")
    if not quiet:
        emit_next(after_test(typed_words(), point_map is not None, outcome.rejected))
