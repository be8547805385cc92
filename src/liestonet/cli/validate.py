"""`liestonet validate`: all checks of a saved result, on its own data or on others. Reads options, prints."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from liestonet.cli.discover import check_folder, write_files
from liestonet.cli.options import (
    Clock,
    ColumnNames,
    Decimal,
    Delimiter,
    Dt,
    Exposure,
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
    Run,
    State,
    Steps,
    Stride,
    Thin,
    Time,
    Trajectory,
    Window,
)
from liestonet.cli.reading import Reading, Windows, read_clock, read_measurement


def validate_run(
    run: Run,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table of paths to validate on.  [default: increments stored in the result]"),
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
    draws: Annotated[
        int | None,
        typer.Option(
            help="Largest number of bootstrap samples for pushed data.  [default: 20 per generator, at least 39]"
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write the HTML report with the validation.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for report, JSON and result with the validation; may be the same."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Validate a result on data.

    Tests first whether the data are a diffusion, then whether the generators are symmetries of it: by likelihood
    ratio, by moving the paths along them (compared with random fields), by fitting moved paths, and by the
    Fokker–Planck equation.

    \b
      run.lsn + paths  -->  pushed |  refit |  likelihood    each a p-value

    \b
    Examples:
      liestonet validate run.lsn
      liestonet validate run.lsn --data other.csv --time t --state x
      liestonet validate run.lsn --data series.csv --state x
      liestonet validate run/run.lsn --out run
      liestonet validate run.lsn --report sure.html
    """
    from liestonet.cli.output import check_report, emit, emit_next, paragraphs, stages, typed_words, write_page
    from liestonet.core.pace import VALIDATING, without
    from liestonet.render.next_check import after_validation
    from liestonet.validation.validate import validate

    if report is not None:
        check_report(report)
    if out is not None:
        check_folder(out)
    with stages(not quiet, without(VALIDATING, drawing=report is None and out is None)) as progress:
        result = load_run(run)
        paths = None
        if data is not None:
            windows = Windows(window, stride, restart_clock)
            paths = Reading(
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
            ).read(data)
        known = {"measurement": read_measurement(noise, exposure, steps, order), "clock": read_clock(clock)}
        found = validate(result, paths, draws=draws, progress=progress, **known)
        told = result.with_validation(found)
        if report is not None:
            write_page(told, report, progress)
        if out is not None:
            write_files(told, out, progress)
    if json:
        from liestonet.render.validation_text import to_json

        emit(to_json(found) + "\n")
        return
    lines = found.sentences()
    if quiet:
        emit("\n".join(paragraphs(lines[:1])) + "\n")
        return
    from liestonet.render.validation_text import tables

    emit("\n".join([*paragraphs(lines), "", *tables(found)]) + "\n")
    kept = report is not None or out is not None
    emit_next(after_validation(typed_words(), told, found.contradicted, kept))


def load_run(run: Path) -> Any:
    """The result in a file."""
    return import_module("liestonet.storage").load(run)
