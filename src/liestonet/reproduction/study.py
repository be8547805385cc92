"""A study: items of the paper, each with its jobs and what is published from their results.

`publish` reads stored results only, so a page is the same, byte for byte, wherever it is made from the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from liestonet.errors import InputError
from liestonet.reproduction.jobs import Job
from liestonet.reproduction.store import Store, write_bytes, write_text
from liestonet.reproduction.tables import Table
from liestonet.reproduction.trades import DayFile


@dataclass(frozen=True)
class Options:
    """What a user chose: how many seeds (None: as many as the committed study), small sizes, which day of trades.

    `full` adds what the committed study leaves out for want of time, such as `Neural.paper` where others stand alone.
    """

    quick: bool = False
    seeds: int | None = None
    trades: DayFile | None = None
    full: bool = False

    def count(self, full: int, quick: int = 1) -> int:
        """Number of seeds where the study has `full`."""
        if self.seeds is not None:
            return self.seeds
        return quick if self.quick else full


@dataclass(frozen=True)
class Publication:
    """What one item says: a text, tables by name, figures by name as SVG."""

    text: str
    tables: dict[str, Table] = field(default_factory=dict)
    figures: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One table or figure: `jobs` lists what is to be computed, `publish` makes tables and pictures of the records.

    `ready` says whether what the jobs need was given, `needs` what that is; without it, results are still
    published. `cut` says in words what the study leaves out beside the paper, and `uncut` which options run it.
    """

    name: str
    title: str
    jobs: Callable[[Options], list[Job]]
    publish: Callable[[list[dict[str, Any]]], Publication]
    ready: Callable[[Options], bool] = lambda options: True
    needs: str = ""
    command: str = ""  # what runs it, where that is more than its name
    cut: str = ""
    uncut: str = ""


def chosen(items: Sequence[Item], names: Sequence[str]) -> list[Item]:
    """The items a user named; "all" is every one."""
    known = {item.name: item for item in items}
    if "all" in names:
        return list(items)
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise InputError(f"There is nothing called {name!r} to reproduce.{hint} `reproduce --list` shows all.")
    return [known[name] for name in names]


def publish(items: Sequence[Item], store: Store, options: Options, folder: Path, page: Path) -> None:
    """Write tables as CSV and Markdown, the page that shows them all, and its figures as SVG in a folder beside it.

    Items without any result are named at the end alone.
    """
    there = [item for item in items if not item.jobs(options) or store.values(item.jobs(options))]
    sections = [_section(item, store, options, folder, page.parent) for item in there]
    missing = _what_was_cut(items, store, options)
    parts = [part.strip() for part in (HEAD, *sections, missing) if part]
    write_text(page, "\n\n".join(parts) + "\n")


HEAD = """# The paper, reproduced

Made by `liestonet reproduce`; every number of ours comes from a stored result of a run. The paper is *LieStoNet* (ICML
2026); *paper* is what it prints. `Neural.paper` follows its settings where it states them, and its tables where text
and tables disagree; initial laws, evaluation points and everything for the Fokker–Planck equation and ten dimensions
are not stated and are ours (`print(liestonet.Neural.paper(1))` says where each setting is from). `Neural()` and
`Spectral()` are our defaults on the same data. Values are mean ± standard deviation over seeds, with their number
in brackets.
"""


def _section(item: Item, store: Store, options: Options, folder: Path, beside: Path) -> str:
    """One item of the page, with its files written."""
    jobs = item.jobs(options)
    records = store.values(jobs)
    lines = [f"## {item.title}", "", f"`{_command(item)}`: {_extent(jobs, records)}."]
    if records or not jobs:
        made = item.publish(records)
        lines += ["", made.text]
        for name, table in made.tables.items():
            write_text(folder / f"{item.name}-{name}.csv", table.csv())
            write_text(folder / f"{item.name}-{name}.md", table.markdown())
            lines += ["", table.markdown()]
        for name, picture in made.figures.items():
            path = beside / "figures" / f"{item.name}-{name}.svg"
            write_bytes(path, picture)
            lines += ["", f"![{item.title}: {name}](figures/{path.name})", ""]
    return "\n".join(lines)


def _command(item: Item) -> str:
    return item.command or f"liestonet reproduce {item.name}"


def _extent(jobs: Sequence[Job], records: Sequence[dict[str, Any]]) -> str:
    """How many of the runs are there, and what they cost."""
    if not jobs:
        return "nothing to compute"
    seconds = sum(record["cpu_seconds"] for record in records)
    return f"{len(records)} of {len(jobs)} runs are there" + (f", {_cost(seconds)} in all" if records else "")


def _cost(seconds: float | int) -> str:
    return f"{seconds:.0f} CPU seconds" if seconds < 120 else f"{seconds / 60:.0f} CPU minutes"


def _what_was_cut(items: Sequence[Item], store: Store, options: Options) -> str:
    """What has not been run, with a guess of its cost and the command, and what the study leaves out by design."""
    rows = []
    for item in items:
        left = [job for job in item.jobs(options) if not store.has(job)]
        if left or item.cut:
            cost = _cost(sum(job.cost for job in left)) if left else None
            uncut = f"`{_command(item)} {item.uncut}`" if item.uncut else None
            rows.append((item.title, len(left), cost, f"`{_command(item)}`" if left else None, item.cut or None, uncut))
    columns = ("item", "runs not there", "about", "command that runs them", "left out by design", "command for that")
    return f"## What was cut\n\n{CONTINUED}\n\n{Table(columns, tuple(rows)).markdown()}" if rows else ""


CONTINUED = """A command goes on where it was stopped, in the folder given with `--out`; the results of the page in the
project's documentation are continued with `--out experiments/reproduction --page docs/reproduction.md`."""
