"""`liestonet look`: how a file would be read, before anything is computed. Reads options, prints."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from liestonet.cli.options import (
    ColumnNames,
    Decimal,
    Delimiter,
    Dt,
    File,
    Gap,
    Json,
    Layout,
    Plot,
    Sort,
    State,
    Time,
    Trajectory,
)
from liestonet.cli.output import TYPED, as_search
from liestonet.cli.reading import Reading
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.trajectories.look import Look

SHOWN_LINES, LINE_LENGTH = 5, 76
TEXT_SUFFIXES = (".csv", ".txt", ".dat", ".tsv", ".tab", ".asc", ".prn")


def look(
    file: File,
    time: Time = None,
    trajectory: Trajectory = None,
    state: State = None,
    dt: Dt = None,
    columns: ColumnNames = None,
    layout: Layout = "auto",
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    gap: Gap = None,
    sort: Sort = False,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Show what would be read from a file: rows, columns, steps, paths, gaps, a plot, and the command to type next.

    Nothing is computed. If the file can be read in several ways, each is listed with its command.

    \b
      file.txt  -->  columns, steps |  /\\  _  |  the command that
                     as read        |_/  \\/ \\_|  comes next

    \b
    Examples:
      liestonet look trap.txt
      liestonet look trap.txt --plot look.png
      liestonet look tracks.mat --dt 15
      liestonet look table.dat --columns "t, x, y"
      liestonet look wide.csv --layout columns --json
    """
    from liestonet.cli.output import emit
    from liestonet.core.files import check_picture
    from liestonet.trajectories.look import look_at

    if plot is not None:
        check_picture(plot)
    reading = Reading(
        time, trajectory, state, gap=gap, sort=sort, dt=dt, columns=columns, layout=layout, delimiter=delimiter,
        decimal=decimal,
    )  # fmt: skip
    try:
        data = reading.read(file)
        found = look_at(data)
    except InputError:
        if not json:
            emit("\n".join(first_lines(file)) + "\n" if first_lines(file) else "")
        raise
    if plot is not None:
        from liestonet.render.html.recording_plots import draw_recording

        draw_recording(data, plot)
    command = next_command(file)
    if json:
        from json import dumps

        emit(dumps({**found.to_dictionary(), "next": command}, indent=2, ensure_ascii=False) + "\n")
        return
    drawn = [] if plot is None else [f"Wrote {plot}.", ""]
    emit("\n".join([*first_lines(file), *described(found), *drawn, "Next", f"  {command}"]) + "\n")


def next_command(file: Path) -> str:
    """The command of the search with the same options."""
    words = list(TYPED.get()) or ["look", str(file)]
    return shlex.join(["liestonet", *(word for word in as_search(words) if word != "--json")])


def first_lines(file: Path) -> list[str]:
    """The first lines of a text file, unchanged."""
    from liestonet.trajectories.text_files import first_lines as lines_of

    if not file.name.lower().removesuffix(".gz").endswith(TEXT_SUFFIXES):
        return []
    try:
        lines = lines_of(file)
    except (InputError, OSError, EOFError, ValueError):
        return []
    shown = ["".join(letter if letter.isprintable() else " " for letter in line) for line in lines[:SHOWN_LINES]]
    cut = [line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…" for line in shown]
    return ["First lines of the file", *(f"  {line}" for line in cut), ""]


def described(found: Look) -> list[str]:
    """All lines of the description of the data."""
    from liestonet.cli.output import paragraphs

    cells = [found.headers, *(tuple(f"{value:.6g}" for value in row) for row in found.rows)]
    cells = [row[:6] for row in cells]
    widths = [max(len(row[index]) for row in cells) for index in range(len(cells[0]))]
    rows = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells]
    summary = [line for line in str(found.summary).split("\n") if not line.startswith("note ")]
    lines = ["First rows as they are read", *(f"  {row}" for row in rows), ""]
    width = len(summary[0]) - len(summary[0].removeprefix("paths").lstrip())
    lines += [*summary, f"{'steps':<{width}}{found.steps}", ""]
    notes = paragraphs(found.summary.notes)
    lines += ["Notes", *(f"  {line}" for line in notes), ""] if notes else []
    for title, plot in found.plots:
        lines += [title, *plot, ""]
    hints = paragraphs(found.hints)
    return [*lines, "Hints", *(f"  {line}" for line in hints), ""] if hints else lines
