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
        help='Such as "dx = -x dt + dW", or a name of the catalogue; "-" reads it from stdin.',
    ),
]
Parameter = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Value of a parameter, such as k=1.5 or k=3/2; repeatable."),
]
Stratonovich = Annotated[bool, typer.Option("--stratonovich", help="Read the equation in Stratonovich's sense.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same paths.")]

# Recorded paths
File = Annotated[
    Path,
    typer.Argument(metavar="FILE", show_default=False, help="Table of paths: .csv[.gz], .parquet, .npz, .h5 or .nc."),
]
Time = Annotated[str | None, typer.Option("--time", metavar="COLUMN", help="Column of the times.")]
Trajectory = Annotated[
    str | None, typer.Option("--trajectory", metavar="COLUMN", help="Column whose label tells the paths apart.")
]
State = Annotated[
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
Clock = Annotated[
    str,
    typer.Option(
        "--clock",
        metavar="CLOCK",
        help="recorded, restart (in windows, for long recordings), a period such as 86400, or auto.",
    ),
]
Thin = Annotated[int | None, typer.Option("--thin", help="Keep every k-th point of a path.")]
Gap = Annotated[float | None, typer.Option("--gap", help="A step longer than this splits a path.")]

# What is looked for, and how it is shown
Symmetry = Annotated[
    str,
    typer.Option(
        "--symmetry",
        metavar="KIND",
        help="ito (fixes the noise), law (fixes the law of the paths) or fokker-planck (density).",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print generators and commutators in LaTeX.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.html", help="Write the result as a page for a browser.")
]
Run = Annotated[
    Path, typer.Argument(metavar="RUN", show_default=False, help="A file that --save or --out wrote, run.lsn.")
]
