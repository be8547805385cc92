"""Output: progress on stderr, results on stdout, at most 80 columns wide, without colours in pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from liestonet.core.pace import SOLVING, Pace
from liestonet.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from liestonet.render.next_step import NextStep
    from liestonet.render.use_view import Used
    from liestonet.result import Result

WIDTH = 80
# The arguments after `liestonet` on the command line, stored in a result's provenance.
TYPED: ContextVar[tuple[str, ...]] = ContextVar("TYPED", default=())


def as_search(words: Iterable[str]) -> list[str]:
    """The command line as that of a search: `discover` for `look`, without options of pictures and debugging."""
    kept: list[str] = []
    skipped = False
    for word in words:
        if not (skipped or word == "--plot" or word.startswith("--plot=") or word == "--debug"):
            kept.append("discover" if word == "look" and not kept else word)
        skipped = word == "--plot" and not skipped
    return kept


@contextmanager
def stages(wanted: bool = True, shares: Mapping[str, float | int] = SOLVING) -> Iterator[Callable[[str], None] | None]:
    """Show the current stage and the estimated remaining time on stderr, if that is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TextColumn
    from rich.text import Text

    pace = Pace(shares)

    class Left(ProgressColumn):
        """A column with the estimated remaining time."""

        def render(self, task: Any) -> Text:
            return Text(pace.text(), style="dim")

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=20), Left()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=1.0)

        def show_stage(stage: str) -> None:
            pace.enter(stage)
            progress.update(task, description=stage.partition(",")[0], completed=pace.done)

        yield show_stage


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


def check_forms(json: bool, latex: bool) -> None:
    """Raise an error if two forms of output are requested, before anything is computed."""
    if json and latex:
        raise InputError("Give --json or --latex, not both.")


def check_report(path: Path) -> None:
    """Raise an error if the page cannot be written to its path, before anything is computed."""
    from liestonet.core.files import check_page

    check_page(path)


def with_command(result: Result, command: str | None = None) -> Result:
    """The result with the command that reproduces it, by default the present command line."""
    import shlex
    from dataclasses import replace

    if result.provenance is None:
        return result
    if command is None:
        command = shlex.join(typed_words())
    return replace(result, provenance=replace(result.provenance, command=command))


def write_page(result: Result, path: Path, progress: Callable[[str], None] | None) -> Path:
    """Write the result as a page, and return its path."""
    if progress is not None:
        progress("drawing the report")
    return result.report(path)


def reduced(result: Result, progress: Callable[[str], None] | None) -> Used:
    """Uses of the symmetries of an equation: new coordinates, invariants, martingales."""
    from liestonet.reduction.reduce import reduce
    from liestonet.render.use_view import Used

    reduction = reduce(result, progress=progress)
    if progress is not None:
        progress("looking for martingales")
    return Used(reduction, result.invariants(), result.martingales())


def show_result(result: Result, json: bool, latex: bool, quiet: bool, used: Used | None = None) -> None:
    """Print a result in the requested form, with uses of its symmetries if requested."""
    from liestonet.render.verdict import short_verdict
    from liestonet.render.view import ResultView

    if json:
        emit(_as_json(result, {} if used is None else used.to_dictionary()) + "\n")
    elif latex:
        emit(result.latex() + "\n" + ("" if used is None else used.reduction.latex() + "\n"))
    elif quiet:
        emit(short_verdict(result) + "\n" + ("" if used is None else used.short() + "\n"))
    else:
        from liestonet.render.terminal import render
        from liestonet.render.terminal_use import render_use

        show(render(ResultView.of(result), *([] if used is None else [render_use(used)])))


def _as_json(result: Result, more: dict[str, Any]) -> str:
    import json

    return json.dumps(result.to_dictionary() | more, indent=2, ensure_ascii=False, allow_nan=False)


def show(content: RenderableType) -> None:
    """Print to stdout, in colour on a terminal, never wider than 80 columns."""
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, WIDTH)
    with console.capture() as captured:
        console.print(content)
    emit("\n".join(line.rstrip() for line in captured.get().split("\n")))


def typed_words() -> list[str]:
    """The command line without options for debugging."""
    return ["liestonet", *(word for word in TYPED.get() if word != "--debug")]


def emit_next(step: NextStep | None) -> None:
    """Print the suggested next command below the result."""
    if step is not None:
        emit(
            "\n".join(
                ["", "Next", f"  {step.command}", *(f"  {line.strip()}" for line in paragraphs([f"{step.why}."])), ""]
            )
        )


def paragraphs(sentences: Iterable[str]) -> list[str]:
    """Sentences wrapped to lines of at most 80 columns, with continuation lines indented."""
    from textwrap import wrap

    options: dict[str, Any] = {"subsequent_indent": "  ", "break_long_words": False, "break_on_hyphens": False}
    return [line for sentence in sentences for line in wrap(sentence, WIDTH, **options)]


def emit(text: str) -> None:
    """Write to stdout; a closed pipe (`| head`) is not an error."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # for terminals without τ or ∂
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from problem
