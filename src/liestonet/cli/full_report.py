"""`liestonet discover FILE --all`: all applicable kinds of symmetry, maps, checks and the equation, in one folder.

Each step is written when it is done, so that the same command continues where it was stopped.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from liestonet.cli.output import emit, emit_next, paragraphs, typed_words, with_command, write_page
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.result import Result
    from liestonet.trajectories import Trajectories

FOLDER = "full-report"
# Seconds of processor time by coordinate: for a search, for 100,000 increments more, and for checks and pages in
# searches. Source: chosen by hand after runs on one core.
SECONDS, SECONDS_BY_SIZE, CHECKS = 3.0, 3.0, 3
CHECKED = "maps, validation, detailed balance"
STEPS = {
    "ito": "Itô symmetries",
    "law": "symmetries of the law",
    "fokker-planck": "symmetries of the density's equation",
}
BALANCE = "reversible.json"
Say = Callable[[str], None] | None


@dataclass(frozen=True)
class FullReport:
    """The searches of one table of paths; `options` are those that every search shares."""

    data: Trajectories
    folder: Path
    options: Mapping[str, Any]
    progress: Say = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds to search for; with one coordinate, symmetries of the law are those of the paths and left out."""
        return ("ito", "fokker-planck") if self.data.dimension == 1 else ("ito", "law", "fokker-planck")

    def cost(self) -> str:
        """A sentence on the steps to do and their approximate time."""
        left = [kind for kind in self.kinds if self._known(kind) is None]
        size = self.data.dimension * (SECONDS + SECONDS_BY_SIZE * len(self.data.flat_times) / 100_000)
        seconds = size * (len(left) + CHECKS)
        shown = f"{float(f'{seconds:.1g}'):g} s" if seconds < 90 else f"{seconds / 60:.0f} minutes"
        what = ", ".join(STEPS[kind] for kind in self.kinds)
        known = "" if len(left) == len(self.kinds) else f"; {len(self.kinds) - len(left)} found in {self.folder}"
        if not left:
            return f"Full report: {what}, {CHECKED}. All found in {self.folder}; pages are written again."
        return f"Full report: {what}, {CHECKED}. About {shown} on one core{known}."

    def results(self) -> Iterator[tuple[str, Result]]:
        """Each kind's result, stored in the folder."""
        for kind in self.kinds:
            known = self._known(kind)
            if known is not None:
                yield kind, known
                continue
            result = self._search(kind)
            result.save(self._place(kind))
            yield kind, result

    def balance(self) -> str:
        """A sentence on detailed balance, stored in the folder; or why it could not be tested."""
        from liestonet.trajectories.writers import replacing
        from liestonet.validation.reversal.reversible import reversible

        place, made_by = self.folder / BALANCE, {"digest": self.data.digest, "command": shlex.join(typed_words())}
        kept = _kept(place)
        if {name: kept.get(name) for name in made_by} == made_by:
            return str(kept["said"])
        limits = {key: self.options[key] for key in ("tolerance", "error_rate", "measurement", "clock")}
        try:
            found = reversible(self.data, progress=self.progress, **limits)
            said, values = " ".join([found.sentences()[0], *found.notes[:1]]), found.to_dictionary()
        except InputError as problem:
            said, values = f"Detailed balance was not tested: {problem}", {}
        with replacing(place) as stream:
            stream.write(json.dumps({**values, **made_by, "said": said}, indent=2, ensure_ascii=False).encode())
        return said

    def _place(self, kind: str) -> Path:
        return self.folder / f"{kind}.lsn"

    def _known(self, kind: str) -> Result | None:
        """The result of an earlier run with the same data and command, if there is one."""
        from liestonet.storage import load

        place = self._place(kind)
        if not place.is_file():
            return None
        try:
            found = load(place)
        except InputError:
            return None
        made, record = found.provenance, found.estimated
        same = record is not None and record.data.digest == self.data.digest
        typed = with_command(found).provenance
        return found if same and made is not None and typed is not None and made.command == typed.command else None

    def _search(self, kind: str) -> Result:
        from liestonet.pipeline.discover import discover
        from liestonet.validation.maps.discrete import discrete
        from liestonet.validation.tuning import DISCRETE
        from liestonet.validation.validate import validate

        result = discover(self.data, symmetry=kind, progress=self.progress, **self.options)
        shared = {key: self.options[key] for key in ("measurement", "clock")}
        if kind == "ito" and self.data.dimension <= DISCRETE.most_coordinates:
            limits = {key: self.options[key] for key in ("tolerance", "error_rate")}
            result = result.with_discrete(discrete(self.data, progress=self.progress, **limits, **shared))
        if kind == "ito" and result.fields.count:
            result = result.with_validation(validate(result, self.data, progress=self.progress, **shared))
        return with_command(result)


def _kept(place: Path) -> dict[str, Any]:
    """The contents of a file of an earlier run; empty if it cannot be read."""
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def full_report(report: FullReport, say_cost: Callable[[str], None]) -> Result:
    """Write everything to the folder, print the verdicts, and return the first result."""
    from liestonet.render.next_check import after_full_report
    from liestonet.render.use_view import estimated_text
    from liestonet.render.verdict import short_verdict

    report.folder.mkdir(parents=True, exist_ok=True)
    say_cost(report.cost())
    found = dict(report.results())
    pages = [write_page(result, report.folder / f"{kind}.html", report.progress) for kind, result in found.items()]
    lines = [f"{STEPS[kind][0].upper()}{STEPS[kind][1:]}: {short_verdict(result)}" for kind, result in found.items()]
    lines.append(report.balance())
    if report.data.dimension > 1:
        lines.append(
            "No coordinate was taken as odd under reversed time; for a velocity v: liestonet reversible --odd v."
        )
    equation = estimated_text(found["ito"])
    lines += [f"Equation: {equation}"] if equation else []
    emit("\n".join([*paragraphs(lines), "", *(f"Report: {page}" for page in pages), ""]))
    emit_next(after_full_report(found["ito"], report.folder))
    return found["ito"]
