"""`liestonet discover`: recorded paths in, their symmetries out. Reads options, calls the library, prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.result import Result
    from liestonet.trajectories import Trajectories

RESULT_FILE, REPORT_FILE, RUN_FILE = "result.json", "report.html", "run.lsn"

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", show_default=False, help="Table of paths: .csv[.gz], .parquet, .npz, .h5 or .nc."),
]
Names = Annotated[
    list[str] | None,
    typer.Option("--state", metavar="COLUMN,…", help='Columns of the coordinates, such as "x, y". Repeatable.'),
]
Logarithms = Annotated[
    list[str] | None,
    typer.Option("--log", metavar="NAME,…", help="Coordinates to replace by their logarithms. Repeatable."),
]
Window = Annotated[int | None, typer.Option("--window", help="Cut each path into windows of so many points.")]
Stride = Annotated[int | None, typer.Option("--stride", help="Points between the starts of windows.")]
RestartClock = Annotated[
    bool,
    typer.Option(
        "--restart-clock", help="Begin every window at time 0. Assumes that the law does not depend on the date."
    ),
]
Thin = Annotated[int | None, typer.Option("--thin", help="Keep every k-th point of a path.")]
Gap = Annotated[float | None, typer.Option("--gap", help="A step longer than this splits a path.")]


@dataclass(frozen=True)
class Windows:
    """What was asked for about windows: their points, the points between their starts, and clocks of their own."""

    points: int | None = None
    stride: int | None = None
    restart: bool = False

    def check(self) -> None:
        """The other options say something about windows, which there must be."""
        for option in ("--stride",) * (self.stride is not None) + ("--restart-clock",) * self.restart:
            if self.points is None:
                raise InputError(f"{option} needs --window, which says how many points a window has; add it.")

    def cut(self, data: Trajectories) -> Trajectories:
        """The data in windows, or as they are where none were asked for."""
        return data if self.points is None else data.windows(self.points, self.stride, restart=self.restart)


def discover(
    file: File,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the times.")] = None,
    trajectory: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column whose label tells the paths apart.")
    ] = None,
    state: Names = None,
    log: Logarithms = None,
    symmetry: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="ito (fixes the noise), law (fixes the law of the paths) or fokker-planck (density)."
        ),
    ] = "ito",
    engine: Annotated[
        str,
        typer.Option(metavar="ENGINE", help="spectral (series, linear algebra), neural (trained networks) or both."),
    ] = "spectral",
    dimension: Annotated[int | None, typer.Option(help="Number of generators, if it is known.")] = None,
    tolerance: Annotated[float, typer.Option(help="Largest relative residual of a symmetry.")] = 0.1,
    error_rate: Annotated[float, typer.Option(help="Chance of losing any true symmetry.")] = 0.05,
    window: Window = None,
    stride: Stride = None,
    restart_clock: RestartClock = False,
    thin: Thin = None,
    gap: Gap = None,
    sort: Annotated[bool, typer.Option("--sort", help="Sort each path by time first.")] = False,
    stream: Annotated[bool, typer.Option("--stream", help="Leave a large Parquet file on disk.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help=f"Folder for {REPORT_FILE}, {RESULT_FILE} and {RUN_FILE}; made if need be."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    no_formulas: Annotated[bool, typer.Option("--no-formulas", help="Do not look for closed forms.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")] = False,
) -> None:
    """Find the Lie symmetries of the system that recorded paths come from.

    Prints what the data say in one sentence, then the evidence: residual, interval and p-value of every direction,
    the generators, their algebra, and what to watch out for. Columns without a name given are found where they can be.

    \b
    Examples:
      liestonet discover paths.csv --time t --trajectory path --state x
      liestonet discover tracks.parquet --state "x, y" --symmetry law --out run
      liestonet discover prices.csv --time date --state price --log price --window 250
      liestonet discover series.csv --state x --window 100 --restart-clock
      liestonet discover tracks.csv --thin 6 --gap 0.5 --no-formulas --json
    """
    from liestonet.cli.output import emit, remembering, show, stages
    from liestonet.cli.progress import DISCOVERING, without
    from liestonet.from_data import discover as find_symmetries

    if out is not None:
        check_folder(out)
    with stages(not quiet, without(DISCOVERING, drawing=out is None, formulas=no_formulas)) as progress:
        if progress is not None:
            progress(f"reading {file.name}")
        data = read_data(
            file,
            time,
            trajectory,
            names(state),
            names(log) or (),
            Windows(window, stride, restart_clock),
            thin,
            gap,
            sort,
            stream,
        )
        result = find_symmetries(
            data,
            engine=engine_named(engine),
            symmetry=symmetry,
            dimension=dimension,
            tolerance=tolerance,
            error_rate=error_rate,
            formulas=not no_formulas,
            progress=progress,
        )
        result = remembering(result)
        written = () if out is None else write_files(result, out, progress)
    if json:
        emit(result.to_json() + "\n")
        return
    from liestonet.terminal_data import render_discovery
    from liestonet.verdict import verdict

    if quiet:
        emit(verdict(result) + "\n")
        return
    show(render_discovery(result))
    if written:
        emit(f"\nReport: {written[0]}\nResult: {written[1]} and {written[2]}\n")


def engine_named(name: str) -> Any:
    """The engine with this name; the neural one works in 64 bits, which are switched on here."""
    if name == "spectral":
        return None
    if name not in ("neural", "both"):
        raise InputError(f"The engine {name!r} is unknown; choose spectral, neural or both.")
    from liestonet.neural.availability import switch_to_float64
    from liestonet.neural.settings import Neural

    switch_to_float64()
    return Neural(compare=name == "both")


def names(texts: Sequence[str] | None) -> list[str] | None:
    """The parts of a repeatable option, which may also be separated by commas."""
    return None if texts is None else [piece.strip() for text in texts for piece in text.split(",")]


def read_data(
    file: Path,
    time: str | None,
    trajectory: str | None,
    state: Sequence[str] | None,
    logarithms: Sequence[str],
    windows: Windows,
    thin: int | None,
    gap: float | None,
    sort: bool,
    stream: bool,
) -> Any:
    """Read or open a file and reshape it: logarithms, then every k-th point, then windows."""
    import numpy as np

    from liestonet.trajectories import Trajectories

    windows.check()
    if stream:
        wanted = {"--log": logarithms, "--thin": thin, "--window": windows.points, "--sort": sort}
        for option in (option for option, value in wanted.items() if value):
            raise InputError(f"A streamed file is taken as it is; leave {option} or --stream out.")
        return Trajectories.stream(file, time, trajectory, state, gap=gap)
    data = Trajectories.read(file, time, trajectory, state, sort=sort, gap=gap)
    if logarithms:
        data = data.transform(**dict.fromkeys(logarithms, np.log))
    if thin is not None:
        data = data.thin(thin)
    return windows.cut(data)


def check_folder(folder: Path) -> None:
    """Refuse a folder that could not be made or written to, before work is done for it."""
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir():
        raise InputError(f"--out {str(folder)!r} must be a folder, but {str(existing)!r} is a file; choose another.")
    for taken in (folder / name for name in (RESULT_FILE, REPORT_FILE, RUN_FILE)):
        if taken.is_dir():
            raise InputError(f"{str(taken)!r} is a folder, but a file of that name is to be written; move it away.")
    try:
        with TemporaryDirectory(dir=existing):  # permissions alone do not tell: nobody makes a folder in /proc
            pass
    except OSError as problem:
        raise InputError(
            f"The folder {str(existing)!r} cannot be written to; choose another place for --out."
        ) from problem


def write_files(result: Result, folder: Path, progress: Callable[[str], None] | None) -> tuple[Path, Path, Path]:
    """The result in a folder: a page, JSON, and a file that `liestonet open` reads, each whole or not at all."""
    from liestonet.cli.output import write_page
    from liestonet.trajectories.writers import replacing

    text = result.to_json() + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / RESULT_FILE) as stream:
        stream.write(text.encode())
    result.save(folder / RUN_FILE)
    return write_page(result, folder / REPORT_FILE, progress), folder / RESULT_FILE, folder / RUN_FILE
