"""`liestonet validate`: every check of a kept result, on its own data or on others. Reads options, prints."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from liestonet.cli.discover import Logarithms, Names, names, read_data


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
    draws: Annotated[int, typer.Option(help="Bootstrap samples behind the p-values of pushed data.")] = 39,
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
    """
    from liestonet.cli.output import emit, stages
    from liestonet.validation.validate import validate

    with stages(not quiet) as progress:
        result = load_run(run)
        paths = None
        if data is not None:
            columns = names(state), names(log) or ()
            paths = read_data(data, time, trajectory, *columns, (None, None), None, None, sort=False, stream=False)
        found = validate(result, paths, draws=draws, progress=progress)
    if json:
        from liestonet.validation.summary import to_json

        emit(to_json(found) + "\n")
        return
    lines = found.sentences()
    if quiet:
        emit(lines[0] + "\n")
        return
    from liestonet.validation.summary import tables

    emit("\n".join([*lines, "", *tables(found)]) + "\n")


def load_run(run: Path) -> Any:
    """The result in a file."""
    return import_module("liestonet.storage").load(run)
