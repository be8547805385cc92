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


@dataclass(frozen=True)
class Options:
    """What a user chose: how many seeds (None: as many as the committed study), small sizes, where trades are."""

    quick: bool = False
    seeds: int | None = None
    trades: str | None = None

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
    """One table or figure: `jobs` lists what is to be computed, `publish` makes tables and pictures of the records."""

    name: str
    title: str
    jobs: Callable[[Options], list[Job]]
    publish: Callable[[list[dict[str, Any]]], Publication]


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
    """Write tables as CSV and Markdown, the page that shows them all, and its figures as SVG in a folder beside it."""
    sections = [_section(item, store, options, folder, page.parent) for item in items]
    write_text(page, "\n\n".join(part.strip() for part in [HEAD, *sections]) + "\n")


HEAD = """# The paper, reproduced

Made by `liestonet reproduce all`; every number below comes from a stored result of a run, nothing is typed by hand.
*Paper* is what the paper prints; `Neural.paper` follows its settings; `Neural()` and `Spectral()` are our defaults on
the same data. Values are mean ± standard deviation over seeds, with the number of seeds in brackets.
"""


def _section(item: Item, store: Store, options: Options, folder: Path, beside: Path) -> str:
    """One item of the page, with its files written."""
    jobs = item.jobs(options)
    records = store.values(jobs)
    there = f"{len(records)} of {len(jobs)} runs are there" if jobs else "nothing to compute"
    lines = [f"## {item.title}", "", f"`liestonet reproduce {item.name}`: {there}."]
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
