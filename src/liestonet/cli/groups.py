"""`liestonet discover FILES --by CONDITION`: a result for each condition, and their comparison."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from liestonet.cli.arguments import pieces, read_periods
from liestonet.cli.reading import Reading
from liestonet.cli.spoken import spoken
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.groups.comparison import GroupComparison
    from liestonet.study.jobs import Job
    from liestonet.study.running import Failure
    from liestonet.study.store import Store


@dataclass(frozen=True)
class Conditions:
    """The options of a run by groups: files, the grouping, reading, the search, and the output folder."""

    files: Sequence[Path]
    by: str
    reading: Reading
    search: Mapping[str, Any]
    out: Path | None
    jobs: int
    scheduler: str | None

    def compared(self) -> GroupComparison:
        """The comparison, computed in the given folder or in a temporary one."""
        if self.out is not None:
            return self._compared_in(self.out)
        with TemporaryDirectory() as folder:
            return self._compared_in(Path(folder))

    def _compared_in(self, out: Path) -> GroupComparison:
        import shlex

        from liestonet.cli.output import TYPED
        from liestonet.groups.discover_groups import Asked, groups_in

        measurement = self.search["measurement"]
        search = {**self.search, "measurement": None if measurement is None else measurement.to_json()}
        command = shlex.join(["liestonet", *(word for word in TYPED.get() if word != "--debug")])
        reading = read_options(self.reading)
        return groups_in(out, Asked(list(self.files), self.by, reading, search), self._run, command=command)

    def _run(self, jobs: Sequence[Job], store: Store) -> list[Failure]:
        from liestonet.study.command import complete

        return complete(jobs, store, say, processes=self.jobs, scheduler=self.scheduler, wording=spoken)


def discover_by(asked: Conditions, refused: Mapping[str, bool], json: bool, quiet: bool) -> None:
    """Compute the missing results, print the comparison, and print where it is."""
    from liestonet.cli.output import emit, emit_next, show, typed_words

    for option in (option for option, given in refused.items() if given):
        instead = "give --jobs instead" if option == "--workers" else f"leave {option.split()[0]} or --by out"
        raise InputError(f"{option} is for one recording; {instead}.")
    asked.reading.windows.check()
    if asked.out is not None:
        check_folder(asked.out)
    comparison = asked.compared()
    if json:
        emit(comparison.to_json() + "\n")
    elif quiet:
        emit("\n".join(comparison.sentences()[:1]) + "\n")
    else:
        from liestonet.render.next_check import after_groups
        from liestonet.render.terminal_groups import render_groups

        show(render_groups(comparison))
        if asked.out is not None:
            emit(f"\nReport: {asked.out / 'groups.html'}\nResult: {asked.out / 'groups.json'}, and a folder for each\n")
        emit_next(after_groups(typed_words(), comparison))
    if failed := [group for group in comparison if group.problem]:
        count = f"{len(failed)} of {len(comparison.groups)} groups"
        raise InputError(f"{count} without a result, {failed[0].label} first: {spoken(failed[0].problem)}")


def check_folder(folder: Path) -> None:
    """Raise an error if a folder cannot be written to, before anything is computed."""
    from liestonet.study.store import require_writable

    require_writable(folder, folder, folder / "groups.html")


def only_with_by(jobs: int | None) -> None:
    """Raise an error if --jobs is given without --by."""
    if jobs is not None:
        raise InputError("--jobs is for the groups of --by; for one recording give --workers, or add --by.")


def read_options(reading: Reading) -> dict[str, Any]:
    """The given options for reading tables, as keywords of Python."""
    said: dict[str, Any] = {
        "time": reading.time,
        "trajectory": reading.trajectory,
        "state": None if reading.state is None else pieces(reading.state),
        "sort": reading.sort or None,
        "gap": reading.gap,
        "dt": reading.dt,
        "columns": None if reading.columns is None else pieces(reading.columns),
        "layout": None if reading.layout == "auto" else reading.layout,
        "delimiter": reading.delimiter,
        "decimal": reading.decimal,
        "periodic": read_periods(reading.periodic),
        "log": pieces(reading.log) if reading.log else None,
        "thin": reading.thin,
        "window": reading.windows.points,
        "stride": reading.windows.stride,
        "restart": reading.windows.restart or None,
        "own_clock": reading.own_clock or None,
        "own_errors": reading.own_errors or None,
    }
    return {name: value for name, value in said.items() if value is not None}


def say(text: str) -> None:
    """Print a message of a run to stderr; stdout is for the comparison."""
    sys.stderr.write(text)
    sys.stderr.flush()
