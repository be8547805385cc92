"""Arguments and options that several commands have, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

# Equations
Equation = Annotated[
    str,
    typer.Argument(
        metavar="EQUATION",
        show_default=False,
        help='Such as "dx = -x dt + dW", or a name from the catalogue; "-" reads it from stdin.',
    ),
]
Parameter = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Value of a parameter, such as k=1.5 or k=3/2; repeatable."),
]
Stratonovich = Annotated[bool, typer.Option("--stratonovich", help="Read the equation as Stratonovich.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same paths.")]

# Recorded paths
File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Table of paths: .csv, .txt, .dat, .tsv (or .gz), .parquet, .npz, .npy, .h5, .nc or .mat.",
    ),
]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…",
        show_default=False,
        help="Tables of paths: .csv, .txt, .dat, .tsv (or .gz), .parquet, .npz, .npy, .h5, .nc or .mat; one file, "
        'several, a folder, or a pattern in quotes such as "runs/*.parquet". Data too large for memory are read in '
        "pieces.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="CONDITION",
        help="A result for each condition, and their comparison: a column, or a part of the files' names, as in "
        "'run_{condition}_*.csv'.",
    ),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", min=1, help="With --by: groups analysed in parallel on this machine.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Scheduler (dask.distributed) whose workers read the files, such as tcp://10.0.0.1:8786; with --by each "
        "group is a job.",
    ),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="Processes on this machine that read the files in parallel.")
]
Time = Annotated[str | None, typer.Option("--time", metavar="COLUMN", help="Column with the times.")]
Trajectory = Annotated[str | None, typer.Option("--trajectory", metavar="COLUMN", help="Column that labels the paths.")]
State = Annotated[
    list[str] | None,
    typer.Option("--state", metavar="COLUMN,…", help='Columns of the coordinates, such as "x, y". Repeatable.'),
]
Logarithms = Annotated[
    list[str] | None,
    typer.Option("--log", metavar="NAME,…", help="Coordinates to replace by their logarithms. Repeatable."),
]
Window = Annotated[int | None, typer.Option("--window", help="Cut each path into windows of this many points.")]
Stride = Annotated[int | None, typer.Option("--stride", help="Points between the starts of windows.")]
RestartClock = Annotated[
    bool,
    typer.Option(
        "--restart-clock", help="Begin every window at time 0. Assumes that the law does not depend on the date."
    ),
]
Periodic = Annotated[
    list[str] | None,
    typer.Option(
        "--periodic",
        metavar="NAME=PERIOD",
        help="An angle or phase and its period: theta=2pi, theta=360; or none. Repeatable.",
    ),
]
Clock = Annotated[
    str,
    typer.Option(
        "--clock",
        metavar="CLOCK",
        help="Origin of time: recorded, restart (in windows, for long recordings), a period such as 86400, or auto.",
    ),
]
Noise = Annotated[
    float | None,
    typer.Option("--noise", help="Standard deviation of the measurement error, 0 for none; estimated if not given."),
]
Exposure = Annotated[
    float | None,
    typer.Option(
        "--exposure",
        help="Motion blur: fraction of a step, 0 to 1, over which each point is averaged; estimated if not given.",
    ),
]
Steps = Annotated[
    str | None,
    typer.Option(
        "--steps", metavar="KIND", help="continuous, or euler for data simulated with one Euler step per recorded step."
    ),
]
Order = Annotated[
    int | None,
    typer.Option("--order", help="2 for positions of a system with inertia: velocities are estimated.  [default: 1]"),
]
Thin = Annotated[int | None, typer.Option("--thin", help="Keep every k-th point of a path.")]
Gap = Annotated[float | None, typer.Option("--gap", help="A step longer than this splits a path.")]

OwnClock = Annotated[
    bool, typer.Option("--own-clock", help="Count the times of each of several files from its first row.")
]
OwnErrors = Annotated[
    bool,
    typer.Option("--own-errors", help="Estimate errors of the points and exposure for each of several files."),
]
Sort = Annotated[bool, typer.Option("--sort", help="Sort each path by time first.")]
Dt = Annotated[
    float | None,
    typer.Option(
        "--dt", help="Time between rows, if no column has the times; with --time, the time of one count in that column."
    ),
]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option("--columns", metavar="NAME,…", help='Names of all columns, such as "t, x, y", if the file has none.'),
]
Layout = Annotated[
    str,
    typer.Option(
        "--layout",
        metavar="LAYOUT",
        help="long (one row per time, coordinates in columns), columns or rows (one path in each).  "
        "[default: by inspection]",
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", metavar="MARK", help='Separator between the columns of a text file: ",", ";", tab or space.'
    ),
]
Decimal = Annotated[str | None, typer.Option("--decimal", metavar="MARK", help='Decimal mark: "." or ",".')]

# The kind of symmetry, and the form of the output
Symmetry = Annotated[
    str,
    typer.Option(
        "--symmetry",
        metavar="KIND",
        help="ito (same noise), law (same law of the paths) or fokker-planck (same equation of the density).",
    ),
]
AnySymmetry = Annotated[
    str,
    typer.Option(
        "--symmetry",
        metavar="KIND",
        help="ito (same noise), law (same law of the paths), fokker-planck (same equation of the density) or random "
        "(same noise; the transformation depends on it).",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print generators and commutators in LaTeX.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Write the result as an HTML report.")
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE.png", help="Draw paths against time and the steps of each coordinate: .png, .svg, .pdf."
    ),
]
Run = Annotated[
    Path,
    typer.Argument(metavar="RUN", show_default=False, help="Result file written by --save or --out, such as run.lsn."),
]
