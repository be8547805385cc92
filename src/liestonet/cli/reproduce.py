"""`liestonet reproduce`: the paper's tables and figures beside those of LieStoNet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liestonet.cli.output import emit
from liestonet.errors import InputError

if TYPE_CHECKING:
    from liestonet.reproduction.publication import Item, Options


def _print_items(wanted: bool) -> bool:
    if wanted:
        from liestonet.reproduction.items import ALL

        width = max(len(item.name) for item in ALL)
        emit("".join(f"{item.name:<{width}}  {item.title}\n" for item in ALL))
        raise typer.Exit
    return wanted


def reproduce(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME…", show_default=False, help="Items to reproduce; all for every item.")
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where results, tables and figures are kept.")] = Path(
        "reproduction"
    ),
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File of the page that is written.  [default: reproduction.md in that folder]"
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small data, few seeds: the whole list in minutes.")] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds for each run.  [default: that of the study]")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Also run items that take days.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Scheduler (dask.distributed) to run the jobs on.")
    ] = None,
    trades: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A day of Binance's aggregate trades, the zip as downloaded.")
    ] = None,
    only_page: Annotated[bool, typer.Option("--only-page", help="Compute nothing; rebuild the page.")] = False,
    listed: Annotated[
        bool, typer.Option("--list", callback=_print_items, is_eager=True, help="Print the items and exit.")
    ] = False,
) -> None:
    """Reproduce the paper's tables and figures, beside those of LieStoNet.

    Each run is a job with its own result file. It can be stopped and started again: finished runs are not repeated,
    and a changed setting never uses an old result. Long trainings continue where they stopped; their networks are in
    the subfolder .kept, which may be deleted at the end.

    \b
      the paper's number | ours | seeds   -->  table.csv, figure.png

    \b
    Examples:
      liestonet reproduce --list
      liestonet reproduce angles --seeds 2
      liestonet reproduce all --quick --jobs 2
      liestonet reproduce btc --trades BTCUSDT-aggTrades-2024-01-01.zip
    """
    from liestonet.reproduction.engines import keeping
    from liestonet.reproduction.items import ALL
    from liestonet.reproduction.publication import Options, chosen, publish
    from liestonet.reproduction.trades import announced
    from liestonet.study.command import complete, raise_failures
    from liestonet.study.store import Store, require_writable

    options = Options(quick, seeds, announced(trades), full)
    items = _ready(chosen(ALL, names), options, only_page)
    store = Store(out / "results")
    target = page or out / "reproduction.md"
    failures = []
    if not only_page:
        require_writable(out, store.folder, target)
        runs = [job for item in items for job in item.jobs(options)]
        with keeping(out / ".kept"):
            failures = complete(runs, store, emit, processes=jobs, scheduler=scheduler)
    publish(ALL, store, options, out, target, None if "all" in names else names)
    emit(f"Wrote {target}.\n")
    raise_failures(failures)


def _ready(items: list[Item], options: Options, only_page: bool) -> list[Item]:
    """The items whose requirements are met; if none is left, a missing requirement is an error, else it is printed."""
    waiting = [] if only_page else [item for item in items if not item.ready(options)]
    if waiting and len(items) == len(waiting):
        raise InputError(f"{waiting[0].name} needs {waiting[0].needs}.")
    for item in waiting:
        emit(f"{item.name} is skipped: it needs {item.needs}.\n")
    return [item for item in items if item not in waiting]
