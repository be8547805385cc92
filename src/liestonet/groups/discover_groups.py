"""`discover_groups`: a result for each of several recordings under different conditions, and their comparison.

Every group is a job of a study, whose result is stored as soon as it is computed (study/running.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from liestonet.core.numbers import is_whole
from liestonet.core.tuning import SHARED
from liestonet.errors import InputError
from liestonet.groups.compare import compared, only_comparable
from liestonet.groups.comparison import Group, GroupComparison, group_from
from liestonet.groups.conditions import in_order
from liestonet.groups.job import OWN, RESHAPING, RUN_FILE, writing_to
from liestonet.groups.splitting import Split, split_files
from liestonet.groups.tuning import COMPARISON
from liestonet.storage import load
from liestonet.study.jobs import Job
from liestonet.study.running import Failure, run_all
from liestonet.study.store import Store
from liestonet.symmetry.determining.kinds import kind_from_data
from liestonet.trajectories import Measurement, Trajectories

if TYPE_CHECKING:
    from liestonet.core.json_values import JSON

COMPARISON_FILE, COMPARISON_PAGE, JOBS = "groups.json", "groups.html", ".jobs"
Runner = Callable[[Sequence[Job], Store], list[Failure]]


@dataclass(frozen=True)
class Planned:
    """One group's job, the folder of its result, and a function that writes data in memory to a file."""

    label: str
    job: Job
    folder: str
    prepare: Callable[[], None] | None = None


def discover_groups(
    source: Any,
    by: str | Any = None,
    *,
    out: str | Path | Any = None,
    jobs: int | Any = 1,
    scheduler: str | Any = None,
    symmetry: str | Any = "ito",
    dimension: int | Any | None = None,
    tolerance: float | Any = SHARED.default_tolerance,
    error_rate: float | Any = SHARED.default_error_rate,
    formulas: bool | Any = True,
    measurement: Measurement | Any | None = None,
    clock: str | float | Any = "auto",
    progress: Callable[[str], None] | None = None,
    **reading: Any,
) -> GroupComparison:
    """The symmetries of recordings under several conditions, and whether the groups share an algebra and constants.

    `source` is a pattern such as "runs/{condition}/*.csv", a folder, a list of files, or trajectories by their labels,
    {"300K": data, …}. `by` names a part in braces of that pattern, gives a pattern itself, "run_{condition}_*.csv", or
    names a column. Further keywords are those of `Trajectories.read`.

    The folder `out` receives a subfolder for each group with `run.lsn`, `result.json` and `report.html`, and the
    comparison as groups.html and groups.json. The groups run in `jobs` processes or on a `scheduler`, an address of
    dask.distributed; with the same folder, a second call does not repeat finished groups. A group without a result has
    the reason as its `problem`; the others are computed.
    """
    if not is_whole(jobs) or jobs < 1:
        raise InputError(f"The number of processes must be a whole number from 1 on, not {jobs!r}.")
    said = progress or (lambda _: None)

    def run(missing: Sequence[Job], store: Store) -> list[Failure]:
        def done(job: Job, problem: str) -> None:
            said(f"{job.name}: {problem or 'done'}")

        return run_all(missing, store, processes=int(jobs), scheduler=scheduler, done=done)

    search = {
        "symmetry": symmetry,
        "dimension": dimension,
        "tolerance": tolerance,
        "error_rate": error_rate,
        "formulas": formulas,
        "clock": clock,
        "measurement": None if measurement is None else measurement.to_json(),
    }
    if out is not None:
        return groups_in(Path(out), Asked(source, by, reading, search), run)
    with TemporaryDirectory() as folder:
        return groups_in(Path(folder), Asked(source, by, reading, search), run, keep=False)


@dataclass(frozen=True)
class Asked:
    """The data, what distinguishes the groups, how files are read, and the settings of the search."""

    source: object
    by: str | None
    reading: Mapping[str, object]
    search: Mapping[str, JSON]


def groups_in(
    out: Path,
    asked: Asked,
    run: Runner,
    *,
    command: str | None = None,
    keep: bool = True,
) -> GroupComparison:
    """Run the groups without a result in a folder and compare all groups."""
    kind_from_data(asked.search["symmetry"])  # errors that concern all groups are raised once, before any file is read
    name, planned = _planned(out, asked)
    store = Store(out / JOBS)
    repeated = [one.job for one in planned if not (out / one.folder / RUN_FILE).is_file()]
    store.remove(repeated)
    for one in planned:
        if one.prepare is not None and not store.has(one.job):
            one.prepare()
    with writing_to(out, command):
        failures = run([one.job for one in planned], store)
    problems = {failure.job.file_name: failure.reason for failure in failures}
    groups = [_group(one, store, problems.get(one.job.file_name, "")) for one in planned]
    if all(group.problem for group in groups):
        raise InputError(f"No group has a result. The first: {groups[0].label}: {groups[0].problem}")
    results = {group.label: load(out / group.folder / RUN_FILE) for group in groups if not group.problem}
    groups = only_comparable(groups, results)
    comparison = compared(groups, results, name, COMPARISON.level, out if keep else None)
    if keep:
        comparison.save(out / COMPARISON_FILE)
        comparison.report(out / COMPARISON_PAGE)
    return comparison


def _planned(out: Path, asked: Asked) -> tuple[str, list[Planned]]:
    source, by, reading, search = asked.source, asked.by, asked.reading, asked.search
    if isinstance(source, Mapping):
        return by or "group", _in_memory(out, source, reading, search)
    if isinstance(source, Trajectories):
        raise InputError(
            "Trajectories in memory have no column that distinguishes groups; give them by label, "
            '{"300K": data, …}, or the '
            "file."
        )
    if by is None:
        raise InputError(
            "It is not known what distinguishes the groups; give by, a column or a part of the file names."
        )
    columns = {key: value for key, value in reading.items() if key not in (*RESHAPING, *OWN)}
    split = split_files(source, by, columns)
    return split.by, _from_files(split, reading, search)


def _from_files(split: Split, reading: Mapping[str, Any], search: Mapping[str, Any]) -> list[Planned]:
    folders = _folders([part.label for part in split.parts])
    planned = []
    for part in split.parts:
        files = [file.resolve() for file in part.files]
        marks = [_mark(file) for file in files]
        job = _job(part.label, folders[part.label], (files, part.column), reading, search, marks)
        planned.append(Planned(part.label, job, folders[part.label]))
    return planned


def _mark(file: Path) -> list[int] | None:
    """What changes when a file does; None where it cannot be seen, which its group then says."""
    try:
        found = file.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def _in_memory(
    out: Path, groups: Mapping[Any, Any], reading: Mapping[str, Any], search: Mapping[str, Any]
) -> list[Planned]:
    """The jobs for trajectories by label, whose data are written beside the results for the processes to read."""
    if reading:
        raise InputError(f"{next(iter(reading))} says how a file is read, but these are trajectories; leave it out.")
    if len(groups) < 2:
        raise InputError("A comparison needs two groups or more; discover takes the data of one.")
    for label, data in groups.items():
        if not isinstance(data, Trajectories):
            raise InputError(f"The group {label!r} is a {type(data).__name__}; give Trajectories for every label.")
    labelled = {str(label): data for label, data in groups.items()}
    folders = _folders(list(labelled))
    planned = []
    for label in in_order(labelled):
        data, file = labelled[label], (out / folders[label] / "data.npz").resolve()
        job = _job(label, folders[label], ([file], None), {}, search, data.digest)
        planned.append(Planned(label, job, folders[label], lambda data=data, file=file: _write_data(data, file)))
    return planned


def _write_data(data: Trajectories, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    data.write(file)


def _job(
    label: str,
    folder: str,
    rows: tuple[list[Path], str | None],
    reading: Mapping[str, Any],
    search: Mapping[str, Any],
    marks: Any,
) -> Job:
    """The job of one group, whose `rows` are in files, or those of its label in a column of them."""
    files, column = rows
    settings = {
        "label": label,
        "files": [str(file) for file in files],
        "column": column,
        "reading": {key: value for key, value in reading.items() if value is not None},
        "search": dict(search),
        "name": folder,
    }
    return Job("groups", folder, "groups.job:run_group", settings, given={"data": marks}, package="liestonet")


def _folders(labels: Sequence[str]) -> dict[str, str]:
    """A folder name for every label, distinct even if two labels differ only in characters that names cannot have."""
    found: dict[str, str] = {}
    for label in labels:
        plain = re.sub(r"[^\w.=+-]", "_", label).strip(".") or "group"
        name, number = plain, 2
        while name.lower() in {taken.lower() for taken in found.values()} | {JOBS}:
            name, number = f"{plain}-{number}", number + 1
        found[label] = name
    return found


def _group(one: Planned, store: Store, problem: str) -> Group:
    record = store.read(one.job)
    if record is None:
        return Group(one.label, problem=problem or "It was not run.", folder=one.folder)
    return group_from(record["value"])
