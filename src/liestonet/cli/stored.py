"""`liestonet open`: print a result that was saved in a file."""

from __future__ import annotations

from pathlib import Path

from liestonet.cli.options import Json, Latex, Quiet, Report, Run
from liestonet.errors import InputError


def open_run(
    file: Run,
    json: Json = False,
    latex: Latex = False,
    quiet: Quiet = False,
    report: Report = None,
) -> None:
    """Open a saved result and print it again.

    Nothing is computed again, and nothing in the file is executed: it contains numbers, formulas and texts.

    \b
      run.lsn  -->  verdict, ladder, generators, meaning  (nothing computed)

    \b
    Examples:
      liestonet solve langevin --save run.lsn
      liestonet open run.lsn
      liestonet open run.lsn --latex > langevin.tex
      liestonet open run.lsn --report langevin.html
    """
    from liestonet.cli.output import check_forms, check_report, show_result
    from liestonet.storage import load

    check_forms(json, latex)
    if report is not None:
        check_report(report)
    result = load(file)
    if report is not None:
        result.report(report)
    show_result(result, json, latex, quiet)


def check_run(file: Path) -> None:
    """Raise an error if a file cannot be written, before anything is computed."""
    from liestonet.trajectories.writers import check_place

    if file.suffix != ".lsn":
        raise InputError(f"--save {str(file)!r} must end in .lsn, such as run.lsn; rename it.")
    check_place(file)
