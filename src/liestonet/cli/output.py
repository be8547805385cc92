"""What is printed: progress on stderr, results on stdout, never wider than 80 columns and plain in pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from liestonet.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from liestonet.result import Result

WIDTH = 80


@contextmanager
def stages(wanted: bool = True) -> Iterator[Callable[[str], None] | None]:
    """Shows what is being done, on stderr, if that is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield lambda stage: status.update(stage.partition(",")[0])


@contextmanager
def bar(title: str, wanted: bool = True) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, if that is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def show_result(result: Result, json: bool, latex: bool, quiet: bool) -> None:
    """Print a result the way that was asked for."""
    from liestonet.terminal import render, short_verdict

    if json and latex:
        raise InputError("--json and --latex were both asked for; leave one of them out.")
    if json:
        emit(result.to_json() + "\n")
    elif latex:
        emit(result.latex() + "\n")
    elif quiet:
        emit(short_verdict(result) + "\n")
    else:
        show(render(result))


def show(content: RenderableType) -> None:
    """Print to stdout, in colour on a terminal, never wider than 80 columns."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDTH)
    with console.capture() as captured:
        console.print(content)
    emit("\n".join(line.rstrip() for line in captured.get().split("\n")))


def emit(text: str) -> None:
    """Write to stdout; a reader who has seen enough (`| head`) is no failure."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # where the terminal has no τ or ∂
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from problem
