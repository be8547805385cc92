"""`liestonet open`: a result that was kept in a file, printed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from liestonet.errors import InputError


def open_run(
    file: Annotated[
        Path, typer.Argument(metavar="RUN", show_default=False, help="A file that --save or --out wrote, run.lsn.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print generators and commutators in LaTeX.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print one sentence only.")] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write the result as a page for a browser.")
    ] = None,
) -> None:
    """Open a result that was kept in a file and print it again.

    Nothing is computed again, and nothing in the file is executed: it holds numbers, formulas and texts.

    \b
    Examples:
      liestonet solve langevin --save run.lsn
      liestonet open run.lsn
      liestonet open run.lsn --latex > langevin.tex
      liestonet open run.lsn --report langevin.html
    """
    from liestonet.cli.output import check_forms, check_report, emit, show, show_result
    from liestonet.storage import load

    check_forms(json, latex)
    if report is not None:
        check_report(report)
    result = load(file)
    if report is not None:
        result.report(report)
    if result.data is None or json or latex:
        show_result(result, json, latex, quiet)
        return
    from liestonet.terminal_data import data_verdict, render_discovery

    if quiet:
        emit(data_verdict(result) + "\n")
    else:
        show(render_discovery(result))


def check_run(file: Path) -> None:
    """Refuse a file that could not be written, before work is done for it."""
    from liestonet.trajectories.writers import check_place

    if file.suffix != ".lsn":
        raise InputError(f"--save {str(file)!r} must end in .lsn, such as run.lsn; rename it.")
    check_place(file)
