"""`liestonet validate`: every check of a kept result, on its own data or on others. Reads options, prints."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from liestonet.cli.discover import (
    Gap,
    Logarithms,
    Names,
    RestartClock,
    Stride,
    Thin,
    Window,
    Windows,
    check_folder,
    names,
    read_data,
    write_files,
)


def validate_run(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", show_default=False, help="A result that was kept in a file, run.lsn.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table of paths to validate on.  [default: what the result kept of its own]"),
    ] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the times.")] = None,
    trajectory: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column whose label tells the paths apart.")
    ] = None,
    state: Names = None,
    log: Logarithms = None,
    window: Window = None,
    stride: Stride = None,
    restart_clock: RestartClock = False,
    thin: Thin = None,
    gap: Gap = None,
    draws: Annotated[
        int | None,
        typer.Option(
            help="Largest number of bootstrap samples for pushed data.  [default: 20 a generator, at least 39]"
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help='Write the result as a page, with "How sure are we?".')
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for page, JSON and run with the validation; may be the run's own."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")] = False,
) -> None:
    """Validate a result: is it true?

    Asks first whether the data are a diffusion at all, then whether its generators are symmetries of them: by
    likelihood, by finite pushes beside random ones, by refits after a push, and against the Fokker–Planck equation.

    \b
    Examples:
      liestonet validate run.lsn
      liestonet validate run.lsn --data other.csv --time t --state x
      liestonet validate run.lsn --data series.csv --state x --window 100 --restart-clock
      liestonet validate run/run.lsn --out run
      liestonet validate run.lsn --report sure.html
    """
    from liestonet.cli.output import check_report, emit, paragraphs, stages, write_page
    from liestonet.cli.progress import VALIDATING, without
    from liestonet.validation.validate import validate

    if report is not None:
        check_report(report)
    if out is not None:
        check_folder(out)
    with stages(not quiet, without(VALIDATING, drawing=report is None and out is None)) as progress:
        result = load_run(run)
        paths = None
        if data is not None:
            columns, windows = (names(state), names(log) or ()), Windows(window, stride, restart_clock)
            paths = read_data(data, time, trajectory, *columns, windows, thin, gap, sort=False, stream=False)
        found = validate(result, paths, draws=draws, progress=progress)
        told = result.with_validation(found)
        if report is not None:
            write_page(told, report, progress)
        if out is not None:
            write_files(told, out, progress)
    if json:
        from liestonet.validation.summary import to_json

        emit(to_json(found) + "\n")
        return
    lines = found.sentences()
    if quiet:
        emit("\n".join(paragraphs(lines[:1])) + "\n")
        return
    from liestonet.validation.summary import tables

    emit("\n".join([*paragraphs(lines), "", *tables(found)]) + "\n")


def load_run(run: Path) -> Any:
    """The result in a file."""
    return import_module("liestonet.storage").load(run)
