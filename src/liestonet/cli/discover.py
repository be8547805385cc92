"""`liestonet discover`: from recorded paths to their symmetries. Reads options, calls the library, prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from liestonet.cli.options import (
    By,
    Clock,
    ColumnNames,
    Decimal,
    Delimiter,
    Dt,
    Exposure,
    Files,
    Gap,
    Jobs,
    Json,
    Layout,
    Logarithms,
    Noise,
    Order,
    OwnClock,
    OwnErrors,
    Periodic,
    Quiet,
    RestartClock,
    Scheduler,
    Sort,
    State,
    Steps,
    Stride,
    Symmetry,
    Thin,
    Time,
    Trajectory,
    Window,
    Workers,
)
from liestonet.cli.reading import Reading, Windows, read_clock, read_measurement
from liestonet.core.tuning import SHARED
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.result import Result

RESULT_FILE, REPORT_FILE, RUN_FILE = "result.json", "report.html", "run.lsn"


def discover(
    files: Files,
    by: By = None,
    time: Time = None,
    trajectory: Trajectory = None,
    state: State = None,
    dt: Dt = None,
    columns: ColumnNames = None,
    layout: Layout = "auto",
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    log: Logarithms = None,
    symmetry: Symmetry = "ito",
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="spectral (series, linear algebra), neural (trained networks), both, or paper (the paper's recipe: "
            "many minutes).",
        ),
    ] = "spectral",
    dimension: Annotated[int | None, typer.Option(help="Number of generators, if it is known.")] = None,
    tolerance: Annotated[
        float, typer.Option(help="Largest relative residual of a symmetry.")
    ] = SHARED.default_tolerance,
    error_rate: Annotated[
        float, typer.Option(help="Probability of missing any true symmetry (family-wise error).")
    ] = SHARED.default_error_rate,
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
    own_errors: OwnErrors = False,
    sort: Sort = False,
    scheduler: Scheduler = None,
    workers: Workers = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help=f"Folder for {REPORT_FILE}, {RESULT_FILE} and {RUN_FILE}; created if needed."
        ),
    ] = None,
    jobs: Jobs = None,
    json: Json = False,
    discrete: Annotated[
        bool,
        typer.Option(
            "--discrete", help="Also test mirrors, rotations by fixed angles and permutations, and name their group."
        ),
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Full report: every kind of symmetry, maps, validation, detailed balance, the equation. --out is "
            "its folder.",
        ),
    ] = False,
    no_formulas: Annotated[bool, typer.Option("--no-formulas", help="Skip the search for closed forms.")] = False,
    quiet: Quiet = False,
) -> None:
    """Find the Lie symmetries of the system that recorded paths come from.

    Prints the verdict in one sentence, then the evidence: residual, interval and p-value of every direction,
    the generators, their algebra, and flags. Columns not named are guessed from the header where possible.

    With --by each condition gets a result, and the conditions are compared: do they share an algebra, and the constants
    of their equation? The results are in the folder --out; a run that was stopped continues there.

    \b
        x |\\_                       residual of each direction
          |  \\/\\_/\\_   -->   d_t    |#      |  symmetry
          +--------- t       ...    |     ##|  not a symmetry

    \b
    Examples:
      liestonet discover paths.csv --time t --trajectory path --state x
      liestonet discover tracks.parquet --state "x, y" --symmetry law --out run
      liestonet discover prices.csv --time date --state price --log price --window 250
      liestonet discover series.csv --state x --clock 86400
      liestonet discover tracks.csv --thin 6 --gap 0.5 --no-formulas --json
      liestonet discover trap.txt --dt 0.0069 --exposure 1
      liestonet discover "runs/*.parquet" --workers 4 --out run
      liestonet discover well.csv --discrete --out run
      liestonet discover paths.csv --all --out everything
      liestonet discover paths.csv --state x --engine paper --dimension 3
      liestonet discover 'runs/run_{T}_*.csv' --by T --out study --jobs 4
      liestonet discover all.parquet --by condition --out study
    """
    from liestonet.cli.full_report import FOLDER, FullReport, full_report
    from liestonet.cli.groups import Conditions, discover_by, only_with_by
    from liestonet.cli.output import emit, show_result, stages, with_command
    from liestonet.core.pace import DISCOVERING, without
    from liestonet.pipeline.discover import discover as find_symmetries
    from liestonet.validation.maps.discrete import discrete as find_maps

    if everything and (json or symmetry != "ito" or by is not None):
        raise InputError("--all looks for every kind and writes files; leave --symmetry, --json and --by out.")
    if everything and (workers is not None or scheduler is not None or own_errors):
        raise InputError("--all needs all paths in memory; leave --workers, --scheduler and --own-errors out.")
    reading = Reading(
        time,
        trajectory,
        state,
        log,
        Windows(window, stride, restart_clock),
        thin,
        gap,
        sort,
        dt,
        columns,
        layout,
        delimiter,
        decimal,
        periodic,
        own_clock,
        own_errors,
    )
    search = {
        "symmetry": symmetry,
        "dimension": dimension,
        "tolerance": tolerance,
        "error_rate": error_rate,
        "formulas": not no_formulas,
        "measurement": read_measurement(noise, exposure, steps, order),
        "clock": read_clock(clock),
    }
    if by is not None:
        refused = {"--discrete": discrete, "--workers": workers is not None, f"--engine {engine}": engine != "spectral"}
        discover_by(Conditions(files, by, reading, search, out, jobs or 1, scheduler), refused, json, quiet)
        return
    only_with_by(jobs)
    if out is not None:
        check_folder(out)
    with stages(not quiet, without(DISCOVERING, drawing=out is None, formulas=no_formulas)) as progress:
        if progress is not None:
            progress(f"reading {files[0].name if len(files) == 1 else f'{len(files)} files'}")
        many = scheduler is not None or workers is not None
        data = reading.scan(*files) if many else reading.read(*files)
        if everything:
            shared = {key: value for key, value in search.items() if key != "symmetry"}
            options = {"engine": engine_named(engine), **shared}
            full_report(FullReport(data, out or Path(FOLDER), options, progress), say_cost)
            return
        result = find_symmetries(
            data,
            engine=engine_named(engine),
            **search,
            scheduler=scheduler,
            workers=workers,
            progress=progress,
        )
        if discrete:
            result = result.with_discrete(
                find_maps(
                    data,
                    tolerance=tolerance,
                    error_rate=error_rate,
                    measurement=search["measurement"],
                    clock=search["clock"],
                    progress=progress,
                )
            )
        result = with_command(result)
        written = () if out is None else write_files(result, out, progress)
    show_result(result, json, False, quiet)
    if written and not (json or quiet):
        emit(f"\nReport: {written[0]}\nResult: {written[1]} and {written[2]}\n")


def say_cost(text: str) -> None:
    """Print the estimated time of a long run before it begins."""
    typer.echo(text, err=True)


def engine_named(name: str) -> Any:
    """The engine with this name; for the neural one, 64-bit arithmetic is switched on here."""
    if name == "spectral":
        return None
    if name not in ("neural", "both", "paper"):
        raise InputError(f"The engine {name!r} is unknown; choose spectral, neural, both or paper.")
    from liestonet.neural.availability import switch_to_float64
    from liestonet.neural.settings import Neural

    switch_to_float64()
    return Neural.paper() if name == "paper" else Neural(compare=name == "both")


def check_folder(folder: Path) -> None:
    """Raise an error if a folder cannot be created or written to, before anything is computed."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir():
        raise InputError(f"--out {str(folder)!r} must be a folder, but {str(existing)!r} is a file; choose another.")
    for taken in (folder / name for name in (RESULT_FILE, REPORT_FILE, RUN_FILE)):
        if taken.is_dir():
            raise InputError(f"{str(taken)!r} is a folder, but a file of that name is to be written; move it away.")
    try:
        with TemporaryDirectory(dir=existing):  # permissions are not sufficient: no folder can be created in /proc
            pass
    except OSError as problem:
        raise InputError(
            f"The folder {str(existing)!r} cannot be written to; choose another place for --out."
        ) from problem


def write_files(result: Result, folder: Path, progress: Callable[[str], None] | None) -> tuple[Path, Path, Path]:
    """Write a result to a folder: a page, JSON, and a file for `liestonet open`; no partial files."""
    from liestonet.cli.output import write_page
    from liestonet.trajectories.writers import replacing

    text = result.to_json() + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / RESULT_FILE) as stream:
        stream.write(text.encode())
    result.save(folder / RUN_FILE)
    return write_page(result, folder / REPORT_FILE, progress), folder / RESULT_FILE, folder / RUN_FILE
