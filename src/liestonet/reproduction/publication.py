"""The items of the paper, each with its jobs and the publication of their results.

`publish` uses stored results only, so pages from the same results are identical byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from liestonet.core.json_values import JSON
from liestonet.errors import InputError
from liestonet.reproduction.engines import TITLES
from liestonet.reproduction.trades import DayFile
from liestonet.study.jobs import Job
from liestonet.study.store import Store, write_bytes, write_text
from liestonet.study.tables import Table


@dataclass(frozen=True)
class Options:
    """The user's options: number of seeds (None: as in the committed study), small sizes, day of trades.

    `full` adds jobs that the committed study omits because of their cost, such as more runs of `Neural.paper`.
    """

    quick: bool = False
    seeds: int | None = None
    trades: DayFile | None = None
    full: bool = False

    def count(self, full: int) -> int:
        """The number of seeds if the study has `full`."""
        if self.seeds is not None:
            return self.seeds
        return 1 if self.quick else full

    @property
    def words(self) -> list[str]:
        """The options as words of a command."""
        seeds = [f"--seeds {self.seeds}"] if self.seeds is not None else []
        return ["--quick"] * self.quick + seeds + ["--full"] * self.full


@dataclass(frozen=True)
class ItemJob(Job):
    """A job whose function is in the module of an item."""

    package: str = "liestonet.reproduction.items"


@dataclass(frozen=True)
class Publication:
    """The publication of one item: a text, tables by name, figures by name as SVG."""

    text: str
    tables: dict[str, Table] = field(default_factory=dict)
    figures: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """One table or figure: `jobs` lists the jobs, `publish` makes tables and figures from the records.

    `ready` says whether the input of the jobs was given, `needs` names that input; without it, results are still
    published. `cut` says what the study omits compared with the paper, and `uncut` which options run it.
    """

    name: str
    title: str
    jobs: Callable[[Options], Sequence[Job]]
    publish: Callable[[list[dict[str, JSON]]], Publication]
    ready: Callable[[Options], bool] = lambda options: True
    needs: str = ""
    command: str = ""  # the command, if it is more than the item's name
    cut: str = ""
    uncut: str = ""


def chosen(items: Sequence[Item], names: Sequence[str]) -> list[Item]:
    """The items that a user named; "all" means every item."""
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


def publish(
    items: Sequence[Item], store: Store, options: Options, folder: Path, page: Path, named: Sequence[str] | None = None
) -> None:
    """Write tables as CSV and Markdown, the page that shows them all, and its figures as SVG in a folder beside it.

    Items without any result are only named at the end. The number of seeds and `full` apply to the items `named` (None:
    to all); the others are shown as in the committed study.
    """
    asked = [(item, options if named is None or item.name in named else _common(options)) for item in items]
    there = [(item, mine) for item, mine in asked if not item.jobs(mine) or store.values(item.jobs(mine))]
    sections = [_section(item, store, mine, folder, page.parent) for item, mine in there]
    head = f"{HEAD}{_totals(there, store)}{_beside_the_study(options if named is None else _common(options))}"
    parts = [part.strip() for part in (head, *sections, _what_was_cut(asked, store)) if part]
    write_text(page, "\n\n".join(parts) + "\n")


def _common(options: Options) -> Options:
    """The options for items that were not named."""
    return replace(options, seeds=None, full=False)


def _totals(items: Sequence[tuple[Item, Options]], store: Store) -> str:
    """Runs and hours of the whole page; runs used by two items are counted once."""
    jobs = {store.path(job): job for item, options in items for job in item.jobs(options)}
    records = [record for job in jobs.values() if (record := store.read(job)) is not None]
    hours = sum(record["cpu_seconds"] for record in records) / 3600
    return f"The page has {len(records):,} runs of {hours:.1f} CPU hours in all.\n" if records else ""


def _beside_the_study(options: Options) -> str:
    """A sentence for a page made with other options than the committed one."""
    small = " `--quick` takes a tenth of the data that the first table names, or less, and fewer cases."
    words = " ".join(options.words)
    return f"\nThis page was made with `{words}`.{small if options.quick else ''}\n" if words else ""


HEAD = """# The paper, reproduced

*For readers who know the paper and want to compare its tables with ours.*

Made by `liestonet reproduce`; every number of ours comes from a stored result of a run. The paper is *LieStoNet* (ICML
2026); *paper* is what it prints. `Neural.paper` is its recipe, setting by setting; where the paper says two things, or
nothing, [how the recipe is read](#how-the-recipe-is-read-and-what-another-reading-does) says what was taken and why.
Initial laws and evaluation points are not stated and are ours. `Neural()` and `Spectral()` are our defaults. `Neural()`
ends by solving for its last layer with the spectral engine's equations; `Neural(polish=False)` is without that step,
which the paper does not have, and stands where trainings are compared. Values are mean ± standard deviation over seeds,
with their number in brackets. Items share data and networks of `Neural.paper`, which are counted where they were first
needed.
"""


def _section(item: Item, store: Store, options: Options, folder: Path, beside: Path) -> str:
    """One item of the page, with its files written."""
    jobs = item.jobs(options)
    records = store.values(jobs)
    lines = [f"## {item.title}", "", f"`{_command(item, *options.words)}`: {_extent(jobs, records)}."]
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


def _command(item: Item, *words: str) -> str:
    return " ".join((item.command or f"liestonet reproduce {item.name}", *words))


def _extent(jobs: Sequence[Job], records: Sequence[dict[str, Any]]) -> str:
    """The number of finished runs and their cost, by engine if there are several."""
    if not jobs:
        return "nothing to compute"
    seconds = sum(record["cpu_seconds"] for record in records)
    by_engine = {
        title: [record["cpu_seconds"] for record in records if record.get("engine") == engine]
        for engine, title in TITLES.items()
    }
    medians = [f"{title} {median(spent):.0f}" for title, spent in by_engine.items() if spent]
    each = f" (CPU seconds of a run, median: {', '.join(medians)})" if medians else ""
    cost = f", {_cost(seconds)} in all{each}" if records else ""
    return f"{len(records)} of {len(jobs)} runs are finished{cost}"


def _cost(seconds: float | int) -> str:
    return f"{seconds:.0f} CPU seconds" if seconds < 120 else f"{seconds / 60:.0f} CPU minutes"


def _what_was_cut(items: Sequence[tuple[Item, Options]], store: Store) -> str:
    """The section on missing runs, with estimated cost and command, and on what the study omits by design."""
    rows = []
    for item, options in items:
        left = [job for job in item.jobs(options) if not store.has(job)]
        cut = item.cut if not item.uncut or item.uncut not in options.words else ""
        if left or cut:
            cost = _cost(sum(job.cost for job in left)) if left else None
            missing = f"`{_command(item, *options.words)}`" if left else None
            uncut = f"`{_command(item, item.uncut)}`" if cut and item.uncut else None
            rows.append((item.title, len(left), cost, missing, cut or None, uncut))
    columns = ("item", "missing runs", "about", "command that runs them", "left out by design", "command for that")
    return f"## What was cut\n\n{CONTINUED}\n\n{Table(columns, tuple(rows)).markdown()}" if rows else ""


CONTINUED = """A command continues where it was stopped, in the folder given with `--out`; the results of the page in
the project's documentation are continued with `--out experiments/reproduction --page docs/reproduction.md`."""
