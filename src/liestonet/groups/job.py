"""One group as a job of a study: reads the data, runs `discover`, writes the files; in any process or machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from liestonet.core.json_values import JSON
from liestonet.errors import InputError
from liestonet.groups.compare import group_of
from liestonet.pipeline.discover import discover
from liestonet.result import Result
from liestonet.trajectories import Measurement, Trajectories

# Environment variables: the folder of the groups' results, and the command stored in a result. Neither determines a
# result, so they are not part of a job's key.
FOLDER, COMMAND = "LIESTONET_GROUPS", "LIESTONET_GROUPS_COMMAND"
RESULT_FILE, REPORT_FILE, RUN_FILE = "result.json", "report.html", "run.lsn"
OWN = ("own_clock", "own_errors")  # what files of a group may have of their own
RESHAPING = ("log", "thin", "window", "stride", "restart")


@contextmanager
def writing_to(folder: Path, command: str | None) -> Iterator[None]:
    """Within the context, jobs write their results into this folder."""
    given = {FOLDER: str(folder.resolve()), COMMAND: command or ""}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({} if value is None else {name: value})


def run_group(
    label: str,
    files: Sequence[str],
    column: str | None,
    reading: Mapping[str, Any],
    search: Mapping[str, Any],
    name: str,
) -> dict[str, JSON]:
    """Discover one group and write result.json, report.html and run.lsn; returns the facts for the comparison."""
    data = read_group([Path(file) for file in files], column, label, reading)
    measurement = search["measurement"]
    known = None if measurement is None else Measurement.from_json(measurement, "the group")
    result = discover(data, **{**search, "measurement": known})
    command = os.environ.get(COMMAND)
    if command and result.provenance is not None:
        result = replace(result, provenance=replace(result.provenance, command=command))
    write_group(result, Path(os.environ[FOLDER]) / name)
    return asdict(group_of(label, result, name, len(files)))


def read_group(files: Sequence[Path], column: str | None, label: str, reading: Mapping[str, Any]) -> Any:
    """The paths of a group from all its files, with the options of reading; large data stay in their files."""
    import numpy as np

    columns = {name: value for name, value in reading.items() if name not in RESHAPING}
    asked_for = next((name for name in OWN if columns.get(name)), None)
    if column is not None and asked_for is not None:
        raise InputError(f"Files that hold several groups have nothing of their own; leave {asked_for} out.")
    data = _paths(files, columns) if column is None else _rows(files, column, label, columns)
    asked = [name for name in RESHAPING if reading.get(name)]
    if asked and not isinstance(data, Trajectories):
        raise InputError(f"This group is too large for memory and is read in pieces; leave {asked[0]} out.")
    if reading.get("log"):
        data = data.transform(**dict.fromkeys(reading["log"], np.log))
    if reading.get("thin") is not None:
        data = data.thin(reading["thin"])
    if reading.get("window") is not None:
        data = data.windows(reading["window"], reading.get("stride"), restart=bool(reading.get("restart")))
    return data


def _paths(files: Sequence[Path], columns: Mapping[str, Any]) -> Any:
    """The paths of whole files, in memory if they fit."""
    from liestonet.trajectories.scan import is_small

    if len(files) == 1 and is_small(files[0]) and not any(columns.get(name) for name in OWN):
        return Trajectories.read(files[0], **{name: value for name, value in columns.items() if name not in OWN})
    if "layout" in columns:
        raise InputError("The layout is for one file in each group; leave it out for several.")
    source = Trajectories.scan(list(files), **columns)
    return source.read() if source.fits and not source.own_errors else source


def _rows(files: Sequence[Path], column: str, label: str, columns: Mapping[str, Any]) -> Trajectories:
    """The paths of one group in files that hold several."""
    from liestonet.trajectories.joining import joined
    from liestonet.trajectories.row_groups import read_rows

    parts = [read_rows(file, column, label, columns) for file in files]
    return joined(parts, [file.name for file in files])


def write_group(result: Result, folder: Path) -> None:
    """A result's three files, each whole or not at all."""
    from liestonet.trajectories.writers import replacing

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / RESULT_FILE) as stream:
            stream.write((result.to_json() + "\n").encode())
        result.report(folder / REPORT_FILE)
        result.save(folder / RUN_FILE)
    except OSError as problem:
        raise InputError(f"The result could not be written to {str(folder)!r} ({problem.strerror}).") from problem
